"""What is written comes back the same; what a format cannot hold is refused and named."""

import io
import lzma
from contextlib import nullcontext

import polars
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay import Qrels, Run
from assay.data.formats import FORMATS
from assay.data.frames.columns import shortest_text
from assay.data.write import LOSSES as KNOWN_LOSSES
from assay.errors import LossError
from tables import for_each

SUFFIXES = ("", ".gz", ".bz2", ".xz", ".zst")
TEXTS = ("trec", "json", "jsonl", "csv", "tsv")
FILES = [f"data.{name}{suffix}" for name in TEXTS for suffix in SUFFIXES] + ["data.parquet"]
BEIR = [f"beir.tsv{suffix}" for suffix in SUFFIXES]

# What every format can hold: any text without blanks that is no comment and begins with no mark of the byte order.
letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0 \t\r\n\x0b\x0c")
words = st.text(letters, min_size=1, max_size=6)
ids = words.filter(lambda name: name[0] not in "#\ufeff")
wild_ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5).map(float)
grades = st.floats(-1e100, 1e100) | st.integers(-5, 5).map(float)
judgments = st.dictionaries(ids, st.dictionaries(ids, grades, min_size=1, max_size=6), min_size=1, max_size=4)
rankings = st.dictionaries(ids, numbers, min_size=1, max_size=6)
runs = st.dictionaries(ids, rankings, min_size=1, max_size=4)
fixtures = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12, deadline=None)


def pairs(run):
    """Each query's documents with their scores, from high to low and as given where they tie, as TREC writes them."""
    return {query: sorted(run[query], key=lambda pair: -pair[1]) for query in run}


def as_given(run):
    return {query: run[query] for query in run}


@for_each("name", FILES)
def test_the_same_data_gives_the_same_bytes(name, tmp_path):
    first, second = tmp_path / name, tmp_path / f"again-{name}"
    for path in (first, second):
        Run({"q": {"d1": 2.0, "d2": 1.0}}).write(path)
    content = first.read_bytes()
    assert content == second.read_bytes()
    if name.endswith(".gz"):
        # No name, and no time: files that are written within a second have the same.
        assert content[3:8] == bytes(5)


@pytest.mark.parametrize("name", FILES)
@fixtures
@given(data=runs)
def test_a_run_comes_back(name, data, tmp_path):
    run = Run(data)
    run.write(tmp_path / name)
    back = assay.read_run(tmp_path / name)
    assert back.queries == list(data)
    assert pairs(back) == pairs(run)
    if "trec" not in name:
        assert as_given(back) == as_given(run)


@pytest.mark.parametrize("name", FILES + BEIR)
@fixtures
@given(data=judgments)
def test_judgments_come_back(name, data, tmp_path):
    Qrels(data).write(tmp_path / name)
    back = assay.read_qrels(tmp_path / name)
    assert back.queries == list(data)
    assert back.to_dict() == data
    assert list(map(list, back.to_dict().values())) == list(map(list, data.values()))


groups = st.lists(st.lists(ids, min_size=1, max_size=3, unique=True), min_size=2, max_size=3)


@pytest.mark.parametrize("name", FILES)
@fixtures
@given(data=st.dictionaries(ids, groups, min_size=1, max_size=3))
def test_groups_come_back(name, data, tmp_path):
    check_groups(Qrels(data), tmp_path / name)


def check_groups(qrels, path):
    qrels.write(path, format="tsv" if ".tsv" in path.name else None)
    back = assay.read_qrels(path)
    assert {query: back.groups(query) for query in back} == {query: qrels.groups(query) for query in qrels}
    assert back.to_dict() == qrels.to_dict()


rows = st.tuples(ids, ids, grades, ids)
graded = st.lists(rows, min_size=2, max_size=8, unique_by=lambda row: (row[0], row[1], row[3]))


@pytest.mark.parametrize("name", [name for name in FILES if "json" not in name or "jsonl" in name])
@fixtures
@given(rows=graded.filter(lambda rows: len({row[3] for row in rows}) > 1))
def test_named_groups_with_grades_come_back(name, rows, tmp_path):
    frame = polars.DataFrame(rows, schema=["query_id", "doc_id", "relevance", "group"], orient="row")
    check_groups(Qrels(frame), tmp_path / name)


@pytest.mark.parametrize("suffix", SUFFIXES)
@fixtures
@given(data=st.dictionaries(wild_ids, st.lists(wild_ids, unique=True, max_size=5) | rankings, min_size=1, max_size=4))
def test_json_keeps_orders_scores_and_empty_queries(suffix, data, tmp_path):
    Run(data).write(tmp_path / f"run.json{suffix}")
    assert assay.read_run(tmp_path / f"run.json{suffix}").to_dict() == data


