"""`Result`: the scores of a run, with means, intervals, notes on the data, and how they were computed."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from assay._kernel import __version__
from assay.conventions import find_convention, parse_measures
from assay.core.errors import MeasureError
from assay.core.measure import AGGREGATES, Measure, is_pooled
from assay.core.note import Note, NoteKind
from assay.core.policies import Policies, Signature, SignedMeasure
from assay.core.text import nearest, show
from assay.render import Cell, Column, Exports, Named, Table, finite, json_fields
from assay.stats.intervals import FEWEST, SAMPLES, Interval, bootstrap_all, percentiles, resampled_totals, widened

if TYPE_CHECKING:
    import polars

    from assay.core.judged import BoolArray, FloatArray
    from assay.render.charts import Chart
    from assay.stats.anchored import Anchored

# The level of the intervals that are shown.
LEVEL = 0.95
# What is shown of the human labels that anchor a mean: their number, how much the judge counts, and the gain.
ANCHOR_FIELDS = ("human", "lambda", "gain")


@dataclass(frozen=True, repr=False, eq=False)
class Result(Exports):
    """The scores of one run. `result["ndcg@10"]` is a mean; any spelling of the measure works.

    `own_policies` are those of measures computed under other policies than `policies`. `statistics` are per query, for
    measures that score their sum, such as corpus BLEU. `version` is that of the assay that computed the scores.
    `matching` says how gold without ids was matched, such as `match=0.9`, or how votes became grades; it is empty if
    ids and grades were given. `judge` says which LLM gave verdicts, and how it was asked. `human` are values that
    people gave, NaN for the other queries; the means and intervals of these measures are anchored by them (see
    `anchored`). `noise` is how much the score of a query varies between draws of a judge's verdicts, as a variance, or
    how much the mean varies between draws of voters, as the variance of a query that would give it; it widens the
    interval.
    """

    measures: Mapping[str, Measure]
    queries: list[str]
    scores: Mapping[str, FloatArray]
    convention: str
    policies: Policies
    notes: tuple[Note, ...] = ()
    own_policies: Mapping[str, Policies] = field(default_factory=dict)
    statistics: Mapping[str, FloatArray] = field(default_factory=dict)
    subject: str = "rankings"
    _means: dict[str, float] = field(default_factory=dict)
    _intervals: dict[tuple[float, int], dict[str, Interval]] = field(default_factory=dict)
    version: str = __version__
    matching: tuple[str, ...] = ()
    judge: str = ""
    human: Mapping[str, FloatArray] = field(default_factory=dict)
    noise: Mapping[str, FloatArray] = field(default_factory=dict)
    # The ranks of the judged and of the first documents, for the report; a pickle leaves them out.
    _ranks: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_ranks": None}

    def __repr__(self) -> str:
        means = ", ".join(f"{name}={value:.4f}" for name, value in self.mean.items())
        return f"<Result: {means}; {len(self.queries):,} queries>"

    def __dir__(self) -> list[str]:
        """What completion offers; the part that `Results` takes over is not for users."""
        return [name for name in super().__dir__() if name != "to_run_dict"]

    def key(self, name: str | Measure) -> str:
        """The result's own spelling of a measure."""
        if name in self.measures:
            return str(name)
        measure = self._spelt(name)
        # A measure under the common policies comes before the same one under a tool's.
        for key in sorted(self.measures, key=lambda key: key in self.own_policies):
            each = self.measures[key]
            # A measure that takes a parameter from the data is not equal to its own name.
            if measure == each or (each.definition.bind is not None and measure == self._spelt(key)):
                return key
        near = nearest(str(name), self.measures) or list(self.measures)
        raise MeasureError(f"{show(name)} was not computed; the result has {', '.join(near)}")

    def _spelt(self, name: str | Measure) -> Measure | None:
        first, *others = parse_measures([name], find_convention(self.convention), self.policies.rel).values()
        # A function that gives records their scores is not part of a result.
        return None if others else Measure(first.definition, first.values)

    def __getitem__(self, name: str | Measure) -> float:
        """The mean of a measure, or its other aggregate over queries."""
        key = self.key(name)
        if key in self._means:
            return self._means[key]
        if (anchor := self.anchored(key)) is not None:
            value = anchor.value
        elif is_pooled(self.measures[key]):
            statistics = self._defined_statistics(key)
            totals = statistics.sum(axis=0)
            value = float(combine_statistics(self.measures[key], totals)) if len(statistics) else math.nan
        else:
            value = AGGREGATES[self.measures[key].definition.aggregate](self.scores[key])
        self._means[key] = value
        return value

    def _defined_statistics(self, key: str) -> FloatArray:
        scores = self.scores[key]
        is_defined: BoolArray = scores == scores  # noqa: PLR0124 - NaN is not equal to itself
        # A result stored by an older assay has its numbers but no statistics.
        return self.statistics[key][is_defined] if key in self.statistics else self.scores[key][:0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    @property
    def mean(self) -> dict[str, float]:
        """The mean of each measure."""
        return {name: self[name] for name in self.measures}

    def only(self, names: Iterable[str | Measure]) -> Result:
        """The same result with only some of its measures, under the given names."""
        keys = {str(name): self.key(name) for name in names}
        columns: dict[str, Any] = {"_means": {name: self[key] for name, key in keys.items()}}
        for kind in ("measures", "scores", "own_policies", "statistics", "human", "noise"):
            known = getattr(self, kind)
            columns[kind] = {name: known[key] for name, key in keys.items() if key in known}
        return replace(self, **columns, _intervals={})

    def per_query(self) -> dict[str, dict[str, float]]:
        """The value of each measure for each query."""
        columns = {name: self.scores[name].tolist() for name in self.measures}
        return {query: {name: column[at] for name, column in columns.items()} for at, query in enumerate(self.queries)}

    def interval(self, name: str | Measure, *, level: float = LEVEL, seed: int = 0) -> Interval:
        """A bootstrap interval of the mean over queries; the same seed gives the same interval.

        One query says nothing about others: its interval is NaN. If human labels anchor the mean, the interval is
        prediction-powered, and there is no seed.
        """
        if (anchor := self.anchored(name, level=level)) is not None:
            return anchor.interval
        if (level, seed) not in self._intervals:
            aggregates = {key: each.definition.aggregate for key, each in self.measures.items()}
            self._intervals[level, seed] = bootstrap_all(self.scores, aggregates, level=level, seed=seed)
        key = self.key(name)
        if key in self.statistics:
            statistics = self._defined_statistics(key)
            if len(statistics) < FEWEST:
                return Interval(math.nan, math.nan)
            totals = resampled_totals(statistics, SAMPLES, seed)
            return percentiles(combine_statistics(self.measures[key], totals), level)
        if self.measures[key].has_own_number:
            raise MeasureError(f"{key} is one number for all queries and has no interval")
        interval = self._intervals[level, seed][key]
        if key not in self.noise:
            return interval
        scores, definition = self.scores[key], self.measures[key].definition
        low, high = definition.usual_range or definition.range
        bounds = definition.range if ((scores < low) | (scores > high)).any() else (float(low), float(high))
        return widened(interval, scores, self.noise[key], bounds, level)

    def anchored(self, name: str | Measure, *, level: float = LEVEL) -> Anchored | None:
        """How human labels anchor the mean of a measure: their number, how much the judge counts, and what it gains.

        None if there are no human labels.
        """
        if not self.human or (key := self.key(name)) not in self.human:
            return None
        from assay.stats.anchored import anchored_mean

        return anchored_mean(self.scores[key], self.human[key], level)

    def counted(self, name: str | Measure) -> int:
        """The number of queries in the mean."""
        scores = self.scores[self.key(name)]
        return int((scores == scores).sum())  # noqa: PLR0124 - NaN is not equal to itself

    def policies_of(self, name: str | Measure) -> Policies:
        """The policies that a measure was computed under."""
        return self.own_policies.get(self.key(name), self.policies)

    @property
    def signature(self) -> Signature:
        """How the numbers were computed: every choice and the version. `str(signature)` is the long form."""
        usual = find_convention(self.convention).policies
        signed = []
        for name, measure in self.measures.items():
            basis = measure.definition.basis
            known = (basis and basis()) or ", ".join(map(str, measure.definition.prompts))
            signed.append(SignedMeasure(measure.full_name, self.own_policies.get(name), known))
        anchors = {key: anchor for key in self.human if (anchor := self.anchored(key)) is not None}
        ppi = [f"ppi[{key}: human={each.human} lambda={each.weight:.4g}]" for key, each in anchors.items()]
        details = (*self.matching, *filter(None, [self.judge]), *ppi)
        return Signature(self.version, self.convention, self.policies, usual, tuple(signed), self.subject, details)

    def table(self) -> Table:
        """Measure, mean, interval and number of queries."""
        names = ("mean", "low", "high", "queries", *(ANCHOR_FIELDS if self.human else ()))
        rows = []
        for name, symbol in symbols_of(self).items():
            anchor = self._anchor_fields(name).values()
            rows.append((Named(name, symbol), *self._numbers(name), self.counted(name), *anchor))
        return self._with_signature((Column("measure", is_text=True), *map(Column, names)), tuple(rows))

    def _anchor_fields(self, name: str) -> dict[str, float | int | None]:
        """What is shown of human labels; nothing if no measure has any."""
        return (dict.fromkeys(ANCHOR_FIELDS) if self.human else {}) | anchor_fields(self.anchored(name))

    def _numbers(self, name: str) -> tuple[float | int | None, ...]:
        measure, mean = self.measures[name], self[name]
        if measure.definition.aggregate == "sum":
            return (int(mean) if mean.is_integer() else mean), None, None
        if measure.has_own_number and name not in self.statistics:
            return mean, None, None
        return mean, *(None if math.isnan(bound) else bound for bound in self.interval(name))

    def _remarks(self) -> tuple[Note, ...]:
        """The notes, and one on measures that have no interval because they have a value for a single query."""
        single = [name for name in self.measures if self.counted(name) == 1 and self._numbers(name)[1:] == (None, None)]
        if not single:
            return self.notes
        few = Note.of(NoteKind.FEW, about="interval", measures=[] if len(single) == len(self) else single)
        return (*self.notes, few)

    def query_table(self) -> Table:
        """One row per query, then one with the means."""
        columns = (Column("query", is_text=True), *(Column(name) for name in self.measures))
        rows = zip(self.queries, *(self.scores[name].tolist() for name in self.measures), strict=True)
        return self._with_signature(columns, (*rows, ("all", *self.mean.values())))

    def _with_signature(self, columns: tuple[Column, ...], rows: tuple[tuple[Cell, ...], ...]) -> Table:
        signature = self.signature
        return Table(columns, rows, signature.summary, tuple(map(str, self._remarks())), signature.hint)

    def to_polars(self) -> polars.DataFrame:
        """One row per query, one column per measure."""
        import polars

        return polars.DataFrame({"query_id": self.queries, **{name: self.scores[name] for name in self.measures}})

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects; docs/json.md describes it. The result is the only run in it."""
        return json_fields("results") | {"runs": [self.to_run_dict()]}

    def to_run_dict(self, name: str | None = None) -> dict[str, Any]:
        """The result as one of the runs in `to_dict`, under a name: means, intervals, queries, notes and signature."""
        summary = {}
        for key, measure in self.measures.items():
            interval = dict(zip(("mean", "low", "high"), map(finite, self._numbers(key)), strict=True))
            summary[key] = {"measure": measure.full_name, **interval, "queries": self.counted(key)}
            summary[key] |= {field: finite(value) for field, value in self._anchor_fields(key).items()}
        queries = {query: {key: finite(each) for key, each in own.items()} for query, own in self.per_query().items()}
        how = {"name": name, "signature": str(self.signature), "level": LEVEL}
        return {**how, "measures": summary, "queries": queries, "notes": [note.to_dict() for note in self._remarks()]}

    def to_mlflow(self) -> dict[str, float]:
        """Means and interval ends by names that MLflow takes, for `mlflow.log_metrics(result.to_mlflow())`.

        >>> import assay
        >>> assay.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["b"]}, ["ndcg@10"]).to_mlflow()
        {'ndcg_at_10': 1.0, 'ndcg_at_10_low': 1.0, 'ndcg_at_10_high': 1.0}

        What is undefined is left out.
        """
        from assay.results.mlflow import legal_metrics, numbers_of

        return legal_metrics(numbers_of(self))

    def plot(self, kind: str = "means") -> Chart:
        """A chart of the means with their intervals; docs/charts.md shows every kind of chart.

        >>> import assay
        >>> assay.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["b"]}, ["ndcg@10"]).plot()
        <Chart: Means with 95 % intervals>
        """
        from assay.render.charts.kinds import draw
        from assay.results.plot import mean_rows

        return draw(kind, "a result", {"means": partial(mean_rows, {"": self})})

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        name: str = "run",
        queries: object = None,
        corpus: object = None,
        slices: Sequence[str] = (),
        top: int = 20,
        title: str = "assay report",
        reproduce: str = "",
    ) -> None:
        """Writes a self-contained HTML page: the means with their intervals, and the scores of each query.

        If `evaluate` kept rankings, as in `assay.evaluate(qrels, run, top=20)`, the page goes down to the ranking and
        the passages of each query. `name` is what the run is called; the other options are those of
        `Comparison.report`.
        """
        from importlib import import_module

        # Reports read rankings and check the data, which is the business of tasks.
        tasks = import_module("assay.tasks.compare.report")
        tasks.write_result(self, name, path, tasks.Shown(queries, corpus, slices, top, title, reproduce))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the result to a file that `assay.load_result` reads; compressed if the name ends in .gz or .zst.

        The file holds the exact value of each query and how it was computed, but no rankings and no judgments.
        """
        from assay.data.write import open_replacement
        from assay.files.replace import target_of
        from assay.results.stored import stored_content

        content = stored_content(self)
        with open_replacement(target_of(path)) as file:
            file.write(content)


