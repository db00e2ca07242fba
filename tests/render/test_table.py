"""How the cell of a table is written for people."""

import shutil
import subprocess

import pytest

from assay.core.errors import PolicyError
from assay.render import Column, Marked, Ranged, Table, render, system_table
from assay.render.table import shown
from tables import for_each

CELLS = [
    (0.123456, 4, "0.1235"),
    (0.123456, 2, "0.12"),
    (2.0, 0, "2"),
    (0.00005, 4, "0.0001"),
    (-0.5, 1, "-0.5"),
    (1234.5, 1, "1234.5"),
    (float("nan"), 4, "undefined"),
    (float("inf"), 4, "inf"),
    (7, 4, "7"),
    (1234567, 4, "1,234,567"),
    (0, 4, "0"),
    (None, 4, ""),
    ("text", 4, "text"),
    ("", 4, ""),
]


@for_each("cell, digits, text", CELLS)
def test_a_cell_is_rounded_only_here(cell, digits, text):
    assert shown(cell, Column("x", digits=digits)) == text


def test_digits_caption_and_label_of_ones_own():
    cells = {Column("rr", symbol="MRR"): [Marked(0.5, 0), Marked(0.25, 1)]}
    table = system_table({"one": "a", "two": "b"}, cells, "Means")
    table = table._replace(notes=("odd % note",), legend="Letters: better")
    text = render(table.styled(2, "Main results", "tab:main_results-2.a"), "latex")
    assert text.splitlines()[:5] == [
        "% Means",
        "% odd % note",
        "\\begin{table}",
        "  \\centering",
        "  \\caption{Main results. Letters: better. Best in bold, second best underlined}",
    ]
    assert "  \\label{tab:main_results-2.a}\n" in text
    assert "\\textbf{0.50}" in text
    assert render(table.styled(1, "Main results"), "markdown") == (
        "|  | run | MRR |\n| --- | --- | ---: |\n| a | one | **0.5** |\n| b | two | <ins>0.2</ins> |\n\n"
        "Main results. Means. Letters: better. Best in bold, second best underlined\n\nNote: odd % note\n"
    )


def test_signs_that_assay_writes_are_known_to_latex():
    text = render(Table((Column("a", is_text=True),), (("✓ a → b … ± − × α ≤ ≥",),)), "latex")
    assert text.isascii()
    assert "$\\surd$ a $\\rightarrow$ b" in text


WRONG = [
    *(({"label": label}, "such as tab:main") for label in ("a}b", "\\input", "a b", "tab:ä", "%")),
    *(({"digits": digits}, "digits") for digits in (-1, 18, 1.5, "2")),
    *(({name: 3}, f"{name} must be a string, not ") for name in ("caption", "label")),
    *(({name: ["tab"]}, f"{name} must be a string, not ") for name in ("caption", "label")),
]


@for_each("given, message", WRONG)
def test_what_a_table_cannot_have(given, message):
    with pytest.raises(PolicyError, match=message):
        render(Table((), ()).styled(**given), "latex")


def test_a_number_with_its_interval_is_one_cell():
    table = Table(
        (Column("run", is_text=True), Column("rr")), (("one", Ranged(0.5, 0.25, 0.75)), ("two", Ranged(1, None, None)))
    )
    assert render(table, "csv") == "run,rr\none,0.5\ntwo,1\n"
    assert "0.5000 $\\pm$ 0.2500 \\\\" in render(table, "latex")
    assert "0.5000 ± 0.2500" in render(table, "html")


def has_booktabs():
    found = shutil.which("pdflatex") and shutil.which("kpsewhich")
    return found and subprocess.run([found, "booktabs.sty"], capture_output=True, check=False).returncode == 0  # noqa: S603 - a fixed question


@pytest.mark.skipif(not has_booktabs(), reason="needs pdflatex and booktabs")
def test_latex_compiles_whatever_the_names_are(tmp_path):
    names = "".join(map(chr, range(32, 127)))
    cells = {Column(names, symbol=names): [Marked(0.5, 0, ("b",)), Marked(0.25, 1)]}
    table = system_table({names: "a", "é ± → ≤ ≥ … α \x1b": "b"}, cells, names)._replace(notes=(names, "two\nlines"))
    starts = tuple((each, 1) for each in ("[1pt] a", "[", "*", "  [x]", "", "\\[1pt]"))
    tables = {"plain": table, "own": table.styled(3, names, "tab:a-b.c/d+e")}
    tables["starts"] = Table((Column("[q]", is_text=True), Column("n")), starts)
    for name, each in tables.items():
        text = render(each, "latex")
        document = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n" + text + "\\end{document}\n"
        (tmp_path / f"{name}.tex").write_text(document, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)  # noqa: S603 - found above
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
