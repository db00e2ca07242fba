"""assay measures how good search and RAG systems are."""

from assay._kernel import __version__
from assay.accounts import Audit
from assay.answering import evaluate_answers
from assay.answers import Answers, semantic
from assay.auditing import audit
from assay.compare import compare
from assay.comparison import Comparison, Pair
from assay.conventions import parse_measure
from assay.core.convention import Policies
from assay.core.errors import (
    AssayError,
    DataError,
    DuplicateError,
    FileError,
    FormatError,
    LossError,
    MeasureError,
    MismatchError,
    PolicyError,
)
from assay.core.judged import Hits, Judged, ratio
from assay.core.measure import Cutoff, Example, Measure, Rel, measure, remove_measure
from assay.core.parameter import Bounds
from assay.evaluate import evaluate, evaluate_many
from assay.evaluator import Evaluator
from assay.io import Qrels, Run, read_qrels, read_run
from assay.labels import evaluate_labels
from assay.notes import Note
from assay.result import Result
from assay.results import Results
from assay.stats import Interval

__all__ = [
    "Answers",
    "AssayError",
    "Audit",
    "Bounds",
    "Comparison",
    "Cutoff",
    "DataError",
    "DuplicateError",
    "Evaluator",
    "Example",
    "FileError",
    "FormatError",
    "Hits",
    "Interval",
    "Judged",
    "LossError",
    "Measure",
    "MeasureError",
    "MismatchError",
    "Note",
    "Pair",
    "Policies",
    "PolicyError",
    "Qrels",
    "Rel",
    "Result",
    "Results",
    "Run",
    "__version__",
    "audit",
    "compare",
    "evaluate",
    "evaluate_answers",
    "evaluate_labels",
    "evaluate_many",
    "measure",
    "parse_measure",
    "ratio",
    "read_qrels",
    "read_run",
    "remove_measure",
    "semantic",
]
