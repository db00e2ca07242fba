"""Votes and judgments as files: what is written comes back the same, what others write is read; and over the API."""

import csv
import io

import polars
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay.studio import exchange
from assay.studio.exchange import export_judgments, export_votes, read_votes
from assay.studio.store import NewVote, Store, VoteEvent
from studio_server import Client, check_refused, make_studio, serving
from tables import for_each

TABLES = ("csv", "jsonl", "parquet")
EVENTS = [
    VoteEvent("q1", "d1", "ann", 2.0, "good", id=1, time=1700000000.25),
    VoteEvent("q1", "d1", "bob", None, "", "k-1", source="api", application="shop", id=2, time=1700000001.0),
    VoteEvent("q1", "d1", "ann", 1.0, '=HYPERLINK("x")', replaces=1, id=3, time=1700000002.0),
    VoteEvent("q2", "d 2", "ann", 0.5, "a,b\n\"c\" 'd'", id=4, time=1700000003.0),
    VoteEvent("q2", "d 2", "ann", None, kind="withdrawal", replaces=4, id=5, time=1700000004.0),
    VoteEvent("q2", "d 2", "eve", 3.0, "so be it", kind="decision", id=6, time=1700000005.0),
]
CSV = """\
query,document,voter,vote,time,comment,kind,source,application,key,id,replaces,voter_kind
q1,d1,ann,2.0,2023-11-14T22:13:20.250000+00:00,good,vote,page,,,1,,person
q1,d1,bob,?,2023-11-14T22:13:21+00:00,,vote,api,shop,k-1,2,,person
q1,d1,ann,1.0,2023-11-14T22:13:22+00:00,"'=HYPERLINK(""x"")",vote,page,,,3,1,person
q2,d 2,ann,0.5,2023-11-14T22:13:23+00:00,"a,b
""c"" 'd'",vote,page,,,4,,person
q2,d 2,ann,,2023-11-14T22:13:24+00:00,,withdrawal,page,,,5,4,person
q2,d 2,eve,3.0,2023-11-14T22:13:25+00:00,so be it,decision,page,,,6,,person
"""


def as_new(event):
    """The vote that reading an event gives."""
    fields = {name: getattr(event, name) for name in ("key", "kind", "time", "application")}
    return NewVote(event.query, event.document, event.voter, event.vote, event.comment, source="import", **fields)


def test_votes_are_written_as_they_are_and_come_back_the_same():
    assert export_votes(EVENTS, "csv").decode() == CSV
    for table in TABLES:
        assert read_votes(export_votes(EVENTS, table), table)[:2] == ([as_new(event) for event in EVENTS], [])


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
STARTS = st.sampled_from(["", "=", "-", "+", "@", "\t", "'", "''=", "'x"])
IDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)
NAMES = st.builds(str.__add__, STARTS, IDS).map(str.strip).filter(bool)
VALUES = st.none() | st.floats(-1e9, 1e9)
TIMES = st.floats(0, 4e9).map(lambda time: round(time, 6))
COMMENTS = st.builds(str.__add__, STARTS, TEXT)
EVENT = st.builds(VoteEvent, IDS, IDS, NAMES, VALUES, COMMENTS, key=st.none() | IDS, time=TIMES)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=settings.default.max_examples // 3)
@pytest.mark.parametrize("format", TABLES)
@given(events=st.lists(EVENT, min_size=1, max_size=5))
def test_any_votes_come_back_the_same(format, events):
    assert read_votes(export_votes(events, format), format)[0] == [as_new(event) for event in events]


@settings(max_examples=12)
@pytest.mark.parametrize("format", TABLES)
@given(steps=st.lists(st.tuples(st.sampled_from(["vote", "withdrawal", "decision"]), st.integers(0, 2)), max_size=8))
def test_a_store_and_its_copy_have_the_same_in_force(tmp_path_factory, format, steps):
    folder = tmp_path_factory.mktemp("copy")
    with Store.open(folder / "a") as store, Store.open(folder / "b") as copy:
        for kind, grade in steps:
            store.record([NewVote("q", "d", "ann", None if kind == "withdrawal" else grade, kind=kind)])
        if not store.events():
            return
        # A decision is taken back by its id.
        decisions = [event for event in store.events() if event.kind == "decision"]
        if len(steps) % 2 and decisions:
            store.record([NewVote("q", "d", "ann", None, kind="withdrawal", replaces=decisions[-1].id)])
        outcomes = copy.record(read_votes(export_votes(store.events(), format), format)[0])
        assert not [each for each in outcomes if isinstance(each, Exception)]
        assert in_force(copy) == in_force(store)


