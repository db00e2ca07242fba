"""`assay probe`: a search over HTTP, asked and scored from a shell."""

import json
from pathlib import Path

import pytest

import assay as library
from assay.net import http
from search_server import QRELS, QUESTIONS, Reply, SearchServer, found
from tables import for_each

FILES = "--queries queries.jsonl --qrels qrels.json"


@pytest.fixture(autouse=True)
def files(folder, monkeypatch):
    """Questions and judgments in files."""
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.005)
    lines = [json.dumps({"_id": query, "text": text}) + "\n" for query, text in QUESTIONS.items()]
    (folder / "queries.jsonl").write_text("".join(lines))
    library.Qrels(QRELS).write(folder / "qrels.json")


@pytest.fixture
def server():
    with SearchServer() as running:
        yield running


@pytest.fixture
def probe(assay, server):
    """Asks the server, which is to behave in this way, and ends with this code."""

    def run(line, behave=found, *, code=0, url=None):
        server.behave = behave
        result = assay(f"probe '{url or server.url}' {FILES} {line}")
        assert result.exit_code == code, result.output
        return result

    return run


def some_fail(question, times):
    number = int(question.split()[1])
    if number == 5:
        return Reply(b"out of memory", 500)
    return Reply(b"busy", 503) if number % 3 == 0 and times == 1 else found(question, times)


def test_quality_latency_and_throughput(probe):
    result = probe("-m 'rr recall@2'")
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[2].split() == ["rr", "1.0000", "1.0000", "1.0000", "40"]
    assert lines[3].split() == ["recall@2", "1.0000", "1.0000", "1.0000", "40"]
    assert lines[6].startswith("latency ")
    assert "(p50)" in lines[6]
    assert "40 of 40 questions answered in " in lines[6]


def test_failures_are_named_on_standard_error(probe):
    result = probe("-m rr", some_fail)
    assert "rr       0.9750" in result.stdout
    assert "note: 1 question failed; counted as empty: 'q5'" in result.stdout
    assert result.stderr == "failed: q5: HTTP 500 Internal Server Error: 'out of memory' (3 attempts)\n"
    for format_ in ("csv", "tsv"):
        result = probe(f"-m rr --format {format_}", some_fail)
        assert len(result.stdout.splitlines()) == 2
        said = result.stderr.splitlines()
        assert said[0].startswith("note: latency ")
        assert said[1] == "note: 1 question failed; counted as empty: 'q5'"
        assert said[-1].startswith("failed: q5: ")
    for format_ in ("markdown", "latex"):
        assert "1 question failed; counted as empty: 'q5'" in probe(f"--format {format_}", some_fail).stdout


def test_where_nothing_is_answered_it_fails_and_json_has_everything(probe, folder):
    result = probe("--concurrency 1", lambda *_: Reply(b"no such page", 404), code=2)
    said = "none of the first 20 questions was answered; for example 'q0': HTTP 404 Not Found: 'no such page'\n"
    assert (result.stdout, result.stderr) == ("", f"assay: {said}")
    assert probe("-m rr --format json -o probe.json", some_fail).stdout == ""
    (run,) = json.loads((folder / "probe.json").read_text())["runs"]
    data = run["probe"]
    assert run["measures"]["rr"]["mean"] == 39 / 40
    assert set(data["latency"]) == {"p50", "p95", "p99", "mean"}
    assert (list(data["failures"]), len(data["seconds"])) == (["q5"], 39)


def test_the_run_and_the_result_are_kept(probe, assay, server, folder):
    (folder / "live.run").write_text("before")
    probe("--save-run live.run --retries 0", url="http://127.0.0.1:1/", code=2)
    assert (folder / "live.run").read_text() == "before"
    probe("-m recip_rank --convention trec_eval --policy depth=1 --save-run live.run --save live.json")
    assert (folder / "live.run").read_text().splitlines()[0] == f"q0 assay-order d0 1 2 {server.url}"
    result = assay("eval qrels.json live.run -m rr --format csv")
    assert result.stdout.splitlines()[1] == "rr,1.0,1.0,1.0,40"
    stored = library.load_result(folder / "live.json")
    assert (stored["recip_rank"], "convention trec_eval, depth=1" in str(stored)) == (1, True)
    assert assay("gate live.json --min recip_rank=1").exit_code == 0


