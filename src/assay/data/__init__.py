"""Judgments, runs, texts and records: read from files, frames and Python objects, and written to files."""
