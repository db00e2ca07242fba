"""`clicks`: what people were shown and clicked on in, judgments out."""

import numpy as np

from assay.core.errors import DataError, PolicyError
from assay.core.note import Note, NoteKind
from assay.core.policies import check_whole
from assay.core.text import show
from assay.tasks.click.impressions import read_impressions
from assay.tasks.click.models import MODELS
from assay.tasks.click.result import Clicks


def clicks(data: object, *, model: str = "coec", min_impressions: int = 10, queries: object = None) -> Clicks:
    """Judgments from clicks: which documents people were shown for a query, at which position, and which they clicked.

    The data is a file (CSV, TSV, JSON Lines, JSON or Parquet), a frame, or a list of dicts: a plain table with `query`,
    `document`, `position`, `clicked`, and if you have it `impression`, the result page; or events of OpenSearch's User
    Behavior Insights (UBI). With a column `shown`, a row stands for so many impressions. UBI keeps what was typed in an
    index of its own: `queries` is a table with its `query_id` and `user_query`, or a dict from one to the other.

    >>> import assay
    >>> rows = [("q", "a", 1, 30, 100), ("q", "b", 2, 10, 100), ("q", "b", 1, 20, 50), ("q", "a", 2, 8, 50)]
    >>> fields = ("query", "document", "position", "clicked", "shown")
    >>> found = assay.clicks([dict(zip(fields, row)) for row in rows])
    >>> {document: round(grade, 4) for document, grade in found.qrels["q"].items()}
    {'a': 0.9661, 'b': 1.0465}

    `model` is `coec`, clicks over the clicks expected at the positions shown; `pbm`, the position-based model, whose
    grade is how attractive a document is; or `dbn`, the dynamic Bayesian network model, whose grade is how likely a
    document satisfies who looks at it, and which needs `impression`. A pair that was shown fewer than `min_impressions`
    times stays unjudged.
    """
    if not isinstance(model, str) or model not in MODELS:
        raise PolicyError(f"unknown model {show(model)}; choose one of {', '.join(MODELS)}")
    check_whole("min_impressions", min_impressions, 1)
    impressions, notes = read_impressions(data, queries)
    fitted = MODELS[model](impressions)
    is_rare = np.bincount(impressions.pair, weights=impressions.shown) < min_impressions
    is_graded = ~np.isnan(fitted.grades)
    if few := int(is_rare.sum()):
        notes.append(Note.of(NoteKind.CLICKS, about="few", count=few, least=min_impressions))
    if clickless := int((~is_rare & ~is_graded).sum()):
        notes.append(Note.of(NoteKind.CLICKS, about="clickless", count=clickless))
    if not fitted.is_told:
        notes.append(Note.of(NoteKind.CLICKS, about="fixed", model=model))
    if not fitted.settled:
        notes.append(Note.of(NoteKind.CLICKS, about="unsettled", count=fitted.rounds))
    if not (~is_rare & is_graded).any():
        raise DataError(f"no judgment: {'; '.join(map(str, notes))}")
    signature = f"clicks[{model}] min_impressions={min_impressions}"
    return Clicks(impressions, fitted, tuple(notes), signature, min_impressions)
