"""The worst questions of a RAG system: question, answer, reference, gold, and the first lines of what was retrieved."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest
from typing import NamedTuple

from assay.core.ruling import Verdict
from assay.core.text import count, first_line, printable, shorten_text
from assay.data.passages import place_name
from assay.data.records.record import Record
from assay.render import Cell, Column, Table, View

GOLD = ("retrieved", "not retrieved", "no gold passage")
TEXTS = ("gold passage", "question", "answer", "reference", "gold", "retrieved")
# The mark of a gold passage among those retrieved.
HIT = "✓"
MOST_VERDICTS = 5


class ShownPassage(NamedTuple):
    """A passage as it is shown: its id and its first line, as far as they are known, and whether it is gold."""

    document: str
    text: str = ""
    is_hit: bool = False

    def __str__(self) -> str:
        return " ".join(part for part in (HIT * self.is_hit, self.document, self.text) if part)


class Question(NamedTuple):
    """A question of the table; `more` passages were retrieved than are shown, `verdicts` are those of a judge."""

    query: str
    value: float
    gold: str
    texts: tuple[str | None, ...]
    wanted: list[ShownPassage]
    retrieved: list[ShownPassage]
    more: int
    verdicts: tuple[str, ...] | None = None

    def row(self) -> tuple[Cell, ...]:
        lists = ["; ".join(map(str, each)) or None for each in (self.wanted, self.retrieved)]
        said = () if self.verdicts is None else ("; ".join(self.verdicts) or None,)
        return (self.query, self.value, self.gold, *self.texts, *lists, *said)


def describe_question(
    record: Record, value: float, gold: str, wanted: Collection[str], *, width: int | None, passages: int
) -> Question:
    """A record as the table of the worst questions shows it; `wanted` are its gold documents."""
    said = (record.question, record.answer, next(iter(record.references or ()), None))
    ids = [] if record.retrieved is None else record.retrieved.ids
    lines = [first_line(text, width) for text in record.shown_texts or ()]
    found = [ShownPassage(each, line, each in wanted) for each, line in zip_longest(ids, lines, fillvalue="")]
    golds = gold_passages(record, wanted, width)
    if ids and all(each == place_name(place) for place, each in enumerate(ids)):
        # Passages that have no ids of their own are shown by their texts.
        found, golds = ([each._replace(document="") if each.text else each for each in side] for side in (found, golds))
    more = max(len(found) - passages, 0)
    texts = tuple(shorten_text(text, width) for text in said)
    return Question(record.query_id, value, gold, texts, golds[:passages], found[:passages], more)


def gold_passages(record: Record, wanted: Collection[str], width: int | None) -> list[ShownPassage]:
    """What should have been retrieved: the ids, with texts where it is known which belongs to which; else the texts."""
    if record.matched is not None:
        return [ShownPassage(name, first_line(text, width)) for name, text in record.matched]
    known: dict[str, str] = {}
    if record.retrieved is not None and record.shown_texts is not None:
        known = dict(zip(record.retrieved.ids, record.shown_texts, strict=False))
    if record.gold_texts and len(record.gold_texts) == len(wanted) == 1:
        known = dict(zip(wanted, record.gold_texts, strict=True))
    if record.gold_texts and not all(each in known for each in wanted):
        return [ShownPassage("", first_line(text, width)) for text in record.gold_texts]
    return [ShownPassage(each, first_line(known.get(each, ""), width)) for each in sorted(wanted)]


def describe_verdicts(
    verdicts: Sequence[Verdict], score: float, best: float, *, higher_is_better: bool, width: int | None
) -> tuple[str, ...]:
    """What a judge found wrong, the worst first, with its reasons; `best` is the best score that there is."""
    if score == best:
        return ()
    # Of yes and no the better one is fine; grades are all shown, as each may have lowered the score.
    is_binary = best in (0, 1) and {each.value for each in verdicts} <= {0.0, 0.5, 1.0}
    wrong = [each for each in verdicts if not is_binary or each.value != best] or list(verdicts)
    sign = 1 if higher_is_better else -1
    wrong.sort(key=lambda each: sign * each.value if isinstance(each.value, float | int) else 0.0)
    lines = []
    for each in wrong[:MOST_VERDICTS]:
        reason = f" ({first_line(each.reason, width)})" if each.reason.strip() else ""
        lines.append(f"{each.shown}  {first_line(each.subject, width)}{reason}")
    more = len(wrong) - MOST_VERDICTS
    return (*lines, *([f"… {count(more, 'more verdict')}"] if more > 0 else []))


class WorstAnswers(View):
    """Questions, one row each; printed as one paragraph each, to leave room for the texts."""

    def __init__(self, measure: str, questions: Sequence[Question]) -> None:
        names = (*TEXTS, "verdicts") if any(each.verdicts is not None for each in questions) else TEXTS
        columns = (Column("query", is_text=True), Column(measure), *(Column(name, is_text=True) for name in names))
        super().__init__(Table(columns, tuple(each.row() for each in questions)))
        self._questions = tuple(questions)

    def __str__(self) -> str:
        measure = self._table.columns[1].name
        parts = []
        for each in self._questions:
            lines = [f"{each.query}  {measure} {each.value:.4f}  {TEXTS[0]}: {each.gold}"]
            for name, text in zip(TEXTS[1:4], each.texts, strict=True):
                lines.append(f"  {name:<9}  {'(none)' if text is None else text or '(empty)'}")
            if each.wanted or each.retrieved:
                lines += listed("gold", each.wanted) + listed("retrieved", each.retrieved, each.more)
            lines += [f"  {'' if at else 'verdicts':<9}  {line}" for at, line in enumerate(each.verdicts or ())]
            parts.append("\n".join(map(printable, lines)))
        return "\n\n".join(parts)


def listed(name: str, passages: Sequence[ShownPassage], more: int = 0) -> list[str]:
    """Passages under their heading: one per line, or all on one if only ids are known."""
    rows = [f"… {count(more, 'more passage')}"] if more else []
    if any(each.text for each in passages):
        wide = max(len(each.document) for each in passages)
        gap, has_hit = "  " * bool(wide), any(each.is_hit for each in passages)
        marks = [(HIT if each.is_hit else " ") + " " if has_hit else "" for each in passages]
        shown = [f"{mark}{each.document:<{wide}}{gap}{each.text}" for mark, each in zip(marks, passages, strict=True)]
        rows = shown + rows
    else:
        rows = [", ".join([*map(str, passages), *rows]) or "(none)"]
    return [f"  {name if not at else '':<9}  {row}".rstrip() for at, row in enumerate(rows)]
