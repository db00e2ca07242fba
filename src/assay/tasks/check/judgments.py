"""What is found in judgments."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from assay.core.text import count, show, some
from assay.tasks.check.result import Finding, Report

if TYPE_CHECKING:
    from assay.data.qrels import Qrels
    from assay.data.table import QueryTable


def check_qrels(qrels: Qrels, name: str, rel: float = 1.0) -> Report:
    """The doctor's report on judgments; `rel` is the lowest grade that counts as relevant."""
    facts = {
        "queries": len(qrels),
        "judgments": len(qrels.rows),
        "documents": len(judged_documents(qrels)),
        "groups": qrels.rows.has_groups(),
        "grades": {f"{grade:g}": times for grade, times in sorted(Counter(qrels.values.tolist()).items())},
    }
    findings = [relevant(qrels, rel), negative(qrels), repeats(qrels, "judged")]
    return Report("judgments", name, facts, findings)


def judged_documents(qrels: Qrels) -> set[str]:
    """Every document that is judged for some query."""
    return {document for number in range(len(qrels)) for document in qrels.rows.documents(number)}


def relevant(qrels: Qrels, rel: float) -> Finding:
    """Whether every query has something to find."""
    found = np.add.reduceat(np.append(qrels.values >= rel, 0), qrels.starts[:-1]) * (np.diff(qrels.starts) > 0)
    bare = [qrels.queries[number] for number in np.flatnonzero(found == 0)]
    if not bare:
        return Finding("ok", "relevant", "every query has a relevant document")
    if len(bare) == len(qrels):
        return Finding(
            "bad",
            "relevant",
            f"no grade reaches {rel:g}, so no document counts as relevant",
            f"say which grades do with --rel; the highest here is {qrels.values.max(initial=0):g}",
        )
    said = f"{count(len(bare), 'query has', 'queries have')} no relevant document: {some(bare)}"
    return Finding("warn", "relevant", said, "such queries score 0; leave them out with --no-relevant skip")


def negative(qrels: Qrels) -> Finding:
    """Whether grades are below 0."""
    number = int((qrels.values < 0).sum())
    if not number:
        return Finding("ok", "negative", "no grade is below 0")
    said = f"{count(number, 'grade is', 'grades are')} below 0"
    return Finding(
        "warn", "negative", said, "such documents count as not judged; with --negative nonrelevant, as not relevant"
    )


def repeats(table: QueryTable, verb: str) -> Finding:
    """Whether a query lists a document twice (in the same group)."""
    number, first = 0, ("", "")
    for place, query in enumerate(table.queries):
        documents = table.rows.documents(place)
        groups = table.rows.groups(place)
        rows = documents if groups is None else list(zip(documents, groups, strict=True))
        again = len(rows) - len(set(rows))
        if again and not number:
            twice = next(row for row, times in Counter(rows).items() if times > 1)
            first = (query, twice if isinstance(twice, str) else twice[0])
        number += again
    if not number:
        return Finding("ok", "duplicates", f"no document is {verb} twice for a query")
    said = f"{count(number, 'document is', 'documents are')} {verb} again for the same query, "
    said += f"such as {show(first[1])} for query {show(first[0])}"
    return Finding("bad", "duplicates", said, "remove the repeats, or choose with --duplicates first or last")
