"""Files: opening, writing atomically, locks, and what their first bytes tell."""
