"""The texts behind a change: the question, the first line of each passage, and the wrong document that took the top.

Judged documents are known; for the document on top of a ranking, the run is read once more. Of questions and passages,
however many there are, only those that are shown are kept.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.core.errors import MismatchError
from assay.core.text import first_line, given_id, some
from assay.data.partial import read_some
from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.data.texts import DOCUMENTS, QUESTIONS, TextKind, read_texts
from assay.tasks.compare.ranks import Document, Move, is_shown
from assay.tasks.evaluate.api import Ranks, Scorer


class Changed(NamedTuple):
    """Queries that changed by a measure, from one run (None if there is no other) to another."""

    moves: tuple[Move, ...]
    measure: str
    before: str | None
    after: str


def add_texts(
    changed: Sequence[Changed], ranks: Ranks | None, queries: object, corpus: object
) -> list[tuple[Move, ...]]:
    """The moves of each group, with questions if they are given, and with first lines of passages if a corpus is."""
    groups = [each.moves for each in changed]
    if corpus is not None:
        groups = [each.moves if ranks is None else add_tops(each, ranks) for each in changed]
        shown = {each.document for moves in groups for move in moves for each in move.documents if is_shown(each)}
        lines = {name: first_line(text, None) for name, text in wanted_texts(corpus, shown, DOCUMENTS).items()}

        def with_texts(move: Move) -> Move:
            documents = (each._replace(text=lines.get(each.document, each.text)) for each in move.documents)
            return move._replace(documents=tuple(documents))

        groups = [tuple(map(with_texts, moves)) for moves in groups]
    if queries is not None:
        asked = wanted_texts(queries, {move.query for moves in groups for move in moves}, QUESTIONS)
        groups = [tuple(move._replace(question=asked.get(move.query)) for move in moves) for moves in groups]
    return groups


def wanted_texts(data: object, wanted: set[str], kind: TextKind) -> dict[str, str]:
    """The texts of these questions or documents; an error if none of them is there."""
    if not wanted:
        return {}
    found = read_texts(data, kind, only=wanted)
    if not found:
        raise MismatchError(
            f"none of the {kind.noun}s to show has a text: they are {some(sorted(wanted))}; "
            f"pass the {kind.noun}s of this collection, with the same ids"
        )
    return found


def add_tops(changed: Changed, ranks: Ranks) -> tuple[Move, ...]:
    """The moves with the unjudged document on top of either ranking among their documents."""
    wanted = {move.query for move in changed.moves}
    runs = [rankings_of(ranks, name, changed.measure, wanted) for name in (changed.before, changed.after)]
    moves = []
    for move in changed.moves:
        judged = {each.document for each in move.documents}
        before, after = (each.get(move.query, {}) for each in runs)
        tops = dict.fromkeys(name for ranking in (after, before) for name, rank in ranking.items() if rank == 1)
        added = [Document(name, None, before.get(name), after.get(name)) for name in tops if name not in judged]
        moves.append(move._replace(documents=(*move.documents, *added)))
    return tuple(moves)


def rankings_of(ranks: Ranks, name: str | None, measure: str, wanted: set[str]) -> dict[str, dict[str, int]]:
    """The ranks of all documents that a run retrieved for some queries, under the policies of a measure.

    They are those of a ranking in which every document is judged. Empty if the run cannot be read again.
    """
    scorer = ranks.scorer
    if name is None or name not in ranks.runs or not ranks.can_read(name):
        return {}
    if scorer.plan.measures[measure].policies.judged_only:
        return {}
    run, documents = retrieved(scorer, ranks.runs[name], ranks.format, wanted)
    if not documents:
        return {}
    everything = Qrels({query: dict.fromkeys(each, 1) for query, each in documents.items()}, duplicates=None)
    every = Scorer(scorer.plan.only(measure), everything, threads=scorer.threads)
    judged, _ = every.read(run).judged(every.plan.groups[0].policies, 0)
    index = everything.index_under(scorer.plan.measures[measure].policies.duplicates)
    places: dict[str, dict[str, int]] = {query: {} for query in everything.queries}
    for query, document, rank in zip(judged.hits.query, judged.hits.document, judged.hits.rank, strict=True):
        places[everything.queries[query]].setdefault(given_id(index.document(int(document))), int(rank))
    return places


def run_of(data: Any, format: str | None) -> Run:  # noqa: ANN401 - a run in any form
    return data if isinstance(data, Run) else Run(data, format=format)


def retrieved(scorer: Scorer, data: Any, format: str | None, wanted: set[str]) -> tuple[object, dict[str, list[str]]]:  # noqa: ANN401 - a run in any form
    """A run with some of its queries, and the documents retrieved for each; a chunk counts as its document."""
    rule: Any = scorer.plan.policies.doc_id
    if rule is not None and rule.is_field:
        return data, {}
    if isinstance(data, (str, os.PathLike)):
        run = read_some(data, wanted, format)
    elif isinstance(data, Mapping):
        data = {query: ranking for query, ranking in data.items() if str(query) in wanted}
        run = Run(data) if data else None
    else:
        run = run_of(data, format)
    if run is None:
        return run, {}
    known = [query for query in run.queries if query in wanted]
    documents = {query: run.rows.documents(run.number(query)) for query in known}
    if rule is not None:
        documents = {query: [rule.of(chunk) for chunk in each] for query, each in documents.items()}
    return run, {query: list(dict.fromkeys(each)) for query, each in documents.items() if each}
