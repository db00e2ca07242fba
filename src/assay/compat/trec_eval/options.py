"""The command line of trec_eval, parsed as GNU's getopt_long does it, and how a C program reads numbers and ends.

Options may appear anywhere: short ones combined (`-qc`), values attached (`-M100`), long ones cut short (`--meas map`).
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from assay._kernel import __version__
from assay.conventions.tools.trec_eval import TEXTS, TREC_EVAL, nicknames_with_texts

USAGE, FILE, CALCULATION, NOTHING_IN_COMMON, ABORTED, FAILED = 1, 2, 4, 7, 134, 255
MEASURES = {*TREC_EVAL.names, *TEXTS}
NICKNAMES = nicknames_with_texts(TREC_EVAL.nicknames)
LARGEST = 2**63 - 1
WHOLE = re.compile(rb"[ \t\n\v\f\r]*([+-]?\d+)")
REAL = re.compile(
    rb"[ \t\n\v\f\r]*([+-]?)(?:(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)"
    rb"|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan))",
    re.IGNORECASE,
)
USAGE_TEXT = """\
Usage: trec_eval [-q] [-m measure]... [options] qrels run
   -q: print the values of each topic before the summary
   -m: a measure, or a set of measures such as official (the default) or all_trec
   -h: show all options, and describe the measures given with -m
