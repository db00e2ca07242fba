"""Other tools' interfaces, computed by assay."""