@pytest.mark.parametrize("name", ["run.json", "run.jsonl", "run.parquet", "run.csv", "run.tsv"])
@fixtures
@given(data=st.dictionaries(wild_ids, st.dictionaries(wild_ids, numbers, min_size=1), min_size=1, max_size=4))
def test_other_formats_hold_any_id(name, data, tmp_path):
    """Blanks, quotes, line ends and control characters; only a NUL is too much for text with separators."""
    run = Run(data)
    has_nul = "\0" in "".join(["".join([query, *ranking]) for query, ranking in data.items()])
    refused = pytest.raises(LossError, match="NUL characters in ids")
    with refused if has_nul and name.endswith("sv") else nullcontext():
        run.write(tmp_path / name)
        assert assay.read_run(tmp_path / name).to_dict() == data


@fixtures
@given(tag=words)
def test_trec_keeps_the_tag(tag, tmp_path):
    Run({"q1": {"d1": 1.0}}, tag=tag).write(tmp_path / "run.trec")
    assert assay.read_run(tmp_path / "run.trec").tag == tag


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input"])
@fixtures
@given(data=st.dictionaries(ids, st.dictionaries(ids, st.integers(0, 2), min_size=1), min_size=1), draw=st.data())
def test_trec_keeps_the_ranking_where_scores_tie(ties, data, draw, tmp_path):
    qrels = {query: {document: draw.draw(st.integers(0, 2)) for document in ranking} for query, ranking in data.items()}
    run = Run(data)
    run.write(tmp_path / "run.trec")
    measures = ["ap", "ndcg", "rr", "precision@1", "rbp"]
    before = assay.evaluate(qrels, run, measures, ties=ties).per_query()
    assert assay.evaluate(qrels, tmp_path / "run.trec", measures, ties=ties).per_query() == before
    assert assay.evaluate(qrels, tmp_path / "run.trec", measures, order="given", ties=ties).per_query() == (
        assay.evaluate(qrels, run, measures, ties="input").per_query()
    )


QUOTED = Run({"q1": {"a": 3, 'b"': 0.1}})
SCATTERED = Run(io.StringIO("q1 Q0 a 1 1 t\nq2 Q0 b 1 2 t\nq1 Q0 c 1 3 t\n"))
WRITTEN = [
    (
        Run({"q2": {"b": 1, "a": 2.5, "c": 1}, "q1": {"x": 1e-7, "y": 123456789012.0}}, tag="mine"),
        "run.trec",
        "q2 Q0 a 1 2.5 mine\nq2 Q0 b 2 1 mine\nq2 Q0 c 3 1 mine\nq1 Q0 y 1 123456789012 mine\nq1 Q0 x 2 1e-7 mine\n",
    ),
    (SCATTERED, "run.trec", "q1 Q0 c 1 3 t\nq1 Q0 a 2 1 t\nq2 Q0 b 1 2 t\n"),
    (Qrels({"q1": {"a": 3, "b": 0.5}, "q2": {"c": -1}}), "qrels.txt", "q1 0 a 3\nq1 0 b 0.5\nq2 0 c -1\n"),
    (Qrels({"q1": [["a", "b"], ["a"]]}), "qrels.txt", "q1 0 a 1\nq1 0 b 1\nq1 1 a 1\n"),
    (Qrels({"q1": {"a": 3, "b c": 0}}), "qrels.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t3\nq1\tb c\t0\n"),
    (QUOTED, "run.tsv", 'query_id\tdoc_id\tscore\nq1\ta\t3.0\nq1\t"b"""\t0.1\n'),
    (QUOTED, "run.csv", 'query_id,doc_id,score\nq1,a,3.0\nq1,"b""",0.1\n'),
    (Qrels({"q1": [["a"], ["b"]]}), "q.csv", "query_id,doc_id,relevance,group\nq1,a,1.0,0\nq1,b,1.0,1\n"),
    (Run({"é": {"a": 3}, "q2": ["x"], "q3": {}}), "run.json", '{"é": {"a": 3.0}, "q2": ["x"], "q3": {}}\n'),
    (Qrels({"q1": [["a"], ["b", "c"]]}), "q.json", '{"q1": [["a"], ["b", "c"]]}\n'),
    (Run({"q1": {"é": 3}}), "run.jsonl", '{"query_id":"q1","doc_id":"é","score":3.0}\n'),
]


@for_each(("data", "name", "text"), WRITTEN)
def test_what_is_written(data, name, text, tmp_path):
    data.write(tmp_path / name)
    assert (tmp_path / name).read_bytes().decode() == text


def test_repeated_documents_of_a_run_become_pairs_in_json(tmp_path):
    repeated = Run({"q1": [("a", 2.0), ("a", 1.0)], "q2": {"b": 1.0}})
    assert repeated.to_dict() == {"q1": [("a", 2.0), ("a", 1.0)], "q2": {"b": 1.0}}
    for name in FILES:
        repeated.write(tmp_path / name)
        assert as_given(assay.read_run(tmp_path / name)) == as_given(repeated)


