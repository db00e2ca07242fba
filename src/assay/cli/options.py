"""Options that several commands share, and what they mean: measures, formats, policies, and files to load."""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.terminal import PolicyOption, check_target, source_of, watched
from assay.conventions import CONVENTIONS, split_measures
from assay.core.errors import AssayError, FileError
from assay.core.policies import CHOICES, Policies, policy_help
from assay.core.text import show
from assay.data.formats import NAMES as FILE_FORMATS
from assay.data.qrels import Qrels
from assay.render import render
from assay.tasks.evaluate.scorer import Scorer, make_scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

    from assay.render import Exports, Table

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex", "html")
# The formats that the name of a file says.
ENDINGS = {
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".txt": "table",
}
# What can be set for a table to publish, and in which formats.
STYLES = {"digits": ("markdown", "latex"), "caption": ("markdown", "latex"), "label": ("latex",)}
# These formats hold nothing but rows; notes go to standard error.
BARE = ("tsv", "csv")


class FiniteType(click.types.FloatParamType):
    """A number, neither infinite nor NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - click's signature
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


FINITE = FiniteType()
KINDS: dict[str, click.ParamType[Any]] = {
    **{name: click.Choice(choices) for name, choices in CHOICES.items()},
    "depth": click.IntRange(min=1),
    "rel": click.FLOAT,
}
DOC_ID_HELP = r"""Rule that turns ids of chunks into ids of documents: before:# or before_last:_ (the id up to the first
or last separator), after:/ or after_last:/, regex:^(.+)-\d+$ (with one group), or a field, such as metadata.source."""

format_choice = click.Choice(FILE_FORMATS)
convention_option = click.option(
    "--convention",
    type=click.Choice(list(CONVENTIONS)),
    default="assay",
    show_default=True,
    help="Compute like this tool: its names for measures, and its policies.",
)
qrels_format_option = click.option(
    "--qrels-format", type=format_choice, help="Format of QRELS, if it cannot be inferred."
)
run_format_option = click.option("--run-format", type=format_choice, help="Format of RUN, if it cannot be inferred.")
threads_option = click.option("--threads", type=click.IntRange(min=1), help="Threads to read with.  [default: all]")
load_option = click.option(
    "--load",
    "files",
    multiple=True,
    metavar="FILE.py",
    help="Python file to run first (repeatable): measures it defines with @assay.measure, or for rag with @assay.score,"
    " can then be used.",
)


queries_option = click.option(
    "--queries",
    metavar="FILE",
    help="Questions by query id (JSON Lines, JSON, CSV, TSV, Parquet), to show with a query.",
)
corpus_option = click.option(
    "--corpus", metavar="FILE", help="Passages by document id, to show the first line of each document that is named."
)


def human_option(what: str) -> Decorator:
    """`--human`."""
    help_ = f"{what} of a random part of the queries: means, intervals and differences are then prediction-powered."
    return click.option("--human", metavar="FILE", help=help_)


def texts_given(queries: str | None, corpus: str | None) -> dict[str, Any]:
    """The questions and passages to show, as `queries` and `corpus` of the library."""
    files = {"queries": queries, "corpus": corpus}
    return {name: None if file is None else source_of(file) for name, file in files.items()}


def measure_options(defaults: Iterable[str]) -> Decorator:
    """`-m`, repeatable."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help=f"Measure (repeatable; or several with commas, as in ndcg@10,rr).  [default: {' '.join(defaults)}]",
    )


def split_names(measures: tuple[str, ...]) -> list[str]:
    """The names in all options."""
    return [name for each in measures for name in split_measures(each)]


