"""`gate`: is a run good enough, and no worse than the baseline? For builds that should stop if it is not."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.core.errors import FileError, MeasureError, MismatchError, PolicyError
from assay.core.measure import Measure
from assay.core.text import Option, count, show, some
from assay.results.result import Result
from assay.results.results import align_by_query, check_computed_alike
from assay.stats.paired import TESTS_OF_MEANS
from assay.stats.significance import ComparisonSettings, check_settings
from assay.tasks.compare.ranks import Changed, add_texts
from assay.tasks.compare.read import HowToRead, finished_result, score_unscored
from assay.tasks.evaluate.score import warned
from assay.tasks.gate.checks import BASELINE, RUN, Sides, drop_checks, minimum_check, note_checks
from assay.tasks.gate.limits import by_meaning, check_has_limits, read_limits
from assay.tasks.gate.result import GateCheck, GateReport, Rules

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
    failed_verdicts: bool = False,
    test: str = "randomization",
    samples: int | None = None,
    seed: int = 0,
    queries: object = None,
    corpus: object = None,
    convention: str | None = None,
    format: str | None = None,
    threads: int | None = None,
    progress: bool = False,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> GateReport:
    """Checks that a run reaches minimum values, and that it did not drop against a baseline by more than allowed.

    >>> import assay
    >>> qrels = {f"q{n}": ["d"] for n in range(20)}
    >>> old, new = {q: ["d", "x"] for q in qrels}, {q: ["x", "d"] for q in qrels}
    >>> report = assay.gate(qrels, new, {"rr": 0.4}, baseline=old, max_drop={"rr": 0.1})
    >>> print(report.checks[0].reason)
    0.5000 (minimum 0.4000)
    >>> print(report.checks[1].reason)
    1.0000 → 0.5000, dropped 0.5000 (limit 0.1000); significant, p < 0.0001
    >>> report.passed
    False

    The value of each measure in `minimum` must reach that number. If lower is better, it is a maximum.

    A drop fails the gate only if it is larger than `max_drop` and significantly so. The test is paired and one-sided:
    `max_drop` is added to each query's change, and the test asks whether the mean is still below zero. If the true
    drop equals the limit, the gate fails with probability `alpha`. Holm's correction keeps this rate for the gate as
    a whole if several drops are checked. If the test is inconclusive, the gate passes; the reason says so if the drop
    is larger than the limit, or if the queries can only detect drops of more than twice the limit. `strict` fails
    every drop larger than the limit, significant or not. A run or a baseline that barely overlaps the
    judgments fails the gate whatever its limits, with the reason; so does a measure on which a judge failed for
    more than 5 % of the questions, unless `failed_verdicts` allows it.

    `run` and `baseline` are runs in any form, finished results, or files of either. If both are finished, nothing is
    scored, and a policy, a convention or a format is an error. `doc_id` finds the documents of chunks, as in
    `evaluate`, and `progress` shows bars on a terminal. `test` is `randomization`, `t` or `bootstrap`; the Wilcoxon and
    sign tests are about medians, and a limit is about a mean. `randomization` and `t` assume that changes are spread
    symmetrically, so `alpha` is only approximate if they are strongly skewed.

    With `queries` and `corpus`, the texts of questions and passages by id or files of them, the worst queries of a
    failed check are shown with the question, the first line of each passage, and the unjudged document that took the
    top.
    """
    for text in (queries, corpus):
        # Whether or not it will be needed.
        if isinstance(text, (str, os.PathLike)) and not Path(text).exists():
            raise FileError(f"file {show(text)} not found")
    rules = check_rules(Rules(alpha, strict, test, samples, seed))
    floors, drops = read_limits(minimum, "minimum"), read_limits(max_drop, "max_drop")
    check_has_limits(floors, drops, baseline)
    # The baseline does not need measures that only have a minimum.
    names = {RUN: list(dict.fromkeys([*floors, *drops])), BASELINE: list(drops)}
    data = {RUN: run} if baseline is None else {RUN: run, BASELINE: baseline}
    sides = score_sides(qrels, data, names, HowToRead(convention, threads, format, policies, progress=progress))
    for option, limits in (("minimum", floors), ("max_drop", drops)):
        # Two names can mean the same measure.
        by_meaning(limits.items(), lambda name: (sides.run.measures[name], sides.run.policies_of(name)), option)
    warned(sides.run)
    notes = list(sides.run.notes)
    checks = note_checks(() if failed_verdicts else names[RUN], sides)
    checks += [minimum_check(name, limit, sides) for name, limit in floors.items()]
    if sides.baseline is not None:
        warned(sides.baseline, BASELINE)
        checks += drop_checks(drops, sides, sides.baseline, rules, notes)
    if (queries is not None or corpus is not None) and not all(check.passed for check in checks):
        checks = explain_checks(checks, sides, queries, corpus)
    return GateReport(tuple(checks), rules, tuple(notes), sides.run, sides)


def explain_checks(checks: list[GateCheck], sides: Sides, queries: object, corpus: object) -> list[GateCheck]:
    """The checks, those that failed with texts in their worst queries."""
    failed = []
    for check in (each for each in checks if not each.passed):
        has_both = any(move.before is not None and move.ranked_before for move in check.worst)
        failed.append(Changed(check.worst, check.measure, BASELINE if has_both else None, RUN))
    worst = iter(add_texts(failed, sides.ranks, queries, corpus))
    return [check if check.passed else check._replace(worst=next(worst)) for check in checks]


def check_rules(rules: Rules) -> Rules:
    if rules.test not in TESTS_OF_MEANS:
        raise PolicyError(f"test must be {' or '.join(map(repr, TESTS_OF_MEANS))}, not {show(rules.test)}")
    known = check_settings(ComparisonSettings(rules.test, alpha=rules.alpha, samples=rules.samples, seed=rules.seed))
    if known.alpha >= HIGHEST_ALPHA:
        raise PolicyError(f"alpha must be below {HIGHEST_ALPHA}, such as 0.05, not {show(known.alpha)}")
    if not isinstance(rules.strict, bool):
        raise PolicyError(f"strict must be True or False, not {show(rules.strict)}")
    return rules._replace(alpha=known.alpha, samples=known.samples, seed=known.seed)


def score_sides(qrels: object, data: dict[str, object], names: dict[str, list[str]], reading: HowToRead) -> Sides:
    """The results of both sides, on the same queries; runs are scored."""
    results, unscored, ranks = {}, {}, None
    for side, each in data.items():
        if (result := finished_result(each)) is None:
            unscored[side] = each
            continue
        try:
            results[side] = result.only(names[side])
        except MeasureError as error:
            raise MeasureError(f"a measure is missing from the {side}: {error}") from None
    if unscored:
        scored, ranks = score_unscored(qrels, unscored, names[RUN], reading)
        known = next(iter(scored.values())).measures
        if unknown := [name for name in names[RUN] if name not in known]:
            several = ", ".join(each for each in known if each not in names[RUN])
            raise MeasureError(f"{show(unknown[0])} names several measures; set a limit for each: {several}")
        results |= scored
    else:
        reading.check_unused()
    run, baseline = results[RUN], results.get(BASELINE)
    # Two runs that were scored here are computed alike.
    is_aligned = len(unscored) == len(data) and baseline is not None and run.queries == baseline.queries
    if baseline is not None and not is_aligned:
        baseline = align_baseline(run, baseline, names[BASELINE])
    return Sides(run, baseline, ranks)


def align_baseline(run: Result, baseline: Result, names: list[str]) -> Result:
    """The baseline with its queries in the order of the run; raises unless both are comparable."""
    for name in names:
        try:
            check_computed_alike(name, run, baseline)
        except MismatchError as error:
            raise MismatchError(f"run and baseline cannot be compared: {error}") from None
    known = set(baseline.queries)
    if known.isdisjoint(run.queries):
        both = f"the run has {some(run.queries)}, the baseline has {some(baseline.queries)}"
        raise MismatchError(f"run and baseline have no query in common: {both}")
    lacking = {"baseline": [each for each in run.queries if each not in known], "run": sorted(known - {*run.queries})}
    for side, missing in lacking.items():
        if missing:
            said = f"{count(len(missing), 'query', 'queries')} missing from the {side}: {some(missing)}"
            advice = f"score both with the same judgments and {Option('missing', 'zero')}, or save a new baseline"
            raise MismatchError(f"{said}; {advice}")
    return align_by_query(baseline, run.queries)
