"""Scores from elsewhere: fields of the records and functions as measures, missing values, and what is wrong with them."""

import math
import pickle
import re
from decimal import Decimal
from itertools import product

import numpy as np
import pandas
import polars
import pytest

import assay
from assay.measures.scores import read_score, score_name
from tables import for_each


def rows(*values, name="faithfulness", **more):
    return [{"query_id": f"q{n}", "scores": {name: value}, **more} for n, value in enumerate(values)]


def length(record):
    return len(record.answer)


# A value as a record has it, and the number it is.
VALUES = [
    *((value, value) for value in (0.25, 3, -1.5)),
    *((value, 1) for value in (True, "True", np.bool_(True))),
    *((value, 0) for value in (False, "false")),
    *((value, 0.5) for value in ("0.5", np.float32(0.5), Decimal("0.5"), np.array(0.5), np.array([0.5]))),
    *((value, 0.001) for value in (" 1e-3 ", np.float64(0.001))),
    *((value, math.nan) for value in (None, math.nan, "", "nan", pandas.NA, pandas.NaT)),
]


@for_each("value, expected", VALUES)
def test_a_value_is_this_number(value, expected):
    assert read_score(value, "it") == pytest.approx(expected, abs=0, nan_ok=True)


@for_each("value", ["high", [0.5], {"score": 1}, math.inf, "1e999", 10**400, np.array([1, 2]), b"1", 1j])
def test_anything_else_is_an_error_that_names_the_record_and_the_field(value):
    with pytest.raises(assay.errors.DataError, match=r"record 1 \('q1'\): the score 'faithfulness' must be a"):
        assay.evaluate_rag(rows(0.5, value))


NAMES = [
    ("faithfulness", "faithfulness"),
    ("Answer Relevancy", "Answer_Relevancy"),
    ("Correctness (GEval)", "Correctness_GEval"),
    ("a=b, c", "a_b_c"),
    ("hit@5", "hit@5"),
    ("_x_", "_x_"),
    ("red\x1b[31m", "red_[31m"),
]


@for_each("field, name", NAMES)
def test_the_name_of_a_field_is_legal_and_finds_the_field(field, name):
    assert score_name(field) == name
    key = f"score:{name}"
    result = assay.evaluate_rag(rows(0.25, 0.75, name=field))
    assert result.mean == {key: 0.5}
    assert assay.parse_measure(key) == result.measures[key]
    assert assay.evaluate_rag(rows(0.25, 0.75, name=field), key).mean == {key: 0.5}


def test_scores_of_the_records_are_measures_by_default():
    parts = (("x", {"a": 0.5, "b": 1}), ("y", {"a": 0.25}))
    records = [{"answer": answer, "references": ["x"], "scores": scores} for answer, scores in parts]
    result = assay.evaluate_rag(records)
    assert result.mean == {"answer_em": 0.5, "answer_f1": 0.5, "score:a": 0.375, "score:b": 1}
    assert result.scores["score:b"].tolist() == pytest.approx([1, math.nan], nan_ok=True)
    assert "score:a" not in assay.evaluate_rag(records, "answer_em")


def test_missing_values_are_counted_in_a_note_and_left_out():
    result = assay.evaluate_rag(rows(0.5, None, 1.0, math.nan))
    assert (result["score:faithfulness"], result.counted("score:faithfulness")) == (0.75, 2)
    (note,) = [note for note in result.notes if note.measures == ("score:faithfulness",)]
    assert (note.kind, note.count, note.queries) == ("missing", 2, ("q1", "q3"))
    assert str(note) == "score:faithfulness: 2 questions have no value; left out of the mean: 'q1', 'q3'"
    assert math.isnan(assay.evaluate_rag(rows(None, None))["score:faithfulness"])


ANSWERED = {"user_input": ["a", "b", "c"], "response": ["x", "y", "z"]}
COLUMNS = polars.DataFrame(ANSWERED | {"faithfulness": [0.5, None, 1.0], "ok": [True, False, True]})
FORMS = {
    "polars": lambda _: COLUMNS,
    "pandas": lambda _: COLUMNS.to_pandas(),
    "arrow": lambda _: COLUMNS.to_arrow(),
    "csv": COLUMNS.write_csv,
    "parquet": COLUMNS.write_parquet,
    "jsonl": COLUMNS.write_ndjson,
}


@for_each("form", FORMS)
def test_columns(form, tmp_path):
    path = tmp_path / f"r.{form}"
    data = FORMS[form](path)
    result = assay.evaluate_rag(path if data is None else data, "score:*")
    assert list(result.mean.items()) == [("score:faithfulness", 0.75), ("score:ok", 2 / 3)]


def test_scores_in_a_struct_column(tmp_path):
    polars.DataFrame(rows(0.5, None, 1.0)).write_parquet(tmp_path / "r.parquet")
    assert assay.evaluate_rag(tmp_path / "r.parquet").mean == {"score:faithfulness": 0.75}


