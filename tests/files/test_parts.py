"""Many files as one: a directory or a glob of parts is one run, in every format."""

import gzip
import io
import resource
from pathlib import Path

import polars
import pytest

import assay
from assay import Run
from assay.errors import FileError, FormatError
from tables import for_each

QRELS = {f"q{number}": {"a": 1, "b": 2} for number in range(6)}
RUN = Run({f"q{number}": {"a": 1.5, "b": 1.0, f"x{number}": 2.0} for number in range(6)}, tag="bm25")
EXPECTED = assay.evaluate(QRELS, RUN, ["ap", "ndcg"]).mean
ROWS = RUN.to_polars()


def trec(rows):
    return "".join(f"{query} Q0 {document} 1 {score} bm25\n" for query, document, score in rows.iter_rows()).encode()


def parquet(rows):
    rows.write_parquet(file := io.BytesIO())
    return file.getvalue()


FORMS = {
    "part-{}": trec,
    "part-{}.gz": lambda rows: gzip.compress(trec(rows)),
    "part-{}.trec": lambda rows: trec(rows).rstrip(b"\n"),
    "part-{}-1a2b.c000.snappy.parquet": parquet,
    "part-{}-1a2b.c000.json": lambda rows: rows.write_ndjson().encode(),
    "part-{}.jsonl": lambda rows: rows.write_ndjson().encode(),
    "part-{}.csv": lambda rows: rows.write_csv().encode(),
    "part-{}.csv.gz": lambda rows: gzip.compress(rows.write_csv().encode()),
}


@pytest.fixture
def split(tmp_path):
    """Writes rows to parts of a given size, beside what Spark leaves in a directory."""

    def write(form, size, rows=ROWS):
        folder = tmp_path / "bm25"
        folder.mkdir()
        for name in ("_SUCCESS", "_metadata", ".part-00000.crc", "part-00000.crc", ".DS_Store"):
            (folder / name).write_text("not data")
        for number, start in enumerate(range(0, len(rows), size)):
            (folder / form.format(f"{number:05d}")).write_bytes(FORMS[form](rows[start : start + size]))
        return folder

    return write


@pytest.mark.parametrize("size", [1, 4, 6, 100])
@pytest.mark.parametrize("form", FORMS)
def test_a_directory_or_a_glob_is_one_run(form, size, split):
    folder = split(form, size)
    for data in (folder, f"{folder}/", f"{folder}/part-*"):
        assert assay.evaluate(QRELS, data, ["ap", "ndcg"]).mean == EXPECTED
        assert assay.read_run(data).to_dict() == RUN.to_dict()


@pytest.mark.parametrize("form", FORMS)
def test_queries_spread_over_all_parts(form, split):
    spread = polars.concat([ROWS[place::3] for place in range(3)])
    assert assay.evaluate(QRELS, split(form, 5, spread), ["ap", "ndcg"]).mean == EXPECTED


