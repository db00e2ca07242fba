"""Options that several commands share: what is measured and how, which files are read, and users' own measures."""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from assay import AssayError, Policies, Qrels, Run
from assay.cli.command import Checked, Decorator, Setting, SettingsOption, number, option, whole
from assay.errors import FileError
from assay.terminal import show, source_of, watched

# Written out, as the conventions take time to load.
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
MEASURES = ("ndcg@10", "ap", "rr@10", "recall@100")
RULES = (
    "the rule that turns ids of chunks into ids of documents: before:# or before_last:_ (the id up to the first or "
    r"last separator), after:/ or after_last:/, regex:^(.+)-\d+$ (with one group), or a field, such as metadata.source"
)
POLICIES = tuple(
    Setting(name, partial(Policies.read, name), RULES if name == "doc_id" else text, Policies.choices(name))
    for name, text in Policies.meanings().items()
)
CORRECTIONS = ("holm", "bonferroni", "bh", "by", "none")
SEED = Setting("seed", whole, "random seed; the same seed gives the same numbers (default 0)")
# How runs are tested against each other, apart from the test.
TESTING = (
    Setting("correction", str, "multiple-testing correction: holm (default), bonferroni, bh, by or none", CORRECTIONS),
    Setting(
        "family",
        str,
        "what to correct over: the pairs of each measure (measure, default) or of all measures together (all)",
        ("measure", "all"),
    ),
    Setting("alpha", number, "significance level (default 0.05)"),
    Setting("samples", whole, "random samples that the test draws (default: depends on the test)"),
    SEED,
)


