"""The command line of trec_eval, taken apart as GNU's getopt_long does it and in the same order.

Options may stand anywhere, short ones together (`-qc`), values attached (`-M100`), long ones cut short (`--meas map`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay._kernel import __version__
from assay.compat.trec_eval.catalogue import CATALOGUE, NICKNAMES
from assay.compat.trec_eval.numbers import LARGEST, whole
from assay.compat.trec_eval.outcome import USAGE, Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT = {**dict.fromkeys("hvqcnJo", False), **dict.fromkeys("mlDNMRTZ", True)}
LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel": "l",
    "nosummary": "n",
    "Debug_level": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll": "N",
    "Max_retrieved_per_topic": "M",
    "Rel_info_format": "R",
    "Results_format": "T",
    "Output_old_results_format": "o",
    "Zscore": "Z",
}
# The one option whose long form takes a value and whose short form takes none.
LONG_WITH_VALUE = "Output_old_results_format"
# What an option does to the settings. -o does nothing any more, and of -D only the topic that it may name counts.
FLAGS = {
    "h": ("help", True),
    "q": ("by_query", True),
    "c": ("complete", True),
    "n": ("summary", False),
    "J": ("judged_only", True),
}
NUMBERS = {"l": "level", "N": "collection", "M": "depth"}
TEXTS = {"R": "rel_format", "T": "results_format", "Z": "zscores"}
USAGE_TEXT = """\
Usage: trec_eval [-q] [-m measure]... [options] qrels run
   -q: every topic's values, before those of all topics
   -m: a measure, or a name for several such as official (the default) or all_trec
   -h: all options, and what the measures named with -m are
"""


@dataclass
class Settings:
    """What the command line asks for. `parameters` holds what followed the dot of each measure, as it was written."""

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


def read_options(arguments: list[str]) -> Settings:
    """What the arguments ask for. The first thing that is wrong, or -v, ends the program."""
    settings = Settings()
    for letter, value in split(arguments, settings.files):
        apply(settings, letter, value)
    if not settings.help and len(settings.files) != 2:  # noqa: PLR2004 - judgments and run
        raise Stop(USAGE, USAGE_TEXT)
    if not settings.help and settings.files[0] == "-" and settings.files[1].startswith("-"):
        raise Stop(USAGE, "trec_eval: only one of qrels and run can be standard input; give the other a name\n")
    return settings


def split(arguments: list[str], files: list[str]) -> Iterator[tuple[str, str]]:
    """The letter and the value of each option; what is none is added to `files`."""
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            files.extend(rest)
            return
        if word.startswith("--"):
            yield read_long(word[2:], rest)
        elif word.startswith("-") and word != "-":
            yield from read_short(word[1:], rest)
        else:
            files.append(word)
            if "POSIXLY_CORRECT" in os.environ:
                files.extend(rest)
                return


def read_short(letters: str, rest: list[str]) -> Iterator[tuple[str, str]]:
    """Options of one letter each; the last one may have its value attached."""
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter not in SHORT:
            raise wrong(f"invalid option -- '{letter}'")
        if not SHORT[letter]:
            yield letter, ""
            continue
        if not letters and not rest:
            raise wrong(f"option requires an argument -- '{letter}'")
        yield letter, letters or rest.pop(0)
        return


def read_long(text: str, rest: list[str]) -> tuple[str, str]:
    """One option by its long name, or by as much of it as only that one begins with."""
    name, equals, value = text.partition("=")
    known = [each for each in LONG if each.startswith(name)]
    if name in LONG:
        known = [name]
    if not known:
        raise wrong(f"unrecognized option '--{text}'")
    if len(known) > 1:
        possibilities = " ".join(f"'--{each}'" for each in known)
        raise wrong(f"option '--{text}' is ambiguous; possibilities: {possibilities}")
    letter = LONG[known[0]]
    takes_value = SHORT[letter] or known[0] == LONG_WITH_VALUE
    if equals and not takes_value:
        raise wrong(f"option '--{known[0]}' doesn't allow an argument")
    if takes_value and not equals:
        if not rest:
            raise wrong(f"option '--{known[0]}' requires an argument")
        value = rest.pop(0)
    return letter, value


def wrong(message: str) -> Stop:
    return Stop(USAGE, f"trec_eval: {message}\n{USAGE_TEXT}")


def apply(settings: Settings, letter: str, value: str) -> None:
    """Does what one option says."""
    if letter in FLAGS:
        setattr(settings, *FLAGS[letter])
    elif letter in NUMBERS:
        setattr(settings, NUMBERS[letter], whole(os.fsencode(value)))
    elif letter in TEXTS:
        setattr(settings, TEXTS[letter], value)
    elif letter == "m":
        add_measure(settings, value)
    elif letter == "D" and "." in value:
        settings.only_query = os.fsencode(value.partition(".")[2])
    elif letter == "v":
        raise Stop(0, f"trec_eval version 10.0 (assay {__version__})\n")


def add_measure(settings: Settings, text: str) -> None:
    """A measure, or a nickname of several, and its parameters; those that were given first stay."""
    name, dot, parameters = text.partition(".")
    if dot and not parameters:
        lines = f"trec_eval: improper measure in parameter '{name}'\ntrec_eval: illegal measure '{name}'\n"
        raise Stop(USAGE, lines)
    if name not in NICKNAMES and name not in CATALOGUE:
        raise Stop(USAGE, f"trec_eval: illegal measure '{name}'\n")
    if dot:
        settings.parameters.setdefault(name, parameters)
    settings.measures.update(NICKNAMES.get(name, (name,)))