RETRIEVED = {"query_id": "q", "gold": ["a"], "retrieved": ["b", "a"]}
BOTH_SCORES = [RETRIEVED | {"retrieved_scores": [2, 1], "scores": {"x": 1}}]
# Records, options, and the means.
PLACES = [
    # A score in `scores` comes before a field of that name.
    (rows(0.5, 1, faithfulness=9), {"measures": "score:faithfulness"}, {"score:faithfulness": 0.75}),
    ([{"metrics": {"a": 1}}, {"metrics": {"a": 0}}], {"columns": {"scores": "metrics"}}, {"score:a": 0.5}),
    # Scores of the documents retrieved stand beside.
    (BOTH_SCORES, {"measures": ["rr", "score:x"]}, {"rr": 0.5, "score:x": 1}),
    ([RETRIEVED | {"scores": [2, 1]}], {"measures": "rr"}, {"rr": 0.5}),
]


@for_each("records, how, means", PLACES)
def test_places_of_scores(records, how, means):
    assert assay.evaluate_rag(records, **how).mean == means


MIXED = [{"query_id": str(n), "retrieved": ["a"], "scores": scores} for n, scores in enumerate(({"x": 1}, [1]))]
NO_SCORES = [
    ([RETRIEVED | {"scores": {"a": 0.5, "b": 0.7}}], "rr", "the scores are by document id; write them as a list"),
    (MIXED, None, "the scores must be an object of names and numbers"),
]
for key, names in product(("", " ", "(=)"), (None, "score:*")):
    unnamed = [{"scores": {"x": 1}}, {"scores": {"x": 1, key: 1}}]
    NO_SCORES += [(unnamed, names, f"record 1: '{key}' in the scores is not a name; name each")]


@for_each("records, names, message", NO_SCORES)
def test_what_are_no_scores(records, names, message):
    with pytest.raises(assay.errors.DataError, match=re.escape(message)):
        assay.evaluate_rag(records, names)


def test_numbers_by_query_need_nothing_else():
    old, new = ({f"q{n}": {"clicks": n + more} for n in range(20)} for more in (0, 1))
    results = {name: assay.evaluate_rag(each, "score:clicks") for name, each in (("old", old), ("new", new))}
    (pair,) = assay.compare(None, results).pairs
    assert (pair.difference, pair.wins) == (1, 20)
    assert pair.p < 0.001


def test_a_system_has_its_own_scores():
    questions = [{"query_id": "q", "references": ["x"], "scores": {"a": 0.5}, "difficulty": 2}]
    outputs = [{"query_id": "q", "answer": "x", "scores": {"a": 1.0}}]
    result = assay.evaluate_rag(questions, ["score:a", "score:difficulty"], outputs=outputs)
    assert result.mean == {"score:a": 1.0, "score:difficulty": 2}
    assert any("scores in the records ignored" in str(note) for note in result.notes)


WRONG = [
    ("score:faith", "no record has a score or a field 'faith'"),
    ("score:faithfulnes", "did you mean faithfulness?"),
    ("score:", "cannot read the measure 'score:'"),
    ("score:a b", "cannot read the measure"),
    ("score:a(lower=true)", "write score:name or"),
]


@for_each("name, message", WRONG)
def test_names_that_mean_nothing(name, message):
    with pytest.raises(assay.errors.MeasureError, match=re.escape(message)):
        assay.evaluate_rag(rows(0.5), [name])


def test_a_function_gets_records_with_their_own_fields():
    def cost(record):
        assert record.question == record["user_input"] == "why"
        assert record["question"] == "why"
        with pytest.raises(KeyError):
            record["nothing"]
        return record["tokens"] / len(record.retrieved.ids)

    record = {"query_id": "q", "user_input": "why", "retrieved": ["a", "b"], "tokens": 3}
    assert assay.evaluate_rag([record], [cost]).mean == {"score:cost": 1.5}


def test_a_function_alone_is_one_measure():
    records = [{"query_id": "q", "answer": "abc"}, {"query_id": "r", "answer": "a"}]
    assert assay.evaluate_rag(records, length).mean == {"score:length": 2}
    shown = assay.extend.score(length, "cost of it", higher_is_better=False)
    result = assay.evaluate_rag(records, [shown, length])
    assert result.mean == {"score:cost_of_it": 2, "score:length": 2}
    assert not result.measures["score:cost_of_it"].definition.higher_is_better
    assert result.worst(1, by="score:cost_of_it").table().rows[0][0] == "q"


def test_a_function_may_have_no_value_for_a_record():
    values = {"q": None, "r": math.nan, "s": True, "t": np.float32(0.5)}
    own = assay.extend.score(lambda record: values[record.query_id], "x")
    result = assay.evaluate_rag([{"query_id": query} for query in values], own)
    assert result.mean == {"score:x": 0.75}
    assert [note.queries for note in result.notes] == [("q", "r")]


def shout(record):
    raise ValueError("\x1b[31mred\n" + record.query_id)


