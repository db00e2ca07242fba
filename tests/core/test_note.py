"""Notes: every kind has a sentence that can be rendered, and a note is data."""

import pickle
import re
from string import Formatter

import assay
from assay.core.note import Note, NoteKind
from tables import for_each

SENTENCES = [(kind, about) for kind in NoteKind for about in kind.sentences]


@for_each(("kind", "about"), SENTENCES)
@for_each("count", [1, 2])
def test_every_sentence_renders(kind, about, count):
    template = kind.sentences[about]
    names = {name for _, name, _, _ in Formatter().parse(template) if name} - {"count", "queries"}
    queries = ["q1", "q2"][:count]
    note = Note.of(kind, about=about, queries=queries, **dict.fromkeys(names, "so"))
    assert (note.count, note.queries, note.kind) == (count, tuple(queries), kind.value)
    assert not re.search(r"[{}|\[\]]", note.text)


NO_RELEVANT = Note.of(NoteKind.NO_RELEVANT, queries=["q1", "q2", "q3"], effect="scored 0")
MISSING = Note.of(NoteKind.MISSING, queries=["q1"], measures=["ap", "rr"], effect="left out")
NOTES = [
    (NO_RELEVANT, "3 queries have no relevant documents; scored 0: 'q1', 'q2', 'q3'"),
    (MISSING, "ap, rr: 1 query in the judgments is missing from the run; left out: 'q1'"),
    (Note.of(NoteKind.SCATTERED, count=1200), "rows of 1,200 queries are not contiguous; grouped by query"),
    (Note.of(NoteKind.MEASURE, remark="[a|b] {c}"), "[a|b] {c}"),
    (Note("missing", "as it is"), "as it is"),
]


@for_each(("note", "text"), NOTES)
def test_the_text_of_a_note(note, text):
    assert str(note) == text
    assert pickle.loads(pickle.dumps(note)) == note  # noqa: S301 - our own bytes


def test_a_note_in_json():
    note = Note.of(NoteKind.FAILED, queries=["q1"], measures=["ap"])
    text = "ap: 1 question failed; counted as empty: 'q1'"
    assert note.to_dict() == {"kind": "failed", "text": text, "count": 1, "queries": ["q1"], "measures": ["ap"]}
    assert Note.of(NoteKind.EQUAL).to_dict() == {"kind": "equal", "text": "same score on every query"}


def test_kinds_are_words():
    assert NoteKind.MISSING == "missing"
    assert f"{NoteKind.MISSING}" == "missing"
    assert NoteKind.named("missing") is NoteKind.MISSING
    assert NoteKind.named("from a newer assay") is NoteKind.OTHER
    assert assay.Note is Note