def test_judgments_and_questions_in_parts(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels/part-0").write_text("q1 0 a 1\n")
    (tmp_path / "qrels/part-1").write_text("q2 0 b 2\nq1 0 c 0\n")
    assert assay.read_qrels(tmp_path / "qrels").to_dict() == {"q1": {"a": 1.0, "c": 0.0}, "q2": {"b": 2.0}}
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions/part-0.jsonl").write_text('{"_id": "q1", "text": "who"}\n')
    (tmp_path / "questions/part-1.jsonl").write_text('{"_id": "q2", "text": "what"}\n')
    probe = assay.probe({"who": ["a"], "what": ["b"]}.get, tmp_path / "questions", tmp_path / "qrels", "rr")
    assert probe["rr"] == 1


def test_records_in_parts(tmp_path):
    for number, found in enumerate(("a", "x")):
        line = f'{{"query_id": "q{number}", "gold": ["a"], "retrieved": ["{found}"]}}\n'
        (tmp_path / f"part-{number}.json").write_text(line)
    assert assay.evaluate_rag(tmp_path / "*.json", measures="recall@5")["recall@5"] == 0.5


def test_json_parts_hold_other_queries_each(tmp_path):
    (tmp_path / "1.json").write_text('{"q1": {"a": 1}}')
    (tmp_path / "2.json").write_text('{"q2": {"b": 1}}')
    assert assay.read_run(tmp_path).to_dict() == {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
    assert assay.evaluate({"q1": ["a"], "q2": ["a"]}, tmp_path, "rr")["rr"] == 0.5
    (tmp_path / "3.json").write_text('{"q1": {"b": 1}}')
    with pytest.raises(assay.errors.DuplicateError, match=r"3\.json, line 1: duplicate query id 'q1'"):
        assay.evaluate({"q1": ["a"]}, tmp_path)
    (tmp_path / "3.json").write_text('[["a"]]')
    with pytest.raises(FormatError, match=r"3\.json: this file and those before it"):
        assay.read_run(tmp_path)


BAD = [
    ("part-00002-1a2b.c000.snappy.parquet", "rest", "part-00002.*parquet"),
    ("part-00002", "q5 Q0 d 1 high bm25\n", "part-00002, line 2: the score 'high'"),
    ("part-00002.csv", "q5,d,high\n", "part-00002.csv, line 3: 'high'"),
    ("part-00002.jsonl", '{"query_id": "q5", "doc_id": "d"}\n', "part-00002.jsonl, line 2"),
]


@pytest.mark.parametrize(("name", "line", "place"), BAD)
def test_a_bad_line_is_named_with_its_part(name, line, place, split):
    folder = split(name.replace("00002", "{}"), 1, ROWS[:3])
    with (folder / name).open("a") as file:
        file.write(line)
    for read in (assay.read_run, lambda data: assay.evaluate(QRELS, data)):
        with pytest.raises(FormatError, match=place):
            read(folder)


def test_parts_with_different_columns_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("query_id,doc_id,relevance,group\nq1,a,1,x\n")
    (tmp_path / "b.csv").write_text("query_id,doc_id,relevance\nq1,a,1\n")
    with pytest.raises(FormatError, match=r"b\.csv has no column for group, but .*a\.csv has one"):
        assay.read_qrels(tmp_path)


def test_mixed_formats_are_refused(split):
    folder = split("part-{}.csv", 6)
    (folder / "README").write_text("q1 Q0 a 1 1 x\n")
    with pytest.raises(FormatError, match=r"several formats: trec \('README'\) and csv \('part-00000.csv'\)"):
        assay.evaluate(QRELS, folder)
    assert assay.evaluate(QRELS, folder / "*.csv", ["ap", "ndcg"]).mean == EXPECTED


REFUSED = {
    "query=7": "partitioned tables are not supported: write the column 'query' into the files",
    "other": "is a directory inside what should be one set of files",
    "_delta_log": "is a Delta table",
    "_temporary": "is unfinished output",
}


@pytest.mark.parametrize("name", REFUSED)
def test_directories_that_are_not_one_set_of_files_are_refused(name, split):
    folder = split("part-{}.csv", 6)
    (folder / name).mkdir()
    with pytest.raises(FileError, match=REFUSED[name]):
        assay.evaluate(QRELS, folder)


def test_nothing_to_read_is_refused(tmp_path):
    (tmp_path / "_SUCCESS").touch()
    for name, said in (("", "has no files with data"), ("*.parquet", r"no file matches '.*\*\.parquet'")):
        with pytest.raises(FileError, match=said):
            assay.read_run(tmp_path / name)


@for_each("name", ["run*.trec", "run[1].trec", "run?.parquet", "run[1].csv"])
def test_a_file_whose_name_looks_like_a_glob_still_opens(name, tmp_path):
    RUN.write(tmp_path / name, lossy=True)
    assert assay.evaluate(QRELS, tmp_path / name, ["ap", "ndcg"]).mean == EXPECTED
    (tmp_path / "d[1]").mkdir()
    RUN.write(tmp_path / "d[1]/part-0.parquet")
    assert assay.read_run(tmp_path / "d[1]").to_dict() == RUN.to_dict()


@pytest.mark.parametrize("form", ["part-{}", "part-{}-1a2b.c000.snappy.parquet"])
def test_two_thousand_parts_need_few_descriptors(form, split):
    rows = [(f"q{row // 10}", f"d{row % 10}", 2000.0 - row) for row in range(2000)]
    folder = split(form, 1, polars.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row"))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 64, before[1]))
    try:
        assert assay.evaluate({f"q{query}": ["d0"] for query in range(200)}, folder, "rr")["rr"] == 1
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_different_runs_in_a_directory_are_suspected(tmp_path):
    RUN.write(tmp_path / "bm25.run")
    RUN.write(tmp_path / "dense.run")
    said = r"more than once.*; if these 2 files \(bm25.run to dense.run\) are different runs, name each of them"
    with pytest.raises(assay.errors.DuplicateError, match=said):
        assay.evaluate(QRELS, tmp_path)
    (tmp_path / "x.run").write_text("q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n")
    with pytest.raises(assay.errors.DuplicateError) as caught:
        assay.evaluate(QRELS, tmp_path / "x.run")
    assert "different runs" not in str(caught.value)