def output_format_option(formats: Sequence[str]) -> Decorator:
    """`--format`; the first format is the default."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Format of the output.",
    )


class OutputFormat(str):  # noqa: SLOT000 - `style` is in its dict
    """The name of a format, with the digits, the caption and the label to use in it, where they were set."""

    style: dict[str, Any]

    @classmethod
    def of(cls, name: str, style: dict[str, Any]) -> OutputFormat:
        """The format; an error if something was set that it does not have."""
        for option, formats in STYLES.items():
            if option in style and name not in formats:
                raise click.UsageError(f"--{option} is for {' and '.join(formats)}; add --format {formats[-1]}")
        made = cls(name)
        made.style = style
        return made

    def render(self, table: Table) -> str:
        """A table in this format."""
        return render(table.styled(**self.style), self)


def output_options(command: Callable[..., Any], formats: Sequence[str] = FORMATS) -> Callable[..., Any]:
    """The format of the output, how it looks, and where it goes; a command gets `format_` and `output`."""

    @wraps(command)
    def chosen(*args: Any, format_: str | None, output: str | None, **options: Any) -> Any:  # noqa: ANN401 - click's
        style = given({name: options.pop(name) for name in STYLES})
        name = choose_format(format_, output, formats)
        check_target(output)
        return command(*args, format_=OutputFormat.of(name, style), output=output, **options)

    help_ = f"Format of the output.  [default: as FILE is named, or {formats[0]}]"
    where = "Write to FILE, whole or not at all; its name says the format: .json, .csv, .tsv, .md, .tex, .html, .txt."
    settings = (
        click.option("--format", "format_", type=click.Choice(formats), help=help_),
        click.option("-o", "--output", metavar="FILE", help=where),
        click.option("--digits", type=click.IntRange(0, 17), help="Digits after the point, in Markdown and LaTeX."),
        click.option("--caption", metavar="TEXT", help="Caption of the table, in Markdown and LaTeX."),
        click.option("--label", metavar="NAME", help="Label of the table in LaTeX, such as tab:main."),
    )
    return stacked(chosen, settings)


def choose_format(format_: str | None, output: str | None, formats: Sequence[str]) -> str:
    """The format that was named, or that the name of the file says, or else the first."""
    ending = Path(output or "").suffix.lower()
    if format_ is not None or not ending:
        return format_ or formats[0]
    if ending not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise click.UsageError(f"unknown ending {ending!r} of {output}; use one of {known}, or set --format")
    return formats[0] if ENDINGS[ending] == "table" else ENDINGS[ending]


def format_result(result: Exports, format_: str) -> str:
    """A result in one of these formats."""
    if format_ in ("table", "text"):
        return f"{result}\n"
    style = getattr(format_, "style", {})
    text: str = getattr(result, f"to_{format_}")(**style)
    return text


slice_option = click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="FIELD",
    help="Field of the questions that divides them in the report, such as language (repeatable); length needs none.",
)


def report_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--report`."""
    help_ = (
        "Write a self-contained HTML page too, down to each query; compare, diff and gate take it in place of a run."
    )
    return click.option("--report", metavar="FILE", callback=check_page, help=help_)(command)


