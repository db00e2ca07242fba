"""Records in every form that they come in, and what is said of bad ones."""

import json
from dataclasses import make_dataclass
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas
import polars
import pytest

import assay
from assay.data.passages import Passages
from assay.data.records.read import read_records
from assay.data.records.record import Record
from assay.tasks.rag.sources import collect
from tables import for_each

FIELDS = ("query_id", "question", "gold", "retrieved", "answer", "references")
VALUES = [
    ("q1", "Where?", ["d1"], ["d1", "d2"], "Paris", ["Paris", "In Paris"]),
    ("q2", "Who?", ["d3"], ["d4"], "[Ada]", ["Ada"]),
]
ROWS = [dict(zip(FIELDS, values, strict=True)) for values in VALUES]
RECORDS = [
    Record("q1", "Where?", ["d1"], Passages(["d1", "d2"]), None, None, "Paris", ("Paris", "In Paris")),
    Record("q2", "Who?", ["d3"], Passages(["d4"]), None, None, "[Ada]", ("Ada",)),
]


TYPES = [(name, str if name in ("query_id", "question", "answer") else list[str]) for name in FIELDS]
AsDataclass, AsTuple = make_dataclass("AsDataclass", TYPES), NamedTuple("AsTuple", TYPES)


# Rows as CSV has them: lists are JSON.
TEXTS = [{key: json.dumps(value) if isinstance(value, list) else value for key, value in row.items()} for row in ROWS]
FORMS = {
    "dicts": lambda: ROWS,
    "tuple of dicts": lambda: tuple(ROWS),
    "generator": lambda: (row for row in ROWS),
    "dict by id": lambda: {row["query_id"]: {k: v for k, v in row.items() if k != "query_id"} for row in ROWS},
    "dataclasses": lambda: [AsDataclass(**row) for row in ROWS],
    "named tuples": lambda: [AsTuple(**row) for row in ROWS],
    "pydantic's models": lambda: [SimpleNamespace(model_dump=row.copy) for row in ROWS],
    "polars": lambda: polars.DataFrame(ROWS),
    "lazy": lambda: polars.LazyFrame(ROWS),
    "pandas": lambda: pandas.DataFrame(ROWS),
    "arrow": lambda: polars.DataFrame(ROWS).to_arrow(),
}
FILES = {
    "r.jsonl": lambda path: path.write_text("\n".join(map(json.dumps, ROWS)) + "\n"),
    "r.json": lambda path: path.write_text(json.dumps(ROWS, indent=1)),
    "r.parquet": polars.DataFrame(ROWS).write_parquet,
    "r.csv": polars.DataFrame(TEXTS).write_csv,
    "r.tsv": lambda path: polars.DataFrame(TEXTS).write_csv(path, separator="\t"),
}


def read(*data, **how):
    """The records, without where they stand and what they were read from."""
    return [each._replace(where="", fields=None) for each in collect(*data, **how)[0]]


@for_each("form", FORMS)
def test_every_form_gives_the_same_records(form):
    assert read(FORMS[form]()) == RECORDS


@for_each("name", FILES)
def test_every_file_gives_the_same_records(name, tmp_path):
    FILES[name](tmp_path / name)
    with (tmp_path / name).open("rb") as file:
        assert [read(each) for each in (tmp_path / name, str(tmp_path / name), file)] == [RECORDS] * 3