def in_force(store):
    events = store.events()
    replaced = {event.replaces for event in events}
    return [(e.kind, e.content, e.time) for e in events if e.id not in replaced and e.kind != "withdrawal"]


OTHERS = [  # what other programs write, and the votes in it
    ("csv", "query_id,doc_id,relevance\nq1,d1,2\nq1,d2,0\n", [("q1", "d1", "eve", 2), ("q1", "d2", "eve", 0)]),
    ("csv", "query,document,user,thumb\nq,d,ann,up\nq,d,,down\n", [("q", "d", "ann", 1), ("q", "d", "eve", 0)]),
    ("jsonl", '{"query": "q", "doc": "d", "rater": "ann", "vote": -1}\n', [("q", "d", "ann", 0)]),
    ("trec", "q1 0 d1 2\nq1 0 d2 0.5\n", [("q1", "d1", "eve", 2), ("q1", "d2", "eve", 0.5)]),
    ("quepid", "query,docid,rating\nstar wars,11,3\n =a,12,0\n", [("star wars", "11", "eve", 3), ("=a", "12", "eve", 0)]),
    ("quepid-book", "query,docid,Ann B, -bob\nq,1,3,\nq,2,,1\n", [("q", "1", "Ann B", 3), ("q", "2", "-bob", 1)]),
    ("quepid-book", "Query,Doc ID,Rating: Ann\nq,1,2.0\n", [("q", "1", "Ann", 2)]),
]  # fmt: skip


@for_each("format, text, expected", OTHERS)
def test_files_of_others(format, text, expected):
    votes, *_ = read_votes(text.encode(), format, voter="eve")
    assert [(vote.query, vote.document, vote.voter, vote.vote) for vote in votes] == expected
    assert {vote.source for vote in votes} == {"import"}


def test_parquet_of_others():
    file = io.BytesIO()
    polars.DataFrame({"query": ["q"], "document": [7], "voter": ["ann"], "vote": [True]}).write_parquet(file)
    assert read_votes(file.getvalue(), "parquet")[0] == [NewVote("q", "7", "ann", 1.0, source="import")]


WRONG = [
    ("csv", "query,document,vote\nq,d,1\n", {}, "does not say who voted; say whose votes these are"),
    ("trec", "q 0 d 1\n", {}, "does not say who voted"),
    ("trec", "q 0 d good\n", {"voter": "eve"}, "good"),
    ("csv", "query,vote\nq,1\n", {}, "no column for document"),
    ("csv", "query,document,voter,vote\nq,d,ann,splendid\n", {}, "the file, line 2: 'splendid' is not a vote"),
    ("csv", "query,document,voter,vote,time\nq,d,ann,1,soon\n", {}, "the file, line 2: 'soon' is not a time"),
    ("csv", "query,document,voter,vote\nq,d,ann,-1\nq,e,ann,0\n", {}, "say what 0 is"),
    ("csv", CSV.replace("decision", "whim"), {}, "the kind 'whim' must be vote or withdrawal or decision"),
    ("csv", "", {}, "empty"),
    ("jsonl", "{", {}, "line 1"),
    ("parquet", "PAR1", {}, "parquet"),
    ("quepid-book", "a,b\n1,2\n", {}, "not a book of Quepid"),
    ("quepid-book", "query,docid,ann\nq,d,\n", {}, "has no votes"),
    ("xlsx", "", {}, "unknown format 'xlsx'; choose one of trec, csv"),
]


@for_each("format, text, options, message", WRONG)
def test_what_cannot_be_read_is_said(format, text, options, message):
    with pytest.raises(assay.AssayError) as caught:
        read_votes(text.encode(), format, **options)
    assert message in str(caught.value)


