"""The kernel: reads runs, ranks the judged documents, and counts shared words. Built from `kernel/`; see there."""

from os import PathLike
from typing import Any, TypedDict, final

from assay.core.limits import Limits

__version__: str

class Columns(TypedDict):
    """Arrays as bytes. The first five have one entry a query, the others one a hit.

    They are int64, but `top`, `second`, `deviation` and `score` are float64. A `document` of -1 was judged only for
    other queries.
    """

    retrieved: bytes
    repeats: bytes
    top: bytes
    second: bytes
    deviation: bytes
    query: bytes
    document: bytes
    score: bytes
    higher: bytes
    tied: bytes
    before_descending: bytes
    before_ascending: bytes
    before_input: bytes

class TopColumns(TypedDict):
    """The first documents of each query in rank order, as bytes; nothing where none are asked for.

    `starts` and `offsets` are int64: where the documents of each judged query begin, and where the id of each document
    begins in `ids`, both with the end of the last. `ids` is UTF-8. `scores` are float64, as they are compared: in a
    given order 0, -1, -2.
    """

    starts: bytes
    offsets: bytes
    ids: bytes
    scores: bytes

def add_leftover(path: str | PathLike[str]) -> None: ...
def remove_leftover(path: str | PathLike[str]) -> None: ...
def notice_interrupt() -> None: ...
def guard_interrupts(descriptor: int) -> bool: ...
def read_bytes(
    path: str | PathLike[str], name: str, limit: int | None = None, limits: Limits | None = None
) -> bytes: ...
def decompress(
    path: str | PathLike[str], name: str, target: str | PathLike[str], limits: Limits | None = None
) -> int: ...
def compress_zst(path: str | PathLike[str], target: str | PathLike[str]) -> None: ...
def parquet_names(path: str | PathLike[str]) -> list[str] | None: ...
def distinct_characters(texts: list[str] | list[str | bytes]) -> list[int]: ...

class SharedStrings: ...

def decode_json_lines(lines: list[bytes], shared: SharedStrings | None = None) -> list[Any]: ...

@final
class RowDecoder:
    """Blocks of whole rows as frames. A column is needed as numbers (true), as text (false) or not at all (none)."""

    @staticmethod
    def json_lines(keys: list[str], numbers: list[bool | None], longest: int) -> RowDecoder: ...
    @staticmethod
    def separated(names: list[str], numbers: list[bool | None], separator: str) -> RowDecoder: ...
    def decode(self, block: bytes, is_last: bool, threads: int) -> tuple[int, Decoded | None]: ...

@final
class Decoded:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Splitter:
    """What each character is: 0 part of a word, 1 left out, 2 between words, 3 a word; plus 4 for letters, digits."""

    def __new__(
        cls,
        ascii: bytes,
        other: int,
        characters: list[int],
        kinds: bytes,
        removed: list[bytes],
        symbols: bool,
        lower: bool,
    ) -> Splitter: ...

@final
class Words:
    """The words of groups of texts. The last text of a group is compared with the others; counts are int64."""

    def __new__(
        cls, texts: list[str] | list[str | bytes], groups: list[int], splitter: Splitter, threads: int
    ) -> Words: ...
    def lengths(self) -> bytes: ...
    def equal(self) -> bytes: ...
    def shared(self, order: int, together: bool) -> bytes: ...
    def subsequences(self, longest: int) -> bytes: ...

@final
class Rows:
    @staticmethod
    def from_judgments(data: object) -> Rows: ...
    @staticmethod
    def from_rankings(data: object) -> Rows: ...
    @staticmethod
    def from_files(
        parts: list[tuple[str | PathLike[str], str]], name: str, judgments: bool, limits: Limits | None = None
    ) -> Rows: ...
    @staticmethod
    def from_frame(frame: object, name: str) -> Rows: ...
    def with_tag(self, tag: str) -> Rows: ...
    def with_order(self, queries: list[int], scores: list[float]) -> Rows: ...
    def queries(self) -> list[str]: ...
    def starts(self) -> bytes: ...
    def values(self) -> bytes: ...
    def find(self, query: str) -> int | None: ...
    def is_ordered(self, query: int) -> bool: ...
    def documents(self, query: int) -> list[str]: ...
    def groups(self, query: int) -> list[str] | None: ...
    def group_numbers(self) -> bytes: ...
    def group_names(self) -> list[str]: ...
    def has_groups(self) -> bool: ...
    def has_order(self) -> bool: ...
    @property
    def tag(self) -> str: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Index:
    def __new__(cls, rows: Rows, duplicates: str) -> Index: ...
    def starts(self) -> bytes: ...
    def grades(self) -> bytes: ...
    def best_first(self) -> bytes: ...
    def row_documents(self) -> bytes: ...
    def document(self, number: int) -> str: ...

@final
class Progress:
    def __new__(cls) -> Progress: ...
    @property
    def bytes_read(self) -> int: ...

