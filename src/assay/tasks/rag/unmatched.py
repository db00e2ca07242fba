"""What to say if gold texts or spans hardly match what was retrieved: some of both sides, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.id_difference import find_difference
from assay.core.interface import Advice, Option
from assay.core.note import Note, NoteKind
from assay.core.text import shorten_text, some

if TYPE_CHECKING:
    from assay.tasks.rag.matching import Matched

LONGEST = 60
MOST_SHOWN = 4


def unmatched_note(matched: Matched) -> Note:
    """The note in place of the one on ids, which gold without ids does not have."""
    if total := sum(matched.spans.values()):
        kind, found, (said, advice) = "spans", matched.spans["hit"], describe_spans(matched)
    else:
        total, kind = sum(matched.texts.values()), "texts"
        found, (said, advice) = total - matched.texts["none"], describe_texts(matched)
    about = f"few {kind}" if found else kind
    return Note.of(NoteKind.OVERLAP, about=about, count=found, expected=f"{total:,}", ids=said, advice=advice)


def describe_texts(matched: Matched) -> tuple[str, Advice]:
    """Some gold texts and some retrieved ones, and what to do."""
    retrieved = [each.retrieved_texts[0] for each in matched.records if each.retrieved_texts]
    said = f"the gold has {shown_gold(matched)}, what was retrieved has {some(shortened(retrieved))}"
    if matched.how.threshold == 1:
        return said, (Option("match", 0.9), " also takes similar texts")
    split = "if they were split differently, compare their words (retrieval_token_recall), or use spans as gold"
    return said, ("lower ", Option("match"), f" (here {matched.how.threshold:g}) if the passages are the same; {split}")


def describe_spans(matched: Matched) -> tuple[str, Advice]:
    """Some gold spans and some retrieved ones, how the names of their documents differ, and what to do."""
    chunks = [str(each) for each in matched.chunks]
    said = f"the gold has {shown_gold(matched)}, the retrieved chunks are {some(chunks)}"
    gold, found = matched.documents
    if gold.keys() & found.keys():
        if matched.how.overlap.least is not None:
            return said, (Option("overlap", "any"), " asks for less")
        return said, ("check that both count characters, from the start of the same text of the document",)
    difference = find_difference(gold, found)
    if difference is not None:
        said += f"; likely the same documents: {difference}"
        return said, ("write the names of documents the same way on both sides",)
    field = Option("columns", ("document", "metadata.source"))
    return said, ("they have no document in common; name the field that has the document of a chunk: ", field)


def shown_gold(matched: Matched) -> str:
    """The first gold item of some questions, as it was given."""
    first = [name or text for each in matched.records for name, text in (each.matched or ())[:1]]
    return some(shortened(first))


def shortened(texts: list[str]) -> list[str]:
    return [shorten_text(each, LONGEST) or "" for each in list(dict.fromkeys(texts))[:MOST_SHOWN]]