GRADES = {"q1": {"d1": 2.0, "d2": 0.0}, "q2": {"d3": 1 / 3}, "q3": {}}


@for_each("format", ["trec", "csv", "jsonl", "parquet"])
def test_judgments_are_judgments_everywhere(format, tmp_path):
    path = tmp_path / f"qrels.{format}"
    path.write_bytes(export_judgments(GRADES, format))
    assert assay.read_qrels(path).to_dict() == {"q1": GRADES["q1"], "q2": GRADES["q2"]}
    votes, *_ = read_votes(path.read_bytes(), format, voter="eve")
    expected = [("q1", "d1", 2.0), ("q1", "d2", 0.0), ("q2", "d3", 1 / 3)]
    assert [(vote.query, vote.document, vote.vote) for vote in votes] == expected


def test_ratings_of_quepid():
    questions = {"q1": "=star  wars", "q2": "a, b"}
    written = export_judgments(GRADES, "quepid", questions=questions)
    assert written.decode() == f'query,docid,rating\n =star  wars,d1,2\n =star  wars,d2,0\n"a, b",d3,{1 / 3!r}\n'
    votes, *_ = read_votes(written, "quepid", voter="eve", questions={"q1": "=star wars", "q2": "a, b"})
    assert [(vote.query, vote.document, vote.vote) for vote in votes][2] == ("q2", "d3", 1 / 3)


def test_books_of_quepid():
    written = export_votes(EVENTS, "quepid-book", questions={"q1": "star wars"})
    table = list(csv.reader(io.StringIO(written.decode())))
    assert table == [["query", "docid", "bob", "ann"], ["star wars", "d1", "", "1"]]
    votes, *_ = read_votes(written, "quepid-book", questions={"q1": "star wars"})
    assert votes == [NewVote("q1", "d1", "ann", 1.0, source="import")]


REFUSED = [
    (lambda: export_votes(EVENTS, "trec"), "trec cannot hold who voted"),
    (lambda: export_votes(EVENTS, "quepid"), "quepid cannot hold who voted"),
    (lambda: export_votes(EVENTS, "xlsx"), "unknown format 'xlsx'; choose one of csv"),
    (lambda: export_judgments(GRADES, "quepid-book"), "a book of Quepid holds votes"),
    (lambda: export_judgments(GRADES, "xlsx"), "unknown format 'xlsx'; choose one of trec"),
    (lambda: export_judgments({}, "trec"), "no judgment yet"),
    (lambda: export_judgments({"q 1": {"d": 1}}, "trec"), "trec cannot hold spaces in ids"),
]


@for_each("call, message", REFUSED)
def test_what_cannot_be_written_is_said(call, message):
    with pytest.raises(assay.AssayError, match=message):
        call()


def test_no_votes_are_a_header():
    assert export_votes([], "csv").decode() == CSV.partition("\n")[0] + "\n"
    assert export_votes([], "jsonl") == b""
    assert len(polars.read_parquet(io.BytesIO(export_votes([], "parquet")))) == 0
    assert export_votes([], "quepid-book") == b"query,docid\n"


def test_formats_are_what_the_interface_offers():
    assert set(exchange.VOTE_FORMATS) | set(exchange.JUDGMENT_FORMATS) == set(exchange.READ_FORMATS)


def send_file(client, content, **how):
    return client.http.post("/api/import", params=how, content=content, headers={"X-CSRF-Token": client.csrf})


def test_exported_judgments_are_those_in_force(studio, ann, tmp_path):
    ann.vote("q01", "mda-02", 0)
    ann.vote("q02", "risk-05", 2)
    for name, ending in {"trec": "txt", "csv": "csv", "jsonl": "jsonl", "parquet": "parquet", "quepid": "csv"}.items():
        answer = ann.get("/api/export", what="qrels", format=name)
        assert answer.headers["content-disposition"] == f'attachment; filename="qrels.{ending}"'
        path = tmp_path / f"qrels.{ending}"
        path.write_bytes(answer.content)
        if name != "quepid":
            assert assay.read_qrels(path).to_dict() == studio.judgments.all_in_force()
    known = send_file(ann, path.read_bytes(), what="votes", format="quepid", voter="quepid").json()
    assert known["votes"] == sum(map(len, studio.judgments.all_in_force().values()))


