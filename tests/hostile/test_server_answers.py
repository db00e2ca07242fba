"""Answers that are not what they should be: each is a ranking or a failure with its reason, and no key gets through."""

import json
import logging

import pytest

from raw_server import KEYS, RawServer, answer, probe_in

pytestmark = pytest.mark.attack("Servers")

NOT_JSON = "the response is not JSON: "
HUGE = "1" * 5000
NO_ID = "the response: a retrieved passage has no id"
NO_LIST = "the response: the retrieved documents must be a list of ids or passages, not "
BAD_ID = "the response: the id of a document must be a string or an integer, not "
DEEP = "the response: invalid JSON: the values are nested too deeply"
NO_NUMBER = "the response: a score must be a finite number, not "

# The content of an answer, and how the failure begins, or the documents that were found.
ANSWERS = {
    "nothing": (b"", NOT_JSON + "it is empty"),
    "blanks": (b" \n\t", NOT_JSON + "it is empty"),
    "a page with the status 200": (b"<html>Sign in</html>", NOT_JSON + "'<html>Sign in</html>'"),
    "a page with escapes": (b"<p>\x1b[2J\x9b\xe2\x80\xae</p>", NOT_JSON + r"'<p>\x1b[2J"),
    "a page with every key": (" ".join(KEYS).encode(), NOT_JSON + "'… … …'"),
    "keys escaped": (json.dumps(KEYS[1]).replace("s3", "\\u00733").encode() + b"}", NOT_JSON + "'\"…\"}'"),
    "JSON lines": (b'{"id": "d1"}\n{"id": "d2"}\n', NOT_JSON),
    "JSON with a comma too many": (b'["d1",]', NOT_JSON),
    "JSON cut off": (b'{"ids": ["d1"', NOT_JSON),
    "JSON with a comment": (b'["d1"] // best', NOT_JSON),
    "two values": (b'["d1"]["d2"]', NOT_JSON),
    "Python": (b"['d1']", NOT_JSON),
    "JavaScript": (b'callback(["d1"])', NOT_JSON),
    "an anti-hijacking prefix": (b')]}\',\n["d1"]', NOT_JSON),
    "a byte-order mark": (b'\xef\xbb\xbf["d1"]', ["d1"]),
    "UTF-16": ('["d1"]'.encode("utf-16"), ["d1"]),
    "UTF-16 without a mark": ('["d1"]'.encode("utf-16-le"), ["d1"]),
    "UTF-32": ('["d1"]'.encode("utf-32"), ["d1"]),
    "Latin-1": ('["caf\xe9"]'.encode("latin-1"), NOT_JSON),
    "bytes that are no text": (b'["\xff\xfe"]', NOT_JSON),
    "a zero byte": (b'["d1\0"]', NOT_JSON),
    "nested 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, DEEP),
    "objects 100,000 deep": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, DEEP),
    "nested 500 deep": (b"[" * 500 + b"]" * 500, NO_ID),
    "NaN": (b"NaN", NO_LIST + "'nan'"),
    "duplicate keys": (b'{"ids": ["d1"], "ids": ["d2"]}', "the response: duplicate key 'ids'"),
    "a duplicate key that is a key": (b'{"%s": 1, "%s": 2}' % ((KEYS[1].encode(),) * 2), "the response: duplicate key '…'"),
    "duplicate keys inside": (b'[{"id": "d1", "id": "d2"}]', "the response: duplicate key 'id'"),
    "null": (None, NO_LIST + "'None'"),
    "true": (True, NO_LIST + "'True'"),
    "a number": (7, NO_LIST + "'7'"),
    "a text": ("d1", NO_LIST + "'d1'"),
    "an empty list": ([], []),
    "an empty object": ({}, "the response is an empty object"),
    "an error as an object": ({"error": "no"}, "the response has no list of documents; its keys are 'error'"),
    "an error with a key": ({"error": KEYS[1], KEYS[0]: 1}, "the response has no list of documents; its keys are 'error', '…'"),
    "an error with escapes": ({"\x1b[31m": 1}, r"the response has no list of documents; its keys are '\x1b[31m'"),
    "10,000 keys": ({f"k{number}": "x" for number in range(10_000)}, "the response has no list of documents; its keys are 'k0'"),
    "an object of lists": ({"ids": {"a": ["d1"]}}, "the response has no list of documents"),
    "a null list": ({"ids": None}, "the response has no list of documents"),
    "a text for a list": ({"ids": "d1"}, "the response has no list of documents"),
    "a list of nulls": ([None], NO_ID),
    "a list of lists": ([[]], NO_ID),
    "a list of booleans": ([True], NO_ID),
    "a list of numbers": ([1, 2], ["1", "2"]),
    "a list of fractions": ([1.5], NO_ID),
    "a list of both": (["d1", {"id": "d2"}], ["d1", "d2"]),
    "an id of 10**40": ([{"id": 10**40}], [str(10**40)]),
    "an id of 5,000 digits": (f'[{{"id": {HUGE}}}]'.encode(), "the response: invalid JSON: a number has too many digits"),
    "an id of 1e999": (b'[{"id": 1e999}]', BAD_ID + "'inf'"),
    "no id": ([{"title": "t"}], NO_ID),
    "a null id": ([{"id": None}], NO_ID),
    "an empty id": ([{"id": ""}], "the response: a retrieved document has an empty id"),
    "a list as an id": ([{"id": ["d1"]}], BAD_ID),
    "an object as an id": ([{"id": {"a": 1}}], BAD_ID),
    "an id of 1 MB": ([{"id": "x" * 1_000_000}], ["x" * 1_000_000]),
    "an id with blanks": ([{"id": "d 1\n2"}], ["d 1\n2"]),
    "an id with escapes": ([{"id": "\x1b[2J"}], ["\x1b[2J"]),
    "a lone surrogate as an id": (b'["\\ud800"]', "the response: the id of a document must be valid Unicode, not '\\ud800'"),
    "a lone surrogate in a title": (b'[{"id": "d1", "text": "\\udfff"}]', ["d1"]),
    "duplicate ids": (["d1", "d1", "d2"], ["d1", "d2"]),
    "ids that differ by a blank": (["d1", "d1 "], ["d1", "d1 "]),
    "a number and its text": ([1, "1"], ["1"]),
    "more than asked": ([f"d{number}" for number in range(1000)], ["d0", "d1", "d2", "d3", "d4"]),
    "a million documents": (b"[" + b",".join(b'"d%d"' % number for number in range(1_000_000)) + b"]", "the response has more than 100,000 documents; k is 5, return that many"),
    "scores": ([["d1", 2], ["d2", 1]], ["d1", "d2"]),
    "scores as texts": ([{"id": "d1", "score": "0.5"}], NO_NUMBER),
    "scores that are NaN": (b'[{"id": "d1", "score": NaN}]', NO_NUMBER),
    "scores that are infinite": (b'[{"id": "d1", "score": -Infinity}]', NO_NUMBER),
    "scores of 1e999": (b'[{"id": "d1", "score": 1e999}]', NO_NUMBER),
    "scores of 400 digits": (f'[{{"id": "d1", "score": {"9" * 400}}}]'.encode(), NO_NUMBER),
    "scores that are true": ([{"id": "d1", "score": True}], NO_NUMBER),
    "scores that are lists": ([{"id": "d1", "score": [1]}], NO_NUMBER),
    "null scores": ([{"id": "d1", "score": None}], ["d1"]),
    "a score for one only": ([{"id": "d1", "score": 1}, {"id": "d2"}], ["d1", "d2"]),
    "scores that rise": ([{"id": "d1", "score": 1}, {"id": "d2", "score": 2}], ["d1", "d2"]),
    "a score that is a key": ([{"id": "d1", "score": KEYS[1]}], NO_NUMBER + "'…'"),
    "a key as an id": ([KEYS[0], KEYS[1], KEYS[2], "d1"], ["…", "… 2", "… 3", "d1"]),
    "a key inside an id": ([f"x-{KEYS[1]}-y", "d1"], ["x-…-y", "d1"]),
    "a key in capitals as an id": ([KEYS[1].upper(), "d1"], ["…", "d1"]),
    "a key as an answer": ({"answer": KEYS[1], "contexts": [{"id": "d1", "text": KEYS[2]}]}, ["d1"]),
    "a key in a title": ([{"id": "d1", "title": KEYS[1], "text": f"the key is {KEYS[0]}"}], ["d1"]),
    "a key in other fields": ([{"id": "d1", "request": {"headers": list(KEYS)}}], ["d1"]),
    "a key in the message of no id": ([{"name": KEYS[1]}], NO_ID),
    "an answer that is not a text": ({"answer": 7, "contexts": ["d1"]}, ["d1"]),
    "an answer without contexts": ({"answer": "yes"}, "the response has no list of documents; its keys are 'answer'"),
    "more contexts than ids": ({"answer": "a", "contexts": ["x", "y"], "ids": ["d1"]}, "the response has 1 ids but 2 contexts"),
    "an answer of 1 MB": ({"answer": "x" * 1_000_000, "contexts": ["d1"]}, ["d1"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", ANSWERS)
def test_what_is_sent(kind, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    content, expected = ANSWERS[kind]
    outcome = probe_in(tmp_path, RawServer(answer(content)))
    assert outcome.code == 0
    if isinstance(expected, list):
        assert (outcome.documents, outcome.failure) == (expected, "")
    else:
        assert outcome.failure.startswith(expected), outcome.failure
        assert len(outcome.failure) < 400
    assert caplog.text
    assert "s3cret" not in caplog.text
