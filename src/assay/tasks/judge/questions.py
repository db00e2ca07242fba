"""`make_questions`: questions that passages answer, made by an LLM and checked by asking it again.

A question is kept if the passage alone answers it, and if it is not nearly the same as one kept before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rapidfuzz import fuzz

from assay.core.errors import DataError
from assay.core.note import Note, loud_first
from assay.core.policies import check_whole
from assay.core.ruling import Finding, Steps, Verdict
from assay.core.text import count
from assay.data.texts import DOCUMENTS, read_texts
from assay.render import Column, Exports, Table
from assay.tasks.judge.drive import ask_all
from assay.tasks.judge.prompts import ANSWERABLE, QUESTION

if TYPE_CHECKING:
    from assay.tasks.judge.judge import Judge

# More alike than this, two questions are one; of 100.
ALIKE = 85.0
# How many passages are tried for each question that is wanted.
TRIES = 3


class MadeQuestion(NamedTuple):
    """A question, its answer, and the passage that it was made from."""

    query_id: str
    question: str
    answer: str
    document: str
    text: str

    def record(self) -> dict[str, Any]:
        """As a record for `rag` and `probe`."""
        return {
            "query_id": self.query_id,
            "question": self.question,
            "gold": [self.document],
            "gold_texts": [self.text],
            "references": [self.answer],
        }


@dataclass(frozen=True, repr=False)
class MadeQuestions(Exports):
    """Questions that passages answer. `records` are what `evaluate_rag` and `probe` take."""

    questions: Sequence[MadeQuestion]
    wanted: int
    judge: str
    rejected: dict[str, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        return f"<MadeQuestions: {count(len(self.questions), 'question')}>"

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def records(self) -> list[dict[str, Any]]:
        return [each.record() for each in self.questions]

    def table(self) -> Table:
        """One row per question."""
        columns = tuple(Column(name, is_text=True) for name in ("query", "question", "answer", "document"))
        rows = tuple((each.query_id, each.question, each.answer, each.document) for each in self.questions)
        said = [f"{number:,} rejected: {reason}" for reason, number in self.rejected.items() if number]
        return Table(columns, rows, self.judge, (*said, *map(str, self.notes)))


def make_questions(corpus: object, number: int, *, judge: Judge, seed: int = 0) -> MadeQuestions:
    """Makes questions from passages of a corpus that are drawn at random, one per passage.

    Each comes with the passage as gold and a reference answer. It is checked by asking whether the passage alone
    answers it, and left out if it is nearly the same as another. Fewer are made if the corpus has no more passages.
    """
    check_whole("the number of questions", number, 1)
    texts = {key: text for key, text in read_texts(corpus, DOCUMENTS).items() if text.strip()}
    if not texts:
        raise DataError("the corpus has no passage with a text")
    order = np.random.default_rng(seed).permutation(len(texts)).tolist()
    ids = list(texts)
    kept: list[MadeQuestion] = []
    rejected = {
        "the passage has nothing to ask about": 0,
        "the passage alone does not answer it": 0,
        "nearly a duplicate": 0,
    }
    notes: list[Note] = []
    for batch in batches([ids[at] for at in order], number):
        ask = partial(question_steps, texts=texts)
        asked = ask_all("questions", batch, ask, judge=judge, prompts=[QUESTION, ANSWERABLE], names=batch)
        notes += asked.notes
        for document, ruling in zip(batch, asked.rulings, strict=True):
            if not ruling.verdicts or len(kept) == number:
                continue
            question, answer = ruling.verdicts[0].subject, ruling.verdicts[0].against
            if not question:
                rejected["the passage has nothing to ask about"] += 1
            elif not ruling.score:
                rejected["the passage alone does not answer it"] += 1
            elif any(fuzz.token_sort_ratio(question, each.question) > ALIKE for each in kept):
                rejected["nearly a duplicate"] += 1
            else:
                kept.append(MadeQuestion(f"q{len(kept) + 1}", question, answer, document, texts[document]))
        if len(kept) == number:
            break
    return MadeQuestions(kept, number, asked.judge, rejected, loud_first(notes))


def batches(ids: Sequence[str], number: int) -> Iterator[Sequence[str]]:
    """Passages to try, as many at a time as questions are wanted."""
    most = min(len(ids), TRIES * number)
    for start in range(0, most, number):
        yield ids[start : min(start + number, most)]


def question_steps(document: str, *, texts: dict[str, str]) -> Steps:
    """Asks for a question, and whether the passage alone answers it."""
    passage = texts[document]
    made = yield QUESTION.ask({"passage": passage})
    question, answer = made["question"].strip(), made["answer"].strip()
    if not question or not answer:
        return Finding(0.0, (Verdict("", 0.0),))
    checked = yield ANSWERABLE.ask({"passage": passage, "question": question, "answer": answer})
    is_right = float(checked["verdict"])
    return Finding(is_right, (Verdict(question, is_right, checked["reason"], answer),))
