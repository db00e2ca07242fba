"""`assay.clicks`: COEC by hand, UBI events, forms of data, and bad input."""

import json

import polars
import pytest

import assay
from tables import for_each

FIELDS = ("query", "document", "position", "clicked", "shown")
# At position 1 shown 150 times and clicked 50 times, at position 2 shown 150 and clicked 18.
COUNTED = [("q", "a", 1, 30, 100), ("q", "b", 2, 10, 100), ("q", "b", 1, 20, 50), ("q", "a", 2, 8, 50)]
EXPECTED = {"a": 38 / (100 / 3 + 50 * 0.12), "b": 30 / (100 * 0.12 + 50 / 3)}


def rows_of(table, fields=FIELDS):
    return [dict(zip(fields, row, strict=True)) for row in table]


def one_by_one():
    """The same impressions, one row each."""
    rows = ((*row[:3], number < row[3]) for row in COUNTED for number in range(row[4]))
    return rows_of(rows, FIELDS[:4])


def test_coec_by_hand():
    for data in (rows_of(COUNTED), one_by_one(), polars.DataFrame(one_by_one()).to_pandas()):
        found = assay.clicks(data)
        assert found.qrels["q"] == pytest.approx(EXPECTED)
    # The mean over expected clicks is one.
    assert (found.pairs["grade"] * found.pairs["expected"]).sum() / found.pairs["expected"].sum() == pytest.approx(1)
    assert found.positions["rate"].to_list() == pytest.approx([1 / 3, 0.12])
    assert found.pairs.columns == ["query", "document", "grade", "shown", "clicks", "expected"]
    assert found.pairs.row(0)[3:5] == (150, 38)
    assert found.signature == "clicks[coec] min_impressions=10"


def ubi():
    """Two pages of one query; the document and the position are where UBI has them."""
    pages = {"p1": (("a", False), ("b", True)), "p2": (("b", True), ("a", False))}
    events = []
    for page, shown in pages.items():
        for ordinal, (document, is_clicked) in enumerate(shown, start=1):
            place = {"object": {"object_id": document}, "position": {"ordinal": ordinal}}
            event = {"query_id": page, "user_query": "train cat", "event_attributes": place}
            events.append({**event, "action_name": "impression"})
            if is_clicked:
                events += [{**event, "action_name": "click"}] * 2
    return [*events, {"query_id": "p1", "user_query": "train cat", "action_name": "login"}]


def write_events(path):
    if path.suffix == ".json":
        path.write_text(json.dumps(ubi()))
    elif path.suffix == ".csv":
        names = ("query_id", "user_query", "action_name", "event_attributes")
        quoted = (event | {"event_attributes": json.dumps(event.get("event_attributes"))} for event in ubi())
        polars.DataFrame([{name: event[name] for name in names} for event in quoted]).write_csv(path)
    elif path.suffix == ".jsonl":
        write_lines(path, ubi())
    else:
        polars.DataFrame(ubi()).write_parquet(path)
    return path


@for_each("form", ["jsonl", "json", "parquet", "csv"])
def test_ubi_events(tmp_path, form):
    found = assay.clicks(write_events(tmp_path / f"events.{form}"), min_impressions=2)
    # Each position was shown twice and clicked once.
    assert found.qrels.to_dict() == {"train cat": {"a": 0, "b": 2}}
    assert found.pairs["shown"].to_list() == [2, 2]
    assert [str(note) for note in found.notes] == ["1 event is neither an impression nor a click; left out: 'login'"]


def event(action, page="p1", document="a", position=1, **more):
    """An event as UBI 1.3.0 has it: what was typed is elsewhere."""
    found = {"action_name": action, "timestamp": "2024-05-16T12:34:56.789Z", "query_id": page}
    place = {"object": {"object_id": document}, "position": {"ordinal": position}}
    return {**found, "event_attributes": place, **more}


