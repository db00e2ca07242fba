"""ir_measures, computed by assay.

    from assay.compat import ir_measures
    from assay.compat.ir_measures import AP, nDCG

    ir_measures.calc_aggregate([nDCG @ 10, AP(rel=2)], qrels, run)

`calc`, `calc_aggregate`, `iter_calc` and `evaluator` compute every measure that assay has with `AssayProvider`, and the
others with the providers of ir_measures. Everything else is ir_measures' own, imported on first use.

Infinite scores rank first or last and tie with each other. NaN is an error, because each provider of ir_measures ranks
it differently.
"""

from importlib import import_module
from types import ModuleType
from typing import Any

from assay.core.errors import AssayError

OURS = ("AssayProvider", "AssayEvaluator", "assay", "DefaultPipeline")
PIPELINE = ("calc", "calc_aggregate", "calc_ctxt", "evaluator", "iter_calc", "qrel_inputs", "run_inputs")


class MissingPackageError(AssayError, ModuleNotFoundError):
    """ir_measures is not installed."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever ir_measures has
    if name.startswith("__"):
        raise AttributeError(name)
    provider = load("assay.compat.ir_measures_provider")
    if name in OURS:
        return getattr(provider, name)
    if name in PIPELINE:
        return getattr(provider.DefaultPipeline, name)
    return getattr(load("ir_measures"), name)


def __dir__() -> list[str]:
    try:
        theirs = dir(import_module("ir_measures"))
    except ModuleNotFoundError:
        theirs = []
    return sorted({*OURS, *PIPELINE, *theirs})


def load(name: str) -> ModuleType:
    """A module that is ir_measures or needs it; raises with what to install, and what works without."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ir_measures":
            raise
        raise MissingPackageError(
            "assay.compat.ir_measures needs the package ir_measures for its measures, such as nDCG @ 10; run "
            'pip install ir-measures. Without it, assay.evaluate(qrels, run, ["nDCG@10"], convention="ir_measures") '
            "gives the same numbers",
            name="ir_measures",
        ) from None
