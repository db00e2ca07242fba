"""assay measures how good search and RAG systems are.

Each name is imported when it is first used, so that `import assay` costs nothing.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from assay._kernel import __version__
    from assay.conventions import parse_measure
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
    from assay.core.measure import Cutoff, Example, Measure, Rel
    from assay.core.note import Note
    from assay.core.parameter import Bounds
    from assay.core.policies import Policies
    from assay.data import Qrels, Run, match_texts, merge_subqueries, read_qrels, read_run
    from assay.measures import measure, remove_measure
    from assay.measures.answers import Answers, semantic
    from assay.results.result import Result
    from assay.results.results import Results
    from assay.results.stored import load_result
    from assay.stats import Interval
    from assay.stats.pairs import Pair
    from assay.tasks.audit.api import audit
    from assay.tasks.audit.result import Audit
    from assay.tasks.check.api import check
    from assay.tasks.check.result import CheckReport
    from assay.tasks.compare.api import compare
    from assay.tasks.compare.result import Comparison
    from assay.tasks.evaluate.answers import evaluate_answers
    from assay.tasks.evaluate.api import Evaluator, evaluate, evaluate_many
    from assay.tasks.evaluate.labels import evaluate_labels
    from assay.tasks.gate.api import gate
    from assay.tasks.gate.result import GateCheck, GateReport
    from assay.tasks.probe import Probe, probe
    from assay.tasks.rag.api import evaluate_rag
    from assay.tasks.rag.result import RagResult

# The module that each public name comes from.
_HOME = {
    "assay._kernel": ("__version__",),
    "assay.tasks.audit.result": ("Audit",),
    "assay.tasks.evaluate.answers": ("evaluate_answers",),
    "assay.measures.answers": ("Answers", "semantic"),
    "assay.tasks.audit.api": ("audit",),
    "assay.tasks.check.api": ("check",),
    "assay.tasks.check.result": ("CheckReport",),
    "assay.tasks.compare.api": ("compare",),
    "assay.tasks.compare.result": ("Comparison",),
    "assay.conventions": ("parse_measure",),
    "assay.core.policies": ("Policies",),
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
    "assay.core.measure": ("Cutoff", "Example", "Measure", "Rel"),
    "assay.core.note": ("Note",),
    "assay.measures": ("measure", "remove_measure"),
    "assay.core.parameter": ("Bounds",),
    "assay.tasks.evaluate.api": ("Evaluator", "evaluate", "evaluate_many"),
    "assay.tasks.gate.api": ("gate",),
    "assay.tasks.gate.result": ("GateCheck", "GateReport"),
    "assay.data": ("Qrels", "Run", "match_texts", "merge_subqueries", "read_qrels", "read_run"),
    "assay.tasks.evaluate.labels": ("evaluate_labels",),
    "assay.tasks.probe": ("Probe", "probe"),
    "assay.tasks.rag.api": ("evaluate_rag",),
    "assay.tasks.rag.result": ("RagResult",),
    "assay.results.result": ("Result",),
    "assay.results.results": ("Results",),
    "assay.results.stored": ("load_result",),
    "assay.stats": ("Interval",),
    "assay.stats.pairs": ("Pair",),
}
__all__ = [
    "Answers",
    "AssayError",
    "Audit",
    "Bounds",
    "CheckReport",
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
    "check",
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
_ROOMS = {"compat": "assay.compat", "live": "assay.tasks.probe"}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _ROOMS:
        return import_module(_ROOMS[name])
    for module, names in _HOME.items():
        if name in names:
            value: object = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
