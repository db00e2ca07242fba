"""Texts that contain each other, edit similarities as in rapidfuzz, and similarity by an embedder."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import JaroWinkler, Levenshtein

import assay
from tables import for_each

nan = math.nan
# measure, references, prediction, value
CASES = [
    ("contains", ["Eiffel Tower"], "the eiffel tower!", 1),
    ("contains", ["art"], "a party", 0),
    ("contains(words=false)", ["art"], "a party", 1),
    ("contains", ["cat", "dog"], "a dog", 1),
    ("contains(normalize=none)", ["Cat"], "a cat", 0),
    ("contains(normalize=none)", ["a  cat"], "see a cat", 1),
    ("contains(normalize=none,words=false)", ["a  cat"], "see a cat", 0),
    ("contains(normalize=multilingual)", ["東京"], "私は東京に住む", 1),
    ("contains", [""], "cat", 0),
    ("contains", ["the"], "", 1),
    ("contains(words=false)", [""], "cat", 0),
    ("contains", [], "cat", nan),
    ("levenshtein", ["kitten"], "sitting", 1 - 3 / 7),
    ("levenshtein", [], "a", nan),
    ("levenshtein", ["東京"], "東", 1 / 2),
    ("levenshtein(normalize=squad)", ["The Cat"], "cat", 1),
    ("jaro_winkler", ["DWAYNE"], "DUANE", 0.84),
    ("jaro_winkler", [""], "", 1),
    ("jaro_winkler", [], "a", nan),
    ("jaro_winkler(normalize=squad)", ["The Cat"], "cat", 1),
]


@for_each("measure, references, prediction, value", CASES)
def test_literal(measure, references, prediction, value):
    result = assay.evaluate_answers([references], [prediction], measure)
    assert result.scores[measure].tolist() == pytest.approx([value], nan_ok=True)


texts = st.text("abc ", max_size=9) | st.text(max_size=9)
clean = texts.map(lambda text: text.encode("utf-8", "replace").decode("utf-8"))


@given(st.lists(clean, min_size=1, max_size=3), clean, st.floats(0, 0.25))
def test_edit_similarities_are_those_of_rapidfuzz(references, prediction, weight):
    winkler = f"jaro_winkler(prefix_weight={weight!r})"
    result = assay.evaluate_answers([references], [prediction], ["levenshtein", winkler])
    best = max(Levenshtein.normalized_similarity(each, prediction) for each in references)
    assert result["levenshtein"] == pytest.approx(best, abs=1e-12)
    best = max(JaroWinkler.similarity(each, prediction, prefix_weight=weight) for each in references)
    assert result[winkler] == pytest.approx(best, abs=1e-12)


def test_long_texts_are_compared_by_their_first_characters_and_it_is_said():
    generator = random.Random(0)
    long = "".join(generator.choices("abcdefgh ", k=1_000_000))
    measures = ["levenshtein", "jaro_winkler"]
    result = assay.evaluate_answers([[long], [long], ["ab"]], [f"x{long}", "a", "ab"], measures)
    assert result.scores["levenshtein"].tolist() == pytest.approx([1 - 900_003 / 1_000_001, 1 / 1_000_000, 1], abs=1e-6)
    assert [str(note) for note in result.notes] == [
        f"{name}: 3 texts of more than 100,000 characters, compared only up to that length" for name in measures
    ]


LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Counting:
    """An embedder that counts letters, and remembers what it was asked for."""

    def __init__(self):
        self.calls = []

    def __call__(self, texts):
        assert type(texts) is list
        self.calls.append(texts)
        return np.array([[text.count(letter) for letter in LETTERS] for text in texts], dtype=np.float32)


def test_semantic_is_the_cosine_with_the_best_reference():
    measure = assay.judges.semantic(Counting())
    references = [["ab"], ["xy", "aab"], ["ab"], [], [""]]
    result = assay.evaluate_answers(references, ["ba", "aab", "cd", "a", ""], [measure, "em"])
    assert result.scores["semantic"].tolist() == pytest.approx([1, 1, 0, nan, 0], nan_ok=True)
    assert result[measure] == result["semantic"] == pytest.approx(1 / 2)
    assert "answers measures: semantic answer_em(" in str(result.signature)
    assert result.interval("semantic").low < result.interval("semantic").high


def test_semantic_asks_in_batches_and_for_each_text_once():
    embed = Counting()
    measure = assay.judges.semantic(embed, "letters", batch=4)
    references = [["a", "b", "same"] for _ in range(6)]
    assay.evaluate_answers(references, ["same", "p", "q", "r", "s", "t"], measure)
    assert embed.calls == [["same", "p", "q", "r"], ["a", "b"], ["s", "t", "a", "b"], ["same"]]


def test_semantic_can_be_negative():
    measure = assay.judges.semantic(lambda texts: [[float(text)] for text in texts], "signed")
    assert assay.evaluate_answers(["1", "-2"], ["-1", "-3"], measure).scores["signed"].tolist() == [-1, 1]


BAD_EMBEDDERS = [
    (lambda _: [[1.0]], "the embedder returned an array of shape (1, 1) for 2 texts"),
    (lambda texts: [1.0 for _ in texts], "the embedder returned an array of shape (2,) for 2 texts"),
    (lambda texts: [[math.nan] for _ in texts], "the embedder returned a vector with a NaN or infinite value"),
    (lambda texts: [["x"] for _ in texts], "the embedder did not return vectors of numbers: could not convert"),
    (lambda _: None, "the embedder returned an array of shape () for 2 texts; expected one vector per text"),
]


@for_each("embed, message", BAD_EMBEDDERS)
def test_bad_embedders(embed, message):
    with pytest.raises(assay.errors.DataError) as caught:
        assay.evaluate_answers(["a"], ["b"], assay.judges.semantic(embed))
    assert str(caught.value).startswith(message)


BAD_CALLS = [
    (("model",), {}, "semantic: embed must be a function from texts to vectors, not 'str'"),
    ((len, "two words"), {}, "semantic: name must be one word of letters, digits and _, not 'two words'"),
    ((len, "bleu"), {}, "a measure named 'bleu' already exists; choose another name"),
    ((len,), {"batch": 0}, "semantic: batch must be a whole number at least 1"),
]


@for_each("arguments, options, message", BAD_CALLS)
def test_bad_calls(arguments, options, message):
    with pytest.raises(assay.errors.MeasureError) as caught:
        assay.judges.semantic(*arguments, **options)
    assert str(caught.value).startswith(message)
