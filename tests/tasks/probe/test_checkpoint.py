"""Checkpoints: what is answered is not asked again, whatever ended the probe before."""

import json
import subprocess
import sys
import time

import pytest

import assay
from assay.live import HttpSearch
from search_server import QRELS, QUESTIONS, SearchServer
from tables import for_each

ANSWERS = {question: ([f"d{query[1:]}", "x"], [2.0, 1.5]) for query, question in QUESTIONS.items()}


class Search:
    """Counts what it is asked, and fails on some."""

    def __init__(self, failing=(), name="search"):
        self.name = name
        self.failing = failing
        self.asked = []

    def __call__(self, question):
        self.asked.append(question)
        if question in self.failing:
            raise OSError("no")
        return list(zip(*ANSWERS[question], strict=True))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "checkpoint.jsonl"


def probed(search, file, questions=QUESTIONS, **options):
    return assay.probe(search, questions, QRELS, ["rr"], checkpoint=file, retries=0, **options)


def test_what_is_answered_is_not_asked_again(file):
    again = Search()
    first, second = probed(Search(), file), probed(again, file)
    assert (again.asked, second.asked, second.resumed) == ([], 0, 40)
    assert second.result.scores["rr"].tolist() == first.result.scores["rr"].tolist()
    assert (second.run.to_dict(), second.seconds) == (first.run.to_dict(), first.seconds)
    assert "40 from the checkpoint" in str(second)


def test_what_failed_is_asked_again(file):
    failing, again = ["question 3", "question 4"], Search()
    assert set(probed(Search(failing), file).failures) == {"q3", "q4"}
    assert (probed(again, file).failures, sorted(again.asked)) == ({}, failing)


def test_a_line_an_answer(file):
    probed(Search(), file, {"q7": "question 7"}, k=1)
    header, line = map(json.loads, file.read_text().splitlines())
    assert (header["assay_checkpoint"], header["name"], header["k"]) == (1, "search", 1)
    seconds = line.pop("seconds")
    assert line == {"query_id": "q7", "ids": ["d7"], "scores": [2.0], "repeats": 0, "rose": False, "attempts": 1}
    assert seconds > 0


@for_each("cut", [1, 5, 20])
def test_a_last_line_that_is_not_whole_is_asked_again(tmp_path, cut):
    file, again = tmp_path / "checkpoint.jsonl", Search()
    probed(Search(), file)
    file.write_bytes(file.read_bytes()[:-cut])
    assert (probed(again, file).resumed, len(again.asked)) == (39, 1)
    _, *lines = file.read_bytes().splitlines()
    assert sorted(json.loads(line)["query_id"] for line in lines) == sorted(QUESTIONS)


@for_each("length", [0, 1, 30, 70, 120, 200])
def test_a_first_line_that_is_not_whole_is_written_again(tmp_path, length):
    file, again = tmp_path / "checkpoint.jsonl", Search()
    probed(Search(), file, {"q1": "question 1"})
    file.write_bytes(file.read_bytes()[:length])
    probed(again, file, {"q1": "question 1"})
    assert (again.asked, len(file.read_text().splitlines())) == (["question 1"], 2)


OTHERS = {
    "questions": ({"questions": {**QUESTIONS, "q1": "another"}}, "belongs to other questions"),
    "k": ({"k": 5}, "was made with k='10', not 5"),
    "name": ({"name": "dense"}, "belongs to 'search', not to 'dense'"),
    "ids": ({"doc_id": "url"}, "was made with another request (URL, body, headers or path) or another doc_id"),
}


@for_each("case", OTHERS)
def test_a_checkpoint_of_something_else_is_refused(tmp_path, case):
    file, again, (options, message) = tmp_path / "checkpoint.jsonl", Search(), OTHERS[case]
    probed(Search(), file)
    content = file.read_bytes()
    with pytest.raises(assay.errors.MismatchError) as caught:
        probed(again, file, **options)
    assert f"{message}; use another file, or delete it to start over" in str(caught.value)
    assert (again.asked, file.read_bytes()) == ([], content)


