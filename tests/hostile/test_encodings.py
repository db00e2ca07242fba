"""Text in other encodings: UTF-8 and UTF-16 with a byte-order mark are read, whatever the file is; others are named."""

import io

import pytest

import assay
from outcomes import check, run_command
from tables import for_each

pytestmark = pytest.mark.attack("Encodings")

QRELS = "q1 0 d1 1\nq1 0 dé 0\nq2 0 d3 1\n"
RUN = "q1 Q0 dé 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d3 1 5 t\n"
TABLE = "query_id,doc_id,score\nq1,dé,2\nq1,d1,1\nq2,d3,5\n"
GRADES = TABLE.replace("score", "relevance").replace("dé,2", "dé,0")
JSON = '{"q1": {"dé": 2, "d1": 1}, "q2": {"d3": 5}}'
LINES = """{"query_id": "q1", "doc_id": "dé", "score": 2}
{"query_id": "q1", "doc_id": "d1", "score": 1}
{"query_id": "q2", "doc_id": "d3", "score": 5}
"""
JUDGMENTS = {"q1": {"d1": 1, "dé": 0}, "q2": {"d3": 1}}
ENCODINGS = {
    "UTF-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16 little-endian": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16 big-endian": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16 with Windows line ends": lambda text: text.replace("\n", "\r\n").encode("utf-16"),
}
RANKINGS = {"q1": ["dé", "d1"], "q2": ["d3"]}


def as_run(path):
    return assay.evaluate(JUDGMENTS, path, ["rr"])["rr"]


def as_judgments(path):
    return assay.evaluate(path, RANKINGS, ["rr"])["rr"]


# The file, its text, and what reads it.
READ = {
    "run": ("a.run", RUN, as_run),
    "judgments": ("a.qrels", QRELS, as_judgments),
    "run as CSV": ("a.csv", TABLE, as_run),
    "judgments as CSV": ("a.csv", GRADES, as_judgments),
    "run as TSV": ("a.tsv", TABLE.replace(",", "\t"), as_run),
    "run as JSON": ("a.json", JSON, as_run),
    "run as JSON Lines": ("a.jsonl", LINES, as_run),
    "JSON Lines called .json": ("a.json", LINES, as_run),
    **{f"{text[:9]} without an ending": ("run", text, as_run) for text in (RUN, JSON, TABLE)},
    "run that is open": ("a.run", RUN, lambda path: as_run(io.BytesIO(path.read_bytes()))),
    "run in a folder": ("a.run", RUN, lambda path: as_run(path.parent)),
}


@for_each("kind", READ)
@for_each("encoding", ENCODINGS)
def test_text_with_a_mark_is_read(tmp_path, kind, encoding):
    name, text, read = READ[kind]
    (tmp_path / name).write_bytes(ENCODINGS[encoding](text))
    assert read(tmp_path / name) == 0.75


@for_each("encoding", ENCODINGS)
def test_records_questions_and_passages_are_read(tmp_path, encoding):
    encode = ENCODINGS[encoding]
    records = (
        '{"question": "wér", "retrieved": ["d1"], "gold": ["d1"]}\n{"question": "b", "retrieved": [], "gold": ["d2"]}\n'
    )
    (tmp_path / "r.jsonl").write_bytes(encode(records))
    assert assay.evaluate_rag(tmp_path / "r.jsonl", measures=["rr"])["rr"] == 0.5
    (tmp_path / "q.tsv").write_bytes(encode("q1\twho wás it\nq2\twhat\n"))
    (tmp_path / "c.jsonl").write_bytes(encode('{"_id": "d1", "text": "ein Fuß"}\n{"_id": "d3", "text": "x"}\n'))
    report = assay.gate(
        JUDGMENTS,
        RANKINGS,
        {"rr": 0.9},
        baseline={"q1": ["d1"], "q2": ["d3"]},
        max_drop={"rr": 0.1},
        queries=tmp_path / "q.tsv",
        corpus=tmp_path / "c.jsonl",
    )
    assert "wás it" in str(report)
    assert "Fuß" in str(report)


