"""Values and rules: what is judged, what a measure is, how names are read. No input or output."""
