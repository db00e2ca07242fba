"""`assay rag` as a person types it."""

import json

import pytest

import assay as library
from tables import refusing

ROWS = [
    {"query_id": "a", "question": "A?", "gold": ["d1"], "retrieved": ["d1"], "answer": "x y", "references": ["x y"]},
    {"query_id": "b", "question": "B?", "gold": ["d2"], "retrieved": ["d9"], "answer": "z", "references": ["w"]},
]


@pytest.fixture(autouse=True)
def records(folder):
    return write_rows(folder / "records.jsonl", ROWS)


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def rag(assay):
    """Runs `assay rag`, which must end well."""

    def run(line, **more):
        done = assay(f"rag {line}", **more)
        assert done.exit_code == 0, done.stderr
        return done

    return run


TEXT = f"""\
measure      mean     low    high  queries
──────────────────────────────────────────
recall     0.5000  0.0000  1.0000        2
answer_f1  0.5000  0.0000  1.0000        2

assay {library.__version__}, convention assay, details: --format json

gold passage   questions  answer_f1
───────────────────────────────────
retrieved              1     1.0000
not retrieved          1     0.0000

note: of 1 answer with answer_f1 below 0.5, 0 had a gold passage (the generator's fault) and 1 had none (the retriever's)

The worst questions:

b  answer_f1 0.0000  gold passage: not retrieved
  question   B?
  answer     z
  reference  w
  gold       d2
  retrieved  d9
"""


def test_the_table_the_blame_and_the_worst(rag):
    assert rag("records.jsonl -m 'recall answer_f1' --worst 1").output == TEXT


def test_formats_and_standard_input(rag, records, read_json):
    done = rag("- -m em --format csv", stdin=records.read_bytes())
    assert done.output == "measure,mean,low,high,queries\nem,0.5,0.0,1.0,2\n"
    assert rag("records.jsonl -m em -q --format csv").output == "query,em\na,1.0\nb,0.0\nall,0.5\n"
    for format_, mark in {"markdown": "\n| --- |", "latex": r"\toprule"}.items():
        assert rag(f"records.jsonl --format {format_}").output.count(mark) == 3
    blamed = {"measure": "answer_f1", "right": 0.5, "generator": [], "retriever": ["b"]}
    assert read_json("rag records.jsonl")["runs"][0]["faults"] == blamed
    blamed = {"measure": "answer_em", "right": 2, "generator": ["a"], "retriever": ["b"]}
    assert read_json("rag records.jsonl --by answer_em --policy right=2")["runs"][0]["faults"] == blamed
    write_rows(records, [{"answer": "x", "references": "x"}])
    done = rag("records.jsonl -m 'recall em' --format tsv")
    assert done.stdout == "measure\tmean\tlow\thigh\tqueries\nem\t1.0\t\t\t1\n"
    assert "note: recall: left out; the records have no gold documents" in done.stderr


def test_what_decides_which_answers_are_wrong_and_worst_and_where_the_outputs_are(rag, folder):
    done = rag("records.jsonl --by recall --worst 1")
    assert "b  recall 0.0000" in done.output
    assert "with answer_f1 below 0.5" in done.output
    assert "with answer_em below 1, 0 had" in rag("records.jsonl --by answer_em --policy right=1").output
    # Outputs in a second file, and columns of one's own.
    (folder / "new.run").write_text("a Q0 d1 1 1 x\nb Q0 d2 1 1 x\n")
    assert rag("records.jsonl new.run -m recall --format csv").output.splitlines()[1].startswith("recall,1.0")
    (folder / "log.csv").write_text("reply,expected\nx,x\n")
    done = rag("log.csv --column answer=reply --column references=expected -m em --worst 0")
    assert "em       1.0000" in done.output


def test_a_result_is_kept_for_the_gate(rag, assay, records):
    rag("records.jsonl -m 'recall answer_f1 bleu' --save kept.json")
    expected = library.evaluate_rag(records, ["recall", "answer_f1", "bleu"]).mean
    assert library.load_result("kept.json").mean == expected
    assert [assay(f"gate kept.json --min answer_f1={least}").exit_code for least in (0.4, 0.6)] == [0, 1]


