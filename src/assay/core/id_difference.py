"""How ids differ that should be the same (`1` and `q1`, `D7` and `d7`, `doc7` and its chunk `doc7#3`).

Both sides are normalised. Ids that are then equal, or one of which is a part of the other (`msmarco_12` and `12`), are
pairs; the difference that joins most of them is reported, with the rule for `doc_id` that removes it if there is one.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from assay.core.text import show

# More ids than these tell nothing more about how they differ.
MOST_IDS = 20_000
# Of the boundaries in an id, at most so many from its beginning and from its end.
MOST_BOUNDARIES = 8
# An affix must explain this share of the smaller side; short ids are parts of longer ones by chance.
ENOUGH = 0.5
# Less is enough if nearly all ids of the other side have the affix.
ENOUGH_IF_COMMON = 0.1
COMMON = 0.8
# Pairs that a rule is tried on, and the share of them that it must join.
TRIED = 100
MOSTLY = 0.9
STEPS: dict[str, Callable[[str], str]] = {
    "stray blanks": lambda name: re.sub(r"[\s\u200b\ufeff]+", "", name),
    "quotes": lambda name: name.strip("'\"`\u2018\u2019\u201c\u201d"),
    "letter case": str.casefold,
    "a decimal point": lambda name: re.sub(r"(?<![\d.])(\d+)\.0+$", r"\1", name),
    "leading zeros": lambda name: re.sub(r"(?<![\d.])0+(?=\d)", "", name),
}
# Where one part of an id ends and another begins: beside a separator, or between letters and digits.
BOUNDARY = re.compile(r"(?<=[^\w]|_)|(?=[^\w]|_)|(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
# What follows a document's id in that of a chunk: separators, perhaps a word, and a number or a hash.
CHUNK = re.compile(r"(?P<mark>[\W_]*)(?P<word>(?:[^\W\d_]+[\W_]*)?)(?=[0-9a-f]*\d|[0-9a-f]{6})[\w.,:-]*")
# Any of these may follow a number in a hash.
HASH_LETTERS = frozenset("abcdef")
SPECIAL = re.compile(r"[.^$*+?{}\[\]\\|()]")


@dataclass(frozen=True, slots=True)
class IdDifference:
    """In what ways ids differ, how many pairs do, and one of them. `rule` is the rule for `doc_id` that joins them."""

    ways: tuple[str, ...]
    pairs: int
    judged: str
    run: str
    rule: str = ""

    def __str__(self) -> str:
        *first, last = self.ways
        ways = f"{', '.join(first)} and {last}" if first else last
        return f"{show(self.judged)} vs. {show(self.run)} ({ways})"


@dataclass(frozen=True, slots=True)
class Affix:
    """What one side's ids have around the other's; empty if they are equal once normalised.

    With `is_chunk`, the suffix is where a part begins that names a chunk and is another one in each id.
    """

    side: str = ""
    prefix: str = ""
    suffix: str = ""
    is_chunk: bool = False

    def take_apart(self, name: str) -> tuple[str, str, str]:
        """An id that has the affix, in three parts."""
        start = len(self.prefix)
        end = name.casefold().rfind(self.suffix) if self.is_chunk else len(name) - len(self.suffix)
        return name[:start], name[start:end], name[end:]

    def rules(self) -> list[str]:
        """Rules for `doc_id` that remove the affix, the simplest first."""
        prefix, suffix = self.prefix, self.suffix
        if prefix and suffix:
            before, after = (SPECIAL.sub(r"\\\g<0>", text) for text in (prefix, suffix))
            return [f"regex:^{before}(.+){after}{'' if self.is_chunk else '$'}"]
        if prefix:
            return [f"after:{prefix}", f"after_last:{prefix}"]
        return [f"before:{suffix}", f"before_last:{suffix}"]


def find_difference(judged: Iterable[str], run: Iterable[str], noun: str = "chunk") -> IdDifference | None:
    """The difference that most of these ids have, none of which is on both sides; `noun` names endings that vary."""
    ours, theirs = normalise_all(judged), normalise_all(run)
    # By affix, ids of both sides that are equal but for it, in the order in which they are found.
    pairs: dict[Affix, dict[tuple[str, str], None]] = defaultdict(dict)
    for outside, inside, side in ((theirs, ours, "run"), (ours, theirs, "judgments")):
        for normalised, name in outside.items():
            for part, affix in parts_among(normalised, inside, side):
                pairs[affix][name, inside[part]] = None
    if not pairs:
        return None
    # Several chunks of a document count once.
    explained = {affix: len({inner for _, inner in each}) for affix, each in pairs.items()}
    # Of those that explain the same, one for all chunks of a document is the more general, and a long one the clearer.
    affix = max(pairs, key=lambda each: (explained[each], each.is_chunk, len(each.suffix) * each.is_chunk))
    if affix.side and not is_enough(affix, explained[affix], ours, theirs):
        return None
    best = list(islice(pairs[affix], TRIED))
    outer, inner = best[0]
    # The steps without which the pair would not have been found.
    steps = [step for step in STEPS if affix.take_apart(normalise(outer, step))[1] != normalise(inner, step)]
    rule = find_rule(affix, best) if affix.side == "run" and not steps else ""
    prefix, _, suffix = as_written(outer, inner, affix) or affix.take_apart(normalise(outer, "letter case"))
    around = {"prefix": prefix, noun if affix.is_chunk else "suffix": suffix}
    ways = [f"the {kind} {show(text)} in the {affix.side}" for kind, text in around.items() if text]
    judged_and_run = (outer, inner) if affix.side == "judgments" else (inner, outer)
    return IdDifference((*steps, *ways), explained[affix], *judged_and_run, rule)


def is_enough(affix: Affix, explained: int, ours: dict[str, str], theirs: dict[str, str]) -> bool:
    smaller, outer = min(len(ours), len(theirs)), theirs if affix.side == "run" else ours
    if explained >= ENOUGH * smaller:
        return True
    having = sum(
        name.startswith(affix.prefix) and (affix.suffix in name if affix.is_chunk else name.endswith(affix.suffix))
        for name in outer
    )
    return explained > 1 and explained >= ENOUGH_IF_COMMON * smaller and having >= COMMON * len(outer)


def normalise_all(names: Iterable[str]) -> dict[str, str]:
    normalised: dict[str, str] = {}
    for name in islice(names, MOST_IDS):
        normalised.setdefault(normalise(name), name)
    return normalised


def normalise(name: str, without: str = "") -> str:
    """The id after all steps, or all but one."""
    for step, function in STEPS.items():
        name = function(name) if step != without else name
    return name


def parts_among(name: str, others: Container[str], side: str) -> Iterator[tuple[str, Affix]]:
    """The id itself, and every part of it between two boundaries, if it is another id; with what is around it."""
    if name in others and side == "run":
        yield name, Affix()
    size = len(name)
    cuts = sorted({0, size, *(each.start() for each in BOUNDARY.finditer(name))})
    if len(cuts) > 2 * MOST_BOUNDARIES:
        # A hash, a UUID or a URL has many; what is around it is at the beginning or at the end.
        cuts = [*cuts[:MOST_BOUNDARIES], *cuts[-MOST_BOUNDARIES:]]
    for index, start in enumerate(cuts):
        for end in cuts[index + 1 :]:
            part, prefix, suffix = name[start:end], name[:start], name[end:]
            if part not in others or end - start in (0, size):
                continue
            yield part, Affix(side, prefix, suffix)
            # If the suffix may name a chunk, also where the chunk begins.
            chunk = CHUNK.fullmatch(suffix)
            marks = dict.fromkeys((chunk["mark"], chunk["mark"] + chunk["word"])) if chunk else ()
            yield from (
                (part, Affix(side, prefix, mark, is_chunk=True)) for mark in marks if mark and mark not in HASH_LETTERS
            )


def as_written(outer: str, inner: str, affix: Affix) -> tuple[str, str, str] | None:
    """An id around the other, in three parts as they are written; None if they differ in other ways too."""
    parts = outer.partition(inner)
    return parts if affix.side and parts[1] and len(parts[0]) == len(affix.prefix) else None


def find_rule(affix: Affix, pairs: list[tuple[str, str]]) -> str:
    from assay.core.doc_id import DocIdRule

    parts = as_written(*pairs[0], affix)
    if parts is None or not "".join(parts).isprintable():
        return ""
    for text in Affix(affix.side, parts[0], parts[2][: len(affix.suffix)], affix.is_chunk).rules():
        found = DocIdRule.parse(text).match_all([chunk for chunk, _ in pairs]).to_list()
        joined = sum(document == inner for document, (_, inner) in zip(found, pairs, strict=True))
        if joined >= MOSTLY * len(pairs):
            return text
    return ""
