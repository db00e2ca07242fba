"""BLEU, chrF and TER: literal cases, sacrebleu itself, and its formulas on random statistics."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

import assay
from assay.measures.answers.sacrebleu import bleu_scores, chrf_scores
from tables import for_each

nan = math.nan
few = settings(max_examples=settings.default.max_examples // 4)
# measure, references, prediction, value
CASES = [
    ("bleu", ["a b c d e f g h"], "a b c d", 100 * math.exp(1 - 8 / 4)),
    ("bleu", ["a b c d"], "x y z w", 0),
    ("bleu", [], "a", nan),
    ("bleu(lowercase=true)", ["A B"], "a b", 100),
    ("bleu(tokenize=char)", ["東京都"], "東京都", 100),
    ("bleu(smooth=floor,smooth_value=0.5)", ["a b"], "a c", 100 * math.sqrt(1 / 2 * 0.5 / 1)),
    ("bleu(smooth=add-k)", ["a b"], "a c", 100 * (1 / 2 * 1 / 2 * 1 * 1) ** (1 / 4)),
    ("bleu", ["a b c", "x b d"], "a b d", 100 * (1 * 1 * (1 / 2)) ** (1 / 3)),
    ("chrf", ["abc"], "", 0),
    ("chrf", [], "abc", nan),
    ("chrf(order=1,beta=1)", ["abc"], "ab", 100 * 2 * (2 / 3) / (5 / 3)),
    ("chrf(order=1,whitespace=true)", ["a b"], "ab", 100 * 5 * (2 / 3) / (4 + 2 / 3)),
    ("ter", ["a b c d"], "c d a b", 25),
    ("ter", ["a b c d"], "", 100),
    ("ter", [""], "a b", 100),
    ("ter", [], "a", nan),
    ("ter", ["a b", "a b c d"], "a b", 0),
    ("ter", ["a b", "x y z w"], "a", 100 * 1 / 3),
    ("ter(case=true)", ["A b"], "a b", 50),
    ("ter(punctuation=false)", ["a , b"], "a b", 0),
    ("ter(normalize=true)", ["a, b"], "a , b", 0),
]


@for_each("measure, references, prediction, value", CASES)
def test_literal(measure, references, prediction, value):
    result = assay.evaluate_answers([references], [prediction], measure)
    assert result.scores[measure].tolist() == pytest.approx([value], nan_ok=True)


WORDS = "the The cat cat. sat, on 1,000 (a) «é» 東京"
words = st.lists(st.sampled_from(WORDS.split()), max_size=9)
texts = words.map(" ".join) | st.text(max_size=8)
rows = st.lists(st.tuples(st.lists(texts, min_size=1, max_size=3), texts), min_size=1, max_size=5)
TOKENIZERS = st.sampled_from(["13a", "intl", "char", "zh", "none"])
SMOOTH = st.sampled_from([("exp", None), ("floor", 0.3), ("floor", None), ("add-k", 2), ("none", None)])


def by_place(references):
    """References as sacrebleu wants them for a corpus: the first of each question, the second of each, and so on."""
    longest = max(map(len, references))
    return [[each[place] if place < len(each) else None for each in references] for place in range(longest)]


def clean(text):
    return text.encode("utf-8", "replace").decode("utf-8")


def assert_equal(rows, measure, sentence, corpus):
    references = [[clean(each) for each in every] for every, _ in rows]
    predictions = [clean(each) for _, each in rows]
    result = assay.evaluate_answers(references, predictions, [measure, with_mean(measure)])
    pairs = zip(references, predictions, strict=True)
    expected = [sentence.sentence_score(given_, right).score for right, given_ in pairs]
    assert result.scores[measure].tolist() == pytest.approx(expected, abs=1e-10)
    score = corpus.corpus_score(predictions, by_place(references))
    assert result[measure] == pytest.approx(score.score, abs=1e-10)
    assert result[with_mean(measure)] == pytest.approx(sum(expected) / len(expected), abs=1e-10)
    assert f"{measure}: sacrebleu signature {corpus.get_signature()}" in map(str, result.notes)


def with_mean(measure):
    return f"{measure[:-1]},aggregate=mean)"


@few
@given(rows, TOKENIZERS, SMOOTH, st.booleans(), st.sampled_from([4, 1, 2, 6]))
def test_bleu_is_that_of_sacrebleu(rows, tokenize, smooth, lowercase, order):
    method, value = smooth
    options = {"tokenize": tokenize, "smooth_method": method, "smooth_value": value, "lowercase": lowercase}
    options["max_ngram_order"] = order
    measure = f"bleu(tokenize={tokenize},smooth={method},lowercase={str(lowercase).lower()},order={order})"
    if value is not None:
        measure = f"{measure[:-1]},smooth_value={value})"
    assert_equal(rows, measure, BLEU(**options, effective_order=True), BLEU(**options))


@few
@given(rows, st.integers(1, 6), st.integers(0, 2), st.integers(1, 3), st.tuples(st.booleans(), st.booleans()))
def test_chrf_is_that_of_sacrebleu(rows, order, words, beta, chosen):
    flag, eps = chosen
    flags = {"lowercase": flag, "whitespace": not flag}
    metric = CHRF(char_order=order, word_order=words, beta=beta, eps_smoothing=eps, **flags)
    told = ",".join(f"{name}={str(value).lower()}" for name, value in {**flags, "eps": eps}.items())
    assert_equal(rows, f"chrf(order={order},words={words},beta={beta},{told})", metric, metric)


@few
@given(rows, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_ter_is_that_of_sacrebleu(rows, normalize, punctuation, asian, case):
    metric = TER(normalized=normalize, no_punct=not punctuation, asian_support=asian, case_sensitive=case)
    options = {"normalize": normalize, "punctuation": punctuation, "asian": asian, "case": case}
    measure = f"ter({','.join(f'{name}={str(value).lower()}' for name, value in options.items())})"
    assert_equal(rows, measure, metric, metric)


def test_the_corpus_score_has_an_interval_and_keeps_it_under_another_name():
    references, predictions = [["a b c d e"]] * 4, ["a b c d e", "a b x d e", "a b c", "x"]
    result = assay.evaluate_answers(references, predictions, ["bleu"])
    low, high = result.interval("bleu")
    assert low < result["bleu"] < high
    renamed = result.only(["sacrebleu"])
    assert renamed["sacrebleu"] == result["bleu"]
    assert renamed.interval("sacrebleu") == (low, high)


def test_questions_without_a_reference_do_not_count():
    result = assay.evaluate_answers([["a b"], []], ["a b", "x"], ["bleu", "chrf", "ter"])
    assert result.mean == {"bleu": 0, "chrf": 100, "ter": 0}
    # One question says nothing about others.
    assert math.isnan(result.interval("chrf").low)
    both = assay.evaluate_answers([["a b"], [], ["c d"]], ["a b", "x", "c d"], ["chrf"])
    assert both.interval("chrf") == (100, 100)
    assert "chrf: 1 query left out of the mean; there is no reference" in map(str, result.notes)
    none = assay.evaluate_answers([[], []], ["a b", "x"], ["bleu", "chrf", "ter"])
    assert all(math.isnan(value) for value in none.mean.values())
    assert math.isnan(none.interval("bleu").low)


def test_a_tokenizer_that_is_not_installed_is_a_clear_error():
    told = r"bleu: sacrebleu cannot use the tokenizer ko-mecab: .*install"
    with pytest.raises(assay.errors.MeasureError, match=told):
        assay.evaluate_answers(["a"], ["a"], "bleu(tokenize=ko-mecab)")


def test_ter_of_long_texts_is_bounded_and_said():
    long = " ".join(f"w{number}" for number in range(40_000))
    result = assay.evaluate_answers([[long], ["a b"]], [f"x {long}", "b a"], ["ter"])
    # The words after the first 10,000 count as edits: 30,000 of them beside one insertion and one deletion.
    assert result.scores["ter"].tolist() == pytest.approx([100 * (2 + 30_001) / 40_000, 50])
    assert "ter: 1 question with a text of more than 200 words scored without shifts" in map(str, result.notes)


def test_ter_of_two_hundred_words_still_looks_for_shifts():
    half, other, rest = (" ".join(f"{word}{place}" for place in range(10)) for word in "abc")
    rest = " ".join([rest] * 18)
    right, said = f"{half} {other} {rest}", f"{other} {half} {rest}"
    result = assay.evaluate_answers([right, f"{right} d"], [said, f"{said} d"], "ter")
    assert result.scores["ter"].tolist() == pytest.approx([100 / 200, 100 * 20 / 201])


def theirs(metric, rows):
    return [metric._compute_score_from_stats(list(row)).score for row in rows]  # noqa: SLF001 - its own formula


@st.composite
def ngrams(draw):
    """Statistics of BLEU: lengths, and n-grams of which some are in common, ever fewer of higher orders."""
    total = sorted((draw(st.integers(0, 12)) for _ in range(4)), reverse=True)
    common = [draw(st.integers(0, each)) for each in total]
    return [total[0], draw(st.integers(0, 15)), *common, *total]


@given(
    st.lists(ngrams(), min_size=1, max_size=5),
    st.sampled_from([("exp", None), ("floor", None), ("floor", 0.01), ("add-k", None), ("add-k", 2.5), ("none", None)]),
    st.booleans(),
)
def test_bleu(rows, smooth, effective_order):
    metric = BLEU(smooth_method=smooth[0], smooth_value=smooth[1], effective_order=effective_order)
    ours = bleu_scores(metric, np.array(rows, dtype=np.float64))
    assert ours.tolist() == pytest.approx(theirs(metric, rows), rel=1e-12, abs=1e-12)
    assert bleu_scores(metric, np.array(rows[0], dtype=np.float64)) == ours[0]


@st.composite
def matches(draw, orders):
    """Statistics of chrF: n-grams of the answer, of the reference and in common, for each order."""
    pairs = [(draw(st.integers(0, 9)), draw(st.integers(0, 9))) for _ in range(orders)]
    return [each for left, right in pairs for each in (left, right, draw(st.integers(0, min(left, right))))]


@given(st.lists(matches(8), min_size=1, max_size=5), st.sampled_from([1, 2, 3]), st.sampled_from([0, 2]))
def test_chrf(rows, beta, words):
    metric = CHRF(beta=beta, word_order=words)
    rows = [row[: 3 * (6 + words)] for row in rows]
    found = chrf_scores(metric, np.array(rows, dtype=np.float64)).tolist()
    assert found == pytest.approx(theirs(metric, rows), rel=1e-12, abs=1e-12)