REFUSED = {
    "rag nowhere.jsonl": "assay: ",
    "rag records.jsonl -m nothing": "nothing",
    "rag records.jsonl --column answer": "is not of the form PART=NAME",
    "rag records.jsonl --column answer=reply": "no record has a field 'reply'",
    "rag - -": "can be used for one file only",
    "rag records.jsonl --slice language": "--slice is for the report; add --report FILE",
    "rag records.jsonl -m score:faith": "no record has a score or a field 'faith'",
    "rag records.jsonl --policy match=fuzzy": "match must be 'exact', 'off', or a similarity",
    "rag records.jsonl --policy match=90": "match must be 'exact', 'off', or a similarity",
    "rag records.jsonl --dry-run": "--dry-run needs --judge, the LLM to ask",
}
test_refusals = refusing(REFUSED)


def test_scores_from_other_tools(rag, folder):
    rows = [{"gold": ["a"], "retrieved": ["a"] if n % 2 else ["b"], "scores": {"faith": n / 10}} for n in range(10)]
    write_rows(folder / "r.jsonl", [{"query_id": f"q{n}", **row} for n, row in enumerate(rows)])
    assert "score:faith  0.4500" in rag("r.jsonl -m recall -m 'score:*' --worst 0").output
    assert "score:faith" in rag("r.jsonl").output
    judged = rag("r.jsonl -m score:faith --by score:faith --policy right=0.35 --worst 1")
    assert "q0  score:faith 0.0000  gold passage: not retrieved" in judged.output
    rag("r.jsonl -m 'score:faith(higher_is_better=false)' --save r.json")
    assert not library.load_result("r.json").measures["score:faith"].definition.higher_is_better


def test_how_records_without_ids_are_matched(rag, refused, folder):
    write_rows(folder / "r.jsonl", [{"retrieved_contexts": ["abcdefghix", "b"], "reference_contexts": ["abcdefghij"]}])
    usual = rag("r.jsonl -m recall --worst 0").stdout
    assert "recall   1.0000" in usual
    assert "1 gold text matched by text: 0 exactly, 1 by a similarity of at least 0.9, 0 by no retrieved" in usual
    assert "recall   0.0000" in rag("r.jsonl -m recall --policy match=exact --worst 0").stdout
    refused("rag r.jsonl -m recall --policy match=off", "no gold documents and no retrieved documents")
    gold, chunk = ({"document": "d", "start": start, "end": end} for start, end in ((10, 20), (15, 40)))
    write_rows(folder / "r.jsonl", [{"gold": [gold], "found": [{"meta": {"at": 15, **chunk, "start": None}}]}])
    spans = "r.jsonl --column retrieved=found --column start=meta.at -m recall --worst 0"
    for policies, value in {"": 1, "overlap=0.5": 1, "overlap=0.5 --policy overlap_of=iou": 0}.items():
        assert f"recall   {value}.0000" in rag(f"{spans} --policy {policies}" if policies else spans).stdout
    write_rows(folder / "r.jsonl", [{"gold": ["b"], "retrieved": ["a#1", "a#2", "b#1"]}])
    for policies, value in {"": 0.5, "--policy chunks=once": 0.3333}.items():
        assert f"rr       {value:.4f}" in rag(f"r.jsonl -m rr --policy doc_id=before:# {policies} --worst 0").stdout


SCORES = """
import assay

@assay.extend.score
def words(record):
    return len(record.answer.split())

shorter = assay.extend.score(words.function, "length", higher_is_better=False)

@assay.extend.score
def breaks(record):
    return 1 / 0
"""


def test_functions_of_a_loaded_file_are_scores(read_json, refused, folder):
    (folder / "scores_of_ours.py").write_text(SCORES)
    line = "rag records.jsonl --load scores_of_ours.py"
    measures = read_json(f"{line} -m 'score:words,score:length answer_em'")["runs"][0]["measures"]
    means = {name: each["mean"] for name, each in measures.items()}
    assert means == {"score:words": 1.5, "score:length": 1.5, "answer_em": 0.5}
    assert measures["score:length"]["measure"] == "score:length(higher_is_better=false)"
    said = "line 1 ('a'): the function 'breaks' raised ZeroDivisionError: division by zero"
    refused(f"{line} -m score:breaks", said)
    refused(f"{line} -m score:words_of_mine", "no record has a score or a field 'words_of_mine'")
