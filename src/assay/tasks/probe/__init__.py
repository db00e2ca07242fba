"""Asking a live retriever: what it retrieves, how fast, and how good it is."""
