"""`assay clicks`: the table, the judgments, and bad input."""

import json

CLICKS = "query,document,position,shown,clicked\nq,a,1,100,30\nq,b,2,100,10\nq,b,1,50,20\nq,a,2,50,8\nq,c,3,1,0\n"


def test_the_table_and_the_judgments(assay, folder):
    (folder / "clicks.csv").write_text(CLICKS)
    shown = assay("clicks", "clicks.csv")
    assert shown.exit_code == 0
    assert "q      a         0.9661    150      38   39.3333" in shown.stdout
    assert "note: 1 pair was shown fewer than 10 times; left unjudged" in shown.stdout
    written = assay("clicks", "clicks.csv", "-o", "made.csv")
    assert (written.exit_code, written.stdout) == (0, "")
    assert "wrote judgments to made.csv: 1 query, 2 judgments" in written.stderr
    assert (folder / "made.csv").read_text().splitlines()[0] == "query_id,doc_id,relevance"
    every = ("clicks", "clicks.csv", "--format", "json", "--min-impressions", "1")
    # Nobody clicked at the position of c, so coec expects nothing there.
    for model, pairs in (("coec", 2), ("pbm", 3)):
        content = json.loads(assay(*every, "--model", model).stdout)
        assert (content["schema"], len(content["pairs"])) == ("assay/clicks", pairs)


def test_positions(assay, folder):
    (folder / "clicks.csv").write_text(CLICKS)
    shown = assay("clicks", "clicks.csv", "--model", "pbm", "--positions", "--format", "csv")
    assert shown.stdout.splitlines()[0] == "position,shown,clicks,rate,examined"
    assert shown.stdout.splitlines()[1].startswith("1,150,50,0.333")


def test_bad_input(assay, folder):
    (folder / "clicks.csv").write_text(CLICKS + "q,d,here,1,0\n")
    wrong = assay("clicks", "clicks.csv", "-o", "made.txt")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "clicks.csv, line 7: the position 'here' is not a finite number" in wrong.stderr
    assert not (folder / "made.txt").exists()
    (folder / "clicks.csv").write_text(CLICKS)
    assert "dbn needs result pages" in assay("clicks", "clicks.csv", "--model", "dbn").stderr


def test_ubi_events_and_queries(assay, folder):
    places = {"a": 1, "b": 2}
    fields = "action_name,query_id,object_id,position\n"
    shown = "".join(f"impression,{page},{each},{place}\n" for page in ("p1", "p2") for each, place in places.items())
    (folder / "events.csv").write_text(f"{fields}{shown}click_through,p1,a,1\nlogin,,,\n")
    (folder / "queries.csv").write_text("query_id,user_query\np1,train cat\np2,train cat\n")
    found = assay("clicks", "events.csv", "--queries", "queries.csv", "--min-impressions", "2")
    assert "train cat  a         1.0000      2       1    1.0000" in found.stdout
    assert "2 query_ids have no user_query" not in found.stdout
    alone = assay("clicks", "events.csv", "--min-impressions", "1").stdout
    assert "each counts as a query of its own; pass UBI's index of queries as --queries" in alone
    assert assay("clicks", "-", "--queries", "-").exit_code == 2
