"""Stand-ins for other tools' modules: the same calls and the same numbers, computed by assay."""
