"""`assay eval`: what it prints for small files."""

import json

import pytest

import assay as library

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
MEASURES = ("-m", "rr", "-m", "ap")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["one.run", *MEASURES], TABLE),
        (["one.run", "-m", " rr  ap"], TABLE),
        (["one.run", "two.run", *MEASURES], MANY),
        (["one.run", "-m", "rr", "-q"], PER_QUERY),
        (["one.run", "-m", "rr", "--format", "markdown"], MARKDOWN),
        (["one.run", "-m", "rr", "--format", "csv"], "measure,mean,low,high,queries\nrr,0.75,0.5,1.0,2\n"),
        (["one.run", "-m", "rr", "--format", "tsv"], "measure\tmean\tlow\thigh\tqueries\nrr\t0.75\t0.5\t1.0\t2\n"),
    ],
)
def test_prints(assay, arguments, expected):
    result = assay("eval", "qrels.txt", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (0, expected, "")


def test_default_measures(assay):
    rows = assay("eval", "qrels.txt", "one.run", "--format", "csv").stdout.splitlines()[1:]
    assert [row.partition(",")[0] for row in rows] == ["ndcg@10", "ap", "rr@10", "recall@100"]


def test_several_runs_query_by_query_have_a_run_column(assay):
    result = assay("eval", "qrels.txt", "one.run", "two.run", "-m", "rr", "-q", "--format", "csv")
    assert result.stdout == MANY_PER_QUERY
    assert result.stderr == (
        "note: two: 1 query in the judgments is missing from the run; counted as empty rankings: 'q2'; trec_eval leaves these out: --policy missing=skip\n"
    )


@pytest.mark.parametrize("format_", ["csv", "tsv"])
def test_notes_of_bare_tables_go_to_stderr(assay, format_):
    result = assay("eval", "qrels.txt", "two.run", "-m", "rr", "--format", format_)
    assert "missing" not in result.stdout
    assert result.stderr.startswith("note: 1 query in the judgments is missing")


@pytest.mark.parametrize("format_", ["table", "markdown", "latex", "json"])
def test_notes_of_other_forms_stand_inside(assay, format_):
    result = assay("eval", "qrels.txt", "two.run", "-m", "rr", "--format", format_)
    assert "1 query in the judgments is missing from the run" in result.stdout
    assert result.stderr == ""


def test_json_is_the_result_as_json(assay):
    result = assay("eval", "qrels.txt", "one.run", *MEASURES, "--format", "json")
    assert result.stdout == library.evaluate_many("qrels.txt", ["one.run"], ["rr", "ap"]).to_json()


def test_json_of_several_runs_is_by_name(assay):
    result = assay("eval", "qrels.txt", "one.run", "two.run", "-m", "rr", "--format", "json")
    found = {run["name"]: run["measures"]["rr"]["mean"] for run in json.loads(result.stdout)["runs"]}
    assert found == {"one": 0.75, "two": 0.5}


def test_runs_of_the_same_name_are_told_apart(assay, folder):
    for name in ("old", "new"):
        (folder / name).mkdir()
        (folder / name / "bm25.run").write_text((folder / "one.run").read_text())
    result = assay("eval", "qrels.txt", "old/bm25.run", "new/bm25.run", "new/bm25.run", "-m", "rr", "--format", "csv")
    assert result.stdout == "run,rr\nold/bm25,0.75\nnew/bm25,0.75\nnew/bm25 (2),0.75\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], 0.5),
        (["--policy", "missing=skip"], 1.0),
        (["--convention", "trec_eval"], 1.0),
        (["--convention", "trec_eval", "--policy", "missing=zero"], 0.5),
        (["--policy", "rel=2", "--policy", "missing=skip"], 0.5),
        (["--policy", "depth=1", "--policy", "rel=2", "--policy", "missing=skip"], 0.0),
        (["--policy", "order=given", "--policy", "rel=2", "--policy", "missing=skip"], 0.5),
    ],
)
def test_policies(assay, options, expected):
    result = assay("eval", "qrels.txt", "two.run", "-m", "rr", "--format", "csv", *options)
    assert float(result.stdout.splitlines()[1].split(",")[1]) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], "d2 d1"), (["--policy", "ties=docid_asc"], "d1 d2"), (["--policy", "ties=input"], "d1 d2")],
)
def test_ties(assay, folder, options, expected):
    (folder / "tied.run").write_text("q1 Q0 d1 1 0.5 a\nq1 Q0 d2 2 0.5 a\n")
    result = assay("eval", "qrels.txt", "tied.run", "-m", "rr", "--policy", "missing=skip", "--format", "csv", *options)
    assert float(result.stdout.splitlines()[1].split(",")[1]) == {"d1 d2": 1.0, "d2 d1": 0.5}[expected]


def test_policies_show_in_the_caption(assay):
    shown = assay("eval", "qrels.txt", "one.run", "--policy", "judged_only=yes", "--policy", "no_relevant=nan").stdout
    assert f"assay {VERSION}, convention assay, no_relevant=nan judged_only=yes, details: --format json\n" in shown


