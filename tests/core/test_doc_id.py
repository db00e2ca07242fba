r"""Rules from the ids of chunks to those of documents: a table of rules, what is refused, and linear time."""

import copy
import pickle
from types import SimpleNamespace

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.core.doc_id import EXAMPLES, LONGEST, DocIdRule
from tables import for_each

# A rule, the id of a chunk, and its document; None if the rule does not match.
RULES = [
    ("before:#", "guide#3", "guide"),
    ("before:#", "guide", None),
    ("before:\\d", "a1\\d", "a1"),
    ("before_last:_", "guide_v2_chunk_3", "guide_v2_chunk"),
    ("after:/", "corpus/guide/1", "guide/1"),
    ("after_last:/", "corpus/guide/1", "1"),
    (r"regex:^(.+)-\d+$", "a-b-12", "a-b"),
    (r"regex:^(.+)-\d+$", "a-b", None),
    (r"regex:^(.*)-\d+$", "-12", None),
    (r"regex:(\d+)", "doc 17 part 3", "17"),
    (r"regex:^(?:chunk|part):(\w+)", "part:guide", "guide"),
    (r"regex:^(?P<document>\w+)\.", "guide.3", "guide"),
    (r"regex:a(b)?", "ac", None),
    (r"regex:(?i)^(GUIDE)", "guide#1", "guide"),
]


@for_each(("rule", "chunk", "document"), RULES)
def test_the_table_of_rules(rule, chunk, document):
    parsed = DocIdRule.parse(rule)
    assert str(parsed) == rule
    assert DocIdRule.parse(str(parsed)) == parsed
    assert parsed.match(chunk) == document
    assert parsed.of(chunk) == (document or chunk)
    assert parsed.match_all([chunk, "x", chunk]).to_list()[::2] == [document] * 2


# A path, what was retrieved, and the document.
FIELDS = [
    ("source", {"source": "guide"}, "guide"),
    ("source", {"source": 7}, "7"),
    ("source", {"source": None}, None),
    ("source", {"source": ""}, None),
    ("source", {}, None),
    ("metadata.source", {"metadata": {"source": "guide"}}, "guide"),
    ("metadata.source", {"metadata.source": "flat", "metadata": {"source": "guide"}}, "flat"),
    ("a.b.c", {"a": {"b.c": "x"}}, "x"),
    ("metadata.source", {"metadata": None}, None),
    ("metadata.source", {"metadata": "text"}, None),
    ("metadata.source", SimpleNamespace(metadata={"source": "guide"}), "guide"),
    ("field:_source.file-name", {"_source": {"file-name": "guide"}}, "guide"),
    ("field:my field", {"my field": "guide"}, "guide"),
    # No path leads into the inside of an object.
    ("__class__.__name__", SimpleNamespace(), None),
]


@for_each(("path", "item", "document"), FIELDS)
def test_the_field_of_an_item(path, item, document):
    rule = DocIdRule.parse(path)
    assert str(rule) == "field:" + path.removeprefix("field:")
    assert DocIdRule.parse(str(rule)) == rule
    assert (rule.match("c1", item), rule.of("c1", item)) == (document, document or "c1")


NOT_A_RULE = f"is not a rule; a rule is {EXAMPLES}"
GROUPS = r"groups; mark the document's id with one, as in ^(.+)-\d+$, and write other groups as (?:…)"
REGEX = "doc_id: the regular expression"
TOO_LARGE = "Compiled regex exceeds size limit of 10485760 bytes."
LOOKING = "look-around, including look-ahead and look-behind, is not supported"
REFUSED = [
    ("", f"doc_id: '' {NOT_A_RULE}"),
    ("#", f"doc_id: '#' {NOT_A_RULE}"),
    ("before", f"doc_id: 'before' {NOT_A_RULE}"),
    ("before:", f"doc_id: 'before:' {NOT_A_RULE}"),
    ("until:#", f"doc_id: 'until:#' {NOT_A_RULE}"),
    (r"^(.+)-\d+$", rf"doc_id: '^(.+)-\d+$' {NOT_A_RULE}"),
    (3, f"doc_id must be a rule or a function, not '3'; a rule is {EXAMPLES}"),
    ("field:a..b", "doc_id: 'a..b' is not a field path; write names with dots, as in metadata.source"),
    ("before:\ud800", r"doc_id: 'before:\ud800' is not valid Unicode"),
    ("before:" + "x" * LONGEST, "doc_id has 1,007 characters; at most 1,000 are allowed"),
    ("regex:abc", f"{REGEX} 'abc' has 0 {GROUPS}"),
    ("regex:(a)(b)", f"{REGEX} '(a)(b)' has 2 {GROUPS}"),
    ("regex:(a)(?=b)", f"{REGEX} '(a)(?=b)' cannot be used: {LOOKING}"),
    (r"regex:(a)\1", rf"{REGEX} '(a)\1' cannot be used: backreferences are not supported"),
    ("regex:(a", f"{REGEX} '(a' cannot be used: unclosed group"),
    (r"regex:(\w{1000}){1000}", rf"{REGEX} '(\w{{1000}}){{1000}}' cannot be used: {TOO_LARGE}"),
]


