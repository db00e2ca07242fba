"""The tables of a comparison, and the queries that moved."""

import csv
import io
import json

import numpy as np
import pytest

import assay
from assay.stats.pairs import Pair
from comparisons import FIELDS, QRELS, RUNS, one_pair, results_of
from tables import for_each


@pytest.fixture
def comparison():
    return assay.compare(QRELS, RUNS, ["ndcg@10", "rr"])


@for_each("form", ["__str__", "to_markdown", "to_latex", "to_csv", "to_tsv", "to_json", "to_html", "_repr_html_"])
def test_each_form_carries_the_signature(comparison, form):
    text = getattr(comparison, form)().replace("\\_", "_").replace("&#x27;", "'")
    long = str(comparison.signature)
    assert comparison.signature.short.endswith(", details: comparison.signature")
    assert (long if form in ("to_latex", "to_csv", "to_tsv", "to_json") else comparison.signature.short) in text
    assert long.startswith(f"assay {assay.__version__} convention=assay ties=docid_desc")
    how = "test=randomization samples=all correction=holm family=measure alpha=0.05 interval=bca resamples=2000 seed=0"
    assert long.endswith(how)


def test_records_have_every_digit_and_the_signature(comparison):
    for frame in (comparison.to_polars(), comparison.to_pandas()):
        assert list(frame.columns) == [*FIELDS, "signature"]
        assert set(frame["signature"]) == {str(comparison.signature)}
        assert frame["difference"].to_list() == [pair.difference for pair in comparison.pairs]
    for text, delimiter in ((comparison.to_csv(), ","), (comparison.to_tsv(), "\t")):
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))
        assert list(rows[0]) == [*FIELDS, "signature"]
        assert [float(row["p_corrected"]) for row in rows] == [pair.p_corrected for pair in comparison.pairs]
    data = json.loads(comparison.to_json())
    assert [list(record) for record in data["comparisons"]] == [FIELDS] * 6
    assert [Pair(**record) for record in data["comparisons"]] == comparison.pairs
    assert data["signature"] == str(comparison.signature)
    settings = {name: data[name] for name in ("test", "correction", "alpha", "samples")}
    assert settings == {"test": "randomization", "correction": "holm", "alpha": 0.05, "samples": None}


def test_latex(comparison):
    lines = comparison.to_latex().splitlines()
    assert lines[0] == f"% {comparison.signature}"
    assert lines[1:3] == [r"\begin{table}", r"  \centering"]
    assert lines[3] == (
        r"  \caption{Means over 8 queries. Letters: significantly better than these runs by the randomization test, "
        r"Holm's correction over the pairs of each measure, alpha = 0.05. Best in bold, second best underlined}"
    )
    assert [line.strip() for line in lines[6:11]] == [
        r"& run & nDCG@10 & MRR \\",
        r"\midrule",
        r"a & one & \textbf{1.0000}$^{bc}$ & \textbf{1.0000}$^{bc}$ \\",
        r"b & two & \underline{0.6184}$^{c}$ & \underline{0.5312}$^{c}$ \\",
        r"c & three & 0.3464 & 0.2812 \\",
    ]


def test_the_caption_says_how(comparison):
    assert comparison.settings.words in comparison.caption
    tukey = "the Tukey HSD test with queries as blocks, which covers all pairs of a measure, alpha = 0.01"
    for test, words in (("t", "the paired t test, no correction, alpha = 0.01"), ("tukey", tukey)):
        other = assay.compare(QRELS, RUNS, "rr", test=test, correction="none", alpha=0.01)
        assert other.caption == f"Means over 8 queries. Letters: significantly better than these runs by {words}"
    everything = assay.compare(QRELS, RUNS, "rr", correction="bh", family="all")
    assert "Benjamini and Hochberg's correction over all pairs and measures" in everything.caption


def test_text_markdown_and_html_have_both_tables(comparison):
    verdict, _, rest = str(comparison).partition("\n\n")
    assert verdict == str(comparison.verdict)
    lines = rest.splitlines()
    one, two, three = "a  one    1.0000 bc  1.0000 bc", "b  two    0.6184 c   0.5312 c", "c  three  0.3464     0.2812"
    assert lines[2:5] == [one, two, three]
    heads = "measure a b difference low high p p corrected cohen d cliff delta wins/ties/losses detectable"
    assert lines[8].split() == heads.split()
    assert lines[10].split()[:4] == ["ndcg@10", "one", "two", "-0.3816"]
    assert lines[-1] == comparison.signature.short
    first, second = comparison.to_markdown().split("| measure |")
    assert "| a | one | **1.0000** <sup>bc</sup> | **1.0000** <sup>bc</sup> |" in first
    assert "| c | three | 0.3464 | 0.2812 |" in first
    assert "| ndcg@10 | one | two | -0.3816 |" in second
    html = comparison.to_html()
    assert html.count("<table>") == html.count("</table>") == 2
    assert "<b>1.0000</b><sup>bc</sup>" in html
    assert "<u>0.5312</u><sup>c</sup>" in html
    assert comparison._repr_html_() == html