def test_duplicates_of_the_judgments_follow_the_policy(assay, folder):
    (folder / "twice.txt").write_text("q1 0 d1 0\nq1 0 d1 1\n")
    assert assay("eval", "twice.txt", "one.run").exit_code == 2
    for choice, expected in {"first": 0.0, "last": 1.0}.items():
        result = assay(
            "eval", "twice.txt", "one.run", "-m", "rr", "--format", "csv", "--policy", f"duplicates={choice}"
        )
        assert float(result.stdout.splitlines()[1].split(",")[1]) == expected


@pytest.mark.parametrize("arguments", [["-", "one.run"], ["qrels.txt", "-"]])
def test_standard_input(assay, folder, arguments):
    name = "qrels.txt" if arguments[0] == "-" else "one.run"
    result = assay("eval", *arguments, *MEASURES, stdin=(folder / name).read_bytes())
    assert result.stdout == TABLE


def test_standard_input_stands_for_one_file_only(assay):
    result = assay("eval", "-", "-", stdin="")
    assert result.exit_code == 2
    assert "- is standard input and can be used for one file only" in result.stderr


def test_faults_in_standard_input_are_named(assay):
    result = assay("eval", "qrels.txt", "-", stdin="q1 Q0 d1 1 high a\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        result.stderr
        == "assay: standard input, line 1: the score 'high' is not a number; expected \"query Q0 document rank score tag\"\n"
    )


def test_formats_can_be_named(assay, folder):
    (folder / "judged").write_text('{"q1": {"d1": 1}}')
    (folder / "found").write_text("query_id,doc_id,score\nq1,d1,2\n")
    given = ("--from", "qrels=json", "--from", "run=csv")
    result = assay("eval", "judged", "found", "-m", "rr", "--format", "csv", *given)
    assert result.stdout.splitlines()[1] == "rr,1.0,,,1"


def test_output_goes_to_a_file_and_nothing_beside_it(assay, folder):
    (folder / "out.txt").write_text("old")
    result = assay("eval", "qrels.txt", "one.run", *MEASURES, "-o", "out.txt")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (folder / "out.txt").read_text(encoding="utf-8") == TABLE
    assert sorted(each.name for each in folder.iterdir()) == ["one.run", "out.txt", "qrels.txt", "two.run"]


def test_a_failed_evaluation_leaves_the_output_as_it_was(assay, folder):
    (folder / "out.txt").write_text("old")
    assert assay("eval", "qrels.txt", "no.run", "-o", "out.txt").exit_code == 2
    assert (folder / "out.txt").read_text() == "old"


@pytest.mark.parametrize("target", ["no/such/folder.txt", "."])
def test_output_that_cannot_be_written(assay, target):
    result = assay("eval", "qrels.txt", "one.run", "-o", target)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"assay: '{target}' ")


def test_ids_are_printed_without_their_control_characters(assay, folder):
    (folder / "escape.txt").write_text("q\x1b[31m 0 d1 1\n")
    (folder / "escape.run").write_text("q\x1b[31m Q0 d1 1 1 a\n")
    result = assay("eval", "escape.txt", "escape.run", "-q", "-m", "rr")
    assert "\x1b" not in result.stdout
    assert r"q\x1b[31m" in result.stdout


def test_parts_of_queries_are_merged(assay, folder):
    (folder / "parts.txt").write_text("q1_0 0 d1 1\nq1_1 0 d1 1\nq2_0 0 d2 1\n")
    (folder / "a.run").write_text("q1_0 Q0 d1 1 0.2 t\nq1_0 Q0 d2 2 0.9 t\nq1_1 Q0 d1 1 0.7 t\nq2_0 Q0 d2 1 0.1 t\n")
    (folder / "b.run").write_text("q1_0 Q0 d1 1 0.2 t\nq1 Q0 d2 2 0.9 t\nq2_0 Q0 x 1 0.3 t\nq2_0 Q0 d2 2 0.1 t\n")
    options = ("--convention", "mteb", "-m", "map_at_1000", "-q", "--format", "csv")
    result = assay("eval", "parts.txt", "a.run", "b.run", "--merge-subqueries", *options)
    assert result.exit_code == 0
    rows = ["a,q1,0.5", "a,q2,1.0", "a,all,0.75", "b,q1,1.0", "b,q2,0.5", "b,all,0.75"]
    assert result.stdout.split() == ["run,query,map_at_1000", *rows]


def test_queries_that_would_be_merged_with_others_are_an_error(assay, folder):
    (folder / "parts.txt").write_text("q1_0 0 d1 1\nq1 0 d1 1\n")
    result = assay("eval", "parts.txt", "one.run", "--merge-subqueries")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "queries 'q1' and 'q1_0' would both become 'q1'" in result.stderr


@pytest.mark.parametrize("names", [["ranx:ndcg"], ["ranx:ndcg", "llama_index:precision"]])
def test_repeated_judgments_are_read_as_in_python(assay, folder, names):
    (folder / "twice.txt").write_text("q 0 a 0\nq 0 a 2\nq 0 b 1\n")
    (folder / "twice.run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    options = [each for name in names for each in ("-m", name)]
    found = json.loads(assay("eval", "twice.txt", "twice.run", *options, "--format", "json").output)
    expected = library.evaluate_many(folder / "twice.txt", [folder / "twice.run"], names)
    assert found == json.loads(expected.to_json())
    assert expected["twice"]["ranx:ndcg"] == 1
