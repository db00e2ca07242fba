"""Runs that the kernel refuses give the same bytes as a tidy run, and that gives pytrec_eval's numbers."""

import math

import pytest
import pytrec_eval
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.compat.trec_eval import run_trec_eval
from assay.compat.trec_eval.options import Remark, Stop, read_real
from strategies import collections, judgments, rankings
from tables import for_each

few = settings(max_examples=max(10, settings.default.max_examples // 2))
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n1 0 é 1\n2 0 a 1\n2 0 b 2\n3 0 d 0\n3 0 a -1\n"
LARGEST = "1.7976931348623157e308"
SCORES = "1 1.0 -0 0 inf -inf +Infinity nan -nan 1e400 2x x 0x1p-1 1_0 1e . 3,5 .5. 1E1"
BLANKS = st.sampled_from([" ", "\t", "  ", " \t ", "\v", "\f "])
SCORE = st.sampled_from([*SCORES.split(), LARGEST, f"-{LARGEST}"])
MORE = st.sampled_from([[], ["more"]])
ENDS = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n # a comment\n", "\n#1 0 a 1 1 t\n"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("loose")
    (path / "qrels").write_text(QRELS)
    return path


@st.composite
def untidy(draw):
    """Lines of a run with any blanks between and around their fields, no document twice, and something to refuse."""
    ranked = draw(st.lists(st.tuples(st.sampled_from("1234"), st.sampled_from("abcdefé")), unique=True, min_size=1))
    text = ""
    for topic, document in ranked:
        fields = [topic, "Q0", document, "1", draw(SCORE), "tag", *draw(MORE)]
        text += draw(st.sampled_from(["", " ", "\t"])) + draw(BLANKS).join(fields) + draw(ENDS)
    return text + "1 Q0 z 1 2x tag"


def tidied(text, *, ascending=False):
    """The same run with a plain score for each document, by its place."""
    rankings = {}
    for line in text.split("\n"):
        fields = line.encode().split()
        if fields and not fields[0].startswith(b"#"):
            score = read_real(fields[4])
            rankings.setdefault(fields[0], []).append((-math.inf if math.isnan(score) else score, fields[2]))
    result = []
    for topic, ranking in rankings.items():
        by_name = sorted(ranking, key=lambda each: each[1], reverse=not ascending)
        by_score = sorted(by_name, key=lambda each: -each[0])
        result += [
            f"{topic.decode()} Q0 {each.decode()} 1 {99 - place} tag\n" for place, (_, each) in enumerate(by_score)
        ]
    return "".join(result)


def printed(folder, text, *options):
    (folder / "run").write_bytes(text.encode())
    texts = run_trec_eval([*options, str(folder / "qrels"), str(folder / "run")])
    return "".join(text for text in texts if not isinstance(text, Remark))


@few
@given(text=untidy(), options=st.lists(st.sampled_from(["-c", "-J", "-M2", "-M0", "-l2"]), unique=True))
@example(f"1 Q0 a 1 inf tag\n1 Q0 b 1 {LARGEST} tag\n1 Q0 c 1 -inf tag\n1 Q0 d 1 -{LARGEST} tag\n", [])
@example("1 Q0 a 1 nan tag\n1 Q0 b 1 -inf tag\n1 Q0 c 1 nan tag\n", ["-M2"])
@example("1 Q0 a 1 -inf tag\n2 Q0 b 1 inf tag\n", ["-J"])
@example("1 Q0 a 1 -0 tag\n1 Q0 b 1 0 tag\n1 Q0 c 1 0x0 tag\n", [])
def test_the_same_as_from_a_tidy_run(folder, text, options):
    arguments = ["-q", "-m", "all_trec", "-m", "relstring", *options]
    assert printed(folder, text, *arguments) == printed(folder, tidied(text), *arguments)


@few
@given(text=untidy())
def test_preferences_have_ties_the_other_way_round(folder, text):
    arguments = ["-q", "-R", "qrels_prefs", "-m", "all_prefs"]
    assert printed(folder, text, *arguments) == printed(folder, tidied(text, ascending=True), *arguments)


def test_lines_are_counted_and_the_last_one_names_the_run(folder):
    text = "# x\n\n1 Q0 a 1 inf tag\n1 Q0 b 2 3 tag\n2 Q0 b 1 2 tag\n \n2\tQ0  a 2 1 last one\n# end"
    assert "runid                 \tall\tlast\n" in printed(folder, text, "-q", "-m", "all_trec")
    with pytest.raises(Stop, match="Malformed line 3\n"):
        printed(folder, text.replace("2 Q0 b 1 2 tag", "2 Q0 b 1 2"))


REPEATED = "1 Q0 a 1 9 t\n1 Q0 b 1 8 t\n1 Q0 c 1 7 t\n1 Q0 c 1 6 t\n1 Q0 b 1 5 t\n2 Q0 a 1 1 t\n"


@for_each(("depth", "document"), [("-M9", "b"), ("-M5", "b"), ("-M4", "c")])
def test_the_lowest_document_that_comes_twice_is_named(folder, depth, document):
    with pytest.raises(Stop) as caught:
        printed(folder, REPEATED, "-q", depth)
    assert f"duplicate docs {document}trec_eval: Can't" in caught.value.text


def test_what_comes_again_below_the_depth_does_not_count(folder):
    once = "".join(REPEATED.splitlines(keepends=True)[i] for i in (0, 1, 2, 5))
    assert printed(folder, REPEATED, "-q", "-M3") == printed(folder, once, "-q", "-M3")
    counts = ("-q", "-M0", "-m", "num_ret", "-m", "num_q")
    empty = printed(folder, REPEATED, *counts)
    assert empty == printed(folder, once, *counts)
    assert "num_ret               \t2\t0\n" in empty


# What C's atof reads.
READ = {"1.5": 1.5, "+1.5": 1.5, "1E1": 10, "1e": 1, "1_0": 1, "3,5": 3, ".5.": 0.5, "1.": 1, "-.5e-3": -0.0005, "x": 0}
READ |= {"1e400": math.inf, "-1e400": -math.inf, "1e-400": 0, "5e-324": 5e-324, "0x1p-1": 0.5, "0x": 0, ".": 0, "١": 0}
READ |= {"-inf": -math.inf, "infx": math.inf, "+Infinity": math.inf, "NAN": math.nan, "nanx": math.nan}


@for_each(("text", "value"), READ.items())
def test_scores_are_read_as_the_c_library_reads_them(text, value):
    assert read_real(text.encode()) == pytest.approx(value, abs=0, rel=0, nan_ok=True)


def test_a_run_of_other_topics_only(folder):
    with pytest.raises(Stop) as caught:
        printed(folder, "9 Q0 a 1 inf t\n")
    assert "No queries with both results and relevance info" in caught.value.text


# Rounded otherwise in version 9, or not a number there.
OTHERWISE = {"runid", "relstring", "iprec_at_recall", "11pt_avg"}
GRADES = judgments(st.sampled_from([-1, 0, 1, 1, 2, 3]), min_size=1)


@settings(max_examples=max(1, settings.default.max_examples // 8))
@given(case=collections(GRADES, rankings(min_size=1)), level=st.sampled_from([1, 2]))
def test_a_tidy_run_has_the_values_of_pytrec_eval(folder, case, level):
    # Of each topic one grade is not negative.
    judged = {topic: {**grades, "never": 0} for topic, grades in case.qrels.items()}
    files = {"judged": (judged, "{} 0 {} {}\n"), "run": (case.run, "{} 0 {} 1 {} tag\n")}
    for name, (data, line) in files.items():
        rows = [(topic, *row) for topic, documents in data.items() for row in documents.items()]
        (folder / name).write_text("".join(line.format(*row) for row in rows))
    oracle = pytrec_eval.RelevanceEvaluator(judged, pytrec_eval.supported_measures - OTHERWISE, relevance_level=level)
    expected = oracle.evaluate({topic: ranking for topic, ranking in case.run.items() if topic in judged})
    found = {}
    words = ["-q", "-n", "-m", "all_trec", f"-l{level}", *(str(folder / name) for name in files)]
    for line in "".join(run_trec_eval(words)).splitlines():
        name, topic, value = line.split("\t")
        found.setdefault(topic, {})[name.strip()] = value
    assert found.keys() == expected.keys()
    for topic, values in expected.items():
        for name, value in values.items():
            if name in found[topic]:
                assert float(found[topic][name]) == pytest.approx(value, abs=6e-5), (topic, name)
