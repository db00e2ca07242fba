"""Some rankings of a run in a file are those that the whole run has, in every format."""

import assay
from assay.data.partial import BLOCK, read_some
from tables import for_each

RUN = assay.Run({"q1": {"d1": 2.5, "d2": 0.25}, "q10": {"d3": 1}, "a b": {"d1": 7}, "é": {"d9": 1, "d1": 0.5}})
ORDERED = assay.Run({"q1": ["d2", "d1"], "q2": ["d3"], "q3": [("d4", 0.5, 1), ("d5", 0.75, 2)]})


@for_each("ending", ["run", "run.gz", "parquet", "csv", "tsv", "jsonl", "jsonl.zst", "json"])
@for_each("run", [RUN, ORDERED])
def test_some_queries_of_a_file(run, ending, tmp_path):
    path = tmp_path / f"my.{ending}"
    run = assay.Run({query.replace(" ", "_"): run.as_given(query) for query in run.queries})
    run.write(path)
    for wanted in ({run.queries[0]}, {*run.queries[1:], "unknown"}):
        found = read_some(path, wanted)
        assert found.to_dict() == {query: run.as_given(query) for query in run.queries if query in wanted}
    assert read_some(path, {"unknown"}) is None


@for_each("ending", ["run", "parquet"])
def test_some_queries_of_many_files(ending, tmp_path):
    for number, query in enumerate(RUN.queries[:2]):
        assay.Run({query: RUN.as_given(query)}).write(tmp_path / f"part-{number}.{ending}")
    assert read_some(tmp_path, {"q10"}).to_dict() == {"q10": RUN.as_given("q10")}


def test_lines_as_people_write_them(tmp_path):
    path = tmp_path / "my.run"
    path.write_bytes(b"\xef\xbb\xbfq1 Q0 d1 1 2 t\r\n\n  q2\tQ0 d2 1 2 t\nq3 Q0 d3 1 2 t\n q1 Q0 d4 2 1 t")
    assert read_some(path, {"q1", "q2"}).to_dict() == {"q1": {"d1": 2, "d4": 1}, "q2": {"d2": 2}}


def test_rankings_in_several_blocks(tmp_path):
    path = tmp_path / "my.run"
    lines = [f"q{n % 7} Q0 document-{n:09} 1 {n} t\n" for n in range(3 * BLOCK // 40)]
    path.write_text("".join(lines))
    assert len("".join(lines)) > 2 * BLOCK
    assert read_some(path, {"q3"})["q3"] == assay.Run(path)["q3"]
