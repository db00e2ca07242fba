"""`assay.votes`: grades by every method, by hand; forms of data; what counts for nothing; bad input."""

import math

import numpy as np
import pandas
import polars
import pytest

import assay
from tables import for_each

FIELDS = ("query", "document", "voter", "vote")


def cast(*cast_votes, **columns):
    """Votes of different voters on one pair."""
    return [
        {"query": "q", "document": "d", "voter": f"v{n}", "vote": vote, **{k: v[n] for k, v in columns.items()}}
        for n, vote in enumerate(cast_votes)
    ]


def grade(rows, **options):
    return assay.votes(rows, **options).qrels["q"]["d"]


# Method, votes, options, grade.
GRADES = [
    ("majority", ["up", "up", "down"], {}, 1),
    ("majority", ["up", "down"], {}, 0),
    ("majority", [0.5], {}, 0.5),
    ("mean", ["up", "up", "down"], {}, 2 / 3),
    ("mean", [1, -1, 1, 1], {}, 3 / 4),
    ("median", ["up", "down"], {}, 0.5),
    ("beta", ["up"], {}, 2 / 3),
    ("beta", ["up", "up", "down"], {}, 3 / 5),
    ("beta", ["up", "up", "down"], {"prior": (2, 3)}, 4 / 8),
    ("beta", [3, 2, 0], {"threshold": 2}, 3 / 5),
    ("wilson", ["up"], {}, 1 / (1 + 1.959963984540054**2)),
]


@for_each("method, cast_votes, options, expected", GRADES)
def test_grades(method, cast_votes, options, expected):
    assert grade(cast(*cast_votes), method=method, **options) == pytest.approx(expected, abs=1e-12)


UPS = ["up", "UP", " yes ", "y", "true", True, "1", 1, "+1", 1.0, "Thumbs-Up", "thumbs_up", "relevant", "\U0001f44d"]
DOWNS = ["down", "No", "n", "false", False, "0", 0, "thumbs down", "not relevant", "irrelevant", "\U0001f44e"]
NOTHING = [None, "", "  ", "?", "cannot tell", "Cannot-Tell", "can't tell", "skip", "n/a", "unsure", math.nan]
PICTURES = ["\U0001f44d\U0001f3fd", "\U0001f44d\ufe0f", "\U0001f44e\U0001f3ff", "Can\u2019t tell"]


def test_words_for_up_and_down():
    for word in UPS + DOWNS:
        assert grade(cast(word, word, "?")) == (word in UPS), word
    assert grade(cast(*PICTURES), method="mean") == 2 / 3


@for_each("word", NOTHING)
def test_a_vote_that_says_nothing_counts_for_nothing(word):
    found = assay.votes(cast("up", "up", word), min_votes=2)
    assert found.pairs[0].votes == 2
    assert [str(note) for note in found.notes] == ["1 vote says nothing (cannot tell); not counted"]
    with pytest.raises(assay.errors.DataError, match="no judgment: 1 vote says nothing"):
        assay.votes(cast(word))


def test_signs_are_thumbs_and_zero_must_be_said():
    assert grade(cast(1, -1, -1), method="mean") == pytest.approx(1 / 3)
    assert "votes are thumbs: 1 is up, -1 is down" in map(str, assay.votes(cast(1, -1)).notes)
    with pytest.raises(assay.errors.DataError, match='scale="thumbs" it says nothing, with scale="grades" all three'):
        assay.votes(cast(1, 0, -1))
    assert grade(cast(1, 0, -1, 1), method="mean", scale="thumbs") == pytest.approx(2 / 3)
    assert grade(cast(1, 0, -1, 1), method="mean", scale="grades") == pytest.approx(1 / 4)


def test_a_voter_counts_once_and_the_last_vote_counts():
    by_order = [dict(zip(FIELDS, ("q", "d", "ann", vote), strict=True)) for vote in ("up", "up", "down")]
    found = assay.votes(by_order)
    assert (found.qrels["q"]["d"], found.pairs[0].votes) == (0, 1)
    assert "2 votes were replaced by a later vote of the same voter on the same document" in map(str, found.notes)
    times = ["2024-05-03T10:00:00", "2024-05-02", None]
    by_time = [{**row, "time": time} for row, time in zip(by_order, times, strict=True)]
    assert grade(by_time) == 1
    by_number = [{**row, "timestamp": time} for row, time in zip(by_order, (30, 4.5, "7"), strict=True)]
    assert grade(by_number) == 1
    assert grade([{**row, "time": 5} for row in by_order]) == 0
    # To take a vote back is to say nothing.
    with pytest.raises(assay.errors.DataError, match="no judgment"):
        assay.votes([*by_order, {**by_order[0], "vote": "?"}])


