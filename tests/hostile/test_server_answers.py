"""Answers that are not what they should be: each is a ranking or a failure with its reason, and no key gets through."""

import json
import logging

import pytest

from raw_server import KEYS, RawServer, answer, check_outcome, probe_in
from tables import for_each

pytestmark = pytest.mark.attack("Servers")

NOT_JSON = "the response is not JSON: "
HUGE = "1" * 5000
NO_ID = "the response: a retrieved passage has no id"
NO_LIST = "the response: the retrieved documents must be a list of ids or passages, not "
BAD_ID = "the response: the id of a document must be a string or an integer, not "
DEEP = "the response: invalid JSON: the values are nested too deeply"
NO_NUMBER = "the response: a score must be a finite number, not "

# The content of an answer, and how the failure begins, or the documents that were found.
ANSWERS = [
    *((each, NOT_JSON + "it is empty") for each in (b"", b" \n\t")),
    (b"<html>Sign in</html>", NOT_JSON + "'<html>Sign in</html>'"),
    (b"<p>\x1b[2J\x9b\xe2\x80\xae</p>", NOT_JSON + r"'<p>\x1b[2J"),
    (" ".join(KEYS).encode(), NOT_JSON + "'… … …'"),
    (json.dumps(KEYS[1]).replace("s3", "\\u00733").encode() + b"}", NOT_JSON + "'\"…\"}'"),
    *((each, NOT_JSON) for each in (
        b'{"id": "d1"}\n{"id": "d2"}\n', b'["d1",]', b'{"ids": ["d1"', b'["d1"] // best', b'["d1"]["d2"]', b"['d1']",
        b'callback(["d1"])', b')]}\',\n["d1"]', '["caf\xe9"]'.encode("latin-1"), b'["\xff\xfe"]', b'["d1\0"]',
    )),
    *((each, ["d1"]) for each in (
        b'\xef\xbb\xbf["d1"]', '["d1"]'.encode("utf-16"), '["d1"]'.encode("utf-16-le"), '["d1"]'.encode("utf-32"),
        b'[{"id": "d1", "text": "\\udfff"}]', [{"id": "d1", "score": None}],
        {"answer": KEYS[1], "contexts": [{"id": "d1", "text": KEYS[2]}]},
        [{"id": "d1", "title": KEYS[1], "text": f"the key is {KEYS[0]}"}],
        [{"id": "d1", "request": {"headers": list(KEYS)}}], {"answer": 7, "contexts": ["d1"]},
        {"answer": "x" * 1_000_000, "contexts": ["d1"]},
    )),
    *((each, DEEP) for each in (b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000)),
    *((each, NO_ID) for each in (
        b"[" * 500 + b"]" * 500, [None], [[]], [True], [1.5], [{"title": "t"}], [{"id": None}], [{"name": KEYS[1]}],
    )),
    (b"NaN", NO_LIST + "'nan'"),
    (b'[{"id": "d1", "id": "d2"}]', "the response: duplicate key 'id'"),
    (b'{"%s": 1, "%s": 2}' % ((KEYS[1].encode(),) * 2), "the response: duplicate key '…'"),
    *((each, f"{NO_LIST}'{each}'") for each in (None, True, 7, "d1")),
    ([], []),
    ({}, "the response is an empty object"),
    ({"error": "no"}, "the response has no list of documents; its keys are 'error'"),
    ({"error": KEYS[1], KEYS[0]: 1}, "the response has no list of documents; its keys are 'error', '…'"),
    ({"\x1b[31m": 1}, r"the response has no list of documents; its keys are '\x1b[31m'"),
    ({f"k{number}": "x" for number in range(10_000)}, "the response has no list of documents; its keys are 'k0'"),
    *(({"ids": each}, "the response has no list of documents") for each in ({"a": ["d1"]}, None, "d1")),
    ([1, 2], ["1", "2"]),
    *((each, ["d1", "d2"]) for each in (
        ["d1", {"id": "d2"}], ["d1", "d1", "d2"], [["d1", 2], ["d2", 1]], [{"id": "d1", "score": 1}, {"id": "d2"}],
        [{"id": "d1", "score": 1}, {"id": "d2", "score": 2}],
    )),
    ([{"id": 10**40}], [str(10**40)]),
    (f'[{{"id": {HUGE}}}]'.encode(), "the response: invalid JSON: a number has too many digits"),
    (b'[{"id": 1e999}]', BAD_ID + "'inf'"),
    ([{"id": ""}], "the response: a retrieved document has an empty id"),
    *(([{"id": each}], BAD_ID) for each in (["d1"], {"a": 1})),
    *(([{"id": each}], [each]) for each in ("x" * 1_000_000, "d 1\n2", "\x1b[2J")),
    (b'["\\ud800"]', "the response: the id of a document must be valid Unicode, not '\\ud800'"),
    (["d1", "d1 "], ["d1", "d1 "]),
    ([1, "1"], ["1"]),
    ([f"d{number}" for number in range(1000)], ["d0", "d1", "d2", "d3", "d4"]),
    (b"[" + b",".join(b'"d%d"' % number for number in range(1_000_000)) + b"]", "the response has more than 100,000 documents; k is 5, return that many"),
    *((each, NO_NUMBER) for each in (
        [{"id": "d1", "score": "0.5"}], b'[{"id": "d1", "score": NaN}]', b'[{"id": "d1", "score": -Infinity}]',
        b'[{"id": "d1", "score": 1e999}]', f'[{{"id": "d1", "score": {"9" * 400}}}]'.encode(),
        [{"id": "d1", "score": True}], [{"id": "d1", "score": [1]}],
    )),
    ([{"id": "d1", "score": KEYS[1]}], NO_NUMBER + "'…'"),
    ([KEYS[0], KEYS[1], KEYS[2], "d1"], ["…", "… 2", "… 3", "d1"]),
    *(([each, "d1"], [shown, "d1"]) for each, shown in ((f"x-{KEYS[1]}-y", "x-…-y"), (KEYS[1].upper(), "…"))),
    ({"answer": "yes"}, "the response has no list of documents; its keys are 'answer'"),
    ({"answer": "a", "contexts": ["x", "y"], "ids": ["d1"]}, "the response has 1 ids but 2 contexts"),
]  # fmt: skip


@for_each(("content", "expected"), ANSWERS)
def test_what_is_sent(content, expected, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    check_outcome(probe_in(tmp_path, RawServer(answer(content))), expected)
    assert caplog.text
    assert "s3cret" not in caplog.text
