"""METEOR as nltk computes it: words matched by form, stem and synonym, and a penalty for scattered matches.

Banerjee and Lavie, METEOR: an automatic metric for MT evaluation with improved correlation with human judgments, ACL
workshop 2005; Lavie and Agarwal, METEOR: an automatic metric for MT evaluation with high levels of correlation with
human judgments, WMT 2007.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, Literal

from assay.answers.data import Answers
from assay.answers.porter import stem
from assay.answers.tokens import tokens
from assay.answers.wordnet import synonyms
from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, measure
from assay.core.parameter import Bounds

Alpha = Annotated[float, Bounds(low=0, high=1), "the weight of recall against precision; 1 is recall alone"]
Beta = Annotated[float, Bounds(low=0), "how fast the penalty falls as matches stand together"]
Gamma = Annotated[float, Bounds(low=0, high=1), "the largest penalty"]
Tokenize = Annotated[
    Literal["whitespace", "squad", "multilingual"],
    "whitespace: lower case, split at blanks, as nltk is mostly used; or the words of answer_f1's normalize",
]
# Where words stand, ascending; and the words that are left, by place.
Places = dict[str, list[int]]
Left = dict[int, str]


def split(text: str, how: str) -> list[str]:
    return text.lower().split() if how == "whitespace" else tokens(text, how)


def same(word: str, places: Places) -> str | None:
    return word if word in places else None


def synonym(word: str, places: Places) -> str | None:
    """The word with the same meaning that stands last."""
    meanings = synonyms(word)
    if places.keys().isdisjoint(meanings):
        return None
    return max(meanings & places.keys(), key=lambda each: places[each][-1])


def match(given: Left, right: Left, partner: Callable[[str, Places], str | None]) -> dict[int, int]:
    """The place in the reference for each place of the answer that has one; both are no longer left then.

    From the last word of the answer to the first, each takes the last partner that is left.
    """
    places: Places = {}
    for place, word in right.items():
        places.setdefault(word, []).append(place)
    found = {}
    for place, word in reversed(list(given.items())):
        other = partner(word, places)
        if other is not None:
            found[place] = places[other].pop()
            if not places[other]:
                del places[other]
            del given[place], right[found[place]]
    return found


def align(given: list[str], right: list[str]) -> list[tuple[int, int]]:
    """The places of answer and reference that match: by form, then by stem, then by a synonym of the stem.

    >>> align(["a", "fast", "car"], ["a", "car", "runs", "quick"])
    [(0, 0), (1, 3), (2, 1)]
    """
    given_left, right_left = dict(enumerate(given)), dict(enumerate(right))
    matches = match(given_left, right_left, same)
    given_left, right_left = ({place: stem(word) for place, word in left.items()} for left in (given_left, right_left))
    matches |= match(given_left, right_left, same)
    matches |= match(given_left, right_left, synonym)
    return sorted(matches.items())


def chunks(matches: list[tuple[int, int]]) -> int:
    """How many runs of neighbours in both texts the matches make."""
    return 1 + sum((here + 1, there + 1) != after for (here, there), after in pairwise(matches))


def score(right: list[str], given: list[str], alpha: float, beta: float, gamma: float) -> float:
    """The value of one answer against one reference; 0 if nothing matches."""
    matches = align(given, right)
    if not matches:
        return 0.0
    precision, recall = len(matches) / len(given), len(matches) / len(right)
    mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
    penalty: float = gamma * (chunks(matches) / len(matches)) ** beta
    return (1 - penalty) * mean


@measure(
    "meteor",
    title="METEOR",
    formula="(1 - gamma (chunks / matches)^beta) · P R / (alpha P + (1 - alpha) R); matches by form, stem or synonym",
    reference="Lavie and Agarwal, WMT 2007, as in nltk; Fellbaum, WordNet, 1998.",
    undefined="there is no reference",
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
    alpha: Alpha = 0.9,
    beta: Beta = 3,
    gamma: Gamma = 0.5,
    tokenize: Tokenize = "whitespace",
) -> FloatArray:
    """How many words of an answer and a reference are the same, or have the same stem or meaning, and stand together.

    Stems and synonyms are English. The best reference counts. This is METEOR as nltk computes it, which looks for the
    synonyms of stems; it is not the program METEOR 1.5 with its paraphrases. Time grows with the length of the texts,
    not with their product.
    """
    references = ([split(each, tokenize) for each in every] for every in answers.references)
    predictions = (split(each, tokenize) for each in answers.predictions)
    return answers.best_of(lambda right, given: score(right, given, alpha, beta, gamma), references, predictions)
