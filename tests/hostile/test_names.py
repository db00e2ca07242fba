"""Names of measures and conventions that no one should write, each with the measure or the error that must come out."""

import pytest

import assay
from outcomes import check
from tables import for_each

pytestmark = pytest.mark.attack("Names of measures")

CASES = [
    *((f"ndcg@{each}", f"MeasureError: ndcg: k must be a whole number at least 1, not '{each}'") for each in (
        "0", "-1", "1.5", "0x10", "1_000", "ten", "nan", "inf", "10,ap",
    )),
    *((f"rbp(p={each})", f"MeasureError: rbp: p must be a number above 0 and below 1, not '{each}'") for each in (
        "1.5", "1", "0", "-0.5", "80%", "'0.8", "“0.8”",
    )),
    *((f"ap(rel={each})", f"MeasureError: ap: rel must be a number, not '{each}'") for each in (
        "1=2", "nan", "inf", "high",
    )),
    *((f"ndcg(gain={each})", "MeasureError: ndcg: gain must be linear or exp2 or binary or signed or pairs") for each in (
        "1:3;1:9", ":3", "1:", "1:nan", "1:1e999", "cubic", ";",
    )),
    *((each, f"MeasureError: unknown measure '{each.removesuffix('@10')}'") for each in (
        "ndgc@10", "ndсg@10", "ｎｄｃｇ@10", "PRECİSİON@10", "ß@10", "😀@10", "<script>@10", "ndcg{0}@10", "ndcg%s@10",
        "__class__@10", "../../etc/passwd", ":", ":map",
    )),
    *((each, f"MeasureError: cannot read the measure '{each}'") for each in (
        "", " ", "@10", "()", "ndcg@", "ndcg@10@20", "ap(rel=1", "ap rel=1)", "ap((rel=1))", '{"ndcg": 10}',
        "ndcg@10 ap", "score:",
    )),
    *((each, "ndcg@10") for each in (
        "ndcg@10", "ndcg@10.0", "ndcg@+10", "ndcg@0010", "ndcg\n@10", "ndcg@10\n", "ndcg\u00a0@10", "NDCG@10",
    )),
    ("ndcg@1e2", "ndcg@100"),
    *((f"ndcg@{each}", "MeasureError: ndcg: k must be a whole number at least 1 and at most 9,007,199,254,740,992") for each in (
        "1e999", "1" + "0" * 310, "9223372036854775808", "9" * 500,
    )),
    ("ndcg@１０", "MeasureError: ndcg: k must be a whole number at least 1"),
    *((each, "ndcg@9007199254740992") for each in ("ndcg@9007199254740992", "ndcg@9007199254740993")),
    ("ndcg(foo=1)@10", "MeasureError: ndcg has no parameter 'foo'"),
    ("ap(rel=1,rel=2)", "MeasureError: duplicate parameter 'rel' in the measure"),
    ("ndcg(k=5)@10", "MeasureError: duplicate parameter 'k' in the measure 'ndcg(k=5)@10'"),
    *((name, f"MeasureError: cannot read '{part}' in the measure '{name}'") for name, part in (
        ("ap(rel=)", "rel="), ("ap(=1)", "=1"), ("ap(rel)", "rel"), ("ap(rel=1,)", ""), ("ap(,rel=1)", ""), ("rbp(p=0,8)", "8"),
    )),
    *((each, "MeasureError: cannot read the measure") for each in ("ap" + "(" * 499 + ")" * 499, "__import__('os').system('ls')")),
    *((each, "MeasureError: the measure '") for each in ("ap" + "(" * 100000, "n" * 1000000, " " * 1000000 + "ndcg")),
    ("ap(" + ",".join(f"a{i}=1" for i in range(100000)) + ")", "MeasureError: the measure 'ap(a0=1,a1=1,a2=1,a3=1,a4=1,a5=1,a6=1,a7=1,a8=1,a9=1,a10=1,a…' has 888,893"),
    ("ndcg(gain=" + ";".join(f"{i}:{i}" for i in range(100000)) + ")", "MeasureError: the measure 'ndcg(gain=0:0;1:1;2:2;3:3;4:4;5:5;6:6;7:7;8:8;9:9;10:10;11:1…' has 1,177,790"),
    ("ndcg(gain=1:" + "9" * 400 + ")", "MeasureError: ndcg: gain must be linear or exp2 or binary or"),
    ("ap(rel=" + "9" * 400 + ")", "MeasureError: ap: rel must be a number, not"),
    ("ap(rel=1e308)", "ap(rel=1e+308)"),
    ("rbp(p='')", "MeasureError: rbp: p must be a number above 0 and below 1, not ''"),
    ("rbp(p='0.8')", "rbp"),
    *((each, f"MeasureError: unknown measure {each.removesuffix('@10')!r}") for each in (
        "ndcg\0@10", "ndcg\x1b[2J", "ndcg\u200b@10", "\ufeffndcg@10", "ndcg\ud800", "\ud800",
    )),
    ("ndcg.__class__", "MeasureError: ndcg cannot have '__class__'"),
    *((each, f"MeasureError: unknown tool '{each.partition(':')[0]}'") for each in ("http://x/ndcg", "nothing:map")),
    ("['ndcg@10']", "MeasureError: unknown measure '['ndcg'"),
    ("ranx:", "MeasureError: ranx has no measure ''"),
    ("ranx:ranx:map", "MeasureError: ranx has no measure 'ranx:map'"),
    ("trec_eval:map", "ap"),
    ("score:x", "score:x"),
    ("P.5,10", "MeasureError: 'P.5,10' means 2 measures: P_5, P_10"),
    *((f"P.{k}", "trec_eval", f"MeasureError: precision: k must be a whole number at least 1, not '{k}'") for k in ("0", "-5")),
    *((name, "trec_eval", f"MeasureError: cannot read the cutoff of '{name}'") for name in ("P.x", "P.5,,10")),
    ("ndcg_cut." + "9" * 500, "trec_eval", "MeasureError: cannot read the cutoff of 'ndcg_cut.999999999999999999999999999999999999999999999999999…'"),
    *((name, tool, "MeasureError: cannot read the cutoff of") for name, tool in (
        ("ndcg@" + "9" * 500, "ranx"), ("NDCG@" + "9" * 500, "beir"), ("ndcg_at_" + "9" * 500, "mteb"), ("P.1" + "0" * 310, "trec_eval"),
    )),
    ("P.5,5", "trec_eval", "MeasureError: duplicate cutoff in 'P.5,5'"),
    ("P.5.5", "trec_eval", "precision@5"),
    ("P." + ",".join(map(str, range(1, 100001))), "trec_eval", "MeasureError: the measure 'P.1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,2…' has 588,896"),
    ("all_trec.5", "trec_eval", "MeasureError: unknown measure 'all_trec.5'"),
    ("map@100-l2", "ranx", "ap(rel=2)@100"),
    ("map@100-l-2", "ranx", "MeasureError: ap: k must be a whole number at least 1, not"),
    ("map@100-l" + "9" * 500, "ranx", "MeasureError: ap: rel must be a number, not"),
    ("nDCG@" + "9" * 500, "ir_measures", "MeasureError: cannot read the cutoff of 'nDCG@9999999999999999999999999999999999999999999999999999999…'"),
    ("RBP(p=0." + "9" * 500 + ")", "ir_measures", "MeasureError: 'RBP(p=0.9999999999999999999999999999999999999999999999999999…': ir_measures requires"),
    ("AP(rel=2", "ir_measures", "MeasureError: cannot read the measure 'AP(rel=2'"),
    ("retrieval_ndcg@" + "9" * 500, "autorag", "MeasureError: 'retrieval_ndcg@999999999999999999999999999999999999999999999…': retrieval_ndcg takes no"),
    *(("ap", each, f"PolicyError: unknown convention '{each}'") for each in ("trec", "", None, 3, ["ranx"])),
    ("ap", "x" * 1000000, "PolicyError: unknown convention 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'"),
    *((each, f"MeasureError: a measure is a name such as ndcg@10, not '{each}'") for each in (
        None, 10, b"ndcg@10", ["ndcg@10"], {"ndcg": 10}, float("nan"),
    )),
    (10**5000, "MeasureError: a measure is a name such as ndcg@10, not 'a value of type int'"),
]  # fmt: skip


@for_each("case", CASES)
def test_name(case):
    name, *convention, expected = case
    check(lambda: str(assay.parse_measure(name, *convention)), expected)


@for_each("piece", [" a", ",", "(", "a(b c)", "1,", ") ", " "])
def test_a_text_of_names_is_split_in_linear_time(piece):
    """Quadratic time would make the longer text take a hundred times as long, and hours."""
    from assay.conventions.resolve import split_measures

    assert len("".join(split_measures(piece * 1_000_000 + "x"))) <= 6_000_001
