"""Names of measures: what they mean, and what is said about those that mean nothing."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.core.convention import split_name
from assay.errors import MeasureError
from assay.measures import TABLE, parse
from tables import for_each

GOOD = [
    ("ndcg", "ndcg"),
    ("nDCG@10", "ndcg@10"),
    (" ndcg @ 10 ", "ndcg@10"),
    ("ndcg()@10", "ndcg@10"),
    ("ndcg( )", "ndcg"),
    ("ndcg(k=10)", "ndcg@10"),
    ("ndcg@10.0", "ndcg@10"),
    ("ndcg@+10", "ndcg@10"),
    ("ndcg@1e2", "ndcg@100"),
    ("ndcg(gain='exp2')@10", "ndcg(gain=exp2)@10"),
    ('ndcg( gain = "exp2" )@10', "ndcg(gain=exp2)@10"),
    ("ndcg(gain=linear)", "ndcg"),
    ("ndcg_burges@10", "ndcg(gain=exp2)@10"),
    ("ndcg(gain=2:9;1:3)@10", "ndcg(gain=1:3;2:9)@10"),
    ("ndcg(gain=0.5:.25; 1 : 1e1)", "ndcg(gain=0.5:0.25;1:10)"),
    ("ndcg(rel=0)", "ndcg"),
    ("dcg(rel=2,gain=exp2)@5", "dcg(gain=exp2,rel=2)@5"),
    ("MAP@100", "ap@100"),
    ("AP(rel=2)@100", "ap(rel=2)@100"),
    ("ap(rel=2.0)", "ap(rel=2)"),
    ("ap(rel=1)", "ap"),
    ("mrr(credit=sum)", "rr(credit=sum)"),
    ("rbp(p=.8)", "rbp"),
    ("rbp(p=1e-3)", "rbp(p=0.001)"),
    ("recall(cap=FALSE)@10", "recall@10"),
    ("R_cap@10", "recall(cap=true)@10"),
    ("R@10", "recall@10"),
    ("P@5", "precision@5"),
    ("F1@5", "f@5"),
    ("mean_iprec(recalls=.2; 0.5;8e-1)", "mean_iprec(recalls=0.2;0.5;0.8)"),
    ("11pt_avg(recalls=0.5)", "mean_iprec(recalls=0.5)"),
    ("Rprec", "r_precision"),
    ("r-precision", "r_precision"),
    ("iprec@0.10", "iprec@0.1"),
    ("iprec(recall=1)", "iprec@1"),
    ("iprec_at_recall@0.5", "iprec@0.5"),
    ("success@5", "hit_rate@5"),
]


@for_each(("name", "canonical"), GOOD)
def test_good_names(name, canonical):
    assert str(parse(name)) == canonical
    assert str(parse(canonical)) == canonical
    assert parse(name) == parse(canonical)


READABLE = "write name(param=value,…)@k, such as ndcg@10"
LISTED = "`assay measures` lists them all"
LEVELS = "numbers such as 0.25;0.5, each at least 0 and at most 1"
TOO_LARGE = "k must be a whole number at least 1 and at most 9,007,199,254,740,992"
GAINS = "linear or exp2 or binary or signed or pairs grade:gain such as 1:3;2:9"
BAD = [
    ("", f"cannot read the measure ''; {READABLE}"),
    ("@10", f"cannot read the measure '@10'; {READABLE}"),
    ("ndcg@", f"cannot read the measure 'ndcg@'; {READABLE}"),
    ("ndcg@10@20", f"cannot read the measure 'ndcg@10@20'; {READABLE}"),
    ("ndcg@10(gain=exp2)", f"cannot read the measure 'ndcg@10(gain=exp2)'; {READABLE}"),
    ("ndcg(gain=exp2", f"cannot read the measure 'ndcg(gain=exp2'; {READABLE}"),
    ("ndcg((gain=exp2))", f"cannot read the measure 'ndcg((gain=exp2))'; {READABLE}"),
    ("ndcg 10", f"cannot read the measure 'ndcg 10'; {READABLE}"),
    ("ndcg,ap", f"cannot read the measure 'ndcg,ap'; {READABLE}"),
    ("a" * 1001, f"the measure '{'a' * 60}…' has 1,001 characters; at most 1,000 are allowed"),
    ("ndcg\x1b[31m@1\n2", f"cannot read the measure 'ndcg\\x1b[31m@1\\n2'; {READABLE}"),
    ("ndcg(exp2)@10", "cannot read 'exp2' in the measure 'ndcg(exp2)@10'; write param=value"),
    ("ndcg(gain=)@10", "cannot read 'gain=' in the measure 'ndcg(gain=)@10'; write param=value"),
    ("ndcg(=exp2)", "cannot read '=exp2' in the measure 'ndcg(=exp2)'; write param=value"),
    ("ap(rel=2,)", "cannot read '' in the measure 'ap(rel=2,)'; write param=value"),
    ("ap(rel=2,rel=3)", "duplicate parameter 'rel' in the measure 'ap(rel=2,rel=3)'"),
    ("ap(k=5)@10", "duplicate parameter 'k' in the measure 'ap(k=5)@10'"),
    ("ndgc@10", f"unknown measure 'ndgc'; did you mean ndcg or rndcg? {LISTED}"),
    ("precison", f"unknown measure 'precison'; did you mean precision or r_precision or r-precision? {LISTED}"),
    ("zzzzz", f"unknown measure 'zzzzz'; {LISTED}"),
    ("ndcg@0", "ndcg: k must be a whole number at least 1, not '0'"),
    ("ndcg@1.5", "ndcg: k must be a whole number at least 1, not '1.5'"),
    ("ndcg@ten", "ndcg: k must be a whole number at least 1, not 'ten'"),
    ("ndcg@1_0", "ndcg: k must be a whole number at least 1, not '1_0'"),
    ("ndcg@٣", "ndcg: k must be a whole number at least 1, not '٣'"),
    ("ndcg@inf", "ndcg: k must be a whole number at least 1, not 'inf'"),
    ("ndcg@1e400", f"ndcg: {TOO_LARGE}, not '1e400'"),
    ("judged@99999999999999999999", f"judged: {TOO_LARGE}, not '1e+20'"),
    ("ap(rel=nan)", "ap: rel must be a number, not 'nan'"),
    ("ap(rel=1e999)", "ap: rel must be a number, not '1e999'"),
    ("ap(norm=all)", "ap: norm must be relevant or found or about_found or cutoff or none, not 'all'"),
    ("rbp(p=2)", "rbp: p must be a number above 0 and below 1, not '2'"),
    ("rbp(p=1)", "rbp: p must be a number above 0 and below 1, not '1'"),
    ("f(beta=-1)", "f: beta must be a number at least 0, not '-1'"),
    ("iprec@1.1", "iprec: recall must be a number at least 0 and at most 1, not '1.1'"),
    ("iprec", "iprec needs recall; write iprec@recall"),
    ("recall(cap=1)@5", "recall: cap must be true or false, not '1'"),
    ("recall(cap=yes)@5", "recall: cap must be true or false, not 'yes'"),
    ("ndcg(gain=exp3)", f"ndcg: gain must be {GAINS}, not 'exp3'"),
    ("ndcg(gain=1:3;1:4)", f"ndcg: gain must be {GAINS}, not '1:3;1:4'"),
    ("ndcg(gain=1:3;2)", f"ndcg: gain must be {GAINS}, not '1:3;2'"),
    ("ndcg(gain=1:x)", f"ndcg: gain must be {GAINS}, not '1:x'"),
    ("ndcg(gain=1:3:4)", f"ndcg: gain must be {GAINS}, not '1:3:4'"),
    ("err(gain=1:3)", "err: gain must be exp2 or identity, not '1:3'"),
    ("mean_iprec(recalls=0.5;x)", f"mean_iprec: recalls must be {LEVELS}, not '0.5;x'"),
    ("mean_iprec(recalls=0.5;2)", f"mean_iprec: recalls must be {LEVELS}, not '0.5;2'"),
    ("utility(weights=1;2;3)", "utility: weights must be 4 numbers, not '1;2;3'"),
    ("ndcg_burges(gain=linear)", "'ndcg_burges(gain=linear)': ndcg_burges sets gain itself; use ndcg(gain=…)"),
    ("f1(beta=2)", "'f1(beta=2)': f1 sets beta itself; use f(beta=…)"),
    ("ap(depth=5)", "ap has no parameter 'depth'; it has rel, k, norm, ties, nothing"),
    ("ap(REL=2)", "ap has no parameter 'REL'; it has rel, k, norm, ties, nothing"),
    ("num_q(rel=1)", "num_q has no parameter 'rel'; it has none"),
    ("bpref@5", "'bpref@5': bpref has no cutoff; write bpref"),
]


@for_each(("name", "message"), BAD)
def test_bad_names(name, message):
    with pytest.raises(MeasureError) as caught:
        parse(name)
    assert str(caught.value) == message


def test_parts():
    assert split_name(" ap ( rel = '2' , norm=found ) @ 10 ") == ("ap", {"rel": "2", "norm": "found"}, ("10",))


PIECES = [*TABLE, "(", ")", "@", "=", ",", ";", ":", " ", "rel", "k", "gain", "p", "exp2", "'", '"', "-", ".", "_", "e"]
PIECES += ["0", "1", "10", "0.5", "1e309", "1e-320", "nan", "inf", "true", "\n", "\x00", "é", "٣", "\ud800", "9" * 30]
PIECES += ["9" * 400]


@given(text=st.text() | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example("ndcg@" + "9" * 999)
@example("ndcg(gain=" + "1:" * 400 + ")")
def test_any_text_is_a_measure_or_an_error(text):
    try:
        measure = parse(text)
    except MeasureError as error:
        assert str(error).isprintable()
    else:
        assert parse(str(measure)) == measure
        assert parse(measure.full_name) == measure
        assert len(str(measure)) <= 2 * len(text) + 20
