"""Where data is written: formats and endings, links, modes and devices, and a file that stays until the next is whole."""

import os
import stat
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import assay
from assay import Run
from assay.data.formats import BY_NAME
from assay.errors import FileError, FormatError
from tables import for_each

MISFITS = [
    ("run.parquet.gz", None, "Parquet files are already compressed"),
    ("run", "beir", "beir is a format for judgments; write a run as tsv"),
    ("run", "cvs", "unknown format 'cvs'; choose one of trec, json"),
]


@for_each(("name", "format", "said"), MISFITS)
def test_formats_that_do_not_fit(name, format, said, tmp_path):
    with pytest.raises(FormatError, match=said):
        Run({"q1": {"a": 1}}).write(tmp_path / name, format=format)
    assert list(tmp_path.iterdir()) == []


def test_a_row_of_the_table_says_all_about_a_format(tmp_path, monkeypatch):
    """No name is special: rows like those of TREC, BEIR and Parquet behave alike under any name."""
    like = {"plain": BY_NAME["trec"], "graded": BY_NAME["beir"], "packed": BY_NAME["parquet"]}
    monkeypatch.setattr("assay.data.formats.BY_NAME", {name: replace(row, name=name) for name, row in like.items()})
    run, path = Run({"q1": {"a": 1.0}}), tmp_path / "run"
    with pytest.raises(FormatError, match="Packed files are already compressed; leave out"):
        run.write(tmp_path / "run.gz", format="packed")
    with pytest.raises(FormatError, match="graded is a format for judgments; write a run as tsv"):
        run.write(path, format="graded")
    # A format that is named counts, whatever the file is called.
    run.write(tmp_path / "run.csv.gz", format="plain")
    assert assay.read_run(tmp_path / "run.csv.gz", format="plain").to_dict() == {"q1": {"a": 1.0}}
    run.write(path, format="plain")
    assert assay.evaluate({"q1": ["a"]}, path, "rr", format="plain")["rr"] == 1


def test_preferences_are_only_judgments(tmp_path):
    path = tmp_path / "judgments"
    path.write_text("q1 0 0 a 2\nq1 0 0 b 1\n")
    assert assay.read_qrels(path, format="prefs").to_dict() == {"q1": {"a": 2.0, "b": 1.0}}
    for read in (assay.read_run, partial(assay.evaluate, {"q1": ["a"]})):
        with pytest.raises(FormatError, match="prefs is a format for judgments, not for runs"):
            read(path, format="prefs")


PLACES = [("missing/run.trec", "No such file"), ("folder", "is a directory"), ("x" * 300, "too long")]


@for_each(("place", "words"), PLACES)
def test_a_place_that_cannot_be_written_to(place, words, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match=words):
        Run({"q1": {"a": 1}}).write(tmp_path / place)
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_file_has_the_usual_mode(tmp_path):
    for name in ("run.trec", "run.zst"):
        Run({"q1": {"a": 1}}).write(tmp_path / name)
        (tmp_path / "usual").touch()
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == stat.S_IMODE((tmp_path / "usual").stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="links and devices of POSIX")
def test_links_and_devices_stay_what_they_are(tmp_path):
    (tmp_path / "link.trec").symlink_to(tmp_path / "target.trec")
    Run({"q1": {"a": 1}}).write(tmp_path / "link.trec")
    assert (tmp_path / "link.trec").is_symlink()
    assert (tmp_path / "target.trec").read_text() == "q1 Q0 a 1 1 assay\n"
    Run({"q1": {"a": 1}}).write("/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    name = "x" * 250 + ".gz"
    Run({"q1": {"a": 1}}).write(tmp_path / name)
    assert assay.read_run(tmp_path / name)["q1"] == [("a", 1.0)]
