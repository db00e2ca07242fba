"""How texts become words: SQuAD's normalisation, a multilingual one, or none; and the words that answers share.

Rajpurkar et al., SQuAD: 100,000+ questions for machine comprehension of text, EMNLP 2016; Lewis et al., MLQA, ACL 2020.

A `Split` says how a text becomes words: what is done to it first, and what each character is. The kernel splits the
texts of many questions at once and counts; equal words of a question have equal numbers there.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay._kernel import Splitter, Words, distinct_characters
from assay.core.judged import FloatArray
from assay.engine.kernel import count_threads
from assay.measures.answers.data import Answers

Normalize = Annotated[
    Literal["squad", "multilingual", "none"],
    "squad: lower case, no punctuation, no English articles; multilingual: the same for all scripts; none: as is",
]
PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")
# Scripts without spaces between words: each character is a token.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
Numbers = NDArray[np.int64]
# What a character is to the kernel: part of a word, left out, between words, a word by itself.
PART, LEFT_OUT, BETWEEN, ALONE = range(4)
# Letters and digits, between which no word is removed.
LETTER = 4
ASCII = tuple(map(chr, range(128)))
# Characters that are split at a time.
BLOCK = 1 << 22
ROUGE_WORD = frozenset(string.ascii_lowercase + string.digits)


class Split(NamedTuple):
    """How a text becomes words; `symbols` are split off as in mteval-v13a, `removed` words left out.

    What `kind` says of the characters past ASCII is looked up only where `others` is None. With `lower`, all that
    `prepare` does to an ASCII text is to make it lower case, which is left to the kernel.
    """

    prepare: Callable[[str], str]
    kind: Callable[[str], int]
    others: int | None = None
    removed: tuple[str, ...] = ()
    symbols: bool = False
    lower: bool = False


def normalize_text(text: str, how: str) -> str:
    """The text normalised for comparison."""
    return " ".join(tokenize(text, how)) if how != "none" else text


def tokenize(text: str, how: str) -> list[str]:
    """The words of a text, or its characters in scripts without spaces."""
    if how == "squad":
        return ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split()
    if how == "multilingual":
        folded = unicodedata.normalize("NFKC", text).casefold()
        plain = "".join(each for each in folded if not is_punctuation(each))
        return UNSPACED.sub(lambda match: f" {match[0]} ", plain).split()
    return text.split()


def is_punctuation(character: str) -> bool:
    """Whether it is punctuation in any script or an ASCII symbol, as in MLQA."""
    return character in string.punctuation or unicodedata.category(character).startswith("P")


def squad_kind(character: str) -> int:
    if character in string.punctuation:
        return LEFT_OUT
    if character.isspace():
        return BETWEEN
    return PART | LETTER if character.isalnum() else PART


def multilingual_kind(character: str) -> int:
    if is_punctuation(character):
        return LEFT_OUT
    if UNSPACED.match(character):
        return ALONE
    return BETWEEN if character.isspace() else PART


def blank_kind(character: str) -> int:
    return BETWEEN if character.isspace() else PART


SQUAD = Split(str.lower, squad_kind, removed=("a", "an", "the"), lower=True)
MULTILINGUAL = Split(lambda text: unicodedata.normalize("NFKC", text).casefold(), multilingual_kind, lower=True)
BLANKS = Split(str, blank_kind)
ROUGE = Split(str.lower, lambda each: PART if each in ROUGE_WORD else BETWEEN, others=BETWEEN, lower=True)
NORMALIZED = {"squad": SQUAD, "multilingual": MULTILINGUAL, "none": BLANKS}


class AnswerWords:
    """The words of the references and the prediction of each question.

    `questions` has the question of each reference; the counts that methods return are by reference unless they say
    otherwise.
    """

    def __init__(self, references: Sequence[tuple[str, ...]], predictions: Sequence[str], split: Split) -> None:
        parts = text_blocks(references, predictions)
        self._blocks = [split_words(references[part], predictions[part], split) for part in parts]
        sizes = np.array([len(every) + 1 for every in references], dtype=np.int64)
        self.questions: Numbers = np.repeat(np.arange(len(sizes)), sizes - 1)
        lengths = self._numbers(Words.lengths)
        is_prediction = np.zeros(len(lengths), dtype=np.bool_)
        is_prediction[np.cumsum(sizes) - 1] = True
        # Words of each reference, of each prediction, and of the prediction for each reference.
        self.right, self.predictions = lengths[~is_prediction], lengths[is_prediction]
        self.given: Numbers = self.predictions[self.questions]

    def _numbers(self, count: Callable[[Words], bytes]) -> Numbers:
        return np.frombuffer(b"".join(map(count, self._blocks)), dtype=np.int64)

    @property
    def size(self) -> int:
        return len(self.predictions)

    def equal(self) -> Numbers:
        """Whether the words are those of the prediction, in the same order."""
        return self._numbers(Words.equal)

    def shared(self, order: int, *, together: bool = False) -> Numbers:
        """How many n-grams are shared with the prediction, each as often as both have it: a column per length.

        With `together` by question: those in its references, each as often as one of them has it at most.
        """
        return self._numbers(lambda words: words.shared(order, together=together)).reshape(-1, order)

    def subsequences(self, longest: int) -> Numbers:
        """The lengths of the longest common subsequences of the first words."""
        return self._numbers(lambda words: words.subsequences(longest))

    def best(self, values: FloatArray | Numbers) -> FloatArray:
        """By question: the highest value of its references; NaN if it has none."""
        found = np.full(self.size, np.nan)
        firsts = np.flatnonzero(np.diff(self.questions, prepend=-1))
        if len(firsts):
            found[self.questions[firsts]] = np.maximum.reduceat(values, firsts)
        return found


def answer_words(answers: Answers, split: Split) -> AnswerWords:
    """The words of the answers, split once for all measures."""
    return answers.remember(split, lambda: AnswerWords(answers.references, answers.predictions, split))


def text_blocks(references: Sequence[tuple[str, ...]], predictions: Sequence[str]) -> Iterator[slice]:
    """The questions in parts, so that only few texts are copied at a time."""
    if sum(map(len, predictions)) + sum(map(len, chain.from_iterable(references))) < BLOCK:
        yield slice(0, len(predictions))
        return
    start = size = 0
    for number, (every, prediction) in enumerate(zip(references, predictions, strict=True), 1):
        size += len(prediction) + sum(map(len, every))
        if size >= BLOCK or number == len(predictions):
            yield slice(start, number)
            start, size = number, 0


def split_words(references: Sequence[tuple[str, ...]], predictions: Sequence[str], split: Split) -> Words:
    sizes = list(map(len, references))
    if sizes.count(1) == len(sizes):
        texts = list(chain.from_iterable(zip(chain.from_iterable(references), predictions, strict=True)))
    else:
        texts = list(chain.from_iterable((*right, given) for right, given in zip(references, predictions, strict=True)))
    # The kernel takes ASCII, or UTF-8, and its splitter knows all other characters of the texts.
    prepared: list[str] | list[str | bytes] = texts
    is_known = split.lower and all(map(str.isascii, texts))
    if not is_known:
        prepared = [
            each if split.lower and each.isascii() else split.prepare(each).encode("utf-8", "surrogatepass")
            for each in texts
        ]
        is_known = split.others is not None or all(each.isascii() for each in prepared)
    splitter = splitter_of(split, () if is_known else tuple(distinct_characters(prepared)))
    return Words(prepared, [size + 1 for size in sizes], splitter, count_threads(None))


@lru_cache(maxsize=16)
def splitter_of(split: Split, characters: tuple[int, ...]) -> Splitter:
    ascii_kinds, kinds = (bytes(map(split.kind, each)) for each in (ASCII, map(chr, characters)))
    removed = [each.encode() for each in split.removed]
    return Splitter(ascii_kinds, split.others or PART, list(characters), kinds, removed, split.symbols, split.lower)
