"""`assay votes`: the table, the judgments, and bad input."""

import pytest

VOTES = "query,document,voter,vote\nq1,d1,ann,up\nq1,d1,bob,up\nq1,d1,eve,down\nq2,d4,ann,?\nq2,d4,bob,down\n"


@pytest.fixture(autouse=True)
def votes(folder):
    (folder / "votes.csv").write_text(VOTES)


def test_the_table_and_the_judgments(assay, read_json, folder):
    shown = assay("votes votes.csv --method mean")
    assert shown.exit_code == 0
    assert "q1     d1        0.6667      3  0.2077  0.9385  0.6667" in shown.stdout
    assert "note: 1 vote says nothing (cannot tell); not counted" in shown.stdout
    written = assay("votes votes.csv -o made.txt")
    assert (written.exit_code, written.stdout) == (0, "")
    assert "wrote judgments to made.txt: 2 queries, 2 judgments" in written.stderr
    assert (folder / "made.txt").read_text() == "q1 0 d1 1\nq2 0 d4 0\n"
    assert read_json("votes votes.csv")["pairs"][0]["votes"] == 3


def test_voters_prior_and_level(assay):
    lines = assay("votes votes.csv --method dawid_skene --voters --format csv").stdout.splitlines()
    assert lines[0] == "voter,votes,same,accuracy"
    assert lines[1].startswith("bob,2,0.5,")
    shown = assay("votes votes.csv --method beta --policy prior=1,3 --format csv").stdout
    assert shown.splitlines()[1].startswith(f"q1,d1,{(1 + 2) / (4 + 3)}"[:12])
    half = assay("votes votes.csv --method wilson --policy level=0.5").stdout
    assert "votes[wilson] min_votes=1 level=0.5" in half


def test_bad_input(refused, folder):
    refused("votes nothing.csv", "nothing.csv")
    refused("votes votes.csv --method beta --policy prior=0,1", "prior must be two positive numbers")
    refused("votes votes.csv --method beta --policy prior=1", "'1' is not of the form UP,DOWN, such as 1,3")
    refused("votes votes.csv -o made.txt --voters", "the table is for the terminal, and -o writes judgments")
    (folder / "votes.csv").write_text(VOTES + "q2,d4,eve,perhaps\n")
    said = "votes.csv, line 7: 'perhaps' is not a vote; write up or down, a number, or ? for cannot tell"
    refused("votes votes.csv -o made.txt", said)
    assert not (folder / "made.txt").exists()
