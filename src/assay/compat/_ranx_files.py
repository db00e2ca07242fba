"""The files that ranx reads and writes: JSON, TREC (plain or gzipped), Parquet, and LZ4 if its libraries are there.

And the errors of the drop-in: each is an AssayError of the type that ranx raises, so that an `except` still works.
"""

import gzip
import json
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, cast

import assay.data.qrels
import assay.data.run
from assay.core.errors import AssayError, DataError, FileError, FormatError, MeasureError, MismatchError, PolicyError
from assay.core.text import quoted, show
from assay.data.formats.parquet import write_frame
from assay.files.replace import replaced, target_of
from assay.files.source import open_source

Data = dict[str, dict[str, Any]]
KINDS = ("json", "trec", "gz", "lz4", "parquet")
SAME_KINDS = {"txt": "trec", "parq": "parquet"}
COLUMNS = ("q_id", "doc_id", "score")
FIELDS = ("query", "Q0", "document", "rank", "score", "tag")
LONGEST_LINE = 1 << 16


class KindError(FormatError, AssertionError):
    """Unknown kind of file."""


class MissingFileError(FileError, FileNotFoundError):
    """File not found."""


class UnwritableError(FileError, OSError):
    """A file cannot be written."""


class LengthError(DataError, IndexError):
    """Different numbers of documents and values."""


class ValueOfWrongTypeError(FormatError, TypeError, OverflowError):
    """A grade or score is not a number, or not one that ranx can hold."""


class QueriesError(MismatchError, AssertionError):
    """Judgments and run have different queries."""


class MetricError(MeasureError, AssertionError):
    """Unknown metric."""


class StatTestError(PolicyError, NotImplementedError):
    """Unknown statistical test."""


class OutOfScopeError(AssayError, NotImplementedError):
    """Available in ranx but not in assay."""


def refuse(name: str, advice: str) -> NoReturn:
    """Raises for something that only ranx has."""
    raise OutOfScopeError(f"assay.compat.ranx has no {name}: {advice}")


def kind_of(path: str, kind: str | None) -> str:
    """The kind of a file, as given or by its extension."""
    ending = Path(path).suffix[1:]
    found = kind if kind is not None else SAME_KINDS.get(ending, ending)
    if found not in KINDS:
        raise KindError(f"{quoted(path)}: kind must be {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {show(found)}")
    return found


def load_file(path: str, kind: str, *, judgments: bool) -> tuple[Data, str | None]:
    """The content of a file, and the name of the run if it has one."""
    if not Path(path).exists():
        raise MissingFileError(f"no such file: {quoted(path)}")
    if kind == "json":
        try:
            return json.loads(Path(path).read_bytes()), None
        except ValueError as error:
            raise FormatError(f"{quoted(path)} is not JSON: {error}") from None
    if kind == "lz4":
        compression, notation = lz4_libraries()
        with compression.open(path, mode="r") as file:
            return notation.loads(compression.decompress(file.read())), None
    if kind == "parquet":
        import polars

        return rows_by_query(polars.read_parquet(path).select(COLUMNS).rows()), None
    if judgments:
        return assay.data.qrels.Qrels(path, format="trec", duplicates="last").to_dict(), None
    try:
        run = assay.data.run.Run(path, format="trec")
    except FormatError as refused:
        try:
            return load_loosely(path, kind)
        except UnicodeDecodeError:
            raise refused from None
    with open_source(path) as source:
        first = source.read(LONGEST_LINE).partition(b"\n")[0].split()
    tag = first[-1].decode() if len(first) == len(FIELDS) else None
    return {query: dict(cast("list[tuple[str, float]]", run[query])) for query in run}, tag or run.tag or None


def load_loosely(path: str, kind: str) -> tuple[Data, str | None]:
    """A run as ranx reads it: scores may be infinite or NaN."""
    data: Data = {}
    tag = None
    with gzip.open(path, "rt", encoding="utf-8") if kind == "gz" else Path(path).open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                query, _, document, _, score, last = line.split()
                data.setdefault(query, {})[document] = float(score)
            except ValueError:
                expected = f"expected {' '.join(FIELDS)}"
                raise FormatError(f"{quoted(path)}, line {number}: {expected}, found {show(line)}") from None
            tag = tag or last
    return data, tag


def dump_file(data: Data, path: str, kind: str, tag: str | None, *, judgments: bool) -> None:
    """Writes the data atomically; `tag` is the name of the run."""
    try:
        with replaced(target_of(path)) as partial, partial.open("wb") as file:
            if kind == "json":
                file.write(json.dumps(data, indent=2, ensure_ascii=False).encode())
            elif kind == "lz4":
                compression, notation = lz4_libraries()
                with compression.open(file, mode="wb") as frame:
                    frame.write(compression.compress(notation.dumps(data), compression_level=16))
            elif kind == "parquet":
                import polars

                write_frame(polars.DataFrame(frame_columns(data)), file)
            else:
                rows = ((query, *row) for query, ranking in data.items() for row in enumerate(ranking.items(), start=1))
                lines = (
                    f"{query} 0 {document} {value}" if judgments else f"{query} Q0 {document} {rank} {value} {tag}"
                    for query, rank, (document, value) in rows
                )
                text = "\n".join(lines).encode()
                file.write(gzip.compress(text) if kind == "gz" else text)
    except OSError as error:
        raise UnwritableError(f"{quoted(path)} cannot be written: {error.strerror or error}") from error


def lz4_libraries() -> tuple[Any, Any]:
    """The libraries that LZ4 files need."""
    try:
        return import_module("lz4.frame"), import_module("cbor2")
    except ImportError as error:
        raise DataError("LZ4 files need the packages lz4 and cbor2; install them, or use another kind") from error


def rows_by_query(rows: Iterable[tuple[Any, Any, Any]]) -> Data:
    """Rows of query, document and value, by query; the last of duplicate documents is kept."""
    data: Data = {}
    for query, document, value in rows:
        data.setdefault(str(query), {})[str(document)] = value
    return data


def frame_columns(data: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Any]]:
    """One row per document."""
    rows = [(query, document, value) for query, ranking in data.items() for document, value in ranking.items()]
    return {name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)}
