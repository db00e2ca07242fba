"""What a format cannot hold is refused and named."""

import polars
import pytest

import assay
from assay import Qrels, Run
from assay.data.formats import FORMATS
from assay.data.write import LOSSES as KNOWN_LOSSES
from assay.errors import LossError
from tables import for_each

# What cannot be held.

ORDER = Run({"q1": ["a", "b", "c"], "q2": {"x": 7.0, "y": 8.0}})
EMPTY = Run({"q1": {}, "q2": {"a": 1.0}})
TAGGED = Run({"q1": {"a": 1.0}}, tag="bm25")
BLANK = Run({"q1": {"a b": 1.0, "c\td": 2.0}})
COMMENT = Run({"#1": {"a": 1.0}})
GROUPS = Qrels({"q1": [["a", "b"], ["c"]]})
GRADED_GROUPS = Qrels(polars.DataFrame({"qid": ["q1", "q1"], "doc": ["a", "b"], "rel": [1, 2], "group": ["0", "1"]}))
NAMED_GROUPS = Qrels(polars.DataFrame({"qid": ["q1", "q1"], "doc": ["a", "b"], "rel": [1, 1], "group": ["x", "y"]}))
REPEATED = Qrels(polars.DataFrame({"qid": ["q1", "q1"], "doc": ["a", "a"], "rel": [1, 2]}), duplicates="first")

LOSSES = [
    (TAGGED, "run.json", "the run's tag", {"q1": {"a": 1.0}}),
    (TAGGED, "run.jsonl", "the run's tag", {"q1": {"a": 1.0}}),
    (TAGGED, "run.csv", "the run's tag", {"q1": {"a": 1.0}}),
    (Run({"q1": {"a": 1.0}}, tag="my run"), "run.trec", "spaces in the run's tag", {"q1": {"a": 1.0}}),
    (EMPTY, "run.trec", "queries without documents", {"q2": {"a": 1.0}}),
    (EMPTY, "run.jsonl", "queries without documents", {"q2": {"a": 1.0}}),
    (EMPTY, "run.tsv", "queries without documents", {"q2": {"a": 1.0}}),
    (BLANK, "run.trec", "spaces in ids", {"q1": {"c_d": 2.0, "a_b": 1.0}}),
    (COMMENT, "run.trec", "query ids that start with #", {"_1": {"a": 1.0}}),
    (Run({"\ufeffq": {"a": 1.0}}), "run.trec", "query ids that start with #", {"_q": {"a": 1.0}}),
    (Run({"q\0": {"a": 1.0}}), "run.trec", "NUL characters in ids", {"q_": {"a": 1.0}}),
    (Run({"q\0": {"a": 1.0}}), "run.csv", "NUL characters in ids", {"q_": {"a": 1.0}}),
    (GROUPS, "qrels.tsv", "groups of judgments", {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}}),
    (GRADED_GROUPS, "qrels.json", "groups together with grades", {"q1": {"a": 1.0, "b": 2.0}}),
    (NAMED_GROUPS, "qrels.json", "the names of groups", {"q1": [["a"], ["b"]]}),
    (REPEATED, "qrels.json", "duplicate documents", {"q1": {"a": 1.0}}),
    (Qrels({"q1": {}, "q2": {"a": 1}}), "qrels.trec", "queries without documents", {"q2": {"a": 1.0}}),
    (Qrels({"q1": {"a b": 1}}), "qrels.trec", "spaces in ids", {"q1": {"a_b": 1.0}}),
    (
        Qrels(GRADED_GROUPS.to_polars().with_columns(group=polars.lit("a b") + polars.col("doc_id"))),
        "qrels.trec",
        "spaces in ids",
        {"q1": {"a": 1.0, "b": 2.0}},
    ),
]


@for_each(("data", "name", "loss", "left"), LOSSES)
def test_what_a_format_cannot_hold_is_refused_and_named(data, name, loss, left, tmp_path):
    with pytest.raises(LossError, match=loss) as refusal:
        data.write(tmp_path / name)
    assert "lossy" in str(refusal.value)
    assert list(tmp_path.iterdir()) == []
    data.write(tmp_path / name, lossy=True)
    read = assay.read_qrels if data.is_judgments else assay.read_run
    back = read(tmp_path / name).to_dict()
    assert back == left
    assert [list(each) for each in back.values()] == [list(each) for each in left.values()]


def test_several_losses_are_named_together(tmp_path):
    with pytest.raises(LossError, match="the run's tag and queries without documents"):
        Run({"q1": ["a"], "q2": []}, tag="x").write(tmp_path / "run.csv")


def test_nothing_is_lost_where_it_can_be_held(tmp_path):
    TAGGED.write(tmp_path / "run.trec")
    ORDER.write(tmp_path / "run.json")
    EMPTY.write(tmp_path / "run.json")
    BLANK.write(tmp_path / "run.csv")
    COMMENT.write(tmp_path / "run.tsv")
    Run({"q1": {"#d": 1.0, "a\u00a0b": 2.0}}).write(tmp_path / "run.trec")
    GRADED_GROUPS.write(tmp_path / "qrels.trec")
    GROUPS.write(tmp_path / "qrels.json")
    assert assay.read_run(tmp_path / "run.trec")["q1"] == [("a\u00a0b", 2.0), ("#d", 1.0)]


def test_the_tag_that_assay_itself_writes_is_no_loss(tmp_path):
    Run({"q1": {"a": 1}}).write(tmp_path / "run.trec")
    assay.read_run(tmp_path / "run.trec").write(tmp_path / "run.csv")
    assert assay.read_run(tmp_path / "run.csv").to_dict() == {"q1": {"a": 1.0}}


@for_each("data", [{"q 1": {"a": 1}, "q_1": {"b": 1}}, {"q": {"a b": 1, "a_b": 2}}])
def test_ids_that_would_become_one_are_refused_even_so(data, tmp_path):
    with pytest.raises(LossError, match="rename them"):
        Run(data).write(tmp_path / "run.trec", lossy=True)
    assert list(tmp_path.iterdir()) == []


def test_every_loss_of_the_table_of_formats_is_known():
    assert {loss for each in FORMATS for loss in each.cannot_hold} == set(KNOWN_LOSSES)
