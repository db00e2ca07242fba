"""Signatures are data: short below tables, long on request."""

import assay
from assay.core.policies import Policies, Signature, SignedMeasure

PLAIN = Signature("1.2", "assay", Policies(), Policies())
CHANGED = Signature(
    "1.2",
    "trec_eval",
    Policies(depth=7),
    Policies(),
    (SignedMeasure("ap(rel=1)"), SignedMeasure("rr(rel=1)", Policies(depth=9), "lib 3")),
)


def test_the_short_form():
    assert PLAIN.short == "assay 1.2, convention assay, details: result.signature"
    assert PLAIN.with_details("x", owner="comparison").short.endswith(", details: comparison.signature")
    assert CHANGED.short == "assay 1.2, convention trec_eval, depth=7, details: result.signature"
    answers = Signature("1.2", "assay", Policies(), Policies(), subject="answers")
    assert answers.short == "assay 1.2, answers, details: result.signature"


def test_the_long_form():
    how, measures = str(CHANGED).split(" measures: ")
    assert how == f"assay 1.2 convention=trec_eval {Policies(depth=7)}"
    assert measures == "ap(rel=1) rr(rel=1)[depth=9; lib 3]"
    assert repr(CHANGED) == f"<Signature: {CHANGED}>"
    assert str(CHANGED.with_details("gate: alpha=0.05", "seed=0")) == f"{CHANGED} gate: alpha=0.05 seed=0"


def test_equal_choices_have_equal_signatures():
    results = [assay.evaluate({"q": ["a"]}, {"q": ["a"]}, measures) for measures in (["ap"], ["ap"], ["rr"])]
    first, second, third = (result.signature for result in results)
    assert first == second
    assert hash(first) == hash(second)
    assert first != third
