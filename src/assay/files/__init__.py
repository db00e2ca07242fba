"""Files: opening, writing whole or not at all, locks, and what their first bytes tell."""
