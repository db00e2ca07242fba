"""A test collection without people: questions that passages answer, and grades of what runs retrieved.

A question is made from a passage, and kept if the passage alone answers it and it is not nearly the same as another.

The scale of grades is UMBRELA's (Upadhyay et al. 2024): 0 unrelated, 1 related but no answer, 2 a partial or hidden
answer, 3 an answer that the passage is about. A passage that gets no grade stays unjudged; it is never counted as 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz import fuzz

from assay.core.errors import DataError, MismatchError
from assay.core.note import Note, loud_first
from assay.core.policies import check_whole
from assay.core.ruling import Finding, Prompt, Rulings, Scale, Steps, Verdict, unjudgeable
from assay.core.text import count, some
from assay.data.qrels import Qrels
from assay.data.texts import DOCUMENTS, QUESTIONS, read_texts
from assay.render import Cell, Column, Exports, Table
from assay.tasks.judge.drive import ask_all
from assay.tasks.judge.judge import Judge
from assay.tasks.next.collect import first_documents

# More alike than this, two questions are one; of 100.
ALIKE = 85.0
# How many passages are tried for each question that is wanted.
TRIES = 3
# Why a passage has no question.
EMPTY = "the passage has nothing to ask about"
UNANSWERED = "the passage alone does not answer it"
REPEATED = "nearly a duplicate"
DEPTH = 20

QUESTION = Prompt(
    "question",
    1,
    """\
Write one question that a user of a search system might ask and that the passage answers, and the answer. The question
must make sense to somebody who has not seen the passage: no "the passage", no "this company", no pronoun without a
name. The answer is short and says only what the passage says. If the passage has nothing to ask about, leave both
empty.""",
    {"question": str, "answer": str},
)
ANSWERABLE = Prompt(
    "answerable",
    1,
    """\
Decide whether the passage alone answers the question, and whether the answer given is right according to the passage.
The verdict is true only if both hold.""",
    {"reason": str, "verdict": bool},
)
RELEVANCE = Prompt(
    "relevance",
    1,
    """\
Grade how well the passage answers the question:
3: the passage is about the question and has the exact answer.
2: the passage has some of the answer, or the whole answer hidden among other things.
1: the passage is about the same subject but does not answer the question.
0: the passage has nothing to do with the question.
First consider what the person who asks wants to know, then how well the passage fits that, then how far the passage can
be trusted; then give the grade.""",
    {"intent": str, "fit": Scale(0, 3), "trust": Scale(0, 3), "grade": Scale(0, 3)},
)


class MadeQuestion(NamedTuple):
    """A question, its answer, and the passage that it was made from."""

    query_id: str
    question: str
    answer: str
    document: str
    text: str


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
        names = ("query_id", "question", "gold", "gold_texts", "references")
        rows = ((each.query_id, each.question, [each.document], [each.text], [each.answer]) for each in self.questions)
        return [dict(zip(names, row, strict=True)) for row in rows]

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
    ids = list(texts)
    order = [ids[at] for at in np.random.default_rng(seed).permutation(len(ids)).tolist()][: TRIES * number]
    kept: list[MadeQuestion] = []
    rejected = dict.fromkeys((EMPTY, UNANSWERED, REPEATED), 0)
    notes: list[Note] = []
    # As many at a time as questions are wanted.
    for start in range(0, len(order), number):
        batch = order[start : start + number]
        ask = partial(question_steps, texts=texts)
        asked = ask_all("questions", batch, ask, judge=judge, prompts=[QUESTION, ANSWERABLE], names=batch)
        notes += asked.notes
        for document, ruling in zip(batch, asked.rulings, strict=True):
            if not ruling.verdicts or len(kept) == number:
                continue
            question, answer = ruling.verdicts[0].subject, ruling.verdicts[0].against
            if not question:
                rejected[EMPTY] += 1
            elif not ruling.score:
                rejected[UNANSWERED] += 1
            elif any(fuzz.token_sort_ratio(question, each.question) > ALIKE for each in kept):
                rejected[REPEATED] += 1
            else:
                kept.append(MadeQuestion(f"q{len(kept) + 1}", question, answer, document, texts[document]))
        if len(kept) == number:
            break
    return MadeQuestions(kept, number, asked.judge, rejected, loud_first(notes))


def question_steps(document: str, *, texts: dict[str, str]) -> Steps:
    passage = texts[document]
    made = yield QUESTION.ask({"passage": passage})
    question, answer = made["question"].strip(), made["answer"].strip()
    if not question or not answer:
        return Finding(0.0, (Verdict("", 0.0),))
    checked = yield ANSWERABLE.ask({"passage": passage, "question": question, "answer": answer})
    is_right = float(checked["verdict"])
    return Finding(is_right, (Verdict(question, is_right, checked["reason"], answer),))


class PooledPair(NamedTuple):
    """A question and a passage that some run retrieved for it."""

    query: str
    document: str


@dataclass(frozen=True, repr=False)
class RelevanceJudgments(Exports):
    """Grades by a judge. `qrels` are judgments that everything else takes; `rulings` say how each pair was judged.

    `left_out` is how many pairs had been judged by people, and are as they were.
    """

    pairs: Sequence[PooledPair]
    rulings: Rulings
    judge: str
    human: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    left_out: int = 0
    notes: tuple[Note, ...] = ()

    @cached_property
    def qrels(self) -> Qrels:
        """The judge's grades, and those of people where they are given."""
        grades = {query: dict(each) for query, each in self.human.items()}
        for pair, ruling in zip(self.pairs, self.rulings, strict=True):
            if ruling.is_ok:
                grades.setdefault(pair.query, {})[pair.document] = float(round(ruling.score))
        if not grades:
            raise DataError(f"the judge gave no grade: {'; '.join(map(str, self.notes))}")
        return Qrels(grades)

    def __repr__(self) -> str:
        return f"<RelevanceJudgments: {count(sum(each.is_ok for each in self.rulings), 'grade')} by {self.judge}>"

    def table(self) -> Table:
        """How often each grade was given, and how often none."""
        kinds = Counter(f"{round(each.score)}" if each.is_ok else str(each.kind) for each in self.rulings)
        left = [f"{count(self.left_out, 'pair')} judged by people already; not asked about"] if self.left_out else []
        columns = (Column("grade", is_text=True), Column("pairs"))
        return Table(columns, tuple(sorted(kinds.items())), self.judge, (*left, *map(str, self.notes)))

    def reasons(self) -> Table:
        """One row per pair: the grade and what the judge said."""
        columns = tuple(Column(name, is_text=True) for name in ("query", "document", "grade", "outcome", "reason"))
        rows: list[tuple[Cell, ...]] = []
        for pair, ruling in zip(self.pairs, self.rulings, strict=True):
            reason = ruling.verdicts[0].reason if ruling.verdicts else ruling.detail
            grade = f"{ruling.score:g}" if ruling.is_ok else None
            rows.append((pair.query, pair.document, grade, str(ruling.kind), reason or None))
        return Table(columns, tuple(rows))


