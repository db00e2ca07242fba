"""assay measures how good search and RAG systems are.

Each name is imported when it is first used, so that `import assay` costs nothing.
"""

# Every public name, with the module it comes from.
_HOMES = {
    "Agreement": "assay.tasks.agree.result",
    "Answers": "assay.measures.answers",
    "AssayError": "assay.core.errors",
    "Audit": "assay.tasks.audit.result",
    "Bounds": "assay.core.parameter",
    "Chart": "assay.render.charts.chart",
    "CheckReport": "assay.tasks.check.result",
    "Clicks": "assay.tasks.click.result",
    "Comparison": "assay.tasks.compare.result",
    "Cutoff": "assay.core.measure",
    "DataError": "assay.core.errors",
    "DataWarning": "assay.core.note",
    "DuplicateError": "assay.core.errors",
    "Evaluator": "assay.tasks.evaluate.evaluator",
    "Example": "assay.core.measure",
    "FileError": "assay.core.errors",
    "Finding": "assay.core.ruling",
    "FormatError": "assay.core.errors",
    "GateCheck": "assay.tasks.gate.result",
    "GateReport": "assay.tasks.gate.result",
    "Hits": "assay.core.judged",
    "Interval": "assay.stats",
    "Judge": "assay.tasks.judge.judge",
    "Judged": "assay.core.judged",
    "LimitError": "assay.core.errors",
    "LossError": "assay.core.errors",
    "Measure": "assay.core.measure",
    "MeasureError": "assay.core.errors",
    "MismatchError": "assay.core.errors",
    "NextJudgments": "assay.tasks.pool.result",
    "Note": "assay.core.note",
    "Pair": "assay.stats.pairs",
    "Policies": "assay.core.policies",
    "PolicyError": "assay.core.errors",
    "Probe": "assay.tasks.probe.result",
    "Prompt": "assay.core.prompt",
    "Qrels": "assay.data.qrels",
    "RagResult": "assay.tasks.rag.result",
    "Rel": "assay.core.measure",
    "Result": "assay.results.result",
    "Results": "assay.results.results",
    "Run": "assay.data.run",
    "Scale": "assay.core.prompt",
    "Verdict": "assay.core.ruling",
    "Votes": "assay.tasks.vote.result",
    "WorstQueries": "assay.tasks.compare.worst",
    "__version__": "assay._kernel",
    "agreement": "assay.tasks.agree.api",
    "audit": "assay.tasks.audit.api",
    "check": "assay.tasks.check.api",
    "clicks": "assay.tasks.click.api",
    "compare": "assay.tasks.compare.api",
    "evaluate": "assay.tasks.evaluate.api",
    "evaluate_answers": "assay.tasks.evaluate.answers",
    "evaluate_labels": "assay.tasks.evaluate.labels",
    "evaluate_many": "assay.tasks.evaluate.api",
    "evaluate_rag": "assay.tasks.rag.api",
    "gate": "assay.tasks.gate.api",
    "judge_relevance": "assay.tasks.judge.relevance",
    "limits": "assay.core.limits",
    "load_report": "assay.results.stored",
    "load_result": "assay.results.stored",
    "make_questions": "assay.tasks.judge.questions",
    "match_spans": "assay.data.derived",
    "match_texts": "assay.data.derived",
    "measure": "assay.measures",
    "merge_subqueries": "assay.data.subqueries",
    "next_judgments": "assay.tasks.pool.api",
    "pairwise": "assay.tasks.judge.pairwise",
    "parse_measure": "assay.conventions",
    "plot": "assay.tasks.plot.api",
    "probe": "assay.tasks.probe.api",
    "ratio": "assay.core.judged",
    "read_criteria": "assay.tasks.judge.criteria",
    "read_qrels": "assay.data.qrels",
    "read_run": "assay.data.run",
    "remove_measure": "assay.measures",
    "rogan_gladen": "assay.stats.anchored",
    "score": "assay.measures.scores",
    "semantic": "assay.measures.answers",
    "votes": "assay.tasks.vote.api",
    "worst_queries": "assay.tasks.compare.worst",
}
# Packages with public names of their own.
_ROOMS = {"compat": "assay.compat", "live": "assay.live"}
# Where the public classes and functions are defined, for those that are imported.
_DEFINED_IN: dict[str, str] = {}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - a list

