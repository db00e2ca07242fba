"""ranx's `compare` and its report, with assay's tests."""

from __future__ import annotations

import json
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.compat._ranx_files import StatTestError
from assay.core.text import show
from assay.render import Column, Marked, Table, marks_of, render, system_table
from assay.stats.paired import PAIRED_TESTS, TUKEY_TESTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas

    from assay.core.judged import FloatArray

# ranx's names for the tests: assay's, and what a caption calls them.
TESTS = {
    "student": ("t", "paired Student's t-test"),
    "fisher": ("randomization", "Fisher's randomization test"),
    "tukey": ("tukey", "Tukey's HSD test"),
}


class Report:
    """ranx's report: `results`, `comparisons`, `win_tie_loss`, and its output formats.

    `comparisons[{a, b}][metric]` has `p_value` and `significant`; the order of the two names does not matter. As in
    ranx, a metric that is NaN for a query has NaN as mean and p-values, and none of its differences is significant.
    """

    def __init__(
        self,
        scores: Mapping[str, Mapping[str, FloatArray]],
        metrics: Sequence[str],
        *,
        stat_test: str,
        n_permutations: int,
        max_p: float,
        random_seed: int,
        rounding_digits: int,
        show_percentages: bool,
    ) -> None:
        self.get_stat_test_label(stat_test)
        self.model_names = list(scores)
        self.metrics = list(metrics)
        self.stat_test, self.max_p = stat_test, max_p
        self.rounding_digits, self.show_percentages = rounding_digits, show_percentages
        self.results = {name: {m: float(np.mean(each[m])) for m in metrics} for name, each in scores.items()}
        self.comparisons = Comparisons()
        for metric in metrics:
            columns = {name: each[metric] for name, each in scores.items()}
            for pair, p in p_values(columns, stat_test, n_permutations, random_seed).items():
                self.comparisons.setdefault(frozenset(pair), {})[metric] = {"p_value": p, "significant": p <= max_p}
        self.win_tie_loss = {
            (a, b): {m: count_wins(scores[a][m], scores[b][m]) for m in metrics} for a, b in permutations(scores, 2)
        }

    def beaten(self, model: str, metric: str) -> list[str]:
        """The models that this one is significantly better than."""
        mean = self.results[model][metric]
        worse = (other for other in self.model_names if mean > self.results[other][metric])
        return [other for other in worse if self.comparisons[{model, other}][metric]["significant"]]

    def get_stat_test_label(self, stat_test: str) -> str:
        """What a test is called in a caption."""
        if stat_test not in TESTS:
            raise StatTestError(f"stat_test must be {' or '.join(map(repr, TESTS))}, not {show(stat_test)}")
        return TESTS[stat_test][1]

    def means(self) -> Table:
        """The means as a table of models and metrics, as ranx rounds them."""
        marks = marks_of(self.model_names)
        scale = 100 if self.show_percentages else 1
        digits = max(0, self.rounding_digits - 2) if self.show_percentages else self.rounding_digits
        columns = {}
        for metric in self.metrics:
            means = {name: self.results[name][metric] for name in self.model_names}
            ranking = sorted({mean for mean in means.values() if not np.isnan(mean)}, reverse=True)
            beaten = {name: tuple(marks[other] for other in self.beaten(name, metric)) for name in means}
            columns[Column(metric)] = [
                Marked(mean * scale, ranking.index(mean) if mean in ranking else -1, beaten[name], digits)
                for name, mean in means.items()
            ]
        test = self.get_stat_test_label(self.stat_test)
        blocks = " with queries as blocks" if self.stat_test == "tukey" else ""
        return system_table(marks, columns, f"Letters: better than these models by {test}{blocks}, p ≤ {self.max_p:g}")

    def to_table(self) -> str:
        """Aligned text."""
        return render(self.means(), "table").rstrip("\n")

    __str__ = __repr__ = to_table

    def to_latex(self) -> str:
        """A booktabs table."""
        return render(self.means(), "latex")

    def to_dict(self) -> dict[str, Any]:
        """Everything, nested as in ranx."""
        everything: dict[str, Any] = {name: getattr(self, name) for name in ("stat_test", "metrics", "model_names")}
        for model in self.model_names:
            others = [other for other in self.model_names if other != model]
            everything[model] = {
                "scores": self.results[model],
                "comparisons": {
                    other: {m: self.comparisons[{model, other}][m]["p_value"] for m in self.metrics} for other in others
                },
                "win_tie_loss": {other: self.win_tie_loss[model, other] for other in others},
            }
        return everything

    def to_dataframe(self) -> pandas.DataFrame:
        """The means: one row per model, one column per metric."""
        import pandas

        return pandas.DataFrame([{"model_names": name, **self.results[name]} for name in self.model_names])

    def save(self, path: str) -> None:
        """Writes `to_dict` as JSON."""
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - a path as ranx takes it
            json.dump(self.to_dict(), file, indent=4)

    def print_results(self) -> None:
        """Prints the means."""
        print(json.dumps(self.results, indent=4))  # noqa: T201 - as ranx does


class Comparisons(dict[frozenset[str], dict[str, dict[str, Any]]]):
    """Entries by two names, in any order and any kind of collection."""

    def __getitem__(self, key: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401 - any collection of two names
        return super().__getitem__(frozenset(key))


def p_values(
    columns: Mapping[str, FloatArray], stat_test: str, samples: int, seed: int
) -> dict[tuple[str, str], float]:
    """The p-value of each pair of models; NaN, as in ranx, if a query has no finite score in one of them."""
    defined = {name: scores for name, scores in columns.items() if np.isfinite(scores).all()}
    found = dict.fromkeys(combinations(columns, 2), float("nan"))
    pairs = list(combinations(defined, 2))
    if not pairs:
        return found
    test, _ = TESTS[stat_test]
    if test in TUKEY_TESTS:
        square = TUKEY_TESTS[test](np.stack(list(defined.values()), axis=1), samples, seed, None)
        place = {name: number for number, name in enumerate(defined)}
        return found | {(a, b): float(square[place[a], place[b]]) for a, b in pairs}
    tested = PAIRED_TESTS[test](np.stack([defined[b] - defined[a] for a, b in pairs], axis=1), samples, seed, None)
    return found | dict(zip(pairs, map(float, tested), strict=True))


def count_wins(a: FloatArray, b: FloatArray) -> dict[str, int]:
    """On how many queries `a` wins, ties and loses."""
    return {"W": int((a > b).sum()), "T": int((a == b).sum()), "L": int((a < b).sum())}
