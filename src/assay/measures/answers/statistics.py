"""The statistics that sacrebleu's BLEU, chrF and TER are made of. The kernel counts n-grams; tests compare them.

What sacrebleu does to a text before it splits it at blanks is done by sacrebleu, except for its default tokenizer, 13a,
which is a few replacements and the kernel's splitting.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from assay.core.judged import FloatArray
from assay.core.text import count
from assay.measures.answers.similarity import count_edits
from assay.measures.answers.words import ALONE, LEFT_OUT, AnswerWords, Numbers, Split, blank_kind

# sacrebleu's metrics, whose own way to words is private.
Metric: TypeAlias = Any
References = list[tuple[str, ...]]
# The search for shifts is cubic in the length.
LONGEST_SHIFTED = 200
LONGEST_TER = 10_000
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def bleu_rows(references: References, predictions: list[str], metric: Metric) -> FloatArray:
    """Rows: lengths of answer and reference, then shared n-grams by order, then all n-grams by order."""
    split = Split(metric._preprocess_segment, blank_kind)  # noqa: SLF001 - sacrebleu's way to words
    if metric.tokenizer.signature() == "13a":
        prepare = (lambda text: prepare_13a(text.lower())) if metric.lowercase else prepare_13a
        split = Split(prepare, blank_kind, symbols=True)
    words, order = AnswerWords(references, predictions, split), metric.max_ngram_order
    totals = np.maximum(words.predictions[:, None] - np.arange(order), 0)
    # The length of the reference that is closest to that of the answer, the shorter one of two.
    most = int(words.right.max(initial=0)) + 1
    distances = np.abs(words.right - words.given) * most + words.right
    closest = np.minimum.reduceat(distances, np.flatnonzero(np.diff(words.questions, prepend=-1))) % most
    lengths = np.stack([words.predictions, closest], axis=1)
    return np.concatenate([lengths, words.shared(order, together=True), totals], axis=1).astype(np.float64)


def prepare_13a(text: str) -> str:
    """What mteval-v13a replaces in a text before it is split: entities, and hyphens at the ends of lines."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in ENTITIES:
            text = text.replace(entity, character)
    return text


def chrf_rows(references: References, predictions: list[str], metric: Metric) -> FloatArray:
    """Rows: for each order, the n-grams of the answer, of the reference, and shared, for the best reference."""
    kinds = (lambda _: ALONE, ALONE) if metric.whitespace else (lambda each: LEFT_OUT if each.isspace() else ALONE,)
    split = Split(metric._preprocess_segment, *kinds)  # noqa: SLF001 - sacrebleu's way to words
    words = AnswerWords(references, predictions, split)
    parts = [ngram_counts(words, metric.char_order)]
    if metric.word_order:
        prepare, words_in = metric._preprocess_segment, metric._remove_punctuation  # noqa: SLF001 - its way to words
        split = Split(lambda text: " ".join(words_in(prepare(text))), blank_kind)
        parts.append(ngram_counts(AnswerWords(references, predictions, split), metric.word_order))
    counts = np.concatenate(parts, axis=1).astype(np.float64)
    return counts[best_references(words.questions, counts, metric)]


def ngram_counts(words: AnswerWords, order: int) -> Numbers:
    """By reference and order: n-grams of the answer (none if the reference has none), of the reference, and shared."""
    right, given = (np.maximum(each[:, None] - np.arange(order), 0) for each in (words.right, words.given))
    counts = np.stack([np.where(right > 0, given, 0), right, words.shared(order)], axis=2)
    return counts.reshape(len(words.right), 3 * order)


def best_references(questions: Numbers, counts: FloatArray, metric: Metric) -> Numbers:
    """The place of the first reference with the best score, by question."""
    firsts = np.flatnonzero(np.diff(questions, prepend=-1))
    if len(firsts) == len(questions):
        return firsts
    chosen = firsts.copy()
    ends = np.append(firsts[1:], len(questions))
    for question in np.flatnonzero(ends - firsts > 1).tolist():
        places = range(int(firsts[question]), int(ends[question]))
        # Of equal scores, rounding decides, as it does in sacrebleu.
        chosen[question] = max(places, key=lambda place: metric._compute_f_score(counts[place].tolist()))  # noqa: SLF001
    return chosen


def ter_rows(references: References, predictions: list[str], metric: Metric) -> FloatArray:
    """Rows: the fewest edits and the mean number of words of the references; without shifts for long texts."""
    rows = []
    for every, prepared, prediction in zip(references, ter_references(references, metric), predictions, strict=True):
        given, *right = (ter_words(metric, each) for each in (prediction, *prepared))
        if is_long((given, *right)):
            edits = min(count_edits(given, each, LONGEST_TER) for each in right)
            rows.append((edits, float(np.mean([len(each) for each in right]))))
        else:
            rows += metric._extract_corpus_statistics([prediction], [[each] for each in every])  # noqa: SLF001
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


def note_without_shifts(references: References, predictions: list[str], metric: Metric) -> list[str]:
    """A remark if texts are so long that no shifts are searched for."""
    pairs = zip(ter_references(references, metric), predictions, strict=True)
    long = sum(is_long(ter_words(metric, each) for each in (given, *right)) for right, given in pairs if right)
    told = f"{count(long, 'question')} with a text of more than {LONGEST_SHIFTED} words scored without shifts"
    return [told] * (long > 0)


def ter_references(references: References, metric: Metric) -> References:
    """The references as sacrebleu splits them: it prepares them once more than answers, which can split more words."""
    if not (metric.normalized or metric.no_punct):
        return references
    return [tuple(map(metric._preprocess_segment, each)) for each in references]  # noqa: SLF001 - sacrebleu's way


def ter_words(metric: Metric, text: str) -> list[str]:
    return list(metric._preprocess_segment(text).split())  # noqa: SLF001 - sacrebleu's way to words


def is_long(texts: Iterable[list[str]]) -> bool:
    """Whether any of the texts is too long to search for shifts."""
    return any(len(words) > LONGEST_SHIFTED for words in texts)
