"""Names of columns: which one holds the queries, the documents, the grades or the scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.core.errors import FormatError
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Sequence

# Where a table has several of these, the one that stands first here is taken: a `query` may be the text of one, and
# a `docid` beside a `docno` is the index's own number.
QUERY = ("query_id", "qid", "q_id", "queryid", "topic_id", "topic", "query")
DOCUMENT = ("doc_id", "docno", "document_id", "docid", "corpus_id", "passage_id", "pid", "doc", "document")
SCORE = ("score", "similarity", "sim")
GRADE = ("relevance", "rel", "grade", "label", "score")
GROUP = ("group", "subtopic", "subtopic_id")
# The second field of TREC's judgments: groups, where it is not the same everywhere.
ITERATION = ("iteration",)

# Parts of questions and passages, under the names that tools give them, the likeliest first.
QUESTION_ID = ("query_id", "qid", "question_id", "queryid", "_id", "id")
QUESTION_TEXT = ("question", "query", "user_input", "query_text")
ANSWER = ("answer", "generated_texts", "generated_text", "response", "prediction")
REFERENCES = ("references", "reference", "generation_gt", "ground_truth", "ground_truths")
PASSAGE_ID = (
    *("id", "doc_id", "_id", "document_id", "docid", "docno", "corpus_id"),
    *("passage_id", "pid", "chunk_id", "node_id", "id_"),
)
PASSAGE_TEXT = ("text", "content", "contents", "page_content", "passage", "chunk", "body")

ROLES = ("query_id", "doc_id", "score", "relevance", "group")


def simple(name: str) -> str:
    """A column's name without the differences that do not count.

    >>> simple("Query-ID")
    'query_id'
    """
    return name.lower().replace("-", "_").replace(" ", "_")


def find_columns(
    names: Sequence[str], columns: Mapping[str, str] | None, *, judgments: bool, name: str
) -> dict[str, str]:
    """The columns that hold `query_id`, `doc_id`, `value` and, where there is one, `group` or else `iteration`.

    `columns` names them itself, such as `{"query_id": "topic", "doc_id": "url"}`.
    """
    given = check_mapping(names, columns, name)
    value_role = "relevance" if judgments else "score"
    wanted = {"query_id": QUERY, "doc_id": DOCUMENT, value_role: GRADE if judgments else SCORE}
    found: dict[str, str] = {}
    grouping = {"group": GROUP, "iteration": ITERATION} if judgments else {}
    for role, known in {**wanted, **grouping}.items():
        if role == "iteration" and "group" in found:
            continue
        column = given.get(role) or usual(names, known)
        if column is None and role in wanted:
            raise FormatError(
                f"{name} has no column for {role}: it has {listed(names)}; name it with columns={{{role!r}: …}}"
            )
        if column is not None and list(names).count(column) > 1:
            raise FormatError(f"{name} has several columns named {show(column)}; rename all but one")
        if column is not None:
            found["value" if role == value_role else role] = column
    return found


def check_mapping(names: Sequence[str], columns: Mapping[str, str] | None, name: str) -> dict[str, str]:
    """The user's own names, each of which must be there."""
    if columns is not None and not isinstance(columns, Mapping):
        raise FormatError(f"columns= must map roles to columns, such as {{'query_id': 'topic'}}, not {show(columns)}")
    given = dict(columns or {})
    for role, column in given.items():
        if role not in ROLES:
            raise FormatError(f"columns={{{role!r}: …}}: the roles are {', '.join(ROLES)}")
        if column not in names:
            raise FormatError(f"{name} has no column {show(column)}; it has {listed(names)}")
    return given


def usual(names: Sequence[str], known: Sequence[str]) -> str | None:
    """The column with the first of the known names that there is."""
    for each in known:
        column = next((column for column in names if simple(column) == each), None)
        if column is not None:
            return column
    return None


def listed(names: Sequence[str]) -> str:
    return ", ".join(map(show, names)) or "none"
