"""What `Qrels` and `Run` share: rows in the kernel, looked at by query."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import DataError
from assay.core.text import show

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from assay._kernel import Rows
    from assay.core.judged import FloatArray, IntArray


class QueryTable:
    """Rows of documents, grouped by query."""

    is_judgments = False

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    @cached_property
    def queries(self) -> list[str]:
        """The query ids, in the order of the data."""
        return self.rows.queries()

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.queries)

    def __iter__(self) -> Iterator[str]:
        return iter(self.queries)

    def __contains__(self, query: object) -> bool:
        return self.find(query) is not None

    @cached_property
    def starts(self) -> IntArray:
        """Where each query's rows begin; one more entry marks the end."""
        return np.frombuffer(self.rows.starts(), dtype=np.int64)

    @cached_property
    def values(self) -> FloatArray:
        """The grade or the score of each row."""
        return np.frombuffer(self.rows.values(), dtype=np.float64)

    def find(self, query: object) -> int | None:
        """The place of a query, if there is one."""
        try:
            return self.rows.find(str(query))
        except UnicodeEncodeError:
            return None

    def number(self, query: object) -> int:
        """The place of a query that must be there."""
        number = self.find(query)
        if number is None:
            raise DataError(f"there is no query {show(query)}")
        return number

    def values_of(self, number: int) -> list[float]:
        """The grades or the scores of one query, by its place."""
        values: list[float] = self.values[self.starts[number] : self.starts[number + 1]].tolist()
        return values

    def to_dict(self) -> dict[str, Any]:
        """Everything as Python objects, in the form that the data was given in."""
        return {query: self[query] for query in self.queries}

    def __getitem__(self, query: object) -> Any:  # noqa: ANN401 - a dict or a list
        raise NotImplementedError

    def write(self, path: str | os.PathLike[str], *, format: str | None = None, lossy: bool = False) -> None:
        """Writes a file; the format is told from its name, or named.

        What the format cannot hold is an error that names it; with `lossy` it is left out.
        """
        from assay.data.write import write

        write(self, path, format, lossy=lossy)  # type: ignore[arg-type]

    @property
    def has_empty_queries(self) -> bool:
        """Whether a query has no rows."""
        return bool((np.diff(self.starts) == 0).any())

    @property
    def has_repeats(self) -> bool:
        """Whether a query lists a document twice (in the same group)."""
        import polars

        return bool(polars.DataFrame(self.rows).drop("value").is_duplicated().any())
