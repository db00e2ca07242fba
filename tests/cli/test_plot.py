"""`assay plot`: files by their ending, and what goes wrong."""

import json

import pytest


def test_writes_a_chart(assay, tmp_path):
    for ending, start in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("json", b"{")):
        path = tmp_path / f"x.{ending}"
        result = assay("plot", "means", "qrels.txt", "one.run", "-o", str(path))
        assert (result.exit_code, result.stdout) == (0, "")
        assert path.read_bytes().startswith(start)


def test_without_a_file_the_specification_is_printed(assay):
    result = assay("plot", "means", "qrels.txt", "one.run", "-m", "rr", "--theme", "dark")
    spec = json.loads(result.stdout)
    assert spec["title"]["text"] == "Means with 95 % intervals"
    assert spec["config"]["background"] == "#15181D"


@pytest.mark.parametrize("name", ["x.jpg", "x", "x.csv"])
def test_an_unknown_ending_is_bad_usage(assay, name):
    result = assay("plot", "means", "qrels.txt", "one.run", "-o", name)
    assert result.exit_code == 2
    assert "use one of .svg, .png, .pdf, .html, .json" in result.stderr


def test_help_lists_the_kinds(assay):
    shown = assay("plot", "--help").stdout
    assert "critical_difference" in shown
    assert "mean ranks of runs" in shown


def test_an_unknown_kind(assay):
    result = assay("plot", "mean", "qrels.txt", "one.run")
    assert result.exit_code == 2
    assert "'means'" in result.stderr


def test_too_few_runs(assay):
    result = assay("plot", "differences", "qrels.txt", "one.run")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "needs at least two runs, got 1" in result.stderr
    assert "got 0" in assay("plot", "means", "qrels.txt").stderr
