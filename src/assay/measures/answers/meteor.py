"""METEOR as nltk computes it: words matched by form, stem or synonym, with a penalty for scattered matches.

Banerjee and Lavie, METEOR: an automatic metric for MT evaluation with improved correlation with human judgments, ACL
workshop 2005; Lavie and Agarwal, METEOR: an automatic metric for MT evaluation with high levels of correlation with
human judgments, WMT 2007.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, define
from assay.core.parameter import Bounds
from assay.measures.answers.data import NO_TEXT, Answers, Blank, without_blank
from assay.measures.answers.porter import stem
from assay.measures.answers.tokens import tokenize
from assay.measures.answers.wordnet import synonyms

RecallWeight = Annotated[float, Bounds(low=0, high=1), "the weight of recall against precision; 1 is recall alone"]
PenaltyPower = Annotated[float, Bounds(low=0), "how fast the penalty falls as matches form longer chunks"]
LargestPenalty = Annotated[float, Bounds(low=0, high=1), "the largest penalty"]
MeteorTokens = Annotated[
    Literal["whitespace", "nltk", "treebank", "squad", "multilingual"],
    "whitespace: lower case, split at whitespace; nltk: nltk's word_tokenize, which needs nltk and its data punkt_tab; "
    "treebank: the same without splitting sentences first, which needs no data; others as in normalize of answer_f1",
]
# The places of each word, ascending; and the unmatched words, by place.
WordPlaces = dict[str, list[int]]
WordsLeft = dict[int, str]


def meteor_words(text: str, how: str) -> list[str]:
    if how in ("nltk", "treebank"):
        return [word.lower() for word in nltk_words(text, sentences=how == "nltk")]
    return text.lower().split() if how == "whitespace" else tokenize(text, how)


def nltk_words(text: str, *, sentences: bool) -> list[str]:
    """The words of a text by nltk's tokenizer, which is not part of assay."""
    try:
        from nltk import word_tokenize  # type: ignore[import-untyped]

        words: list[str] = word_tokenize(text, preserve_line=not sentences)
    except ImportError:
        raise MeasureError("meteor: tokenize=nltk and treebank need the package nltk; run pip install nltk") from None
    except LookupError:
        raise MeasureError(
            "meteor: tokenize=nltk needs nltk's data punkt_tab; run python -m nltk.downloader punkt_tab, or use "
            "tokenize=treebank"
        ) from None
    return words


def word_places(left: WordsLeft) -> WordPlaces:
    found: WordPlaces = {}
    for place, word in left.items():
        if word in found:
            found[word].append(place)
        else:
            found[word] = [place]
    return found


def match_equal(given: WordsLeft, right: WordsLeft) -> dict[int, int]:
    """For each matched place of the answer, the place in the reference with the same word.

    From the last word of the answer to the first, each takes the last unmatched one.
    """
    places = word_places(right)
    found = {}
    for place in reversed(given):
        same = places.get(given[place])
        if same:
            found[place] = same.pop()
    return found


def match_synonyms(given: WordsLeft, right: WordsLeft) -> dict[int, int]:
    """The same for synonyms: of several, the last one."""
    places = word_places(right)
    found = {}
    for place in reversed(given):
        meanings = synonyms(given[place])
        if not places.keys().isdisjoint(meanings):
            last = max(meanings & places.keys(), key=lambda word: places[word][-1])
            found[place] = places[last].pop()
            if not places[last]:
                del places[last]
    return found


def align_words(given: list[str], right: list[str]) -> list[tuple[int, int]]:
    """The matching places of answer and reference: by form, then by stem, then by a synonym of the stem.

    >>> align_words(["a", "fast", "car"], ["a", "car", "runs", "quick"])
    [(0, 0), (1, 3), (2, 1)]
    """
    given_left, right_left = dict(enumerate(given)), dict(enumerate(right))
    matches = match_equal(given_left, right_left)
    given_left, right_left = (
        {place: stem(word) for place, word in left.items() if place not in taken}
        for left, taken in ((given_left, matches), (right_left, set(matches.values())))
    )
    by_stem = match_equal(given_left, right_left)
    for place, other in by_stem.items():
        del given_left[place], right_left[other]
    return sorted((matches | by_stem | match_synonyms(given_left, right_left)).items())


def count_chunks(matches: list[tuple[int, int]]) -> int:
    """How many chunks the matches form: runs that are contiguous in both texts."""
    return 1 + sum((here + 1, there + 1) != after for (here, there), after in pairwise(matches))


def meteor_score(right: list[str], given: list[str], alpha: float, beta: float, gamma: float) -> float:
    """The score of an answer against one reference; 0 if nothing matches."""
    matches = align_words(given, right)
    if not matches:
        return 0.0
    precision, recall = len(matches) / len(given), len(matches) / len(right)
    mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
    penalty: float = gamma * (count_chunks(matches) / len(matches)) ** beta
    return (1 - penalty) * mean


@define(
    "meteor",
    title="METEOR",
    symbol="METEOR",
    formula="(1 - gamma (chunks / matches)^beta) · P R / (alpha P + (1 - alpha) R); matches by form, stem or synonym",
    reference="Lavie and Agarwal, WMT 2007, as in nltk; Fellbaum, WordNet, 1998.",
    undefined=NO_TEXT,
    of="answers",
    basis=lambda: "as nltk 3.10, Porter's stemmer, WordNet 3.0",
    example=AnswerExample(
        "meteor",
        ["the fast car stopped"],
        "a quick car stops",
        0.7361,
        "3 of 4 words in one chunk: 3/4 · (1 - 0.5 / 27)",
    ),
)
def meteor(
    answers: Answers,
    *,
    alpha: RecallWeight = 0.9,
    beta: PenaltyPower = 3,
    gamma: LargestPenalty = 0.5,
    tokenize: MeteorTokens = "whitespace",
    blank: Blank = "empty",
) -> FloatArray:
    """How many words of answer and reference match by form, stem or meaning, and in how few chunks.

    Stems and synonyms are English. The best reference counts. This is METEOR as nltk computes it, which looks up the
    synonyms of stems; it is not the METEOR 1.5 program with its paraphrases. Time grows linearly with the texts.
    """
    references = ([meteor_words(each, tokenize) for each in every] for every in answers.references)
    predictions = (meteor_words(each, tokenize) for each in answers.predictions)
    scores = answers.best_of(
        lambda right, given: meteor_score(right, given, alpha, beta, gamma), references, predictions
    )
    return without_blank(answers, scores, blank)
