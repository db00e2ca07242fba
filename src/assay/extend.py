"""For authors of measures: the decorators, what a measure is given, and what it may return."""

from assay.core.judged import Hits, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel
from assay.core.parameter import Bounds
from assay.core.ruling import Finding, Prompt, Scale, Verdict
from assay.measures import measure, remove_measure
from assay.measures.answers import Answers
from assay.measures.scores import score

__all__ = [
    "Answers",
    "Bounds",
    "Cutoff",
    "Example",
    "Finding",
    "Hits",
    "Judged",
    "Prompt",
    "Rel",
    "Scale",
    "Verdict",
    "measure",
    "ratio",
    "remove_measure",
    "score",
]