NO_NUMBERS = [
    (length, r"record 1 \('r'\): the function 'length' raised TypeError: "),
    (assay.extend.score(lambda _: "good", "x"), r"what the function 'x' returns must be a number, .* not 'good'"),
    (shout, r"the function 'shout' raised ValueError: \\x1b\[31mred\\nq$"),
]


@for_each("function, message", NO_NUMBERS)
def test_a_function_that_gives_no_number_names_the_record(function, message):
    with pytest.raises(assay.errors.DataError, match=message) as caught:
        assay.evaluate_rag([{"query_id": "q", "answer": "a"}, {"query_id": "r"}], function)
    assert function is not length or isinstance(caught.value.__cause__, TypeError)


FUNCTIONS = [
    (lambda: assay.evaluate_rag([{"answer": "a"}], [lambda _: 1]), "the function has no name"),
    (lambda: assay.extend.score(length, "  "), "'  ' is not a name"),
    (lambda: assay.extend.score(length, 5), "'5' is not a name"),
    (lambda: assay.extend.score(5), "not '5'"),
    (lambda: assay.extend.score("cost", "price"), "a field has its own name"),
    (lambda: assay.extend.score(length, higher_is_better=1), "must be True or False"),
    (lambda: assay.evaluate_rag([{}], [length, assay.extend.score(rows, "length")]), "two different measures are"),
    (lambda: assay.evaluate_rag([{"scores": {"a b": 1, "a_b": 2}}]), "'a b' and 'a_b' are both called score:a_b"),
    (lambda: assay.evaluate({"q": ["a"]}, {"q": ["a"]}, [length]), "score:length is a score from elsewhere"),
]


@for_each("call, message", FUNCTIONS)
def test_what_cannot_be_a_score(call, message):
    with pytest.raises(assay.errors.MeasureError, match=message):
        call()


def test_comparison_and_gate_know_which_side_is_better():
    name = "score:ms(higher_is_better=false)"
    slow, fast = (assay.evaluate_rag(rows(*range(more, 20 + more), name="ms"), name) for more in (5, 0))
    (pair,) = assay.compare(None, {"slow": slow, "fast": fast}).pairs
    assert (pair.measure, pair.difference, pair.wins) == ("score:ms", -5, 20)
    assert assay.gate(None, fast, {"score:ms": 10}).passed
    assert not assay.gate(None, slow, {"score:ms": 10}).passed
    assert not assay.gate(None, slow, baseline=fast, max_drop={name: 1}).passed
    other = assay.evaluate_rag(rows(*range(20), name="ms"))
    with pytest.raises(assay.errors.MismatchError, match=r"score:ms\(higher_is_better=true\) in the other"):
        assay.compare(None, {"fast": fast, "other": other})


def test_stored_scores_are_the_same_measure(tmp_path):
    by_function = assay.extend.score(lambda record: record["ms"], "ms", higher_is_better=False)
    result = assay.evaluate_rag([{"query_id": f"q{n}", "ms": n or None} for n in range(12)], by_function)
    result.save(tmp_path / "r.json")
    again = assay.load_result(tmp_path / "r.json")
    for part in ("mean", "measures", "notes", "signature"):
        assert getattr(again, part) == getattr(result, part)
    assert assay.gate(None, result, baseline=tmp_path / "r.json", max_drop={"score:ms": 0.1}).passed
    assert pickle.loads(pickle.dumps(result)).measures == result.measures  # noqa: S301 - our own


def test_functions_beside_measures_of_answers():
    def has_digits(record):
        return any(each.isdigit() for each in record.answer)

    result = assay.evaluate_answers({"q": "1889", "r": "x"}, {"q": "in 1889", "r": "x"}, [has_digits, "em", length])
    assert result.mean == {"score:has_digits": 0.5, "em": 0.5, "score:length": 4}
    assert assay.evaluate_answers(["x"], ["abc"], length).mean == {"score:length": 3}


def test_the_name_of_a_score_says_which_side_is_better():
    for side, name in ((True, "score:length"), (False, "score:length(higher_is_better=false)")):
        measure = assay.extend.score(length, higher_is_better=side)
        assert str(measure) == name
        assert assay.parse_measure(name) == assay.extend.score("length", higher_is_better=side)
        assert measure.definition.range == (-math.inf, math.inf)


def test_a_function_finds_its_scores_in_a_result():
    def words(record):
        return len(record.answer.split())

    shorter = assay.extend.score(words, "length", higher_is_better=False)
    records = [{"query_id": str(n), "answer": "a " * (n + 1)} for n in range(3)]
    result = assay.evaluate_rag(records, [words, shorter])
    assert (result[words], result[shorter], result.key(words)) == (2, 2, "score:words")
    assert [result.worst(1, by=each).table().rows[0][0] for each in (words, shorter)] == ["0", "2"]
    assert assay.compare(None, {"a": result, "b": result}, words).pairs[0].measure == "score:words"
    with pytest.raises(assay.errors.MeasureError, match="was not computed"):
        result[assay.extend.score(words, "other")]
