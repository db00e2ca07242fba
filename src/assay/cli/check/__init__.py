"""`assay check`: a doctor for data. The findings are pure functions on judgments and runs; the command prints them."""
