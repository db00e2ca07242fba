"""`assay eval`: what it prints for small files."""

import pytest

import assay as library
from tables import for_each

VERSION = library.__version__
TABLE = f"""\
measure    mean     low    high  queries
────────────────────────────────────────
rr       0.7500  0.5000  1.0000        2
ap       0.6667  0.5000  0.8333        2

assay {VERSION}, convention assay, details: --format json
"""
MANY = f"""\
run               rr               ap
─────────────────────────────────────
one  0.7500 ± 0.2500  0.6667 ± 0.1667
two  0.5000 ± 0.5000  0.5000 ± 0.5000

± is half the width of the 95 % interval
assay {VERSION}, convention assay, details: --format json
note: two: 1 query in the judgments is missing from the run; counted as empty rankings: 'q2'; trec_eval leaves these out: --policy missing=skip
"""
PER_QUERY = f"""\
query      rr
─────────────
q1     1.0000
q2     0.5000
all    0.7500

assay {VERSION}, convention assay, details: --format json
"""
MANY_PER_QUERY = """\
run,query,rr
one,q1,1.0
one,q2,0.5
one,all,0.75
two,q1,1.0
two,q2,0.0
two,all,0.5
"""
MARKDOWN = f"""\
| measure | mean | low | high | queries |
| --- | ---: | ---: | ---: | ---: |
| MRR | 0.7500 | 0.5000 | 1.0000 | 2 |

assay {VERSION}, convention assay, details: --format json
"""
PRINTED = {
    "one.run -m rr -m ap": TABLE,
    "one.run -m ' rr  ap'": TABLE,
    "one.run two.run -m rr -m ap": MANY,
    "one.run -m rr -q": PER_QUERY,
    "one.run -m rr --format markdown": MARKDOWN,
    "one.run -m rr --format csv": "measure,mean,low,high,queries\nrr,0.75,0.5,1.0,2\n",
    "one.run -m rr --format tsv": "measure\tmean\tlow\thigh\tqueries\nrr\t0.75\t0.5\t1.0\t2\n",
}


@for_each(("line", "expected"), PRINTED.items())
def test_prints(assay, line, expected):
    result = assay(f"eval qrels.txt {line}")
    assert (result.exit_code, result.stdout, result.stderr) == (0, expected, "")


@pytest.fixture
def first_mean(assay):
    """The mean of the first measure."""

    def read(line, **more):
        done = assay(f"{line} --format csv", **more)
        assert done.exit_code == 0, done.stderr
        return float(done.stdout.splitlines()[1].split(",")[1])

    return read


def test_default_measures_and_formats_that_are_named(assay, first_mean, folder):
    rows = assay("eval qrels.txt one.run --format csv").stdout.splitlines()[1:]
    assert [row.partition(",")[0] for row in rows] == ["ndcg@10", "ap", "rr@10", "recall@100"]
    (folder / "judged").write_text('{"q1": {"d1": 1}}')
    (folder / "found").write_text("query_id,doc_id,score\nq1,d1,2\n")
    assert first_mean("eval judged found -m rr --from qrels=json --from run=csv") == 1


def test_notes_stand_inside_or_go_to_standard_error(assay):
    result = assay("eval qrels.txt one.run two.run -m rr -q --format csv")
    assert (result.stdout, result.stderr) == (MANY_PER_QUERY, MANY.splitlines(keepends=True)[-1])
    for format_ in ("csv", "tsv", "table", "markdown", "latex", "json"):
        result = assay(f"eval qrels.txt two.run -m rr --format {format_}")
        places = [result.stdout, result.stderr][:: -1 if format_ in ("csv", "tsv") else 1]
        assert "1 query in the judgments is missing from the run" in places[0]
        assert "missing" not in places[1]


def test_json_is_the_result_as_json(assay, read_json):
    result = assay("eval qrels.txt one.run -m rr -m ap --format json")
    assert result.stdout == library.evaluate_many("qrels.txt", ["one.run"], ["rr", "ap"]).to_json()
    runs = read_json("eval qrels.txt one.run two.run -m rr")["runs"]
    assert {run["name"]: run["measures"]["rr"]["mean"] for run in runs} == {"one": 0.75, "two": 0.5}


def test_runs_of_the_same_name_are_told_apart(assay, folder):
    for name in ("old", "new"):
        (folder / name).mkdir()
        (folder / name / "bm25.run").write_text((folder / "one.run").read_text())
    result = assay("eval qrels.txt old/bm25.run new/bm25.run new/bm25.run -m rr --format csv")
    assert result.stdout == "run,rr\nold/bm25,0.75\nnew/bm25,0.75\nnew/bm25 (2),0.75\n"