def test_the_order_of_the_questions_and_blank_lines_do_not_matter(file):
    again = Search()
    probed(Search(), file)
    file.write_text("\n" + file.read_text().replace("\n", "\n\n \t\n"))
    probed(again, file, dict(reversed(QUESTIONS.items())))
    assert again.asked == []


DAMAGED = [
    ('{"query_id": "q1"}', "line 2: ids is invalid"),
    ('{"query_id": "x", "ids": []}', "line 2: query_id is invalid"),
    ("nonsense", "line 2: invalid JSON: Expecting value at column 1"),
    ("[1]", "line 2: expected an object, found '[1]'"),
    ("[" * 100_000, "line 2: invalid JSON: the values are nested too deeply"),
    ('{"query_id": "q1", "query_id": "q2"}', "line 2: duplicate key 'query_id'; keep one"),
]
FIELDS = {
    "query_id": [None, 1, "elsewhere"],
    "ids": [None, "d1", [1], [""]],
    "scores": ["x", [1], [1.0, "x"], [1.0, float("inf")], [True, False], [10**400, 1]],
    "repeats": [None, -1, 1.5, True],
    "rose": [None, 1],
    "seconds": [None, -1.0, float("nan"), "1", 10**400],
    "attempts": [None, -1, "1"],
    "answer": [7],
    "texts": [["a"], [1, 2]],
    "ordered": [1],
}
ENTRY = {"query_id": "q1", "ids": ["a", "b"], "scores": [2, 1], "repeats": 0, "rose": False, "seconds": 0.1}
ENTRY["attempts"] = 1
DAMAGED += [(json.dumps({**ENTRY, "ids": ["d1", "d2", "d3"]}), "line 2: scores is invalid")]
for name, values in FIELDS.items():
    DAMAGED += [(json.dumps({**ENTRY, name: value}), f"line 2: {name} is invalid") for value in values]


@for_each("line, message", DAMAGED)
def test_a_damaged_line_is_named(tmp_path, line, message):
    file = tmp_path / "checkpoint.jsonl"
    probed(Search(), file)
    header, _, *rest = file.read_text().splitlines(keepends=True)
    file.write_text("".join([header, line, "\n", *rest]))
    with pytest.raises(assay.errors.FormatError, match="delete the line to ask its question again") as caught:
        probed(Search(), file)
    assert message in str(caught.value)


FOREIGN = ["notes of mine", "notes of mine\nand more\n", '{"a": 1}\n', "\n", '{"assay_checkpoint": 2}\n']


@for_each("content", [*FOREIGN, {"salt": None}, {"salt": 7}])
def test_another_file_is_not_written_over(tmp_path, content):
    file = tmp_path / "checkpoint.jsonl"
    if isinstance(content, dict):
        probed(Search(), file)
        header, rest = file.read_text().split("\n", 1)
        content = json.dumps(json.loads(header) | content) + "\n" + rest
    file.write_text(content)
    with pytest.raises(assay.errors.FormatError, match="is not a checkpoint"):
        probed(Search(), file)
    assert file.read_text() == content


def test_an_error_of_whoever_is_told_is_not_that_of_the_file(file):
    def told(_):
        raise ConnectionError("mine")

    with pytest.raises(ConnectionError, match=r"^mine$"):
        probed(Search(), file, progress=told)


HEADERS = ["X-Index: a", "X-Key: s3cret"]
OTHER_REQUESTS = [
    ("?q={query}&index=wikinews2", {"headers": HEADERS}),
    ("?q={query}", {"headers": ["X-Index: b", "X-Key: s3cret"]}),
    ("?q={query}", {"headers": ["X-Indices: a", "X-Key: s3cret"]}),
    ("?q={query}", {}),
    ("?q={query}", {"headers": HEADERS, "body": '{"q": "{query}"}'}),
    ("?q={query}", {"headers": HEADERS, "path": "results"}),
]


