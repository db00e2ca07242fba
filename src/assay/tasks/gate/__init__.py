"""The gate: whether a change may land."""
