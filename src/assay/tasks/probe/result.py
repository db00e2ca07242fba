"""`Probe`: how good a live retriever is, and how fast: percentiles of the latency, in words, and as a chart."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import DataError, FormatError
from assay.core.note import Note
from assay.core.text import count, printable, quoted
from assay.data.run import Run
from assay.files.replace import target_of
from assay.render import Exports, Table, finite, json_fields
from assay.render.text import to_text

if TYPE_CHECKING:
    import polars

    from assay.render.charts import Chart
    from assay.render.charts.kinds import Choice
    from assay.results.result import Result

MOST_SHOWN = 10
RUN = "retriever"
SECOND = 1.0


class Latency(NamedTuple):
    """The seconds that calls took: the median, the 95th and 99th percentile, and the mean."""

    p50: float
    p95: float
    p99: float
    mean: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Latency:
        p50, p95, p99 = np.quantile(seconds, [0.5, 0.95, 0.99]).tolist()
        return cls(p50, p95, p99, float(np.mean(seconds)))


def duration(seconds: float) -> str:
    """Seconds as people write them.

    >>> duration(0.01234), duration(1.5), duration(0.00005)
    ('12.3 ms', '1.50 s', '0.05 ms')
    """
    if seconds >= SECOND:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.1f} ms" if seconds >= SECOND / 1000 else f"{seconds * 1000:.2f} ms"


class Calls(NamedTuple):
    """How long the calls took that succeeded, in seconds, and how many failed."""

    seconds: Sequence[float]
    failed: int = 0


@dataclass(eq=False, repr=False)
class Probe(Exports):
    """How good and how fast a live retriever is; see `assay.probe`.

    `result` is its `Result` and `run` what it returned. `failures` has the reason for each failed question, and
    `seconds` the duration of the successful call of each other one, without waiting and failed attempts. `asked`
    questions were asked in `elapsed` seconds; `resumed` ones came from the checkpoint. `records` has one dict per
    question, for `assay.evaluate_rag`: question, gold, references, what was retrieved, the answer, and the latency.
    """

    result: Result
    run: Run
    failures: dict[str, str]
    seconds: dict[str, float]
    asked: int
    elapsed: float
    records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def resumed(self) -> int:
        """How many answers came from the checkpoint."""
        return len(self.seconds) - (self.asked - len(self.failures))

    def __repr__(self) -> str:
        means = ", ".join(f"{name}={value:.4f}" for name, value in self.result.mean.items())
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<Probe: {means}; {count(len(self.seconds), 'answer')}{failed}; p50 {duration(self.latency.p50)}>"

    def __getitem__(self, name: str) -> float:
        """The mean of a measure."""
        return self.result[name]

    @property
    def latency(self) -> Latency:
        """How long successful calls took, in seconds."""
        return Latency.of(list(self.seconds.values()))

    @property
    def throughput(self) -> float:
        """Questions answered per second, including all waiting; NaN if all came from the checkpoint."""
        answered = self.asked - len(self.failures)
        return answered / self.elapsed if self.asked and self.elapsed else math.nan

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of the result."""
        return self.result.notes

    def table(self) -> Table:
        """Measure, mean, interval and number of queries; latency and throughput are in the caption."""
        table = self.result.table()
        return table._replace(caption=f"{table.caption}; {self.pace}")

    @property
    def pace(self) -> str:
        """Latency and throughput in one line."""
        p50, p95, p99, mean = map(duration, self.latency)
        said = f"latency {p50} (p50), {p95} (p95), {p99} (p99), {mean} (mean)"
        if self.asked:
            answered = self.asked - len(self.failures)
            said += f"; {answered:,} of {count(self.asked, 'question')} answered in {duration(self.elapsed)}"
            said += f", {self.throughput:.1f} per second" if answered else ""
        return said + (f"; {self.resumed:,} from the checkpoint" if self.resumed else "")

    def failure_lines(self, most: int = MOST_SHOWN) -> list[str]:
        """One line per failed question, up to `most`."""
        lines = [f"{printable(query)}: {reason}" for query, reason in list(self.failures.items())[:most]]
        rest = len(self.failures) - len(lines)
        return [*lines, f"and {rest:,} more"] if rest else lines

    def to_text(self, *, width: int | None = None) -> str:
        """Quality, then latency and throughput, then the notes; the table is at most `width` columns wide."""
        table = self.result.table()
        notes = [f"note: {printable(note)}" for note in table.notes]
        return "\n".join([to_text(table._replace(notes=()), width) + self.pace, *notes])

    def __str__(self) -> str:
        return "\n".join([self.to_text(), *(f"failed: {line}" for line in self.failure_lines())])

    def plot(self, kind: str = "latency") -> Chart:
        """A chart: `latency`, how long calls took, or `means` with intervals."""
        from assay.render.charts.kinds import draw
        from assay.results.plot import mean_rows

        calls = Calls(list(self.seconds.values()), len(self.failures))
        return draw(kind, "a probe", {"means": partial(mean_rows, {"": self.result}), "calls": calls})

    def to_polars(self) -> polars.DataFrame:
        """One row per query: its scores, the seconds of its call, and what went wrong."""
        import polars

        frame = self.result.to_polars()
        queries = frame["query_id"].to_list()
        return frame.with_columns(
            polars.Series("seconds", [self.seconds.get(query) for query in queries], dtype=polars.Float64),
            polars.Series("failure", [self.failures.get(query) for query in queries], dtype=polars.String),
        )

    def report(self, path: str | os.PathLike[str], *, title: str = "assay report", reproduce: str = "") -> None:
        """Writes a self-contained HTML page: quality, latency, failures, and what came back for each question.

        `reproduce` is the code or the command that made it, to be shown; leave out keys.
        """
        from assay.report.content import CHUNK, answer_parts, base_core
        from assay.report.page import Content, write_page
        from assay.results.results import Results

        results = Results({RUN: self.result})
        core = base_core(results, title) | {"reproduce": reproduce, "answers": CHUNK}
        records = {str(record["query_id"]): record for record in self.records}
        core["questions"] = [records.get(query, {}).get("question") for query in self.result.queries]
        core["probe"] = {
            "facts": [[name, duration(value)] for name, value in self.latency._asdict().items()],
            "failures": [{"query": query, "reason": reason} for query, reason in self.failures.items()],
            "chart": self.plot("latency").spec,
            "said": self.pace,
        }
        answers = (answer_of(self, query, records.get(query, {})) for query in self.result.queries)
        write_page(Content(core, results.results, answer_parts(answers)), path)

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects: the result, and how fast the retriever was; see docs/json.md."""
        pace = {"latency": self.latency._asdict(), "throughput": finite(self.throughput)}
        pace |= {name: getattr(self, name) for name in ("elapsed", "asked", "resumed", "seconds", "failures")}
        return json_fields("results") | {"runs": [{**self.result.to_run_dict(), "probe": pace}]}


def answer_of(probe: Probe, query: str, record: dict[str, Any]) -> dict[str, Any]:
    """What the retriever returned for a question, and how long it took."""
    from assay.report.content import answer_entry, passage_entries

    said = [f"failed: {probe.failures[query]}"] if query in probe.failures else []
    said += [f"answered in {duration(probe.seconds[query])}"] if query in probe.seconds else []
    retrieved, texts = record.get("retrieved") or [], record.get("retrieved_texts") or []
    found = passage_entries(retrieved, texts, set(record.get("gold") or ()))
    references = record.get("references") or ()
    return answer_entry(record.get("answer"), references=references, passages=found, verdicts=said)


def check_records_name(path: str | os.PathLike[str]) -> None:
    """Raises unless the name of a file says JSON Lines."""
    from assay.data.formats import ending

    if ending(Path(path)) not in (".jsonl", ".ndjson"):
        raise FormatError(f"records are written as JSON Lines; the name of {quoted(path)} must end in .jsonl")


def write_records(records: Iterable[Mapping[str, Any]], path: str | os.PathLike[str]) -> None:
    """Writes records to a file of JSON Lines, which is complete or not there."""
    from assay.data.write import open_replacement

    check_records_name(path)
    with open_replacement(target_of(path)) as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False).encode("utf-8", errors="replace") + b"\n")


def draw_latency(calls: Calls, _: Choice) -> Chart:
    from assay.render.charts.queries import latency

    named = Latency.of(calls.seconds)._asdict()
    mean = named.pop("mean")
    words = count(len(calls.seconds), "successful call") + (f", {calls.failed:,} failed" if calls.failed else "")
    return latency(np.array(calls.seconds), named, f"{words}; mean {mean * 1000:,.1f} ms.")


def recorded_calls(records: object) -> Calls:
    """The calls of records that `assay probe --save-records` wrote; a record without a latency is a failed call."""
    from assay.data.passages import is_number
    from assay.data.records.fields import RecordFields
    from assay.data.records.read import read_records

    rows = read_records(records, RecordFields(any_field=True), name="the records").each
    values: list[Any] = [(each.fields or {}).get("latency") for each in rows]
    taken = [float(value) for value in values if is_number(value) and 0 <= value < float("inf")]
    if not taken:
        said = "a field of that name with a number of seconds, as `assay probe` writes"
        raise DataError(f"no record has a latency: {said}")
    return Calls(taken, len(values) - len(taken))
