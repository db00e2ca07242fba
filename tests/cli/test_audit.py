"""`assay audit`: what it prints for small files."""

import json

import pytest


def test_a_table_and_the_way_to_each_number(assay):
    result = assay("audit", "qrels.txt", "two.run", "-m", "map")
    assert result.exit_code == 0
    assert result.output.startswith("map\n\ntool")
    assert "from assay 0.5000 to trec_eval map" in result.output
    assert "  +0.5000  queries missing from the run are skipped\n  1.0000\n" in result.output


def test_the_default_is_map(assay):
    assert assay("audit", "qrels.txt", "one.run").output == assay("audit", "qrels.txt", "one.run", "-m", "map").output


def test_several_measures_and_another_start(assay):
    result = assay("audit", "qrels.txt", "two.run", "-m", "map rr", "--start", "trec_eval", "--format", "json")
    measures = json.loads(result.output)["measures"]
    assert list(measures) == ["map", "rr"]
    assert [each["tools"][0]["tool"] for each in measures.values()] == ["trec_eval", "trec_eval"]


@pytest.mark.parametrize("format_", ["csv", "tsv", "markdown", "latex"])
def test_other_formats_have_a_row_for_each_tool(assay, folder, format_):
    output = assay("audit", "qrels.txt", "two.run", "-m", "map", "--format", format_, "-o", "out").output
    assert output == ""
    assert "queries missing from the run are skipped" in (folder / "out").read_text(encoding="utf-8")


def test_an_unknown_measure_is_one_line(assay):
    result = assay("audit", "qrels.txt", "two.run", "-m", "nonsense")
    assert result.exit_code == 2
    assert "unknown measure 'nonsense'" in result.output


def test_standard_input_with_duplicates(assay):
    twice = "q1 Q0 d1 1 3 t\nq1 Q0 d1 2 2 t\n"
    result = assay("audit", "qrels.txt", "-", "-m", "map", stdin=twice)
    assert result.exit_code == 0, result.output
    assert "standard input" in result.output
    assert "'d1' more than once" in " ".join(result.output.split())
