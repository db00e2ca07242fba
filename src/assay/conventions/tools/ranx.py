"""ranx 0.3: its names and policies.

A query missing from the run counts as an empty ranking, as with make_comparable. Tied documents are in the order of
ranx's sort, as in its `Run`: that of the run below 16 documents, from 16 on one that depends on all scores of a query.
A run file is never held in memory, so its ties keep the order of the file, and a note says which queries that concerns;
`assay.read_run` reads one into memory. ranx sorts plain dicts in the opposite direction, so that their ties are in
reverse; `assay.compat.ranx` does the same.
"""

import re
from collections.abc import Mapping

from assay.core.convention import Convention, Name, NameOption, Written, write_cutoff
from assay.core.errors import MeasureError
from assay.core.policies import Policies
from assay.core.text import show

LEVEL = {"l": NameOption("rel")}
RECALLS = tuple(tenth / 10 for tenth in range(11))
SHAPE = re.compile(r"(?P<base>r-precision|\w+)(?:(?P<mark>[.@])(?P<at>\d+(?:\.\d+)?))?(?:-l(?P<level>\d+))?", re.ASCII)


def read_ranx(text: str, names: Mapping[str, Name]) -> Written | None:
    """`name@k-lN`; `@0` is the same as no cutoff, and the digits after `rbp.` are the decimals of its persistence."""
    shape = SHAPE.fullmatch(text)
    if shape is None or shape["base"] not in names:
        return None
    options = {"l": shape["level"]} if shape["level"] else {}
    if shape["base"] == "rbp":
        if shape["at"] is None or not shape["at"].isdigit():
            raise MeasureError(f"{show(text)}: ranx requires the decimals of the persistence, such as rbp.95")
        return Written("rbp", {"p": f"0.{shape['at']}", **options}, ())
    if shape["mark"] == ".":
        return None
    # ranx ignores a cutoff that means nothing; two measures have none.
    is_idle = shape["base"] in ("r-precision", "bpref") or shape["at"] == "0"
    return Written(shape["base"], options, (shape["at"],) if shape["at"] and not is_idle else ())


def write_ranx(name: str, entry: Name, at: float | str | None, options: Mapping[str, str]) -> str:
    """`map@100-l2`; for rbp the decimals of its persistence, `rbp.95`."""
    persistence = options.get("p")
    base = write_cutoff(name, entry, at) if persistence is None else f"{name}.{persistence.removeprefix('0.')}"
    return base + (f"-l{options['l']}" if "l" in options else "")


RANX = Convention(
    name="ranx",
    title="ranx: the relevance level also applies to gains; negative grades are judged nonrelevant",
    policies=Policies(ties="quicksort", duplicates="last", grades="whole", negative="nonrelevant"),
    read=read_ranx,
    write=write_ranx,
    names={
        "hits": Name("hits[@{}]", options=LEVEL),
        "hit_rate": Name("hit_rate[@{}]", options=LEVEL),
        "precision": Name("precision[@{}]", options=LEVEL),
        "recall": Name("recall[@{}]", options=LEVEL),
        "f1": Name("f1[@{}]", options=LEVEL),
        "r-precision": Name("r_precision", options=LEVEL),
        "mrr": Name("rr[@{}]", options=LEVEL),
        "map": Name("ap[@{}]", options=LEVEL),
        "dcg": Name("dcg(rel=1)[@{}]", options=LEVEL),
        "dcg_burges": Name("dcg(gain=exp2,rel=1)[@{}]", options=LEVEL),
        "ndcg": Name("ndcg(rel=1)[@{}]", options=LEVEL),
        "ndcg_burges": Name("ndcg(gain=exp2,rel=1)[@{}]", options=LEVEL),
        "bpref": Name("bpref(unopposed=nan)", options=LEVEL),
        "rbp": Name("rbp(gain=grade)", options={"p": NameOption("p"), **LEVEL}, needed={"p": "0.95"}),
        "interpolated_precision_at_recall": Name(
            "iprec(cut=v9)@{}", RECALLS, "interpolated_precision_at_recall@{:.1f}", options=LEVEL
        ),
    },
    unreadable="nan",
    infinite=True,
    empty_ids=True,
)
