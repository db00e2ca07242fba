"""What shows that a stored result is as it was written: a checksum of its content, its number of rows, and ranges.

The checksum is over what the JSON says, not over its bytes: a formatter may indent the file, sort its keys or write 1.0
as 1. Any other change is found.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.limits import LIMITS
from assay.core.parameter import LARGEST_WHOLE
from assay.core.text import show
from assay.engine.ranking import repeats_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay.core.judged import FloatArray
    from assay.core.measure import Measure
    from assay.core.policies import Policies

# Names of fields take the most memory, and an honest file has few: one for so many values that are allowed.
VALUES_PER_NAME = 16
NAME = re.compile(rb'"\s*:')
# What rounding adds to a value at the end of its range.
ROUNDING = 1e-9


def checksum_of(fields: Mapping[str, Any], queries: Sequence[str], scores: Iterable[FloatArray]) -> str:
    """The checksum of a stored result, from its fields and its rows."""
    head = {name: value for name, value in fields.items() if name not in ("checksum", "queries")}
    digest = hashlib.sha256(canonical_json(head))
    digest.update(canonical_json(list(queries)))
    for values in scores:
        digest.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
    return f"sha256:{digest.hexdigest()}"


def canonical_json(value: object) -> bytes:
    """The JSON of a value, the same for every order of keys and every spelling of a number."""
    return json.dumps(as_floats(value), sort_keys=True, separators=(",", ":")).encode()


def as_floats(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """The value with floats for its whole numbers."""
    if isinstance(value, dict):
        return {name: as_floats(each) for name, each in value.items()}
    if isinstance(value, list):
        return [as_floats(each) for each in value]
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_WHOLE
    return float(value) if is_whole else value


def is_too_large(content: bytes) -> bool:
    """Whether the JSON would take very much memory, judging by its commas, brackets and names of fields."""
    values = sum(map(content.count, (b",", b"[", b"{")))
    most = LIMITS.get().values
    if values > most:
        return True
    names = most // VALUES_PER_NAME
    return content.count(b":") > names and sum(1 for _ in NAME.finditer(content)) > names


def find_outside(
    measures: Mapping[str, Measure],
    policies: Mapping[str, Policies],
    queries: Sequence[str],
    scores: Mapping[str, FloatArray],
) -> Iterator[str]:
    """For each measure that has a value outside its range, a sentence about the first one.

    Only assay knows the ranges of its measures; others may not have thought about theirs. A document that counts each
    time it is retrieved takes most measures out of their ranges.
    """
    for name, measure in measures.items():
        is_known = measure.definition.function.__module__.startswith("assay.measures.")
        if not is_known or repeats_of(policies[name]) == "count":
            continue
        low, high = range_of(measure)
        values = scores[name]
        is_outside = (values < low - ROUNDING * max(1, abs(low))) | (values > high + ROUNDING * max(1, abs(high)))
        if is_outside.any():
            first = int(np.argmax(is_outside))
            where = f"{name} of query {show(queries[first])}"
            yield f"{where} is {values[first]:g}, which is not in the range of the measure, {low:g} to {high:g}"


def range_of(measure: Measure) -> tuple[float, float]:
    """The range of a measure with these parameters; a cutoff leaves it as it is."""
    about = measure.definition
    others = {name: value for name, value in measure.values.items() if name != about.at}
    is_usual = all(value == about.parameters[name].default for name, value in others.items())
    return (is_usual and about.usual_range) or about.range
