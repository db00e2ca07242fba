"""Options that several commands share: measures, formats, policies, texts, and where the output goes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay import AssayError, Qrels, Run
from assay.cli.settings import Setting, SettingsOption, policy_option, whole
from assay.cli.terminal import check_target, emit, say, say_loudly, say_notes, source_of, watched
from assay.core.text import count
from assay.render import render
from assay.render.narrow import terminal_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from assay.cli.settings import Decorator
    from assay.render import Exports, Table

CONVENTIONS = [
    "assay",
    "trec_eval",
    "trec_eval_9",
    "ranx",
    "ir_measures",
    "beir",
    "mteb",
    "autorag",
    "llama_index",
    "haystack",
    "ragas",
    "gdeval",
    "sklearn",
]
TESTS = ("randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey", "tukey_randomized")
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
INPUTS = ("qrels", "run")


def stacked(command: Callable[..., Any], options: Iterable[Decorator]) -> Callable[..., Any]:
    """The command with these options, in this order."""
    for option in reversed(list(options)):
        command = option(command)
    return command


def given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were set on the command line."""
    return {name: value for name, value in options.items() if value is not None}


# -- what is measured, and how --------------------------------------------------------------------------------------


def measure_options(defaults: Iterable[str]) -> Decorator:
    """`-m`, repeatable; the command gets the names as one text, or None."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        callback=lambda _, __, names: ",".join(names) if names else None,
        help=f"Measure (repeatable; or several with commas, as in ndcg@10,rr).  [default: {' '.join(defaults)}]",
    )


def read_formats(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """`qrels=FORMAT` and `run=FORMAT`."""
    found: dict[str, str] = {}
    for value in values:
        name, format_ = value.partition("=")[::2]
        if name not in INPUTS or not format_:
            raise click.BadParameter(f"{value!r} does not say of which file; write qrels=FORMAT or run=FORMAT")
        if name in found:
            raise click.BadParameter(f"{name} is set twice")
        found[name] = format_
    return found


convention_option = click.option(
    "--convention",
    type=click.Choice(CONVENTIONS),
    metavar="TOOL",
    help=f"Compute like this tool, with its names for measures and its policies: {', '.join(CONVENTIONS)}."
    "  [default: assay]",
)
from_option = click.option(
    "--from",
    "formats",
    multiple=True,
    metavar="qrels|run=FORMAT",
    callback=read_formats,
    help="Format of QRELS or of the runs, if it cannot be inferred (repeatable): trec, json, jsonl, csv, tsv, beir or "
    "parquet, as in run=csv.",
)
load_option = click.option(
    "--load",
    "files",
    multiple=True,
    metavar="FILE.py",
    help="Python file to run first, with measures of your own (repeatable). They are defined with "
    "@assay.extend.measure, or for rag with @assay.extend.score.",
)
queries_option = click.option(
    "--queries",
    metavar="FILE",
    help="Questions by query id, to show with a query: JSON Lines, JSON, CSV, TSV or Parquet.",
)
corpus_option = click.option(
    "--corpus", metavar="FILE", help="Passages by document id, to show the first line of each document."
)
human_option = click.option(
    "--human",
    metavar="FILE",
    help="Labels by people for a random sample of the queries. Means, intervals and differences are then "
    "prediction-powered.",
)


def read_columns(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """`--column PART=NAME`, repeatable."""
    pairs = [value.partition("=") for value in values]
    if wrong := [value for value, (part, _, name) in zip(values, pairs, strict=True) if not part or not name]:
        raise click.BadParameter(f"{wrong[0]!r} is not of the form PART=NAME, such as answer=my_answer")
    return {part: name for part, _, name in pairs}


column_option = click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="PART=NAME",
    callback=read_columns,
    help="Column or field that holds a part of the data, if its name is not a usual one, as in score=points "
    "(repeatable).",
)

between_option = click.option(
    "--between",
    nargs=2,
    metavar="RUN RUN",
    help="The two runs to compare, if there are more.  [default: the first and the last]",
)
pool_option = click.option(
    "--pool",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Documents of each run to judge, from the top.",
)


def texts_given(queries: str | None, corpus: str | None) -> dict[str, Any]:
    """The questions and passages to show, as `queries` and `corpus` of the library."""
    return {"queries": source_of(queries), "corpus": source_of(corpus)}


@dataclass(frozen=True, slots=True)
class Scoring:
    """How files are read and runs scored: what `scoring_options` gives to a command as `scoring`.

    `how` is for the public function that is called: the convention and the policies, where they were set.
    """

    how: dict[str, Any]
    formats: dict[str, str]
    files: tuple[str, ...] = ()

    @property
    def run_format(self) -> str | None:
        """The format of the runs; None to infer it."""
        return self.formats.get("run")

    @property
    def reading(self) -> dict[str, Any]:
        """The same with the format of the runs."""
        return {**self.how, **given({"format": self.run_format})}

    def qrels(self, path: str, duplicates: str | None = None) -> Qrels:
        """The judgments; how duplicates count is left to each measure."""
        with watched(path):
            return Qrels(source_of(path), format=self.formats.get("qrels"), duplicates=duplicates)

    def qrels_or_path(self, path: str) -> object:
        """The judgments if their format is set, else their file, which may also hold something else."""
        return self.qrels(path) if "qrels" in self.formats else source_of(path)

    def run_or_path(self, path: str) -> object:
        """The run if its format is set, else its file."""
        return Run(source_of(path), format=self.run_format) if "run" in self.formats else source_of(path)


def scoring_options(*extra: Setting, only: tuple[str, ...] | None = None) -> Decorator:
    """The options that decide how runs are read and scored, handed over as one; `extra` and `only` are policies."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def bundled(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - click's
            convention, policies, formats, files = map(options.pop, ("convention", "policies", "formats", "files"))
            how = {**given({"convention": convention}), **policies}
            return command(*args, scoring=Scoring(how, formats, files), **options)

        return stacked(bundled, (convention_option, policy_option(*extra, only=only), from_option, load_option))

    return decorate


