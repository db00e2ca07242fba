"""The files: what trec_eval reads, what it passes over, and what it ends with."""

import gzip
import os
import subprocess
import sys

import pytest

from tables import for_each

NOTHING_IN_COMMON = "trec_eval: No queries with both results and relevance info\n"


def quit_in(reader, problem, file):
    return f"trec_eval.{reader}: {problem}\ntrec_eval: Quit in file '{file}'\n"


# Options, a file's text, and what is wrong with it.
QRELS_ERRORS = [
    ("qrels", "", "get_qrels", "Cannot read qrels file 'qrels'"),
    ("qrels", "2 0 a\n", "get_qrels", "Malformed line 1"),
    ("qrels", "2 0 a 1 x\n", "get_qrels", "Malformed line 1"),
    ("qrels", "2 0 a 1\n\n2 0 b 1\n", "get_qrels", "Malformed line 2"),
    # Two comments in a row: the second is read as a judgment.
    ("qrels", "# one\n# two\n2 0 a 1\n", "get_qrels", "Malformed line 1"),
    ("qrels", " # 0 a 1 1\n", "get_qrels", "Malformed line 1"),
    ("qrels_jg", "2 0 a 1\n2 0\n", "get_qrels_jg", "Malformed line 2"),
    ("qrels_jg", "", "get_qrels", "Cannot read qrels file 'qrels'"),
    ("qrels_jg", "2 j a 1\n2 j a 1\n", "get_qrels", "duplicate docs a"),
    ("prefs", "2 j s a\n", "get_prefs", "Malformed line 1"),
    ("prefs", "", "get_prefs", "Cannot read prefs file 'qrels'"),
    ("qrels_prefs", "2 j a\n", "get_qrels_prefs", "Malformed line 1"),
    ("qrels_prefs", "", "get_prefs", "Cannot read prefs file 'qrels'"),
]
RUN_ERRORS = [
    ("", "Cannot read results file 'run'"),
    ("q 0 a 1 2\n", "Malformed line 1"),
    ("# x\n\nq 0 a 1 2 r\nq 0 b\n", "Malformed line 2"),
    ("q 0 a 1 2 \n", "Malformed line 1"),
    (gzip.compress(b"2 0 a 1 2 r\n", mtime=0), "Malformed line 1"),
]


@for_each(("form", "text", "reader", "problem"), QRELS_ERRORS)
def test_judgments_that_cannot_be_read(trec_eval, form, text, reader, problem):
    result = trec_eval(f"-R {form} -m num_q qrels run", qrels=text)
    assert result == (2, "", quit_in(reader, problem, "qrels"))


@for_each(("text", "problem"), RUN_ERRORS)
def test_runs_that_cannot_be_read(trec_eval, text, problem):
    assert trec_eval("qrels run", run=text) == (2, "", quit_in("get_results", problem, "run"))


def test_files_and_formats_that_are_not_there(trec_eval, tmp_path):
    assert trec_eval("none run").stderr == quit_in("get_qrels", "Cannot read qrels file 'none'", "none")
    for name in ("none", str(tmp_path), "nul\0"):
        expected = quit_in("get_results", f"Cannot read results file '{name}'", name)
        assert trec_eval("qrels", name) == (2, "", expected)
    assert trec_eval("-Z none qrels run") == (255, "", "trec_eval.get_zscores: Cannot read zscores file 'none'\n")
    assert trec_eval("-Z z qrels run", z="a b 1\n").stderr == "trec_eval.get_zscores: Malformed line 1\n"
    assert trec_eval("-R x none run") == (2, "", "trec_eval: Illegal rel_format 'x'\n")
    assert trec_eval("-T x qrels none") == (2, "", "trec_eval: Illegal retrieval results format 'x'\n")


