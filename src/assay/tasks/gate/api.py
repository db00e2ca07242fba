"""`gate`: whether a system is good enough, and no worse than before, so that a build can stop if it is not."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, MeasureError, MismatchError, PolicyError
from assay.core.text import count, show, some
from assay.results.align import align_by_query, check_computed_alike
from assay.results.result import Result
from assay.results.stored import is_stored, load_result
from assay.stats.drop import TESTS_OF_MEANS
from assay.stats.significance import ComparisonSettings, check_settings
from assay.tasks.compare.api import read_runs
from assay.tasks.evaluate.api import Scorer, make_scorer
from assay.tasks.gate.checks import BASELINE, RUN, Sides, drop_checks, minimum_check
from assay.tasks.gate.limits import check_asked, check_spellings, read_limits
from assay.tasks.gate.result import GateReport, Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay._kernel import Progress
    from assay.core.measure import Measure

HIGHEST_ALPHA = 0.5


def gate(
    qrels: object,
    run: object,
    minimum: Mapping[str | Measure, float] | None = None,
    *,
    baseline: object = None,
    max_drop: Mapping[str | Measure, float] | None = None,
    alpha: float = 0.05,
    strict: bool = False,
    test: str = "randomization",
    samples: int | None = None,
    seed: int = 0,
    convention: str | None = None,
    format: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> GateReport:
    """Checks that a run reaches a minimum, and that it lost no more than allowed against a baseline.

    >>> import assay
    >>> qrels = {f"q{n}": ["d"] for n in range(20)}
    >>> old, new = {q: ["d", "x"] for q in qrels}, {q: ["x", "d"] for q in qrels}
    >>> report = assay.gate(qrels, new, {"rr": 0.4}, baseline=old, max_drop={"rr": 0.1})
    >>> print(report.checks[0].reason)
    0.5000, at least 0.4000 is asked
    >>> print(report.checks[1].reason)
    0.5000 after 1.0000: worse by 0.5000 where 0.1000 is allowed; chance does not explain it (p < 0.0001)
    >>> report.passed
    False

    `minimum` is checked as it stands: the value must reach it. For a measure where lower is better it is the most that
    the value may be.

    A drop fails the gate only where it is larger than `max_drop` and a test says that this is no chance. `max_drop` is
    added to each query's change, and a one-sided paired test asks whether the mean of that is below zero: a gate acts
    on nothing but a drop, so all of `alpha` goes to that side, and a build whose true drop is just the allowed one
    fails by chance in one of 1 / `alpha` cases. Where several drops are checked, Holm's correction keeps that for the
    gate as a whole. Where the queries leave open whether more was lost than allowed, the gate passes, and the reason
    says so if the drop is larger than allowed or if they show only drops of more than twice the limit. `strict` fails
    every drop that is larger than allowed, whatever the test says.

    `run` and `baseline` are runs in any form, finished results, or files of either. Where both are finished, nothing
    is scored, and a policy, a convention or a format is an error. `test` is `randomization`, `t` or
    `bootstrap`; Wilcoxon's and the sign test are about medians, and a limit is about a mean. Sign flips and t take
    changes to spread alike to both sides, so where they are strongly skewed `alpha` is approximate.
    """
    rules = checked(Rules(alpha, strict, test, samples, seed))
    floors, drops = read_limits(minimum, "minimum"), read_limits(max_drop, "max_drop")
    check_asked(floors, drops, baseline)
    # The baseline needs no measure that has a minimum only.
    asked = {RUN: list(dict.fromkeys([*floors, *drops])), BASELINE: list(drops)}
    data = {RUN: run} if baseline is None else {RUN: run, BASELINE: baseline}
    chosen = policies if convention is None else {"convention": convention, **policies}
    sides = evaluated(qrels, data, asked, Reading(format, threads, progress), chosen)
    check_spellings(floors, sides.run, "minimum")
    check_spellings(drops, sides.run, "max_drop")
    notes = list(sides.run.notes)
    checks = [minimum_check(name, limit, sides) for name, limit in floors.items()]
    if sides.baseline is not None:
        checks += drop_checks(drops, sides, sides.baseline, rules, notes)
    return GateReport(tuple(checks), rules, str(sides.run.signature), tuple(notes))


def checked(rules: Rules) -> Rules:
    """The rules, once they are known to be possible, with as many samples as the test draws."""
    if rules.test not in TESTS_OF_MEANS:
        raise PolicyError(f"test must be {' or '.join(map(repr, TESTS_OF_MEANS))}, not {show(rules.test)}")
    known = check_settings(
        ComparisonSettings(test=rules.test, alpha=rules.alpha, samples=rules.samples, seed=rules.seed)
    )
    samples = known.samples
    rules = rules._replace(alpha=known.alpha, seed=known.seed)
    if rules.alpha >= HIGHEST_ALPHA:
        raise PolicyError(f"alpha must be below {HIGHEST_ALPHA}, such as 0.05, not {show(rules.alpha)}")
    if not isinstance(rules.strict, bool):
        raise PolicyError(f"strict must be True or False, not {show(rules.strict)}")
    return rules._replace(samples=samples)


class Reading(NamedTuple):
    """How runs are read."""

    format: str | None
    threads: int | None
    progress: Progress | None


def evaluated(
    qrels: object, data: dict[str, object], asked: dict[str, list[str]], reading: Reading, options: dict[str, Any]
) -> Sides:
    """The results of both sides, on the same queries; what is no result yet is scored."""
    finished = {side: finished_result(each) for side, each in data.items()}
    results = {side: picked(side, each, asked[side]) for side, each in finished.items() if each is not None}
    unscored = {side: each for side, each in data.items() if side not in results}
    ranks = None
    if unscored:
        scorer = scorer_of(qrels, asked[RUN], {"threads": reading.threads, **options})
        # Progress is that of the run, which is read first; the baseline is read in silence.
        shown = iter([reading.progress] if RUN in unscored else [])
        scored, ranks = read_runs(
            scorer, unscored, format=reading.format, watch=lambda _: nullcontext(next(shown, None))
        )
        results |= scored
    else:
        what = "the run is a finished result" if len(data) == 1 else "both sides are finished results"
        check_unused(reading.format, options, what)
    run, baseline = results[RUN], results.get(BASELINE)
    return Sides(run, None if baseline is None else paired(run, baseline, asked[BASELINE]), ranks)


def check_unused(format: str | None, options: dict[str, Any], reason: str) -> None:
    """Raises if something is said about how runs are scored, and none is."""
    unused = [*options, *([] if format is None else ["format"])]
    if unused:
        raise PolicyError(f"{unused[0]} cannot be set here: {reason}, and nothing is scored; leave it out")


def finished_result(data: object) -> Result | None:
    """The result that the data is or that a file holds; nothing for a run."""
    if isinstance(data, (str, os.PathLike)) and is_stored(data):
        return load_result(data)
    return data if isinstance(data, Result) else None


def picked(side: str, result: Result, names: list[str]) -> Result:
    """A finished result with the measures asked for, under the names asked for."""
    try:
        return result.only(names)
    except MeasureError as error:
        raise MeasureError(f"the {side} lacks a measure: {error}") from None


def scorer_of(qrels: object, names: list[str], options: dict[str, Any]) -> Scorer:
    """What scores both runs."""
    if qrels is None:
        raise DataError("without judgments only finished results can be checked; give the judgments to score a run")
    scorer = make_scorer(qrels, names, **options)
    for name in names:
        if name not in scorer.measures:
            several = ", ".join(each for each in scorer.measures if each not in names)
            raise MeasureError(f"{show(name)} stands for several measures; set a limit for each of {several}")
    return scorer


def paired(run: Result, baseline: Result, names: list[str]) -> Result:
    """The baseline with its queries in the order of the run's, if both are of the same and computed alike."""
    for name in names:
        try:
            check_computed_alike(name, run, baseline)
        except MismatchError as error:
            raise MismatchError(f"run and baseline cannot be compared: {error}") from None
    places = {query: place for place, query in enumerate(baseline.queries)}
    if places.keys().isdisjoint(run.queries):
        raise MismatchError(
            f"run and baseline have no query in common: the run has {some(run.queries)}, "
            f"the baseline has {some(baseline.queries)}"
        )
    check_sides("baseline", [query for query in run.queries if query not in places])
    check_sides("run", sorted(places.keys() - set(run.queries)))
    return align_by_query(baseline, run.queries)


def check_sides(side: str, missing: list[str]) -> None:
    """Raises if one side has queries that the other lacks."""
    if missing:
        raise MismatchError(
            f"the {side} lacks {count(len(missing), 'query', 'queries')} of the other side: {some(missing)}; "
            'score both with the same judgments and missing="zero", or save a new baseline'
        )
