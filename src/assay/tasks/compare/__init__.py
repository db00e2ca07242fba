"""Comparing runs: which is better, how sure that is, and which documents moved."""
