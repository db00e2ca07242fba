"""Records: for each question what was asked, what is right, what was retrieved and what was answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, DuplicateError, MismatchError
from assay.core.note import Note, NoteKind
from assay.core.text import count, show, some
from assay.data.frames import as_id
from assay.data.passages import Passages, read_passages
from assay.measures.answers.data import replace_surrogates
from assay.tasks.rag.fields import FIELDS, Reading, Row, check_measurable, find_fields
from assay.tasks.rag.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence


# The parts of a record that a system gave, and those that are the question's.
SYSTEM = ("retrieved", "retrieved_texts", "answer")
QUESTION = ("question", "gold", "gold_texts", "references")


class Record(NamedTuple):
    """One question. What is not known is None.

    `gold` are the documents that should be retrieved, in any form that judgments have: ids, ids with grades, or groups.
    `place` is how messages name where the record stands.
    """

    query_id: str
    question: str | None = None
    gold: Any = None
    retrieved: Passages | None = None
    retrieved_texts: tuple[str, ...] | None = None
    gold_texts: tuple[str, ...] | None = None
    answer: str | None = None
    references: tuple[str, ...] | None = None
    place: str = ""

    def holds(self, wanted: list[set[str]]) -> bool:
        """Whether one document of each set was retrieved; of no set, nothing was."""
        retrieved = set() if self.retrieved is None else set(self.retrieved.ids)
        return bool(wanted) and all(each & retrieved for each in wanted)


class Records(NamedTuple):
    """Records, whether their ids are their own or only numbers, what was decided, and the fields that were read."""

    each: list[Record]
    have_ids: bool = True
    notes: tuple[Note, ...] = ()
    fields: frozenset[str] = frozenset()


def records_of(rows: Rows, reading: Reading) -> Records:
    """The records that rows hold, each question once.

    >>> rows = Rows([{"qid": "q1", "retrieval_gt": [["d1"]], "retrieved_ids": ["d2", "d1"]}], "the records")
    >>> records_of(rows, Reading()).each[0].retrieved.ids
    ['d2', 'd1']
    """
    if not rows.rows:
        raise DataError(f"{rows.name}: there is no record to evaluate")
    found = find_fields(rows.rows, reading, rows.name)
    check_measurable(found, rows.rows, rows.name)
    records = [
        make_record(row, number, rows.place(number), found, reading.doc_id) for number, row in enumerate(rows.rows)
    ]
    check_unique(records, rows.name)
    rising = [each.query_id for each in records if each.retrieved and each.retrieved.is_list and each.retrieved.rises]
    said = f"the scores of {count(len(rising), 'question')} do not fall in the order retrieved, so the order counts"
    notes = (Note(NoteKind.ORDER, f"{said}: {some(rising)}"),) if rising else ()
    return Records(records, "query_id" in found, notes, frozenset(found.values()))


def make_record(row: Row, number: int, place: str, found: Mapping[str, str], doc_id: str | None) -> Record:
    """A row with its parts under our names; its number is its id where no row has one."""
    parts = {part: plain(row.get(found[part])) if part in found else None for part in FIELDS}
    name = identified(parts["query_id"], place) if "query_id" in found else str(number)
    place = f"{place} ({show(name)})" if "query_id" in found else place
    retrieved = retrieved_of(parts, place, doc_id)
    contents = optional_texts(parts, "retrieved_texts", place)
    if contents is None:
        contents = None if retrieved is None or retrieved.texts is None else tuple(retrieved.texts)
    elif retrieved is not None:
        check_pairs(len(contents), "retrieved_texts", retrieved, place)
    return Record(
        query_id=name,
        question=as_text(parts["question"], "question", place),
        gold=parts["gold"],
        retrieved=retrieved,
        retrieved_texts=contents,
        gold_texts=optional_texts(parts, "gold_texts", place),
        answer=as_text(parts["answer"], "answer", place),
        references=optional_texts(parts, "references", place),
        place=place,
    )


def retrieved_of(parts: Mapping[str, Any], place: str, doc_id: str | None) -> Passages | None:
    """What was retrieved; its scores may stand in a field of their own."""
    if parts["retrieved"] is None:
        return None
    found, scores = read_passages(parts["retrieved"], place, doc_id=doc_id), parts["scores"]
    if scores is None:
        return found
    if not isinstance(scores, list):
        raise DataError(f"{place}: the scores must be a list, not {show(scores)}")
    check_pairs(len(scores), "scores", found, place)
    scored = read_passages(list(zip(found.ids, scores, strict=True)), place)
    return found._replace(scores=scored.scores)


def check_pairs(number: int, part: str, retrieved: Passages, place: str) -> None:
    if number != len(retrieved.ids):
        raise DataError(f"{place}: there are {count(len(retrieved.ids), 'retrieved id')} and {number} {part}")


def join_outputs(records: list[Record], outputs: Records) -> tuple[list[Record], list[Note]]:
    """Each question with what the system gave for it: by id, or by place where the outputs have no ids.

    What the records themselves hold of a system does not count, so that two systems are not mixed.
    """
    notes = list(outputs.notes)
    if outputs.have_ids:
        given = {each.query_id: each for each in outputs.each}
        known = {each.query_id for each in records}
        unknown = [name for name in given if name not in known]
        if len(unknown) == len(given):
            asked, there = some([each.query_id for each in records]), some(unknown)
            shown = f"the questions have {asked}, the outputs {there}"
            raise MismatchError(f"questions and outputs have no id in common: {shown}")
        if unknown:
            notes.append(
                Note(NoteKind.UNKNOWN, f"{count(len(unknown), 'output')} of no question left out: {some(unknown)}")
            )
    else:
        if len(outputs.each) != len(records):
            raise MismatchError(
                f"there are {count(len(records), 'question')} and {count(len(outputs.each), 'output')} without ids; "
                "give the outputs ids, or as many as there are questions, in the same order"
            )
        given = {record.query_id: each for record, each in zip(records, outputs.each, strict=True)}
        notes.append(
            Note(NoteKind.OUTPUTS, "the outputs have no ids and were put to the questions in the order they stand")
        )
    old = [part for part in SYSTEM if any(getattr(each, part) is not None for each in records)]
    if old:
        notes.append(
            Note(NoteKind.OUTPUTS, f"{', '.join(old)} of the records left aside: the outputs stand for the system")
        )
    differing = [each.query_id for each in records if differs(each, given.get(each.query_id))]
    if differing:
        said = f"the outputs have another question, gold or references for {count(len(differing), 'question')}"
        notes.append(Note(NoteKind.OUTPUTS, f"{said}; those of the records count: {some(differing)}"))
    return [merged(each, given.get(each.query_id, Record(each.query_id))) for each in records], notes


def differs(record: Record, output: Record | None) -> bool:
    """Whether an output holds another question, gold or references than the record does."""
    return output is not None and any(
        None not in (getattr(record, part), getattr(output, part)) and getattr(record, part) != getattr(output, part)
        for part in QUESTION
    )


def merged(record: Record, output: Record) -> Record:
    """A question with what the system gave for it."""
    own = {part: getattr(record, part) for part in QUESTION if getattr(record, part) is not None}
    return output._replace(query_id=record.query_id, place=record.place, **own)


def check_unique(records: Sequence[Record], name: str) -> None:
    seen: set[str] = set()
    for each in records:
        if each.query_id in seen:
            raise DuplicateError(
                f"{name}: the question {show(each.query_id)} stands twice; each question is one record"
            )
        seen.add(each.query_id)


def plain(value: Any) -> Any:  # noqa: ANN401 - whatever the record holds
    """An array as a list, with what stands in it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def identified(value: object, place: str) -> str:
    name = as_id(value)
    if not name:
        raise DataError(f"{place}: the id of a question must be a string or an integer, not {show(value)}")
    return name


def as_text(value: object, part: str, place: str) -> str | None:
    if value is None or isinstance(value, str):
        return None if value is None else replace_surrogates(value)
    raise DataError(f"{place}: the {part} must be text, not {show(value)}")


def optional_texts(parts: Mapping[str, Any], part: str, place: str) -> tuple[str, ...] | None:
    """Texts in a list, or in lists of lists; one reference may stand alone.

    None is no reference, and a passage without a text.
    """
    value = parts[part]
    if value is None:
        return None
    if isinstance(value, str) and part == "references":
        value = [value]
    if not isinstance(value, list):
        raise DataError(f"{place}: {part} must be a list of texts, not {show(value)}")
    flat = [inner for each in value for inner in (each if isinstance(each, list) else [each])]
    for each in flat:
        if each is not None and not isinstance(each, str):
            raise DataError(f"{place}: {part} must be texts, not {show(each)}")
    return tuple(replace_surrogates(each or "") for each in flat if each is not None or part != "references")
