"""`assay probe`: a search over HTTP, asked and scored from a shell."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import assay as library
from assay.net import http
from search_server import QRELS, QUESTIONS, Reply, SearchServer, found


@pytest.fixture
def files(folder, monkeypatch):
    """Questions and judgments in files."""
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.005)
    lines = [json.dumps({"_id": query, "text": text}) + "\n" for query, text in QUESTIONS.items()]
    (folder / "queries.jsonl").write_text("".join(lines))
    library.Qrels(QRELS).write(folder / "qrels.json")
    return ("--queries", "queries.jsonl", "--qrels", "qrels.json")


@pytest.fixture
def server():
    with SearchServer() as running:
        yield running


def some_fail(question, times):
    number = int(question.split()[1])
    if number == 5:
        return Reply(b"out of memory", 500)
    return Reply(b"busy", 503) if number % 3 == 0 and times == 1 else found(question, times)


def test_quality_latency_and_throughput(assay, files, server):
    result = assay("probe", server.url, *files, "-m", "rr recall@2")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[2].split() == ["rr", "1.0000", "1.0000", "1.0000", "40"]
    assert lines[3].split() == ["recall@2", "1.0000", "1.0000", "1.0000", "40"]
    assert lines[6].startswith("latency ")
    assert "(p50)" in lines[6]
    assert "40 of 40 questions answered in " in lines[6]


def test_failures_are_named_on_standard_error(assay, files):
    with SearchServer(some_fail) as server:
        result = assay("probe", server.url, *files, "-m", "rr")
    assert result.exit_code == 0
    assert "rr       0.9750" in result.stdout
    assert "note: 1 question failed; counted as empty: 'q5'" in result.stdout
    assert result.stderr == "failed: q5: HTTP 500 Internal Server Error: 'out of memory' (3 attempts)\n"


def test_where_nothing_is_answered_it_fails(assay, files):
    with SearchServer(lambda *_: Reply(b"no such page", 404)) as server:
        result = assay("probe", server.url, *files, "--concurrency", "1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        result.stderr
        == "assay: none of the first 20 questions was answered; for example 'q0': HTTP 404 Not Found: 'no such page'\n"
    )


def test_a_server_that_hangs(assay, files):
    with SearchServer(
        lambda question, times: Reply(hang=True) if question == "question 1" else found(question, times)
    ) as server:
        result = assay("probe", server.url, *files, "-m", "rr", "--timeout", "2", "--retries", "0")
    assert result.exit_code == 0
    assert result.stderr == "failed: q1: no response within 2 s\n"


@pytest.mark.parametrize("format_", ["csv", "tsv"])
def test_a_bare_table_has_its_notes_elsewhere(assay, files, format_):
    with SearchServer(some_fail) as server:
        result = assay("probe", server.url, *files, "-m", "rr", "--format", format_)
    assert len(result.stdout.splitlines()) == 2
    said = result.stderr.splitlines()
    assert said[0].startswith("note: latency ")
    assert said[1] == "note: 1 question failed; counted as empty: 'q5'"
    assert said[-1].startswith("failed: q5: ")


def test_json_has_everything(assay, files, folder):
    with SearchServer(some_fail) as server:
        result = assay("probe", server.url, *files, "-m", "rr", "--format", "json", "-o", "probe.json")
    assert result.stdout == ""
    (run,) = json.loads((folder / "probe.json").read_text())["runs"]
    data = run["probe"]
    assert run["measures"]["rr"]["mean"] == 39 / 40
    assert set(data["latency"]) == {"p50", "p95", "p99", "mean"}
    assert list(data["failures"]) == ["q5"]
    assert len(data["seconds"]) == 39


PAPERS = {
    "markdown": """\
| measure | mean | low | high | queries |
| --- | ---: | ---: | ---: | ---: |
| MRR | 0.9750 | 0.9250 | 1.0000 | 40 |
| Recall@2 | 0.9750 | 0.9250 | 1.0000 | 40 |

assay VERSION, convention assay; PACE, details: --format json

