"""Judgments and runs that barely overlap: a warning above the output, with options as the shell has them."""

import json
from pathlib import Path

import pytest

from tables import for_each

QRELS = "q1 0 doc7 1\nq1 0 doc9 0\nq2 0 doc3 2\n"
CHUNKS = "q1 Q0 doc7#3 1 0.9 t\nq1 Q0 doc9#0 2 0.5 t\nq2 Q0 doc3#1 1 0.4 t\n"
GOOD = "q1 Q0 doc7 1 0.9 t\nq2 Q0 doc3 1 0.4 t\n"
TEXT = (
    "no judged document was retrieved for any query: the judgments have 'doc7', 'doc9', 'doc3', "
    "the run has 'doc7#3', 'doc9#0', 'doc3#1'; likely the same ids: 'doc7' vs. 'doc7#3' (the chunk '#3' in the run); "
    "--policy 'doc_id=before:#' joins them"
)
RECORDS = [
    {"query_id": "q1", "gold": ["doc7", "doc9"], "retrieved": ["doc7#3", "doc9#0"]},
    {"query_id": "q2", "gold": ["doc3"], "retrieved": ["doc3#1"]},
]


@pytest.fixture
def chunks(assay):
    for name, text in {"j.txt": QRELS, "chunks.run": CHUNKS, "good.run": GOOD}.items():
        Path(name).write_text(text)
    Path("records.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    return assay


WARNED = {
    "eval j.txt chunks.run --format csv": ("", 0),
    "eval j.txt chunks.run good.run": ("chunks: ", 0),
    "compare j.txt chunks.run good.run --format tsv": ("chunks: ", 0),
    "diff j.txt chunks.run good.run": ("chunks: ", 0),
    "audit j.txt chunks.run": ("", 0),
    "rag records.jsonl -m recall": ("", 0),
    "gate j.txt chunks.run --min rr=0": ("", 1),
}


@for_each(("line", "expected"), WARNED.items())
def test_a_warning_on_standard_error_once(chunks, line, expected):
    name, code = expected
    result = chunks(line)
    assert result.exit_code == code
    assert [line for line in result.stderr.splitlines() if "judged document" in line] == [f"warning: {name}{TEXT}"]


def test_the_advice_works_and_standard_input_cannot_be_read_again(chunks):
    assert "FAIL  judged documents  run: no judged document was" in chunks("gate j.txt chunks.run --min rr=0").stdout
    result = chunks("gate j.txt chunks.run --min rr=1 --policy doc_id=before:#")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "→ --policy 'doc_id=before:#' joins them" in chunks("check j.txt chunks.run").stdout
    said = "the run cannot be read again to show its ids; `assay check` shows how the ids differ\n"
    assert chunks("eval j.txt -", stdin=CHUNKS).stderr.endswith(said)
