"""Charts of files: judgments and runs, records, or two judges."""
