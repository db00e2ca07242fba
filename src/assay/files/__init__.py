"""Files: opening, writing whole or not at all, locks, and why a file is unreadable."""
