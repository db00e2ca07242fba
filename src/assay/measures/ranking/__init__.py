"""Measures of rankings, one family per file."""
