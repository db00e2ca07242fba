"""What to say about items that a judge gave no verdict on, or not the same one each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.core.note import Note, NoteKind
from assay.core.ruling import RulingKind, Rulings

# If a larger share failed, it is said loudly.
TOLERATED = 0.05


def verdict_notes(name: str, queries: Sequence[str], rulings: Rulings, draws: int = 1) -> list[Note]:
    """Which questions have no verdict, and why, loudly if the judge failed on many; and whose verdict changed.

    `draws` is how often each was asked.
    """
    lacking = {at: kind for at, kind in enumerate(rulings.kinds) if kind is not RulingKind.OK}
    failed = {at for at, kind in lacking.items() if kind is not RulingKind.UNJUDGEABLE}
    said = sorted(failed) if len(failed) > TOLERATED * len(queries) else []
    rest = [at for at in lacking if not said or at not in failed]
    notes = []
    for kind, places in ((NoteKind.FAILED_VERDICTS, said), (NoteKind.NO_VERDICT, rest)):
        if places:
            reasons = describe_reasons(rulings, places)
            about = {"total": f"{len(queries):,}", "reasons": reasons, "measures": [name]}
            notes.append(Note.of(kind, queries=[queries[at] for at in places], **about))  # type: ignore[arg-type]
    drawn = [len(each.samples) for each in rulings]
    if max(drawn, default=0) > 1:
        flipped = [query for query, each in zip(queries, rulings, strict=True) if each.is_flipped]
        total = f"{sum(number > 1 for number in drawn):,}"
        how = "" if flipped else "none"
        notes.append(
            Note.of(NoteKind.FLIPPED, about=how, queries=flipped, measures=[name], total=total, draws=max(drawn))
        )
    if lost := sum(draws - number for number in drawn if 0 < number < draws):
        asked = f"{draws * sum(number > 0 for number in drawn):,}"
        notes.append(Note.of(NoteKind.FLIPPED, about="failed", count=lost, measures=[name], total=asked))
    return notes


def describe_reasons(rulings: Rulings, places: Sequence[int]) -> str:
    """How often each kind of failure occurred, with the most frequent detail."""
    details: dict[RulingKind, Counter[str]] = {}
    for at in places:
        ruling = rulings[at]
        details.setdefault(ruling.kind, Counter())[ruling.detail] += 1
    parts = []
    for kind, each in details.items():
        detail = each.most_common(1)[0][0]
        parts.append(f"{each.total():,} {kind}" + (f": {detail}" if detail else ""))
    return "; ".join(parts)
