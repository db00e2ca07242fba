"""Criteria in words: in names, in files, and what the judge sees of them."""

import json
import pickle

import numpy as np
import pytest

import assay
from assay.conventions import split_measures
from assay.core.ruling import JudgeFailure, Reply
from assay.measures import TABLE, parse
from assay.measures.judged.case import replay
from assay.measures.judged.criteria import read_levels, weighted_score
from chat_server import completion, serve
from judges import Script
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada.", "references": ["Ada L."], "retrieved_texts": ["Ada did it."]}
YES = '{"reason": "r", "verdict": true}'


NAMES = [
    ('aspect(criterion="Is the answer polite?")', "Is the answer polite?"),
    ("aspect(criterion='Is it short, and polite?')", "Is it short, and polite?"),
    ('aspect( criterion = "Isn\'t it rude, or = wrong?" )', "Isn't it rude, or = wrong?"),
    ('aspect(criterion="5")', "5"),
    ("aspect(criterion=polite)", "polite"),
    ('ASPECT(criterion="Höflich – ja?",see=all)', "Höflich – ja?"),
]


@for_each("name, criterion", NAMES)
def test_a_criterion_in_a_name(name, criterion):
    measure = assay.parse_measure(name)
    assert measure.values["criterion"] == criterion
    assert parse(str(measure)) == parse(measure.full_name) == measure


def test_criteria_stay_whole_among_other_names():
    name = 'aspect(criterion="Is it short, and polite?")'
    assert split_measures(f"faithfulness {name},rr") == ["faithfulness", name, "rr"]


WRONG_NAMES = [
    ("aspect", "aspect needs criterion; write aspect"),
    ('aspect(criterion="")', "cannot read|criterion must be a text"),
    ('aspect(criterion="two\nlines")', "criterion must be a text of at most 600 characters in quotes"),
    (f'aspect(criterion="{"x" * 601}")', "criterion must be a text"),
    ('aspect(criterion="a (b)")', "cannot read the measure"),
    ('aspect(criterion="a",criterion="b")', "duplicate parameter 'criterion'"),
    ('aspect(criterion="ok",see=nothing)', "see must be answer or reference or contexts or all"),
    (f'aspect(criterion="{"x" * 1001}")', "has 1,021 characters"),
]


@for_each("name, match", WRONG_NAMES)
def test_what_cannot_be_a_criterion(name, match):
    with pytest.raises(assay.errors.MeasureError, match=match):
        assay.parse_measure(name)


@for_each("text", ['say "hi"', "a (b)", "two\nlines", "tab\there", "\x00", 5, None])
def test_objects_are_checked_too(text):
    with pytest.raises(assay.errors.MeasureError, match="criterion must be a text"):
        parse('aspect(criterion="x")').definition(criterion=text)


WEIGHTED = [
    (4, {}, 4),
    (4, {"4": 0.5, "5": 0.5}, 4.5),
    (5, {"1": 0.1, "5": 0.3}, 4),
    (4, {"4": 0.6, "5": 0.2, "the": 0.2}, 4.25),
    (4, {"9": 0.9, "0": 0.1}, 4),
    (4, {"²": 1.0}, 4),
]


@for_each("plain, weights, expected", WEIGHTED)
def test_weighted_score(plain, weights, expected):
    assert weighted_score(plain, weights) == pytest.approx(expected)


LEVELS = [
    ("1: nothing; 2: a part; 3: all", {1: "nothing", 2: "a part", 3: "all"}),
    ("0:no;1:yes", {0: "no", 1: "yes"}),
    ("2: b; 1: a", {1: "a", 2: "b"}),
    ("1: a: b; 2: c;", {1: "a: b", 2: "c"}),
]


@for_each("text, levels", LEVELS)
def test_levels(text, levels):
    assert read_levels(text) == levels


@for_each("text", ["1: a", "1: a; 3: c", "a; b", "1: a; 1: b", "1:; 2: b", ";"])
def test_wrong_levels(text):
    with pytest.raises(assay.errors.MeasureError, match="levels"):
        read_levels(text)


