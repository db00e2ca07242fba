"""The policies `doc_id` and `chunks`, on the commands that read runs."""

import pytest

from tables import refusing

CHUNKS = "q1 Q0 x#1 1 0.9 a\nq1 Q0 d1#2 2 0.8 a\nq1 Q0 d1#1 3 0.7 a\nq1 Q0 d3#1 4 0.6 a\nq2 Q0 d4#9 1 0.4 a\n"
LEFT_OUT = "1 chunk of a document that is ranked higher left out"
RULE = "--policy doc_id=before:#"


@pytest.fixture(autouse=True)
def chunks(folder):
    (folder / "chunks.run").write_text(CHUNKS)


def test_eval_compare_diff_gate_and_audit(assay):
    for rule in ("before:#", "before_last:#", r"'regex:^(.+)#\d+$'"):
        result = assay(f"eval qrels.txt chunks.run --policy doc_id={rule} -m rr -m num_ret --format csv")
        assert result.exit_code == 0
        assert result.stdout.splitlines()[1:] == ["rr,0.75,0.5,1.0,2", "num_ret,4,,,2"]
        assert result.stderr == f"note: {LEFT_OUT}\n"
    result = assay(f"eval qrels.txt chunks.run {RULE} --policy chunks=once -m num_ret")
    assert "doc_id=before:# chunks=once, details" in result.stdout
    assert LEFT_OUT not in result.stdout
    assert assay(f"compare qrels.txt chunks.run one.run {RULE} -m rr").exit_code == 0
    moved = assay(f"diff qrels.txt chunks.run one.run {RULE} -m rr --format csv").stdout.splitlines()[1:]
    assert [line.split(",")[:4] for line in moved] == [["q1", "0.5", "1.0", "0.5"], ["q2", "1.0", "0.5", "-0.5"]]
    assert assay(f"gate qrels.txt chunks.run {RULE} --min rr=0.7").exit_code == 0
    assert assay("gate qrels.txt chunks.run --min rr=0.7").exit_code == 1
    assert LEFT_OUT in assay(f"audit qrels.txt chunks.run {RULE}").stdout


REFUSED = {
    "doc_id=#": "doc_id: '#' is not a rule; a rule is before:#, ",
    "'doc_id=regex:(a)(b)'": "doc_id: the regular expression '(a)(b)' has 2 groups; ",
    "doc_id=source": "assay: --policy doc_id=field:source reads a field, and chunks.run (trec) has only ids; ",
    "chunks=once": "assay: --policy chunks has no effect without --policy doc_id, ",
}
test_refusals = refusing(REFUSED, "eval qrels.txt chunks.run --policy ")
