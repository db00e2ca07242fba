"""The verdict of a comparison in words: one line per measure, by the p-values and intervals that the table has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.text import count, p_words
from assay.results.align import shared_queries
from assay.stats.paired import TUKEY_TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.results.result import Result
    from assay.stats.pairs import Pair
    from assay.tasks.compare.result import Comparison

# Names listed before the rest is counted, and pairs told with their numbers.
MOST_NAMES = 3
MOST_TOLD = 2
NO_DIFFERENCE = "no difference found on "
# The tests whose p-value depends on the signs of the differences only.
SIGN_TESTS = ("randomization", "wilcoxon", "sign")
# Corrections that multiply the smallest p-value by the number of comparisons.
STRICT = ("holm", "bonferroni")


class VerdictLine(NamedTuple):
    """What a comparison says about one run by one measure, in `text` and as data.

    `run` is the winner of two runs, or the baseline, or the run with the best mean. `beats` are the runs that it is
    significantly better than, `beaten_by` those that are significantly better, and `undecided` the others.
    """

    measure: str
    run: str
    beats: tuple[str, ...]
    beaten_by: tuple[str, ...]
    undecided: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ComparisonVerdict:
    """The lines of a verdict, one per measure; `str()` is the verdict in words."""

    lines: tuple[VerdictLine, ...]

    def __iter__(self) -> Iterator[VerdictLine]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __str__(self) -> str:
        return "\n".join(self.texts)

    @property
    def texts(self) -> list[str]:
        """The lines in words; measures without a difference between two runs share a line, the last one."""
        texts = [line.text for line in self.lines]
        told = [text for text in texts if not text.startswith(NO_DIFFERENCE)]
        rest = [text.removeprefix(NO_DIFFERENCE) for text in texts if text.startswith(NO_DIFFERENCE)]
        return [*told, *([NO_DIFFERENCE + ", ".join(rest)] if rest else [])]

    def to_list(self) -> list[dict[str, Any]]:
        """The lines as JSON has them, without the words."""
        return [{name: value for name, value in line._asdict().items() if name != "text"} for line in self.lines]


class Side(NamedTuple):
    """A pair seen from one of its runs: the other run, and the difference and its interval in favour of the one."""

    pair: Pair
    other: str
    difference: float
    low: float
    high: float
    winner: str | None


def find_verdict(comparison: Comparison, means: Mapping[str, Mapping[str, float]]) -> ComparisonVerdict:
    """What each measure says: about the two runs, about the baseline, or about the run with the best mean.

    `means` are those of each run by measure, the best first.
    """
    by_measure: dict[str, list[Pair]] = {}
    for pair in comparison.pairs:
        by_measure.setdefault(pair.measure, []).append(pair)
    is_single = len(comparison.results) == 2  # noqa: PLR2004 - a pair
    if is_single:
        return ComparisonVerdict(tuple(tell_pair(comparison, *pairs) for pairs in by_measure.values()))
    return ComparisonVerdict(
        tuple(tell_many(comparison, pairs, means[measure]) for measure, pairs in by_measure.items())
    )


def tell_pair(comparison: Comparison, pair: Pair) -> VerdictLine:
    """Which of two runs is better by a measure."""
    measure, winner = pair.measure, comparison.winner(pair)
    if winner is None:
        reason = why_open(comparison, pair)
        text = f"{measure}: {pair.a} and {pair.b} {reason}"
        text = f"{NO_DIFFERENCE}{measure} ({reason})" if is_plain(reason) else text
        return VerdictLine(measure, pair.a, (), (), (pair.b,), text)
    side = seen_from(comparison, pair, winner)
    text = f"{winner} beats {side.other} on {measure}{direction(comparison, measure)}: {numbers(side)}"
    return VerdictLine(measure, winner, (side.other,), (), (), text)


def tell_many(comparison: Comparison, pairs: Sequence[Pair], means: Mapping[str, float]) -> VerdictLine:
    """How the baseline, or the run with the best mean, compares with the others."""
    measure, baseline = pairs[0].measure, comparison.settings.baseline
    run = next(iter(means)) if baseline is None else baseline
    own = [pair for pair in pairs if run in (pair.a, pair.b)]
    sides = [seen_from(comparison, pair, run if baseline is None else other_of(pair, run)) for pair in own]
    place = {name: number for number, name in enumerate(means)}
    others = sorted(zip(own, sides, strict=True), key=lambda each: place[other_of(each[0], run)])
    beats, beaten_by, undecided = (
        Told(tuple(other_of(pair, run) for pair, _ in group), tuple(side for _, side in group), len(sides))
        for group in (
            [each for each in others if each[1].winner == run],
            [each for each in others if each[1].winner not in (run, None)],
            [each for each in others if each[1].winner is None],
        )
    )
    head = f"{measure}{direction(comparison, measure)}"
    if baseline is None:
        best = f"{head}: {run} has the best mean ({means[run]:.4f})"
        parts = [
            best,
            f"beats {beats.listed}" if beats.names else "beats no other run",
            f"is beaten by {beaten_by.listed}" if beaten_by.names else "",
            f"cannot be told apart from {undecided_words(comparison, undecided)}" if undecided.names else "",
        ]
        text = ", ".join(filter(None, parts))
    else:
        parts = [
            f"{beaten_by.listed} {beaten_by.verb} better" if beaten_by.names else "",
            f"{beats.listed} {beats.verb} worse" if beats.names else "",
            f"no difference found for {undecided_words(comparison, undecided)}" if undecided.names else "",
        ]
        text = f"{head} against {run}: {'; '.join(filter(None, parts))}"
    return VerdictLine(measure, run, beats.names, beaten_by.names, undecided.names, text)


class Told(NamedTuple):
    """Other runs with the same outcome, the pairs, and how many runs there are."""

    names: tuple[str, ...]
    sides: tuple[Side, ...]
    total: int

    @property
    def verb(self) -> str:
        return "is" if len(self.names) == 1 else "are"

    @property
    def listed(self) -> str:
        """The runs: a few by name with their numbers, many as a count."""
        if len(self.names) <= MOST_TOLD:
            told = zip(self.names, self.sides, strict=True)
            return " and ".join(f"{name} ({numbers(side)})" for name, side in told)
        if len(self.names) <= MOST_NAMES:
            return joined(self.names)
        return (
            "all other runs" if len(self.names) == self.total else f"{len(self.names)} of the {self.total} other runs"
        )


def other_of(pair: Pair, run: str) -> str:
    """The other run of a pair."""
    return pair.a if run == pair.b else pair.b


def seen_from(comparison: Comparison, pair: Pair, run: str) -> Side:
    """A pair from the side of one of its runs."""
    winner = comparison.winner(pair)
    if run == pair.b:
        return Side(pair, pair.a, pair.difference, pair.low, pair.high, winner)
    return Side(pair, pair.b, -pair.difference, -pair.high, -pair.low, winner)


def undecided_words(comparison: Comparison, told: Told) -> str:
    """The runs that cannot be told apart, and what difference could have been seen."""
    if len(told.names) == 1 and not is_plain(reason := why_open(comparison, told.sides[0].pair)):
        return f"{told.names[0]} (they {reason})"
    names = list(told.names)
    if len(names) > MOST_NAMES:
        names = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES} more"]
    blind = [too_few(side.pair) for side in told.sides if is_blind(comparison, side.pair)]
    if len(blind) == len(told.sides):
        return f"{joined(names)} ({blind[0]})"
    pairs = [side.pair for side in told.sides if not is_blind(comparison, side.pair)]
    seen = sorted(pair.detectable for pair in pairs if not math.isnan(pair.detectable))
    limits = list(dict.fromkeys(map(short, (seen[0], seen[-1])))) if seen else []
    return joined(names) + (f" (could have seen {' to '.join(limits)})" if limits else "")


def why_open(comparison: Comparison, pair: Pair) -> str:
    """Why neither run of a pair is called better, in words."""
    queries = queries_of(pair)
    if not queries:
        return "cannot be compared: no query has a value in both"
    if pair.ties == queries and pair.difference == 0:
        return "score the same on every query"
    if comparison.is_significant(pair):
        return f"are not ranked: the means and the {comparison.settings.test} test point different ways"
    if is_blind(comparison, pair):
        return f"cannot be told apart: {too_few(pair)}"
    if math.isnan(pair.detectable):
        return p_words(pair.p_corrected)
    return f"could have seen {short(pair.detectable)}"


def is_blind(comparison: Comparison, pair: Pair) -> bool:
    """Whether a pair has too few queries for any difference to be significant."""
    settings, queries = comparison.settings, queries_of(pair)
    others = len(comparison.results) - 1
    couples = others * (others + 1) // 2 if settings.baseline is None else others
    family = len(comparison.pairs) if settings.family == "all" else couples
    least = 2 * 0.5**queries * (family if settings.correction in STRICT else 1)
    is_certain = settings.test in SIGN_TESTS and least >= settings.alpha
    return is_certain or (queries == 1 and settings.test not in TUKEY_TESTS)


def queries_of(pair: Pair) -> int:
    """How many queries have a value in both runs."""
    return pair.wins + pair.ties + pair.losses


def too_few(pair: Pair) -> str:
    return f"{count(queries_of(pair), 'query is', 'queries are')} too few to find any difference"


def is_plain(reason: str) -> bool:
    """Whether the queries sufficed for a test, which found nothing."""
    return reason.startswith(("could", "p "))


def direction(comparison: Comparison, measure: str) -> str:
    first = next(iter(comparison.results.results.values()))
    return "" if first.measures[measure].definition.higher_is_better else " (lower is better)"


def numbers(side: Side) -> str:
    """The difference, its interval and the corrected p-value, with as many digits as it takes.

    The interval is not corrected for several comparisons; the p-value is.
    """
    bounds = [side.difference / 10, side.low, side.high]
    digits = max(digits_of(each) for each in bounds)
    interval = "" if math.isnan(side.low) else f" [{side.low:.{digits}f}, {side.high:.{digits}f}]"
    return f"{side.difference:+.{digits}f}{interval}, {p_words(side.pair.p_corrected)}"


def short(value: float) -> str:
    return f"{value:.{digits_of(value)}f}"


def digits_of(value: float) -> int:
    """How many decimals show at least one digit of a number: from two to four.

    >>> digits_of(0.17), digits_of(0.004), digits_of(0.00001), digits_of(0.0)
    (2, 3, 4, 2)
    """
    size = abs(value)
    if not 0 < size < 0.005:  # noqa: PLR2004 - what two decimals round to 0
        return 2
    return 3 if size >= 0.0005 else 4  # noqa: PLR2004 - what three decimals round to 0


def joined(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def counted_words(results: Mapping[str, Result], pairs: Sequence[Pair]) -> str:
    """The queries that the means of a comparison are over, in words: those with a value in every run."""
    first = next(iter(results.values()))
    total = count(len(first.queries), "query", "queries")
    measures = dict.fromkeys(pair.measure for pair in pairs)
    numbers = {each: int(shared_queries(results.values(), each).sum()) for each in measures}
    different = set(numbers.values())
    if different == {len(first.queries)}:
        return total
    number = f"{different.pop():,}" if len(different) == 1 else "those"
    text = f"{number} of {total} with a value in every run"
    if number == "those":
        text += f" ({', '.join(f'{measure}: {each:,}' for measure, each in numbers.items())})"
    is_more = any(pair.wins + pair.ties + pair.losses > numbers[pair.measure] for pair in pairs)
    return text + ("; a pair is tested on all queries with a value in both runs" if is_more else "")
