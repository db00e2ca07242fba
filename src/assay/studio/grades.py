"""The grades to choose from: those of the file and of the votes so far, or what `--top-grade` says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.errors import DataError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.studio.store.events import VoteEvent
    from assay.studio.store.store import Store

SETTING = "grades"
# The highest grade of an open scale, the highest that is offered unasked, and the highest that can be.
USUAL = 3
MOST_UNASKED = 10
MOST = 100


def choose_grades(
    base: Mapping[str, Mapping[str, float]], events: Iterable[VoteEvent], store: Store, chosen: int | None
) -> list[float]:
    """The grades of a studio; a highest one that was chosen is kept in the store."""
    kept = store.setting(SETTING)
    top = chosen if chosen is not None or kept is None else int(kept)
    scale = grades_of(base, (event.vote for event in events if event.vote is not None), top)
    if chosen is not None and str(chosen) != kept:
        store.set_setting(SETTING, str(chosen))
    return scale


def grades_of(
    base: Mapping[str, Mapping[str, float]], votes: Iterable[float] = (), top: int | None = None
) -> list[float]:
    """The grades from 0 to `top`; without it to 1 if nothing in the file or the votes is higher, else to 3 or more.

    >>> grades_of({"q": {"d": 1.0}}), grades_of({}, [1.0]), grades_of({"q": {"d": 1.0}}, [4.0])
    ([0.0, 1.0], [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0, 4.0])
    >>> grades_of({}, top=1)
    [0.0, 1.0]
    """
    judged = max((grade for each in base.values() for grade in each.values()), default=None)
    voted = max(votes, default=0.0)
    if top is None:
        top = inferred(float(USUAL) if judged is None else judged, voted)
    else:
        check_top(top, judged or 0.0, voted)
    return [float(each) for each in range(top + 1)]


def inferred(judged: float, voted: float) -> int:
    """The highest grade, if nobody chose one."""
    highest = math.ceil(max(judged, voted))
    if highest > MOST_UNASKED:
        more = f"--top-grade {highest}" if highest <= MOST else f"--top-grade, which goes up to {MOST}"
        raise DataError(
            f"the judgments have a grade of {max(judged, voted):g}, and people choose from 0 to {MOST_UNASKED}; "
            f"map the grades to fewer, or offer more with {more}"
        )
    return 1 if highest <= 1 else max(USUAL, highest)


def check_top(top: int, judged: float, voted: float) -> None:
    """Raises if a grade is higher than the highest one that was chosen."""
    if not 1 <= top <= MOST:
        raise PolicyError(f"the highest grade must be from 1 to {MOST}, not {top}")
    for what, highest in (("the judgments", judged), ("the votes in the store", voted)):
        if highest > top:
            raise DataError(
                f"{what} have a grade of {highest:g}, and the grades to choose from end at {top}; "
                f"choose more with --top-grade {math.ceil(highest)}"
            )
