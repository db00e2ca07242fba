"""`assay next`: the table, the sentence, and bad input."""

from tables import refusing


def test_what_to_judge_and_whether_it_matters(assay):
    result = assay("next qrels.txt one.run two.run -m dcg@2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0].split() == ["query", "document", "rank", "worth"]
    assert "settled: " in result.stdout
    result = assay("next qrels.txt one.run two.run --format csv --first depth")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "query,document,rank,worth")
    assert result.stderr.startswith("note: ")


def test_nothing_is_judged_yet_and_the_lowest_grade(read_json):
    found = read_json("next none one.run two.run --policy top_grade=3 -n 1")
    assert (len(found["pairs"]), found["left"] > 0) == (1, True)
    assert found["settlement"]["is_settled"] is False
    line = "next none one.run two.run -m 'dcg(gain=signed)@2' --convention ranx"
    lowest = [read_json(f"{line}{more}")["settlement"]["lowest"] for more in ("", " --policy lowest_grade=-2")]
    assert lowest[1] < lowest[0]


REFUSED = {
    "none one.run": "cannot order by worth: need two runs to compare, got 1",
    "none one.run two.run -m ndcg@5": "use dcg@5",
    "none one.run two.run --between zz one": "--between: unknown run 'zz'",
    "missing.txt one.run two.run": "missing.txt",
    "none one.run two.run --policy lowest_grade=1": "lowest_grade must be at most 0",
    "none one.run two.run -m dcg@10 -m rbp": "this command is about one measure, got 2",
    "none one.run two.run --policy seed=1": "only the order random draws; leave out --policy seed",
}
test_bad_input = refusing(REFUSED, "next ")
