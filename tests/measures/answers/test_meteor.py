"""METEOR: literal cases, nltk itself with the same table of synonyms, and that table against WordNet."""

import math
import random
import re
import warnings
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import word_tokenize
from nltk.translate.meteor_score import meteor_score

import assay
from assay.measures.answers import meteor
from assay.measures.answers import words as answer_words
from assay.measures.answers.porter import stem
from shipped_wordnet import ShippedWordNet, WholeWordNet
from tables import for_each

nan = math.nan
WORDNET = Path("/usr/share/wordnet")
shipped = cache(ShippedWordNet)
# measure, references, prediction, value
CASES = [
    ("meteor", ["a b c d"], "a b c d", 1 - 0.5 * (1 / 4) ** 3),
    ("meteor", ["a"], "a", 0.5),
    ("meteor(gamma=0)", ["a"], "a", 1),
    ("meteor(gamma=0,alpha=1)", ["a b c d"], "a", 1 / 4),
    ("meteor", ["a b"], "b a", 0.5),
    ("meteor", ["x", "a"], "a", 0.5),
    ("meteor", [""], "", 0),
    ("meteor", [], "a", nan),
    ("meteor(gamma=0)", ["running"], "runs", 1),
    ("meteor(gamma=0)", ["car"], "motorcar", 1),
    # A synonym of the stem counts, and `happi` and `automobil` have none.
    ("meteor(gamma=0)", ["glad"], "happy", 0),
    ("meteor(gamma=0)", ["car"], "automobile", 0),
    ("meteor(gamma=0,tokenize=squad)", ["a, cat!"], "cat", 1),
    ("meteor(gamma=0)", ["東京"], "東", 0),
    ("meteor(gamma=0,alpha=1,tokenize=multilingual)", ["東京"], "東", 1 / 2),
]


@for_each("measure, references, prediction, value", CASES)
def test_literal(measure, references, prediction, value):
    result = assay.evaluate_answers([references], [prediction], measure)
    assert result.scores[measure].tolist() == pytest.approx([value], nan_ok=True)


def assert_same(rows, measure="meteor", split=str.split, **parameters):
    references, predictions = [list(each) for each in zip(*rows, strict=True)]
    result = assay.evaluate_answers(references, predictions, measure)
    for row, (every, prediction) in enumerate(rows):
        expected = meteor_score([split(each) for each in every], split(prediction), wordnet=shipped(), **parameters)
        assert result.scores[measure][row] == pytest.approx(expected, abs=1e-12)


WORDS = """car automobile auto cars motorcar machine quick fast quickly speedy men man better good well child children kid
    running ran run runs the a , . geese goose ice_cream icecream new_york self-control Paris É ß K"""
texts = st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join) | st.text(max_size=9)
clean = texts.map(lambda text: text.encode("utf-8", "replace").decode("utf-8"))
rows = st.lists(st.tuples(st.lists(clean, min_size=1, max_size=3), clean), min_size=1, max_size=4)


@given(rows, st.floats(0, 1), st.floats(0, 5), st.floats(0, 1))
def test_parameters_are_those_of_nltk(rows, alpha, beta, gamma):
    assert_same(rows, f"meteor(alpha={alpha!r},beta={beta!r},gamma={gamma!r})", alpha=alpha, beta=beta, gamma=gamma)


@pytest.mark.parametrize("tokenize", ["squad", "multilingual"])
@given(rows=rows)
def test_other_words_are_matched_in_the_same_way(tokenize, rows):
    assert_same(rows, f"meteor(tokenize={tokenize})", lambda text: answer_words.tokenize(text, tokenize))


def test_random_words_of_wordnet():
    generator = random.Random(0)
    vocabulary = sorted(meteor.parts_of_speech()[1].lines)
    words = [word + generator.choice(["", "", "s", "ed", "ing", "er"]) for word in generator.sample(vocabulary, 400)]
    related = [each for word in words for each in meteor.synonyms(word)]

    def text():
        return " ".join(generator.choices(words + related, k=generator.randrange(60)))

    assert_same([([text()], text()) for _ in range(60)])