def test_a_baseline_cannot_end_the_comment_of_latex():
    comparison = assay.compare(None, results_of(**{"a\n\\input{x}": [0, 1], "b": [1, 0]}), baseline="a\n\\input{x}")
    assert comparison.to_latex().splitlines()[1] == r"\begin{table}"


nan = np.nan
# Scores, and the means in the rows of LaTeX, with their places.
PRINTED = [
    # The means round to 1.0000 and 0.9999, their difference to 0.0000: it is not the difference of what is printed.
    ({"a": [0.99994] * 4, "b": [0.99995, 0.99997, 0.99995, 0.99997]}, [r"\underline{0.9999}", r"\textbf{1.0000}"]),
    ({"a": [0.50001, 0.5], "b": [0.50002, 0.5], "c": [0.5, 0.50002], "d": [0.4, 0.4]}, [r"\underline{0.5000}", r"\textbf{0.5000}", r"\textbf{0.5000}", "0.4000"]),
    ({"a": [nan, nan], "b": [0.5, 0.25], "c": [0.1, 0.2]}, ["undefined", r"\textbf{0.3750}", r"\underline{0.1500}"]),
]  # fmt: skip


@for_each("scores, means", PRINTED)
def test_numbers_are_rounded_once_and_keep_their_order(scores, means):
    comparison = assay.compare(None, results_of(**scores))
    lines = map(str.strip, comparison.to_latex(sort="given").splitlines())
    _, *rows = (line for line in lines if line.endswith("\\\\"))
    assert rows == [f"{name} & {name} & {mean} \\\\" for name, mean in zip(scores, means, strict=True)]


def test_a_small_p_is_not_printed_as_zero():
    comparison, pair = one_pair(np.linspace(0, 0.5, 60), np.linspace(0.1, 0.7, 60), test="t")
    assert 0 < pair.p < 0.00005
    assert str(comparison).count("<0.0001") == 2
    assert "&lt;0.0001" in comparison.to_html()


def test_more_than_26_runs():
    many = {f"run{n:02}": np.linspace(0.1, 0.5, 12) + n / 100 * np.linspace(0.9, 1.1, 12) for n in range(30)}
    comparison = assay.compare(None, results_of(**many), test="t")
    assert r"a & run29 & \textbf{0.5900}$^{b-ad}$" in comparison.to_latex()
    assert r"aa & run03 & 0.3300$^{ab,ac,ad}$ \\" in comparison.to_latex()
    assert len(comparison.pairs) == 435


SHOWN = [
    ({"a": [0.25, 0.5, 0.75], "b": [0.5, 0.5, 0.5]}, ["0.5000", "0.5000"], "3 queries"),
    ({"a": [0.25, nan, 0.75], "b": [0.5, 0.75, 0.5]}, ["0.5000", "0.5000"], "2 of 3 queries with a value in every run"),
    ({"a": [nan, nan], "b": [nan, nan]}, ["undefined", "undefined"], "0 of 2 queries with a value in every run"),
    ({"a": [0.25, 0.5, 0.75], "b": [0.5, nan, 1], "c": [nan, 1, 1]}, ["0.7500", "1.0000", "1.0000"], "1 of 3 queries with a value in every run; a pair is tested on all queries with a value in both runs"),
]  # fmt: skip


@for_each("scores, means, words", SHOWN)
def test_the_means_are_over_the_queries_that_every_run_has_a_value_for(scores, means, words):
    comparison = assay.compare(None, results_of(**scores))
    assert [row[2].number for row in comparison.table().rows] == means
    assert comparison.caption.startswith(f"Means over {words}. Letters")
    if len(scores) == 2:
        means = [row[2].value for row in comparison.table().rows]
        assert [comparison.pairs[0].mean_a, comparison.pairs[0].mean_b] == pytest.approx(means, nan_ok=True)


def test_measures_with_values_of_different_queries_are_counted_apart():
    qrels, run = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}, {"q1": ["b", "a"], "q2": ["a"]}
    comparison = assay.compare(qrels, {"one": run, "two": {**run, "q1": ["a", "b"]}}, ["rr", "auc"])
    assert comparison.caption.startswith("Means over those of 2 queries with a value in every run (rr: 2, auc: 1).")


@pytest.mark.parametrize(("queries", "samples"), [(6, "samples=all "), (7, "samples=100 ")])
def test_samples_are_named_where_they_were_drawn(queries, samples):
    comparison, _ = one_pair(np.linspace(0, 0.5, queries), np.linspace(0.1, 0.7, queries) ** 2, samples=100)
    assert f"test=randomization {samples}" in str(comparison.signature)
    assert str(comparison.signature).count(" samples=") == 1
    assert "samples=" not in str(one_pair([0.1, 0.2], [0.3, 0.3], test="t")[0].signature).replace("resamples=", "")


