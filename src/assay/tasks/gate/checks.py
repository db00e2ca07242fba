"""The checks of a gate: the minimum of a measure, and its drop against a baseline, each with its reason in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.errors import DataError, MeasureError, MismatchError
from assay.core.note import Note, NoteKind
from assay.core.text import Option, count, p_words
from assay.stats.intervals import FEWEST, ROUNDING, alike, detectable_difference, deviation
from assay.stats.paired import PAIRED_TESTS, constant_p, per_column, shifted_samples
from assay.stats.significance import correct
from assay.tasks.compare.ranks import Move, ranked_documents
from assay.tasks.gate.result import GateCheck, Rules

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from assay.core.judged import FloatArray
    from assay.results.result import Result
    from assay.stats.anchored import Anchored
    from assay.tasks.evaluate.api import Ranks

RUN, BASELINE = "run", "baseline"
# What a check is about if it is not a measure.
DOCUMENTS = "judged documents"
MOST_DIGITS = 12
WORST_QUERIES = 5


class Sides(NamedTuple):
    """The run and the baseline on the same queries, and the ranks of the documents if they were scored here."""

    run: Result
    baseline: Result | None
    ranks: Ranks | None

    def sign(self, name: str) -> int:
        return 1 if self.run.measures[name].definition.higher_is_better else -1


class Drop(NamedTuple):
    """How a measure changed: `changes` has the gain of each query, NaN if one side has no value."""

    name: str
    limit: float
    before: float
    changes: FloatArray
    size: float
    is_total: bool
    p: float = float("nan")
    p_corrected: float = float("nan")
    # The gain, as human labels anchor it.
    anchor: Anchored | None = None

    @property
    def counted(self) -> int:
        return int((~np.isnan(self.changes)).sum())

    @property
    def is_too_large(self) -> bool:
        return self.size > self.limit + ROUNDING * max(1.0, self.limit)

    def detectable(self, alpha: float) -> float:
        """The drop that this many queries detect with 80 % power."""
        if self.anchor is not None:
            return self.limit + self.anchor.detectable(2 * alpha)
        excess = detectable_difference(self.counted, 2 * alpha, deviation(self.changes[~np.isnan(self.changes)]))
        return self.limit + excess * (self.counted if self.is_total else 1)


def note_checks(judged: Collection[str], sides: Sides) -> list[GateCheck]:
    """A failed check for each side that barely overlaps the judgments, and for each judged measure without verdicts."""
    overlaps, verdicts = [], []
    for side, result in ((RUN, sides.run), (BASELINE, sides.baseline)):
        for note in () if result is None else result.notes:
            found, queries = (False, float(note.count), None), len(sides.run.queries)
            if note.kind is NoteKind.OVERLAP:
                overlaps.append(GateCheck(DOCUMENTS, "overlap", *found, f"{side}: {note}", queries))
            elif note.kind is NoteKind.FAILED_VERDICTS:
                names = [name for name in note.measures if name in judged]
                verdicts += [GateCheck(name, "verdicts", *found, f"{side}: {note.text}", queries) for name in names]
    return [*overlaps, *verdicts]


def minimum_check(name: str, limit: float, sides: Sides) -> GateCheck:
    value, sign = value_of(name, sides.run, RUN), sides.sign(name)
    passed = sign * (value - limit) >= -ROUNDING * max(1.0, abs(limit))
    shown, bound = (f"{value:.4f}", f"{limit:.4f}") if passed else apart(value, limit)
    reason = f"{shown} ({'minimum' if sign > 0 else 'maximum'} {bound})"
    if not passed:
        reason += f", {apart(abs(value - limit), 0.0)[0]} too {'low' if sign > 0 else 'high'}"
    scores = sides.run.scores[name]
    order = [each for each in np.argsort(sign * scores, kind="stable") if not np.isnan(scores[each])]
    worst = worst_of(name, order, sides, moved=False)
    return GateCheck(name, "minimum", passed, value, limit, reason, sides.run.counted(name), worst=worst)


def value_of(name: str, result: Result, side: str) -> float:
    """The one number of a measure, which must be finite."""
    value = result[name]
    if np.isnan(value) and not result.counted(name):
        raise DataError(f"the {side} has no value of {name} for any query; nothing to check")
    if not np.isfinite(value):
        raise DataError(f"{name} of the {side} is {value:g}; only finite values can be checked")
    return value


def drop_checks(
    limits: Mapping[str, float], sides: Sides, baseline: Result, rules: Rules, notes: list[Note]
) -> list[GateCheck]:
    tested = [name for name in limits if is_testable(name, sides)]
    others = [name for name in limits if name not in tested]
    if others and not rules.strict:
        why = f"{others[0]} is not a mean over queries, so its drop cannot be tested"
        raise MeasureError(f"{why}; set a minimum, or {Option('strict', value=True)}")
    drops = {name: drop_of(name, limit, sides, baseline, notes) for name, limit in limits.items()}
    if tested:
        chosen = [drops[name] for name in tested]
        # With the limit added, the mean of the changes is below zero if the drop is larger than the limit.
        beyond = [each.changes + (each.limit / each.counted if each.is_total else each.limit) for each in chosen]
        p_values = drop_p_values(np.stack(beyond, axis=1), rules.test, rules.draws, rules.seed)
        for place, drop in enumerate(chosen):
            if drop.anchor is not None:
                p_values[place] = drop.anchor.above(drop.limit)
        for name, p, corrected in zip(tested, p_values, correct(p_values, "holm"), strict=True):
            drops[name] = drops[name]._replace(p=float(p), p_corrected=float(corrected))
    return [drop_check(drop, sides, rules, rules.alpha / max(len(tested), 1)) for drop in drops.values()]


def is_testable(name: str, sides: Sides) -> bool:
    measure = sides.run.measures[name]
    return not measure.has_own_number and measure.definition.aggregate != "geometric"


def drop_of(name: str, limit: float, sides: Sides, baseline: Result, notes: list[Note]) -> Drop:
    """How a measure changed, over the queries with a value on both sides."""
    sign = sides.sign(name)
    after, before = value_of(name, sides.run, RUN), value_of(name, baseline, BASELINE)
    changes = sign * (sides.run.scores[name] - baseline.scores[name])
    is_total = sides.run.measures[name].definition.aggregate == "sum"
    whole = Drop(name, limit, before, changes, sign * (before - after), is_total)
    if not is_testable(name, sides):
        return whole
    known = changes[~np.isnan(changes)]
    if not len(known):
        raise DataError(f"no query has a value of {name} on both sides; nothing to compare")
    if left_out := len(changes) - len(known):
        notes.append(Note.of(NoteKind.UNDEFINED, about="drop", count=left_out, measures=[name]))
    if (anchor := anchored_gain(name, sides.run, baseline, sign)) is not None:
        return whole._replace(size=-anchor.value, anchor=anchor)
    size = -float(known.sum() if is_total else known.mean())
    if not np.isfinite(size):
        raise DataError(f"the drop of {name} is {size:g}; only finite values can be checked")
    return whole._replace(size=size)


def anchored_gain(name: str, run: Result, baseline: Result, sign: int) -> Anchored | None:
    """The gain, as human labels of both sides anchor it; None without any."""
    bare = [side for side, result in ((RUN, run), (BASELINE, baseline)) if name not in result.human]
    if len(bare) == 1:
        lacking = f"{name} of the {bare[0]} has no human labels, and the other side has"
        raise MismatchError(f"{lacking}; anchor both, or none")
    if bare:
        return None
    from assay.stats.anchored import anchored_mean

    scores, human = run.scores[name] - baseline.scores[name], run.human[name] - baseline.human[name]
    anchor = anchored_mean(sign * scores, sign * human)
    if anchor.human < FEWEST:
        raise DataError(f"{name}: no two queries have human labels on both sides; nothing to test")
    return anchor


def drop_check(drop: Drop, sides: Sides, rules: Rules, alpha: float) -> GateCheck:
    name, after, is_tested = drop.name, sides.run[drop.name], not np.isnan(drop.p)
    is_blind = drop.anchor is None and smallest_p(drop.counted, rules.test, rules.draws) >= alpha
    detectable = drop.detectable(alpha) if is_tested and not is_blind else float("nan")
    is_real = drop.p_corrected < rules.alpha
    is_open = is_tested and not is_real and 1 - drop.p >= rules.alpha
    # If the spread is unknown, because all changes are the same, no drop is known to be detectable.
    too_few = is_open and (drop.is_too_large or not detectable <= 2 * drop.limit)
    passed = not drop.is_too_large or (not is_real and not rules.strict)
    reason = f"{drop.before:.4f} → {after:.4f}, {drop_reason(drop, sides.sign(name), is_real=is_real, passed=passed)}"
    if too_few:
        most = "cannot detect any drop" if np.isnan(detectable) else f"only detect drops of {detectable:.4f} or more"
        reason += f"; too few queries to tell: {count(drop.counted, 'query', 'queries')} {most}"
    order = np.argsort(drop.changes, kind="stable")
    worst = worst_of(name, [number for number in order if drop.changes[number] < 0], sides, moved=True)
    found = (passed, after, drop.limit, reason, drop.counted, drop.before, drop.size, drop.p, drop.p_corrected)
    return GateCheck(name, "max_drop", *found, detectable, too_few, worst)


def drop_reason(drop: Drop, sign: int, *, is_real: bool, passed: bool) -> str:
    if abs(drop.size) <= ROUNDING:
        return "unchanged"
    if drop.size < 0:
        return f"improved by {-drop.size:.4f}"
    shown = apart(drop.size, drop.limit) if drop.is_too_large else (f"{drop.size:.4f}", f"{drop.limit:.4f}")
    reason = f"{'dropped' if sign > 0 else 'rose'} {shown[0]} (limit {shown[1]})"
    if np.isnan(drop.p) or not drop.is_too_large:
        return reason
    reason += f"; {'significant' if is_real else 'not significant'}, {p_words(drop.p_corrected)}"
    return reason if is_real or passed else f"{reason}, but the gate is strict"


def apart(first: float, second: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to tell them apart, at least four.

    >>> apart(0.431, 0.45), apart(0.44998, 0.45)
    (('0.4310', '0.4500'), ('0.44998', '0.45000'))
    """
    for digits in range(4, MOST_DIGITS):
        texts = f"{first:.{digits}f}", f"{second:.{digits}f}"
        if texts[0] != texts[1] or first == second:
            break
    return texts


