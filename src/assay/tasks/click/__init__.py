"""Clicks: from what people click on to judgments."""
