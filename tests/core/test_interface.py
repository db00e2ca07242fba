"""Options and tasks are named as the reader would write them."""

import pytest

from assay.core.interface import INTERFACE, Interface, Option, Task
from assay.core.note import Note, NoteKind

OPTIONS = [
    (Option("missing", "skip"), 'missing="skip"', "--missing skip"),
    (Option("no_relevant", "skip"), 'no_relevant="skip"', "--no-relevant skip"),
    (Option("judged_only", value=True), "judged_only=True", "--judged-only"),
    (Option("rel", 2), "rel=2", "--rel 2"),
    (Option("rel"), "rel", "--rel"),
    (Option("doc_id", "before:#"), 'doc_id="before:#"', "--doc-id 'before:#'"),
    (Option("doc_id", "before:_chunk"), 'doc_id="before:_chunk"', "--doc-id before:_chunk"),
    (Option("doc_id", r"regex:^(.+)-\d+$"), r'doc_id=r"regex:^(.+)-\d+$"', r"--doc-id 'regex:^(.+)-\d+$'"),
    (Option("doc_id", "before:it's"), 'doc_id="before:it\'s"', "--doc-id 'before:it'\"'\"'s'"),
    (Option("doc_id", 'before:"'), "doc_id='before:\"'", "--doc-id 'before:\"'"),
    (Option("format"), "format", "--run-format"),
    (Task("check"), "assay.check", "`assay check`"),
    (Task("evaluate"), "assay.evaluate", "`assay eval`"),
]


@pytest.mark.parametrize(("named", "in_python", "in_shell"), OPTIONS)
def test_names(named, in_python, in_shell):
    assert str(named) == in_python
    reader = INTERFACE.set(Interface.SHELL)
    try:
        assert str(named) == in_shell
    finally:
        INTERFACE.reset(reader)


def test_a_note_is_written_for_the_reader_it_has():
    note = Note.of(NoteKind.FEW, advice=("set ", Option("missing", "skip")))
    assert str(note) == 'no query to compare; set missing="skip"'
    reader = INTERFACE.set(Interface.SHELL)
    try:
        assert note.to_dict() == {"kind": "few", "text": "no query to compare; set --missing skip"}
    finally:
        INTERFACE.reset(reader)
    assert note.text == "no query to compare"
