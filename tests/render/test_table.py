"""How the cell of a table is written for people."""

import pytest

from assay.render import Column
from assay.render.table import shown


@pytest.mark.parametrize(
    ("cell", "digits", "text"),
    [
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
    ],
)
def test_a_cell_is_rounded_only_here(cell, digits, text):
    assert shown(cell, Column("x", digits=digits)) == text
