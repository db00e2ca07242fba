"""METEOR as nltk computes it: words matched by form, stem or synonym, with a penalty for scattered matches.

Banerjee and Lavie, METEOR: an automatic metric for MT evaluation with improved correlation with human judgments, ACL
workshop 2005; Lavie and Agarwal, METEOR: an automatic metric for MT evaluation with high levels of correlation with
human judgments, WMT 2007. Synonyms are those of the WordNet 3.0 table that ships with assay (licence: wordnet.LICENSE;
examples/wordnet_table.py makes it): Fellbaum, WordNet: an electronic lexical database, 1998. An inflected word has the
synonyms of its base forms, found by the rules of WordNet's Morphy as nltk applies them.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray
from assay.core.measure import answer_example, cites, computes, define, says, undefined_if
from assay.core.parameter import Bounds
from assay.measures.answers.data import NO_TEXT, Answers, Blank, best_of, without_blank
from assay.measures.answers.porter import Rules, rules_of, stem
from assay.measures.answers.words import tokenize

Alpha = Annotated[float, Bounds(low=0, high=1), "the weight of recall against precision; 1 is recall alone"]
Beta = Annotated[float, Bounds(low=0), "how fast the penalty falls as matches form longer chunks"]
Gamma = Annotated[float, Bounds(low=0, high=1), "the largest penalty"]
Tokens = Annotated[
    Literal["whitespace", "nltk", "treebank", "squad", "multilingual"],
    "whitespace: lower case, split at whitespace; nltk: nltk's word_tokenize, which needs nltk and its data punkt_tab; "
    "treebank: the same without splitting sentences first, which needs no data; others as in normalize of answer_f1",
]
WORDNET = Path(__file__).with_name("wordnet.txt.gz")
# Endings of nouns, verbs, adjectives and adverbs, with their replacements in the base form.
ENDINGS = (
    rules_of("s: ses:s ves:f xes:x zes:z ches:ch shes:sh ies:y men:man"),
    rules_of("s: ies:y es:e es: ed:e ed: ing:e ing:"),
    rules_of("er: er:e est: est:e"),
    rules_of(""),
)
# No WordNet word is longer; longer ones are neither looked up nor cached.
LONGEST_WORD = 100


class PartOfSpeech(NamedTuple):
    """The synonym lines of each word, the base forms of irregular forms, and the regular endings."""

    lines: dict[str, list[str]]
    irregular: dict[str, list[str]]
    endings: Rules


@cache
def parts_of_speech() -> tuple[PartOfSpeech, ...]:
    """The table, read once."""
    import gzip

    with gzip.open(WORDNET, "rt", encoding="ascii") as file:
        parts = [part.splitlines() for part in file.read().split("\n\n")]
    irregular = [{form: bases for form, *bases in map(str.split, part)} for part in parts[4:]]
    synonyms: list[dict[str, list[str]]] = [{}, {}, {}, {}]
    for found, lines in zip(synonyms, parts, strict=False):
        for line in lines:
            for word in line.replace("^", "").split():
                found.setdefault(word, []).append(line)
    return tuple(map(PartOfSpeech, synonyms, irregular, ENDINGS))


def synonyms(word: str) -> frozenset[str]:
    """The synonyms of a lower-case word in any of its senses: single words without capitals."""
    return look_up_synonyms(word) if len(word) <= LONGEST_WORD else frozenset()


@lru_cache(maxsize=1 << 16)
def look_up_synonyms(word: str) -> frozenset[str]:
    lines = []
    for part in parts_of_speech():
        forms = part.irregular.get(word)
        if forms is None:
            forms = [word[: -len(old)] + new for old, new in part.endings.get(word[-1:], ()) if word.endswith(old)]
        lines += [line for form in (word, *forms) for line in part.lines.get(form, ())]
    return frozenset(each for each in " ".join(lines).split() if "_" not in each and each[0] != "^")


# The unmatched words, by place.
WordsLeft = dict[int, str]


def meteor_words(text: str, how: str) -> list[str]:
    if how not in ("nltk", "treebank"):
        return text.lower().split() if how == "whitespace" else tokenize(text, how)
    try:
        from nltk import word_tokenize  # type: ignore[import-untyped]

        return [word.lower() for word in word_tokenize(text, preserve_line=how == "treebank")]
    except ImportError:
        raise MeasureError("meteor: tokenize=nltk and treebank need the package nltk; run pip install nltk") from None
    except LookupError:
        raise MeasureError(
            "meteor: tokenize=nltk needs nltk's data punkt_tab; run python -m nltk.downloader punkt_tab, or use "
            "tokenize=treebank"
        ) from None


def match_words(given: WordsLeft, right: WordsLeft, *, by_meaning: bool = False) -> dict[int, int]:
    """For each matched place of the answer, the place in the reference with the same word, or with a synonym.

    From the last word of the answer to the first, each takes the last unmatched one.
    """
    places: dict[str, list[int]] = {}
    for place, word in right.items():
        places.setdefault(word, []).append(place)
    found = {}
    for place in reversed(given):
        word = given[place]
        if by_meaning:
            meanings = synonyms(word)
            if places.keys().isdisjoint(meanings):
                continue
            word = max(meanings & places.keys(), key=lambda each: places[each][-1])
        same = places.get(word)
        if same:
            found[place] = same.pop()
            if by_meaning and not same:
                del places[word]
    return found


def meteor_score(right: list[str], given: list[str], alpha: float, beta: float, gamma: float) -> float:
    """The score of an answer against one reference; 0 if nothing matches: by form, by stem, or by a stem's synonym."""
    given_left, right_left = dict(enumerate(given)), dict(enumerate(right))
    by_form = match_words(given_left, right_left)
    given_left, right_left = (
        {place: stem(word) for place, word in left.items() if place not in taken}
        for left, taken in ((given_left, by_form), (right_left, set(by_form.values())))
    )
    by_stem = match_words(given_left, right_left)
    for place, other in by_stem.items():
        del given_left[place], right_left[other]
    matches = sorted((by_form | by_stem | match_words(given_left, right_left, by_meaning=True)).items())
    if not matches:
        return 0.0
    precision, recall = len(matches) / len(given), len(matches) / len(right)
    mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
    # Runs of matches that are contiguous in both texts.
    chunks = 1 + sum((here + 1, there + 1) != after for (here, there), after in pairwise(matches))
    penalty: float = gamma * (chunks / len(matches)) ** beta
    return (1 - penalty) * mean