"""


class Stop(Exception):  # noqa: N818 - the end of the program is not always an error
    """Ends the program with an exit code; `text` goes to standard error as it is."""

    def __init__(self, code: int, text: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Remark(str):
    """A line for standard error: trec_eval prints nothing of it."""

    __slots__ = ()


@dataclass
class CommandLine:
    """The options and files of a command line. `parameters` is what followed the dot of each measure, as written."""

    by_query: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    help: bool = False
    level: int = 1
    depth: int = LARGEST
    collection: int = 0
    only_query: bytes | None = None
    rel_format: str = "qrels"
    results_format: str = "trec_results"
    zscores: str | None = None
    measures: set[str] = field(default_factory=set)
    parameters: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


def read_whole(text: bytes) -> int:
    """The whole number at the start of a text, as `atol` reads it; 0 if there is none."""
    found = WHOLE.match(text)
    return max(-LARGEST - 1, min(LARGEST, int(found[1][:30]))) if found else 0


def read_real(text: bytes) -> float:
    """The number at the start of a text, as `atof` reads it; 0 if there is none."""
    found = REAL.match(text)
    if found is None:
        return 0.0
    sign = -1.0 if found[1] == b"-" else 1.0
    try:
        return sign * (float.fromhex(found[2].decode()) if found[2] else float(found[3]))
    except OverflowError:
        return sign * float("inf")


def read_number(text: str) -> int:
    return read_whole(os.fsencode(text))


class CommandOption(NamedTuple):
    """An option: its letter and long name, the setting that it changes, and to what, or how its value is read."""

    letter: str
    name: str
    setting: str = ""
    value: bool | Callable[[str], object] = True

    @property
    def takes_value(self) -> bool:
        return callable(self.value)


# -o has no effect, and of -D only the topic matters.
OPTIONS = (
    CommandOption("h", "help", "help"),
    CommandOption("v", "version"),
    CommandOption("q", "query_eval_wanted", "by_query"),
    CommandOption("m", "measure", value=str),
    CommandOption("c", "complete_rel_info_wanted", "complete"),
    CommandOption("l", "level_for_rel", "level", read_number),
    CommandOption("n", "nosummary", "summary", value=False),
    CommandOption("D", "Debug_level", value=str),
    CommandOption("J", "Judged_docs_only", "judged_only"),
    CommandOption("N", "Number_docs_in_coll", "collection", read_number),
    CommandOption("M", "Max_retrieved_per_topic", "depth", read_number),
    CommandOption("R", "Rel_info_format", "rel_format", str),
    CommandOption("T", "Results_format", "results_format", str),
    CommandOption("o", "Output_old_results_format"),
    CommandOption("Z", "Zscore", "zscores", str),
)
BY_LETTER = {option.letter: option for option in OPTIONS}
# The one option whose long form takes a value and whose short form takes none.
LONG_WITH_VALUE = "Output_old_results_format"


def read_options(arguments: list[str]) -> CommandLine:
    """Parses the arguments. The first error, or -v, ends the program."""
    settings = CommandLine()
    for option, value in split_arguments(arguments, settings.files):
        if option.setting:
            setattr(settings, option.setting, option.value(value) if callable(option.value) else option.value)
        elif option.letter == "m":
            add_measure(settings, value)
        elif option.letter == "D" and "." in value:
            settings.only_query = os.fsencode(value.partition(".")[2])
        elif option.letter == "v":
            raise Stop(0, f"trec_eval version 10.0 (assay {__version__})\n")
    if not settings.help and len(settings.files) != 2:  # noqa: PLR2004 - judgments and run
        raise Stop(USAGE, USAGE_TEXT)
    if not settings.help and settings.files[0] == "-" and settings.files[1].startswith("-"):
        raise Stop(USAGE, "trec_eval: qrels and run cannot both be standard input; name a file for one of them\n")
    return settings


def split_arguments(arguments: list[str], files: list[str]) -> Iterator[tuple[CommandOption, str]]:
    """The options with their values; arguments that are not options are added to `files`."""
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word.startswith("--") and word != "--":
            yield read_long(word[2:], rest)
        elif word.startswith("-") and word not in ("-", "--"):
            yield from read_short(word[1:], rest)
        else:
            files += [word] if word != "--" else []
            if word == "--" or "POSIXLY_CORRECT" in os.environ:
                files += rest
                return


def read_short(letters: str, rest: list[str]) -> Iterator[tuple[CommandOption, str]]:
    """Options of one letter each; the last may have its value attached."""
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter not in BY_LETTER:
            raise usage_error(f"invalid option -- '{letter}'")
        if not BY_LETTER[letter].takes_value:
            yield BY_LETTER[letter], ""
            continue
        if not letters and not rest:
            raise usage_error(f"option requires an argument -- '{letter}'")
        yield BY_LETTER[letter], letters or rest.pop(0)
        return


def read_long(text: str, rest: list[str]) -> tuple[CommandOption, str]:
    """One option by its long name or an unambiguous abbreviation of it."""
    name, equals, value = text.partition("=")
    known = [option for option in OPTIONS if option.name.startswith(name)]
    known = [option for option in known if option.name == name] or known
    if not known:
        raise usage_error(f"unrecognized option '--{text}'")
    if len(known) > 1:
        possibilities = " ".join(f"'--{option.name}'" for option in known)
        raise usage_error(f"option '--{text}' is ambiguous; possibilities: {possibilities}")
    (option,) = known
    takes_value = option.takes_value or option.name == LONG_WITH_VALUE
    if equals and not takes_value:
        raise usage_error(f"option '--{option.name}' doesn't allow an argument")
    if takes_value and not equals:
        if not rest:
            raise usage_error(f"option '--{option.name}' requires an argument")
        value = rest.pop(0)
    return option, value


def usage_error(message: str) -> Stop:
    return Stop(USAGE, f"trec_eval: {message}\n{USAGE_TEXT}")


def add_measure(settings: CommandLine, text: str) -> None:
    """Adds a measure, or all measures of a nickname. Parameters given first win."""
    name, dot, parameters = text.partition(".")
    if dot and not parameters:
        raise Stop(USAGE, f"trec_eval: improper measure in parameter '{name}'\ntrec_eval: illegal measure '{name}'\n")
    if name not in NICKNAMES and name not in MEASURES:
        raise Stop(USAGE, f"trec_eval: illegal measure '{name}'\n")
    if dot:
        settings.parameters.setdefault(name, parameters)
    settings.measures.update(NICKNAMES.get(name, (name,)))