@final
class Sums:
    """Rows of float64 numbers, to be summed over samples: what comes back is float64, column after column.

    Samples of `reached` have `width` bytes each, whose bits turn the signs of rows, the highest bit of the first byte
    that of the first row. A test is of half of the signed sum of the column `plus`, less that of `minus` unless that is
    the largest uint32: `most` is reached, less than `least` is not, and what lies between is open. What comes back is
    how many samples reach each test, as uint64, and the numbers of tests and samples that are open, as uint32.

    A sample of `drawn` has as many rows as there are, any of them several times, given by their numbers as uint32.
    """

    def __new__(cls, values: bytes, columns: int) -> Sums: ...
    def reached(
        self, bits: bytes, width: int, plus: bytes, minus: bytes, least: bytes, most: bytes, threads: int
    ) -> tuple[bytes, bytes]: ...
    def drawn(self, draws: bytes, threads: int) -> bytes: ...

@final
class Lists:
    """Lists of `length` float64 numbers each. A pair, two of them by number, as uint32, is the second less the first.

    Differences of up to `rounding` times the larger number are 0. `figures` are float64: how many are not NaN, above
    zero and below it, the least and the largest, their sum and that of the squares of their distances to the mean.
    `rounded` differences can be summed exactly: how many are not NaN, their sum without signs and with, and how far
    they are from the differences of the same lists in `systems`.

    `spans`, `quantiles` and `moments` are about plain differences, all finite. `spans` are the least and the largest
    and how many are below the `observed` one, of which those that equal it count half; `quantiles` those at two places,
    as uint32, of their order, each with the next; `moments` the sums of squares and cubes of their distances from the
    mean.
    """

    def __new__(cls, numbers: bytes, length: int) -> Lists: ...
    def figures(self, pairs: bytes, rounding: float, threads: int) -> bytes: ...
    def rounded(self, pairs: bytes, rounding: float, systems: bytes, threads: int) -> bytes: ...
    def spans(self, pairs: bytes, observed: bytes, rounding: float, threads: int) -> bytes: ...
    def quantiles(self, pairs: bytes, places: bytes, threads: int) -> bytes: ...
    def moments(self, pairs: bytes, threads: int) -> bytes: ...

def balances(samples: list[bytes]) -> bytes:
    """How many pairs of a float64 of each sample and one of each other have the larger in the other, less the smaller.

    As int64; the samples, which have no NaN, may be in any order.
    """

def times_drawn(draws: bytes, count: int) -> bytes:
    """How often each number below `count` is among the `count` draws of each sample, uint32, as float64."""

@final
class Options:
    def __new__(
        cls,
        *,
        duplicates: str = "error",
        single: bool = False,
        given: bool = False,
        exclude_query: bool = False,
        foreign: bool = False,
        spread: bool = False,
        top: int = 0,
        ties: str = "docid_desc",
        rule: tuple[str, str] | None = None,
        best: bool = True,
        chunk_duplicates: str = "error",
    ) -> Options: ...

@final
class Ranker:
    def __new__(cls, index: Index, options: list[Options], *, surplus: bool = False) -> Ranker: ...
    def add(self, query: object, ranking: object) -> None: ...
    def add_rankings(self, data: object) -> None: ...
    def add_rows(self, rows: Rows, name: str, threads: int) -> None: ...
    def add_frame(self, frame: object, name: str, threads: int) -> None: ...
    def add_plain_frame(self, frame: object, name: str, threads: int) -> bool: ...
    def add_files(
        self,
        parts: list[tuple[str | PathLike[str], str]],
        name: str,
        threads: int,
        progress: Progress | None = None,
        limits: Limits | None = None,
    ) -> None: ...
    def add_parquet(
        self,
        parts: list[tuple[str | PathLike[str], list[str]]],
        name: str,
        threads: int,
        kept_rows: int,
        progress: Progress | None = None,
    ) -> bool: ...
    def columns(self, number: int) -> Columns: ...
    def tops(self, number: int) -> TopColumns: ...
    def unknown(self) -> list[str]: ...
    @property
    def scattered(self) -> int: ...
    @property
    def surplus(self) -> int: ...
    def repeats_dropped(self, number: int) -> int: ...
    def chunks(self, number: int) -> tuple[int, int, int]: ...
    def unmatched(self, number: int) -> list[str]: ...
    def excluded(self, number: int) -> int: ...

class CounterState(TypedDict):
    """What was counted, as int64 in bytes: the slots that are not empty, and their counts.

    Of the rankings without judged documents: the run (none if runs have no names) and the query, how many rows they
    have and how many were left out.
    """

    slot: bytes
    count: bytes
    run: list[str]
    query_id: list[str]
    rows: bytes
    excluded: bytes

@final
class Counter:
    def __new__(cls, found: object, options: Options, *, by_order: bool = False, name: str = "the run") -> Counter: ...
    def add(self, frame: object) -> None: ...
    def state(self) -> CounterState: ...
