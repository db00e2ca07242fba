"""`Comparison`: what was found when systems were compared, and the tables that people publish of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import DataError
from assay.core.text import count, show
from assay.moves import Move, Moves, Ranks
from assay.render import Column, Exports, Table, render
from assay.render.grid import Cell, Grid, grid_html, grid_latex, grid_table, letters
from assay.result import finite
from assay.stats.paired import RESAMPLES, SIGN_FLIPS

if TYPE_CHECKING:
    import polars

    from assay.notes import Note
    from assay.results import Results

TEST_WORDS = {
    "randomization": "randomization test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed rank test",
    "sign": "sign test",
    "bootstrap": "shifted bootstrap test",
    "tukey": "Tukey HSD with queries as blocks",
    "tukey_randomized": "randomized Tukey HSD",
}
CORRECTION_WORDS = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "Benjamini and Hochberg's correction",
    "by": "Benjamini and Yekutieli's correction",
    "none": "no correction",
}
DEFAULT_SAMPLES = {"randomization": SIGN_FLIPS, "bootstrap": RESAMPLES, "tukey_randomized": RESAMPLES}


class Settings(NamedTuple):
    """How systems are compared."""

    test: str = "randomization"
    correction: str = "holm"
    family: str = "measure"
    alpha: float = 0.05
    samples: int | None = None
    seed: int = 0
    baseline: str | None = None

    def __str__(self) -> str:
        drawn = DEFAULT_SAMPLES.get(self.test)
        samples = f" samples={self.samples or drawn} seed={self.seed}" if drawn else ""
        return f"test={self.test}{samples} correction={self.correction} family={self.family} alpha={self.alpha:g}" + (
            f" baseline={self.baseline}" if self.baseline is not None else ""
        )

    @property
    def words(self) -> str:
        """The test and its correction as a caption has them."""
        if self.test.startswith("tukey"):
            return f"{TEST_WORDS[self.test]}, alpha = {self.alpha:g}"
        over = "the pairs of each measure" if self.family == "measure" else "all pairs and measures"
        corrected = CORRECTION_WORDS[self.correction]
        corrected = corrected if self.correction == "none" else f"{corrected} over {over}"
        return f"{TEST_WORDS[self.test]}, {corrected}, alpha = {self.alpha:g}"


class Pair(NamedTuple):
    """Two runs by one measure. `difference` is what `b` has more; a win is a query that `b` does better.

    `low` and `high` bound the difference; `detectable` is the smallest one that so many queries show in four of five
    cases.
    """

    measure: str
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    p_corrected: float
    cohen_d: float
    cliff_delta: float
    wins: int
    ties: int
    losses: int
    detectable: float


class Comparison(Exports):
    """Systems compared; see `assay.compare`. `pairs` holds a record for each pair and measure."""

    def __init__(
        self,
        pairs: list[Pair],
        results: Results,
        settings: Settings,
        notes: tuple[Note, ...],
        ranks: Ranks | None = None,
    ) -> None:
        self.pairs = pairs
        self.results = results
        self.settings = settings
        self.notes = notes
        self.ranks = ranks
        self.first = next(iter(results.results.values()))

    def __repr__(self) -> str:
        return f"<Comparison: {', '.join(self.results)}; {count(len(self.pairs), 'pair')}>"

    def __str__(self) -> str:
        return f"{render(self.table(), 'table')}\n{render(self.pair_table(), 'table')}".rstrip("\n")

    def pair(self, measure: str, a: str, b: str) -> Pair:
        """The comparison of two runs by one measure."""
        key = self.first.key(measure)
        for each in self.pairs:
            if (each.measure, each.a, each.b) == (key, a, b):
                return each
        raise DataError(f"{show(a)} and {show(b)} were not compared by {show(measure)} in that order")

    def is_significant(self, pair: Pair) -> bool:
        """Whether the difference is larger than chance makes it, after correction."""
        return pair.p_corrected < self.settings.alpha

    def queries(self, measure: str, a: str, b: str, *, top: int = 10) -> Moves:
        """The queries most helped and most hurt from `a` to `b`, with the ranks of their judged documents."""
        before, after = self.results[a], self.results[b]
        key = before.key(measure)
        sign = 1 if before.measures[key].definition.higher_is_better else -1
        moved = sign * (after.scores[key] - before.scores[key])
        order = np.argsort(-np.nan_to_num(moved), kind="stable")
        helped = [number for number in order if moved[number] > 0][:top]
        hurt = [number for number in order[::-1] if moved[number] < 0][:top]

        def move(number: int) -> Move:
            query = before.queries[number]
            documents = () if self.ranks is None else self.ranks.documents(query, a, b)
            return Move(query, float(before.scores[key][number]), float(after.scores[key][number]), documents)

        return Moves(key, a, b, tuple(map(move, helped)), tuple(map(move, hurt)))

    @property
    def signature(self) -> str:
        """Every choice that made the numbers, and the version."""
        return f"{self.first.signature} {self.settings}"

    @property
    def caption(self) -> str:
        """What the table shows, in words."""
        queries = count(len(self.first.queries), "query", "queries")
        return (
            f"Means over {queries}. Letters: better than these runs by the {self.settings.words}. {self.first.caption}"
        )

    def grid(self) -> Grid:
        """The means, one row a run and one column a measure, with what each run beats."""
        names = list(self.results)
        marks = dict(zip(names, letters(len(names)), strict=True))
        measures = list(dict.fromkeys(pair.measure for pair in self.pairs))
        columns = {measure: self._column(measure, marks) for measure in measures}
        return Grid([(marks[name], name) for name in names], columns, self.caption, tuple(map(str, self.notes)))

    def _column(self, measure: str, marks: dict[str, str]) -> list[Cell]:
        """The cells of one measure, one a run."""
        sign = 1 if self.first.measures[measure].definition.higher_is_better else -1
        beaten: dict[str, list[str]] = {}
        for pair in self.pairs:
            if pair.measure == measure and self.is_significant(pair):
                winner, loser = (pair.b, pair.a) if sign * pair.difference > 0 else (pair.a, pair.b)
                beaten.setdefault(winner, []).append(marks[loser])
        means = {name: self.results[name][measure] for name in marks}
        ranking = sorted({sign * mean for mean in means.values() if not np.isnan(mean)}, reverse=True)
        places = {mean: place for place, mean in enumerate(ranking)}
        return [Cell(mean, places.get(sign * mean, -1), tuple(beaten.get(name, ()))) for name, mean in means.items()]

    def table(self) -> Table:
        """One row a run, one column a measure."""
        return grid_table(self.grid())

    def pair_table(self) -> Table:
        """One row a pair and measure."""
        columns = (
            *(Column(name, is_text=True) for name in ("measure", "a", "b")),
            *(Column(name) for name in ("difference", "low", "high", "p", "p corrected", "cohen d", "cliff delta")),
            Column("wins/ties/losses", is_text=True),
            Column("detectable"),
        )
        rows = tuple(
            (
                *(pair.measure, pair.a, pair.b, pair.difference, pair.low, pair.high, pair.p, pair.p_corrected),
                *(pair.cohen_d, pair.cliff_delta, f"{pair.wins}/{pair.ties}/{pair.losses}", pair.detectable),
            )
            for pair in self.pairs
        )
        return Table(columns, rows)

    def to_latex(self) -> str:
        """A booktabs table: the best bold, the second underlined, superscripts that say which runs it beats."""
        return f"% {self.signature}\n{grid_latex(self.grid())}"

    def to_html(self) -> str:
        """An HTML table, escaped, as notebooks show it."""
        return grid_html(self.grid())

    def to_csv(self) -> str:
        """The pairs with every digit, comma-separated."""
        return render(self.records(), "csv")

    def to_tsv(self) -> str:
        """The pairs with every digit, tab-separated."""
        return render(self.records(), "tsv")

    def records(self) -> Table:
        """The pairs as they are stored, with the signature."""
        columns = tuple(Column(name, is_text=name in ("measure", "a", "b")) for name in Pair._fields)
        return Table(columns, tuple(tuple(pair) for pair in self.pairs), self.signature, tuple(map(str, self.notes)))

    def to_polars(self) -> polars.DataFrame:
        """One row a pair and measure."""
        import polars

        return polars.DataFrame([pair._asdict() for pair in self.pairs])

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects."""
        records = [
            {name: finite(value) if isinstance(value, float) else value for name, value in pair._asdict().items()}
            for pair in self.pairs
        ]
        notes = [{"kind": note.kind, "text": note.text} for note in self.notes]
        return {"signature": self.signature, **self.settings._asdict(), "comparisons": records, "notes": notes}

    def to_json(self) -> str:
        """The pairs, the notes and the signature."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