def judge_relevance(
    queries: object, runs: object, corpus: object, *, judge: Judge, depth: int = DEPTH, human: object = None
) -> RelevanceJudgments:
    """Grades from 0 to 3 for the first `depth` documents of each run, pooled, without ground truth.

    `queries` and `corpus` have the texts, by id. Pairs that people judged already, in `human`, are left alone and are
    part of the result. An interrupted call goes on where it stopped: what was asked is in the judge's cache.

    >>> import assay
    >>> def judge(messages):
    ...     right = "Paris" in messages[1]["content"]
    ...     return f'{{"intent": "a city", "fit": 3, "trust": 3, "grade": {3 if right else 0}}}'
    >>> found = assay.judges.judge_relevance(
    ...     {"q1": "What is the capital of France?"},
    ...     {"bm25": {"q1": ["d1", "d2"]}},
    ...     {"d1": "Paris is the capital of France.", "d2": "Lyon is on the Rhône."},
    ...     judge=assay.Judge(judge, cache=False),
    ... )
    >>> found.qrels["q1"]
    {'d1': 3.0, 'd2': 0.0}
    """
    check_whole("depth", depth, 1)
    people = human if human is None or isinstance(human, Qrels) else Qrels(human)
    known = {} if people is None else {query: people[query] for query in people.queries}
    pool = [PooledPair(*pair) for pair in first_documents(runs, depth)]
    pairs = [pair for pair in pool if pair.document not in known.get(pair.query, {})]
    questions = read_texts(queries, QUESTIONS, only={pair.query for pair in pool})
    if not questions:
        raise MismatchError(f"no query of the runs has a question: {some(sorted({pair.query for pair in pool}))}")
    texts = read_texts(corpus, DOCUMENTS, only={pair.document for pair in pairs})

    def grade(pair: PooledPair) -> Steps:
        if pair.query not in questions:
            raise unjudgeable("no question")
        if not texts.get(pair.document, "").strip():
            raise unjudgeable("no text of the document")
        reply = yield RELEVANCE.ask({"question": questions[pair.query], "passage": texts[pair.document]})
        grade = float(reply["grade"])
        return Finding(grade, (Verdict(pair.document, grade, reply["intent"]),))

    names = [f"{pair.query} {pair.document}" for pair in pairs]
    asked = ask_all("relevance", pairs, grade, judge=judge, prompts=[RELEVANCE], names=names)
    return RelevanceJudgments(pairs, asked.rulings, asked.judge, known, len(pool) - len(pairs), asked.notes)
