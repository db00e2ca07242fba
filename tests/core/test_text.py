"""Options and tasks are named as the reader would write them."""

from assay.core.note import Note, NoteKind
from assay.core.text import INTERFACE, Interface, Option, Task
from tables import for_each

ADVICE = Note.of(NoteKind.FEW, advice=("set ", Option("missing", "skip")))
OPTIONS = [
    (Option("missing", "skip"), 'missing="skip"', "--policy missing=skip"),
    (Option("no_relevant", "skip"), 'no_relevant="skip"', "--policy no_relevant=skip"),
    (Option("judged_only", value=True), "judged_only=True", "--policy judged_only=yes"),
    (Option("rel", 2), "rel=2", "--policy rel=2"),
    (Option("rel"), "rel", "--policy rel"),
    (Option("doc_id", "before:#"), 'doc_id="before:#"', "--policy 'doc_id=before:#'"),
    (Option("doc_id", "before:_chunk"), 'doc_id="before:_chunk"', "--policy doc_id=before:_chunk"),
    (Option("doc_id", r"regex:^(.+)-\d+$"), r'doc_id=r"regex:^(.+)-\d+$"', r"--policy 'doc_id=regex:^(.+)-\d+$'"),
    (Option("doc_id", "before:it's"), 'doc_id="before:it\'s"', "--policy 'doc_id=before:it'\"'\"'s'"),
    (Option("doc_id", 'before:"'), "doc_id='before:\"'", "--policy 'doc_id=before:\"'"),
    (Option("format"), "format", "--from run=FORMAT"),
    (Option("strict", value=True), "strict=True", "--strict"),
    (Option("max_drop", ("rr", 0.5)), 'max_drop={"rr": 0.5}', "--max-drop rr=0.5"),
    (Option("format", "csv"), 'format="csv"', "--from run=csv"),
    (Option("prices", "1,2"), 'prices="1,2"', "--judge-option prices=1,2"),
    (Task("check"), "assay.check", "`assay check`"),
    (Task("evaluate"), "assay.evaluate", "`assay eval`"),
    (ADVICE, 'no query to compare; set missing="skip"', "no query to compare; set --policy missing=skip"),
]


@for_each(("named", "in_python", "in_shell"), OPTIONS)
def test_names(named, in_python, in_shell):
    assert str(named) == in_python
    reader = INTERFACE.set(Interface.SHELL)
    try:
        assert str(named) == in_shell
    finally:
        INTERFACE.reset(reader)
