"""ROUGE: literal cases, and rouge-score itself on random texts."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer

import assay
from tables import for_each

nan = math.nan
# measure, references, prediction, value
CASES = [
    ("rouge_1", ["a b c d"], "b c", 2 * 1 * 0.5 / 1.5),
    ("rouge_1(score=precision)", ["a b c d"], "b c", 1),
    ("rouge_1(score=recall)", ["a b c d"], "b c", 1 / 2),
    ("rouge_1", ["a", "b c"], "b", 2 / 3),
    ("rouge_1(score=precision)", ["a x y z", "a"], "a a", 1 / 2),
    ("rouge_1", [""], "", 0),
    ("rouge_1", [], "a", nan),
    ("rouge_1", ["東京"], "東京", 0),
    ("rouge_1", ["Don't stop"], "don t STOP!", 1),
    ("rouge_1(stem=true)", ["running dogs"], "runs dog", 1),
    ("rouge_1(stem=true)", ["its"], "it", 0),
    ("rouge_2", ["a b c"], "x a b", 1 / 2),
    ("rouge_n(n=9)", ["a b c d e f g h i"], "a b c d e f g h i", 1),
    ("rouge_l", ["a b c d"], "a x c y", 1 / 2),
    ("rouge_l(score=precision)", ["a b c d"], "d c b a b", 2 / 5),
    ("rouge_l", [], "a", nan),
    ("rouge_lsum", ["a\nb"], "b\na", 1),
    ("rouge_lsum", ["a b c d e"], "a c\nb d", 2 * 1 * (4 / 5) / (9 / 5)),
    ("rouge_lsum", ["\n\n"], "a", 0),
    ("rouge_lsum", [], "a", nan),
]
NAMES = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL", "rouge_lsum": "rougeLsum"}
NAMES |= {f"rouge_n(n={size})": f"rouge{size}" for size in (1, 3, 9)}


@for_each("measure, references, prediction, value", CASES)
def test_literal(measure, references, prediction, value):
    result = assay.evaluate_answers([references], [prediction], measure)
    assert result.scores[measure].tolist() == pytest.approx([value], nan_ok=True)


def assert_same(rows, *, stem):
    """All kinds of ROUGE of all questions at once, and rouge-score one by one."""
    names = {f"{name[:-1] if ')' in name else name + '('},".replace("(,", "("): kind for name, kind in NAMES.items()}
    spelled = {
        (f"{start}score={score},stem={str(stem).lower()})", score): kind
        for start, kind in names.items()
        for score in ("fmeasure", "precision", "recall")
    }
    references, predictions = [list(each) for each in zip(*rows, strict=True)]
    result = assay.evaluate_answers(references, predictions, [name for name, _ in spelled])
    scorer = rouge_scorer.RougeScorer(sorted(set(NAMES.values())), use_stemmer=stem)
    for row, (every, prediction) in enumerate(rows):
        expected = scorer.score_multi(every, prediction)
        for (name, score), kind in spelled.items():
            assert result.scores[name][row] == pytest.approx(getattr(expected[kind], score), abs=1e-12), name


WORDS = "the The a b cat cats running runs relational 1889 é x-y K i"
LONG = "internationalisation internationalisations internationalizatio abcdefgh abcdefghi"
long_words = st.sampled_from(LONG.split())
texts = st.lists(st.sampled_from([*WORDS.split(), "\n", "\n"]) | long_words, max_size=14).map(" ".join) | st.text(
    "ab \n", max_size=14
)
rows = st.lists(st.tuples(st.lists(texts | st.text(max_size=9), min_size=1, max_size=3), texts), min_size=1, max_size=4)


@given(rows, st.booleans())
def test_is_that_of_rouge_score(rows, stem):
    assert_same(rows, stem=stem)


@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=9), min_size=1, max_size=4),
    st.lists(st.lists(st.sampled_from("abcx"), max_size=9), min_size=1, max_size=4),
)
def test_lsum_takes_the_same_of_several_common_subsequences(right, given_):
    reference, prediction = ("\n".join(" ".join(line) for line in lines) for lines in (right, given_))
    scorer = rouge_scorer.RougeScorer(["rougeLsum"])
    expected = scorer.score(reference, prediction)["rougeLsum"].fmeasure
    result = assay.evaluate_answers([reference], [prediction], "rouge_lsum")
    assert result["rouge_lsum"] == pytest.approx(expected, abs=1e-12)


def test_many_questions_in_many_blocks():
    generator = random.Random(0)
    vocabulary = [f"word{number}" for number in range(2000)]

    def text():
        words = generator.choices(vocabulary, weights=range(2000, 0, -1), k=generator.randrange(60))
        return "".join(word + generator.choice([" ", " ", ", ", "\n"]) for word in words)

    assert_same([([text() for _ in range(generator.randrange(1, 3))], text()) for _ in range(400)], stem=False)


def test_long_ngrams_of_many_words():
    words = [f"w{number}" for number in range(3000)]
    reference, prediction = " ".join(words), " ".join(words[:1500] + words[:1500])
    shared, given = 1492, 2992
    result = assay.evaluate_answers([reference], [prediction], "rouge_n(n=9,score=precision)")
    assert list(result.mean.values()) == [shared / given]


@for_each("measure", ["rouge_l", "rouge_lsum"])
def test_long_texts_are_compared_by_their_first_words_and_it_is_said(measure):
    generator = random.Random(1)
    reference, prediction = (" ".join(generator.choices("abcdefgh", k=400_000)) for _ in range(2))
    start = " ".join(["x"] * 10_000)
    references, predictions = [reference, f"{start} a", "a b"], [prediction, f"{start} a", "b"]
    result = assay.evaluate_answers(references, predictions, measure)
    assert result.scores[measure][0] < 10_000 / 400_000
    assert result.scores[measure][1:].tolist() == pytest.approx([10_000 / 10_001, 2 / 3])
    (note,) = map(str, result.notes)
    assert note == f"{measure}: 4 texts of more than 10,000 words, compared only up to that length"


def test_a_text_of_many_short_lines():
    lines = "\n".join(f"w{number % 97} w{number % 89}" for number in range(2000))
    assert assay.evaluate_answers([lines], [lines], "rouge_lsum")["rouge_lsum"] == 1
