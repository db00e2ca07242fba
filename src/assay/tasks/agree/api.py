"""`agree`: how far two sets of judgments or of scores agree, beyond what chance alone gives."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.core.errors import DataError, MismatchError, PolicyError
from assay.core.measure import Measure
from assay.core.policies import check_whole
from assay.core.text import Option, show
from assay.data.qrels import Qrels
from assay.data.run import run_names
from assay.stats.agreement import SCALES, WEIGHTS
from assay.stats.intervals import SAMPLES, check_level
from assay.tasks.agree.result import Agreement, AgreementSettings
from assay.tasks.agree.sides import judgment_agreement, score_agreement
from assay.tasks.evaluate.scores import is_given_scores, read_given_scores
from assay.tasks.vote.api import check_threshold

MOST_SAMPLES = 100_000


def agree(
    a: object,
    b: object,
    measures: str | Iterable[str | Measure] | None = None,
    *,
    runs: Mapping[str, object] | Sequence[object] | None = None,
    weights: str = "quadratic",
    metric: str = "ordinal",
    threshold: float | None = None,
    top: int = 10,
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = 0,
    names: Sequence[str] | None = None,
    convention: str | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Agreement:
    """How far two sets of judgments agree, or two sets of scores: people and a judge, or any other two.

    For judgments: Cohen's kappa, weighted kappa and Krippendorff's alpha over the documents that both judged, each with
    a bootstrap interval over queries, the confusion matrix and the largest disagreements. `a` is the side to trust,
    usually people.

    >>> import assay
    >>> human = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d4": 1, "d5": 0}, "q3": {"d6": 0, "d7": 2}}
    >>> judge = {"q1": {"d1": 2, "d2": 1, "d3": 1}, "q2": {"d4": 1, "d5": 0}, "q3": {"d6": 0, "d7": 1}}
    >>> found = assay.agree(human, judge)
    >>> print(found.verdict[0])
    moderate agreement (Landis and Koch 1977): kappa 0.58 [0.33, 1.00], fair to almost perfect
    >>> round(found["weighted_kappa"].value, 4), found.disagreements[0][:2]
    (0.7407, ('q1', 'd2'))

    `weights` are those of weighted kappa, `quadratic` or `linear` in the distance of two grades; `metric` is that of
    alpha: `nominal`, `ordinal` or `interval`. With a `threshold`, grades of at least that much are also compared as
    positives: kappa, the sensitivity and specificity of `b`, and the share of positives in all that `b` judged,
    corrected by them (Rogan and Gladen). Two grades have such a threshold of their own.

    With `runs`, the systems' order under both sets of judgments is compared as well: Kendall's tau and tau_AP of their
    means by each of the `measures` (by default ndcg@10), scored under a `convention` and its policies.

    Scores are results, stored results, numbers by query, or records with `scores`: for each of the `measures` that both
    sides have, Pearson's, Spearman's and Kendall's correlation over queries and the mean difference, and with a
    `threshold` kappa.

    `names` are what to call the two sides; files are called by their names.
    """
    for name, value, allowed in (("weights", weights, WEIGHTS), ("metric", metric, SCALES)):
        if value not in allowed:
            raise PolicyError(f"{name} must be {' or '.join(map(repr, allowed))}, not {show(value)}")
    check_level(level)
    check_whole("samples", samples, 1, MOST_SAMPLES)
    check_whole("seed", seed, 0)
    settings = AgreementSettings(weights, metric, check_threshold(threshold), level, samples, seed)
    check_whole("top", top, 0)
    called = name_sides(a, b, names)
    options = {"convention": convention, **policies}
    if runs is None and (unused := [name for name, value in options.items() if value is not None]):
        advice = f"leave it out, or add {Option('runs')}"
        raise PolicyError(f"{Option(unused[0])} is for scoring runs, and there are none; {advice}")
    said_by = measures if runs is None else None
    kinds = [not isinstance(side, Qrels) and is_given_scores(side, said_by) for side in (a, b)]
    if all(kinds):
        if runs is not None:
            raise DataError("runs are scored under two sets of judgments, and these are scores; leave out the runs")
        sides = read_given_scores(a, measures), read_given_scores(b, measures)
        return score_agreement(*sides, measures, names=called, settings=settings, top=top)
    if any(kinds):
        other, scores = called if kinds[1] else reversed(called)
        both = f"{show(other)} has judgments of documents and {show(scores)} has scores of queries"
        raise MismatchError(f"{both}; pass two of a kind")
    if runs is None and measures is not None:
        advice = f"leave them out, or add {Option('runs')}"
        raise PolicyError(f"measures are for runs and scores, and these are judgments; {advice}")
    judgments = [side if isinstance(side, Qrels) else Qrels(side) for side in (a, b)]
    scored = None if runs is None else (runs, measures, {"convention": convention or "assay", **policies})
    return judgment_agreement(*judgments, names=called, settings=settings, top=top, scored=scored)


def name_sides(a: object, b: object, names: Sequence[str] | None) -> tuple[str, str]:
    """What the two sides are called: as said, else after their files, else a and b."""
    if names is not None:
        called = [] if isinstance(names, str) else list(names)
        if [isinstance(name, str) and name != "" for name in called] != [True, True]:
            raise PolicyError(f"names must be two names, such as ['people', 'judge'], not {show(names)}")
        if called[0] == called[1]:
            raise PolicyError(f"both sides are called {show(called[0])}; give each a name of its own")
        return called[0], called[1]
    if isinstance(a, (str, os.PathLike)) and isinstance(b, (str, os.PathLike)):
        first, second = run_names([os.fspath(a), os.fspath(b)])
        return first, second
    return "a", "b"