def test_an_answer_of_a_megabyte_takes_linear_time():
    generator = random.Random(0)
    words = sorted(meteor.parts_of_speech()[0].lines)[:5000]
    reference, prediction = (" ".join(generator.choices(words, k=100_000)) for _ in range(2))
    assert 0 < assay.evaluate_answers([reference], [prediction], "meteor")["meteor"] < 1


def test_the_table_has_its_licence_beside_it():
    text = meteor.WORDNET.with_name("wordnet.LICENSE").read_text()
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in text
    assert meteor.WORDNET.stat().st_size < 600_000


def test_words_that_nothing_is_known_of_have_no_synonyms():
    assert meteor.synonyms("") == meteor.synonyms("qwxz") == meteor.synonyms("x" * 1_000_000) == frozenset()


@pytest.mark.slow
@pytest.mark.skipif(not WORDNET.is_dir(), reason="needs the Debian package wordnet-base")
def test_the_table_is_that_of_wordnet(tmp_path):
    """Every word and irregular form of WordNet, inflected and stemmed too, has the synonyms that nltk finds."""
    whole = WholeWordNet(WORDNET, tmp_path)
    words = {
        word
        for name in ("noun", "verb", "adj", "adv")
        for line in (WORDNET / f"index.{name}").read_text().splitlines()
        if not line.startswith(" ")
        for word in line.split()[:1]
    }
    words |= {line.split()[0] for path in WORDNET.glob("*.exc") for line in path.read_text().splitlines()}
    words |= {stem(word) for word in words} | {
        word + end for word in words for end in ("s", "es", "ed", "ing", "er", "est")
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for word in sorted(words):
            names = {lemma.name() for synset in whole.synsets(word) for lemma in synset.lemmas()}
            assert meteor.synonyms(word) == {name for name in names if not re.search("[_A-Z]", name)}, word


@pytest.mark.slow
@pytest.mark.skipif(not WORDNET.is_dir(), reason="needs the Debian package wordnet-base")
def test_the_table_is_what_the_script_makes(tmp_path, monkeypatch):
    import runpy

    root = Path(__file__).parents[3]
    script = runpy.run_path(str(root / "examples" / "wordnet_table.py"))
    monkeypatch.setitem(script["main"].__globals__, "TARGET", tmp_path)
    monkeypatch.setattr("sys.argv", ["wordnet_table.py", str(WORDNET)])
    script["main"]()
    import gzip

    made = gzip.decompress((tmp_path / "wordnet.txt.gz").read_bytes())
    assert made == gzip.decompress(meteor.WORDNET.read_bytes())
    assert (tmp_path / "wordnet.LICENSE").read_text() == meteor.WORDNET.with_name("wordnet.LICENSE").read_text()


TREEBANK = ["The cat's out. It isn't far!", "the cat is out; it isn't far.", "Dr. Who (1963)", "can't", ""]


@for_each("right", TREEBANK)
@for_each("given_text", TREEBANK)
def test_words_of_nltks_tokenizer(right, given_text):
    words = [word_tokenize(each, preserve_line=True) for each in (right, given_text)]
    expected = meteor_score([words[0]], words[1], wordnet=shipped())
    name = "meteor(tokenize=treebank)"
    assert assay.evaluate_answers([right], [given_text], name).scores[name][0] == pytest.approx(expected)


def test_sentences_need_nltks_data():
    name, text = "meteor(tokenize=nltk)", ["It is. So be it."]
    try:
        word_tokenize("a")
    except LookupError:
        with pytest.raises(assay.errors.MeasureError, match=r"nltk\.downloader punkt_tab, or use tokenize=treebank"):
            assay.evaluate_answers(text, text, name)
    else:
        assert assay.evaluate_answers(text, text, name)[name] > 0.9