@define("meteor", title="METEOR", symbol="METEOR", of="answers")
@says(basis=lambda: "as nltk 3.10, Porter's stemmer, WordNet 3.0")
@computes("(1 - gamma (chunks / matches)^beta) · P R / (alpha P + (1 - alpha) R); matches by form, stem or synonym")
@undefined_if(NO_TEXT)
@cites("Lavie and Agarwal, WMT 2007, as in nltk; Fellbaum, WordNet, 1998.")
@answer_example(
    "meteor", ["the fast car stopped"], "a quick car stops", 0.7361, "3 of 4 words in one chunk: 3/4 · (1 - 0.5 / 27)"
)
def meteor(
    answers: Answers,
    *,
    alpha: Alpha = 0.9,
    beta: Beta = 3,
    gamma: Gamma = 0.5,
    tokenize: Tokens = "whitespace",
    blank: Blank = "empty",
) -> FloatArray:
    """How many words of answer and reference match by form, stem or meaning, and in how few chunks.

    Stems and synonyms are English. The best reference counts. This is METEOR as nltk computes it, which looks up the
    synonyms of stems; it is not the METEOR 1.5 program with its paraphrases. Time grows linearly with the texts.
    """
    references = ([meteor_words(each, tokenize) for each in every] for every in answers.references)
    predictions = (meteor_words(each, tokenize) for each in answers.predictions)
    scores = best_of(lambda right, given: meteor_score(right, given, alpha, beta, gamma), references, predictions)
    return without_blank(answers, scores, blank)