def worst_of(name: str, numbers: list[int], sides: Sides, *, moved: bool) -> tuple[Move, ...]:
    """The first few of these queries, with the documents of runs that were scored here."""
    ranks, scores, moves = sides.ranks, sides.run.scores[name], []
    before = sides.baseline.scores[name] if moved and sides.baseline is not None else None
    has_both = before is not None and ranks is not None and (BASELINE, name) in ranks.judged
    for number in numbers[:WORST_QUERIES]:
        earlier = None if before is None else float(before[number])
        move = Move(sides.run.queries[number], earlier, float(scores[number]), ())
        if ranks is not None and (RUN, name) in ranks.judged:
            documents = ranked_documents(ranks, move.query, name, BASELINE if has_both else None, RUN)
            move = move._replace(documents=documents, ranked_before=has_both)
        moves.append(move)
    return tuple(moves)


def drop_p_values(changes: FloatArray, test: str, samples: int, seed: int) -> FloatArray:
    """The one-sided p-value per column: how often chance puts its mean as far below zero. NaN does not count.

    >>> drop_p_values(np.array([[-0.5, 0.5], [-0.25, 0.25], [-0.5, 0.5]]), "randomization", 100, 0)
    array([0.125, 0.875])
    """
    is_bootstrap = test == "bootstrap"
    both = per_column(changes, constant_p) if is_bootstrap else PAIRED_TESTS[test](changes, samples, seed, None)
    # The t test and the randomization test are symmetric; if changes are strongly skewed, the p-value is approximate.
    p_values: FloatArray = np.where(np.nansum(changes, axis=0) < 0, both / 2, 1 - both / 2)
    if not is_bootstrap:
        return p_values
    # The shifted bootstrap: how often queries resampled under no drop give a t statistic as low.
    spreads = per_column(changes, deviation)
    vary = np.flatnonzero(spreads)
    for defined, places in alike(changes[:, vary]):
        numbers = vary[places]
        values = changes[np.ix_(defined, numbers)]
        drawn_means, drawn_spreads = shifted_samples(values, samples, seed)
        reached = values.mean(axis=0) / spreads[numbers] * drawn_spreads
        hits = (drawn_means <= reached + ROUNDING * np.abs(reached)).sum(axis=0)
        p_values[numbers] = (hits + 1.0) / (samples + 1.0)
    return p_values


def smallest_p(count: int, test: str, samples: int) -> float:
    """The smallest p-value that this many queries can give."""
    if test == "randomization":
        return max(0.5**count, 0.5 / (samples + 1))
    if count < 2:  # noqa: PLR2004 - one query does not vary
        return 0.5
    return 1 / (samples + 1) if test == "bootstrap" else 0.0
