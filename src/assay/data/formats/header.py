"""The first line of CSV and TSV: the names of the columns, and what may be wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.errors import FormatError
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Container

    from assay.files.source import Source

HEAD = 1 << 16
# Blank lines before the header: more is no table.
MOST_BLANK = 1 << 24
NUL = "the line has a NUL byte; the file is not text, or it is UTF-16: save it as UTF-8"
# What separates cells where the locale, a database or another ending says so.
OTHER_SEPARATORS = (";", "\t", "|", "\x01", ",")
# What polars adds to a heading that is in the header a second time.
TWIN = "_duplicated_"


def read_head(source: Source) -> bytes:
    """The first lines of a file, with the header among them, however much is blank before it."""
    size = HEAD
    while not (head := source.read(size)).strip() and len(head) == size:
        if size >= MOST_BLANK:
            line = head.count(b"\n") + 1
            raise FormatError(f"{source.name}, line {line}: no header after {size >> 20} MiB of blanks; remove them")
        size <<= 4
    return head


def read_header(source: Source, separator: str) -> list[str]:
    """The column names in the first line."""
    line = read_head(source).decode("utf-8-sig", errors="replace").lstrip().partition("\n")[0]
    return [name.strip().strip('"') for name in line.split(separator)]


def header_mark(separator: str, *roles: tuple[str, ...]) -> str:
    r"""A pattern for a header with a column for each of the roles.

    >>> import re
    >>> bool(re.match(header_mark(",", ("query_id", "qid"), ("doc_id",)), "Query-ID,score,doc_id\nq1,2,d1"))
    True
    """
    every = ("|".join(name.replace("_", "[-_ ]") for name in names) for names in roles)
    columns = (rf'(?=(?:[^\n]*{separator})?[ ]*"?(?:{names})"?[ \r]*(?:{separator}|\n|$))' for names in every)
    return "(?i)" + "".join(columns)


def fault_of_header(line: bytes, separator: str, *, is_cut: bool) -> str:
    """What is wrong with the first line of a text table; empty if it can be a header."""
    if b"\0" in line:
        return NUL
    try:
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return "" if is_cut else "bytes that are not UTF-8; save the file as UTF-8"
    if text.lower().startswith("sep="):
        return f"{show(text)} is for Excel alone; remove the line"
    other = next((each for each in OTHER_SEPARATORS if each in text), None)
    if separator in text or other is None:
        return ""
    return f"the columns are separated by {show(other)}, not by {show(separator)}; save the file as CSV or TSV"


def leading_blank_lines(head: bytes) -> int:
    """How many blank lines a file starts with."""
    text = head.removeprefix(b"\xef\xbb\xbf")
    return text[: len(text) - len(text.lstrip())].count(b"\n")


def original_heading(name: str, names: Container[str]) -> str:
    """A heading as the file has it."""
    original, mark, _ = name.rpartition(TWIN)
    return original if mark and original in names else name
