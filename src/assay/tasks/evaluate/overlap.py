"""What to say if judgments and run barely overlap: ids of both sides, how they differ, and what to write.

Judged documents are counted, not only relevant ones: a document that was judged not relevant and retrieved shows that
the ids meet, and a bad system is not a mistake in the data. Expected of a query is the smaller of two numbers: how
many documents are judged, and how many were retrieved. This file is used only if less than `SHARE` of that was found.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError, MismatchError
from assay.core.id_difference import IdDifference, find_difference
from assay.core.judged import integers
from assay.core.note import Note, NoteKind
from assay.core.text import Advice, Option, Task, some
from assay.files.source import describe
from assay.tasks.evaluate.score import SHARE

if TYPE_CHECKING:
    from assay.data.partial import Ids
    from assay.data.qrels import Qrels
    from assay.engine.ranking import GivenRun, Ranking

SAME_IDS = "write the ids the same way on both sides"
# More ids than these tell nothing more about how they differ, and take time.
MOST_SAMPLED = 4_000
MOST_PER_QUERY = 200
MOST_SHOWN = 4
OTHER_COLLECTION = "use the judgments of the collection that was searched"


class IdsOfBoth(NamedTuple):
    """Ids that are only in the judgments, and ids that are only in the run; None if the run cannot be read again."""

    judged: list[str]
    run: list[str] | None

    def __str__(self) -> str:
        run = "the run cannot be read again to show its ids" if self.run is None else f"the run has {some(self.run)}"
        return f"the judgments have {some(self.judged)}, {run}"


class RunOverlap(NamedTuple):
    """How far judgments and run meet. Of parts with different queries, each figure adds up.

    `queries` are judged, `matched` of these are in the run and `filled` have documents there; of the documents that
    could have been retrieved, `expected`, `hits` were.
    """

    queries: int
    matched: int
    filled: int
    expected: int
    hits: int

    @classmethod
    def of(cls, ranking: Ranking) -> RunOverlap:
        """How far a run meets its judgments, under the first options."""
        counts, qrels = ranking.counts(0), ranking.qrels
        found, judged = integers(counts["retrieved"]), np.diff(integers(qrels.index.starts()))
        expected = np.minimum(judged, np.maximum(found, 0)).sum()
        hits = (integers(counts["document"]) >= 0).sum()
        return cls(len(qrels), int((found >= 0).sum()), int((found > 0).sum()), int(expected), int(hits))

    def has_few_queries(self, unknown: int) -> bool:
        """Whether barely any query is on both sides; so many are in the run only."""
        return self.matched < SHARE * min(self.queries, self.matched + unknown)

    @property
    def has_few_documents(self) -> bool:
        """Whether barely any document is on both sides, or none was retrieved at all."""
        return not self.filled or self.hits < SHARE * self.expected


def overlap_notes(ranking: Ranking, rule: str | None) -> list[Note]:
    """Whether judgments and run barely overlap, in their documents or their queries; `rule` is that for `doc_id`."""

    def note(about: str, found: int, expected: int, said: str, advice: Advice) -> Note:
        return Note.of(NoteKind.OVERLAP, about=about, count=found, ids=said, expected=f"{expected:,}", advice=advice)

    notes = []
    qrels, unknown, overlap = ranking.qrels, sorted(ranking.unknown()), RunOverlap.of(ranking)
    if not (overlap.matched or unknown):
        name = "what was added" if ranking.given.is_sample else describe(ranking.given.data)
        raise DataError(f"{name} has no rankings")
    if not overlap.matched:
        said, advice = describe_ids(IdsOfBoth(qrels.queries, unknown), "suffix")
        raise MismatchError(f"judgments and run have no query in common: {said}; {''.join(map(str, advice))}")
    if overlap.has_few_queries(len(unknown)):
        missing = np.flatnonzero(integers(ranking.counts(0)["retrieved"]) < 0).tolist()
        ids = IdsOfBoth([qrels.queries[number] for number in missing], unknown)
        notes.append(note("queries", overlap.matched, overlap.matched + len(unknown), *describe_ids(ids, "suffix")))
    if not overlap.filled:
        notes.append(Note.of(NoteKind.OVERLAP, about="empty", count=0))
    elif overlap.has_few_documents:
        described = describe_documents(qrels, ranking.given, rule)
        notes.append(note("few" if overlap.hits else "", overlap.hits, overlap.expected, *described))
    return notes


def describe_documents(qrels: Qrels, run: GivenRun, rule: str | None) -> tuple[str, Advice]:
    from assay.data.partial import sample_ids

    sample = sample_ids(run.data, format=run.format, columns=run.columns)
    judged, retrieved = sample_both(qrels, sample or {})
    if sample is None:
        return describe_ids(IdsOfBoth(list(judged), None))
    unknown = [each for each in retrieved if each not in judged]
    both = IdsOfBoth([each for each in judged if each not in retrieved], unknown)
    if not isinstance(rule, DocIdRule) or rule.is_field:
        return describe_ids(both)
    # The rule is what is wrong: the ids are shown as it leaves them, and what it was applied to may fit another.
    changed = [rule.of(each) for each in list(retrieved)[:MOST_SHOWN]]
    shown = f"{both._replace(run=changed)} with {Option('doc_id', str(rule))}"
    if len(both.run or ()) < len(retrieved):
        return shown, (f"without {Option('doc_id')} the ids meet",)
    difference = find_difference(both.judged, both.run or ())
    if difference is None:
        return shown, advice_on(None, OTHER_COLLECTION)
    return f"{shown}, before it: {difference}", advice_on(difference, SAME_IDS)


def describe_ids(both: IdsOfBoth, noun: str = "chunk") -> tuple[str, Advice]:
    """Ids of both sides, how they differ, and what to do; `noun` is what an ending of ids is called."""
    if both.run is None:
        return str(both), (Task("check"), " shows how the ids differ")
    difference = find_difference(both.judged, both.run, noun)
    is_document = noun == "chunk"
    if difference is None:
        what = OTHER_COLLECTION if is_document else "use the judgments that belong to this run"
        return str(both), (f"{what}; ", Task("check"), " looks at the data")
    return f"{both}; likely the same ids: {difference}", advice_on(difference if is_document else None, SAME_IDS)


def advice_on(difference: IdDifference | None, otherwise: str) -> Advice:
    """The rule that joins the ids, or what else to do."""
    if difference is not None and difference.rule:
        return (Option("doc_id", difference.rule), " joins them")
    return (f"{otherwise}; ", Task("check"), " looks at the data")


def sample_both(qrels: Qrels, sample: Ids) -> tuple[dict[str, None], dict[str, None]]:
    """The first judged and retrieved documents of the same queries, or of any if no query of the sample is judged."""
    judged: dict[str, None] = {}
    retrieved: dict[str, None] = {}
    common = [(number, query) for query in sample if (number := qrels.find(query)) is not None]
    pairs = common or list(zip_longest(range(len(qrels)), sample))
    for number, query in pairs:
        judged.update(dict.fromkeys(() if number is None else qrels.rows.documents(number)[:MOST_PER_QUERY]))
        retrieved.update(dict.fromkeys(sample.get(query, [])[:MOST_PER_QUERY]))
        if max(len(judged), len(retrieved)) >= MOST_SAMPLED:
            break
    return judged, retrieved