def test_what_cannot_be_written_is_known_before_anything_is_asked(probe, server):
    targets = [
        (option, name) for option in ("--save-run", "-o", "--save") for name in ("none/x.csv", "qrels.json/x.csv")
    ]
    for option, target in [*targets, ("--save-run", "."), ("-o", ".")]:
        message = "is a directory, not a file" if target == "." else "cannot be written: "
        assert probe(f"{option} {target}", code=2).stderr.startswith(f"assay: '{target}' {message}")
    said = "assay: records are written as JSON Lines; the name of 'out.csv' must end in .jsonl\n"
    assert probe("--save-records out.csv", code=2).stderr == said
    assert not server.asked


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
def test_the_result_is_shown_where_the_run_cannot_be_written(probe):
    result = probe("-m rr --save-run /dev/full", code=2)
    assert "rr       1.0000" in result.stdout
    assert result.stderr == "assay: '/dev/full' cannot be written: No space left on device\n"


def test_the_request_can_be_set(probe, server, folder, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "s3cret-key")
    (folder / "body.json").write_text('{"query": "{query}", "size": "{k}"}')
    hits = {"took": 1, "out": {"list": [{"_source": {"url": "d1"}}]}}
    headers = "--header 'X-Key: $SEARCH_KEY' --header 'X-B: 2'"
    where = "--body @body.json --path out.list --policy doc_id=_source.url -k 4"
    assert "rr       0.0250" in probe(f"{where} {headers} -m rr", lambda *_: Reply(hits)).stdout
    method, _, body, headers = server.requests[0]
    assert (method, body["size"], headers["X-Key"], headers["X-B"]) == ("POST", 4, "s3cret-key", "2")
    server.requests.clear()
    assert probe("-m rr -k 2", url=f"{server.url}?q={{query}}&n={{k}}").stderr == ""
    assert {method for method, *_ in server.requests} == {"GET"}
    assert server.requests[0][2]["n"] == "2"


def test_a_checkpoint_is_taken_up(probe, server, folder):
    probe("-m rr --checkpoint probe.jsonl", some_fail)
    before = sum(server.asked.values())
    result = probe("-m rr --checkpoint probe.jsonl")
    assert sum(server.asked.values()) == before + 1
    assert "39 from the checkpoint" in result.stdout
    assert "rr       1.0000" in result.stdout
    refused = probe("-m rr --checkpoint probe.jsonl -k 3", code=2)
    assert "the checkpoint 'probe.jsonl' was made with k='10', not 3" in refused.stderr
    assert (folder / "probe.jsonl").exists()


REFUSED = {
    "ftp://h/": "the URL 'ftp://h/' must begin with http:// or https://",
    "http://h/ --body {": "the body: invalid JSON",
    "http://h/ --body @none.json": "the body cannot be read from 'none.json'",
    "http://h/ --header 'X-Key: $NOT_THERE'": "environment variable NOT_THERE is not set",
    "http://h/ --header X-Key: a": "too many arguments; put quotes around the value of an option that has spaces",
    "http://h/ --timeout 0": "timeout must be a positive number of seconds, not '0.0'",
    "http://h/ --concurrency 0": "concurrency must be a whole number from 1 to 1024",
    "http://h/ -m nonsense": "unknown measure 'nonsense'",
    "http://h/ --queries broken.parquet": "broken.parquet cannot be read as parquet: ",
    "http://h/ --queries none.jsonl": "file 'none.jsonl' not found",
    "http://h/ --qrels none.txt": "file 'none.txt' not found",
}


@for_each(("line", "message"), REFUSED.items())
def test_refusals(refused, folder, line, message):
    (folder / "broken.parquet").write_bytes(b"PAR1 and no more")
    refused(f"probe {FILES} {line}", message)


def answering(question, times):  # noqa: ARG001 - what a behaviour is called with
    number = question.split()[1]
    return Reply({"answer": f"about {number}", "contexts": [{"id": f"d{number}#1", "text": "x"}]})


def test_records_are_kept_for_rag_and_what_a_run_file_does_not_hold_is_said(probe, assay, folder):
    rows = ({"query_id": query, "reference": f"about {query[1:]}"} for query in QUESTIONS)
    (folder / "right.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = "--policy doc_id=before:# --references right.jsonl --save-records out.jsonl -k 1"
    assert probe(f"-m rr {options}", answering).stderr == ""
    scored = assay("rag out.jsonl -m 'rr em' --format csv")
    assert [line[:7] for line in scored.stdout.splitlines()[1:]] == ["rr,1.0,", "em,1.0,"]

    def behave(question, times):
        return Reply({"results": []}) if question == "question 3" else found(question, times)

    tag = "does not hold the run's tag; trec and parquet do\n"
    empty = "does not hold queries without documents; json does\n"
    for ending, lost in {"csv": [tag, empty], "json": [tag], "parquet": [empty]}.items():
        said = probe(f"-m rr --save-run live.{ending}", behave).stderr
        assert said == "".join(f"note: live.{ending} {each}" for each in lost)
    assert library.read_run(folder / "live.json")["q3"] == []