@for_each(("rule", "message"), REFUSED)
def test_what_is_refused(rule, message):
    with pytest.raises(assay.errors.PolicyError) as caught:
        DocIdRule.parse(rule)
    assert str(caught.value) == message


def test_an_evil_expression_takes_linear_time():
    rule = DocIdRule.parse(r"regex:^((?:a+)+)+b$")
    chunks = ["a" * 5_000] * 200
    # Whoever tries every way to match does not live to see the end.
    assert rule.match_all(chunks).null_count() == 200


def before_dash(chunk):
    return chunk.partition("-")[0] if "-" in chunk else None


def test_a_function():
    rule = DocIdRule.parse(before_dash)
    assert str(rule) == f"function:{__name__}.before_dash"
    assert rule.match_all(["a-1", "b", "a-2"]).to_list() == ["a", None, "a"]
    stored = DocIdRule.parse(str(rule))
    assert stored == rule
    with pytest.raises(assay.errors.PolicyError, match=r"is a function of Python; pass the function itself"):
        stored.of("a-1")
    first, second = (DocIdRule.parse(each) for each in [lambda chunk: chunk, lambda chunk: chunk + "x"])
    assert str(first) == str(second)
    assert first != second
    assert hash(first) == hash(second)


def test_a_function_is_called_once_per_id():
    calls = []
    DocIdRule.parse(lambda chunk: calls.append(chunk) or "d").match_all(polars.Series(["a", "b", "a"]))
    assert sorted(calls) == ["a", "b"]


class Unhashable:
    __hash__ = None

    def __call__(self, chunk):
        return chunk


NO_ID = "which is not an id; ids are strings or integers"
FAILING = [
    ("source", {"source": 1.5}, f"doc_id=\"field:source\" is '1.5', {NO_ID}"),
    ("source", {"source": True}, f"doc_id=\"field:source\" is 'True', {NO_ID}"),
    ("source", {"source": ["a"]}, f"doc_id=\"field:source\" is '['a']', {NO_ID}"),
    (lambda chunk: chunk[9], None, "failed for the id 'a': IndexError: string index out of range"),
    (lambda _: 1.5, None, f"gave '1.5' for the id 'a', {NO_ID}"),
    (Unhashable(), None, "cannot be hashed; pass a plain function"),
]


@for_each(("rule", "item", "message"), FAILING)
def test_rules_that_fail(rule, item, message):
    error = assay.errors.PolicyError if isinstance(rule, Unhashable) else assay.errors.DataError
    with pytest.raises(error) as caught:
        DocIdRule.parse(rule).of("a", item)
    assert str(caught.value).endswith(message)


def test_rules_are_equal_to_their_text_and_can_be_copied():
    rule = DocIdRule.parse("before:#")
    assert rule == "before:#"
    assert rule != "before:-"
    assert rule != None  # noqa: E711 - what a dataclass compares
    assert copy.deepcopy(rule) == pickle.loads(pickle.dumps(rule)) == rule  # noqa: S301 - our own
    assert copy.deepcopy(rule).of("a#1") == "a"


@given(separator=st.text(min_size=1, max_size=3), chunk=st.text("ab#_.\n", max_size=8) | st.text())
def test_separators_mean_what_python_says(separator, chunk):
    expected = {
        "before": chunk.partition(separator)[0] if separator in chunk else None,
        "before_last": chunk.rpartition(separator)[0] if separator in chunk else None,
        "after": chunk.partition(separator)[2],
        "after_last": chunk.rpartition(separator)[2] if separator in chunk else None,
    }
    for kind, document in expected.items():
        assert DocIdRule.parse(f"{kind}:{separator}").match(chunk) == (document or None)
