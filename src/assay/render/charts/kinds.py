"""The kinds of charts, what each shows, and which calls give it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

from assay.core.errors import PolicyError
from assay.core.text import nearest, show

if TYPE_CHECKING:
    from collections.abc import Iterable


class Kind(NamedTuple):
    """What a chart shows, and the calls that give it."""

    shows: str
    calls: tuple[str, ...]


RANKED = ('comparison.plot("{kind}")', 'assay.plot("{kind}", qrels, runs)')
KINDS = {
    "means": Kind("means with intervals", ("result.plot()", "results.plot()", *RANKED)),
    "differences": Kind("forest plot of differences between runs", RANKED),
    "queries": Kind("differences of two runs, query by query", ('results.plot("{kind}")', *RANKED)),
    "scatter": Kind("two runs, one point per query", ('results.plot("{kind}")', *RANKED)),
    "precision_recall": Kind("interpolated precision at 11 levels of recall", RANKED),
    "cutoff": Kind("a measure at every cutoff from 1 to 100", RANKED),
    "scores": Kind("scores of retrieved documents by grade", RANKED),
    "judged": Kind("share of judged documents by rank", RANKED),
    "critical_difference": Kind("mean ranks of runs, and which cannot be told apart", RANKED),
    "measures": Kind("agreement of measures about the order of runs", ('results.plot("{kind}")', *RANKED)),
    "runs": Kind("agreement of the rankings of runs", RANKED),
    "blame": Kind("wrong answers by their cause", ('rag.plot("{kind}")', 'assay.plot("{kind}", records)')),
    "latency": Kind(
        "how long calls of a live retriever took", ('probe.plot("{kind}")', 'assay.plot("{kind}", records)')
    ),
    "agreement": Kind("confusion matrix of two judges", ('agreement.plot("{kind}")', 'assay.plot("{kind}", a, b)')),
}


def refuse(kind: object, known: Iterable[str], owner: str) -> NoReturn:
    """Raises for a kind of chart that an object does not have, and says which calls give it."""
    if kind in KINDS:
        calls = " or ".join(call.format(kind=kind) for call in KINDS[str(kind)].calls)
        raise PolicyError(f"{owner} has no chart {show(kind)}; use {calls}")
    near = nearest(str(kind), KINDS)
    meant = f"; did you mean {show(near[0])}?" if near else ";"
    raise PolicyError(f"unknown kind of chart {show(kind)}{meant} {owner} has {', '.join(known)}")