def test_a_checkpoint_of_another_request_is_refused(file):
    with SearchServer() as server:
        url = f"{server.url}?q={{query}}"
        probed(HttpSearch(url, headers=HEADERS), file)
        assert probed(HttpSearch(url, headers=["x-key: s3cret", "X-INDEX: a"]), file).asked == 0
        before = sum(server.asked.values())
        for address, options in OTHER_REQUESTS:
            with pytest.raises(assay.errors.MismatchError, match="was made with another request"):
                probed(HttpSearch(server.url + address, **options), file)
        assert sum(server.asked.values()) == before


def test_a_checkpoint_holds_no_key_and_another_salt_each_time(tmp_path):
    headers = []
    with SearchServer() as server:
        for file in (tmp_path / "a", tmp_path / "b"):
            search = HttpSearch(f"{server.url}?key=abc&token=s3cret-1", headers=["X-Key: s3cret-2"])
            probed(search, file, {"q1": "question 1"})
            headers.append(json.loads(file.read_text().splitlines()[0]))
            assert ("s3cret" in file.read_text(), headers[-1]["name"]) == (False, server.url)
    names = {name for name, value in headers[0].items() if value != headers[1][name]}
    assert names == {"salt", "request"}
    assert headers[0].keys() - names == {"assay_checkpoint", "version", "name", "k", "questions"}


def test_places_that_cannot_be_a_checkpoint(tmp_path):
    for path in (tmp_path, tmp_path / "none" / "file", "/dev/full"):
        with pytest.raises(assay.errors.FileError, match=r"the checkpoint '.*' cannot be used"):
            probed(Search(), path)


EXACTLY = [
    [("däß\u2028\x1b", 1 / 3), ('"', 1e-300), ("1", -0.0)],
    ["a", "a", "b"],
    [("a", 1), ("b", 2)],
    {"answer": "yes", "contexts": [{"id": "d1", "text": "one"}]},
]


@for_each("found", EXACTLY)
def test_what_was_found_comes_back_exactly(found, tmp_path):
    def search(_):
        return found

    first, again = (probed(search, tmp_path / "checkpoint.jsonl", {"q1": "x"}) for _ in range(2))
    assert (again.resumed, again.run.to_dict(), again.records) == (1, first.run.to_dict(), first.records)
    assert again.notes == first.notes
    if found is EXACTLY[0]:
        assert again.run["q1"] == found


CODE = """
import sys, json, assay
from assay.live import HttpSearch
questions, qrels, url, file = json.loads(sys.argv[1])
probe = assay.probe(HttpSearch(url), questions, qrels, "rr", checkpoint=file, concurrency=3)
print(probe["rr"], probe.asked, probe.resumed)
"""


def test_two_probes_do_not_share_a_checkpoint(file):
    second = Search()

    def search(question):
        if not refused:
            with pytest.raises(assay.errors.FileError) as error:
                probed(second, file)
            refused.append(str(error.value))
        return list(zip(*ANSWERS[question], strict=True))

    refused = []
    first = probed(search, file, concurrency=1, name="search")
    shown = f"the checkpoint '{file}' is in use by another probe; wait until it ends, or use another file"
    assert (refused, second.asked, first.asked) == ([shown], [], 40)
    assert (probed(second, file).resumed, second.asked) == (40, [])


def test_two_processes_do_not_share_a_checkpoint(file):
    with SearchServer(delay=0.1) as server:
        command = [sys.executable, "-c", CODE, json.dumps([QUESTIONS, QRELS, server.url, str(file)])]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:  # noqa: S603 - our own code
            end = time.monotonic() + 30
            while not server.asked and time.monotonic() < end:
                time.sleep(0.005)
            with pytest.raises(assay.errors.FileError, match="is in use by another probe"):
                assay.probe(HttpSearch(server.url), QUESTIONS, QRELS, "rr", checkpoint=file)
            assert running.communicate(timeout=60)[0] == "1.0 40 0\n"
    assert set(server.asked.values()) == {1}
