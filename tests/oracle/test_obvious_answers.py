"""Measures of answers on random texts: the same bits as slow and obvious code, and sacrebleu's scores.

Texts have letters of many scripts, punctuation, numbers, blanks of all kinds, control characters and surrogates.
"""

import math
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

import assay
from assay.measures.answers import words
from assay.measures.answers.words import AnswerWords
from oracle import obvious_answers as obvious
from tables import for_each

WORDS = """a an the A The cat cats Cat yes no noanswer a-b the's 1,000 3.14 U.S. x. ,y &amp; &quot;z&quot; <skipped>
    5-6 - été años aé éa Å İ ß ﬁ ς Σ 東京 กรุงเทพ שלום á theा ² Ⅷ _ __the__ “a” 😀the"""
ODD = ["-\n", "\u3000", "\xa0", "\x1c", "\x85", "\x01", "a\x01"]
# Letters are found 64 bytes at a time, and words of more than 15 bytes are kept apart.
long_words = st.text("aThE1é'- ", min_size=14, max_size=140)
WORDS = [*WORDS.split(), *ODD]
pieces = st.sampled_from(WORDS) | st.text(max_size=6) | st.characters() | long_words
texts = st.lists(pieces, max_size=12).map(" ".join) | st.lists(st.sampled_from(WORDS), max_size=8).map("".join)
questions = st.lists(st.tuples(st.lists(texts, max_size=3), texts), min_size=1, max_size=4)


def scores(rows, measure):
    references, predictions = [right for right, _ in rows], [text for _, text in rows]
    return assay.evaluate_answers(references, predictions, measure).scores[measure].tolist()


def clean(rows):
    """The texts as they are measured: without lone surrogates."""

    def plain(text):
        return text.encode("utf-8", "replace").decode()

    return [([plain(each) for each in right], plain(text)) for right, text in rows]


@given(questions, st.sampled_from(["squad", "multilingual", "none"]), st.booleans())
def test_token_overlap_has_the_same_bits(rows, how, yes_no):
    expected = [obvious.best_overlap(*row, how, yes_no=yes_no) for row in clean(rows)]
    for place, name in enumerate(("precision", "recall", "f1")):
        measure = f"{name}(normalize={how},yes_no={str(yes_no).lower()})"
        found = scores(rows, measure)
        assert np.array_equal(found, [each[place] for each in expected], equal_nan=True), measure
    exact = [obvious.exact_match(*row, how) for row in clean(rows)]
    assert np.array_equal(scores(rows, f"em(normalize={how})"), exact, equal_nan=True)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_lists_of_texts_are_lists_of_single_references(rows):
    several = scores([([right], text) for right, text in rows], "f1")
    assert scores(rows, "f1") == several


@given(questions)
def test_rouge_has_the_same_bits(rows):
    for measure, kind in {"rouge_1": 1, "rouge_2": 2, "rouge_n(n=3)": 3, "rouge_l": "L"}.items():
        expected = [obvious.rouge(*row, kind) for row in clean(rows)]
        assert np.array_equal(scores(rows, measure), expected, equal_nan=True), measure


METRICS = [
    ("bleu", BLEU(effective_order=True)),
    ("bleu(lowercase=true,order=2)", BLEU(effective_order=True, lowercase=True, max_ngram_order=2)),
    ("bleu(tokenize=intl)", BLEU(effective_order=True, tokenize="intl")),
    ("bleu(tokenize=char)", BLEU(effective_order=True, tokenize="char")),
    ("bleu(tokenize=none,smooth=floor)", BLEU(effective_order=True, tokenize="none", smooth_method="floor")),
    ("chrf", CHRF()),
    ("chrf(words=2,lowercase=true)", CHRF(word_order=2, lowercase=True)),
    ("chrf(whitespace=true,eps=true,order=3)", CHRF(whitespace=True, eps_smoothing=True, char_order=3)),
    ("ter", TER()),
    ("ter(normalize=true,punctuation=false,asian=true,case=true)", TER(True, True, True, True)),
]


@pytest.mark.parametrize(("measure", "metric"), METRICS, ids=[name for name, _ in METRICS])
@example(rows=[(["the's\u3000a"], "a"), (["a"], "the's\u3000a")])
@given(rows=questions)
def test_is_that_of_sacrebleu(measure, metric, rows):
    expected = [metric.sentence_score(text, right).score if right else math.nan for right, text in clean(rows)]
    assert scores(rows, measure) == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


# Few words, so that many can be moved.
few_words = st.lists(st.sampled_from("abcde"), max_size=40).map(" ".join)


@given(few_words, few_words)
def test_shifts_are_those_of_sacrebleu(right, given_):
    expected = TER().sentence_score(given_, [right])
    result = assay.evaluate_answers([right], [given_], "ter")
    assert result.scores["ter"][0] == expected.score


@pytest.mark.verify
@for_each(("right", "given_"), [(150, 3), (3, 150), (1, 120), (199, 200), (60, 0), (0, 60)])
def test_shifts_of_texts_of_different_lengths(right, given_):
    generator = np.random.default_rng(right)
    reference, prediction = (" ".join(generator.choice(list("abcdefghij"), size)) for size in (right, given_))
    expected = TER().sentence_score(prediction, [reference]).score
    assert assay.evaluate_answers([reference], [prediction], "ter").scores["ter"][0] == expected


@given(st.lists(st.tuples(st.lists(texts, min_size=1, max_size=3), texts), min_size=1, max_size=5), st.integers(1, 50))
def test_blocks_and_threads_change_nothing(rows, size):
    references, predictions = [tuple(right) for right, _ in rows], [text for _, text in rows]
    whole = AnswerWords(references, predictions, words.SQUAD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "BLOCK", size)
        patch.setattr(words, "count_threads", lambda _: size)
        parts = AnswerWords(references, predictions, words.SQUAD)
    for count in (AnswerWords.equal, lambda each: each.shared(3), lambda each: each.shared(3, together=True)):
        assert np.array_equal(count(whole), count(parts))
    assert np.array_equal(whole.subsequences(5), parts.subsequences(5))


def test_every_blank_separates_and_no_other_character():
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    found = AnswerWords([(every,)], [" ".join(every.split())], words.BLANKS)
    assert (found.right.tolist(), found.equal().tolist()) == ([len(every.split())], [1])


@pytest.mark.verify
def test_long_texts_on_all_cores():
    generator = np.random.default_rng(0)
    vocabulary = [f"w{number}é" for number in range(500)]
    rows = [([" ".join(generator.choice(vocabulary, 3000))], " ".join(generator.choice(vocabulary, 2500)))] * 2
    for measure, kind in {"rouge_2": 2, "rouge_l": "L"}.items():
        assert scores(rows, measure) == [obvious.rouge(*row, kind) for row in rows]
    expected = obvious.best_overlap(*rows[0], "squad", yes_no=False)[2]
    assert scores(rows, "f1") == [expected, expected]
