"""What is sent: addresses, bodies and headers."""

import pytest

from assay.core.errors import DataError
from assay.live import HttpSearch
from assay.tasks.probe.endpoint import all_headers, fill_template, read_address, read_body, read_headers
from tables import for_each

ADDRESSES = [
    ("http://localhost:8000/search", "http://localhost:8000/search", "/search"),
    ("https://search.example", "https://search.example/", "/"),
    ("http://[::1]:80/a b/ü?q={query}&n={k}", "http://[::1]:80/a b/ü", "/a%20b/%C3%BC?q=a%26b%20%7Bk%7D%2F%C3%A9&n=5"),
    ("HTTP://h/{query}/x%20y?key=s3cret", "http://h/{query}/x%20y", "/a%26b%20%7Bk%7D%2F%C3%A9/x%20y?key=s3cret"),
]


@for_each("url, name, path", ADDRESSES)
def test_addresses(url, name, path):
    address = read_address(url)
    assert address.name == name
    assert address.fill_target("a&b {k}/é", 5) == path


BAD_ADDRESSES = [
    ("localhost:8000", "must begin with http:// or https://"),
    ("file:///etc/passwd", "must begin with http:// or https://"),
    ("ftp://h/x", "must begin with http:// or https://"),
    ("http://", "has no valid host"),
    ("http:///x", "has no valid host"),
    ("http://{query}.example/", "has no valid host"),
    ("http://h:99999/", "is invalid"),
    ("http://h:x/", "is invalid"),
    ("http://[::1/", "is invalid"),
    ("ftp://me:s3cret@h/", "the URL 'ftp://h/' must begin with http:// or https://"),
    ("me:s3cret@h/x?y", "the URL 'h/x' must begin with http:// or https://"),
    ("http://h:x/#s3cret", "the URL 'http://h:x/' is invalid"),
    ("http://me:s3cret@h/", "the URL contains a user name or password"),
    ("http://h/?q=x&key=s3cret\nq", None),
]


@for_each("url, message", BAD_ADDRESSES)
def test_bad_addresses(url, message):
    if message is None:
        assert "\n" not in read_address(url).fill_target("x", 1)
        return
    with pytest.raises(DataError) as caught:
        read_address(url)
    assert message in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_a_lone_surrogate_can_be_asked():
    assert read_address("http://h/?q={query}").fill_target("a\ud800", 1) == "/?q=a%3F"
    assert fill_template(read_body('["{query}"]'), "a\ud800", 1) == ["a\ud800"]


BAD_BODIES = [
    ("{query}", "the body: invalid JSON: Expecting property name enclosed in double quotes at column 2; an example is"),
    ({"q": "{query}"}, "the body must be a string of JSON"),
    ('{"q": "x"}', "the body has no placeholder for the question"),
    ("[" * 100_000, "the body: invalid JSON: the values are nested too deeply"),
    ('{"q": "{query}", "k": 1, "k": 2}', "the body: duplicate key 'k'; keep one"),
]


@for_each("body, message", BAD_BODIES)
def test_bad_bodies(body, message):
    with pytest.raises(DataError) as caught:
        HttpSearch("http://h/", body=body)
    assert message in str(caught.value)


HEADERS = [
    ("X-Key: abc", {"X-Key": "abc"}),
    ("X-Key:abc: d", {"X-Key": "abc: d"}),
    ("Authorization: Bearer $TOKEN", {"Authorization": "Bearer t0ken"}),
    ("Authorization: Basic ${TOKEN}==", {"Authorization": "Basic t0ken=="}),
    ("X-Price: 5$$", {"X-Price": "5$"}),
]


@for_each("line, values", HEADERS)
def test_headers(line, values):
    assert read_headers([line], {"TOKEN": "t0ken"}).values == values


BAD_HEADERS = [
    ("X-Key", "a header is 'Name: value'"),
    ("X Key: a", "a header is 'Name: value'"),
    (": a", "a header is 'Name: value'"),
    ("X-Key: $NONE", "header 'X-Key': environment variable NONE is not set"),
    ("X-Key: $", "$ must be followed by a variable's name"),
    ("X-Key: s3cret\r\nX-Other: 1", "the value must be one line of printable ASCII"),
    ("X-Key: $SPLIT", "the value must be one line of printable ASCII"),
    ("X-Key: s3cret-ü", "the value must be one line of printable ASCII"),
]


@for_each("line, message", BAD_HEADERS)
def test_bad_headers(line, message):
    with pytest.raises(DataError) as caught:
        HttpSearch("http://h/", headers=[line], environment={"SPLIT": "s3cret\nx"})
    assert message in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_ones_own_header_takes_the_place_of_a_usual_one():
    own = read_headers(["content-type: application/x-ndjson"], {}).values
    sent = all_headers(own, has_body=True)
    assert [value for name, value in sent.items() if name.lower() == "content-type"] == ["application/x-ndjson"]
