r"""Rules that turn ids of chunks into ids of documents: `doc_id=` in Python, `--policy doc_id=` in a shell.

A rule is text, and `DocIdRule.parse` reads it:

- `before:#`, `before:_chunk`: the id up to the first such separator; `before_last:_`: up to the last one
- `after:/`, `after_last:/`: the id after the first separator, or after the last one
- `regex:^(.+)-\d+$`: what the only group of a regular expression matches, anywhere in the id; it takes linear time
- `field:metadata.source`, or only `metadata.source`: a field of the retrieved item, in place of its id
- in Python a function from the id of a chunk to that of its document; its text is `function:module.name`

An id that the rule does not match, or of which nothing would remain, has no document: `match` gives None, and `of` the
id itself. How chunks of the same document are collapsed is in `assay.engine.chunks`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from assay.core.errors import PASSING, DataError, PolicyError
from assay.core.text import Option, is_unicode, printable, show

if TYPE_CHECKING:
    import polars

# What a separator becomes as a regular expression; a dot matches everything, and `?` makes the first separator count.
SEPARATED = {
    "before": "(?s)^(.*?){}",
    "before_last": "(?s)^(.*){}",
    "after": "(?s)^.*?{}(.*)$",
    "after_last": "(?s)^.*{}(.*)$",
}
# How messages name the option, for the interface in use.
OPTION = Option("doc_id")
KINDS = (*SEPARATED, "regex", "field", "function")
LONGEST = 1000
EXAMPLES = r"before:#, before_last:_, after:/, regex:^(.+)-\d+$, or a field such as metadata.source"


class DocIdRule(str):
    """How the id of a document is found in that of a chunk.

    Two rules are equal if their texts are; two functions must be the same one, unless one is known only by its name.

    >>> rule = DocIdRule.parse("before:#")
    >>> rule.of("guide#3"), rule.of("guide"), rule.match("guide")
    ('guide', 'guide', None)
    >>> DocIdRule.parse("before:_").of("guide_v2_chunk_3"), DocIdRule.parse("before_last:_").of("guide_v2_chunk_3")
    ('guide', 'guide_v2_chunk')
    >>> DocIdRule.parse("metadata.source").of("c1", {"id": "c1", "metadata": {"source": "guide"}})
    'guide'
    """

    __slots__ = ("argument", "function", "kind")
    kind: str
    argument: str
    function: Callable[[str], object] | None

    def __new__(cls, kind: str, argument: str, function: Callable[[str], object] | None = None) -> Self:
        rule = super().__new__(cls, f"{kind}:{argument}")
        rule.kind, rule.argument, rule.function = kind, argument, function
        return rule

    def __getnewargs__(self) -> tuple[str, str, Callable[[str], object] | None]:  # type: ignore[override]
        return self.kind, self.argument, self.function

    def __eq__(self, other: object) -> bool:
        functions = {each.function for each in (self, other) if isinstance(each, DocIdRule)} - {None}
        return isinstance(other, str) and super().__eq__(other) and len(functions) <= 1

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    @classmethod
    def parse(cls, rule: object) -> DocIdRule:
        """The rule that a text or a function means; raises a `PolicyError` that says what can be given."""
        if isinstance(rule, DocIdRule):
            return rule
        if callable(rule):
            if not isinstance(rule, Hashable):
                raise PolicyError(f"{OPTION}: {name_of(rule)} cannot be hashed; pass a plain function")
            return cls("function", name_of(rule), rule)
        if not isinstance(rule, str):
            raise PolicyError(f"{OPTION} must be a rule or a function, not {show(rule)}; a rule is {EXAMPLES}")
        if not is_unicode(rule):
            raise PolicyError(f"{OPTION}: {show(rule)} is not valid Unicode")
        if len(rule) > LONGEST:
            raise PolicyError(f"{OPTION} has {len(rule):,} characters; at most {LONGEST:,} are allowed")
        kind, colon, argument = rule.partition(":")
        if not colon and kind not in KINDS and all(part.replace("-", "_").isidentifier() for part in rule.split(".")):
            kind, argument = "field", rule
        if kind not in KINDS or not argument:
            raise PolicyError(f"{OPTION}: {show(rule)} is not a rule; a rule is {EXAMPLES}")
        check_argument(kind, argument)
        return cls(kind, argument)

    @property
    def is_field(self) -> bool:
        return self.kind == "field"

    def of(self, chunk: str, item: object = None) -> str:
        """The id of the document; that of the chunk if the rule does not match."""
        return self.match(chunk, item) or chunk

    def match(self, chunk: str, item: object = None) -> str | None:
        """The id of the document, None if the rule does not match; a rule may read a field of the `item` retrieved."""
        if not self.is_field:
            found: str | None = self.match_all([chunk])[0]
            return found
        if item is None:
            raise field_missing(self, "what was retrieved")
        value = field_of(item, self.argument)
        return as_document(value, lambda: f"{Option(OPTION.name, str(self))} is {show(value)}")

    def match_all(self, chunks: polars.Series | Iterable[str]) -> polars.Series:
        """The documents of many chunks at once; null where the rule does not match."""
        import polars

        ids = chunks if isinstance(chunks, polars.Series) else polars.Series(list(chunks), dtype=polars.String)
        if self.is_field:
            raise field_missing(self, "the run")
        if self.kind == "function":
            known = {each: self.call(each) for each in ids.unique()}
            return polars.Series([known[each] for each in ids], dtype=polars.String)
        is_regex = self.kind == "regex"
        pattern = self.argument if is_regex else SEPARATED[self.kind].format(polars.escape_regex(self.argument))
        found = ids.str.extract(pattern, 1)
        return found.set(found == "", None)

    def call(self, chunk: str) -> str | None:
        if self.function is None:
            raise PolicyError(f"{OPTION}: {self} is a function of Python; pass the function itself, in Python")
        try:
            document = self.function(chunk)
        except PASSING:
            raise
        except Exception as error:  # the user's own function raises what it likes
            reason = printable(f"{type(error).__name__}: {error}")
            raise DataError(f"{OPTION}: {self} failed for the id {show(chunk)}: {reason}") from error
        return as_document(document, lambda: f"{OPTION}: {self} gave {show(document)} for the id {show(chunk)}")


def field_missing(rule: DocIdRule, what: str) -> DataError:
    return DataError(
        f"{Option(OPTION.name, str(rule))} reads a field, and {what} has only ids; use a rule for ids, such as "
        "before:#, or rows with this field (JSON Lines, CSV, TSV, Parquet, a frame)"
    )


def name_of(function: Callable[..., object]) -> str:
    named: Any = function if hasattr(function, "__qualname__") else type(function)
    return printable(f"{named.__module__}.{named.__qualname__}")


def check_argument(kind: str, argument: str) -> None:
    """Raises if a field path has empty names, or a regular expression not exactly one group that the engine accepts."""
    if kind == "field" and not all(argument.split(".")):
        raise PolicyError(
            f"{OPTION}: {show(argument)} is not a field path; write names with dots, as in metadata.source"
        )
    if kind != "regex":
        return
    import polars

    try:
        groups = len(polars.Series([""]).str.extract_groups(argument).struct.fields)
    except polars.exceptions.PolarsError as error:
        *_, reason = [line for line in str(error).partition("\n\nThis error")[0].splitlines() if line.strip()]
        reason = printable(reason.removeprefix("regex error: ").removeprefix("error: "))
        raise PolicyError(f"{OPTION}: the regular expression {show(argument)} cannot be used: {reason}") from None
    if groups != 1:
        raise PolicyError(
            f"{OPTION}: the regular expression {show(argument)} has {groups} groups; mark the document's id with one, "
            r"as in ^(.+)-\d+$, and write other groups as (?:…)"
        )


def field_of(item: object, path: str) -> object:
    """What an item has at a path: a key with the whole path as its name, or the fields from dot to dot."""
    if isinstance(item, Mapping):
        if path in item:
            return item[path]
        name, dot, rest = path.partition(".")
        inner = item.get(name)
    else:
        name, dot, rest = path.partition(".")
        inner = None if name.startswith("_") else getattr(item, name, None)
    return field_of(inner, rest) if dot and inner is not None else None if dot else inner


def as_document(value: object, describe: Callable[[], str]) -> str | None:
    """An id as text; None where there is none. The description is for the error about anything else."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise DataError(f"{describe()}, which is not an id; ids are strings or integers")
    return str(value)
