"""`Comparison`: what `compare` found, and the tables to publish."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import DataError, PolicyError
from assay.core.policies import Signature, check_whole
from assay.core.text import Option, count, printable, show
from assay.render import Column, Exports, Marked, Table, finite, json_fields, markdown, marks_of, render, system_table
from assay.render.table import lines_below, places_of
from assay.render.text import terminal_width, to_text, wrapped
from assay.results.result import ANCHOR_FIELDS, Result, anchor_fields, symbols_of
from assay.results.results import Results, shared_means
from assay.stats.pairs import Pair
from assay.tasks.compare.diff import Diff, find_diff
from assay.tasks.compare.read import ScoredRuns

if TYPE_CHECKING:
    import polars

    from assay.core.measure import Measure
    from assay.core.note import Note
    from assay.render.charts import Chart
    from assay.stats.anchored import Anchored
    from assay.stats.significance import ComparisonSettings
    from assay.tasks.compare.verdict import ComparisonVerdict
    from assay.tasks.evaluate.api import Ranks

SMALLEST_SHOWN = 0.00005
PAIRS = ("all", "significant", "none")
# So many runs are shown as given, with all pairs; more are sorted, with the significant pairs.
FEW_RUNS = 3
ROUNDED = 12
PAIR_COLUMNS = (
    *(Column(name, is_text=True) for name in ("measure", "a", "b")),
    *(Column(name) for name in ("difference", "low", "high", "p", "p corrected", "cohen d", "cliff delta")),
    Column("wins/ties/losses", is_text=True),
    Column("detectable"),
)
# What of a pair is logged.
METRICS = ("difference", "low", "high", "p", "p_corrected")


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Exports):
    """Systems compared; see `assay.compare`. `pairs` has one record per pair and measure.

    A pickle leaves out the judgments and the rankings, as measures rank documents again with functions that cannot be
    pickled: `queries` of it comes without documents. What `queries` gave before can be pickled with them.
    """

    pairs: list[Pair]
    results: Results
    settings: ComparisonSettings
    notes: tuple[Note, ...]
    _ranks: Ranks | None = None
    # The measure and runs of each pair where the means and the test point different ways.
    _split: frozenset[tuple[str, ...]] = frozenset()
    # How human labels anchor each pair, by measure and runs.
    _anchors: Mapping[tuple[str, str, str], Anchored] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_ranks": None}

    def __copy__(self) -> Comparison:
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Comparison:
        return replace(self, pairs=list(self.pairs), results=deepcopy(self.results, memo))

    def __repr__(self) -> str:
        return printable(f"<Comparison: {', '.join(self.results)}; {count(len(self.pairs), 'pair')}>")

    def __str__(self) -> str:
        return self.to_text(width=terminal_width())

    def to_text(self, *, pairs: str | None = None, sort: str | None = None, width: int | None = None) -> str:
        """The verdict, the runs and the pairs, as they are printed; with `width`, in at most so many columns.

        `sort` is the measure that orders the runs, best first, or `"name"` or `"given"`. `pairs` is `"all"`,
        `"significant"` or `"none"`. By default two or three runs are shown as given, with all pairs; more are sorted by
        the first measure, with the significant pairs.
        """

        def lines(texts: Iterable[str]) -> str:
            return "".join(f"{wrapped(printable(text), width)}\n" for text in texts)

        shown = self._pair_table(pairs)
        found = to_text(shown, width) if shown.rows else lines(lines_below(shown, "note: "))
        return "\n".join([lines(self.verdict.texts), to_text(self._means(sort), width), found]).rstrip("\n")

    @cached_property
    def verdict(self) -> ComparisonVerdict:
        """What was found, in words: one line per measure. `str()` is the text, `lines` has it as data."""
        from assay.tasks.compare.verdict import ComparisonVerdict, tell_many, tell_pair

        by_measure: dict[str, list[Pair]] = {}
        for pair in self.pairs:
            by_measure.setdefault(pair.measure, []).append(pair)
        tell = tell_pair if len(self.results) == 2 else tell_many  # noqa: PLR2004 - a pair
        return ComparisonVerdict(tuple(tell(self, pairs) for pairs in by_measure.values()))

    def _ordered_means(self, measure: str) -> dict[str, float]:
        """The mean of each run, the best first; one without a value comes last."""
        means = dict(zip(self.results, shared_means(self.results.results.values(), measure), strict=True))
        if len(self.results) == 2 and self._anchors:  # noqa: PLR2004 - a pair
            # Two runs have means that differ by their anchored difference.
            (pair,) = (each for each in self.pairs if each.measure == measure)
            means |= {pair.a: pair.mean_a, pair.b: pair.mean_b}
        # Means that differ only by rounding stay in the order given.
        order = np.argsort(-self._sign(measure) * np.round(list(means.values()), ROUNDED), kind="stable")
        names = list(means)
        return {names[number]: float(means[names[number]]) for number in order}

    def pair(self, measure: str, a: str, b: str) -> Pair:
        """The comparison of two runs by one measure."""
        wanted = (self._first.key(measure), a, b)
        if found := [each for each in self.pairs if each[:3] == wanted]:
            return found[0]
        raise DataError(f"{show(a)} was not compared with {show(b)} by {show(measure)}; the order of the runs matters")

    def anchored(self, pair: Pair) -> Anchored | None:
        """How human labels anchor the difference of a pair; None if there are none."""
        return self._anchors.get(pair[:3])

    def _fields(self, pair: Pair) -> dict[str, Any]:
        """A pair by field, with what human labels there are."""
        return pair._asdict() | anchor_fields(self.anchored(pair))

    def is_significant(self, pair: Pair) -> bool:
        """Whether the difference is significant after correction: `p_corrected` is below `alpha`."""
        return pair.p_corrected < self.settings.alpha

    def winner(self, pair: Pair) -> str | None:
        """The run that is significantly better; None if neither is."""
        if not self.is_significant(pair) or pair.difference == 0 or pair[:3] in self._split:
            return None
        return pair.b if self._sign(pair.measure) * pair.difference > 0 else pair.a

    @property
    def _first(self) -> Result:
        return next(iter(self.results.results.values()))

    def _sign(self, measure: str) -> int:
        return 1 if self._first.measures[measure].definition.higher_is_better else -1

    def queries(
        self, measure: str, a: str, b: str, *, top: int = 10, queries: object = None, corpus: object = None
    ) -> Diff:
        """The queries most helped and most hurt from `a` to `b`, with the ranks of their judged documents.

        The documents that moved the measure most come first. With `queries` and `corpus`, the texts of questions and
        passages by id or files of them, also the question, the first line of each passage, and the unjudged document
        that took the top; for it the runs are read once more.
        """
        check_whole("top", top, 1)
        scored = ScoredRuns(self.results.results, self._ranks)
        return find_diff(scored, measure, a, b, top=top, queries=queries, corpus=corpus)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        queries: object = None,
        corpus: object = None,
        slices: Sequence[str] = (),
        top: int = 20,
        title: str = "assay report",
        reproduce: str = "",
    ) -> None:
        """Writes a self-contained HTML page: from the verdict down to the rankings and passages of each query.

        `queries` and `corpus` are the texts of questions and passages, by id or files of them. `slices` are fields of
        the questions, such as a language, whose values divide the queries; `length` needs no field. `top` is how many
        documents of each ranking are shown; unless they were kept, the runs are read once more. `reproduce` is the code
        or the command that made it, to be shown. `assay.load_report` reads the results back.
        """
        from assay.tasks.compare.report import Shown, comparison_core, held, write_report

        ranks, shown = held(self._ranks), Shown(queries, corpus, slices, top, title, reproduce)
        write_report(comparison_core(replace(self, _ranks=ranks), title), self.results, ranks, path, shown)

    def plot(
        self,
        kind: str = "differences",
        *,
        measure: str | Measure | None = None,
        a: str | None = None,
        b: str | None = None,
    ) -> Chart:
        """A chart: docs/charts.md has every kind. `a` and `b` are two runs; differences can be those with `a` only."""
        from assay.render.charts.kinds import Choice, draw
        from assay.tasks.compare.plot import material

        owner = "a comparison" if self._ranks is not None else "a comparison of finished results"
        return draw(kind, owner, material(self), Choice(measure, a, b), runs=len(self.results))

    @property
    def signature(self) -> Signature:
        """Every choice that made the numbers, and the version."""
        return self._first.signature.with_details(printable(str(self.settings)), owner="comparison")

    @property
    def caption(self) -> str:
        """What the table of means shows, in words."""
        return f"Means over {self._counted()}. {self._letters}"

    @property
    def _letters(self) -> str:
        """What the letters after the means say."""
        baseline = self.settings.baseline
        only = "" if baseline is None else f". Each run is compared with the baseline {show(baseline)} only"
        return f"Letters: significantly better than these runs by the {self.settings.words}{only}"

    def _counted(self) -> str:
        """The queries that the means are over, in words."""
        from assay.tasks.compare.verdict import counted_words

        return counted_words(self.results.results, self.pairs)

    def _means(self, sort: str | None = None) -> Table:
        """The means over the queries with a value in every run, with the runs that each run beats."""
        if sort == "given" or (sort is None and len(self.results) <= FEW_RUNS):
            order = list(self.results)
        elif sort == "name":
            order = sorted(self.results)
        else:
            order = list(self._ordered_means(self.pairs[0].measure if sort is None else self._first.key(sort)))
        marks, symbols = marks_of(order), symbols_of(self._first)
        measures = dict.fromkeys(pair.measure for pair in self.pairs)
        columns = {Column(name, symbol=symbols[name]): self._column(name, marks) for name in measures}
        return system_table(marks, columns, f"Means over {self._counted()}")._replace(legend=self._letters)

    def _column(self, measure: str, marks: dict[str, str]) -> list[Marked]:
        """The means of one measure, one per run."""
        beaten: dict[str, list[str]] = {}
        for pair in self.pairs:
            if pair.measure == measure and (winner := self.winner(pair)):
                beaten.setdefault(winner, []).append(marks[pair.a if winner == pair.b else pair.b])
        means = self._ordered_means(measure)
        placed = zip(marks, places_of([self._sign(measure) * means[name] for name in marks]), strict=True)
        return [Marked(means[name], place, tuple(beaten.get(name, ()))) for name, place in placed]

    def table(self) -> Table:
        """One row per run, one column per measure."""
        return self._means()._replace(notes=(*map(str, self.notes), self.signature.short))

    def _pair_table(self, pairs: str | None) -> Table:
        """One row per pair and measure to show, with the notes and the signature."""
        if pairs not in (None, *PAIRS):
            raise PolicyError(f"pairs must be {' or '.join(map(repr, PAIRS))}, not {show(pairs)}")
        pairs = pairs or ("all" if len(self.results) <= FEW_RUNS else "significant")
        significant = [pair for pair in self.pairs if self.is_significant(pair)]
        chosen = {"all": self.pairs, "significant": significant, "none": []}[pairs]
        notes = [str(note) for note in self.notes]
        if len(chosen) < len(self.pairs):
            hidden = f"{len(significant):,} of {count(len(self.pairs), 'comparison')} significant"
            notes.insert(0, f"{hidden}; {Option('pairs', 'all')} shows all")
        rows = []
        for pair in chosen:
            # Smaller p-values would round to 0.
            p_values = ("<0.0001" if p < SMALLEST_SHOWN else p for p in (pair.p, pair.p_corrected))
            counts, more = f"{pair.wins}/{pair.ties}/{pair.losses}", anchor_fields(self.anchored(pair)).values()
            head = (pair.measure, pair.a, pair.b, pair.difference, pair.low, pair.high)
            rows.append((*head, *p_values, pair.cohen_d, pair.cliff_delta, counts, pair.detectable, *more))
        columns = (*PAIR_COLUMNS, *(map(Column, ANCHOR_FIELDS) if self._anchors else ()))
        return Table(columns, tuple(rows), self.signature.summary, tuple(notes), self.signature.hint)

    def to_markdown(
        self,
        *,
        digits: int | None = None,
        caption: str | None = None,
        pairs: str | None = None,
        sort: str | None = None,
    ) -> str:
        """The verdict as a list, and two Markdown tables: the runs, the best bold and the second underlined, the pairs.

        `pairs` and `sort` are those of `to_text`.
        """
        verdict = "".join(f"- {markdown(text)}\n" for text in self.verdict.texts)
        tables = (self._means(sort).styled(digits, caption), self._pair_table(pairs).styled(digits))
        return "\n".join([verdict, *(render(table, "markdown") for table in tables)])

    def to_latex(
        self,
        *,
        digits: int | None = None,
        caption: str | None = None,
        label: str | None = None,
        sort: str | None = None,
    ) -> str:
        """A booktabs table: the best bold, the second underlined, superscripts for the runs that each run beats.

        `sort` is that of `to_text`.
        """
        table = self._means(sort)._replace(notes=tuple(map(str, self.notes))).styled(digits, caption, label)
        return f"% {self.signature}\n{render(table, 'latex')}"

    def to_html(self, *, pairs: str | None = None, sort: str | None = None) -> str:
        """The verdict and two HTML tables, escaped, as notebooks show them: the runs and the pairs, as in `to_text`."""
        from html import escape

        verdict = "".join(f"<li>{escape(printable(text))}</li>" for text in self.verdict.texts)
        tables = (self._means(sort), self._pair_table(pairs))
        return f"<ul>{verdict}</ul>" + "".join(render(table, "html") for table in tables)

    def to_csv(self) -> str:
        """The pairs with every digit, comma-separated, and the signature in each row."""
        return self._write_pairs("csv")

    def to_tsv(self) -> str:
        """The pairs with every digit, tab-separated, and the signature in each row."""
        return self._write_pairs("tsv")

    def _write_pairs(self, format: str) -> str:
        records = self._records()
        names = dict.fromkeys(name for record in records for name in record)
        return render(Table(tuple(map(Column, names)), tuple(tuple(record.values()) for record in records)), format)

    def _records(self) -> list[dict[str, Any]]:
        said = {"signature": str(self.signature)}
        return [self._fields(pair) | said for pair in self.pairs]

    def to_polars(self) -> polars.DataFrame:
        """One row per pair and measure, and the signature in each."""
        import polars

        return polars.DataFrame(self._records())

    def to_mlflow(self) -> dict[str, float]:
        """Differences, their intervals and p-values by names that MLflow takes, as `b_vs_a/measure_difference`."""
        from assay.results.mlflow import grouped_metrics

        groups: dict[str, list[tuple[str, float | None]]] = {}
        for pair in self.pairs:
            numbers = [(f"{pair.measure} {name}", getattr(pair, name)) for name in METRICS]
            groups.setdefault(f"{pair.b} vs {pair.a}", []).extend(numbers)
        return grouped_metrics(groups)

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects: the pairs, the runs, the notes and the signature."""
        return json_fields("comparison") | {
            "signature": str(self.signature),
            **self.settings._asdict(),
            "verdict": self.verdict.to_list(),
            "comparisons": [{name: finite(value) for name, value in self._fields(pair).items()} for pair in self.pairs],
            "runs": self.results.to_dict()["runs"],
            "notes": [note.to_dict() for note in self.notes],
        }