STEPS = [
    ('aspect(criterion="x")', [{"reason": "", "verdict": True}], 1),
    ('guideline(criterion="x")', [{"reason": "", "verdict": False}], 0),
    ('rubric(levels="0: a; 1: b; 2: c")', [{"reason": "", "level": 2}], 2),
    ('g_eval(criterion="x")', [{"steps": ["s"]}, {"reason": "", "score": 3}], 3),
    ('g_eval(criterion="x")', [{"steps": ["s"]}, Reply({"reason": "", "score": 3}, {"3": 0.5, "2": 0.5})], 2.5),
]


@for_each("name, replies, expected", STEPS)
def test_steps(name, replies, expected):
    assert replay(name, RECORD, replies).score == expected


def test_a_level_outside_the_rubric_is_unparsable():
    judge = assay.Judge(Script('{"reason": "", "level": 4}'), cache=False, retries=0)
    with pytest.warns(assay.DataWarning, match="level is 4, not from 1 to 3"):
        assay.evaluate_rag([RECORD], ['rubric(levels="1: a; 2: b; 3: c")'], judge=judge)


SEEN = [
    ("answer", {"question", "answer"}),
    ("reference", {"question", "answer", "reference"}),
    ("contexts", {"question", "answer", "context"}),
    ("all", {"question", "answer", "reference", "context"}),
]


@for_each("see, seen", SEEN)
def test_what_the_judge_sees(see, seen):
    script = Script(YES)
    judge = assay.Judge(script, cache=False)
    assay.evaluate_rag([RECORD], [f'aspect(criterion="Is it so?",see={see})'], judge=judge)
    ((_, user),) = script.asked
    assert {part for part in ("question", "answer", "reference", "context") if f"<{part} " in user["content"]} == seen
    assert user["content"].startswith("<criterion")
    assert "Is it so?" in user["content"]


def test_what_it_should_see_must_be_there():
    with pytest.raises(JudgeFailure, match="no reference answer"):
        replay('aspect(criterion="x",see=reference)', {"answer": "a"}, [])


def test_the_steps_of_g_eval_are_written_once_for_all_records():
    score = json.dumps({"reason": "", "score": 4})
    script = Script('{"steps": ["Read."]}', *[score] * 5)
    records = [{"query_id": str(number), "answer": f"a{number}"} for number in range(5)]
    judge = assay.Judge(script, cache=False, concurrency=1)
    assert assay.evaluate_rag(records, ['g_eval(criterion="x")'], judge=judge).mean == {'g_eval(criterion="x")': 4.0}
    assert len(script.asked) == 6


CRITERIA = """
[politeness]
aspect = "Is the answer polite (or at least not rude)?"

[tone]
guideline = "Says \\"you\\"."
see = "reference"

[completeness]
rubric = "How much of what was asked does it say?"
levels = { 1 = "nothing", 2 = "a part", 3 = "all" }

[errors]
rubric = "How wrong is it?"
levels = ["not at all", "quite"]
higher_is_better = false

[depth]
g_eval = "Is it deep?"
"""


@pytest.fixture
def own(make):
    file = make("criteria.toml", CRITERIA)
    criteria = assay.judges.read_criteria(file)
    yield file, criteria
    for name in criteria:
        assay.extend.remove_measure(name)


def test_criteria_of_a_file_are_measures(own):
    file, criteria = own
    assert list(criteria) == ["politeness", "tone", "completeness", "errors", "depth"]
    for name, measure in criteria.items():
        assert str(measure) == name
        assert assay.parse_measure(name) == measure
        assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301 - our own
    assert assay.judges.read_criteria(file) == criteria
    assert criteria["completeness"].definition.range == (1, 3)
    assert not criteria["errors"].definition.higher_is_better
    assert criteria["politeness"].definition.summary == "Is the answer polite (or at least not rude)?"


@pytest.mark.usefixtures("own")
def test_they_are_asked_and_signed():
    script = Script(YES)
    result = assay.evaluate_rag([RECORD], ["politeness"], judge=assay.Judge(script, cache=False))
    assert result.mean == {"politeness": 1.0}
    assert "polite (or at least not rude)" in script.asked[0][1]["content"]
    assert "aspect/1, criterion " in str(result.signature)
    levels = Script('{"reason": "", "level": 2}')
    result = assay.evaluate_rag([RECORD], ["completeness", "errors"], judge=assay.Judge(levels, cache=False))
    assert result.mean == {"completeness": 2.0, "errors": 2.0}
    assert "How much of what was asked does it say?\n1: nothing\n2: a part\n3: all" in levels.asked[0][1]["content"]