def anchor_fields(anchor: Anchored | None) -> dict[str, float | int]:
    """What is shown of human labels; nothing if there are none."""
    numbers = () if anchor is None else (anchor.human, anchor.weight, anchor.gain)
    return dict(zip(ANCHOR_FIELDS, numbers, strict=False))


def symbols_of(result: Result) -> dict[str, str]:
    """Each measure as papers write it; as it was named if that would say less, or the same of two."""
    measures, own = result.measures.items(), result.own_policies
    symbols = {name: each.symbol if each.definition.symbol and name not in own else name for name, each in measures}
    times = Counter(symbols.values())
    return {name: symbol if times[symbol] == 1 else name for name, symbol in symbols.items()}


def combine_statistics(measure: Measure, sums: FloatArray) -> FloatArray:
    """The scores that sums of a measure's statistics give, one per row of sums."""
    pooled = measure.definition.pooled
    assert pooled is not None  # noqa: S101 - statistics are kept only for these
    return pooled.combine(sums, **measure.values)


def subject_of(measures: Mapping[str, Measure], convention: str, policies: Policies) -> str:
    """What a result is about: answers or scores, if it has nothing else and no convention or policy is set."""
    is_plain = convention == "assay" and policies == find_convention("assay").policies
    kinds = {each.definition.of for each in measures.values()}
    if not is_plain or not kinds <= {"answers", "scores", "judged"}:
        return "rankings"
    return "scores" if kinds == {"scores"} else "answers"
