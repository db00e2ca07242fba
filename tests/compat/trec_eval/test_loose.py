"""Runs that the kernel refuses: the same bytes as from a tidy run whose order was worked out line by line."""

import math

import polars
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.compat.trec_eval import loose, run_trec_eval
from assay.compat.trec_eval.options import Remark, Stop, read_real
from tables import for_each

few = settings(max_examples=max(10, settings.default.max_examples // 2))
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n1 0 é 1\n2 0 a 1\n2 0 b 2\n3 0 d 0\n3 0 a -1\n"
LARGEST = "1.7976931348623157e308"
SCORES = [
    "1",
    "1.0",
    "-0",
    "0",
    "inf",
    "-inf",
    "+Infinity",
    "nan",
    "-nan",
    "1e400",
    "2x",
    "x",
    "0x1p-1",
    "1_0",
    "1e",
    ".",
]
SCORES += [LARGEST, f"-{LARGEST}", "3,5", ".5.", "1E1"]
BLANKS = st.sampled_from([" ", "\t", "  ", " \t ", "\v", "\f "])
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
        fields = [
            topic,
            "Q0",
            document,
            "1",
            draw(st.sampled_from(SCORES)),
            "tag",
            *draw(st.sampled_from([[], ["more"]])),
        ]
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


@pytest.mark.parametrize("size", [1, 7, 20, 64, 1 << 20])
def test_blocks_do_not_matter(folder, monkeypatch, size):
    text = "# x\n\n1 Q0 a 1 inf tag\n1 Q0 b 2 3 tag\n2 Q0 b 1 2 tag\n \n2\tQ0  a 2 1 last one\n# end"
    expected = printed(folder, text, "-q", "-m", "all_trec")
    monkeypatch.setattr(loose, "BLOCK", size)
    assert printed(folder, text, "-q", "-m", "all_trec") == expected
    assert "runid                 \tall\tlast\n" in expected
    with pytest.raises(Stop) as caught:
        printed(folder, text.replace("2 Q0 b 1 2 tag", "2 Q0 b 1 2"))
    assert "Malformed line 3\n" in caught.value.text


REPEATED = "1 Q0 a 1 9 t\n1 Q0 b 1 8 t\n1 Q0 c 1 7 t\n1 Q0 c 1 6 t\n1 Q0 b 1 5 t\n2 Q0 a 1 1 t\n"


@for_each(("depth", "document"), [("-M9", "b"), ("-M5", "b"), ("-M4", "c")])
def test_the_lowest_document_that_comes_twice_is_named(folder, depth, document):
    with pytest.raises(Stop) as caught:
        printed(folder, REPEATED, "-q", depth)
    assert f"duplicate docs {document}trec_eval: Can't" in caught.value.text


def test_what_comes_again_below_the_depth_does_not_count(folder):
    once = "".join(REPEATED.splitlines(keepends=True)[i] for i in (0, 1, 2, 5))
    assert printed(folder, REPEATED, "-q", "-M3") == printed(folder, once, "-q", "-M3")
    empty = printed(folder, REPEATED, "-q", "-M0", "-m", "num_ret", "-m", "num_q")
    assert empty == printed(folder, once, "-q", "-M0", "-m", "num_ret", "-m", "num_q")
    assert "num_ret               \t2\t0\n" in empty


@for_each("text", [*SCORES, "1e5", "+1.5", "infx", "NAN", "nanx", "1.", "-.5e-3", "1e-400", "5e-324", "0x", "١"])
def test_scores_are_read_as_the_c_library_reads_them(text):
    value = read_real(text.encode())
    found = loose.parse_scores(polars.Series([text.encode().decode("latin-1")]))[0]
    assert found == (-math.inf if math.isnan(value) else value)


def test_a_run_of_other_topics_only(folder):
    with pytest.raises(Stop) as caught:
        printed(folder, "9 Q0 a 1 inf t\n")
    assert "No queries with both results and relevance info" in caught.value.text
