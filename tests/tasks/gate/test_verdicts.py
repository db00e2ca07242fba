"""A judge that failed often fails the gate, unless that is allowed."""

import pytest

import assay

RECORDS = [{"query_id": f"q{n}", "question": "?", "answer": str(n), "retrieved_texts": ["a"]} for n in range(20)]


@pytest.fixture
def stored(tmp_path):
    """A stored result of which two of 20 questions have no verdict."""

    def judge(messages):
        if "\n7\n" in messages[1]["content"] or "\n8\n" in messages[1]["content"]:
            return "no JSON"
        if messages[0]["content"].startswith("Split"):
            return '{"statements": ["It is so."]}'
        return '{"verdicts": [{"reason": "", "verdict": true}]}'

    few = pytest.warns(assay.DataWarning, match="failed on 2 of 20")
    with assay.Judge(judge, cache=False, retries=0) as asked, few:
        result = assay.evaluate_rag(RECORDS, ["faithfulness"], judge=asked)
    result.save(tmp_path / "result.json")
    return tmp_path / "result.json"


@pytest.mark.filterwarnings("ignore::assay.DataWarning")
def test_failed_verdicts_fail_the_gate_with_the_reason_unless_they_are_allowed(stored):
    report = assay.gate(None, stored, {"faithfulness": 0.5})
    assert [check[1:4] for check in report.checks] == [("verdicts", False, 2.0), ("minimum", True, 1.0)]
    said = "run: the judge failed on 2 of 20 questions (2 unparsable: it is not JSON)"
    assert report.checks[0].reason.startswith(said)
    assert not report.passed
    assert assay.gate(None, stored, {"faithfulness": 0.5}, failed_verdicts=True).passed
