"""ir_measures, computed by assay.

    from assay.compat import ir_measures
    from assay.compat.ir_measures import AP, nDCG

    ir_measures.calc_aggregate([nDCG @ 10, AP(rel=2)], qrels, run)

`calc`, `calc_aggregate`, `iter_calc` and `evaluator` compute every measure that assay has with `AssayProvider`, and the
others with the providers of ir_measures. Everything else is ir_measures' own, imported on first use.

Infinite scores rank first or last and tie with each other. NaN is an error, because each provider of ir_measures ranks
it differently.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

OURS = ("AssayProvider", "AssayEvaluator", "assay", "DefaultPipeline")
PIPELINE = ("calc", "calc_aggregate", "calc_ctxt", "evaluator", "iter_calc", "qrel_inputs", "run_inputs")


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever ir_measures has
    if name.startswith("__"):
        raise AttributeError(name)
    provider = import_module("assay.compat.ir_measures_provider")
    if name in OURS:
        return getattr(provider, name)
    if name in PIPELINE:
        return getattr(provider.DefaultPipeline, name)
    return getattr(import_module("ir_measures"), name)


def __dir__() -> list[str]:
    return sorted({*OURS, *PIPELINE, *dir(import_module("ir_measures"))})
