"""`assay diff`: which queries moved, and why."""

import pytest

from tables import refusing


@pytest.fixture(autouse=True)
def texts(folder):
    (folder / "questions.tsv").write_text("q1\tWho pays?\nq2\tWhen?\n")
    (folder / "corpus.tsv").write_text("d1\tThe payer.\nd3\tThe bank.\nd4\tIn March.\nd5\tNobody.\n")


TEXTS = "--queries questions.tsv --corpus corpus.tsv"


def test_queries_with_their_documents(assay):
    result = assay("diff qrels.txt one.run two.run -m 'rr(rel=3)'")
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


def test_the_default_measure(assay, refused):
    plain = assay("diff qrels.txt one.run two.run")
    assert plain.stdout.startswith("ndcg@10, from one to two: ")
    assert plain.stdout == assay("diff qrels.txt one.run two.run -m ndcg@10").stdout
    for name in ("one", "two"):
        assay(f"eval qrels.txt {name}.run -m rr@5 -m ap --save {name}.json")
    for line, measure in {
        "one.json two.json": "rr@5",
        "qrels.txt one.json two.run": "rr@5",
        "one.json two.json -m ap": "ap",
    }.items():
        assert assay(f"diff {line}").stdout.startswith(f"{measure}, from one to two: ")
    refused("diff qrels.txt one.run two.run -m ap -m rr", "this command is about one measure, got 2")
    refused("diff one.json two.json -m ndcg@10", "'ndcg@10' was not computed; the result has")


def test_json_has_every_judged_document_and_so_many_queries_each_way(read_json):
    data = read_json("diff qrels.txt one.run two.run -m 'rr(rel=3)'")
    assert "measures: rr(rel=3,credit=first)" in data["signature"]
    (move,) = data["hurt"]
    assert [tuple(each.values()) for each in move["documents"]] == [
        ("d1", 3.0, 1, 2, -0.5, None),
        ("d3", 1.0, 3, 1, 0.0, None),
        ("d2", 0.0, 2, None, 0.0, None),
    ]
    assert list(move["documents"][0]) == ["document", "grade", "before", "after", "contribution", "text"]
    for options, queries in {"": ["q2", "q1"], "-n 1": ["q2"]}.items():
        assert [move["query"] for move in read_json(f"diff qrels.txt two.run one.run {options}")["helped"]] == queries


def test_texts(assay, refused, folder):
    result = assay(f"diff qrels.txt one.run two.run -m rr {TEXTS}")
    assert result.exit_code == 0
    assert "      When?\n" in result.stdout
    assert "      d5 (not judged): rank 1 → not retrieved\n          Nobody.\n" in result.stdout
    piped = assay(f"diff qrels.txt - two.run -m rr {TEXTS}", stdin=(folder / "one.run").read_text())
    assert "note: standard input is not read again, so an unjudged document on top of it is not shown" in piped.stderr
    refused("diff qrels.txt one.run two.run --corpus missing.tsv", "missing.tsv")


def test_policies_and_the_worst_queries_of_one_run(assay):
    result = assay("diff qrels.txt one.run two.run -m rr --policy judged_only=yes")
    assert "d4 (grade 1): rank 1 → not retrieved" in result.stdout
    result = assay(f"eval qrels.txt one.run -m rr --worst 1 {TEXTS}")
    assert result.exit_code == 0
    assert result.stdout.endswith(
        "\nworst queries by rr\n  q2  0.5000\n      When?\n      d4 (grade 1): rank 2 (-0.5000)\n          In March.\n"
        "      d5 (not judged): rank 1\n          Nobody.\n"
    )


REFUSED = {
    "diff qrels.txt one.run two.run -m P.5,10 --convention trec_eval": "'P.5,10' names several measures: P_5, P_10; name one",
    "diff qrels.txt one.run two.run -m 'nauc(of=ap)'": "is one number for all queries; it has no values per query",
    "diff qrels.txt one.run two.run -n 0": "0 is not in the range",
    "diff qrels.txt one.run": "missing RUN_B; assay eval --worst shows the worst queries of a single run",
    "diff qrels.txt one.run two.run --policy missing=skip": "have different queries",
    "eval qrels.txt one.run two.run --worst 1": "--worst explains a single run",
    "eval qrels.txt - --worst 1": "--worst reads the run once more, so it cannot be standard input",
    f"eval qrels.txt one.run {TEXTS}": "add --worst 5",
}
test_refusals = refusing(REFUSED)
