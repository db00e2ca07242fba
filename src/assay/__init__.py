"""assay measures how good search and RAG systems are.

Each name is imported when it is first used, so that `import assay` costs nothing.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from assay._kernel import __version__
    from assay.accounts import Audit
    from assay.answering import evaluate_answers
    from assay.answers import Answers, semantic
    from assay.auditing import audit
    from assay.comparing import compare
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
    from assay.evaluation import evaluate, evaluate_many
    from assay.evaluator import Evaluator
    from assay.gatereport import GateCheck, GateReport
    from assay.gating import gate
    from assay.io import Qrels, Run, match_texts, merge_subqueries, read_qrels, read_run
    from assay.labels import evaluate_labels
    from assay.live import Probe, probe
    from assay.notes import Note
    from assay.rag.evaluating import evaluate_rag
    from assay.rag.result import RagResult
    from assay.result import Result, load_result
    from assay.results import Results
    from assay.stats import Interval
    from assay.stats.pairs import Pair

# The module that each public name comes from.
_HOME = {
    "assay._kernel": ("__version__",),
    "assay.accounts": ("Audit",),
    "assay.answering": ("evaluate_answers",),
    "assay.answers": ("Answers", "semantic"),
    "assay.auditing": ("audit",),
    "assay.comparing": ("compare",),
    "assay.comparison": ("Comparison",),
    "assay.conventions": ("parse_measure",),
    "assay.core.convention": ("Policies",),
    "assay.core.errors": (
        "AssayError",
        "DataError",
        "DuplicateError",
        "FileError",
        "FormatError",
        "LossError",
        "MeasureError",
        "MismatchError",
        "PolicyError",
    ),
    "assay.core.judged": ("Hits", "Judged", "ratio"),
    "assay.core.measure": ("Cutoff", "Example", "Measure", "Rel", "measure", "remove_measure"),
    "assay.core.parameter": ("Bounds",),
    "assay.evaluation": ("evaluate", "evaluate_many"),
    "assay.evaluator": ("Evaluator",),
    "assay.gating": ("gate",),
    "assay.gatereport": ("GateCheck", "GateReport"),
    "assay.io": ("Qrels", "Run", "match_texts", "merge_subqueries", "read_qrels", "read_run"),
    "assay.labels": ("evaluate_labels",),
    "assay.live": ("Probe", "probe"),
    "assay.notes": ("Note",),
    "assay.rag.evaluating": ("evaluate_rag",),
    "assay.rag.result": ("RagResult",),
    "assay.result": ("Result", "load_result"),
    "assay.results": ("Results",),
    "assay.stats": ("Interval",),
    "assay.stats.pairs": ("Pair",),
}
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
    "Probe",
    "Qrels",
    "RagResult",
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
    "evaluate_rag",
    "gate",
    "load_result",
    "match_texts",
    "measure",
    "merge_subqueries",
    "parse_measure",
    "probe",
    "ratio",
    "read_qrels",
    "read_run",
    "remove_measure",
    "semantic",
]


# Packages with public names of their own.
_ROOMS = ("compat", "live")


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _ROOMS:
        return import_module(f"assay.{name}")
    for module, names in _HOME.items():
        if name in names:
            if name == "measure":
                # The names of the measures that come with assay are taken before a user's are.
                import_module("assay.answering")
            value: object = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