POLICIES = {
    "": 0.5,
    "--policy missing=skip": 1.0,
    "--convention trec_eval": 1.0,
    "--convention trec_eval --policy missing=zero": 0.5,
    "--policy rel=2 --policy missing=skip": 0.5,
    "--policy depth=1 --policy rel=2 --policy missing=skip": 0.0,
    "--policy order=given --policy rel=2 --policy missing=skip": 0.5,
}


def test_policies(assay, first_mean, folder):
    for options, expected in POLICIES.items():
        assert first_mean(f"eval qrels.txt two.run -m rr {options}") == expected, options
    (folder / "tied.run").write_text("q1 Q0 d1 1 0.5 a\nq1 Q0 d2 2 0.5 a\n")
    for options, expected in {"": 0.5, "--policy ties=docid_asc": 1.0, "--policy ties=input": 1.0}.items():
        assert first_mean(f"eval qrels.txt tied.run -m rr --policy missing=skip {options}") == expected
    shown = assay("eval qrels.txt one.run --policy judged_only=yes --policy no_relevant=nan").stdout
    assert f"assay {VERSION}, convention assay, no_relevant=nan judged_only=yes, details: --format json\n" in shown


def test_duplicates_of_the_judgments_follow_the_policy(assay, first_mean, folder):
    (folder / "twice.txt").write_text("q1 0 d1 0\nq1 0 d1 1\n")
    assert assay("eval twice.txt one.run").exit_code == 2
    for choice, expected in {"first": 0.0, "last": 1.0}.items():
        assert first_mean(f"eval twice.txt one.run -m rr --policy duplicates={choice}") == expected
    # Without a policy, each measure has its own.
    (folder / "twice.txt").write_text("q1 0 d1 0\nq1 0 d1 2\nq1 0 d2 1\n")
    assert first_mean("eval twice.txt one.run -m ranx:ndcg -m llama_index:precision") == 1


def test_standard_input(assay, refused, folder):
    for name, line in {"qrels.txt": "- one.run", "one.run": "qrels.txt -"}.items():
        assert assay(f"eval {line} -m rr -m ap", stdin=(folder / name).read_bytes()).stdout == TABLE
    refused("eval - -", "- is standard input and can be used for one file only", stdin="")
    said = "standard input, line 1: the score 'high' is not a number; expected \"query Q0 document rank score tag\"\n"
    refused("eval qrels.txt -", said, stdin="q1 Q0 d1 1 high a\n")


def test_output_goes_to_a_file_and_nothing_beside_it(assay, refused, folder):
    (folder / "out.txt").write_text("old")
    assert assay("eval qrels.txt no.run -o out.txt").exit_code == 2
    assert (folder / "out.txt").read_text() == "old"
    result = assay("eval qrels.txt one.run -m rr -m ap -o out.txt")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (folder / "out.txt").read_text(encoding="utf-8") == TABLE
    assert sorted(each.name for each in folder.iterdir()) == ["one.run", "out.txt", "qrels.txt", "two.run"]
    for target in ("no/such/folder.txt", "."):
        refused(f"eval qrels.txt one.run -o {target}", f"assay: '{target}' ")


def test_ids_are_printed_without_their_control_characters(assay, folder):
    (folder / "escape.txt").write_text("q\x1b[31m 0 d1 1\n")
    (folder / "escape.run").write_text("q\x1b[31m Q0 d1 1 1 a\n")
    result = assay("eval escape.txt escape.run -q -m rr")
    assert "\x1b" not in result.stdout
    assert r"q\x1b[31m" in result.stdout


def test_parts_of_queries_are_merged(assay, refused, folder):
    (folder / "parts.txt").write_text("q1_0 0 d1 1\nq1_1 0 d1 1\nq2_0 0 d2 1\n")
    (folder / "a.run").write_text("q1_0 Q0 d1 1 0.2 t\nq1_0 Q0 d2 2 0.9 t\nq1_1 Q0 d1 1 0.7 t\nq2_0 Q0 d2 1 0.1 t\n")
    (folder / "b.run").write_text("q1_0 Q0 d1 1 0.2 t\nq1 Q0 d2 2 0.9 t\nq2_0 Q0 x 1 0.3 t\nq2_0 Q0 d2 2 0.1 t\n")
    options = "--convention mteb -m map_at_1000 -q --format csv"
    result = assay(f"eval parts.txt a.run b.run --merge-subqueries {options}")
    assert result.exit_code == 0
    rows = ["a,q1,0.5", "a,q2,1.0", "a,all,0.75", "b,q1,1.0", "b,q2,0.5", "b,all,0.75"]
    assert result.stdout.split() == ["run,query,map_at_1000", *rows]
    (folder / "parts.txt").write_text("q1_0 0 d1 1\nq1 0 d1 1\n")
    refused("eval parts.txt one.run --merge-subqueries", "queries 'q1' and 'q1_0' would both become 'q1'")
