"""Measures of answers side by side with rouge-score, nltk and sacrebleu; run alone, it prints how they compare.

Exact match and F1 have no library of their own; they are compared with rouge-score's rouge1, which also splits and
counts words.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nltk.translate.meteor_score import meteor_score
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
from timing import interleaved

import assay
from assay.measures.answers import meteor, porter

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from shipped_wordnet import ShippedWordNet

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTIONS = 1000
WORDS = 60
SENTENCE = 20
VOCABULARY = 10_000


class Peer(NamedTuple):
    """A measure of assay's, the library that has it too, its name there, and how many times as fast assay should be."""

    measure: str
    library: str
    name: str
    target: float

    @property
    def label(self) -> str:
        return f"{self.library} {self.name}"


PEERS = (
    Peer("em", "rouge-score", "rouge1", 22),
    Peer("f1", "rouge-score", "rouge1", 22),
    Peer("rouge_1", "rouge-score", "rouge1", 31),
    Peer("rouge_2", "rouge-score", "rouge2", 29),
    Peer("rouge_l", "rouge-score", "rougeL", 158),
    Peer("rouge_lsum", "rouge-score", "rougeLsum", 10),
    Peer("rouge_l(stem=true)", "rouge-score", "rougeL, stemmed", 10),
    Peer("meteor", "nltk", "meteor_score", 5),
    Peer("bleu", "sacrebleu", "BLEU, sentences and corpus", 10),
    Peer("chrf", "sacrebleu", "chrF, sentences and corpus", 20),
)


def texts() -> tuple[list[str], list[str]]:
    """References, and answers that have half of their words; some words are much more frequent than others."""
    generator = random.Random(0)  # noqa: S311 - made-up data
    vocabulary = sorted(word for word in meteor.parts_of_speech()[0].lines if word.isalpha())
    vocabulary = generator.sample(vocabulary, VOCABULARY)
    weights = [1 / rank for rank in range(1, VOCABULARY + 1)]

    def write(words: list[str]) -> str:
        sentences = [words[start : start + SENTENCE] for start in range(0, len(words), SENTENCE)]
        return "\n".join(f"{' '.join(sentence).capitalize()}." for sentence in sentences)

    right = [generator.choices(vocabulary, weights, k=WORDS) for _ in range(QUESTIONS)]
    other = [generator.choices(vocabulary, weights, k=WORDS) for _ in range(QUESTIONS)]
    given = [
        [one if generator.random() < 1 / 2 else two for one, two in zip(*pair, strict=True)]
        for pair in zip(right, other, strict=True)
    ]
    return [write(words) for words in right], [write(words) for words in given]


def forget() -> None:
    """Empties what both sides keep between calls, so that each time counts from nothing."""
    tokenizers = (Tokenizer13a.__call__, TokenizerRegexp.__call__)
    for kept in (porter.stem_known, meteor.look_up_synonyms, *tokenizers):
        kept.cache_clear()


def peers(references: list[str], predictions: list[str]) -> dict[str, Callable[[], object]]:
    """What each library has to compute."""
    pairs = list(zip(references, predictions, strict=True))
    synonyms = ShippedWordNet()

    def rouge(name: str) -> Callable[[], object]:
        kind, comma, _ = name.partition(",")
        scorer = RougeScorer([kind], use_stemmer=bool(comma))
        return lambda: [scorer.score(right, given) for right, given in pairs]

    def meteor() -> object:
        return [meteor_score([right.split()], given.split(), wordnet=synonyms) for right, given in pairs]

    def sacrebleu(sentence: BLEU | CHRF, corpus: BLEU | CHRF) -> object:
        scores = [sentence.sentence_score(given, [right]) for right, given in pairs]
        return scores, corpus.corpus_score(predictions, [references])

    special = {
        "meteor_score": meteor,
        "BLEU, sentences and corpus": lambda: sacrebleu(BLEU(effective_order=True), BLEU()),
        "chrF, sentences and corpus": lambda: sacrebleu(CHRF(), CHRF()),
    }
    return {each.label: special.get(each.name) or rouge(each.name) for each in PEERS}


def answer_times() -> dict[str, float]:
    """The seconds that each measure takes here and there."""
    references, predictions = texts()

    def afresh(action: Callable[[], object]) -> Callable[[], object]:
        def act() -> object:
            forget()
            return action()

        return act

    theirs = peers(references, predictions)
    actions = {}
    for each in PEERS:
        actions[each.label] = afresh(theirs[each.label])
        actions[each.measure] = afresh(
            lambda each=each: assay.evaluate_answers(references, predictions, each.measure).mean
        )
    return interleaved(actions, rounds=5)


if __name__ == "__main__":
    times = answer_times()
    for peer in PEERS:
        ratio, each = times[peer.label] / times[peer.measure], 1e6 * times[peer.measure] / QUESTIONS
        print(f"{peer.measure}: {each:.1f} µs, {ratio:.1f} times as fast as {peer.label}; at least {peer.target}")
