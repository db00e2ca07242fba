"""Other libraries on the same dicts: ranx and ir_measures, from the raw data to means and values per query."""

from __future__ import annotations

from typing import Any

import ir_measures
import ranx
from lines import MEASURES, Line, at_least
from timing import interleaved

import assay

RANX_MEASURES = ["map", "ndcg@10", "mrr", "recall@100", "precision@10"]
IR_MEASURES = [ir_measures.parse_measure(name) for name in ("AP", "nDCG@10", "RR", "R@100", "P@10")]


def libraries(qrels: dict[str, Any], run: dict[str, Any]) -> tuple[dict[str, float], list[Line]]:
    """Each library from dicts; ranx also from its own `Qrels` and `Run`, made before."""
    some = list(qrels)[:20]
    few_qrels, few_run = ({query: data[query] for query in some} for data in (qrels, run))
    by_ranx(few_qrels, few_run)  # numba compiles at the first call
    ready = ranx.Qrels(qrels), ranx.Run(run)
    times = interleaved(
        {
            "assay, from dicts": lambda: assay.evaluate(qrels, run, MEASURES),
            "ir_measures, from dicts": lambda: ir_measures.calc(IR_MEASURES, qrels, run),
            "ranx, from dicts": lambda: by_ranx(qrels, run),
            "ranx, from its Qrels and Run": lambda: ranx.evaluate(*ready, RANX_MEASURES),
        },
        rounds=3,
    )
    own = times["assay, from dicts"]
    lines = [
        at_least(f"dicts: times as fast as {name.replace(', from dicts', '')}", seconds / own, 1)
        for name, seconds in times.items()
        if not name.startswith("assay")
    ]
    return times, lines


def by_ranx(qrels: dict[str, Any], run: dict[str, Any]) -> object:
    return ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), RANX_MEASURES)
