"""Z-scores: how far a value is from the mean of other runs, in their standard deviations."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.compat.trec_eval.judgments import contents
from assay.compat.trec_eval.numbers import real
from assay.compat.trec_eval.outcome import FAILED, Stop

if TYPE_CHECKING:
    from assay.compat.trec_eval.evaluation import Evaluation
    from assay.core.judged import FloatArray

MISSING = -1000000.0
FIELDS = 4


class Reference(NamedTuple):
    """What other runs score."""

    mean: float
    deviation: float

    def score(self, value: float) -> float:
        if self.deviation:
            return (value - self.mean) / self.deviation
        return 0.0 if value == self.mean else MISSING


References = dict[tuple[bytes, bytes], Reference]


def read_zscores(path: str) -> References:
    """The reference for each topic and measure: lines of topic, measure, mean and standard deviation."""
    content = contents(path, f"trec_eval.get_zscores: Cannot read zscores file '{path}'\n", FAILED)
    references: References = {}
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), start=1):
        fields = line.split()
        if len(fields) != FIELDS:
            raise Stop(FAILED, f"trec_eval.get_zscores: Malformed line {number}\n")
        topic, measure, mean, deviation = fields
        references.setdefault((topic, measure), Reference(real(mean), real(deviation)))
    return references


def standardized(evaluation: Evaluation, references: References) -> list[FloatArray]:
    """The columns of all values as z-scores."""
    columns = []
    for value, column in zip(evaluation.values, evaluation.columns, strict=True):
        known = [references.get((topic, os.fsencode(value.name))) for topic in evaluation.topics]
        pairs = zip(known, column.tolist(), strict=True)
        columns.append(np.array([MISSING if each is None else each.score(number) for each, number in pairs]))
    return columns
