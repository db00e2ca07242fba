"""The lines of the report, and the measures that everything is timed with."""

from __future__ import annotations

from dataclasses import dataclass

MEASURES = ["ap", "ndcg@10", "rr", "recall@100", "precision@10"]
# The same, as pytrec_eval calls them.
PEER_MEASURES = {"map", "ndcg_cut.10", "recip_rank", "recall.100", "P.10"}


@dataclass(frozen=True)
class Line:
    """One line of the report: a figure, and the target it is held against."""

    what: str
    figure: str
    target: str
    is_met: bool

    @property
    def verdict(self) -> str:
        return "met" if self.is_met else "missed"


def at_most(what: str, value: float, limit: float) -> Line:
    return Line(what, f"{value:.2f}", f"at most {limit:.3g}", value <= limit)


def at_least(what: str, value: float, limit: float) -> Line:
    return Line(what, f"{value:.1f}", f"at least {limit:g}", value >= limit)


def exactly(what: str, is_so: bool) -> Line:
    return Line(what, "yes" if is_so else "no", "yes", is_so)


def show(times: dict[str, float], lines: list[Line]) -> None:
    """Prints what was measured, and each figure with its target."""
    for name, value in times.items():
        print(f"{name}: {value:.3f} s")
    for line in lines:
        print(f"{line.verdict:6}  {line.what}: {line.figure} ({line.target})")
