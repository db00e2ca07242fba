"""How many files of assay a call passes through: few enough to read in one sitting, and as docs/architecture.md says."""

import os
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import assay
from assay.cli.main import commands

HOUSE = Path(assay.__file__).parent
DEMO = HOUSE / "demo"
QRELS, BM25, DENSE = (str(DEMO / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


def command(*arguments):
    result = CliRunner().invoke(commands, arguments)
    assert result.exit_code in (0, 1), result.output


WALKS = {
    "evaluate": (16, lambda: assay.evaluate(QRELS, BM25)),
    "compare": (22, lambda: assay.compare(QRELS, {"bm25": BM25, "dense": DENSE})),
    "gate": (
        28,
        lambda: command("gate", QRELS, BM25, "--min", "ndcg@10=0.1", "--baseline", DENSE, "--max-drop", "ndcg@10=0.05"),
    ),
    "trec_eval": (26, lambda: command("trec_eval", "-m", "all_trec", QRELS, BM25)),
}


def files_touched(call):
    """The files of assay whose functions a call runs, in order; imports and caches are warm."""
    call()
    touched = {}

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(f"{HOUSE}{os.sep}"):
            touched[Path(code.co_filename).relative_to(HOUSE).as_posix()] = True

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return list(touched)


@pytest.mark.parametrize("name", WALKS)
def test_a_call_passes_through_few_files(name):
    most, call = WALKS[name]
    touched = files_touched(call)
    assert len(touched) <= most, touched


def test_the_walk_of_evaluate_is_the_one_described():
    page = (HOUSE.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    described = re.findall(r"`([\w/]+(?:\.py|/))`", page.partition("## What `evaluate` does")[2].partition("\n## ")[0])
    touched = files_touched(WALKS["evaluate"][1])
    assert [file for file in touched if not file.startswith(tuple(described))] == []
