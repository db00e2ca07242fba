"""Votes: from what people think of search results to judgments."""
