"""Whether a file holds judgments or a run, as its fields, columns or values say."""

import io
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

from assay.core.errors import FormatError
from assay.core.limits import LIMITS, refuse, size
from assay.core.text import Option
from assay.data.formats import HEAD, TREC, Format, recognise
from assay.data.formats.json import read_rankings
from assay.data.frames.columns import GRADE, SCORE, normalise_name
from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.files.source import CHUNK, Readable, Source, StandardInput, open_source

# Of a line of TREC: whether it is one of judgments, by its number of fields.
FIELDS = {4: True, 6: False}
# What a kind of value indicates, judgments or a run, and the share of all values it needs. Some scores are whole.
NEEDED = {"grade": (True, 1.0), "group": (True, 1.0), "fraction": (False, 0.9), "pair": (False, 1.0)}
# Whole numbers up to this are grades, larger ones may be either.
HIGHEST_GRADE = 10
# BEIR calls grades scores; its names for the other columns give it away.
BEIR = {"query_id", "corpus_id", "score"}


class KeptInput(io.BytesIO):
    """Standard input, kept so that it can be read twice."""

    name = StandardInput.name


def read_data(
    source: Readable, kind: Literal["qrels", "run"] | None = None, *, format: str | None = None
) -> Qrels | Run:
    r"""Reads the judgments or the run in a file, whichever it holds, with its duplicates.

    >>> import assay, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("q1 0 d1 1\n"), file.flush()
    ...     assay.read_data(file.name).to_dict()
    {'q1': {'d1': 1.0}}

    `kind` says which of the two it is, and `format` how it is written, if the file does not tell.
    """
    if kind is None and isinstance(source, StandardInput):
        # As it is read twice; not more of it than a temporary file would take.
        kept, most = KeptInput(), LIMITS.get().temporary
        while chunk := source.read(CHUNK):
            if kept.write(chunk) and kept.tell() > most:
                raise refuse(f"standard input: more than {size(most)}", "temporary")
        kept.seek(0)
        source = kept
    is_judgments = holds_judgments(source, format) if kind is None else kind == "qrels"
    if isinstance(source, KeptInput):
        source.seek(0)
    return Qrels(source, format=format, duplicates="first") if is_judgments else Run(source, format=format)


def holds_judgments(data: Readable, format_: str | None) -> bool:
    """True for judgments, false for a run; an error if the content does not tell."""
    with open_source(data) as source:
        chosen = recognise(source, format_)
        answers = (by_content(file, chosen) for file in source.files)
        answer = next((each for each in answers if each is not None), None)
        if answer is None:
            which = f"{Option('kind', 'qrels')} or {Option('kind', 'run')}"
            raise FormatError(f"cannot tell whether {source.name} holds judgments or a run; say which: {which}")
        return answer


def by_content(source: Source, format_: Format) -> bool | None:
    """What the fields, columns or values of a file say; None if nothing."""
    if format_.name == "beir":
        return True
    if format_ is TREC:
        lines = source.read(HEAD).decode("utf-8", errors="replace").splitlines()
        first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
        return FIELDS.get(len(first.split()))
    if format_.batches is not None:
        found = {normalise_name(name) for name in format_.column_names(source)}
        has_grades, has_scores = bool(found & (set(GRADE) - set(SCORE))), bool(found & set(SCORE))
        return found == BEIR or (has_grades if has_grades != has_scores else None)
    # JSON: small whole numbers are grades and nested lists are groups; fractions and pairs are scores.
    content = read_rankings(source)
    queries = content.values() if isinstance(content, dict) else content
    kinds = Counter(kind for query in queries for kind in value_kinds(query))
    total = kinds.total()
    return next((holds for kind, (holds, share) in NEEDED.items() if kinds[kind] >= max(share * total, 1)), None)


def value_kinds(query: Any) -> Iterator[str]:  # noqa: ANN401 - whatever the file holds
    """What the values of one query look like: numbers by document, or a list of ids, pairs or groups."""
    for value in query.values() if isinstance(query, dict) else query if isinstance(query, list) else ():
        if isinstance(query, dict):
            is_number = isinstance(value, (int, float))
            whole = "grade" if is_number and abs(value) <= HIGHEST_GRADE else "whole"
            yield "other" if not is_number else "fraction" if value % 1 else whole
        elif isinstance(value, list):
            # A document with its score and perhaps its rank.
            is_pair = len(value) in (2, 3) and all(isinstance(each, (int, float)) for each in value[1:])
            yield "pair" if is_pair else "group"
        else:
            yield "id"
