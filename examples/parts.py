"""A run in many files, scored by a pool of processes without bringing it together: the engine in a page of code.

    python examples/parts.py QRELS PART...

Every worker reads one Parquet file at a time. The first pass finds the judged documents, the second counts against
them; what comes back are small states, which add up in any order. Ray, Dask or a queue of workers takes the place of
the pool by calling the same three methods: `partial` where the rows are, `merge` anywhere, `finish` at the end.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import polars

from assay.data.qrels import read_qrels
from assay.engine.counting import Counting, FindingPass, ways_of
from assay.results.result import Result
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan

MEASURES = ["ndcg@10", "ap", "rr@10"]
COLUMNS = {"score": "value"}


def read_part(engine: FindingPass | Counting, path: str) -> bytes:
    """What one file says, on whatever machine the file is."""
    rows = polars.read_parquet(path).rename(COLUMNS).select("query_id", "doc_id", "value")
    return engine.partial(rows.with_columns(polars.col("query_id", "doc_id").cast(polars.String)))


def evaluate_parts(qrels_path: str, paths: list[str], workers: int = 2) -> Result:
    """The result of a run in parts: the same, to the last bit, as that of the whole run.

    A judged document that a query has twice is an error. Others are not looked at: no part knows the rest.
    """
    scorer = Scorer(make_plan(MEASURES), read_qrels(qrels_path))
    finding = FindingPass(polars.DataFrame(scorer.qrels.rows))
    # polars has threads, which a fork would not take along.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        found = finding.finish(finding.merge(pool.map(partial(read_part, finding), paths)))
        counting = Counting(found, ways_of(scorer.plan.groups))
        counted = counting.finish(counting.merge(pool.map(partial(read_part, counting), paths)))
    return scorer.score(counted.ranking(scorer.qrels))


if __name__ == "__main__":
    if not sys.argv[2:]:
        sys.exit("usage: python examples/parts.py QRELS PART...")
    print(evaluate_parts(sys.argv[1], sys.argv[2:]))