# Judgments that say the same as three plain lines.
SAME_JUDGMENTS = [
    "2 0 a 1\n2 0 b 0\n2 0 c 2\n",
    "2 0 a 1\n2 0 b 0\n2 0 c 2",
    "# one\n2 0 a 1\n# two\n2 0 b 0\n2 0 c 2\n",
    "# one\n2 0 a 1\n2 0 b 0\n2 0 c 2\n# last\n",
    " 2\t0  a\v1 \r\n2 0 b 0x1\n2 0 c 2.9\n",
    "2 0 c 2\n2 x a 1e3\n2 0 b none\n",
]


@for_each("text", SAME_JUDGMENTS)
def test_judgments_that_say_the_same(trec_eval, text):
    command = "-m map -m ndcg -m num_rel -m relstring -q qrels run"
    assert trec_eval(command, qrels=text) == trec_eval(command, qrels=SAME_JUDGMENTS[0])


# Runs that rank a before b. From the fourth on the kernel refuses them, and they are read line by line.
SAME_RUNS = [
    "q 0 a 1 2 r\nq 0 b 2 1 r\n",
    "# x\n\n  \t\n q 0 a 1 2 r\n  # b c d e f\nq 0 b 2 1 r",
    "q 0 b 1 1 other\r\nq 0 a 2 2 r and more\r\n",
    "q 0 a 1 inf s\nq 0 b 2 0x10 r\n",
    "q 0 a 1 2x s\nq 0 b 2 none r\n",
    "q 0 a 1 2 s\nq 0 b 2 nan r\n",
    "q 0 a 1 1e400 s\nq 0 b 2 -inf r\n# q 0 a 1 3 s\n",
    "q 0 a 1 2 s\n # indented\nq 0 b 2 1 r\n",
    "p 0 z 1 2 s\np 0 z 1 2 s\nq 0 a 1 2 s\nq 0 b 2 1 r\n",
]


@for_each("run", SAME_RUNS)
def test_runs_that_say_the_same(trec_eval, run):
    for qrels, expected in (("q 0 a 1\nq 0 b 0\n", "1.0000"), ("q 0 a 0\nq 0 b 1\n", "0.5000")):
        result = trec_eval("-m runid -m map qrels run", qrels=qrels, run=run)
        assert (result.code, result.values) == (0, {("runid", "all"): "r", ("map", "all"): expected})


@for_each("score", ["1", "1x"])
def test_ties_are_broken_alike_in_both_readers(trec_eval, score):
    files = {"run": "".join(f"q 0 {each} 1 {score} r\n" for each in "acb"), "qrels": "q 0 a 1\nq 0 b 2\nq 0 c 3\n"}
    assert trec_eval("-q -m relstring qrels run", **files).values == {("relstring", "q"): "'321'"}
    prefs = trec_eval("-m prefs_simp -R qrels_prefs qrels run", **files)
    assert prefs.values == {("prefs_simp", "all"): "0.0000"}


@for_each("run", ["x 0 a 1 1 r\n", "# nothing\n", b"\xef\xbb\xbf2 0 a 1 2 r\n"])
def test_nothing_in_common(trec_eval, run):
    """A byte-order mark belongs to the topic."""
    assert trec_eval("qrels run", run=run) == (7, "", NOTHING_IN_COMMON)
    assert trec_eval("-R x qrels run", run=run).code == trec_eval("-mP.1,1 qrels run", run=run).code == 2


# What cannot be used, the message, and the measure.
INITIAL = [
    ("P.0", "Negative cutoff detected", "P"),
    ("P.x", "Negative cutoff detected", "P"),
    ("P.5,6,5.5", "duplicate cutoffs detected", "P"),
    ("iprec_at_recall..1,0.1", "duplicate cutoffs detected", "iprec_at_recall"),
    ("ndcg.1", "malformed pair parameters in '1'", "ndcg"),
    ("rbp.p=1,", "malformed pair parameters in 'p=1,'", "rbp"),
    # What C does not define.
    ("rbp.p=inf", "'inf' is not a finite number", "rbp"),
    ("ndcg.1=nan", "'nan' is not a finite number", "ndcg"),
    ("set_F.nan", "'nan' is not a finite number", "set_F"),
    ("utility.1e999,0,0,0", "'1e999' is not a finite number", "utility"),
    ("relstring.inf", "'inf' is not a finite number", "relstring"),
    ("Rprec_mult.inf", "'inf' is not a finite number", "Rprec_mult"),
    ("Rprec_mult.1,1e30", "a cutoff in '1,1e30' is too large", "Rprec_mult"),
    ("11pt_avg.1e30", "a cutoff in '1e30' is too large", "11pt_avg"),
    ("ndcg.1=4,1=3", "grade 1 has two gains, 4 and 3; give it only one", "ndcg"),
    ("rbp.1=3,1=4", "grade 1 has two gains, 3 and 4; give it only one", "rbp"),
]