Note: 1 question failed; counted as empty: 'q5'
""",
    "latex": r"""\begin{table}
  \centering
  \caption{assay VERSION, convention assay; PACE. 1 question failed; counted as empty: 'q5'}
  \begin{tabular}{lrrrr}
    \toprule
    measure & mean & low & high & queries \\
    \midrule
    MRR & 0.9750 & 0.9250 & 1.0000 & 40 \\
    Recall@2 & 0.9750 & 0.9250 & 1.0000 & 40 \\
    \bottomrule
  \end{tabular}
\end{table}
""",
}


@pytest.mark.parametrize("format_", PAPERS)
def test_tables_for_papers(assay, files, format_):
    with SearchServer(some_fail) as server:
        result = assay("probe", server.url, *files, "-m", "rr recall@2", "-k", "2", "--format", format_)
    pace = r"latency [\d.]+ m?s \(p50\), .* \(mean\); 39 of 40 questions answered in [\d.]+ m?s, [\d.]+ per second"
    assert re.sub(pace, "PACE", result.stdout).replace(library.__version__, "VERSION") == PAPERS[format_]


def test_the_run_is_kept_and_scores_the_same(assay, files, server, folder):
    assay("probe", server.url, *files, "-m", "rr", "--save-run", "live.run")
    assert (folder / "live.run").read_text().splitlines()[0] == f"q0 assay-order d0 1 2 {server.url}"
    result = assay("eval", "qrels.json", "live.run", "-m", "rr", "--format", "csv")
    assert result.stdout.splitlines()[1] == "rr,1.0,1.0,1.0,40"


@pytest.mark.parametrize(
    ("option", "target"),
    [
        *((option, name) for option in ("--save-run", "-o", "--save") for name in ("none/x.csv", "qrels.json/x.csv")),
        *(("--save-run", "."), ("-o", ".")),
    ],
)
def test_a_file_that_cannot_be_written_is_known_before_anything_is_asked(assay, files, server, option, target):
    result = assay("probe", server.url, *files, option, target)
    assert (result.exit_code, result.stdout) == (2, "")
    message = "is a directory, not a file" if target == "." else "cannot be written: "
    assert result.stderr.startswith(f"assay: '{target}' {message}")
    assert not server.asked


def test_the_result_is_stored(assay, files, server, folder):
    assert assay("probe", server.url, *files, "-m", "rr", "--save", "live.json").exit_code == 0
    assert library.load_result(folder / "live.json")["rr"] == 1
    assert assay("gate", "live.json", "--min", "rr=1").exit_code == 0


def test_a_file_that_is_there_is_written_anew_and_only_then(assay, files, server, folder):
    (folder / "live.run").write_text("before")
    assert assay("probe", "http://127.0.0.1:1/", *files, "--save-run", "live.run", "--retries", "0").exit_code == 2
    assert (folder / "live.run").read_text() == "before"
    assert assay("probe", server.url, *files, "--save-run", "live.run").exit_code == 0
    assert (folder / "live.run").read_text().startswith("q0 assay-order d0 1 ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
def test_the_result_is_shown_where_the_run_cannot_be_written(assay, files, server):
    result = assay("probe", server.url, *files, "-m", "rr", "--save-run", "/dev/full")
    assert result.exit_code == 2
    assert "rr       1.0000" in result.stdout
    assert result.stderr == "assay: '/dev/full' cannot be written: No space left on device\n"


def test_a_checkpoint_of_another_index_is_refused(assay, files, server):
    arguments = (*files, "-m", "rr", "--checkpoint", "c.jsonl")
    assert assay("probe", f"{server.url}?q={{query}}&index=wikipedia", *arguments).exit_code == 0
    before = sum(server.asked.values())
    refused = assay("probe", f"{server.url}?q={{query}}&index=wikinews2", *arguments)
    assert refused.exit_code == 2
    assert "was made with another request (URL, body, headers or path)" in refused.stderr
    assert sum(server.asked.values()) == before


def test_the_request_can_be_set(assay, files, folder, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "s3cret-key")
    (folder / "body.json").write_text('{"query": "{query}", "size": "{k}"}')
    hits = {"took": 1, "out": {"list": [{"_source": {"url": "d1"}}]}}
    options = ("--body", "@body.json", "--path", "out.list", "--policy", "doc_id=_source.url", "-k", "4")
    with SearchServer(lambda *_: Reply(hits)) as server:
        result = assay(
            "probe", server.url, *files, *options, "--header", "X-Key: $SEARCH_KEY", "--header", "X-B: 2", "-m", "rr"
        )
    assert result.exit_code == 0
    method, _, body, headers = server.requests[0]
    assert (method, body["size"], headers["X-Key"], headers["X-B"]) == ("POST", 4, "s3cret-key", "2")
    assert "rr       0.0250" in result.stdout


def test_get(assay, files, server):
    result = assay("probe", f"{server.url}?q={{query}}&n={{k}}", *files, "-m", "rr", "-k", "2")
    assert (result.exit_code, result.stderr) == (0, "")
    assert {method for method, *_ in server.requests} == {"GET"}
    assert server.requests[0][2]["n"] == "2"


def test_a_checkpoint_is_taken_up(assay, files, folder):
    with SearchServer(some_fail) as server:
        arguments = ("probe", server.url, *files, "-m", "rr", "--checkpoint", "probe.jsonl")
        assay(*arguments)
        before = sum(server.asked.values())
        server.behave = found
        result = assay(*arguments)
        assert sum(server.asked.values()) == before + 1
        assert "39 from the checkpoint" in result.stdout
        assert "rr       1.0000" in result.stdout
        refused = assay(*arguments, "-k", "3")
    assert refused.exit_code == 2
    assert "the checkpoint 'probe.jsonl' was made with k='10', not 3" in refused.stderr
    assert (folder / "probe.jsonl").exists()


def test_policies_and_conventions(assay, files, server):
    result = assay("probe", server.url, *files, "-m", "recip_rank", "--convention", "trec_eval", "--policy", "depth=1")
    assert "convention trec_eval, depth=1" in result.stdout
    assert "recip_rank  1.0000" in result.stdout


MISTAKES = [
    (("ftp://h/",), "the URL 'ftp://h/' must begin with http:// or https://"),
    (("http://h/", "--body", "{"), "the body: invalid JSON"),
    (("http://h/", "--body", "@none.json"), "the body cannot be read from 'none.json'"),
    (("http://h/", "--header", "X-Key: $NOT_THERE"), "environment variable NOT_THERE is not set"),
    (("http://h/", "--timeout", "0"), "timeout must be a positive number of seconds, not '0.0'"),
    (("http://h/", "--concurrency", "0"), "concurrency must be a whole number from 1 to 1024"),
    (("http://h/", "-m", "nonsense"), "unknown measure 'nonsense'"),
    (("http://h/", "--queries", "broken.parquet"), "broken.parquet cannot be read as parquet: "),
    (("http://h/", "--queries", "none.jsonl"), "file 'none.jsonl' not found"),
    (("http://h/", "--qrels", "none.txt"), "file 'none.txt' not found"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_mistakes_are_one_line(assay, files, folder, arguments, message):
    (folder / "broken.parquet").write_bytes(b"PAR1 and no more")
    result = assay("probe", *files, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("assay: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_an_interrupt_leaves_a_checkpoint_that_is_taken_up(files, folder):
    # A shell that runs this in the background has the signal ignored, which a process inherits.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from assay.cli.main import main; main()"
    )
    with SearchServer(delay=0.03) as server:
        command = [sys.executable, "-c", code, "probe", server.url, *files, "-m", "rr", "--checkpoint", "c.jsonl"]
        command += ["--concurrency", "2"]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)  # noqa: S603
        with running:
            end = time.monotonic() + 30
            while sum(server.asked.values()) < 10 and time.monotonic() < end:
                time.sleep(0.005)
            running.send_signal(signal.SIGINT)
            out, said = running.communicate(timeout=30)
        kept = (folder / "c.jsonl").read_text().count("\n") - 1
        assert 0 < kept < 40
        hint = "to continue, run it again with the same checkpoint"
        assert (running.returncode, out, said.decode()) == (
            130,
            b"",
            f"assay: interrupted: {kept} of 40 questions answered; {hint}\n",
        )
        before = sum(server.asked.values())
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=60, check=True)  # noqa: S603
        assert sum(server.asked.values()) == before + 40 - kept
    assert f"{kept} from the checkpoint" in done.stdout


def test_ids_that_never_meet_are_a_warning(assay, files):
    with SearchServer(lambda question, _: Reply(json.dumps([f"chunk/{question.split()[1]}"]).encode())) as server:
        result = assay("probe", server.url, *files, "-m", "rr")
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: no judged document was retrieved for any query: the judgments have 'd0', 'd1', 'd2', …, the run has "
        "'chunk/0', 'chunk/1', 'chunk/2', …; use the judgments of the collection that was searched; "
        "`assay check` looks at the data\n"
    )


def answering(question, times):  # noqa: ARG001 - what a behaviour is called with
    number = question.split()[1]
    return Reply({"answer": f"about {number}", "contexts": [{"id": f"d{number}#1", "text": "x"}]})


def test_records_are_kept_for_rag(assay, files, folder):
    (folder / "right.jsonl").write_text(
        "".join(json.dumps({"query_id": query, "reference": f"about {query[1:]}"}) + "\n" for query in QUESTIONS)
    )
    with SearchServer(answering) as server:
        arguments = (
            "--policy",
            "doc_id=before:#",
            "--references",
            "right.jsonl",
            "--save-records",
            "out.jsonl",
            "-k",
            "1",
        )
        result = assay("probe", server.url, *files, "-m", "rr", *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    scored = assay("rag", "out.jsonl", "-m", "rr em", "--format", "csv")
    assert [line[:7] for line in scored.stdout.splitlines()[1:]] == ["rr,1.0,", "em,1.0,"]


def test_records_are_json_lines(assay, files, server):
    result = assay("probe", server.url, *files, "--save-records", "out.csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "assay: records are written as JSON Lines; let the name of 'out.csv' end in .jsonl\n"
    assert not server.asked


def test_nothing_is_lost_when_it_is_killed(files, folder):
    with SearchServer(answering, delay=0.02) as server:
        arguments = ["probe", server.url, *files, "-m", "rr", "--policy", "doc_id=before:#", "--concurrency", "2"]
        arguments += ["--checkpoint", "probe.jsonl", "--save-records", "out.jsonl", "-k", "1"]
        command = [sys.executable, "-m", "assay", *arguments]
        running = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)  # noqa: S603
        deadline = time.monotonic() + 30
        while len(server.asked) < 8 and time.monotonic() < deadline:
            time.sleep(0.01)
        running.kill()
        running.wait(10)
        saved = (folder / "probe.jsonl").read_text().count("about ")
        assert saved >= 4
        # What was sent before the end still arrives.
        assert server.wait_until_closed()
        asked = sum(server.asked.values())
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        assert sum(server.asked.values()) - asked == len(QUESTIONS) - saved
    records = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [each["answer"] for each in records] == [f"about {query[1:]}" for query in QUESTIONS]


def test_what_a_run_file_does_not_hold_is_said(assay, files, folder):
    def behave(question, times):
        return Reply({"results": []}) if question == "question 3" else found(question, times)

    with SearchServer(behave) as server:
        result = assay("probe", server.url, *files, "-m", "rr", "--save-run", "live.csv")
        tag = "does not hold the run's tag; trec and parquet do\n"
        empty = "does not hold queries without documents; json does\n"
        assert result.stderr == f"note: live.csv {tag}note: live.csv {empty}"
        assert (
            assay("probe", server.url, *files, "-m", "rr", "--save-run", "live.json").stderr == f"note: live.json {tag}"
        )
        assert (
            assay("probe", server.url, *files, "-m", "rr", "--save-run", "live.parquet").stderr
            == f"note: live.parquet {empty}"
        )
    assert library.read_run(folder / "live.json")["q3"] == []
