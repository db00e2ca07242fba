"""`Result` and `Results`, aligning them by query, and the stored file."""