# The same for type checkers and editors; a test holds the two equal. Importing `typing` would cost more than all else.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from assay._kernel import __version__ as __version__
    from assay.conventions import parse_measure as parse_measure
    from assay.core.errors import AssayError as AssayError
    from assay.core.errors import DataError as DataError
    from assay.core.errors import DuplicateError as DuplicateError
    from assay.core.errors import FileError as FileError
    from assay.core.errors import FormatError as FormatError
    from assay.core.errors import LimitError as LimitError
    from assay.core.errors import LossError as LossError
    from assay.core.errors import MeasureError as MeasureError
    from assay.core.errors import MismatchError as MismatchError
    from assay.core.errors import PolicyError as PolicyError
    from assay.core.judged import Hits as Hits
    from assay.core.judged import Judged as Judged
    from assay.core.judged import ratio as ratio
    from assay.core.limits import limits as limits
    from assay.core.measure import Cutoff as Cutoff
    from assay.core.measure import Example as Example
    from assay.core.measure import Measure as Measure
    from assay.core.measure import Rel as Rel
    from assay.core.note import DataWarning as DataWarning
    from assay.core.note import Note as Note
    from assay.core.parameter import Bounds as Bounds
    from assay.core.policies import Policies as Policies
    from assay.core.prompt import Prompt as Prompt
    from assay.core.prompt import Scale as Scale
    from assay.core.ruling import Finding as Finding
    from assay.core.ruling import Verdict as Verdict
    from assay.data.derived import match_spans as match_spans
    from assay.data.derived import match_texts as match_texts
    from assay.data.qrels import Qrels as Qrels
    from assay.data.qrels import read_qrels as read_qrels
    from assay.data.run import Run as Run
    from assay.data.run import read_run as read_run
    from assay.data.subqueries import merge_subqueries as merge_subqueries
    from assay.measures import measure as measure
    from assay.measures import remove_measure as remove_measure
    from assay.measures.answers import Answers as Answers
    from assay.measures.answers import semantic as semantic
    from assay.measures.scores import score as score
    from assay.render.charts.chart import Chart as Chart
    from assay.results.result import Result as Result
    from assay.results.results import Results as Results
    from assay.results.stored import load_report as load_report
    from assay.results.stored import load_result as load_result
    from assay.stats import Interval as Interval
    from assay.stats.anchored import rogan_gladen as rogan_gladen
    from assay.stats.pairs import Pair as Pair
    from assay.tasks.agree.api import agreement as agreement
    from assay.tasks.agree.result import Agreement as Agreement
    from assay.tasks.audit.api import audit as audit
    from assay.tasks.audit.result import Audit as Audit
    from assay.tasks.check.api import check as check
    from assay.tasks.check.result import CheckReport as CheckReport
    from assay.tasks.click.api import clicks as clicks
    from assay.tasks.click.result import Clicks as Clicks
    from assay.tasks.compare.api import compare as compare
    from assay.tasks.compare.result import Comparison as Comparison
    from assay.tasks.compare.worst import WorstQueries as WorstQueries
    from assay.tasks.compare.worst import worst_queries as worst_queries
    from assay.tasks.evaluate.answers import evaluate_answers as evaluate_answers
    from assay.tasks.evaluate.api import evaluate as evaluate
    from assay.tasks.evaluate.api import evaluate_many as evaluate_many
    from assay.tasks.evaluate.evaluator import Evaluator as Evaluator
    from assay.tasks.evaluate.labels import evaluate_labels as evaluate_labels
    from assay.tasks.gate.api import gate as gate
    from assay.tasks.gate.result import GateCheck as GateCheck
    from assay.tasks.gate.result import GateReport as GateReport
    from assay.tasks.judge.criteria import read_criteria as read_criteria
    from assay.tasks.judge.judge import Judge as Judge
    from assay.tasks.judge.pairwise import pairwise as pairwise
    from assay.tasks.judge.questions import make_questions as make_questions
    from assay.tasks.judge.relevance import judge_relevance as judge_relevance
    from assay.tasks.plot.api import plot as plot
    from assay.tasks.pool.api import next_judgments as next_judgments
    from assay.tasks.pool.result import NextJudgments as NextJudgments
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
        return import_module(_ROOMS[name])
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