def check_page(_: click.Context, __: click.Parameter, target: str | None) -> str | None:
    """Raises if a report cannot be written, before any long work is done for nothing."""
    check_target(target)
    if target is not None:
        from assay.report.page import check_name

        check_name(target)
    return target


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How files are read."""
    return stacked(command, (qrels_format_option, run_format_option, threads_option))


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """One option per policy but `doc_id`, which has its own; those that are not given are None."""
    options = []
    for name in Policies.__slots__:
        if name == "doc_id":
            continue
        kind: dict[str, Any] = {"type": KINDS[name]} if name in KINDS else {"is_flag": True, "default": None}
        if name in KINDS and name not in CHOICES:
            kind["metavar"] = "N"
        # The help of a choice begins with its first value, as it is typed.
        help_ = policy_help(name) if name in CHOICES else capital(policy_help(name))
        flag = "--" + name.replace("_", "-")
        options.append(click.option(flag, name, cls=PolicyOption, help=f"{help_}.", **kind))
    return stacked(command, options)


def doc_id_option(*names: str) -> Decorator:
    """`--doc-id`, and other names of it."""
    return click.option("--doc-id", *names, "doc_id", metavar="RULE", help=" ".join(DOC_ID_HELP.split()))


def stacked(command: Callable[..., Any], options: Iterable[Decorator]) -> Callable[..., Any]:
    """The command with these options, in this order."""
    for option in reversed(list(options)):
        command = option(command)
    return command


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def given(policies: dict[str, Any]) -> dict[str, Any]:
    """The policies that were set on the command line."""
    return {name: value for name, value in policies.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """How runs are read and scored: what `scoring_options` gives to a command as `scoring`."""

    convention: str
    qrels_format: str | None
    run_format: str | None
    threads: int | None
    files: tuple[str, ...]
    policies: dict[str, Any]

    def load_qrels(self, qrels: str) -> Qrels:
        """The judgments; how duplicates count is left to each measure."""
        with watched(qrels):
            return Qrels(source_of(qrels), format=self.qrels_format, duplicates=None)

    @property
    def given(self) -> dict[str, Any]:
        """The options that say how a run is scored, where they were set."""
        named = {"--convention": None if self.convention == "assay" else self.convention, "--threads": self.threads}
        flags = {"--" + name.replace("_", "-"): value for name, value in self.policies.items()}
        return given({**named, "--run-format": self.run_format, "--qrels-format": self.qrels_format, **flags})

    def maker(self, qrels: str | None, top: int = 0) -> Callable[[Any], Scorer]:
        """What makes a scorer of these judgments for some measures; an error if it is needed without judgments.

        The scorer keeps the first `top` documents of each ranking.
        """

        def make(measures: Any) -> Scorer:  # noqa: ANN401 - names of measures
            if qrels is None:
                raise click.UsageError("a run needs judgments: QRELS comes first, unless every RUN is a stored result")
            return self.make_scorer(qrels, measures, top)

        return make

    def make_scorer(self, qrels: str | Qrels, measures: Iterable[str], top: int = 0) -> Scorer:
        """A scorer for judgments or their file."""
        judgments = self.load_qrels(qrels) if isinstance(qrels, str) else qrels
        how: dict[str, Any] = {"convention": self.convention, "threads": self.threads, "top": top}
        return make_scorer(judgments, measures, **how, **self.policies)


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that decide how runs are read and scored, handed over as one."""

    @wraps(command)
    def bundled(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - click's
        taken = {name: options.pop(name) for name in ScoringOptions.__slots__ if name != "policies"}
        policies = given({name: options.pop(name) for name in Policies.__slots__})
        return command(*args, scoring=ScoringOptions(**taken, policies=policies), **options)

    return stacked(bundled, (convention_option, doc_id_option(), reading_options, load_option, policy_options))


@contextmanager
def loaded(files: tuple[str, ...]) -> Iterator[list[ModuleType]]:
    """Runs the files as modules. An error in their code, then or later, becomes a message with the line."""
    modules = []
    paths = [str(Path(file).resolve()) for file in files]
    for file, path in zip(files, paths, strict=True):
        if not Path(path).is_file():
            raise FileError(f"file {show(file)} not found; nothing to load")
        if not path.endswith(".py"):
            raise FileError(f"{show(file)} is not a Python file; its name must end in .py")
        try:
            modules.append(run_file(path))
        except AssayError:
            raise
        except (Exception, SystemExit) as error:
            raise AssayError(complaint(error, path, line_in(error, path))) from error
    try:
        yield modules
    except (AssayError, OSError):
        raise
    except Exception as error:
        for path in paths:
            if line := line_in(error, path):
                raise AssayError(complaint(error, path, line)) from error
        raise


def run_file(path: str) -> ModuleType:
    """Runs a file as a module that can import from its own folder."""
    from importlib.machinery import ModuleSpec, SourceFileLoader
    from importlib.util import module_from_spec

    name = f"assay_loaded_{Path(path).stem}"
    loader = SourceFileLoader(name, path)
    spec = ModuleSpec(name, loader, origin=path)
    spec.has_location = True
    module = module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(Path(path).parent))
    loader.exec_module(module)
    return module


def line_in(error: BaseException, path: str) -> int | None:
    """The line of the file that raised an error; None if another file did."""
    from traceback import extract_tb

    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else None


def complaint(error: BaseException, path: str, line: int | None) -> str:
    where = f", line {line}" if line else ""
    what = error.msg if isinstance(error, SyntaxError) else error
    return f"{path}{where}: {type(error).__name__}: {what}"