def test_a_models_judgments_become_a_voter_of_their_own(studio, ann):
    how = {"what": "judgments", "format": "trec", "voter": "qwen3"}
    answer = send_file(ann, b"q01 0 mda-02 0\nq02 0 risk-05 3\n", kind="model", **how)
    assert answer.json() == {"votes": 2, "known": 0, "notes": []}
    assert studio.judgments.all_in_force() == studio.collection.judgments
    assert studio.judgments.kinds["qwen3"] == "model"
    clash = send_file(ann, b"q01 0 mda-02 1\n", kind="person", **how)
    check_refused(clash, 400, "'qwen3' is a model here; import these votes as model")
    ann.vote("q01", "mda-02", 2)
    seen = ann.get("/api/pair", query="q01", document="mda-02").json()["others"]
    assert seen == [{"voter": "qwen3", "vote": 0.0, "kind": "model"}]
    taken = ann.send("POST", "/api/session", {"voter": "qwen3"})
    check_refused(taken, 403, "qwen3 is the name of a model; choose another")


BAD = [
    (b"q01 0 mda-02 9\n", {"what": "judgments", "format": "trec", "voter": "x"}, "9 is not a vote here"),
    (b"q01 0 mda-02\n", {"what": "judgments", "format": "trec", "voter": "x"}, "line 1"),
    (b"q01 0 mda-02 1\n", {"what": "judgments", "format": "trec"}, "judgments have no voter"),
    (b"query,document,voter,vote\nq01,mda-02,ann,1\nq02,x,ann,soso\n", {"format": "csv"}, "'soso' is not a vote"),
]


def test_bad_files_change_nothing(studio, ann):
    for content, how, said in BAD:
        check_refused(send_file(ann, content, **how), 400, said)
    assert studio.store.events() == []


@pytest.mark.parametrize("format", TABLES)
def test_votes_and_models_are_the_same_elsewhere(studio, ann, tmp_path, format):
    send_file(ann, b"q01 0 mda-02 0\n", what="judgments", format="trec", voter="=qwen3", kind="model")
    for vote, comment in (("?", ""), (2, "=SUM(1)")):
        ann.vote("q02", "risk-05", vote, comment=comment)
    content = ann.get("/api/export", what="votes", format=format).content
    other = make_studio(tmp_path / "other.sqlite")
    with serving(other) as url:
        assert send_file(Client(url, "eve"), content, what="votes", format=format).json()["votes"] == 3
        kinds = {voter.name: voter.kind for voter in other.store.voters()}
        assert kinds == {"=qwen3": "model", "ann": "person", "eve": "person"}
        assert [each.content for each in other.store.events()] == [each.content for each in studio.store.events()]
        assert other.judgments.all_in_force() == studio.judgments.all_in_force()


WHOLE = "query,document,voter,vote,kind,source,key,voter_kind\nq01,mda-02,new,1,vote,page,,model\n"
PARTLY_WRONG = [
    ("q01,x,new,,withdrawal,page,,model", "has no vote on 'x' for 'q01' to take back"),
    ("q01,x,new,1,vote,page,k,model\nq01,x,new,2,vote,page,k,model", "the key 'k' was used for another vote"),
    ("q01,x,new,1,vote,page,,robot", "line 3: the kind 'robot' of the voter must be person or model"),
    ("q01,x,new,1,vote,page,,person", "line 3: 'new' is a person here, and a model before"),
]


def test_an_import_is_whole_or_nothing(studio, ann):
    for row, said in PARTLY_WRONG:
        answer = send_file(ann, f"{WHOLE}{row}\n".encode(), what="votes", format="csv")
        assert (answer.status_code // 100, said in answer.json()["error"]) == (4, True), answer.text
        assert (studio.store.events(), studio.store.voter("new"), "new" in studio.judgments.kinds) == ([], None, False)
    keyed = WHOLE.replace("page,", "page,k")
    counts = [send_file(ann, keyed.encode(), what="votes", format="csv").json() for _ in range(2)]
    assert [(each["votes"], each["known"]) for each in counts] == [(1, 0), (0, 1)]
    assert studio.judgments.kinds["new"] == "model"