MISSING = pandas.DataFrame({"query_id": ["a", "b"], "answer": ["x", float("nan")], "references": [["x"], ["y"]]})
ARRAYS = [{"gold": np.array(["d1"]), "retrieved": np.array([1, 2]), "scores": np.array([0.5, 0.25])}]
OWN = {"answer": "bot", "references": "truth"}
ELSEWHERE = [{"retrieved": [{"metadata": {"source": "a.md"}, "page_content": "x"}]}]
# Records, options, a part, and its values.
PARTS = [
    (MISSING, {}, "answer", ["x", None]),
    (ARRAYS, {}, "gold", [["d1"]]),
    (ARRAYS, {}, "retrieved", [Passages(["1", "2"], [0.5, 0.25])]),
    ([{"answer": "x"}, {"answer": "y"}], {}, "query_id", ["0", "1"]),
    ([{"id": 7, "bot": "x", "truth": "y", "answer": "z"}], {"columns": OWN}, "answer", ["x"]),
    ([{"id": 7, "bot": "x", "truth": "y", "answer": "z"}], {"columns": OWN}, "references", [("y",)]),
    # A passage without a text keeps its place.
    ([{"retrieved": ["a", "b"], "retrieved_texts": ["x", None]}], {}, "retrieved_texts", [("x", "")]),
]


@for_each("data, how, part, expected", PARTS)
def test_parts_of_records(data, how, part, expected):
    assert [getattr(each, part) for each in read(data, **how)] == expected
    assert read(ELSEWHERE, doc_id="metadata.source")[0].retrieved.ids == ["a.md"]


def test_a_long_line_is_read(tmp_path):
    text = "word " * 400_000
    (tmp_path / "r.jsonl").write_text(json.dumps({"answer": text, "references": [text]}))
    assert assay.evaluate_rag(tmp_path / "r.jsonl", ["answer_f1"])["answer_f1"] == 1


BAD = [
    ([{"x": 1}], "the records have nothing to measure, only 'x'"),
    ([{"question": "x"}], "the records have nothing to measure"),
    ([{"answer": "x", "response": "y"}], "'answer' and 'response' could both be the answer; choose one with columns="),
    ([{"query_id": "a", "answer": "x"}] * 2, "duplicate question id 'a'; keep one record per question"),
    ({"a": {"query_id": "b", "answer": "x"}}, "the record 'a' has another id, 'b'; keep one of them"),
    ([{"query_id": 1.5, "answer": "x"}], "the id of a question must be a string or an integer, not '1.5'"),
    ([{"query_id": "a", "answer": "x"}, {"answer": "y"}], "record 1: the id of a question must be a string"),
    ([{"query_id": "a", "answer": 5}], "record 0 ('a'): the answer must be a string, not '5'"),
    ([{"query_id": "a", "references": 5}], "record 0 ('a'): references must be a list of strings, not '5'"),
    ([{"references": ["a", 5]}], "references must be strings, not '5'"),
    ([{"retrieved": ["d1"], "scores": [1, 2]}], "1 retrieved id but 2 scores"),
    ([{"retrieved": ["d1"], "scores": 5}], "the scores must be a list, not '5'"),
    ([{"retrieved": ["d1"], "retrieved_texts": []}], "1 retrieved id but 0 retrieved_texts"),
    ([{"retrieved_texts": "x"}], "retrieved_texts must be a list of strings, not 'x'"),
]


@for_each("data, message", BAD)
def test_bad_records_are_named(data, message):
    with pytest.raises(assay.errors.DataError) as caught:
        collect(data)
    assert message in str(caught.value)


@for_each("columns", [{"reply": "x"}, {"answer": "reply"}, ["answer"], {"answer": ["x"]}, {"start": 5}])
def test_columns_that_are_not_there_are_an_error(columns):
    with pytest.raises(assay.errors.FormatError, match=r"parts of a record are|no record has a field|columns= must m"):
        collect([{"answer": "x"}], columns=columns)


