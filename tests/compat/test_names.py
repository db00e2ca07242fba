"""What the drop-ins have of the tools' public names; docs/drop-ins.md lists what they have not."""

import typing
from pathlib import Path

import ir_measures
import pytrec_eval

from assay.compat import ir_measures as our_ir_measures
from assay.compat import pytrec_eval as our_pytrec_eval
from assay.compat import ranx as our_ranx
from real_ranx import Report, ranx

PAGE = (Path(__file__).parents[2] / "docs" / "drop-ins.md").read_text(encoding="utf-8")
# What pytrec_eval imports for itself.
IMPORTED = {"collections", *typing.__all__}


def lacking(real, ours):
    """The public names that a module or class of ours has not."""
    return {name for name in dir(real) if not name.startswith("_") and not hasattr(ours, name)}


def test_pytrec_eval_and_ir_measures_are_complete():
    assert lacking(pytrec_eval, our_pytrec_eval) - IMPORTED == set()
    assert lacking(pytrec_eval.RelevanceEvaluator, our_pytrec_eval.RelevanceEvaluator) == set()
    assert lacking(ir_measures, our_ir_measures) == set()


def test_the_page_names_what_the_ranx_drop_in_has_not():
    assert lacking(ranx.Qrels, our_ranx.Qrels) == lacking(ranx.Run, our_ranx.Run) == set()
    methods = lacking(Report, our_ranx.Report)
    assert methods
    assert [name for name in methods if f"`{name}`" not in PAGE and f"`Report.{name}`" not in PAGE] == []
    assert set(ranx.__all__) - set(our_ranx.__all__) == set(our_ranx.ELSEWHERE)
    assert [name for name in our_ranx.ELSEWHERE if f"`{name}`" not in PAGE] == []
