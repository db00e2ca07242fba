"""`next_judgments`: judgments and runs in; which pairs to judge next, and when that can change nothing, out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.conventions import find_convention
from assay.core.errors import MeasureError, PolicyError
from assay.core.policies import check_whole
from assay.core.text import Option, show, some
from assay.data.qrels import Qrels
from assay.tasks.evaluate.plan import resolve_measures
from assay.tasks.next.additive import cutoff_of, make_additive, not_additive
from assay.tasks.next.collect import Compared, collect_pairs, judgment_rows, named_runs, read_tops
from assay.tasks.next.pool import JudgmentPool, check_order
from assay.tasks.next.result import NextJudgments

DEPTH = 20
MEASURE = "dcg@10"
PAIR = 2


def next_judgments(
    qrels: object,
    runs: object,
    measure: Any = MEASURE,  # noqa: ANN401 - a name, or a measure
    *,
    order: str = "worth",
    depth: int = DEPTH,
    a: str | None = None,
    b: str | None = None,
    top_grade: float | None = None,
    lowest_grade: float | None = None,
    counts: Mapping[tuple[str, str], int] | None = None,
    wanted: int | None = None,
    seed: int = 0,
    convention: str = "assay",
    **policies: Any,  # noqa: ANN401 - checked by name
) -> NextJudgments:
    """Which documents to judge next for a comparison of runs, and whether any judgment can still change its sign.

    `qrels` are the judgments so far, or None. The pool has the first `depth` documents of each run.

    >>> import assay
    >>> runs = {"old": {"q1": ["d1", "d2", "d3"]}, "new": {"q1": ["d2", "d1", "d4"]}}
    >>> found = assay.next_judgments({"q1": {"d2": 1}}, runs, "dcg@3")
    >>> [(pair.document, round(pair.worth, 3)) for pair in found.pairs]
    [('d3', 0.5), ('d4', 0.5), ('d1', 0.369)]
    >>> print(found.settlement)  # doctest: +NORMALIZE_WHITESPACE
    not settled: dcg@3, new - old: +0.3691 over 1 query; further judgments can lead to -0.5000 to +0.8691;
    2 unjudged documents can still move it the other way; 2 more judgments settle it if none finds a relevant document

    `order` is `worth` (what can move the difference of runs `a` and `b` most comes first), `against` (the same, but
    what speaks for the run that is behind comes before the rest), `depth` (the best ranks first), `random` (by `seed`)
    or `votes`: the fewest votes first, where `counts` has the number of votes by query and document. Pairs with fewer
    than `wanted` votes stay in: by default 3 in that order, else those without any.

    Grades may be from `lowest_grade` to `top_grade`, by default those of the judgments so far, at least from 0 to 1:
    if higher ones are possible, say so. `found.settlement` is known for measures that are sums over ranks, such as
    `dcg@10`, `precision@10` and `rbp`; for others, `found.reason` says what to use. `found.pool.judge(…)` takes a
    judgment in without starting over.

    `policies` are those of `evaluate`, but for `order` and `depth`, which are those of the pool here:
    rankings are by score, and whole, unless the convention says otherwise.
    """
    check_order(order)
    if seed and order != "random":
        raise PolicyError(f"only the order random draws; leave out {Option('seed')}")
    how: dict[str, Any] = {"depth": depth, "a": a, "b": b, "grade_range": {"top": top_grade, "lowest": lowest_grade}}
    pool = make_pool(qrels, runs, measure, convention=convention, **how, **policies)
    if counts is not None:
        pool.count_votes(counts)
    return NextJudgments(pool, order, pool.rows(order, seed=seed, wanted=wanted))


def make_pool(
    qrels: object,
    runs: object,
    measure: Any = MEASURE,  # noqa: ANN401 - a name, or a measure
    *,
    depth: int = DEPTH,
    a: str | None = None,
    b: str | None = None,
    grade_range: Mapping[str, float | None] | None = None,
    convention: str = "assay",
    **policies: Any,  # noqa: ANN401 - checked by name
) -> JudgmentPool:
    """The pool of runs with the judgments so far; `grade_range` has the `lowest` and the `top` grade of a document."""
    check_whole("depth", depth, 1)
    resolved = resolve_measures(measure, find_convention(convention), policies)
    if len(resolved) > 1:
        raise MeasureError(f"one measure is needed, not {some(list(resolved))}")
    ((name, chosen),) = resolved.items()
    if chosen.policies.judged_only:
        removed = Option("judged_only", value=True)
        raise PolicyError(f"{removed} removes unjudged documents from rankings, so none is left to judge; leave it out")
    named = named_runs(runs)
    runs_compared, reason = two_runs(list(named), a, b)
    reason = not_additive(chosen.measure, chosen.policies) or reason
    known = read_judgments(qrels)
    values = np.zeros(0) if known is None else known.values
    compared, cutoff = None, cutoff_of(chosen.measure)
    reach: int | None = depth
    if not reason and runs_compared is not None:
        how = [(grade_range or {}).get(name) for name in ("lowest", "top")]
        compared = Compared(make_additive(chosen.measure, chosen.policies, values, *how), name, *runs_compared)
        reach = None if cutoff is None else max(depth, cutoff)
    found = read_tops(named, measure, top=reach, convention=convention, **policies)
    pairs = collect_pairs(found, depth, judgment_rows(known, found.queries, chosen.policies), compared)
    if not reason and not pairs.counted:
        left_out = [Option("missing", "skip")] if chosen.policies.missing == "skip" else []
        if chosen.policies.no_results != "zero":
            left_out.append(Option("no_results", chosen.policies.no_results))
        why = f" under {' and '.join(map(str, left_out))}" if left_out else ""
        reason = f"no query of the two runs counts{why}; there is nothing to compare"
    return JudgmentPool(pairs, depth, None if reason else compared, reason)


def two_runs(names: Sequence[str], a: str | None, b: str | None) -> tuple[tuple[str, str] | None, str]:
    """The two runs to compare, or why there are none."""
    for option, name in (("a", a), ("b", b)):
        if name is not None and name not in names:
            raise PolicyError(f"{Option(option)}: unknown run {show(name)}; the runs are {', '.join(map(show, names))}")
    if a is not None and a == b:
        raise PolicyError(f"{Option('a and b')}: {show(a)} is named twice; name two runs")
    if len(names) < PAIR:
        return None, "need two runs to compare, got 1"
    left = [name for name in names if name not in (a, b)]
    if len(names) > PAIR and (a is None or b is None):
        return None, f"{len(names)} runs; name the two to compare with {Option('a and b')}"
    return (a or left.pop(0), b or left.pop(0)), ""


def read_judgments(qrels: object) -> Qrels | None:
    """The judgments so far; None if there are none."""
    if qrels is None or isinstance(qrels, Qrels):
        return qrels
    if hasattr(type(qrels), "drawn_grades"):
        return qrels.qrels  # type: ignore[attr-defined, no-any-return]
    return None if hasattr(qrels, "__len__") and not len(qrels) else Qrels(qrels, duplicates=None)