@for_each(("measure", "problem", "name"), INITIAL)
def test_parameters_that_cannot_be_used(trec_eval, measure, problem, name):
    expected = f"trec_eval: {problem}\ntrec_eval: Cannot initialize measure '{name}'\n"
    assert trec_eval("-q -m", measure, "qrels run") == (2, "", expected)


TWICE = "2 0 b 1 3 r\n2 0 a 1 2 r\n2 0 a 2 1 r\n2 0 b 1 0 r\n10 0 a 1 1 r\n"
FORM, PREFS = "trec_eval.form_res_qrels: ", "trec_eval.form_prefs_counts: "
NO_RUN = "or results format not trec_results\n"
# Options, files, the message, and the measure that cannot be computed.
GROUPED = {"qrels": "2 0 b 1\n2 0 b 0\n2 1 a 1\n2 2 a 1\n"}
LEVELS = {"qrels": "2 u a 1\n2 u z 1\n2 u a 2\n"}
BOTH_LEVELS = {"qrels": "2 u 1 z 0\n2 u 1 b 1\n2 u 2 z 1\n2 u 2 c 0\n"}
NO_PREFS = f"trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) {NO_RUN}"
TWO_LEVELS = f"{PREFS}Internal docid 0 occurs with different rel_level in same jsg\n"
ZERO_AND_ONE = f"{PREFS}doc 'z' has both 0 and non-0 rel_level assigned\n"
FAILURES = [
    ("-m map", {"run": TWICE}, f"{FORM}duplicate docs a", "map"),
    ("-m runid -m P -m map", {"run": TWICE}, f"{FORM}duplicate docs a", "map"),
    ("-m map", GROUPED, "trec_eval.form_res_rels: duplicate docs a\n", "map"),
    ("-m num_ret", {"qrels": "2 0 b -1\n"}, "", "num_ret"),
    ("-m prefs -m map", {}, NO_PREFS, "prefs_num_prefs_poss"),
    ("-R qrels_jg", {}, f"{FORM}rel_info format not qrels {NO_RUN}", "num_ret"),
    ("-m map_avgjg", {}, f"trec_eval: rel_info format not qrels_jg {NO_RUN}", "map_avgjg"),
    ("-m utility.1,2", {}, "trec_eval.calc_utility: improper number of coefficients\n", "utility"),
    ("-R qrels_prefs -m prefs", {"run": "2 0 a 1 1 r\n" * 2}, f"{PREFS}duplicate docs a", "prefs_num_prefs_poss"),
    ("-R qrels_prefs -m prefs_simp", LEVELS, TWO_LEVELS, "prefs_simp"),
    ("-R prefs -m prefs_simp", BOTH_LEVELS, ZERO_AND_ONE, "prefs_simp"),
]


@for_each(("options", "files", "message", "measure"), FAILURES)
def test_what_cannot_be_computed(trec_eval, options, files, message, measure):
    message += f"trec_eval: Can't calculate measure '{measure}'\n"
    assert trec_eval(options, "-q -D0.2 qrels run", **files) == (4, "", message)


