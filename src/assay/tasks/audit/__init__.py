"""The audit: why tools give different numbers for one measure."""