def testing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--baseline` and `--test`."""
    return stacked(
        command,
        (
            click.option("--baseline", metavar="NAME", help="Compare every run with this one: its name, or its file."),
            click.option(
                "--test",
                type=click.Choice(TESTS),
                metavar="TEST",
                default=TESTS[0],
                show_default=True,
                help=f"Significance test: {', '.join(TESTS)}.",
            ),
        ),
    )


# -- the output -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Output:
    """Where the output goes and in which format: what `output_options` gives to a command as `out`."""

    format: str
    target: str | None
    style: dict[str, Any]

    @property
    def is_bare(self) -> bool:
        """Whether the format has no place for notes."""
        return self.format in BARE

    def render(self, table: Table) -> str:
        """A table in this format."""
        return render(table.styled(**self.style), self.format)

    def write(self, text: str) -> None:
        """Prints the text, or writes it to the file."""
        emit(text, self.target, self.format)

    def text_of(self, result: Any, **shown: Any) -> str:  # noqa: ANN401 - a result of any task
        """A result in this format; a table is no wider than the terminal that it is printed to."""
        if self.format in ("table", "text"):
            if not hasattr(result, "to_text"):
                return f"{result}\n"
            return f"{result.to_text(width=terminal_width() if self.target is None else None, **shown)}\n"
        how = shown if self.format == "markdown" else {name: shown[name] for name in ("sort",) if name in shown}
        how = how if self.format in ("markdown", "latex") else {}
        text: str = getattr(result, f"to_{self.format}")(**how, **self.style)
        return text

    def show(self, result: Exports, **shown: Any) -> None:  # noqa: ANN401 - how a result is shown
        """Prints a result: what is loud before it, and its other notes where the format has no place for them."""
        notes = tuple(getattr(result, "notes", ()))
        say_loudly(notes)
        self.write(self.text_of(result, **shown))
        say_notes(notes if self.is_bare else ())


STYLE_HELP = {
    "digits": "digits after the decimal point, in Markdown and LaTeX",
    "caption": "caption of the table, in Markdown and LaTeX",
    "label": "label of the table in LaTeX, such as tab:main",
}
READ_STYLE: dict[str, Callable[[str], Any]] = {"digits": whole, "caption": str, "label": str}
style_option = click.option(
    "--style",
    cls=SettingsOption,
    settings=tuple(Setting(name, READ_STYLE[name], text) for name, text in STYLE_HELP.items()),
    noun="style",
    title="Styles of a table to publish (--style NAME=VALUE)",
    help="Set how a table to publish looks, such as caption='Main results' (repeatable).",
)


def output_options(formats: Sequence[str] = FORMATS, *, styled: bool = False) -> Decorator:
    """`--format` and `-o`, and `--style` for tables that are published; the first format is the default."""
    help_ = f"Format of the output.  [default: from FILE's extension, or {formats[0]}]"
    where = "Write to FILE, atomically. The format is that of the extension: .json, .csv, .tsv, .md, .tex, .html, .txt."
    options = [
        click.option("--format", "format_", type=click.Choice(formats), help=help_),
        click.option("-o", "--output", metavar="FILE", help=where),
        *([style_option] if styled else []),
    ]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def chosen(*args: Any, format_: str | None, output: str | None, **options: Any) -> Any:  # noqa: ANN401 - click's
            style = options.pop("style", {})
            name = choose_format(format_, output, formats)
            for each in style:
                if name not in STYLES[each]:
                    raise click.UsageError(
                        f"--style {each} is for {' and '.join(STYLES[each])}; add --format {STYLES[each][-1]}"
                    )
            check_target(output)
            return command(*args, out=Output(name, output, style), **options)

        return stacked(chosen, options)

    return decorate


def choose_format(format_: str | None, output: str | None, formats: Sequence[str]) -> str:
    """The format that was named, or that the name of the file says, or else the first."""
    ending = Path(output or "").suffix.lower()
    if format_ is not None or not ending:
        return format_ or formats[0]
    if ending not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise click.UsageError(f"unknown extension {ending!r} of {output}; use one of {known}, or set --format")
    return formats[0] if ENDINGS[ending] == "table" else ENDINGS[ending]


def check_page(_: click.Context, __: click.Parameter, target: str | None) -> str | None:
    """Raises if a report cannot be written, before any long work is done for nothing."""
    check_target(target)
    if target is not None:
        from assay.report.page import check_name

        check_name(target)
    return target


report_option = click.option(
    "--report",
    metavar="FILE",
    callback=check_page,
    help="Also write a self-contained HTML page, down to each query. compare, diff and gate take it in place of a run.",
)
slice_option = click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="FIELD",
    help="Field of the questions by which the report divides them, such as language (repeatable). Any may be `length`.",
)


def check_save(_: click.Context, __: click.Parameter, target: str | None) -> str | None:
    """Raises if a file cannot be written, before any long work is done for nothing."""
    if target == "" or (target is not None and not Path(target).is_dir() and not is_folder(target)):
        check_target(target)
    return target


def is_folder(target: str) -> bool:
    """Whether a name is meant to be that of a folder: it ends in a slash, or has no ending."""
    return target.endswith("/") or not Path(target).suffix


save_option = click.option(
    "--save",
    metavar="FILE",
    callback=check_save,
    help="Store the result in a file that compare, diff and gate take in place of a run; several results in a folder.",
)


def save_results(results: Any, target: str | None) -> None:  # noqa: ANN401 - an `assay.Results`
    """Stores one result in a file, or several in a folder, if a target was named."""
    if target is None:
        return
    if len(results) == 1 and not Path(target).is_dir() and not target.endswith("/"):
        results[next(iter(results))].save(target)
        return
    if not Path(target).is_dir() and not is_folder(target):
        raise AssayError(f"{target!r} is a file, and there are several results; name a folder, such as results/")
    results.save(target)


def write_judgments(found: Any, output: str | None, format_: str | None, table: Exports | None) -> None:  # noqa: ANN401 - `assay.Votes` or `assay.Clicks`
    """Writes what people's votes or clicks became: judgments to a file, else the pairs, or another table of them."""
    if output is None:
        out = Output(format_ or FORMATS[0], None, {})
        out.write(out.text_of(found if table is None else table))
        say_notes(found.notes if out.is_bare or table is not None else ())
        return
    for name, value in {"--format": format_, "the table": table}.items():
        if value is not None:
            raise click.UsageError(f"{name} is for the terminal, and -o writes judgments; leave one of them out")
    found.write(output)
    say(f"wrote judgments to {output}: {count(len(found.qrels), 'query', 'queries')}, {count(len(found), 'judgment')}")
    say_notes(found.notes)


def title_option(default: str) -> Decorator:
    """`--title`."""
    return click.option("--title", metavar="TEXT", help=f"Title of the page.  [default: {default}]")