def test_repr(comparison):
    assert repr(comparison) == "<Comparison: one, two, three; 6 pairs>"
    odd = assay.compare(None, results_of(**{"red\x1b[31m": [0, 1], "b\n": [1, 0]}))
    for each in (odd, odd.results, odd.queries("ap", *odd.results)):
        assert repr(each).isprintable()


def test_queries_that_moved(comparison):
    moves = comparison.queries("rr", "two", "one")
    assert moves.hurt == ()
    assert [move.query for move in moves.helped] == ["q1", "q2", "q3", "q4", "q5", "q6", "q7"]
    assert (moves.helped[0].before, moves.helped[0].after, moves.helped[0].difference) == (0.25, 1, 0.75)
    documents = [("good", 2, 4, 1, 0.625), ("fair", 1, None, 2, 0.125), ("bad", 0, None, 3, 0)]
    assert [each[:5] for each in moves.helped[0].documents] == documents
    assert moves.counts == (7, 1, 0)
    assert moves.means == (comparison.results["two"]["rr"], 1)
    assert "details" in moves.to_markdown()
    # A paper is not told where to look.
    assert "details" not in moves.to_latex() + comparison.to_latex() + comparison.results.to_latex()
    assert "convention assay" in moves.to_latex()
    lower = assay.compare(QRELS, RUNS, "first_rank").queries("first_rank", "three", "two")
    assert (lower.helped[0].query, lower.hurt) == ("q0", ())
    back = comparison.queries("rr", "one", "two", top=2)
    assert [move.query for move in back.hurt] == ["q1", "q2"]
    assert back.counts == (0, 1, 7)


def test_moves_in_other_forms(comparison):
    moves = comparison.queries("mrr", "two", "three", top=3)
    data = json.loads(moves.to_json())
    assert (data["a"], data["b"], data["measure"], data["wins"], data["losses"]) == ("two", "three", "rr", 0, 6)
    fair = {"document": "fair", "grade": 1, "before": None, "after": None, "contribution": 0, "text": None}
    assert data["hurt"][0]["documents"][1] == fair
    assert "measures: rr(rel=1,credit=first)" in data["signature"]
    frame = moves.to_polars()
    names = "query_id before after doc_id grade rank_before rank_after contribution"
    assert " ".join(frame.columns) == names
    assert frame.row(0) == ("q0", 1.0, 0.25, "good", 2.0, 1, 4, -0.75)
    assert len(frame) == 9
    assert moves.to_pandas()["rank_after"][0] == 4
    assert "| q0 | 1.0000 | 0.2500 | -0.7500 | good (grade 2): rank 1 → 4 (-0.7500); fair" in moves.to_markdown()
    assert len(comparison.queries("rr", "one", "one").to_polars()) == 0


def test_ranks_are_those_of_the_measures_own_policies():
    qrels = {"q": {"good": 1, "bad": 0}}
    runs = {"a": {"q": ["x", "y", "bad", "good"]}, "b": {"q": ["x", "good", "bad"]}}
    measures = ["rr", "trec_eval:recip_rank"]
    plain = assay.compare(qrels, runs, "rr").queries("rr", "a", "b").helped[0].documents
    assert [each[:4] for each in plain] == [("good", 1, 4, 2), ("bad", 0, 3, 3)]
    judged = assay.compare(qrels, runs, "rr", judged_only=True).queries("rr", "a", "b").helped[0].documents
    assert [each[:4] for each in judged] == [("good", 1, 2, 1), ("bad", 0, 1, 2)]
    both = assay.compare(qrels, runs, measures)
    assert both.queries("trec_eval:recip_rank", "a", "b").helped[0].documents == plain


def test_results_have_no_documents():
    comparison = assay.compare(None, results_of(a=[0.1, np.nan, 0.5], b=[0.4, 0.5, 0.2]))
    moves = comparison.queries("ap", "a", "b")
    assert [(move.query, move.documents) for move in (*moves.helped, *moves.hurt)] == [("0", ()), ("2", ())]
    assert (moves.counts, moves.left_out) == ((1, 0, 1), 1)
    assert moves.means == pytest.approx((0.3, 0.3))
    counts = "1 query better, 0 the same, 1 worse; 1 left out (no value in one of the runs)"
    assert moves.title.endswith(f"0.3000 → 0.3000; {counts}")
    assert json.loads(moves.to_json())["left_out"] == 1


def test_completion_shows_only_what_users_are_meant_to_use(comparison):
    names = "anchored caption is_significant notes pair pairs plot queries report results settings signature table verdict winner"
    assert {name for name in dir(comparison) if not name.startswith(("_", "to_"))} == {*names.split()}
