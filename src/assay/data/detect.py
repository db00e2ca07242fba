"""Which format a file has: told from its name, and from its content where the name says nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import FileError, FormatError
from assay.core.text import show
from assay.data.source import COMPRESSIONS, quoted

if TYPE_CHECKING:
    from assay.data.source import Source

FORMATS = ("trec", "json", "jsonl", "csv", "tsv", "beir", "parquet")
SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".trec": "trec",
    ".run": "trec",
    ".qrels": "trec",
    ".qrel": "trec",
}
SEPARATORS = {"csv": ",", "tsv": "\t", "beir": "\t"}
HEAD = 1 << 16


def check_format(name: str | None) -> None:
    if name is not None and not (isinstance(name, str) and name in FORMATS):
        raise FormatError(f"there is no format {show(name)}; there are {', '.join(FORMATS)}")


def detect(source: Source, format: str | None) -> str:
    """The format of a file that is to be read."""
    check_format(format)
    if format is not None:
        return format
    if source.path.is_dir():
        raise FileError(f"{quoted(source.name)} is a directory, not a file")
    return by_suffix(source.path) or by_content(source)


def by_suffix(path: Path) -> str | None:
    """What the name says, with the ending of a compression passed over. `.tsv` and `.txt` say nothing."""
    name = Path(path.stem) if path.suffix.lower() in COMPRESSIONS else path
    return SUFFIXES.get(name.suffix.lower())


def by_content(source: Source) -> str:
    """What the first lines say."""
    head = source.read(HEAD)
    if head.startswith(b"PAR1"):
        return "parquet"
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")):
        first, _, second = text.partition("\n")
        return "jsonl" if first.rstrip().endswith("}") and second.lstrip().startswith("{") else "json"
    line = text.partition("\n")[0]
    for separator, format_ in (("\t", "tsv"), (",", "csv")):
        if is_header(line, separator):
            return format_
    return "trec"


def is_header(line: str, separator: str) -> bool:
    """Whether a line names a column of query ids and one of documents."""
    from assay.data.columns import DOCUMENT, QUERY, simple

    names = {simple(name.strip().strip('"')) for name in line.split(separator)}
    return not names.isdisjoint(QUERY) and not names.isdisjoint(DOCUMENT)


def column_names(source: Source, format: str) -> list[str]:
    """The columns of a table; of JSON Lines the keys of the first record."""
    if format == "parquet":
        import polars

        with source.plain() as path:
            return list(polars.read_parquet_schema(path))
    import json

    line = source.read(HEAD).decode("utf-8-sig", errors="replace").partition("\n")[0]
    if format != "jsonl":
        return [name.strip().strip('"') for name in line.split(SEPARATORS[format])]
    try:
        return list(json.loads(line))
    except (ValueError, TypeError):
        return []
