"""Records: one question of a RAG system each, read from files, frames and Python objects."""