REAL = [
    *(event("impression", page, document, place) for page in ("p1", "p2") for place, document in ((1, "a"), (2, "b"))),
    event("click_through", "p1"),
    event("Click-Through", "p2", "b", 2),
]
TYPED = [{"query_id": "p1", "user_query": "cat"}, {"query_id": "p2", "user_query": "cat"}, {"query_id": "p3"}]


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@for_each("form", ["list", "jsonl", "parquet"])
def test_ubi_queries_say_what_was_typed(tmp_path, form):
    data, typed = REAL, TYPED
    if form == "jsonl":
        data, typed = (write_lines(tmp_path / f"{len(rows)}.jsonl", rows) for rows in (REAL, TYPED))
    elif form == "parquet":
        data, typed = polars.DataFrame(REAL), polars.DataFrame(TYPED)
    found = assay.clicks(data, min_impressions=2, queries=typed)
    assert found.qrels.to_dict() == {"cat": {"a": 1, "b": 1}}
    assert not found.notes
    again = assay.clicks(data, min_impressions=2, queries={"p1": "cat", "p2": "cat"})
    assert again.qrels.to_dict() == found.qrels.to_dict()


def test_pages_without_what_was_typed_are_queries_of_their_own():
    found = assay.clicks(REAL, min_impressions=1)
    assert set(found.qrels) == {"p1", "p2"}
    assert [str(note) for note in found.notes] == [
        "2 query_ids have no user_query; each counts as a query of its own; pass UBI's index of queries as queries"
    ]
    known = assay.clicks(REAL, min_impressions=1, queries={"p1": "cat"})
    assert set(known.qrels) == {"cat", "p2"}
    assert [str(note) for note in known.notes] == ["1 query_id has no user_query; each counts as a query of its own"]
    # One event of a page is enough.
    one = assay.clicks([REAL[0] | {"user_query": "cat"}, *REAL[1:]], min_impressions=1)
    assert set(one.qrels) == {"cat", "p2"}


def test_events_that_have_little_do_not_stop_the_others(tmp_path):
    """Only the action and the time are sure to be there."""
    bare = {"action_name": "click", "query_id": "p1", "timestamp": "x"}
    login = {"action_name": "login", "timestamp": "x", "event_attributes": {"position": {"ordinal": "none"}}}
    events = [login, *REAL, login, bare, event("click", None), event("impression", "")]
    frame = polars.DataFrame([*REAL, *events[-3:]])
    for data in (events, write_lines(tmp_path / "events.jsonl", events), frame):
        found = assay.clicks(data, min_impressions=2, queries=TYPED)
        assert found.qrels.to_dict() == {"cat": {"a": 1, "b": 1}}
        notes = [str(note) for note in found.notes]
        assert notes[-2:] == [
            "2 impressions and clicks have no query_id; left out",
            "1 impression or click has no document; left out",
        ]
        assert data is frame or notes[0] == "2 events are neither an impression nor a click; left out: 'login'"


def test_a_click_without_an_impression_was_shown():
    beside = {"action_name": "click", "query_id": "p1", "object_id": "b", "position": 2}
    for data in ([*REAL, beside], polars.DataFrame([*REAL, beside]), polars.DataFrame([*REAL, beside]).to_pandas()):
        found = assay.clicks(data, min_impressions=2, queries=TYPED)
        assert (found.pairs["clicks"].to_list(), found.notes) == ([1, 2], ())
    events = [*ubi(), {"query_id": "p3", "user_query": "x", "object_id": "c", "position": 1, "action_name": "click"}]
    # The document and the position may be beside the attributes.
    for each in events[:-1]:
        if place := each.pop("event_attributes", None):
            each.update(place["object"], position=place["position"]["ordinal"])
    found = assay.clicks(events, min_impressions=1)
    assert "1 click has no impression; counted as shown" in map(str, found.notes)
    assert found.qrels["x"]["c"] == pytest.approx(1 / (2 / 3))
    assert "1 event has no position; left out" not in map(str, found.notes)


def test_pairs_that_are_left_unjudged_and_an_empty_clicked():
    rows = [*rows_of(COUNTED), dict(zip(FIELDS, ("q", "c", 1, 1, 1), strict=True))]
    found = assay.clicks(rows)
    assert set(found.qrels["q"]) == {"a", "b"}
    assert [str(note) for note in found.notes] == ["1 pair was shown fewer than 10 times; left unjudged"]
    assert set(assay.clicks(rows, min_impressions=1).qrels["q"]) == {"a", "b", "c"}
    rows = rows_of([*COUNTED, ("q", "c", 9, 0, 100), ("q", "d", 9, 0, 100), ("q", "e", 9, 0, 1), ("q", "a", 9, 0, 5)])
    found = assay.clicks(rows)
    assert found.qrels["q"] == pytest.approx(EXPECTED)
    assert [str(note) for note in found.notes] == [
        "1 pair was shown fewer than 10 times; left unjudged",
        "2 pairs were shown only at positions without a click; left unjudged",
    ]
    rows = rows_of([*COUNTED, ("q", "a", 1, None, 0), ("q", "a", 1, float("nan"), 0)])
    found = assay.clicks(rows)
    assert found.qrels["q"] == pytest.approx(EXPECTED)
    assert [str(note) for note in found.notes] == ["2 rows have an empty clicked; counted as not clicked"]


