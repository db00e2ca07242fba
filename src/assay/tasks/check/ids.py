"""How ids differ that should be the same: `1` against `q1`, `D7` against `d7`, `'d7'` against `d7`.

Both sides are cleaned of what people and tools add to ids. Ids that then are equal, or of which one stands inside the
other between two boundaries (`msmarco_12` and `12`), are pairs; the difference that most pairs have is the answer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# More ids than these say nothing more about how they differ.
MOST = 20_000
MOST_BOUNDARIES = 8
# An affix must explain this share of the smaller side; short ids stand inside longer ones by chance.
ENOUGH = 0.5

STEPS: dict[str, Callable[[str], str]] = {
    "stray blanks": lambda name: re.sub(r"[\s\u200b\ufeff]+", "", name),
    "quotes": lambda name: name.strip("'\"`\u2018\u2019\u201c\u201d"),
    "letter case": str.casefold,
    "a decimal point": lambda name: re.sub(r"(?<![\d.])(\d+)\.0+$", r"\1", name),
    "leading zeros": lambda name: re.sub(r"(?<![\d.])0+(?=\d)", "", name),
}
# Where one part of an id ends and another begins: beside a separator, or between letters and digits.
BOUNDARY = re.compile(r"(?<=[^\w]|_)|(?=[^\w]|_)|(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")


@dataclass(frozen=True, slots=True)
class Difference:
    """In what ways ids differ, how many pairs do, and one of them."""

    ways: tuple[str, ...]
    pairs: int
    judged: str
    run: str

    def __str__(self) -> str:
        *first, last = self.ways
        ways = f"{', '.join(first)} and {last}" if first else last
        return f"{show(self.judged)} against {show(self.run)} ({ways})"


@dataclass(frozen=True, slots=True)
class Affix:
    """What one side's ids have around the other's; nothing where they are equal once cleaned."""

    side: str = ""
    prefix: str = ""
    suffix: str = ""

    def split(self, name: str) -> tuple[str, str, str]:
        """An id that has the affix, in three parts."""
        start, end = len(self.prefix), len(name) - len(self.suffix)
        return name[:start], name[start:end], name[end:]


class Pair(NamedTuple):
    """An id of the judgments and one of the run."""

    judged: str
    run: str


def find_difference(judged: Iterable[str], run: Iterable[str]) -> Difference | None:
    """The difference that most of these ids have; none of them stands on both sides."""
    ours, theirs = clean_all(judged), clean_all(run)
    pairs = find_pairs(ours, theirs)
    if not pairs:
        return None
    affix, best = max(pairs.items(), key=lambda entry: len(entry[1]))
    if affix.side and len(best) < ENOUGH * min(len(ours), len(theirs)):
        return None
    pair = next(iter(best))
    outer, inner = (pair.judged, pair.run) if affix.side == "judgments" else (pair.run, pair.judged)
    ways = (*needed_steps(outer, inner, affix), *affix_ways(outer, affix))
    return Difference(ways, len(best), pair.judged, pair.run)


def find_pairs(ours: dict[str, str], theirs: dict[str, str]) -> dict[Affix, dict[Pair, None]]:
    """Ids of both sides of which one is the other, but for what stands around it; in the order they are found in."""
    pairs: dict[Affix, dict[Pair, None]] = defaultdict(dict)
    for cleaned, name in theirs.items():
        for part, affix in parts(cleaned, "run"):
            if part in ours:
                pairs[affix][Pair(ours[part], name)] = None
    for cleaned, name in ours.items():
        for part, affix in parts(cleaned, "judgments"):
            if part in theirs:
                pairs[affix][Pair(name, theirs[part])] = None
    return pairs


def clean_all(names: Iterable[str]) -> dict[str, str]:
    """The ids by their cleaned form."""
    cleaned: dict[str, str] = {}
    for name, _ in zip(names, range(MOST), strict=False):
        cleaned.setdefault(clean(name), name)
    return cleaned


def clean(name: str, without: str = "") -> str:
    """The id after all steps, or all but one."""
    for step, function in STEPS.items():
        name = function(name) if step != without else name
    return name


def parts(name: str, side: str) -> Iterator[tuple[str, Affix]]:
    """The id itself, and every part of it between two boundaries with what stands around that."""
    yield name, Affix()
    cuts = sorted({0, len(name), *(each.start() for each in BOUNDARY.finditer(name))})[:MOST_BOUNDARIES]
    for index, start in enumerate(cuts):
        for end in (*cuts[index + 1 :], len(name)):
            if end - start not in (0, len(name)):
                yield name[start:end], Affix(side, name[:start], name[end:])


def needed_steps(outer: str, inner: str, affix: Affix) -> list[str]:
    """The steps without which the pair would not have been found."""
    return [step for step in STEPS if affix.split(clean(outer, step))[1] != clean(inner, step)]


def affix_ways(outer: str, affix: Affix) -> list[str]:
    """The affix in words, in the case it is written in."""
    prefix, _, suffix = affix.split(clean(outer, "letter case"))
    parts = {"prefix": prefix, "suffix": suffix}
    return [f"the {kind} {show(text)} in the {affix.side}" for kind, text in parts.items() if text]
