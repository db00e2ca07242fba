"""What people ask for: one folder per task, each with api.py, result.py and its helpers."""
