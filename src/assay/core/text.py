"""Small pieces of messages: ids that are safe to print, counts with their noun, similar names."""

from collections.abc import Iterable, Sequence

LONGEST_SHOWN = 60
# Stands for the empty string as a document's id, which the kernel refuses: like that, it sorts before other ids.
EMPTY_ID = "\x00 (empty id)"


def show(value: object) -> str:
    r"""An id in quotes, with control characters escaped and long text cut.

    >>> show("d1")
    "'d1'"
    >>> print(show("red\x1b[31m"))
    'red\x1b[31m'
    """
    try:
        text = given_id(str(value))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a message must not fail because of its subject
        text = f"a value of type {type(value).__name__}"
    cut = text[:LONGEST_SHOWN] + ("…" if len(text) > LONGEST_SHOWN else "")
    return "'" + printable(cut) + "'"


def given_id(document: str) -> str:
    """A document's id as it was given, which may be the empty string."""
    return "" if document == EMPTY_ID else document


def printable(text: str) -> str:
    """The text with everything escaped that a terminal could interpret."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def some(ids: Sequence[str], most: int = 3) -> str:
    """The first few ids, and an ellipsis if there are more.

    >>> some(["q1", "q2", "q3", "q4"])
    "'q1', 'q2', 'q3', …"
    """
    return ", ".join([show(each) for each in ids[:most]] + (["…"] if len(ids) > most else []))


def count(number: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "query", "queries"), count(1200, "query", "queries")
    ('1 query', '1,200 queries')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def p_words(p: float) -> str:
    """A p-value as people write it.

    >>> p_words(0.03125), p_words(0.000004)
    ('p = 0.0312', 'p < 0.0001')
    """
    return f"p = {p:.4f}" if p >= 0.00005 else "p < 0.0001"  # noqa: PLR2004 - what four digits show


def first_line(text: str, width: int | None) -> str:
    r"""The first line of a text that is not blank, cut to a width.

    >>> first_line("\n  A title \nand more", 10)
    'A title'
    """
    line = next((each for each in text.splitlines() if each.strip()), "")
    return shorten_text(line, width) or ""


def shorten_text(text: str | None, width: int | None) -> str | None:
    r"""A text on one line, cut to a width.

    >>> shorten_text("one  two\nthree", 8), shorten_text("short", None)
    ('one two…', 'short')
    """
    if text is None:
        return None
    line = " ".join(text.split())
    return line if width is None or len(line) <= width else line[: max(width - 1, 0)].rstrip() + "…"


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """The names most similar to a misspelt one, most similar first."""
    from difflib import get_close_matches

    return get_close_matches(name, list(names), n=3, cutoff=0.6)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; lone surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
