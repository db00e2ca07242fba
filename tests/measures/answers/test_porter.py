"""The stemmer: nltk's on many words."""

from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from assay.measures.answers.porter import IRREGULAR, stem
from tables import for_each

NLTK = PorterStemmer()
CASES = """caresses:caress ponies:poni dies:die died:die spied:spi feed:feed agreed:agre hopping:hop falling:fall filing:file
    happy:happi enjoy:enjoy radically:radic geology:geolog adoption:adopt controlling:control skies:sky is:is :"""
SUFFIXES = """s es ed ing ly er est ness ful fulness ational ization ally ies ied eed able ible ibility ation logy ll y al
    ance ence ement ment ent ion sion tion ou ism ate ity ous ive ize icate ative alize ical alli bli eli ousli fulli"""


@for_each("word, expected", [case.split(":") for case in CASES.split()])
def test_literal(word, expected):
    assert stem(word) == NLTK.stem(word) == expected


@for_each("word", IRREGULAR)
def test_irregular(word):
    assert stem(word) == NLTK.stem(word)


parts = st.text("aeiouybdlstngzwx", max_size=6) | st.text(max_size=4).map(str.lower)


@given(parts, st.lists(st.sampled_from(SUFFIXES.split()), max_size=3).map("".join))
def test_is_that_of_nltk(start, end):
    assert stem(start + end) == NLTK.stem(start + end)


def test_a_long_word_takes_linear_time():
    assert stem("y" * 1_000_000 + "ing") == NLTK.stem("y" * 1_000_000 + "ing")