@pytest.mark.usefixtures("own")
def test_another_criterion_of_the_same_name_is_refused():
    with pytest.raises(assay.errors.MeasureError, match="another criterion is named 'politeness'"):
        assay.judges.read_criteria({"politeness": {"aspect": "Is it kind?"}})
    with pytest.raises(assay.errors.MeasureError, match="a measure named 'ndcg' already exists"):
        assay.judges.read_criteria({"ndcg": {"aspect": "Is it kind?"}})


WRONG_CRITERIA = [
    ({}, "no criteria"),
    ({"x": "Is it?"}, "a criterion is a section with one of aspect, guideline, rubric, g_eval"),
    ({"x": {}}, "this has none"),
    ({"x": {"aspect": "a", "guideline": "b"}}, "this has aspect and guideline"),
    ({"x": {"aspect": ""}}, "aspect must be a text"),
    ({"x": {"aspect": "a", "level": {}}}, "unknown setting 'level'"),
    ({"x": {"aspect": "a", "levels": {"1": "b"}}}, "only a rubric has levels, not aspect"),
    ({"x": {"rubric": "a"}}, "a rubric needs levels"),
    ({"x": {"rubric": "a", "levels": {"1": "b"}}}, "whole numbers in a row"),
    ({"x": {"rubric": "a", "levels": {"one": "b", "two": "c"}}}, "levels must be whole numbers"),
    ({"x": {"rubric": "a", "levels": {"1": 5, "2": "c"}}}, "levels must be a table of texts"),
    ({"x": {"rubric": "a", "levels": "1"}}, "levels must be a table of texts"),
    ({"x": {"aspect": "a", "see": "everything"}}, "see must be answer or reference or contexts or all"),
    ({"x": {"aspect": "a", "higher_is_better": 1}}, "higher_is_better must be true or false"),
    ({"a b": {"aspect": "a"}}, "'a b' is not a name"),
]


@for_each("content, match", WRONG_CRITERIA)
def test_what_is_wrong_with_criteria_is_said(content, match):
    with pytest.raises(assay.AssayError, match=match):
        assay.judges.read_criteria(content)


@for_each("text, match", [("[x", "not valid TOML"), ("", "no criteria")])
def test_wrong_files(make, text, match):
    with pytest.raises(assay.errors.FormatError, match=match):
        assay.judges.read_criteria(make("c.toml", text))
    with pytest.raises(assay.errors.FileError, match="cannot read the criteria"):
        assay.judges.read_criteria("missing.toml")


def test_unfinished_criteria_leave_nothing_behind():
    with pytest.raises(assay.errors.FormatError):
        assay.judges.read_criteria({"first_of_two": {"aspect": "a"}, "second_of_two": {}})
    assert not TABLE.has("first_of_two")


@pytest.mark.usefixtures("own")
def test_a_result_with_criteria_can_be_stored(tmp_path):
    result = assay.evaluate_rag([RECORD], ["politeness"], judge=assay.Judge(Script(YES), cache=False))
    result.save(tmp_path / "result.json")
    assert assay.load_result(tmp_path / "result.json").mean == {"politeness": 1.0}
    assert np.array_equal(pickle.loads(pickle.dumps(result)).scores["politeness"], [1.0])  # noqa: S301 - our own


def test_probabilities_that_a_server_tells_weight_the_score():
    def reply(body):
        if "steps" in body["response_format"]["json_schema"]["schema"]["properties"]:
            assert not body.get("logprobs")
            return completion('{"steps": ["Read."]}')
        assert body["logprobs"] is True
        choices = [{"token": "4", "logprob": np.log(0.6)}, {"token": "2", "logprob": np.log(0.2)}]
        pieces = ['{"reason": "r", "score": ', "4", "}"]
        content = [{"token": each, "logprob": 0.0, "top_logprobs": choices if each == "4" else []} for each in pieces]
        return completion("".join(pieces), logprobs={"content": content})

    with serve(reply) as chats:
        judge = assay.Judge(chats.url, model="m", cache=False)
        result = assay.evaluate_rag([RECORD], ['g_eval(criterion="x")'], judge=judge)
    assert result['g_eval(criterion="x")'] == pytest.approx((4 * 0.6 + 2 * 0.2) / 0.8)
