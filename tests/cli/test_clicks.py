"""`assay clicks`: the table, the judgments, and bad input."""

import pytest

CLICKS = "query,document,position,shown,clicked\nq,a,1,100,30\nq,b,2,100,10\nq,b,1,50,20\nq,a,2,50,8\nq,c,3,1,0\n"


@pytest.fixture(autouse=True)
def clicks(folder):
    (folder / "clicks.csv").write_text(CLICKS)


def test_the_table_and_the_judgments(assay, read_json, folder):
    shown = assay("clicks clicks.csv")
    assert shown.exit_code == 0
    assert "q      a         0.9661    150      38   39.3333" in shown.stdout
    assert "note: 1 pair was shown fewer than 10 times; left unjudged" in shown.stdout
    written = assay("clicks clicks.csv -o made.csv")
    assert (written.exit_code, written.stdout) == (0, "")
    assert "wrote judgments to made.csv: 1 query, 2 judgments" in written.stderr
    assert (folder / "made.csv").read_text().splitlines()[0] == "query_id,doc_id,relevance"
    # Nobody clicked at the position of c, so coec expects nothing there.
    for model, pairs in (("coec", 2), ("pbm", 3)):
        content = read_json(f"clicks clicks.csv --min-impressions 1 --model {model}")
        assert (content["schema"], len(content["pairs"])) == ("assay/clicks", pairs)


def test_positions_and_bad_input(assay, refused, folder):
    lines = assay("clicks clicks.csv --model pbm --positions --format csv").stdout.splitlines()
    assert lines[0] == "position,shown,clicks,rate,examined"
    assert lines[1].startswith("1,150,50,0.333")
    refused("clicks clicks.csv --model dbn", "dbn needs result pages")
    refused("clicks - --queries -", "- is standard input")
    refused("clicks clicks.csv -o made.txt --format csv", "--format is for the terminal, and -o writes judgments")
    (folder / "clicks.csv").write_text(CLICKS + "q,d,here,1,0\n")
    refused("clicks clicks.csv -o made.txt", "clicks.csv, line 7: the position 'here' is not a finite number")
    assert not (folder / "made.txt").exists()