def test_votes_without_a_voter_are_different_people_and_few_votes_and_ties_are_told():
    rows = [{"query": "q", "document": "d", "vote": vote} for vote in ("up", "up", "down")]
    found = assay.votes(rows, method="mean")
    assert found.pairs[0].votes == 3
    assert found.voters == []
    assert [str(note) for note in found.notes] == ["3 votes have no voter; each counts as one person's"]
    with pytest.raises(assay.errors.DataError, match="the votes name fewer than two; add a column voter"):
        assay.votes(rows, method="dawid_skene")
    rows = [*cast("up", "up", "down"), {"query": "q", "document": "e", "voter": "v0", "vote": "up"}]
    found = assay.votes(rows, min_votes=2)
    assert found.qrels.to_dict() == {"q": {"d": 1}}
    assert [str(note) for note in found.notes] == ["1 pair has fewer than 2 votes; left unjudged"]
    assert "1 pair is tied between grades; the lower grade counts" in map(str, assay.votes(cast("up", "down")).notes)


ROWS = [row.split() for row in ("q1 d1 ann 2", "q1 d1 bob 3", "q1 d2 ann ?", "q2 d1 bob 0", "q2 7 ann 1")]
EXPECTED = {"q1": {"d1": 2.5}, "q2": {"d1": 0.0, "7": 1.0}}
FRAME = polars.DataFrame(ROWS, schema=FIELDS, orient="row")
WRITERS = {
    "csv": FRAME.write_csv,
    "tsv": lambda path: FRAME.write_csv(path, separator="\t"),
    "jsonl": FRAME.write_ndjson,
    "json": FRAME.write_json,
    "parquet": FRAME.write_parquet,
}


@for_each("form", WRITERS)
def test_files(tmp_path, form):
    path = tmp_path / f"votes.{form}"
    WRITERS[form](path)
    assert assay.votes(path, method="mean").qrels.to_dict() == EXPECTED


def test_frames_and_other_names():
    names = {"query": "Query ID", "document": "docid", "voter": "user", "vote": "rating"}
    for data in (FRAME, FRAME.lazy(), FRAME.to_pandas(), FRAME.to_arrow(), FRAME.rename(names), iter(FRAME.to_dicts())):
        assert assay.votes(data, method="mean").qrels.to_dict() == EXPECTED
    numbered = FRAME.with_columns(polars.Series("vote", [2.0, 3.0, None, 0.0, 1.0]))
    assert assay.votes(numbered, method="mean").qrels.to_dict() == EXPECTED
    assert assay.votes(numbered.to_pandas(), method="mean").qrels.to_dict() == EXPECTED


def test_the_result_says_how_sure_each_pair_is_and_keeps_all_comments(tmp_path):
    rows = cast("up", "up", "down", comment=["good", None, ""])
    rows.append(dict(zip(FIELDS, ("q", "e", "v0", "up"), strict=True)))
    found = assay.votes(rows)
    first = found.pairs[0]
    assert first[:4] == ("q", "d", 1, 3)
    assert (first.low, first.high) == pytest.approx((0.2076596, 0.9385081), abs=5e-8)
    assert first.same == pytest.approx(2 / 3)
    voters = [(each.name, each.votes, each.same) for each in found.voters]
    assert voters == [("v0", 2, 0.5), ("v1", 1, 0.5), ("v2", 1, 0)]
    assert found.comments == [("q", "d", "v0", "good")]
    assert found.signature == "votes[majority] min_votes=1"
    assert found.to_dict()["voters"][0] == {"name": "v0", "votes": 2, "same": 0.5, "accuracy": None}
    found.write(tmp_path / "qrels.txt")
    assert assay.read_qrels(tmp_path / "qrels.txt").to_dict() == found.to_qrels().to_dict()
    assert found.voter_table().to_csv().startswith("voter,votes,same,accuracy\nv0,2,0.5,")
    rows = [row | {"comment": f"about {row['vote']}"} for row in cast("up", "?", "cannot tell")]
    found = assay.votes([*rows, rows[1] | {"comment": "again"}])
    assert [each[2:] for each in found.comments] == [("v0", "about up"), ("v2", "about cannot tell"), ("v1", "again")]


def test_bounds_of_graded_votes_and_of_beta():
    found = assay.votes(cast(1, 2, 3), method="mean").pairs[0]
    assert (found.low, found.high) == pytest.approx((2 - 4.302652729911275 / math.sqrt(3), 2 + 2.484137713), abs=1e-6)
    assert math.isnan(assay.votes(cast(2), method="mean").pairs[0].low)
    found = assay.votes(cast("up"), method="beta", level=0.9).pairs[0]
    assert (found.low, found.high) == pytest.approx((math.sqrt(0.05), math.sqrt(0.95)))


