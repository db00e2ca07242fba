"""`Agreement`: how far two sets of judgments or of scores agree, in words, numbers and cases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from assay._kernel import __version__
from assay.core.errors import DataError, MeasureError
from assay.core.note import Note
from assay.core.text import Option, count, printable, show
from assay.render import Column, Exports, Table, finite, json_fields, markdown, render
from assay.render.export import html
from assay.render.text import terminal_width, to_text, wrapped
from assay.stats.agreement import kind_of

if TYPE_CHECKING:
    import polars

    from assay.render.charts import Chart
    from assay.render.charts.kinds import Choice

# How each statistic is shown; `{a}`, `{b}` are the two sides and the rest are settings.
TITLES = {
    "kappa": "Cohen's kappa",
    "weighted_kappa": "weighted kappa ({weights})",
    "alpha": "Krippendorff's alpha ({scale})",
    "same": "same grade",
    "kappa_at_threshold": "kappa at {threshold:g}",
    "share_a": "share from {threshold:g}, {a}",
    "share_b": "share from {threshold:g}, {b}",
    "sensitivity": "sensitivity of {b}",
    "specificity": "specificity of {b}",
    "corrected_share": "corrected share (Rogan-Gladen)",
    "tau": "Kendall's tau of the runs",
    "tau_ap": "tau_AP of the runs",
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall": "Kendall's tau",
    "mean_difference": "mean difference, {b} - {a}",
}
# Smaller differences round to 0 in four digits.
SMALLEST_SHOWN = 0.00005


class Figure(NamedTuple):
    """A statistic of agreement with its interval; NaN where it is undefined. `measure` is empty for judgments."""

    statistic: str
    value: float
    low: float
    high: float
    measure: str = ""


class Disagreement(NamedTuple):
    """A document that the two sides grade differently; or a query whose scores differ, by which measure."""

    query: str
    document: str | None
    a: float
    b: float
    measure: str = ""


class SystemMeans(NamedTuple):
    """The mean of a run under the judgments of each side."""

    run: str
    measure: str
    a: float
    b: float


class AgreementSettings(NamedTuple):
    """How agreement is computed."""

    weights: str = "quadratic"
    scale: str = "ordinal"
    threshold: float | None = None
    level: float = 0.95
    samples: int = 1000
    seed: int = 0

    def __str__(self) -> str:
        threshold = "" if self.threshold is None else f" threshold={self.threshold:g}"
        how = f"weights={self.weights} scale={self.scale}{threshold}"
        return f"{how} level={self.level:g} interval=percentile resamples={self.samples} seed={self.seed}"


class Counts(NamedTuple):
    """How much there is: queries and documents (or scores) that both sides have, and those of one side only."""

    queries: int
    pairs: int
    only_a: int
    only_b: int


@dataclass(frozen=True, repr=False, eq=False)
class Agreement(Exports):
    """How far two sets of judgments or of scores agree; see `assay.agree`.

    `figures` are the statistics with their intervals; `agreement["kappa"]` is one of them. `grades` and `matrix` are
    the confusion matrix: a row per grade of the first side, a column per grade of the second. `disagreements` are the
    largest ones, and `systems` the means of the runs under both.
    """

    names: tuple[str, str]
    subject: str
    figures: tuple[Figure, ...]
    counts: Counts
    settings: AgreementSettings
    grades: tuple[float, ...] = ()
    matrix: tuple[tuple[int, ...], ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    systems: tuple[SystemMeans, ...] = ()
    notes: tuple[Note, ...] = ()
    scoring: str = ""

    def __repr__(self) -> str:
        return printable(f"<Agreement of {' and '.join(self.names)}: {self.verdict[0]}>")

    def __getitem__(self, statistic: str) -> Figure:
        return self.figure(statistic)

    def figure(self, statistic: str, measure: str | None = None) -> Figure:
        """A statistic, of the first measure unless one is named."""
        for each in self.figures:
            if each.statistic == statistic and measure in (None, each.measure):
                return each
        known = ", ".join(dict.fromkeys(each.statistic for each in self.figures))
        of = "" if measure is None else f" of {show(measure)}"
        raise MeasureError(f"no {show(statistic)}{of}; the agreement has {known}")

    @property
    def verdict(self) -> list[str]:
        """What was found, in words: first how far the two agree, then how much there was to compare."""
        if self.subject == "judgments":
            said = [self._kappa_words()]
        else:
            said = [self._score_words(each.measure) for each in self.figures if each.statistic == "spearman"]
        runs = len({each.run for each in self.systems})
        for figure in self.figures:
            if figure.statistic == "tau" and math.isnan(figure.value):
                said.append(f"{figure.measure} is the same for every run on one side; tau is undefined")
            elif figure.statistic == "tau":
                taus = f"tau {figure.value:.2f} and tau_AP {self.figure('tau_ap', figure.measure).value:.2f}"
                said.append(f"{figure.measure} orders the {runs} runs with {taus}")
        a, b = self.names
        both = f"{count(self.counts.queries, 'query', 'queries')} scored by both"
        if self.subject == "judgments":
            both = f"{count(self.counts.pairs, 'document')} of {both.replace('scored', 'judged')}"
        return [*said, f"{both}; {self.counts.only_a:,} by {a} only, {self.counts.only_b:,} by {b} only"]

    def _kappa_words(self) -> str:
        kappa = self["kappa" if any(each.statistic == "kappa" for each in self.figures) else "kappa_at_threshold"]
        if math.isnan(kappa.value):
            return f"{' and '.join(self.names)} give every document the same grade; kappa is undefined"
        kind = kind_of(kappa.value)
        text = f"{kind} agreement (Landis and Koch 1977): kappa {numbers(kappa)}"
        if math.isnan(kappa.low):
            return text
        kinds = list(dict.fromkeys(map(kind_of, (kappa.low, kappa.high))))
        return text if kinds == [kind] else f"{text}, {' to '.join(kinds)}"

    def _score_words(self, measure: str) -> str:
        rank, shift = self.figure("spearman", measure), self.figure("mean_difference", measure)
        a, b = self.names
        moved = f"{b} is {abs(shift.value):.4f} {'higher' if shift.value >= 0 else 'lower'} than {a} on average"
        if abs(shift.value) < SMALLEST_SHOWN:
            moved = f"{a} and {b} have the same mean"
        interval = "" if math.isnan(shift.low) else f" [{shift.low:.4f}, {shift.high:.4f}]"
        ranks = "undefined" if math.isnan(rank.value) else numbers(rank)
        return f"{measure}: rank correlation {ranks}; {moved}{interval}"

    def plot(self, kind: str = "agreement") -> Chart:
        """A chart of the confusion matrix.

        >>> import assay
        >>> assay.agree({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 1, "b": 1}}).plot()
        <Chart: Documents by grade>
        """
        from assay.render.charts.kinds import draw

        return draw(kind, "an agreement", {"judges": self})

    @property
    def signature(self) -> str:
        """Every choice that made the numbers, and the version."""
        runs = f" runs: {self.scoring}" if self.scoring else ""
        return printable(f"assay {__version__} agreement {self.settings}{runs}")

    def __str__(self) -> str:
        return self.to_text(width=terminal_width())

    def to_text(self, *, width: int | None = None) -> str:
        """The verdict, the statistics, the confusion matrix and the largest disagreements, as they are printed."""
        parts = ["\n".join(wrapped(printable(text), width) for text in self.verdict) + "\n"]
        for title, table in self._tables():
            heading = f"{wrapped(printable(title), width)}\n\n" if title else ""
            parts.append(heading + to_text(table, width))
        return "\n".join(parts).rstrip("\n")

    def _tables(self) -> list[tuple[str, Table]]:
        """The tables with their titles; notes and signature stand below the first."""
        a, b = self.names
        sides = (Column(a), Column(b))
        tables = [("", self.table())]
        if self.systems:
            columns = (Column("run", is_text=True), Column("measure", is_text=True), *sides)
            tables.append(("means of the runs under both", Table(columns, self.systems)))
        if self.matrix:
            what = "documents by grade" if self.subject == "judgments" else "queries by verdict"
            heads = (Column("", is_text=True), *(Column(f"{grade:g}") for grade in self.grades))
            rows = zip(self.grades, self.matrix, strict=True)
            counts: tuple[tuple[Any, ...], ...] = tuple((f"{grade:g}", *row) for grade, row in rows)
            tables.append((f"{what}: {a} in rows, {b} in columns", Table(heads, counts)))
        if self.disagreements:
            fields = ("query", "document") if self.subject == "judgments" else ("measure", "query")
            heads = (*(Column(name, is_text=True) for name in fields), *sides)
            texts = ([getattr(each, name) or "" for name in fields] for each in self.disagreements)
            grades = ([int(v) if v.is_integer() else v for v in (each.a, each.b)] for each in self.disagreements)
            worst = tuple((*names, *values) for names, values in zip(texts, grades, strict=True))
            tables.append(("largest disagreements", Table(heads, worst)))
        return tables

    def table(self) -> Table:
        """One row per statistic."""
        by_measure = any(each.measure for each in self.figures)
        heads = [Column("statistic", is_text=True), Column("value"), Column("low"), Column("high")]
        names = {"a": self.names[0], "b": self.names[1], **self.settings._asdict()}
        rows: list[tuple[Any, ...]] = [
            (TITLES[name].format(**names), value, *(None if math.isnan(each) else each for each in bounds))
            for name, value, *bounds, _ in self.figures
        ]
        if by_measure:
            heads.insert(0, Column("measure", is_text=True))
            rows = [(each.measure, *row) for each, row in zip(self.figures, rows, strict=True)]
        level = f"low and high: {self.settings.level:.0%} interval over resampled queries".replace("%", " %")
        return Table(tuple(heads), tuple(rows), f"assay {__version__}, {level}", tuple(map(str, self.notes)))

    def to_markdown(self, *, digits: int | None = None, caption: str | None = None) -> str:
        """The verdict as a list, and each table."""
        verdict = "".join(f"- {markdown(text)}\n" for text in self.verdict)
        first, *others = self._tables()
        more = [f"{markdown(title)}:\n\n{render(table.styled(digits), 'markdown')}" for title, table in others]
        return "\n".join([verdict, render(first[1].styled(digits, caption), "markdown"), *more])

    def to_latex(self, *, digits: int | None = None, caption: str | None = None, label: str | None = None) -> str:
        """A booktabs table of the statistics; the caption is the verdict unless one is given."""
        table = self.table().styled(digits, ". ".join(self.verdict) if caption is None else caption, label)
        return f"% {self.signature}\n{render(table, 'latex')}"

    def to_html(self) -> str:
        """The verdict and the tables, escaped, as notebooks show them."""
        verdict = "".join(f"<li>{html(text)}</li>" for text in self.verdict)
        parts = ((f"<p>{html(title)}</p>" if title else "", render(table, "html")) for title, table in self._tables())
        return f"<ul>{verdict}</ul>{''.join(map(''.join, parts))}"

    def to_polars(self) -> polars.DataFrame:
        """One row per statistic."""
        import polars

        return polars.DataFrame([each._asdict() for each in self.figures])

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects; docs/json.md describes it."""
        return json_fields("agreement") | {
            "signature": self.signature,
            "a": self.names[0],
            "b": self.names[1],
            "subject": self.subject,
            "verdict": self.verdict,
            **self.settings._asdict(),
            **self.counts._asdict(),
            "figures": [finite_fields(each) for each in self.figures],
            "grades": list(self.grades),
            "matrix": [list(row) for row in self.matrix],
            "systems": [finite_fields(each) for each in self.systems],
            "disagreements": [finite_fields(each) for each in self.disagreements],
            "notes": [note.to_dict() for note in self.notes],
        }


def draw_agreement(found: Agreement, _: Choice) -> Chart:
    """A chart of the confusion matrix."""
    from assay.render.charts.systems import agreement

    if not found.matrix:
        raise DataError(f"scores have no confusion matrix without a limit; set {Option('threshold', 0.5)}")
    what = "documents" if found.subject == "judgments" else "queries"
    words = " ".join(f"{said[:1].upper()}{said[1:]}." for said in found.verdict)
    return agreement(found.grades, found.matrix, found.names, what, words)


def finite_fields(record: Figure | Disagreement | SystemMeans) -> dict[str, Any]:
    return {name: finite(value) for name, value in record._asdict().items()}


def numbers(figure: Figure) -> str:
    """A statistic with its interval."""
    interval = "" if math.isnan(figure.low) else f" [{figure.low:.2f}, {figure.high:.2f}]"
    return f"{figure.value:.2f}{interval}"
