"""What the doctor says about one file: facts, and findings with what to do about them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Level = Literal["ok", "warn", "bad"]
LEVELS: tuple[Level, ...] = ("ok", "warn", "bad")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: how bad it is, a word for its kind, what is so, and what to do."""

    level: Level
    kind: str
    text: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say about one file."""

    subject: Literal["judgments", "run"]
    name: str
    facts: dict[str, Any]
    findings: list[Finding]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def count_levels(reports: Iterable[Report]) -> dict[Level, int]:
    """How many findings there are of each level."""
    levels = [finding.level for report in reports for finding in report.findings]
    return {level: levels.count(level) for level in LEVELS}


def percent(share: float) -> str:
    """A share for people; only all is 100 % and only nothing is 0 %.

    >>> percent(1.0), percent(0.99999), percent(0.00001), percent(0.25)
    ('100 %', '99.9 %', '0.1 %', '25 %')
    """
    if 0 < share < 1:
        share = min(max(share, 0.001), 0.999)
    return f"{100 * share:.1f}".removesuffix(".0") + " %"
