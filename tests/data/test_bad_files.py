"""Every bad file gets an error that says what is wrong, where, and what to do."""

import io
import json
from functools import partial
from pathlib import Path

import polars
import pytest

import assay
from assay.data.formats.jsonl import read_batches
from assay.errors import DataError, DuplicateError, FormatError, LimitError, MismatchError
from assay.files.source import Source
from refusals import COMPRESSORS, GOOD, GOOD_QRELS, QRELS, RUN, refused
from tables import for_each

DEEP = 100_000
CSV = "query_id,doc_id,score\nq1,d1,1\n"
BEIR = "query-id\tcorpus-id\tscore\n"
RECORD = '{"query_id": "q1", "doc_id": "d1", "score": 1}\n'


def parquet(**columns):
    polars.DataFrame(columns).write_parquet(file := io.BytesIO())
    return file.getvalue()


PARQUET = parquet(query_id=["q1"] * 50, doc_id=[f"d{n}" for n in range(50)], score=[float(n) for n in range(50)])
NO_NUMBERS, NOT_FINITE = ("high", "1,5", "0x10", "1_0", "１", "."), ("nan", "-inf", "1e999")
NO_IDS = ("[1]", "1.5", "true", '"\\ud800"')
BAD_PARQUET = (
    *(b"", b"PAR1", b"this is no such file", PARQUET[:-9], PARQUET[: len(PARQUET) // 2], PARQUET + b"x"),
    PARQUET[:-60] + b"\xa5" * 50 + PARQUET[-10:],
)


def rows_of(table):
    """Rows of a file's name, its content, the class of the error, and words of the message."""
    return [(name, content, error, words) for (name, error), rows in table.items() for content, *words in rows]


BAD_RUNS = rows_of(
    {
        ("run.trec", FormatError): [
            (GOOD + "q1 Q0 d2 2 1.5\n", "run.trec, line 2", "expected 6 fields", "found 5", "'q1 Q0 d2 2 1.5'"),
            (GOOD + "\n# x\nq1\n", "line 4", "expected 6 fields", "found 1"),
            *((GOOD + f"q1 Q0 d2 2 {n} t\n", "line 2", f"the score '{n}' is not a number") for n in NO_NUMBERS),
            *((GOOD + f"q1 Q0 d2 2 {score} t\n", "line 2", f"'{score}' is not finite") for score in NOT_FINITE),
            (GOOD + "q9 Q0 d2 2 x t\n", "line 2", "'x' is not a number"),
            (GOOD.encode() + b"q1 Q0 d\xff 2 1 t\n", "line 2", "not UTF-8", "save the file as UTF-8"),
            (GOOD.replace("d1", "dé").encode("latin-1"), "line 1", "not UTF-8"),
            (GOOD + "q1 Q0 d\0 2 1 t\n", "line 2", "NUL", "UTF-8"),
            (GOOD.encode("utf-32"), "UTF-32", "save it as UTF-8"),
            (GOOD.encode("utf-16-le"), "UTF-16 without a byte-order mark", "save it as UTF-8"),
            (GOOD_QRELS, "line 1", "expected 6 fields", "found 4"),
            (GOOD.replace("\n", "\r") * 2, "line 1", "carriage return", "line endings"),
        ],
        ("run.trec", DuplicateError): [
            (GOOD + GOOD, "run.trec", "query 'q1'", "document 'd1'", 'duplicates="first"'),
            (GOOD + "q2 Q0 d1 1 1 t\n" + GOOD, "run.trec", "query 'q1'", "document 'd1'"),
        ],
        ("run.trec", MismatchError): [(GOOD.replace("q1", "q7"), "no query in common", "'q1'", "'q7'", "assay.check")],
        ("run.trec", DataError): [(text, "run.trec", "no rankings") for text in ("", "# only\n\n  \n#\n", "\ufeff")],
        ("run", DataError): [("", "has no rankings"), ("\n\n", "has no rankings")],
        ("headless.tsv", FormatError): [("q1\td1\t1.0\n", "line 1", "expected 6 fields", "found 3")],
        ("run.json", FormatError): [
            ("", "run.json: the file is empty"),
            *((text, "line 1", "expected '{'") for text in ("5", '"q1"', "null")),
            ('{\n"q1": {"d1": 1', "line 2", "Expecting ',' delimiter"),
            ('{"q1": ["d1"]\n"q2": []}', "line 2", "expected '}'"),
            ('{"q1": {"d1": 1}', "line 1", "expected '}'"),
            ('{"q1"', "line 1", "expected ':'"),
            *((text, "line 1", "Unterminated string") for text in ('{"q1": ["d', '{"q1')),
            *((text, "line 1", "Expecting value") for text in ('{"q1": tru', '[["d1"],]')),
            *((text, "line 1", "expected a key in quotes") for text in ('{"q": [],}', "{'q1': ['d1']}", "{1: []}")),
            *((text, "line 1", "unexpected text after the end") for text in ('{"q1": ["d1"]} {}', '[["d1"]] x')),
            *((text * DEEP, "line 1", "nested too deeply") for text in ("[", '{"a":', '{"q1": [')),
            ('{"q1": {"d1": ' + "1" * 5000 + "}}", "line 1", "too many digits"),
            (b'{"q1":\n {"d\xff": 1}}', "run.json, line 2", "not UTF-8"),
            (json.dumps(RUN).encode("utf-32"), "UTF-32", "save it as UTF-8"),
            (json.dumps(RUN).encode("utf-16-le"), "UTF-16 without a byte-order mark"),
        ],
        ("run.json", DataError): [
            ("{}", "run.json", "has no rankings"),
            ("[]", "run.json", "has no rankings"),
            ('{"q1": {"d1": ' + "1" * 400 + "}}", "run.json", "query 'q1'", "'d1'", "score"),
            ('{"q1": {"d1": NaN}}', "run.json", "query 'q1'", "'d1'", "must be finite"),
            ('{"q1": {"d1": 1e999}}', "run.json", "must be finite"),
            ('{"q1": {"d1": "1"}}', "run.json", "query 'q1'", "the score must be a number"),
            ('{"q1": {"d1": null}}', "run.json", "the score must be a number", "None"),
            ('{"q1": null}', "run.json", "query 'q1'", "None"),
            ('{"q1": "d1"}', "run.json", "query 'q1'", "list of documents", "'d1'"),
            ('{"q1": 5}', "run.json", "query 'q1'"),
            ('{"q1": [["d1", 1, 2]]}', "run.json", "query 'q1'", "rank 2 at position 1"),
            ('{"\\ud800": {"d1": 1}}', "run.json", "not valid Unicode"),
        ],
        ("run.json", DuplicateError): [
            ('{"q1": {"d1": 1, "d1": 2}}', "run.json", "query 'q1'", "document 'd1'", 'duplicates="first"'),
            ('{"q1": ["d1", "d1"]}', "run.json", "query 'q1'", "document 'd1'"),
            ('{"q1": {"d1": 1}, "q1": {"d2": 1}}', "run.json", "line 1: duplicate query id 'q1'"),
        ],
        ("run.jsonl", DataError): [("", "run.jsonl", "has no rankings"), ("{}\n", "run.jsonl", "has no rankings")],
        ("run.jsonl", FormatError): [
            (RECORD + "x\n", "run.jsonl, line 2", "invalid JSON"),
            (RECORD + RECORD[:20], "line 2", "invalid JSON"),
            (RECORD + "\n" + RECORD.replace("1}", '"x"}'), "line 3", "'x' in the column 'score'"),
            ("\n" + RECORD + " \n[]\n", "line 4", "expected an object, found '[]'"),
            (RECORD + "[1]\n", "line 2", "expected an object"),
            (RECORD + '{"query_id": "q1", "doc_id": "d2"}\n', "line 2", "the column 'score' is empty"),
            (RECORD + RECORD.replace("1}", "null}"), "line 2", "the column 'score' is empty"),
            (RECORD + RECORD.replace("1}", '"x"}'), "line 2", "'x' in the column 'score' is not a number"),
            (RECORD + RECORD.replace("1}", "true}"), "line 2", "'True' in the column 'score' is not a number"),
            *((RECORD + RECORD.replace("1}", f"{n}}}"), "line 2", "is not finite") for n in ("NaN", "1" * 400)),
            (RECORD + RECORD.replace("1}", "1" * 5000 + "}"), "line 2", "invalid JSON"),
            *((RECORD + RECORD.replace('"d1"', each), "line 2", "is not an id") for each in NO_IDS),
            (RECORD + RECORD.replace('"d1"', '""'), "line 2", "the column 'doc_id' is empty"),
            (RECORD.replace("}", ', "score": 2}'), "line 1", "duplicate key 'score'"),
            (RECORD.replace("score", "points"), "no column for score", "'points'", 'columns={"score"'),
            ('{"\\ud800": 1}\n', "no column for query_id", "'?'"),
            (RECORD.encode() + b'{"query_id": "\xff"}\n', "line 2", "not UTF-8"),
            (RECORD + '{"query_id": ' + "[" * DEEP + "\n", "line 2", "nested too deeply"),
        ],
        ("run.jsonl", DuplicateError): [(RECORD + RECORD, "run.jsonl", "query 'q1'", "document 'd1'")],
        ("run.jsonl", LimitError): [(RECORD + f'{{"id": "{"x" * (2 << 20)}"}}\n', "line 2", "longer than 1 MiB")],
        ("run.csv", DataError): [(text, "run.csv", "no rankings") for text in ("", "\n\n", "query_id,doc_id,score\n")],
        ("run.csv", FormatError): [
            (CSV.replace("score", "points"), "for score (columns: 'query_id', 'doc_id', 'points')", 'columns={"score"'),
            ("q1,d1,1\nq1,d2,2\n", "no column for query_id", "'q1', 'd1', '1'"),
            (CSV.replace(",", ";"), "line 1", "separated by ';', not by ','"),
            (CSV + "q1,d2,x\n", "run.csv, line 3", "'x' in the column 'score' is not a number"),
            *((CSV + f"q1,d2,{score}\n", "line 3", "is not finite") for score in NOT_FINITE),
            (CSV + "q1,d2\n", "line 3", "the column 'score' is empty"),
            (CSV + "q1,,3\n", "line 3", "the column 'doc_id' is empty"),
            (CSV + '"",d2,3\n', "line 3", "the column 'query_id' is empty"),
            (CSV + "q1,d2,3,4\n", "line 3", "4 fields, but the header has 3"),
            (CSV + "\n  \nq1,d2,x\n", "line 5", "'x' in the column 'score' is not a number"),
            ("\n\n" + CSV + "q1,d2,x\n", "line 5", "'x' in the column 'score' is not a number"),
            (CSV + ",,\n", "line 3", "the column 'query_id' is empty"),
            ("query_id,doc_id,score,score\nq1,d1,1,2\n", "duplicate column 'score'"),
            (CSV.encode() + b"q1,d\xff,2\n", "line 3", "not UTF-8"),
            (CSV.encode("utf-32"), "UTF-32", "save it as UTF-8"),
            (CSV + "q1,d\0,2\n", "line 3", "NUL"),
            (CSV + 'q1,"d2,2\n', "line 3", "a quote is not closed"),
        ],
        ("run.csv", DuplicateError): [(CSV + "q1,d1,2\n", "run.csv", "query 'q1'", "document 'd1'")],
        ("run.csv", MismatchError): [(CSV.replace("q1", "q7"), "no query in common", "'q1'", "'q7'")],
        ("run.tsv", FormatError): [
            (CSV.replace(",", "\t") + "q1\td2\tx\n", "line 3", "'x' in the column 'score' is not a number"),
            (CSV.replace(",", "\t") + "q1\td2\t3\t4\n", "line 3", "4 fields, but the header has 3"),
        ],
        ("run.parquet", FormatError): [
            *((content, "run.parquet cannot be read as parquet") for content in BAD_PARQUET),
            (parquet(a=[1]), "no column for query_id", "'a'"),
            (parquet(query_id=["q1"], doc_id=["d1"], score=[None]), "row 0", "the column 'score' is empty"),
            (parquet(query_id=["q1"], doc_id=["d1"], score=[float("nan")]), "row 0", "is not finite"),
            (parquet(query_id=["q1"], doc_id=[1.5], score=[1]), "'doc_id'", "strings or integers"),
            (parquet(query_id=["q1"], doc_id=["d1"], score=[[1]]), "'score'", "must hold numbers"),
        ],
        ("data", FormatError): [(b"PAR1 and no more", "cannot be read as parquet")],
    }
)


BAD_QRELS = rows_of(
    {
        ("q.trec", FormatError): [
            (GOOD_QRELS + "q1 0 d2\n", "q.trec, line 2", "expected 4 fields", "found 3"),
            (GOOD_QRELS + "q1 0 d2 high\n", "line 2", "the grade 'high' is not a number"),
            *((GOOD_QRELS + f"q1 0 d2 {grade}\n", "line 2", "is not finite") for grade in NOT_FINITE),
            (GOOD, "line 1", "expected 4 fields", "is this a run rather than judgments?"),
            (GOOD_QRELS + "q1 0 d2 1 x\n", "line 2", "'x' is an extra field"),
            (GOOD_QRELS.encode() + b"q1 0 d\xff 1\n", "line 2", "not UTF-8"),
            (GOOD_QRELS + "q1 0 d\0 1\n", "line 2", "NUL"),
            (GOOD_QRELS.replace("\n", "\r") * 2, "line 1", "carriage return", "line endings"),
            (GOOD_QRELS.encode("utf-32"), "UTF-32", "save it as UTF-8"),
        ],
        ("q.trec", DuplicateError): [(GOOD_QRELS * 2, "q.trec", "query 'q1'", "document 'd1'", 'duplicates="first"')],
        ("q.trec", DataError): [("", "q.trec", "has no judgments"), ("# only\n", "q.trec", "has no judgments")],
        ("q.tsv", DataError): [(BEIR, "q.tsv", "has no judgments")],
        ("q.tsv", FormatError): [(BEIR + "q1\td1\thigh\n", "q.tsv, line 2", "'high' in the column 'score'")],
        ("q.tsv", DuplicateError): [(BEIR + "q1\td1\t1\n" * 2, "q.", "query 'q1'", "document 'd1'")],
        ("q.csv", FormatError): [
            ("query_id,doc_id\nq1,d1\n", "no column for relevance", "'query_id', 'doc_id'"),
            ("query_id,doc_id,rel,group\nq1,d1,1,\n", "line 2", "the column 'group' is empty"),
        ],
        ("q.csv", DataError): [("", "q.csv", "has no judgments")],
        ("q.json", DataError): [
            ("{}", "q.json", "has no judgments"),
            ('{"q1": {"d1": "x"}}', "q.json", "query 'q1'", "the grade must be a number"),
            ('{"q1": "d1"}', "q.json", "query 'q1'", "list of documents"),
            ('{"q1": null}', "q.json", "query 'q1'", "None"),
        ],
        ("q.json", DuplicateError): [
            ('{"q1": {"d1": 1, "d1": 2}}', "q.json", "query 'q1'", "document 'd1'", 'duplicates="first"'),
            ('[{"d1": 1, "d1": 2}]', "q.json", "document 'd1'"),
            ('{"q1": ["d1", "d1"]}', "q.", "query 'q1'", "document 'd1'"),
        ],
        ("q.jsonl", FormatError): [
            ('{"qid": 1, "docno": 1, "rel": "x"}\n', "jsonl, line 1", "'x' in the column 'rel'")
        ],
        ("q.parquet", FormatError): [
            (parquet(qid=["q1"], docno=["d1"], rel=["x"]), "row 0", "'x' in the column 'rel' is not a number"),
            (parquet(qid=["q1"], docno=["d1"], rel=[1.0])[:-4], "cannot be read as parquet"),
        ],
    }
)


@for_each(("name", "content", "error", "words"), BAD_RUNS)
def test_a_bad_run_is_refused(name, content, error, words, make):
    path = make(name, content)
    refused(lambda: assay.evaluate(QRELS, path, ["ap"]), error, words)
    refused(lambda: assay.evaluate(QRELS, path, ["ap"], threads=4), error, words)
    if error in (MismatchError, DuplicateError) and "duplicate query id" not in " ".join(words):
        assert len(assay.read_run(path)) > 0
    else:
        refused(lambda: assay.read_run(path), error, words)


@for_each(("name", "content", "error", "words"), BAD_QRELS)
def test_bad_judgments_are_refused(name, content, error, words, make):
    path = make(name, content)
    refused(lambda: assay.evaluate(path, RUN, ["ap"]), error, words)
    refused(lambda: assay.read_qrels(str(path)), error, words)


@for_each("suffix", COMPRESSORS)
def test_bad_content_is_refused_behind_any_compression(suffix, make):
    for name, content, error, words in BAD_RUNS:
        if not name.endswith("parquet") and content:
            plain = content if isinstance(content, bytes) else content.encode()
            path = make(f"{name}.{suffix}", COMPRESSORS[suffix](plain))
            said = [word.replace(name, f"{name}.{suffix}") for word in words]
            refused(lambda path=path: assay.evaluate(QRELS, path, ["ap"]), error, said)


def test_a_bad_row_of_a_later_batch_is_placed(make, monkeypatch):
    monkeypatch.setattr("assay.data.formats.separated.BATCH", 4)
    monkeypatch.setattr("assay.data.formats.jsonl.BATCH", 4)
    rows = [("q1", f"d{number}", "x" if number == 17 else number) for number in range(20)]
    csv = "query_id,doc_id,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in rows)
    lines = "".join(json.dumps({"query_id": q, "doc_id": d, "score": s}) + "\n" for q, d, s in rows)
    for path, line in ((make("run.csv", csv), 19), (make("run.jsonl", lines), 18)):
        for act in (partial(assay.evaluate, QRELS, path, ["ap"]), partial(assay.read_run, path)):
            refused(act, FormatError, [f"{path}, line {line}: 'x' in the column 'score' is not a number"])


def judgment(document, **fields):
    return json.dumps({"query_id": "q1", "doc_id": document, "relevance": 1, **fields}) + "\n"


LATE_KEYS = {
    "not in the first row": ([{}, {"group": "a"}], "line 1: the column 'group' is empty"),
    "not in the last row": ([{"group": "a"}, {"group": "b"}, {}], "line 3: the column 'group' is empty"),
    "in the last row": ([{}, {}, {}, {"subtopic": "a"}], "line 1: the column 'subtopic' is empty"),
    "another name": ([{}, {}, {"query-id": "q1"}, {"qid": "q2"}, {"grade": 1}], None),
    "a better name": ([{"docno": "d"}, {}], None),
    "needed": ([{}, {"relevance": None}, {}], "line 2: the column 'relevance' is empty"),
}


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
@pytest.mark.parametrize("name", LATE_KEYS)
def test_a_key_that_some_rows_of_json_lines_lack_is_empty_there(name, batch, make, monkeypatch):
    monkeypatch.setattr("assay.data.formats.jsonl.BATCH", batch)
    fields, message = LATE_KEYS[name]
    path = make("qrels.jsonl", "".join(judgment(f"d{row}", **each) for row, each in enumerate(fields)))
    for act in (partial(assay.evaluate, path, {"q1": ["d0"]}, ["ap"]), partial(assay.read_qrels, path)):
        if message is None:
            act()
        else:
            refused(act, FormatError, [f"{path}, {message}"])


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_an_iteration_is_in_all_rows_or_in_none(batch, make, monkeypatch):
    monkeypatch.setattr("assay.data.formats.jsonl.BATCH", batch)
    monkeypatch.setattr("assay.data.formats.separated.BATCH", batch)
    for values, line in ((["", "", "0", "1"], 1), (["0", "1", "", ""], 3)):
        rows = [judgment(f"d{row}", **({"iteration": each} if each else {})) for row, each in enumerate(values)]
        cells = ["query_id,doc_id,relevance,iteration\n", *(f"q1,d{row},1,{each}\n" for row, each in enumerate(values))]
        for path, place in ((make("q.jsonl", "".join(rows)), line), (make("q.csv", "".join(cells)), line + 1)):
            message = f"{path}, line {place}: the column 'iteration' is empty"
            refused(partial(assay.read_qrels, path), FormatError, [message])
    lines = [judgment("d1"), judgment("d2", iteration=None), judgment("d3")]
    assert assay.read_qrels(make("none.jsonl", "".join(lines))).to_dict() == {"q1": {"d1": 1, "d2": 1, "d3": 1}}


def test_rows_with_a_key_of_their_own_each_do_not_become_columns(make):
    lines = [judgment(f"d{row}", **{f"key {row}": row}) for row in range(2000)]
    path = make("qrels.jsonl", "".join([*lines, judgment("last", group="a")]))
    refused(lambda path=path: assay.read_qrels(path), FormatError, [f"{path}, line 1: the column 'group' is empty"])
    assert len(next(read_batches(Source(Path(make("q.jsonl", "".join(lines))), "q"))).frame.columns) == 4
