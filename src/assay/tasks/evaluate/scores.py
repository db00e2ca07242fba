"""Scores from elsewhere as a `Result`: the values that records were given, or that a function gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.conventions import Chosen, find_convention
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind
from assay.core.progress import progress_bar
from assay.measures.scores import EVERY, FunctionScore, every_score, parse_score
from assay.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.core.judged import FloatArray
    from assay.data.records.record import Record


def with_every_score(
    chosen: Mapping[str, Chosen], records: Sequence[Record], known: Iterable[str] = ()
) -> dict[str, Chosen]:
    """The measures with `score:*` replaced by the scores that it stands for; `known` are fields with other parts."""
    if EVERY not in chosen:
        return dict(chosen)
    policies = chosen[EVERY].policies
    every = {name: Chosen(parse_score(name), policies) for name in every_score(records, fields=True, known=known)}
    replaced = [{key: each} if key != EVERY else every for key, each in chosen.items()]
    # A score that is also named has what its name says.
    return {key: chosen.get(key, each) for group in replaced for key, each in group.items()}


def score_records(records: Sequence[Record], measures: Mapping[str, Measure]) -> Result:
    """The result of scores from elsewhere. A record without a value is left out of the mean, with a note."""
    scores = {}
    with progress_bar("scoring records") as report:
        for number, (name, measure) in enumerate(measures.items()):
            if not isinstance(measure, FunctionScore):
                scores[name] = measure(records)
                continue
            values = np.empty(len(records))
            for place, record in enumerate(records):
                values[place] = measure.of_record(record)
                report((number + (place + 1) / len(records)) / len(measures))
            scores[name] = values
    queries = [each.query_id for each in records]
    # The function itself is not part of the result: it can be compared, stored and pickled without it.
    plain = {name: Measure(each.definition, each.values) for name, each in measures.items()}
    own = find_convention("assay")
    return Result(plain, queries, scores, own.name, own.policies, missing_notes(queries, scores), subject="scores")


def missing_notes(queries: list[str], scores: Mapping[str, FloatArray]) -> tuple[Note, ...]:
    """Which questions have no value; once for all scores that lack the same ones."""
    names: dict[tuple[str, ...], list[str]] = {}
    for name, values in scores.items():
        missing = tuple(queries[at] for at in np.flatnonzero(np.isnan(values)))
        if missing:
            names.setdefault(missing, []).append(name)
    return tuple(
        Note.of(NoteKind.MISSING, about="scores", queries=missing, measures=group) for missing, group in names.items()
    )
