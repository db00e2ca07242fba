"""AutoRAG: its six retrieval measures, over groups of alternative passages (AND over groups, OR inside one).

It has no cutoff: a ranking is as long as it is, and `depth` cuts it. A query for which it gives None is NaN here and
left out of the mean: one with nothing retrieved or nothing to find, an empty group, or an id that is none or blank.
"""

from collections.abc import Mapping, Sized
from typing import Any

from assay.conventions.prepare import LISTS, usable_part
from assay.core.convention import Convention, Name, Option
from assay.core.policies import Policies

LEVEL = {"rel": Option("rel")}
# A passage that is retrieved again takes up a rank, but is one passage.
ONCE = {"duplicates": "once"}


def as_autorag_takes_it(value: Any) -> Any:  # noqa: ANN401 - whatever the user gave
    """One query's judgments or ranking, empty if AutoRAG gives None for it."""
    part = usable_part(value)
    return part if part is value or is_whole(part, value) else []


def is_whole(part: Sized, value: object) -> bool:
    """Whether nothing had to be left out."""
    if isinstance(value, Mapping):
        return len(part) == len(value)
    if not isinstance(value, LISTS) or len(part) != len(value):
        return False
    pairs = zip(part, value, strict=True)  # type: ignore[call-overload]
    return all(is_whole(one, other) for one, other in pairs if isinstance(other, LISTS))


AUTORAG = Convention(
    name="autorag",
    title="AutoRAG: groups of alternatives; what is retrieved twice counts twice; None is left out of the mean",
    policies=Policies(order="given", duplicates="count", no_relevant="nan_all", no_results="nan"),
    names={
        "retrieval_recall": Name("group_recall"),
        "retrieval_precision": Name(
            "precision", policies=ONCE, about="Different relevant passages over the length of the list."
        ),
        "retrieval_f1": Name("group_f1", policies=ONCE),
        "retrieval_ndcg": Name(
            "ndcg(gain=binary,rel=1,ideal=listed_cut)",
            options=LEVEL,
            about="A passage that is retrieved again gains again, so that it can pass 1. The ideal list holds every id "
            "of every group, alternatives and repeats too, and is as long as the list that was retrieved.",
        ),
        "retrieval_mrr": Name("group_rr", about="The mean over the groups, not the first hit of all."),
        "retrieval_map": Name(
            "group_ap", about="The mean over the groups of an average precision over the hits found."
        ),
    },
    prepare=as_autorag_takes_it,
    infinite=True,
    defects=(
        "Judgments that are a flat list of ids are taken apart into letters; here each id is a group of its own.",
    ),
)
