"""The command line: options as getopt_long reads them, and what is wrong with them."""

import pytest

from assay.compat.trec_eval.options import USAGE_TEXT, Stop, read_options
from tables import for_each

# Ways to say the same.
SAME = [
    "-m map qrels run",
    "-mmap qrels run",
    "qrels -m map run",
    "qrels run --measure map",
    "--measure=map -- qrels run",
    "--meas map qrels run",
]


def test_options_may_stand_anywhere_and_be_cut_short():
    for arguments in SAME:
        settings = read_options(arguments.split())
        assert (settings.measures, settings.files) == ({"map"}, ["qrels", "run"])
    settings = read_options(["-oJnnnmmap", "qrels", "run", "-qnm", "num_q"])
    assert (settings.measures, settings.judged_only, settings.summary) == ({"map", "num_q"}, True, False)
    assert settings.by_query


SHORT = "-q -n -c -J -l2 -M 100 -N7x -R prefs -T other -Z file -D3.q1 -m P.5 -mP.6 -m ndcg.1=2 -o q r"
LONG = """--query_eval_wanted --nosummary --complete_rel_info_wanted --Judged_docs_only --level_for_rel=2
    --Max_retrieved_per_topic 100 --Number_docs_in_coll 7x --Rel_info_format prefs --Results_format other --Zscore file
    --Debug_level 3.q1 --measure P.5 --measure P.6 --measure=ndcg.1=2 --Output_old_results_format x q r"""


def test_all_options():
    settings = read_options(SHORT.split())
    assert (settings.by_query, settings.summary, settings.complete, settings.judged_only) == (True, False, True, True)
    assert (settings.level, settings.depth, settings.collection) == (2, 100, 7)
    assert (settings.rel_format, settings.results_format, settings.zscores) == ("prefs", "other", "file")
    assert settings.only_query == b"q1"
    assert settings.parameters == {"P": "5", "ndcg": "1=2"}
    assert read_options(LONG.split()) == settings


def test_options_end_at_the_first_file_where_the_system_is_told_so(monkeypatch):
    monkeypatch.setenv("POSIXLY_CORRECT", "1")
    with pytest.raises(Stop) as caught:
        read_options(["qrels", "run", "-q"])
    assert (caught.value.code, caught.value.text) == (1, USAGE_TEXT)


# Arguments, the message, and whether how to use it follows.
WRONG = [
    ("-x q r", "invalid option -- 'x'\n", True),
    ("-qx q r", "invalid option -- 'x'\n", True),
    ("q r -m", "option requires an argument -- 'm'\n", True),
    ("--no --nonsense q r", "unrecognized option '--nonsense'\n", True),
    ("--R x", "option '--R' is ambiguous; possibilities: '--Rel_info_format' '--Results_format'\n", True),
    ("--foo=bar", "unrecognized option '--foo=bar'\n", True),
    ("--help=x", "option '--help' doesn't allow an argument\n", True),
    ("q r --Zsc", "option '--Zscore' requires an argument\n", True),
    ("q", "", True),
    ("q r s", "", True),
    ("", "", True),
    ("-m nonsense.5 -x", "illegal measure 'nonsense'\n", False),
    ("-mP. q r", "improper measure in parameter 'P'\ntrec_eval: illegal measure 'P'\n", False),
]


@for_each(("arguments", "message", "is_usage"), WRONG)
def test_what_is_wrong(trec_eval, arguments, message, is_usage):
    said = f"trec_eval: {message}" if message else ""
    assert trec_eval(arguments) == (1, "", said + (USAGE_TEXT if is_usage else ""))


def test_version_ends_at_once_and_help_tells_of_options_formats_and_measures(trec_eval):
    result = trec_eval("-v --nonsense")
    assert (result.code, result.stdout) == (0, "")
    assert result.stderr.startswith("trec_eval version 10.0")
    assert trec_eval("-x -v").code == 1
    for option in ("-h", "--help"):
        result = trec_eval(option)
        assert (result.code, result.stderr) == (0, "")
        assert "--Max_retrieved_per_topic" in result.stdout
        assert "all_trec" in result.stdout
    about = trec_eval("-h -m all_trec -m map -R prefs")
    assert "topic group subgroup document level" in about.stdout
    assert "\nmap\n  The mean precision at the ranks of the relevant documents" in about.stdout
    assert "\nrelstring\n" in about.stdout
