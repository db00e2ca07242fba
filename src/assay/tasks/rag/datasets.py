"""Collections of questions and gold documents: LlamaIndex's datasets and BEIR's folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, FileError
from assay.core.note import Note, NoteKind
from assay.core.text import count, show, some
from assay.data.keyed_texts import DOCUMENTS, QUESTIONS, read_keyed_texts
from assay.data.qrels import Qrels
from assay.data.source import quoted
from assay.tasks.rag.fields import Reading
from assay.tasks.rag.records import Record, records_of
from assay.tasks.rag.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable

# What LlamaIndex's datasets for retrieval hold.
DATASET = ("queries", "corpus", "relevant_docs")
SPLIT = "test"


class Collected(NamedTuple):
    """The records, what was decided, the texts of documents, read when asked for, and the fields that were read."""

    records: list[Record]
    notes: list[Note]
    corpus: Callable[[], Mapping[str, str]] | None = None
    fields: frozenset[str] = frozenset()


def is_dataset(data: object) -> bool:
    """Whether the data is one of LlamaIndex's datasets for retrieval, as it is or as JSON."""
    return all(isinstance(part(data, name), Mapping) for name in DATASET)


def part(data: object, name: str) -> Any:  # noqa: ANN401 - whatever is there
    return data.get(name) if isinstance(data, Mapping) else getattr(data, name, None)


def llama_index_dataset(data: object, name: str) -> Collected:
    """Questions with the nodes that answer them."""
    queries, corpus, relevant = (part(data, each) for each in DATASET)
    unknown = [each for each in relevant if each not in queries]
    if unknown:
        raise DataError(f"{name}: relevant_docs has ids that are no queries: {some(unknown)}")
    rows = [{"query_id": each, "question": text, "gold": relevant.get(each)} for each, text in queries.items()]
    return Collected(records_of(Rows(rows, name, "query"), Reading()).each, [], lambda: corpus)


def beir_folder(folder: Path) -> Collected:
    """A BEIR folder: `queries.jsonl`, `corpus.jsonl`, `qrels/test.tsv`. Questions without judgments are left out."""
    qrels = Qrels(judgments_of(folder))
    questions = read_keyed_texts(folder / "queries.jsonl", QUESTIONS)
    rows = [{"query_id": each, "question": questions.get(each), "gold": qrels[each]} for each in qrels.queries]
    missing = [each for each in qrels.queries if each not in questions]
    said = f"{count(len(missing), 'query', 'queries')} without a text: {some(missing)}"
    notes = [Note(NoteKind.QUESTIONS, said)] if missing else []
    records = records_of(Rows(rows, str(folder)), Reading()).each
    return Collected(records, notes, lambda: read_keyed_texts(folder / "corpus.jsonl", DOCUMENTS))


def judgments_of(folder: Path) -> Path:
    """The judgments of a BEIR folder: the test split, or the only one."""
    usual = folder / "qrels" / f"{SPLIT}.tsv"
    others = sorted((folder / "qrels").glob("*.tsv"))
    if usual.is_file() or len(others) == 1:
        return usual if usual.is_file() else others[0]
    there = ", ".join(show(each.name) for each in others) or "nothing"
    raise FileError(f"{quoted(folder)} is no BEIR folder: it has no qrels/{SPLIT}.tsv; in qrels/ there is {there}")
