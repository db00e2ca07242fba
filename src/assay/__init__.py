"""assay measures how good search and RAG systems are."""

from assay._kernel import __version__
from assay.accounts import Audit
from assay.answering import evaluate_answers
from assay.answers import Answers
from assay.auditing import audit
from assay.compare import compare
from assay.comparison import Comparison
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
from assay.gate import gate
from assay.gatereport import GateCheck, GateReport
from assay.io import Qrels, Run, match_texts, read_qrels, read_run
from assay.labels import evaluate_labels
from assay.notes import Note
from assay.result import Result, load_result
from assay.results import Results
from assay.stats import Interval
from assay.stats.pairs import Pair

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
    "GateCheck",
    "GateReport",
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
    "gate",
    "load_result",
    "match_texts",
    "measure",
    "parse_measure",
    "ratio",
    "read_qrels",
    "read_run",
    "remove_measure",
]
