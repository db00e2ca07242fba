"""`Collection`: what is judged in a studio: judgments, runs, questions and passages, read once when it starts.

The grades to choose from are those of the file and of the votes so far, or what the policy `top_grade` says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

from assay.core.errors import DataError, PolicyError
from assay.core.text import given_id, show
from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.data.texts import DOCUMENTS, QUESTIONS, read_texts
from assay.studio.store.schema import VoteEvent
from assay.studio.store.store import Store
from assay.tasks.compare.ranks import wanted_texts

GRADES = "grades"
# The highest grade of an open scale, the highest that is offered unasked, and the highest that can be.
USUAL_GRADES = 3
MOST_UNASKED = 10
MOST_GRADES = 100


class UnknownError(DataError):
    """There is no such query, run or measure in this studio."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Judgments from a file, runs in memory, and the texts of questions and passages, as far as there are any."""

    title: str
    judgments: Mapping[str, Mapping[str, float]]
    runs: Mapping[str, Run]
    questions: Mapping[str, str] = field(default_factory=dict)
    passages: Mapping[str, str] = field(default_factory=dict)

    @property
    def queries(self) -> list[str]:
        """Every query that is judged, ranked or only asked, in that order."""
        ranked = [query for run in self.runs.values() for query in run.queries]
        return list(dict.fromkeys([*self.judgments, *ranked, *self.questions]))


def open_collection(
    title: str, qrels: Qrels | None, runs: Mapping[str, Run], *, queries: object = None, corpus: object = None
) -> Collection:
    """A collection; of a corpus, only the passages that are judged or that a run retrieved are kept."""
    if not runs:
        raise DataError("need at least one run; name it after QRELS")
    if qrels is not None and qrels.rows.has_groups():
        raise DataError("these judgments have groups, and a studio judges documents; pass judgments without groups")
    judgments = {} if qrels is None else {query: dict(qrels[query]) for query in qrels.queries}
    questions = {} if queries is None else read_texts(queries, QUESTIONS)
    passages = {}
    if corpus is not None:
        wanted = {document for each in judgments.values() for document in each}
        for run in runs.values():
            wanted.update(given_id(each) for number in range(len(run)) for each in run.rows.documents(number))
        passages = wanted_texts(corpus, wanted, DOCUMENTS)
    known = {query for run in runs.values() for query in run.queries}
    if questions and not known & questions.keys():
        asked, ranked = (show(next(iter(each))) for each in (questions, known))
        said = f"none of the questions is in a run: they are {asked} …, the runs have {ranked} …"
        raise DataError(f"{said}; pass the questions of these runs, with the same ids")
    return Collection(title, judgments, runs, questions, passages)


def demo_collection() -> Collection:
    with as_file(files("assay") / "demo") as folder:
        path = Path(folder)
        runs = {name: Run(path / f"{name}.run") for name in ("bm25", "dense", "hybrid")}
        texts = {"queries": path / "queries.jsonl", "corpus": path / "passages.jsonl"}
        title = "assay demo: the annual report of a fictional company"
        return open_collection(title, Qrels(path / "qrels.txt"), runs, **texts)


def choose_grades(
    base: Mapping[str, Mapping[str, float]], events: Iterable[VoteEvent], store: Store, chosen: int | None
) -> list[float]:
    """The grades of a studio; a highest one that was chosen is kept in the store."""
    kept = store.setting(GRADES)
    top = chosen if chosen is not None or kept is None else int(kept)
    scale = grades_of(base, (event.vote for event in events if event.vote is not None), top)
    if chosen is not None and str(chosen) != kept:
        store.set_setting(GRADES, str(chosen))
    return scale


def grades_of(
    base: Mapping[str, Mapping[str, float]], votes: Iterable[float] = (), top: int | None = None
) -> list[float]:
    """The grades from 0 to `top`; without it to 1 if nothing in the file or the votes is higher, else to 3 or more.

    >>> grades_of({"q": {"d": 1.0}}), grades_of({}, [1.0]), grades_of({"q": {"d": 1.0}}, [4.0])
    ([0.0, 1.0], [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0, 4.0])
    >>> grades_of({}, top=1)
    [0.0, 1.0]
    """
    judged = max((grade for each in base.values() for grade in each.values()), default=None)
    voted = max(votes, default=0.0)
    if top is None:
        highest = math.ceil(max(USUAL_GRADES if judged is None else judged, voted))
        if highest > MOST_UNASKED:
            more = f"--policy top_grade={min(highest, MOST_GRADES)}"
            said = f"the judgments have a grade of {max(judged or 0.0, voted):g}, and people choose from 0 to"
            raise DataError(f"{said} {MOST_UNASKED}; map the grades to fewer, or offer more with {more}")
        top = 1 if highest <= 1 else max(USUAL_GRADES, highest)
    if not 1 <= top <= MOST_GRADES:
        raise PolicyError(f"the highest grade must be from 1 to {MOST_GRADES}, not {top}")
    for what, grade in (("the judgments", judged or 0.0), ("the votes in the store", voted)):
        if grade > top:
            said = f"{what} have a grade of {grade:g}, and the grades to choose from end at {top}"
            raise DataError(f"{said}; choose more with --policy top_grade={math.ceil(grade)}")
    return [float(each) for each in range(top + 1)]
