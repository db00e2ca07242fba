"""What a studio says of things that it does not have."""

from assay.core.errors import DataError


class UnknownError(DataError):
    """There is no such query, run or measure in this studio."""