HEAD = "query,document,vote\n"
BAD = [
    (f"{HEAD}q,d,up\nq,d,perhaps\n", "votes.csv, line 3: 'perhaps' is not a vote; write up or down"),
    (f"{HEAD}q,d,up\nq,d,3\n", "votes.csv, line 3: the vote 3 is neither up nor down"),
    (f"{HEAD},d,up\n", "votes.csv, line 2: no query; each row needs one"),
    (f"{HEAD}q,d,inf\n", "votes.csv, line 2: 'inf' is not a vote"),
    ("query,document,mark\nq,d,up\n", r"votes.csv has no column for vote \(vote, rating, judgment …\); it has 'query'"),
    ("query,document,voter,vote,time\nq,d,a,up,x\nq,d,a,up,3\n", "votes.csv, line 2: 'x' is not a time; write it as"),
    (HEAD, "the votes are empty"),
]


@for_each("text, message", BAD)
def test_bad_files(tmp_path, text, message):
    (tmp_path / "votes.csv").write_text(text)
    with pytest.raises(assay.errors.DataError, match=message):
        assay.votes(tmp_path / "votes.csv")


BAD_OPTIONS = [
    ({"method": "mode"}, "unknown method 'mode'; choose one of majority, mean, median, beta, wilson, quepid, dawid"),
    ({"min_votes": 0}, "min_votes"),
    ({"scale": "stars"}, "scale must be"),
    ({"prior": (0, 1)}, "prior must be two positive numbers"),
    ({"prior": (1, 2)}, "only the method beta has a prior"),
    ({"level": 1}, "level must be"),
    ({"threshold": math.nan}, "threshold must be a finite number"),
    ({"method": "wilson"}, "wilson takes votes that are up or down, and these are grades; say which"),
]


@for_each("options, message", BAD_OPTIONS)
def test_bad_options(options, message):
    with pytest.raises((assay.errors.DataError, assay.errors.PolicyError), match=message):
        assay.votes(cast(1, 2, 3), **options)


@for_each("data", ["nothing.csv", 3, {"q": {"d": 1}}, [3]])
def test_what_are_no_votes(data):
    with pytest.raises(assay.AssayError):
        assay.votes(data)


def test_agreement_is_that_of_krippendorff_over_all_voters():
    krippendorff = pytest.importorskip("krippendorff")
    generator = np.random.default_rng(5)
    table = np.where(generator.random((4, 30)) < 0.7, generator.integers(0, 4, (4, 30)), -1).astype(float)
    rows = [
        {"query": f"q{unit}", "document": "d", "voter": f"v{voter}", "vote": table[voter, unit]}
        for unit in range(30)
        for voter in range(4)
        if table[voter, unit] >= 0
    ]
    found = assay.votes(rows)
    known = np.where(table < 0, np.nan, table)
    for scale in ("nominal", "ordinal", "interval"):
        estimate = found.agreement(scale=scale)
        assert estimate.value == pytest.approx(krippendorff.alpha(known, level_of_measurement=scale), abs=1e-12)
        assert estimate.interval.low < estimate.value < estimate.interval.high
    assert math.isnan(assay.votes(cast("up")).agreement().value)
    with pytest.raises(assay.errors.PolicyError, match="scale must be"):
        found.agreement(scale="ratio")


def test_a_threshold_cuts_the_numbers_as_they_are_given():
    for votes, threshold, share in (
        ([-1, 1], 0, 1 / 2),
        ([-1, 0, 1, 1], 0, 3 / 4),
        ([-1, 0, 1, 1], 1, 2 / 4),
        ([-1, -1, 1], -1, 1),
        ([-2, -1, 3, "?"], -1, 2 / 3),
        (["up", "down", "-1"], 0, 1 / 3),
    ):
        found = assay.votes(cast(*votes), method="mean", threshold=threshold)
        assert found.qrels["q"]["d"] == pytest.approx(share)
    thumbs = assay.votes(cast(-1, 0, 1), method="mean", threshold=0, scale="thumbs")
    assert thumbs.qrels["q"]["d"] == 1 / 2
    assert thumbs.signature == "votes[mean] min_votes=1 scale=thumbs threshold=0"


MISSING = [[("2024-05-31T12:00:00", "up"), (missing, "down")] for missing in (None, "", math.nan, "nan", pandas.NaT)]
# A time zone that is written out is that of the others.
ZONES = [("2024-05-31 12:00:00 UTC", "up"), ("2024-05-31T13:59:59+02:00", "down"), ("2024-05-31 11:00:00 GMT", 0)]


@for_each("times", [*MISSING, ZONES])
def test_the_last_vote_by_time_counts(times):
    rows = [{"query": "q", "document": "d", "voter": "ann", "time": time, "vote": vote} for time, vote in times]
    for data in (rows, rows[::-1]):
        assert grade(data) == 1
