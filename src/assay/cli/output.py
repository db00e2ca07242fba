"""Where the output of a command goes: formats, styles of tables, reports, stored results, and judgments."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from assay import AssayError, Note
from assay.cli.command import Checked, Decorator, Setting, SettingsOption, option, whole
from assay.cli.options import stacked
from assay.cli.terminal import FOR_PEOPLE, emit, say, say_loudly, say_notes
from assay.render import Exports, Table, render
from assay.render.text import terminal_width
from assay.terminal import check_target, count

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
# What can be chosen of a table of runs.
SHOWN = {"markdown": ("sort", "pairs"), "latex": ("sort",)}
# These formats hold nothing but rows; notes go to standard error.
BARE = ("tsv", "csv")


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

    def write(self, text: str, notes: Iterable[Note] = ()) -> None:
        """Prints or writes the text; before it what is loud, after it the other notes if they have no place in it."""
        notes = tuple(notes)
        say_loudly(notes)
        emit(text, self.target, self.format)
        say_notes(notes if self.is_bare else ())

    def text_of(self, result: Any, **shown: Any) -> str:  # noqa: ANN401 - a result of any task
        """A result in this format; a table is no wider than the terminal that it is printed to."""
        if self.format in FOR_PEOPLE and not hasattr(result, "to_text"):
            return f"{result}\n"
        if self.format in FOR_PEOPLE:
            return f"{result.to_text(width=terminal_width() if self.target is None else None, **shown)}\n"
        how = {name: shown[name] for name in SHOWN.get(self.format, ()) if name in shown}
        text: str = getattr(result, f"to_{self.format}")(**how, **self.style)
        return text

    def show(self, result: Exports, **shown: Any) -> None:  # noqa: ANN401 - how a result is shown
        """Prints or writes a result with its notes."""
        self.write(self.text_of(result, **shown), getattr(result, "notes", ()))


style_option = option(
    "--style NAME=VALUE",
    "Set how a table to publish looks, such as caption='Main results' (repeatable).",
    cls=SettingsOption,
    settings=(
        Setting("digits", whole, "digits after the decimal point, in Markdown and LaTeX"),
        Setting("caption", str, "caption of the table, in Markdown and LaTeX"),
        Setting("label", str, "label of the table in LaTeX, such as tab:main"),
    ),
    noun="style",
    title="Styles of a table to publish (--style NAME=VALUE)",
)


def output_options(formats: Sequence[str] = FORMATS, *, styled: bool = False) -> Decorator:
    """`--format` and `-o`, and `--style` for tables that are published; the first format is the default."""
    help_ = f"Format of the output.  [default: from FILE's extension, or {formats[0]}]"
    where = "Write to FILE, atomically; format from the extension: .json, .csv, .tsv, .md, .tex, .html or .txt."
    options = [
        option("--format", help_, to="format_", type=click.Choice(formats)),
        option("-o --output FILE", where),
        *([style_option] if styled else []),
    ]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def chosen(*args: Checked, format_: str | None, output: str | None, **options: Checked) -> Checked:
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
    check_target(target, is_page=True)
    return target


report_option = option(
    "--report FILE",
    "Also write a self-contained HTML report. compare, diff and gate take it in place of a run.",
    callback=check_page,
)
slice_option = option(
    "--slice FIELD",
    "Field of the queries to group the report by, such as language, or `length` (repeatable).",
    to="slices",
)


def is_folder(target: str) -> bool:
    """Whether a name is that of a folder: one that is there, or a name with a slash at the end or no extension."""
    return target.endswith("/") or Path(target).is_dir() or (target != "" and not Path(target).suffix)


def check_save(_: click.Context, __: click.Parameter, target: str | None) -> str | None:
    """Raises if a file cannot be written, before any long work is done for nothing."""
    if target is not None and not is_folder(target):
        check_target(target)
    return target


save_option = option(
    "--save FILE",
    "Save the result to a file that compare, diff and gate take in place of a run; several results to a folder.",
    callback=check_save,
)


def save_results(results: Any, target: str | None) -> None:  # noqa: ANN401 - an `assay.Results`
    """Stores one result in a file, or several in a folder, if a target was named."""
    if target is None:
        return
    if len(results) == 1 and not Path(target).is_dir() and not target.endswith("/"):
        results[next(iter(results))].save(target)
    elif is_folder(target):
        results.save(target)
    else:
        raise AssayError(f"{target!r} is a file, and there are several results; name a folder, such as results/")


judgments_option = option("-o --output FILE", "File for the judgments. The format is that of its extension.")
table_option = option(
    "--format", f"Format of the output.  [default: {FORMATS[0]}]", to="format_", type=click.Choice(FORMATS)
)


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
