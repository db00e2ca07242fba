"""Agreement: how far two sets of judgments or of scores agree."""