@for_each("encoding", ENCODINGS)
def test_stored_results_and_settings_are_read(tmp_path, encoding):
    encode = ENCODINGS[encoding]
    result = assay.evaluate(JUDGMENTS, RANKINGS, ["rr"])
    result.save(tmp_path / "result.json")
    text = (tmp_path / "result.json").read_text(encoding="utf-8")
    (tmp_path / "result.json").write_bytes(encode(text).replace(encode("\r\n")[2:], encode("\n")[2:]))
    assert assay.load_result(tmp_path / "result.json")["rr"] == 0.75
    (tmp_path / "a.run").write_text(RUN, encoding="utf-8")
    (tmp_path / "a.qrels").write_text(QRELS, encoding="utf-8")
    (tmp_path / "assay.toml").write_bytes(
        encode('[gate]\nqrels = "a.qrels"\nrun = "a.run"\n[gate.minimum]\nrr = 0.7\n')
    )
    done = run_command("gate", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")


@for_each("encoding", ENCODINGS)
def test_standard_input_is_read(tmp_path, encoding):
    (tmp_path / "a.qrels").write_text(QRELS, encoding="utf-8")
    done = run_command("eval", tmp_path / "a.qrels", "-", "-m", "rr", input=ENCODINGS[encoding](RUN))
    assert done.returncode == 0, done.stderr
    assert b"0.75" in done.stdout


REFUSED = [
    ("utf-16-le", "UTF-16 without a byte-order mark, which is not read; save it as UTF-8"),
    ("utf-16-be", "UTF-16 without a byte-order mark"),
    ("utf-32", "UTF-32, which is not read; save it as UTF-8, for example with iconv"),
    ("utf-32-le", "UTF-32 without a byte-order mark"),
    ("utf-32-be", "UTF-32 without a byte-order mark"),
]


@for_each("kind", ["run", "judgments", "run as CSV", "run as TSV", "run as JSON", "run as JSON Lines"])
@for_each(("encoding", "words"), REFUSED)
def test_other_encodings_are_named(tmp_path, kind, encoding, words):
    name, text, read = READ[kind]
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    check(lambda: read(path), f"FormatError: {path}: the text is {words}")


BROKEN = [
    (b"\xff\xfeq\0x", "the end in the middle of a character at byte 4 is not valid UTF-16"),
    (b"\xff\xfeq\0\x00\xd8", "half of a surrogate pair at byte 4 is not valid UTF-16"),
    (b"\xff\xfe\x00\xd8q\0", "half of a surrogate pair at byte 2 is not valid UTF-16"),
    (b"\xfe\xff\xdc\x00\0q", "half of a surrogate pair at byte 2 is not valid UTF-16"),
    (b"\xff\xfe\x00\xdc\x00\xd8", "half of a surrogate pair at byte 2"),
]


@for_each("name", ["a.run", "a.csv", "a.json", "a.jsonl", "a"])
@for_each(("content", "words"), BROKEN)
def test_broken_utf_16_is_an_error_with_its_place(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    check(lambda: as_run(tmp_path / name), f"FormatError: {tmp_path / name}: {words}")


def test_a_long_text_in_utf_16_is_read_whole(tmp_path):
    # Pairs of surrogates lie across the ends of what is read at a time.
    text = "".join(f"q{row % 7} Q0 😀{row} 1 {1 / (row + 1)} t\n" for row in range(50_000))
    (tmp_path / "a.run").write_bytes(text.encode("utf-16"))
    (tmp_path / "b.run").write_bytes(text.encode())
    assert assay.Run(tmp_path / "a.run").to_dict() == assay.Run(tmp_path / "b.run").to_dict()


def test_trec_eval_takes_a_mark_for_part_of_the_first_id(tmp_path):
    """As the C program does, which knows no encodings: with UTF-8 the first topic has another name."""
    (tmp_path / "a.qrels").write_text(QRELS, encoding="utf-8")
    (tmp_path / "a.run").write_text(RUN, encoding="utf-8-sig")
    done = run_command("trec_eval", "-m", "recip_rank", "-q", tmp_path / "a.qrels", tmp_path / "a.run")
    assert done.stdout.split() == b"recip_rank q1 1.0000 recip_rank q2 1.0000 recip_rank all 1.0000".split()
