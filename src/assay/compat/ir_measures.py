"""ir_measures, computed by assay.

    from assay.compat import ir_measures
    from assay.compat.ir_measures import AP, nDCG

    ir_measures.calc_aggregate([nDCG @ 10, AP(rel=2)], qrels, run)

`calc`, `calc_aggregate`, `iter_calc` and `evaluator` hand every measure that assay has to `AssayProvider`, and the
others to the providers of ir_measures. Everything else is ir_measures' own, imported when something of it is used.

An infinite score stands first or last, and several of them tie. NaN is an error: each provider of ir_measures ranks it
elsewhere.
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