HEAD = "query,document,position,clicked\n"
BAD = [
    ("query,document,position\nq,d,1\n", "no column for clicked"),
    ("query,document,clicked\nq,d,1\n", "clicks.csv has no column for position"),
    (f"{HEAD}q,d,first,1\n", "clicks.csv, line 2: the position 'first' is not a finite number"),
    (f"{HEAD}q,d,1,0\nq,d,1,3\n", "line 3: clicked 3 times, shown 1; clicked is 0 or 1"),
    (f"{HEAD}q,,1,0\n", "clicks.csv, line 2: no document; each row needs one"),
    (f"{HEAD}q,d,inf,0\n", "clicks.csv, line 2: the position 'inf' is not a finite number"),
    (f"{HEAD}q,d,,0\n", "nothing was shown: 1 event has no position; left out"),
]


@for_each("text, message", BAD)
def test_bad_files(tmp_path, text, message):
    (tmp_path / "clicks.csv").write_text(text)
    with pytest.raises(assay.errors.DataError, match=message):
        assay.clicks(tmp_path / "clicks.csv", min_impressions=1)


LISTED = polars.DataFrame(rows_of(COUNTED)).with_columns(polars.concat_list("position"))
TWICE = [{"query": "q", "document": each, "position": 1, "clicked": 0, "impression": 1} for each in "ab"]
BAD_OPTIONS = [
    (rows_of(COUNTED), {"model": "cascade"}, "unknown model 'cascade'; choose one of coec, pbm, dbn"),
    (rows_of(COUNTED), {"model": ["coec"]}, "unknown model"),
    (LISTED, {}, "the clicks: the column for position must hold numbers, not List"),
    (rows_of(COUNTED), {"min_impressions": 0}, "min_impressions"),
    (rows_of(COUNTED), {"model": "dbn"}, "dbn needs result pages: add a column impression"),
    (TWICE, {"model": "dbn"}, "two documents at one position of a result page"),
    (rows_of(COUNTED), {"queries": TYPED}, "queries is for UBI events, and the clicks have no action_name"),
    (REAL, {"queries": [{"query_id": "p1"}]}, "the queries has no column for typed"),
    ([event("click", position="first")], {}, "record 0: the position 'first' is not a finite number"),
    (rows_of(COUNTED), {"min_impressions": 1000}, "no judgment: 2 pairs were shown fewer than 1000 times"),
    (rows_of([("q", "c", 1, 0, 100)]), {}, "no judgment: 1 pair was shown only at positions without a click"),
]


@for_each("data, options, message", BAD_OPTIONS)
def test_bad_options_and_events(data, options, message):
    with pytest.raises((assay.errors.DataError, assay.errors.PolicyError), match=message):
        assay.clicks(data, **options)


def test_the_result_of_pbm_which_cannot_tell_what_never_moves(tmp_path):
    found = assay.clicks(rows_of(COUNTED), model="pbm")
    assert found.to_dict()["schema"] == "assay/clicks"
    assert found.position_table().to_csv().startswith("position,shown,clicks,rate,examined\n1,150,50,")
    found.write(tmp_path / "qrels.csv")
    assert assay.read_qrels(tmp_path / "qrels.csv").to_dict() == found.to_qrels().to_dict()
    assert "clicks[pbm] min_impressions=10" in str(found)
    said = "every document was shown at one position only; pbm cannot tell how attractive a document is"
    fixed = assay.clicks(rows_of(COUNTED[:2]), model="pbm")
    assert any(str(note).startswith(said) for note in fixed.notes)
    for rows in (COUNTED, COUNTED[:1]):
        assert not any(str(note).startswith(said) for note in assay.clicks(rows_of(rows), model="pbm").notes)
