"""assay measures how good search and RAG systems are.

Each name is imported when it is first used, so that `import assay` costs nothing.
"""

# Every public name, with the module it comes from.
_HOMES = {
    "Agreement": "assay.tasks.agree.result",
    "AssayError": "assay.core.errors",
    "Audit": "assay.tasks.audit.result",
    "Chart": "assay.render.charts.chart",
    "CheckReport": "assay.tasks.check.result",
    "Clicks": "assay.tasks.click.result",
    "Comparison": "assay.tasks.compare.result",
    "DataWarning": "assay.core.note",
    "Diff": "assay.tasks.compare.diff",
    "Evaluator": "assay.tasks.evaluate.api",
    "GateReport": "assay.tasks.gate.result",
    "Judge": "assay.tasks.judge.judge",
    "Measure": "assay.core.measure",
    "NextJudgments": "assay.tasks.next.result",
    "Note": "assay.core.note",
    "Policies": "assay.core.policies",
    "Probe": "assay.tasks.probe.result",
    "Qrels": "assay.data.qrels",
    "RagResult": "assay.tasks.rag.result",
    "Result": "assay.results.result",
    "Results": "assay.results.results",
    "Run": "assay.data.run",
    "Votes": "assay.tasks.vote.result",
    "__version__": "assay._kernel",
    "agree": "assay.tasks.agree.api",
    "audit": "assay.tasks.audit.api",
    "check": "assay.tasks.check.api",
    "clicks": "assay.tasks.click.api",
    "compare": "assay.tasks.compare.api",
    "diff": "assay.tasks.compare.diff",
    "evaluate": "assay.tasks.evaluate.api",
    "evaluate_answers": "assay.tasks.evaluate.answers",
    "evaluate_labels": "assay.tasks.evaluate.labels",
    "evaluate_many": "assay.tasks.evaluate.api",
    "evaluate_rag": "assay.tasks.rag.api",
    "explain": "assay.tasks.explain",
    "gate": "assay.tasks.gate.api",
    "limits": "assay.core.limits",
    "load_report": "assay.results.load",
    "load_result": "assay.results.load",
    "match_spans": "assay.data.chunks.derived",
    "match_texts": "assay.data.chunks.derived",
    "next_judgments": "assay.tasks.next.api",
    "parse_measure": "assay.conventions",
    "plot": "assay.tasks.plot.api",
    "probe": "assay.tasks.probe.api",
    "read_data": "assay.data.recognise",
    "read_qrels": "assay.data.qrels",
    "read_run": "assay.data.run",
    "votes": "assay.tasks.vote.api",
}
# Modules with public names of their own.
_ROOMS = ("compat", "errors", "extend", "judges", "live", "spark", "terminal")
# Where the public classes and functions are defined, for those that are imported.
_DEFINED_IN: dict[str, str] = {}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - a list

# The same for type checkers and editors; a test holds the two equal. Importing `typing` would cost more than all else.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from assay import compat as compat
    from assay import errors as errors
    from assay import extend as extend
    from assay import judges as judges
    from assay import live as live
    from assay import spark as spark
    from assay import terminal as terminal
    from assay._kernel import __version__ as __version__
    from assay.conventions import parse_measure as parse_measure
    from assay.core.errors import AssayError as AssayError
    from assay.core.limits import limits as limits
    from assay.core.measure import Measure as Measure
    from assay.core.note import DataWarning as DataWarning
    from assay.core.note import Note as Note
    from assay.core.policies import Policies as Policies
    from assay.data.chunks.derived import match_spans as match_spans
    from assay.data.chunks.derived import match_texts as match_texts
    from assay.data.qrels import Qrels as Qrels
    from assay.data.qrels import read_qrels as read_qrels
    from assay.data.recognise import read_data as read_data
    from assay.data.run import Run as Run
    from assay.data.run import read_run as read_run
    from assay.render.charts.chart import Chart as Chart
    from assay.results.load import load_report as load_report
    from assay.results.load import load_result as load_result
    from assay.results.result import Result as Result
    from assay.results.results import Results as Results
    from assay.tasks.agree.api import agree as agree
    from assay.tasks.agree.result import Agreement as Agreement
    from assay.tasks.audit.api import audit as audit
    from assay.tasks.audit.result import Audit as Audit
    from assay.tasks.check.api import check as check
    from assay.tasks.check.result import CheckReport as CheckReport
    from assay.tasks.click.api import clicks as clicks
    from assay.tasks.click.result import Clicks as Clicks
    from assay.tasks.compare.api import compare as compare
    from assay.tasks.compare.diff import Diff as Diff
    from assay.tasks.compare.diff import diff as diff
    from assay.tasks.compare.result import Comparison as Comparison
    from assay.tasks.evaluate.answers import evaluate_answers as evaluate_answers
    from assay.tasks.evaluate.api import Evaluator as Evaluator
    from assay.tasks.evaluate.api import evaluate as evaluate
    from assay.tasks.evaluate.api import evaluate_many as evaluate_many
    from assay.tasks.evaluate.labels import evaluate_labels as evaluate_labels
    from assay.tasks.explain import explain as explain
    from assay.tasks.gate.api import gate as gate
    from assay.tasks.gate.result import GateReport as GateReport
    from assay.tasks.judge.judge import Judge as Judge
    from assay.tasks.next.api import next_judgments as next_judgments
    from assay.tasks.next.result import NextJudgments as NextJudgments
    from assay.tasks.plot.api import plot as plot
    from assay.tasks.probe.api import probe as probe
    from assay.tasks.probe.result import Probe as Probe
    from assay.tasks.rag.api import evaluate_rag as evaluate_rag
    from assay.tasks.rag.result import RagResult as RagResult
    from assay.tasks.vote.api import votes as votes
    from assay.tasks.vote.result import Votes as Votes

del TYPE_CHECKING


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _ROOMS:
        return import_module(f"assay.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    _adopt()
    globals()[name] = value
    return value


def _adopt() -> None:
    """Public classes and functions belong to `assay`: pickles and messages do not name the module that defines them."""
    from sys import modules

    for name, home in _HOMES.items():
        value = vars(modules[home]).get(name) if home in modules else None
        defined_in = getattr(value, "__module__", "")
        if name not in _DEFINED_IN and hasattr(value, "__qualname__") and defined_in.startswith("assay."):
            _DEFINED_IN[name] = defined_in
            value.__module__ = __name__


def __dir__() -> list[str]:
    return sorted([*_HOMES, *_ROOMS])
