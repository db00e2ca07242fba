"""`assay rag` as a person types it."""

import json

import pytest
from click.testing import CliRunner

import assay
from assay.cli.main import commands

ROWS = [
    {"query_id": "a", "question": "A?", "gold": ["d1"], "retrieved": ["d1"], "answer": "x y", "references": ["x y"]},
    {"query_id": "b", "question": "B?", "gold": ["d2"], "retrieved": ["d9"], "answer": "z", "references": ["w"]},
]


@pytest.fixture
def records(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def run(*arguments, **more):
    return CliRunner().invoke(commands, ["rag", *map(str, arguments)], **more)


def test_a_file_gives_the_table_the_blame_and_the_worst(records):
    done = run(records, "-m", "recall answer_f1", "--worst", 1)
    assert done.exit_code == 0
    assert (
        done.output
        == """\
measure      mean     low    high  queries
──────────────────────────────────────────
recall     0.5000  0.0000  1.0000        2
answer_f1  0.5000  0.0000  1.0000        2

assay VERSION, convention assay, details: --format json

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
""".replace("VERSION", assay.__version__)
    )


def test_standard_input(records):
    done = run("-", "-m", "em", "--format", "csv", input=records.read_bytes())
    assert done.exit_code == 0
    assert done.output == "measure,mean,low,high,queries\nem,0.5,0.0,1.0,2\n"


def test_each_question(records):
    done = run(records, "-m", "em", "-q", "--format", "csv")
    assert done.output == "query,em\na,1.0\nb,0.0\nall,0.5\n"


@pytest.mark.parametrize(("format_", "mark"), [("markdown", "\n| --- |"), ("latex", r"\toprule")])
def test_other_formats_have_all_three_tables(records, format_, mark):
    done = run(records, "--format", format_)
    assert done.output.count(mark) == 3


def test_json(records):
    plain = json.loads(run(records, "--format", "json").output)["runs"][0]
    assert plain["faults"] == {"measure": "answer_f1", "right": 0.5, "generator": [], "retriever": ["b"]}
    other = json.loads(run(records, "--format", "json", "--by", "answer_em", "--policy", "right=2").output)["runs"][0]
    assert other["faults"] == {"measure": "answer_em", "right": 2, "generator": ["a"], "retriever": ["b"]}


def test_the_worst_by_a_measure_of_retrieval(records):
    done = run(records, "--by", "recall", "--worst", "1")
    assert done.exit_code == 0
    assert "b  recall 0.0000" in done.output
    assert "with answer_f1 below 0.5" in done.output


def test_a_measure_without_a_highest_value(records):
    assert run(records, "-m", "recall ter").exit_code == 0


def test_outputs_in_a_second_file(records, tmp_path):
    (tmp_path / "new.run").write_text("a Q0 d1 1 1 x\nb Q0 d2 1 1 x\n")
    done = run(records, tmp_path / "new.run", "-m", "recall", "--format", "csv")
    assert done.output.splitlines()[1].startswith("recall,1.0")


def test_columns_of_ones_own(tmp_path):
    (tmp_path / "log.csv").write_text("reply,expected\nx,x\n")
    done = run(
        tmp_path / "log.csv", "--column", "answer=reply", "--column", "references=expected", "-m", "em", "--worst", 0
    )
    assert "em       1.0000" in done.output


def test_what_is_right_is_asked_by_a_measure_and_a_value(records):
    assert "with answer_em below 1, 0 had" in run(records, "--by", "answer_em", "--policy", "right=1").output


def test_a_result_is_kept_for_the_gate(records, tmp_path):
    kept = tmp_path / "kept.json"
    assert run(records, "-m", "recall answer_f1 bleu", "--save", kept).exit_code == 0
    assert assay.load_result(kept).mean == assay.evaluate_rag(records, ["recall", "answer_f1", "bleu"]).mean
    runner = CliRunner()
    passed = runner.invoke(commands, ["gate", str(kept), "--min", "answer_f1=0.4"])
    failed = runner.invoke(commands, ["gate", str(kept), "--min", "answer_f1=0.6"])
    assert (passed.exit_code, failed.exit_code) == (0, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.jsonl",), "assay: "),
        (("RECORDS", "-m", "nothing"), "nothing"),
        (("RECORDS", "--column", "answer"), "is not of the form PART=NAME"),
        (("RECORDS", "--column", "answer=reply"), "no record has a field 'reply'"),
        (("-", "-"), "can be used for one file only"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(arguments, message, records):
    done = run(*(records if each == "RECORDS" else each for each in arguments))
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output


def test_notes_go_to_standard_error_where_only_rows_are_written(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"answer": "x", "references": "x"}\n')
    done = run(tmp_path / "r.jsonl", "-m", "recall em", "--format", "tsv")
    assert done.stdout == "measure\tmean\tlow\thigh\tqueries\nem\t1.0\t\t\t1\n"
    assert "note: recall: left out; the records have no gold documents" in done.stderr


def test_scores_from_other_tools(tmp_path):
    rows = [
        {"query_id": f"q{n}", "gold": ["a"], "retrieved": ["a"] if n % 2 else ["b"], "scores": {"faithfulness": n / 10}}
        for n in range(10)
    ]
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    usual = run(path, "-m", "recall", "-m", "score:*", "--worst", 0)
    assert usual.exit_code == 0
    assert "score:faithfulness  0.4500" in usual.output
    assert "score:faithfulness" in run(path).output
    judged = run(path, "-m", "score:faithfulness", "--by", "score:faithfulness", "--policy", "right=0.35", "--worst", 1)
    assert "q0  score:faithfulness 0.0000  gold passage: not retrieved" in judged.output
    wrong = run(path, "-m", "score:faith")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "no record has a score or a field 'faith'; they have faithfulness" in wrong.stderr
    saved = run(path, "-m", "score:faithfulness(higher_is_better=false)", "--save", tmp_path / "r.json")
    assert saved.exit_code == 0
    assert not assay.load_result(tmp_path / "r.json").measures["score:faithfulness"].definition.higher_is_better


def test_records_without_ids(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(
        json.dumps({"retrieved_contexts": ["abcdefghix", "b"], "reference_contexts": ["abcdefghij"]}) + "\n"
    )
    usual = run(path, "-m", "recall", "--worst", 0)
    assert "recall   1.0000" in usual.stdout
    assert (
        "1 gold text matched by text: 0 exactly, 1 by a similarity of at least 0.9, 0 by no retrieved" in usual.stdout
    )
    assert "recall   0.0000" in run(path, "-m", "recall", "--policy", "match=exact", "--worst", 0).stdout
    off = run(path, "-m", "recall", "--policy", "match=off")
    assert (off.exit_code, "no gold documents and no retrieved documents" in off.stderr) == (2, True)
    wrong = run(path, "--policy", "match=fuzzy")
    assert (wrong.exit_code, "match must be 'exact', 'off', or a similarity" in wrong.stderr) == (2, True)
    assert "match must be 'exact', 'off', or a similarity" in run(path, "--policy", "match=90").stderr


def test_gold_spans(tmp_path):
    path = tmp_path / "r.jsonl"
    gold, chunk = ({"document": "d", "start": start, "end": end} for start, end in ((10, 20), (15, 40)))
    path.write_text(json.dumps({"gold": [gold], "found": [{"meta": {"at": 15, **chunk, "start": None}}]}) + "\n")
    columns = ("--column", "retrieved=found", "--column", "start=meta.at", "-m", "recall", "--worst", 0)
    assert "recall   1.0000" in run(path, *columns).stdout
    assert "recall   1.0000" in run(path, *columns, "--policy", "overlap=0.5").stdout
    assert "recall   0.0000" in run(path, *columns, "--policy", "overlap=0.5", "--policy", "overlap_of=iou").stdout


def test_documents_of_chunks(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"gold": ["b"], "retrieved": ["a#1", "a#2", "b#1"]}) + "\n")
    assert "rr       0.5000" in run(path, "-m", "rr", "--policy", "doc_id=before:#", "--worst", 0).stdout
    assert (
        "rr       0.3333"
        in run(path, "-m", "rr", "--policy", "doc_id=before:#", "--policy", "chunks=once", "--worst", 0).stdout
    )


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


def test_functions_of_a_loaded_file_are_scores(records, tmp_path):
    file = tmp_path / "scores_of_ours.py"
    file.write_text(SCORES)
    done = run(records, "--load", file, "-m", "score:words,score:length answer_em", "--format", "json")
    measures = json.loads(done.stdout)["runs"][0]["measures"]
    means = {name: each["mean"] for name, each in measures.items()}
    assert means == {"score:words": 1.5, "score:length": 1.5, "answer_em": 0.5}
    assert measures["score:length"]["measure"] == "score:length(higher_is_better=false)"
    done = run(records, "--load", file, "-m", "score:breaks")
    assert done.exit_code == 2
    assert "line 1 ('a'): the function 'breaks' raised ZeroDivisionError: division by zero" in done.stderr
    done = run(records, "--load", file, "-m", "score:words_of_mine")
    assert (done.exit_code, "no record has a score or a field 'words_of_mine'" in done.stderr) == (2, True)