def test_contradicting_preferences_end_trec_eval_at_once_and_earlier_topics_are_printed(trec_eval):
    qrels = "2 u 1 a 2\n2 u 1 c 1\n2 u 2 c 2\n2 u 2 a 1\n"
    said = "Pref inconsistency found\n      internal rank 0 and internal rank 1 are conflicted\n"
    assert trec_eval("-R prefs -m prefs qrels run", qrels=qrels) == (134, "", PREFS + said)
    expected = f"{FORM}duplicate docs atrec_eval: Can't calculate measure 'map'\n"
    assert trec_eval("-q -m map qrels run", run=TWICE) == (4, "map                   \t10\t1.0000\n", expected)


# Options, files, and the values of all topics.
HARMLESS = [
    # A topic judged by nobody, after another.
    ("-m num_rel -m map", {"qrels": "10 0 a 1\n2 0 b -1\n"}, {"num_rel": "1", "map": "0.2500"}),
    # A document that comes twice: past the cut, where no measure looks at documents, of a topic that is not judged.
    ("-M2 -m map", {"run": TWICE}, {"map": "0.6250"}),
    ("-m num_q", {"run": TWICE}, {"num_q": "2"}),
    ("-m map", {"run": "7 0 a 1 1 r\n7 0 a 1 1 r\n2 0 a 1 1 r\n"}, {"map": "0.5000"}),
    # An indented comment is none to the kernel, so that such judgments are left to the other reader.
    ("-m num_q", {"qrels": "# x\n#q 0 a 1\n2 0 a 1\n", "run": " #q 0 a 1 1 r\n2 0 a 1 1 r\n"}, {"num_q": "1"}),
    # The name of the run, however much follows.
    ("-m runid", {"run": "2 0 a 1 1 this\n" + "# comment\n" * 20_000 + "\n\n  \n"}, {"runid": "this"}),
]


@for_each(("options", "files", "expected"), HARMLESS)
def test_what_does_no_harm(trec_eval, options, files, expected):
    result = trec_eval(options, "qrels run", **files)
    assert (result.code, result.values) == (0, {(name, "all"): value for name, value in expected.items()})


def test_names_that_are_not_utf8(tmp_path):
    (tmp_path / "qrels").write_bytes(b"\xe9 0 \xff 1\n\xe9 0 \xfe 0\n")
    (tmp_path / "run").write_bytes(b"\xe9 0 \xfe 1 1 \xe8\n\xe9 0 \xff 1 1 \xe8\n")
    command = [sys.executable, "-c", "from assay.cli.main import main; main()", "trec_eval", "-q", "-mrunid", "-mmap"]
    result = subprocess.run([*command, "qrels", "run"], cwd=tmp_path, capture_output=True, check=True)  # noqa: S603 - our own
    name = b"map" + b" " * 19
    assert result.stdout == name + b"\t\xe9\t1.0000\nrunid                 \tall\t\xe8\n" + name + b"\tall\t1.0000\n"


@pytest.mark.skipif(os.name == "nt", reason="- at the beginning of a name means an option there as well")
def test_a_run_whose_name_begins_with_a_dash_is_standard_input(trec_eval):
    run = "2 0 a 1 1 r\n"
    expected = {("num_q", "all"): "1"}
    assert trec_eval("-m num_q qrels -", stdin=run).values == expected
    assert trec_eval("-m num_q -- qrels -x", stdin=run).values == expected
    assert trec_eval("qrels -", stdin="q\n") == (2, "", quit_in("get_results", "Malformed line 1", "-"))


@for_each("score", ["9", "9x"])
def test_surplus_fields_are_ignored_and_counted(trec_eval, score):
    """A score that only trec_eval reads leads past the kernel."""
    lines = f"2 Q0 x 1 {score} name\n2 Q0 c 2 8 name\n10 Q0 a 1 1 name\n"
    surplus = lines.replace("x 1", "x  1").replace(" name", " name more", 2)
    plain, more = (trec_eval("-m all_trec qrels run", run=each) for each in (lines, surplus))
    assert (plain.code, plain.stderr) == (0, "")
    note = "assay: 2 lines of the run have more than 6 fields; what follows the sixth is ignored, as in trec_eval\n"
    assert more == (0, plain.stdout, note)
