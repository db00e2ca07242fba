"""`assay diff`: which queries moved, and why."""

import json

import pytest


def test_queries_with_their_documents(assay):
    result = assay("diff", "qrels.txt", "one.run", "two.run", "-m", "rr(rel=3)")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:8] == [
        "rr(rel=3), from one to two: 0.5000 → 0.2500; 0 queries better, 1 the same, 1 worse",
        "",
        "most helped: none",
        "",
        "most hurt:",
        "  q1  1.0000 → 0.5000  (-0.5000)",
        "      d1 (grade 3): rank 1 → 2 (-0.5000)",
        "      d3 (grade 1): rank 3 → 1",
    ]
    assert result.stdout.splitlines()[-1].endswith("convention assay, details: --format json")
    assert "note: two: 1 query in the judgments is missing from the run" in result.stderr


def test_the_default_is_ndcg(assay):
    plain = assay("diff", "qrels.txt", "one.run", "two.run")
    assert plain.stdout.startswith("ndcg@10, from one to two: ")
    assert plain.stdout == assay("diff", "qrels.txt", "one.run", "two.run", "-m", "ndcg@10").stdout


def test_the_default_for_stored_results_is_their_first_measure(assay):
    for name in ("one", "two"):
        assay("eval", "qrels.txt", f"{name}.run", "-m", "rr@5", "-m", "ap", "--save", f"{name}.json")
    stored = assay("diff", "one.json", "two.json")
    assert stored.stdout.startswith("rr@5, from one to two: ")
    mixed = assay("diff", "qrels.txt", "one.json", "two.run")
    assert mixed.stdout.startswith("rr@5, from one to two: ")
    assert assay("diff", "one.json", "two.json", "-m", "ap").stdout.startswith("ap, from one to two: ")
    assert "'ndcg@10' was not computed; the result has" in assay("diff", "one.json", "two.json", "-m", "ndcg@10").stderr


def test_so_many_each_way(assay):
    def queries(*options):
        data = json.loads(assay("diff", "qrels.txt", "two.run", "one.run", "--format", "json", *options).stdout)
        return [move["query"] for move in data["helped"]]

    assert queries() == ["q2", "q1"]
    assert queries("-n", "1") == ["q2"]


def test_json_has_every_judged_document(assay):
    data = json.loads(assay("diff", "qrels.txt", "one.run", "two.run", "-m", "rr(rel=3)", "--format", "json").stdout)
    assert "measures: rr(rel=3,credit=first)" in data["signature"]
    (move,) = data["hurt"]
    assert move["documents"] == [
        {"document": "d1", "grade": 3.0, "before": 1, "after": 2, "contribution": -0.5, "text": None},
        {"document": "d3", "grade": 1.0, "before": 3, "after": 1, "contribution": 0.0, "text": None},
        {"document": "d2", "grade": 0.0, "before": 2, "after": None, "contribution": 0.0, "text": None},
    ]


@pytest.mark.parametrize("format_", ["csv", "tsv", "markdown", "latex"])
def test_other_formats_have_a_row_for_each_query(assay, folder, format_):
    assert assay("diff", "qrels.txt", "one.run", "two.run", "--format", format_, "-o", "out").stdout == ""
    text = (folder / "out").read_text(encoding="utf-8")
    arrow = r"$\rightarrow$" if format_ == "latex" else "→"
    assert f"d1 (grade 3): rank 1 {arrow} 2 (-0.3049); d3 (grade 1): rank 3 {arrow} 1 (+0.1377)" in text


def test_texts(assay, folder):
    (folder / "questions.tsv").write_text("q1\tWho pays?\nq2\tWhen?\n")
    (folder / "corpus.tsv").write_text("d1\tThe payer.\nd3\tThe bank.\nd4\tMay.\nd5\tNobody.\n")
    texts = ("--queries", "questions.tsv", "--corpus", "corpus.tsv")
    result = assay("diff", "qrels.txt", "one.run", "two.run", "-m", "rr", *texts)
    assert result.exit_code == 0
    assert "      When?\n" in result.stdout
    assert "      d5 (not judged): rank 1 → not retrieved\n          Nobody.\n" in result.stdout
    piped = assay("diff", "qrels.txt", "-", "two.run", "-m", "rr", *texts, stdin=(folder / "one.run").read_text())
    assert "note: standard input is not read again, so an unjudged document on top of it is not shown" in piped.stderr
    wrong = assay("diff", "qrels.txt", "one.run", "two.run", "--corpus", "missing.tsv")
    assert (wrong.exit_code, "missing.tsv" in wrong.stderr) == (2, True)


def test_the_worst_queries_of_one_run(assay, folder):
    (folder / "questions.tsv").write_text("q1\tWho pays?\nq2\tWhen?\n")
    (folder / "corpus.tsv").write_text("d4\tIn March.\nd5\tNobody.\n")
    texts = ("--queries", "questions.tsv", "--corpus", "corpus.tsv")
    result = assay("eval", "qrels.txt", "one.run", "-m", "rr", "--worst", "1", *texts)
    assert result.exit_code == 0
    assert result.stdout.endswith(
        "\nworst queries by rr\n  q2  0.5000\n      When?\n      d4 (grade 1): rank 2 (-0.5000)\n          In March.\n"
        "      d5 (not judged): rank 1\n          Nobody.\n"
    )
    assert assay("eval", "qrels.txt", "one.run", "two.run", "--worst", "1").exit_code == 2
    assert "add --worst 5" in assay("eval", "qrels.txt", "one.run", *texts).stderr


def test_the_same_run_twice(assay):
    result = assay("diff", "qrels.txt", "one.run", "one.run")
    assert "from one to one (2): 0.7974 → 0.7974; 0 queries better, 2 the same, 0 worse" in result.stdout


def test_policies(assay):
    result = assay("diff", "qrels.txt", "one.run", "two.run", "-m", "rr", "--policy", "judged_only=yes")
    assert "d4 (grade 1): rank 1 → not retrieved" in result.stdout


MISTAKES = [
    (
        ("one.run", "two.run", "-m", "P.5,10", "--convention", "trec_eval"),
        "'P.5,10' names several measures: P_5, P_10; name one",
    ),
    (("one.run", "two.run", "-m", "nauc(of=ap)"), "is one number for all queries; it has no values per query"),
    (("one.run", "two.run", "-n", "0"), "0 is not in the range"),
    (("one.run",), "missing RUN_B; assay eval --worst shows the worst queries of a single run"),
    (("one.run", "two.run", "--policy", "missing=skip"), "have different queries"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_mistakes(assay, arguments, message):
    result = assay("diff", "qrels.txt", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
