"""How many files of assay a call passes through: what a person has to open to follow it."""

import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import assay
from assay.cli.main import main
from tables import for_each

ROOM = Path(assay.__file__).parent
QRELS, RUN, OTHER = (str(ROOM / "demo" / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


def command(*arguments, code=0):
    """Runs the command in this process, with its output thrown away; it must end with this exit code."""
    program, sys.argv = sys.argv, ["assay", *arguments]
    try:
        with (
            redirect_stdout(TextIOWrapper(BytesIO())),
            redirect_stderr(TextIOWrapper(BytesIO())),
            pytest.raises(SystemExit) as ended,
        ):
            main()
    finally:
        sys.argv = program
    assert (ended.value.code or 0) == code


def write_report():
    """A report of two runs."""
    with TemporaryDirectory() as folder:
        assay.compare(QRELS, {"a": RUN, "b": OTHER}, top=20).report(Path(folder) / "report.html")


def files_of(act):
    """The files of assay in which the act calls a function, once everything is imported and remembered."""
    act()
    files = set()

    def note_file(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOM)) and code.co_name != "<module>":
            files.add(Path(code.co_filename).relative_to(ROOM).as_posix())

    before = sys.getprofile()
    sys.setprofile(note_file)
    try:
        act()
    finally:
        sys.setprofile(before)
    return sorted(files)


GATE = ("--min", "ndcg@10=0.1", "--baseline", OTHER, "--max-drop", "ndcg@10=0.05")
RECORDS = [
    {"question": "Where?", "gold": ["d1"], "retrieved": ["d1"], "retrieved_texts": ["It is here."], "answer": "Here."},
    {"question": "When?", "gold": ["d2"], "retrieved": ["d3"], "retrieved_texts": ["It rained."], "answer": "Now."},
]


def reply(_):
    return '{"statements": ["It is here."], "verdicts": [{"reason": "", "verdict": true}]}'


def judge_records():
    assay.evaluate_rag(RECORDS, "faithfulness", judge=assay.Judge(reply, cache=False))


LIMITS = {
    "evaluate": (lambda: assay.evaluate(QRELS, RUN), 14),
    "compare": (lambda: assay.compare(QRELS, {"a": RUN, "b": OTHER}), 21),
    "report": (write_report, 50),
    "gate": (lambda: command("gate", QRELS, RUN, *GATE, code=1), 32),
    "evaluate_rag with a judge": (judge_records, 28),
    "trec_eval": (lambda: command("trec_eval", "-m", "all_trec", QRELS, RUN), 26),
}


@for_each("name", LIMITS)
def test_a_call_passes_through_few_files(name):
    act, most = LIMITS[name]
    files = files_of(act)
    assert 4 <= len(files) <= most, files


def test_the_path_of_evaluate_is_the_one_that_the_docs_describe():
    page = (ROOM.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition("## What `evaluate` does")[2].partition("\nWhat comes back")[0]
    described = tuple(re.findall(r"`([\w/]+(?:\.py|/))`", section))
    act, _ = LIMITS["evaluate"]
    known = files_of(act)
    assert [file for file in known if not file.startswith(described)] == []
    # A name that was not parsed before.
    cutoffs = count(100_001)
    first = files_of(lambda: assay.evaluate(QRELS, RUN, f"ndcg(gain=exp2)@{next(cutoffs)}"))
    assert [file for file in first if not file.startswith(described)] == []
    assert [path for path in described if not any(file.startswith(path) for file in known + first)] == []
