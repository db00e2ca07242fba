"""The pool of runs: each query with the documents that some run ranks among the first, as arrays.

No Python object exists per pair: ids are one text with offsets, as in `Tops`. Pairs of a query are together, those of
the first run first, by rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import DataError
from assay.core.judged import BoolArray, FloatArray, IntArray
from assay.core.policies import Policies, check_whole
from assay.core.text import EMPTY_ID, given_id
from assay.data.qrels import Qrels
from assay.data.run import Run, name_runs
from assay.engine.ranking import repeats_of
from assay.engine.tops import Tops
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import MOST_TOP, make_plan
from assay.tasks.evaluate.score import is_among
from assay.tasks.next.additive import Additive

if TYPE_CHECKING:
    import polars

# Rows of all runs that are put together at a time, to bound the memory.
MOST_ROWS = 1 << 20


class RunTops(NamedTuple):
    """The first documents of each run for the queries of any; `present` says which it has, maybe without documents."""

    queries: list[str]
    tops: Mapping[str, Tops]
    scorer: Scorer
    present: Mapping[str, BoolArray]


class Compared(NamedTuple):
    """The two runs that are compared, by an additive measure with a name."""

    additive: Additive
    measure: str
    a: str
    b: str


@dataclass(slots=True, eq=False)
class Pairs:
    """The pairs of a pool, by query: `starts` is where each query's pairs begin, and the end of the last.

    `counted` is how many queries count in a comparison. `best` is the best rank over the runs, `coefficient` the weight
    of the document's rank in run b less that in run a, and `grade` its grade, NaN if it is not judged.
    """

    queries: list[str]
    counted: int
    starts: IntArray
    best: IntArray
    coefficient: FloatArray
    grade: FloatArray
    # Where each id begins in the text, and the end of the last.
    offsets: IntArray
    text: bytes

    def __len__(self) -> int:
        return len(self.best)

    def query(self, row: int) -> str:
        return self.queries[int(np.searchsorted(self.starts, row, side="right")) - 1]

    def document(self, row: int) -> str:
        return given_id(self.text[self.offsets[row] : self.offsets[row + 1]].decode())


def named_runs(runs: object) -> dict[str, object]:
    """The runs by name; a run on its own is a list of one."""
    named = name_runs(runs if isinstance(runs, (Mapping, list, tuple)) else [runs], (Run,))
    if not named:
        raise DataError("no run to pool; pass at least one")
    return named


def first_documents(runs: object, depth: int) -> dict[tuple[str, str], None]:
    """Each query with each of the first documents of a run, one run after the other, by query and then by rank.

    >>> list(first_documents({"one": {"q": ["a", "b", "c"]}, "two": {"q": {"a": 1.0, "d": 2.0}}}, 2))
    [('q', 'a'), ('q', 'b'), ('q', 'd')]
    """
    found = read_tops(runs, "precision", top=depth, duplicates="first")
    return dict.fromkeys(
        (query, document)
        for tops in found.tops.values()
        for number, query in enumerate(found.queries)
        for document in tops.documents(number)
    )


def read_tops(runs: object, measure: Any, *, top: int | None, **how: Any) -> RunTops:  # noqa: ANN401 - as in `evaluate`
    """The first `top` documents of each run, as the policies rank them; all documents if it is None."""
    named = {name: run if isinstance(run, Run) else Run(run) for name, run in named_runs(runs).items()}
    queries = list(dict.fromkeys(query for run in named.values() for query in run.queries))
    present = {name: is_among(queries, set(run.queries)) for name, run in named.items()}
    # An index of queries without judgments: the kernel keeps the first documents of each.
    known = Qrels(dict.fromkeys(queries, ()))
    plan = make_plan(measure, top=MOST_TOP if top is None else check_whole("depth", top, 1), **how)
    scorer = Scorer(plan, known)
    # A run is let go once its first documents are known.
    tops = {name: scorer.plan.tops(scorer.read(named.pop(name))) for name in list(named)}
    return RunTops(queries, tops, scorer, present)


def collect_pairs(found: RunTops, depth: int, judgments: polars.DataFrame, compared: Compared | None = None) -> Pairs:
    """The pairs within `depth` of some run, and all others whose judgment can move the difference of two runs."""
    import polars

    policies = found.scorer.plan.groups[0].policies
    signs = {} if compared is None else {compared.a: -1.0, compared.b: 1.0}
    # Queries that one of the runs lacks may not count, nor those for which it has no document.
    counted = np.ones(len(found.queries))
    for name in signs:
        if policies.missing == "skip":
            counted *= found.present[name]
        if policies.no_results != "zero":
            counted *= np.diff(found.tops[name].starts) > 0
    made: list[polars.DataFrame] = []
    text: list[bytes] = []
    gains = {name: sign * counted for name, sign in signs.items()}
    additive = None if compared is None else compared.additive
    for queries in chunks_of(found):
        frames = [run_rows(tops, queries, policies, gains.get(name), additive) for name, tops in found.tops.items()]
        pairs = (
            polars.concat(frames)
            .group_by("query", "document", maintain_order=True)
            .agg(polars.col("rank").min(), polars.col("coefficient").sum())
            .filter((polars.col("rank") <= depth) | (polars.col("coefficient") != 0))
            .sort("query", maintain_order=True)
        )
        own = judgments.filter(polars.col("query").is_between(queries.start, queries.stop - 1))
        pairs = pairs.join(own, on=["query", "document"], how="left", maintain_order="left")
        text.append("".join(pairs["document"].to_list()).encode())
        made.append(pairs.with_columns(polars.col("document").str.len_bytes().alias("length")).drop("document"))
    rows = polars.concat(made)
    counts = np.bincount(rows["query"].to_numpy(), minlength=len(found.queries))
    return Pairs(
        queries=found.queries,
        counted=int(counted.sum()),
        starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        best=rows["rank"].to_numpy().astype(np.int32),
        coefficient=rows["coefficient"].to_numpy().copy(),
        grade=rows["grade"].fill_null(np.nan).to_numpy().copy(),
        offsets=np.concatenate(([0], np.cumsum(rows["length"].to_numpy(), dtype=np.int64))),
        text=b"".join(text),
    )


def chunks_of(found: RunTops) -> Iterator[range]:
    """The queries in parts that have not too many rows together."""
    part = np.cumsum(np.sum([np.diff(tops.starts) for tops in found.tops.values()], axis=0)) // MOST_ROWS
    ends = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(found.queries)]
    return (range(start, end) for start, end in pairwise(ends))


def run_rows(
    tops: Tops, queries: range, policies: Policies, gain: FloatArray | None, additive: Additive | None
) -> polars.DataFrame:
    """The documents of one run for some queries: query, document, rank, and what a gain adds to the difference.

    `gain` says for each query what counts: 1 in run b, -1 in run a, or 0; it is None for a run that is not compared.
    """
    import polars

    first, last = int(tops.starts[queries.start]), int(tops.starts[queries.stop])
    sizes = np.diff(tops.starts[queries.start : queries.stop + 1])
    query = np.repeat(np.arange(queries.start, queries.stop), sizes)
    rank = np.arange(first, last) - tops.starts[query] + 1
    # Document ids as the kernel has them, without a Python object for each.
    offsets = tops.offsets[first : last + 1]
    content = polars.lit(tops.text[int(offsets[0]) : int(offsets[-1])], dtype=polars.Binary)
    places = polars.DataFrame({"at": offsets[:-1] - offsets[0], "length": np.diff(offsets)})
    coefficient = np.zeros(len(rank))
    if gain is not None and additive is not None:
        coefficient = gain[query] * additive.weights(rank, np.repeat(sizes, sizes))
    ids = places.select(content.bin.slice(polars.col("at"), polars.col("length")).cast(polars.String)).to_series()
    numbers = {"query": query.astype(np.uint32), "document": ids, "rank": rank.astype(np.uint32)}
    rows = polars.DataFrame(numbers | {"coefficient": coefficient})
    if policies.exclude == "empty_id":
        rows = rows.filter(polars.col("document") != EMPTY_ID)
    if repeats_of(policies) == "once":
        rows = rows.filter(polars.struct("query", "document").is_first_distinct())
    return rows


def judgment_rows(qrels: Qrels | None, queries: Sequence[str], policies: Policies) -> polars.DataFrame:
    """The judged documents of the pool's queries, each once: query, document, grade."""
    import polars

    types = {"query": polars.UInt32, "document": polars.String, "grade": polars.Float64}
    if qrels is None:
        return polars.DataFrame(schema=types)
    index = qrels.index_under(policies.duplicates)
    number = np.frombuffer(index.row_documents(), dtype=np.int64)
    grades = np.frombuffer(index.grades(), dtype=np.float64)
    place = {query: row for row, query in enumerate(queries)}
    own = np.array([place.get(query, -1) for query in qrels.queries], dtype=np.int64)
    rows = qrels.to_polars().select(
        polars.Series("query", np.repeat(own, np.diff(qrels.starts))),
        polars.col("doc_id").alias("document"),
        polars.Series("grade", grades[number]),
        polars.Series("number", number),
    )
    return rows.filter(polars.col("query") >= 0).unique("number", keep="first").drop("number").cast(types)  # type: ignore[arg-type]
