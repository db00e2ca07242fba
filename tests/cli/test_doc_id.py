"""The policies `doc_id` and `chunks`, on the commands that read runs."""

import pytest

CHUNKS = "q1 Q0 x#1 1 0.9 a\nq1 Q0 d1#2 2 0.8 a\nq1 Q0 d1#1 3 0.7 a\nq1 Q0 d3#1 4 0.6 a\nq2 Q0 d4#9 1 0.4 a\n"
LEFT_OUT = "1 chunk of a document that is ranked higher left out"


@pytest.fixture
def chunks(folder):
    (folder / "chunks.run").write_text(CHUNKS)
    return "chunks.run"


@pytest.mark.parametrize("rule", ["before:#", "before_last:#", r"regex:^(.+)#\d+$"])
def test_eval(assay, chunks, rule):
    result = assay(
        "eval", "qrels.txt", chunks, "--policy", f"doc_id={rule}", "-m", "rr", "-m", "num_ret", "--format", "csv"
    )
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == ["rr,0.75,0.5,1.0,2", "num_ret,4,,,2"]
    assert result.stderr == f"note: {LEFT_OUT}\n"


def test_the_rule_is_below_the_table(assay, chunks):
    result = assay(
        "eval", "qrels.txt", chunks, "--policy", "doc_id=before:#", "--policy", "chunks=once", "-m", "num_ret"
    )
    assert "doc_id=before:# chunks=once, details" in result.stdout
    assert LEFT_OUT not in result.stdout


def test_compare_diff_gate_and_audit(assay, chunks):
    rule = ("--policy", "doc_id=before:#")
    assert assay("compare", "qrels.txt", chunks, "one.run", *rule, "-m", "rr").exit_code == 0
    moved = assay("diff", "qrels.txt", chunks, "one.run", *rule, "-m", "rr", "--format", "csv")
    assert [line.split(",")[:4] for line in moved.stdout.splitlines()[1:]] == [
        ["q1", "0.5", "1.0", "0.5"],
        ["q2", "1.0", "0.5", "-0.5"],
    ]
    assert assay("gate", "qrels.txt", chunks, *rule, "--min", "rr=0.7").exit_code == 0
    assert assay("gate", "qrels.txt", chunks, "--min", "rr=0.7").exit_code == 1
    assert LEFT_OUT in assay("audit", "qrels.txt", chunks, *rule).stdout


def test_a_gate_keeps_its_rule_in_a_file(assay, chunks, folder):
    (folder / "assay.toml").write_text('[gate]\nqrels = "qrels.txt"\ndoc_id = "before:#"\nminimum = {rr = 0.7}\n')
    assert assay("gate", chunks).exit_code == 0
    (folder / "assay.toml").write_text('[gate]\nqrels = "qrels.txt"\ndoc_id = "until:#"\nminimum = {rr = 0.7}\n')
    result = assay("gate", chunks)
    assert result.exit_code == 2
    assert "'until:#' is not a rule" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--policy", "doc_id=#"), "doc_id: '#' is not a rule; a rule is before:#, "),
        (("--policy", "doc_id=regex:(a)(b)"), "doc_id: the regular expression '(a)(b)' has 2 groups; "),
        (
            ("--policy", "doc_id=source"),
            "assay: --policy doc_id=field:source reads a field, and chunks.run (trec) has only ids; ",
        ),
        (("--policy", "chunks=once"), "assay: --policy chunks has no effect without --policy doc_id, "),
    ],
)
def test_mistakes(process, chunks, options, message):
    result = process("eval", "qrels.txt", chunks, *options)
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr.decode()
