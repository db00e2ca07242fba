"""`judge_relevance`: grades of relevance from a judge, for what runs retrieved.

The scale is UMBRELA's (Upadhyay et al. 2024): 0 unrelated, 1 related but no answer, 2 a partial or hidden answer, 3 an
answer that the passage is about. A passage that gets no grade stays unjudged; it is never counted as 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from assay.core.errors import DataError, MismatchError
from assay.core.note import Note
from assay.core.policies import check_whole
from assay.core.prompt import Scale
from assay.core.ruling import Finding, Rulings, Steps, Verdict, unjudgeable
from assay.core.text import count, some
from assay.data.qrels import Qrels
from assay.data.texts import DOCUMENTS, QUESTIONS, read_texts
from assay.render import Cell, Column, Exports, Table
from assay.tasks.judge.drive import ask_all
from assay.tasks.judge.prompts import RELEVANCE
from assay.tasks.next.collect import first_documents

if TYPE_CHECKING:
    from assay.tasks.judge.judge import Judge

DEPTH = 20
GRADES = Scale(0, 3)


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
    _known: dict[str, Any] = field(default_factory=dict)

    @property
    def qrels(self) -> Qrels:
        """The judge's grades, and those of people where they are given."""
        if "qrels" not in self._known:
            grades = {query: dict(each) for query, each in self.human.items()}
            for pair, ruling in zip(self.pairs, self.rulings, strict=True):
                if ruling.is_ok:
                    grades.setdefault(pair.query, {})[pair.document] = float(round(ruling.score))
            if not grades:
                raise DataError(f"the judge gave no grade: {'; '.join(map(str, self.notes))}")
            self._known["qrels"] = Qrels(grades)
        return cast("Qrels", self._known["qrels"])

    def __repr__(self) -> str:
        graded = sum(ruling.is_ok for ruling in self.rulings)
        return f"<RelevanceJudgments: {count(graded, 'grade')} by {self.judge}>"

    def table(self) -> Table:
        """How often each grade was given, and how often none."""
        kinds: dict[str, int] = {}
        for ruling in self.rulings:
            kind = f"{round(ruling.score)}" if ruling.is_ok else str(ruling.kind)
            kinds[kind] = kinds.get(kind, 0) + 1
        rows = tuple((kind, kinds[kind]) for kind in sorted(kinds))
        left = [f"{count(self.left_out, 'pair')} judged by people already; not asked about"] if self.left_out else []
        notes = (*left, *map(str, self.notes))
        return Table((Column("grade", is_text=True), Column("pairs")), rows, self.judge, notes)

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
    queries: object,
    runs: object,
    corpus: object,
    *,
    judge: Judge,
    depth: int = DEPTH,
    human: object = None,
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
    known = {} if human is None else grades_by_query(human)
    pool = [PooledPair(*pair) for pair in first_documents(runs, depth)]
    pairs = [pair for pair in pool if pair.document not in known.get(pair.query, {})]
    questions = read_texts(queries, QUESTIONS, only={pair.query for pair in pool})
    if not questions:
        raise MismatchError(f"no query of the runs has a question: {some(sorted({pair.query for pair in pool}))}")
    texts = read_texts(corpus, DOCUMENTS, only={pair.document for pair in pairs})
    ask = partial(grade_steps, questions=questions, texts=texts)
    names = [f"{pair.query} {pair.document}" for pair in pairs]
    asked = ask_all("relevance", pairs, ask, judge=judge, prompts=[RELEVANCE], names=names)
    return RelevanceJudgments(pairs, asked.rulings, asked.judge, known, len(pool) - len(pairs), asked.notes)


def grades_by_query(human: object) -> dict[str, dict[str, float]]:
    """What people judged."""
    qrels = human if isinstance(human, Qrels) else Qrels(human)
    return {query: qrels[query] for query in qrels.queries}


def grade_steps(pair: PooledPair, *, questions: Mapping[str, str], texts: Mapping[str, str]) -> Steps:
    """Asks for the grade of a pair."""
    if pair.query not in questions:
        raise unjudgeable("no question")
    if not texts.get(pair.document, "").strip():
        raise unjudgeable("no text of the document")
    reply = yield RELEVANCE.ask({"question": questions[pair.query], "passage": texts[pair.document]})
    grade = float(reply["grade"])
    return Finding(grade, (Verdict(pair.document, grade, reply["intent"]),))