@for_each(("ending", "kind"), [("gz", "gzip"), ("GZ", "gzip"), ("bz2", "bz2"), ("zst", "zstd")])
def test_what_is_compressed_can_be_read_by_others(ending, kind, tmp_path):
    Run({"q1": {"a": 1}}).write(tmp_path / f"run.{ending}")
    with pyarrow.input_stream(str(tmp_path / f"run.{ending}"), compression=kind) as file:
        assert file.read() == b"q1 Q0 a 1 1 assay\n"
    Run({"q1": {"a": 1}}).write(tmp_path / "run.xz")
    assert lzma.decompress((tmp_path / "run.xz").read_bytes()) == b"q1 Q0 a 1 1 assay\n"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_the_text_of_a_number_reads_back_the_same_and_is_short(values):
    text = shortest_text(polars.Series("x", values, dtype=polars.Float64)).to_list()
    assert [float(each) for each in text] == values
    values = polars.Series("x", [1.0, 0.0, -3.0, 0.1, 1 / 3, 2.0**53 - 1])
    assert shortest_text(values).to_list() == ["1", "0", "-3", "0.1", "0.3333333333333333", "9007199254740991"]


ORDER = Run({"q1": ["a", "b", "c"], "q2": {"x": 7.0, "y": 8.0}})
EMPTY = Run({"q1": {}, "q2": {"a": 1.0}})
TAGGED = Run({"q1": {"a": 1.0}}, tag="bm25")
BLANK = Run({"q1": {"a b": 1.0, "c\td": 2.0}})
COMMENT = Run({"#1": {"a": 1.0}})
GROUPS = Qrels({"q1": [["a", "b"], ["c"]]})
GRADED_GROUPS = Qrels(polars.DataFrame({"qid": ["q1", "q1"], "doc": ["a", "b"], "rel": [1, 2], "group": ["0", "1"]}))
NAMED_GROUPS = Qrels(polars.DataFrame({"qid": ["q1", "q1"], "doc": ["a", "b"], "rel": [1, 1], "group": ["x", "y"]}))
REPEATED = Qrels(polars.DataFrame({"qid": ["q1", "q1"], "doc": ["a", "a"], "rel": [1, 2]}), duplicates="first")
BLANK_GROUPS = Qrels(GRADED_GROUPS.to_polars().with_columns(group=polars.lit("a b") + polars.col("doc_id")))

LOSSES = [
    *((TAGGED, f"run.{kind}", "the run's tag", {"q1": {"a": 1.0}}) for kind in ("json", "jsonl", "csv")),
    (Run({"q1": {"a": 1.0}}, tag="my run"), "run.trec", "spaces in the run's tag", {"q1": {"a": 1.0}}),
    *((EMPTY, f"run.{kind}", "queries without documents", {"q2": {"a": 1.0}}) for kind in ("trec", "jsonl", "tsv")),
    (BLANK, "run.trec", "spaces in ids", {"q1": {"c_d": 2.0, "a_b": 1.0}}),
    (COMMENT, "run.trec", "query ids that start with #", {"_1": {"a": 1.0}}),
    (Run({"\ufeffq": {"a": 1.0}}), "run.trec", "query ids that start with #", {"_q": {"a": 1.0}}),
    *((Run({"\0": {"a": 1.0}}), f"run.{kind}", "NUL characters in ids", {"_": {"a": 1.0}}) for kind in ("trec", "csv")),
    (GROUPS, "qrels.tsv", "groups of judgments", {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}}),
    (GRADED_GROUPS, "qrels.json", "groups together with grades", {"q1": {"a": 1.0, "b": 2.0}}),
    (NAMED_GROUPS, "qrels.json", "the names of groups", {"q1": [["a"], ["b"]]}),
    (REPEATED, "qrels.json", "duplicate documents", {"q1": {"a": 1.0}}),
    (Qrels({"q1": {}, "q2": {"a": 1}}), "qrels.trec", "queries without documents", {"q2": {"a": 1.0}}),
    (Qrels({"q1": {"a b": 1}}), "qrels.trec", "spaces in ids", {"q1": {"a_b": 1.0}}),
    (BLANK_GROUPS, "qrels.trec", "spaces in ids", {"q1": {"a": 1.0, "b": 2.0}}),
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


def test_several_losses_are_named_together_and_nothing_is_lost_that_can_be_held(tmp_path):
    with pytest.raises(LossError, match="the run's tag and queries without documents"):
        Run({"q1": ["a"], "q2": []}, tag="x").write(tmp_path / "run.csv")
    TAGGED.write(tmp_path / "run.trec")
    ORDER.write(tmp_path / "run.json")
    EMPTY.write(tmp_path / "run.json")
    BLANK.write(tmp_path / "run.csv")
    COMMENT.write(tmp_path / "run.tsv")
    Run({"q1": {"#d": 1.0, "a\u00a0b": 2.0}}).write(tmp_path / "run.trec")
    GRADED_GROUPS.write(tmp_path / "qrels.trec")
    GROUPS.write(tmp_path / "qrels.json")
    assert assay.read_run(tmp_path / "run.trec")["q1"] == [("a\u00a0b", 2.0), ("#d", 1.0)]
    # The tag that assay itself writes is no loss.
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
