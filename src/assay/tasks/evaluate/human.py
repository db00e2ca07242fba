"""Human labels for a part of the queries: they anchor the means of a result (`stats/anchored.py`)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from assay.core.errors import DataError, MismatchError
from assay.core.measure import is_anchorable
from assay.core.note import Note, NoteKind, loud_first
from assay.core.text import p_words, some
from assay.data.run import read_again
from assay.results.result import Result
from assay.stats.anchored import sample_p
from assay.stats.intervals import FEWEST
from assay.tasks.evaluate.scores import UNNAMED, find_measure, is_given_scores, read_given_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.core.judged import FloatArray
    from assay.tasks.evaluate.api import Scorer

Anchorable = TypeVar("Anchorable", bound=Result)

# With fewer human labels the quantiles of Student's t need not hold.
ADVISED = 50
# Queries with labels that differ so much from the others are hardly a random sample.
UNLIKELY = 0.001
# What was found in human judgments; the rest is about the run, which the other judgments met as well.
OF_JUDGMENTS = (NoteKind.DUPLICATES, NoteKind.TRUNCATED, NoteKind.NEGATIVE, NoteKind.NO_RELEVANT, NoteKind.PREPARED)


def evaluate_anchored(scorer: Scorer, run: object, human: object, **how: Any) -> Result:  # noqa: ANN401 - as in `Evaluator.evaluate`
    """The result of a run, anchored by human judgments of some queries, or by human scores of them."""
    if is_given_scores(human):
        return anchor_result(scorer.evaluate(run, **how), read_given_scores(human, list(scorer.plan.measures)))
    run = read_again(run, format=how["format"], columns=how["columns"])
    result = scorer.evaluate(run, **how)
    return anchor_result(result, scored_by_people(scorer, human, result).evaluate(run, **how | {"progress": None}))


def scored_by_people(scorer: Scorer, human: object, result: Result) -> Scorer:
    """The scorer of the same measures under human judgments, some of which must be of queries of the result."""
    people = type(scorer)(scorer.plan, human, threads=scorer.threads)
    if set(people.qrels.queries).isdisjoint(result.queries):
        raise no_common_query(people.qrels.queries, result)
    return people


def no_common_query(queries: list[str], result: Result) -> MismatchError:
    both = f"people labelled {some(queries)}, the scored queries are {some(result.queries)}"
    return MismatchError(f"no scored query has a human label: {both}; use the same query ids")


def anchor_result(result: Anchorable, people: Result) -> Anchorable:
    """The result with the values that people gave, and notes on them; its means are anchored by them."""
    known = set(result.queries)
    is_labelled = np.any([np.isfinite(values) for values in people.scores.values()], axis=0)
    labelled = [query for query, has_value in zip(people.queries, is_labelled, strict=True) if has_value]
    if known.isdisjoint(labelled):
        raise no_common_query(labelled, result)
    notes = [
        replace(note, text=f"human judgments: {note.text}")
        for note in people.notes
        if note.kind in OF_JUDGMENTS and note not in result.notes
    ]
    if unknown := [query for query in labelled if query not in known]:
        notes.append(Note.of(NoteKind.ANCHORED, about="unknown", queries=unknown))
    human, plain = human_values(result, people)
    for reason, names in plain.items():
        notes.append(Note.of(NoteKind.ANCHORED, about="plain", measures=names, reason=reason))
    means = {name: mean for name, mean in result.mean.items() if name not in human}
    anchored = replace(result, human=human, _means=means, _intervals={})
    # What labels do to means, and what makes them doubtful, is said once for measures that share it.
    said: dict[Note, list[str]] = {}
    for key, values in human.items():
        for note in notes_on(anchored, key, values):
            said.setdefault(note, []).append(key)
    every = len(result.measures)
    own = [note if len(names) == every else replace(note, measures=tuple(names)) for note, names in said.items()]
    return replace(anchored, notes=loud_first([*result.notes, *own, *notes]))


def human_values(result: Result, people: Result) -> tuple[dict[str, FloatArray], dict[str, list[str]]]:
    """The values that people gave, by measure, and the measures that they do not anchor by the reason."""
    human: dict[str, FloatArray] = {}
    plain: dict[str, list[str]] = {}
    means = [key for key, measure in result.measures.items() if is_anchorable(measure)]
    for key in result.measures:
        own = UNNAMED if list(people) == [UNNAMED] and means == [key] else find_measure(people, key)
        if key not in means:
            plain.setdefault("it is not a mean over queries", []).append(key)
        elif own is None or not (values := labelled_values(result, key, people, own)).size:
            plain.setdefault("no query has a human value", []).append(key)
        else:
            measure, theirs = result.measures[key], people.measures[own]
            # A parameter that the judgments set, such as the highest grade, may be another one under those of people.
            if measure.definition is theirs.definition and measure != theirs:
                both = f"{measure.full_name} by all judgments and {theirs.full_name} by the human ones"
                raise MismatchError(f"{key} is {both}; name the measure with its parameters")
            human[key] = values
    if not human:
        reasons = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in plain.items())
        raise DataError(f"human labels anchor no measure ({reasons}); the labels have {', '.join(people)}")
    return human, plain


def labelled_values(result: Result, key: str, people: Result, own: str) -> FloatArray:
    """The values that people gave to the queries of a result, NaN for the others; empty if they gave none."""
    given = dict(zip(people.queries, people.scores[own].tolist(), strict=True))
    values = np.array([given.get(query, np.nan) for query in result.queries], dtype=np.float64)
    number = int((np.isfinite(values) & np.isfinite(result.scores[key])).sum())
    if number == 1:
        raise DataError(f"{key}: a single query has a human label; it takes at least {FEWEST}, better {ADVISED}")
    return values if number else values[:0]


def notes_on(result: Result, key: str, values: FloatArray) -> Iterator[Note]:
    about = partial(Note.of, NoteKind.ANCHORED)
    anchor, scores, total = result.anchored(key), result.scores[key], result.counted(key)
    number = 0 if anchor is None else anchor.human
    yield about(about="all", count=number) if number == total else about(count=number, total=f"{total:,}")
    if lone := np.flatnonzero(np.isfinite(values) & ~np.isfinite(scores)).tolist():
        yield about(about="valueless", queries=[result.queries[place] for place in lone])
    if number < min(total, ADVISED):
        yield about(about="few", count=number, least=ADVISED)
    if number != total and (p := sample_p(scores, values)) < UNLIKELY:
        yield about(about="sample", count=number, p=p_words(p))