BAD_FILES = [
    ("r.jsonl", '{"answer": "x"}\n{"answer": \n', "r.jsonl, line 2: invalid JSON"),
    ("r.jsonl", '{"answer": "x"}\n[1]\n', "r.jsonl, line 2: expected an object"),
    ("r.jsonl", '{"answer": "x"}\n{"answer": 5}\n', "r.jsonl, line 2: the answer must be a string"),
    ("r.csv", 'answer,gold\nx,"[1, 2"\n', "r.csv, line 2: 'gold' starts like a list, but is not JSON"),
    ("r.txt", "q1 Q0 d1 1 0.5 tag\n", "r.txt: not a file of records"),
    ("r.json", "[1]", "r.json, record 0 must be a dict"),
    ("r.csv", "answer,answer\nx,y\n", "r.csv: duplicate column 'answer'; rename one of them"),
    ("r.jsonl", '{"gold": ["a"]}\n{"gold": "d1"}\n', "r.jsonl, line 2: judgments of query '1'"),
    ("r.csv", "answer,references\nx,x\n\ny,[1\n", "r.csv, line 4: 'references' starts like a list"),
    ("r.csv", 'answer,references\n"x\ny",x\n\ny,[1\n', "r.csv, line 5: 'references' starts like a list"),
    ("r.csv", 'answer,gold\nx,"{""a"": 1, ""a"": 2}"\n', "r.csv, line 2, 'gold': duplicate key 'a'"),
    ("r.jsonl", '\n{"answer": "x"}\n\n{"answer": "x", "answer": "y"}\n', "r.jsonl, line 4: duplicate key 'answer'"),
    ("r.json", '[{"answer": "x"},\n{"answer": "x", "answer": "y"}]', "r.json, line 2: duplicate key 'answer'"),
    ("r.json", '{"a": {"answer": "x"},\n"a": {"answer": "y"}}', "r.json, line 2: duplicate key 'a'"),
    ("r.csv", "", "no records to evaluate"),
    ("r.parquet", "no", "r.parquet cannot be read as parquet"),
]


@for_each("name, content, message", BAD_FILES)
def test_bad_files_are_named_with_their_line(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(assay.errors.DataError) as caught:
        assay.evaluate_rag(tmp_path / name)
    assert message in str(caught.value)


def test_text_that_looks_like_a_list_is_text_under_a_name_of_ones_own(tmp_path):
    (tmp_path / "log.csv").write_text("bot,references\n[1],x\n")
    assert read(tmp_path / "log.csv", columns={"answer": "bot"})[0].answer == "[1]"


def test_half_a_character_is_replaced_everywhere():
    row = {"question": "\ud800", "answer": "\ud800", "references": ["\ud800"], "gold": ["a"], "retrieved": ["a"]}
    result = assay.evaluate_rag([row], ["em"])
    assert result.worst().to_polars()["question"].to_list() == ["?"]
    assert result["em"] == 1


LISTS = [
    ["a b", "it's", 'say "x"', "both ' and \"", "back\\slash \\n", "tab\t\r\n", "é\u200b\U0001f600", "", "None, True"],
    [["d1", "d2"], ["d3"]],
    [],
]


@for_each("texts", LISTS)
def test_lists_as_pandas_writes_them_to_csv(tmp_path, texts):
    frame = pandas.DataFrame({"query_id": ["q"], "gold_texts": [texts], "scores": [{"x": 0.5, "y": None, "z": True}]})
    frame.to_csv(tmp_path / "r.csv", index=False)
    (record,) = read_records(tmp_path / "r.csv").each
    assert (record.grouped_texts, record.scores) == (texts, {"x": 0.5, "y": None, "z": True})


NO_LISTS = ["['a', 'b", "['a' 'b']", "['\\q']", "['\\U99999999']", "[__import__('os')]", "[" * 9999]


@for_each("cell", [*NO_LISTS, "['" + "\\'" * 100_000])
def test_what_is_neither_json_nor_a_list_of_python(tmp_path, cell):
    polars.DataFrame({"query_id": ["q"], "gold_texts": [cell]}).write_csv(tmp_path / "r.csv")
    said = r"'gold_texts' starts like a list, but is not JSON; write .* or save"
    with pytest.raises(assay.errors.FormatError, match=said):
        read_records(tmp_path / "r.csv")
