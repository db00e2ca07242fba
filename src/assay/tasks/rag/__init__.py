"""Whole RAG evaluations: what was retrieved and what was answered, for the same questions."""
