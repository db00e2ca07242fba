"""`--load`: a user's own measures, and what goes wrong in them."""

import sys

import pytest

from assay.extend import remove_measure
from assay.measures import TABLE

FOUND = """\
import assay
from helper import offset
assert __file__.endswith("mine.py")

@assay.extend.measure("found_first", title="Found at rank 1", formula="1 or 0")
def found_first(judged, *, rel: assay.extend.Rel = 1):
    \"\"\"Whether the first document is relevant.\"\"\"
    return (judged.relevant(rel).top(1).count() > 0) + offset
"""


@pytest.fixture(autouse=True)
def tidy(folder, monkeypatch):
    """Takes away what the loaded files leave behind in this process."""
    (folder / "helper.py").write_text("offset = 0.0\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = {*TABLE}
    yield
    for name in {*TABLE} - before:
        remove_measure(name)
    for name in [name for name in sys.modules if name.startswith("assay_loaded_") or name == "helper"]:
        del sys.modules[name]


def test_its_measures_can_be_named(assay, folder):
    (folder / "mine.py").write_text(FOUND)
    result = assay("eval qrels.txt one.run --load mine.py -m found_first --format csv")
    assert result.stdout.splitlines()[1] == "found_first,0.5,0.0,1.0,2"


def test_its_measures_are_explained(assay, folder):
    (folder / "mine.py").write_text(FOUND)
    shown = assay("measures found_first --load mine.py").stdout
    assert shown.startswith("found_first: Found at rank 1\n\nWhether the first document is relevant.\n")
    assert "Example" not in shown


BROKEN = {
    "x =\n": "line 1: SyntaxError: invalid syntax",
    "\n1 / 0\n": "line 2: ZeroDivisionError: division by zero",
    "import sys\nsys.exit(3)\n": "line 2: SystemExit: 3",
    FOUND.replace("(judged.relevant", "(judged.relevance"): "line 8: AttributeError: ",
}


@pytest.mark.parametrize(("text", "message"), BROKEN.items())
def test_what_goes_wrong_in_it_is_told_with_the_line(assay, folder, text, message):
    (folder / "mine.py").write_text(text)
    result = assay("eval qrels.txt one.run --load mine.py -m found_first")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"assay: {folder / 'mine.py'}, {message}")
    assert result.stderr.count("\n") == 1


def test_what_is_no_python_file_or_has_a_name_that_is_taken_is_refused(refused, folder):
    for name in ("none.py", ".", "qrels.txt"):
        refused(f"measures --load {name}", name.strip("."))
    (folder / "mine.py").write_text(FOUND.replace("found_first", "ndcg"))
    refused("measures --load mine.py", "assay: a measure named 'ndcg' already exists; choose another name\n")
