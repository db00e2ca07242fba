"""The verdict of a comparison in words: one line per measure, by the p-values and intervals that the table has."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.text import count, p_words
from assay.results.results import shared_queries
from assay.stats.paired import TUKEY_TESTS

if TYPE_CHECKING:
    from assay.results.result import Result
    from assay.stats.pairs import Pair
    from assay.tasks.compare.result import Comparison

# Names listed before the rest is counted, and pairs told with their numbers.
MOST_NAMES = 3
MOST_TOLD = 2
NO_DIFFERENCE = "no difference found on "
# How a reason begins if the queries sufficed for a test, which found nothing.
PLAIN = ("could", "p ")
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
        rest = [text.removeprefix(NO_DIFFERENCE) for text in texts if text.startswith(NO_DIFFERENCE)]
        told = [text for text in texts if not text.startswith(NO_DIFFERENCE)]
        return told + ([NO_DIFFERENCE + ", ".join(rest)] if rest else [])

    def to_list(self) -> list[dict[str, Any]]:
        """The lines as JSON has them, without the words."""
        return [{name: value for name, value in line._asdict().items() if name != "text"} for line in self.lines]


def tell_pair(comparison: Comparison, pairs: Sequence[Pair]) -> VerdictLine:
    """Which of two runs is better by a measure."""
    (pair,) = pairs
    measure, winner = pair.measure, comparison.winner(pair)
    if winner is None:
        reason = why_open(comparison, pair)
        text = f"{measure}: {pair.a} and {pair.b} {reason}"
        text = f"{NO_DIFFERENCE}{measure} ({reason})" if reason.startswith(PLAIN) else text
        return VerdictLine(measure, pair.a, (), (), (pair.b,), text)
    other = pair.a if winner == pair.b else pair.b
    text = f"{winner} beats {other} on {with_direction(comparison, measure)}: {numbers(pair, winner)}"
    return VerdictLine(measure, winner, (other,), (), (), text)


def tell_many(comparison: Comparison, pairs: Sequence[Pair]) -> VerdictLine:
    """How the baseline, or the run with the best mean, compares with the others."""
    measure, baseline = pairs[0].measure, comparison.settings.baseline
    means = comparison._ordered_means(measure)  # noqa: SLF001 - the order of its table
    run = next(iter(means)) if baseline is None else baseline
    found = {pair.a if run == pair.b else pair.b: pair for pair in pairs if run in (pair.a, pair.b)}
    own = {name: found[name] for name in means if name in found}
    winners = {name: comparison.winner(pair) for name, pair in own.items()}
    beats = tuple(name for name in own if winners[name] == run)
    beaten_by = tuple(name for name in own if winners[name] == name)
    undecided = tuple(name for name in own if winners[name] is None)

    def told(names: Sequence[str]) -> str:
        """The runs: a few by name with their numbers, many as a count."""
        if len(names) <= MOST_TOLD:
            # In favour of the best run, or of those that are compared with the baseline.
            return " and ".join(f"{name} ({numbers(own[name], name if baseline else run)})" for name in names)
        if len(names) <= MOST_NAMES:
            return joined(names)
        return "all other runs" if len(names) == len(own) else f"{len(names)} of the {len(own)} other runs"

    head = with_direction(comparison, measure)
    open_runs = undecided_words(comparison, {name: own[name] for name in undecided})
    if baseline is None:
        parts = [f"{head}: {run} has the best mean ({means[run]:.4f})"]
        parts += [f"beats {told(beats) if beats else 'no other run'}"]
        parts += [f"is beaten by {told(beaten_by)}"] if beaten_by else []
        parts += [f"cannot be told apart from {open_runs}"] if undecided else []
        text = ", ".join(parts)
    else:
        sides = [(names, word) for names, word in ((beaten_by, "better"), (beats, "worse")) if names]
        parts = [f"{told(names)} {'is' if len(names) == 1 else 'are'} {word}" for names, word in sides]
        parts += [f"no difference found for {open_runs}"] if undecided else []
        text = f"{head} against {run}: {'; '.join(parts)}"
    return VerdictLine(measure, run, beats, beaten_by, undecided, text)


def undecided_words(comparison: Comparison, pairs: Mapping[str, Pair]) -> str:
    """The runs that cannot be told apart, and what difference could have been seen."""
    names = list(pairs)
    if len(names) == 1 and not (reason := why_open(comparison, pairs[names[0]])).startswith(PLAIN):
        return f"{names[0]} (they {reason})"
    if len(names) > MOST_NAMES:
        names = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES} more"]
    sighted = [pair for pair in pairs.values() if not is_blind(comparison, pair)]
    if pairs and not sighted:
        return f"{joined(names)} ({too_few(next(iter(pairs.values())))})"
    seen = sorted(pair.detectable for pair in sighted if not math.isnan(pair.detectable))
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
    return p_words(pair.p_corrected) if math.isnan(pair.detectable) else f"could have seen {short(pair.detectable)}"


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
    return pair.wins + pair.ties + pair.losses


def too_few(pair: Pair) -> str:
    return f"{count(queries_of(pair), 'query is', 'queries are')} too few to find any difference"


def with_direction(comparison: Comparison, measure: str) -> str:
    return measure if comparison._sign(measure) > 0 else f"{measure} (lower is better)"  # noqa: SLF001 - its own


def in_favour(pair: Pair, run: str) -> tuple[float, float, float]:
    """The difference of a pair and its interval, as a run of the two gains it."""
    return (-pair.difference, -pair.high, -pair.low) if run == pair.a else (pair.difference, pair.low, pair.high)


def numbers(pair: Pair, run: str) -> str:
    """The difference in favour of a run, its interval and the corrected p-value, with as many digits as it takes."""
    difference, low, high = in_favour(pair, run)
    digits = max(map(digits_of, (difference / 10, low, high)))
    interval = "" if math.isnan(low) else f" [{low:.{digits}f}, {high:.{digits}f}]"
    return f"{difference:+.{digits}f}{interval}, {p_words(pair.p_corrected)}"


def short(value: float) -> str:
    return f"{value:.{digits_of(value)}f}"


def digits_of(value: float) -> int:
    """How many decimals show at least one digit of a number: from two to four.

    >>> digits_of(0.17), digits_of(0.004), digits_of(0.00001), digits_of(0.0)
    (2, 3, 4, 2)
    """
    # So small, a number is rounded to 0 by two decimals, and by three.
    return 2 + sum(0 < abs(value) < size for size in (0.005, 0.0005))


def joined(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def counted_words(results: Mapping[str, Result], pairs: Sequence[Pair]) -> str:
    """The queries that the means of a comparison are over, in words: those with a value in every run."""
    size = len(next(iter(results.values())).queries)
    total = count(size, "query", "queries")
    measures = dict.fromkeys(pair.measure for pair in pairs)
    numbers = {each: int(shared_queries(results.values(), each).sum()) for each in measures}
    different = {*numbers.values()}
    if different == {size}:
        return total
    text = f"{min(different):,} of {total} with a value in every run"
    if len(different) > 1:
        listed = ", ".join(f"{measure}: {each:,}" for measure, each in numbers.items())
        text = f"those of {total} with a value in every run ({listed})"
    is_more = any(queries_of(pair) > numbers[pair.measure] for pair in pairs)
    return text + ("; a pair is tested on all queries with a value in both runs" if is_more else "")