def one_measure(help: str, default: str = "") -> Decorator:
    """The option of a command that is about one measure: a second one would be left out without a word."""

    def take(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> str | None:
        if len(names) > 1:
            raise click.BadParameter(f"this command is about one measure, got {len(names)}", ctx, param)
        return names[0] if names else default or None

    said = f"{help}  [default: {default}]" if default else help
    return option("-m --measure MEASURE", said, multiple=True, callback=take)


def stacked(command: Callable[..., Any], options: Iterable[Decorator]) -> Callable[..., Any]:
    """The command with these options, in this order."""
    for each in reversed(list(options)):
        command = each(command)
    return command


def given(**options: Checked) -> dict[str, Checked]:
    """The options that were set on the command line."""
    return {name: value for name, value in options.items() if value is not None}


def take_source(_: click.Context, __: click.Parameter, value: str | None) -> Checked:
    """The data that an option names, for the function that reads it."""
    return source_of(value)


def measure_options(defaults: Iterable[str] = MEASURES) -> Decorator:
    """`-m`, repeatable; the command gets the names as one text, or None."""
    return option(
        "-m --measure MEASURE",
        f"Measure (repeatable; or several with commas, as in ndcg@10,rr).  [default: {' '.join(defaults)}]",
        to="measures",
        callback=lambda _, __, names: ",".join(names) if names else None,
    )


def policy_option(*extra: Setting, only: Collection[str] | None = None) -> Decorator:
    """`--policy`: those of scoring, or `only` some of them, and what else a command's numbers depend on."""
    return option(
        "--policy NAME=VALUE",
        "Set a choice that the numbers depend on, such as ties=input (repeatable). `--help` lists all.",
        to="policies",
        cls=SettingsOption,
        settings=(*(each for each in POLICIES if only is None or each.name in only), *extra),
        noun="policy",
        title="Policies (--policy NAME=VALUE; default: those of the convention)",
    )


def read_formats(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """`qrels=FORMAT` and `run=FORMAT`."""
    found: dict[str, str] = {}
    for value in values:
        name, format_ = value.partition("=")[::2]
        if name not in ("qrels", "run") or not format_:
            raise click.BadParameter(f"{value!r} does not say of which file; write qrels=FORMAT or run=FORMAT")
        if name in found:
            raise click.BadParameter(f"{name} is set twice")
        found[name] = format_
    return found


def read_columns(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """`--column PART=NAME`, repeatable."""
    pairs = [value.partition("=") for value in values]
    if wrong := [value for value, (part, _, name) in zip(values, pairs, strict=True) if not part or not name]:
        raise click.BadParameter(f"{wrong[0]!r} is not of the form PART=NAME, such as answer=my_answer")
    return {part: name for part, _, name in pairs}


convention_option = option(
    "--convention TOOL",
    f"Compute like this tool, with its names for measures and its policies: {', '.join(CONVENTIONS)}."
    "  [default: assay]",
    type=click.Choice(CONVENTIONS),
)
from_option = option(
    "--from qrels|run=FORMAT",
    "Format of QRELS or of the runs, if it cannot be inferred (repeatable): trec, json, jsonl, csv, tsv, beir or "
    "parquet, as in run=csv.",
    to="formats",
    callback=read_formats,
)
load_option = option(
    "--load FILE.py",
    "Python file to run first, with measures of your own (repeatable). They are defined with "
    "@assay.extend.measure, or for rag with @assay.extend.score.",
    to="files",
)
texts_options: Decorator = partial(
    stacked,
    options=(
        option(
            "--queries FILE",
            "Texts of the queries, to show with each query: JSON Lines, JSON, CSV, TSV or Parquet.",
            callback=take_source,
        ),
        option(
            "--corpus FILE", "Texts of the documents, to show the first line of each document.", callback=take_source
        ),
    ),
)
human_option = option(
    "--human FILE",
    "Human labels for a random sample of queries. Means, intervals and differences are then prediction-powered.",
    callback=take_source,
)
column_option = option(
    "--column PART=NAME",
    "Column or field that holds a part of the data, if its name is unusual, as in score=points (repeatable).",
    to="columns",
    callback=read_columns,
)
between_option = option(
    "--between RUN RUN", "The two runs to compare, if there are more.  [default: the first and the last]", nargs=2
)
pool_option = option("--pool N", "Documents of each run to judge, from the top.", to="depth", least=1, default=20)
testing_options: Decorator = partial(
    stacked,
    options=(
        option("--baseline NAME", "Compare every run with this one, by name or file."),
        option("--test TEST", "Significance test", choices=TESTS),
    ),
)


@dataclass(frozen=True, slots=True)
class Scoring:
    """How files are read and runs scored: `how` is for the function that is called, `modules` are those of `--load`."""

    how: dict[str, Any]
    formats: dict[str, str]
    modules: list[ModuleType]

    @property
    def run_format(self) -> str | None:
        """The format of the runs; None to infer it."""
        return self.formats.get("run")

    @property
    def named_formats(self) -> dict[str, Any]:
        """The formats, as functions and settings name them."""
        return {f"{name}_format": format_ for name, format_ in self.formats.items()}

    @property
    def reading(self) -> dict[str, Any]:
        """The same with the format of the runs."""
        return {**self.how, **given(format=self.run_format)}

    def qrels(self, path: str, duplicates: str | None = None) -> Qrels:
        """The judgments; how duplicates count is left to each measure."""
        with watched(path):
            return Qrels(source_of(path), format=self.formats.get("qrels"), duplicates=duplicates)

    def run(self, path: str) -> Run:
        """A run in memory."""
        with watched(path):
            return Run(source_of(path), format=self.run_format)

    def qrels_or_path(self, path: str) -> object:
        """The judgments if their format is set, else their file, which may also hold something else."""
        return self.qrels(path) if "qrels" in self.formats else source_of(path)


def scoring_options(*extra: Setting, only: Collection[str] | None = None, without: Collection[str] = ()) -> Decorator:
    """The options of `Scoring`, `without` some; `extra` and `only` are policies. The files to load are run first."""
    options: dict[str, Decorator] = {
        "convention": convention_option,
        "policies": policy_option(*extra, only=only),
        "formats": from_option,
        "files": load_option,
    }

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def bundled(*args: Checked, **told: Checked) -> Checked:
            convention, policies, formats, files = (told.pop(name, None) for name in options)
            with loaded(files or ()) as modules:
                how = {**given(convention=convention), **policies}
                return command(*args, scoring=Scoring(how, formats or {}, modules), **told)

        return stacked(bundled, [each for name, each in options.items() if name not in without])

    return decorate


@contextmanager
def loaded(files: Sequence[str]) -> Iterator[list[ModuleType]]:
    """Runs the files of `--load` as modules. An error in their code, then or later, becomes a message with the line."""
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
            raise complaint(error, path, line_in(error, path)) from error
    try:
        yield modules
    except (AssayError, OSError):
        raise
    except Exception as error:
        for path in paths:
            if line := line_in(error, path):
                raise complaint(error, path, line) from error
        raise


def run_file(path: str) -> ModuleType:
    """Runs a file as a module that can import from its own folder."""
    from importlib.util import module_from_spec, spec_from_file_location

    name = f"assay_loaded_{Path(path).stem}"
    spec: Any = spec_from_file_location(name, path)
    module = module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(Path(path).parent))
    spec.loader.exec_module(module)
    return module


def line_in(error: BaseException, path: str) -> int | None:
    """The line of the file that raised an error; None if another file did."""
    from traceback import extract_tb

    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else None


def complaint(error: BaseException, path: str, line: int | None) -> AssayError:
    """What went wrong in a file, in a line."""
    where = f", line {line}" if line else ""
    what = error.msg if isinstance(error, SyntaxError) else error
    return AssayError(f"{path}{where}: {type(error).__name__}: {what}")
