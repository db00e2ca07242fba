"""Chunks of documents: their ids, spans and texts, and rankings of the documents they come from."""
