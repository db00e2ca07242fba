"""Names of columns: which one holds the queries, the documents, the grades or the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.errors import FormatError
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

QUERY = {"query_id", "qid", "q_id", "query", "topic", "topic_id", "queryid"}
DOCUMENT = {"doc_id", "docno", "docid", "doc", "document", "document_id", "corpus_id", "pid", "passage_id"}
SCORE = {"score", "sim", "similarity"}
GRADE = {"relevance", "rel", "grade", "label", "score"}
GROUP = {"group", "subtopic", "subtopic_id"}

ROLES = ("query_id", "doc_id", "score", "relevance", "group")


def simple(name: str) -> str:
    """A column's name without the differences that do not count.

    >>> simple("Query-ID")
    'query_id'
    """
    return name.lower().replace("-", "_").replace(" ", "_")


def find_columns(names: Sequence[str], columns: Mapping[str, str] | None, *, judgments: bool, name: str) -> dict[str, str]:
    """The columns that hold `query_id`, `doc_id`, `value` and, where there is one, `group`.

    `columns` names them itself, such as `{"query_id": "topic", "doc_id": "url"}`.
    """
    given = dict(columns or {})
    for role, column in given.items():
        if role not in ROLES:
            raise FormatError(f"columns={{{role!r}: …}}: the roles are {', '.join(ROLES)}")
        if column not in names:
            raise FormatError(f"{name} has no column {show(column)}; it has {', '.join(map(show, names))}")
    value_role = "relevance" if judgments else "score"
    wanted = {"query_id": QUERY, "doc_id": DOCUMENT, value_role: GRADE if judgments else SCORE}
    found: dict[str, str] = {}
    for role, known in (*wanted.items(), ("group", GROUP if judgments else set[str]())):
        column = given.get(role) or next((each for each in names if simple(each) in known), None)
        if column is None and role in wanted:
            raise FormatError(
                f"{name} has no column for {role}: it has {', '.join(map(show, names))}; "
                f"name it with columns={{{role!r}: …}}"
            )
        if column is not None:
            found["value" if role == value_role else role] = column
    return found
