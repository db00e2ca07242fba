"""mteb 2: its names and policies for retrieval.

ndcg, map, recall, precision and hit_rate come from pytrec_eval: scores as 32-bit floats, ties by document id
descending, and the mean over the queries that judgments and run have in common. mrr and the rest are sorted by score
and then document id, both descending, in 64 bits. mteb rounds pytrec_eval's means to 5 decimals; assay does not.

paired_accuracy, robustness_at_10 and p-MRR have one value for several queries, given to the first of them. For what
mteb computes on merged rankings (max_over_subqueries_…) use `assay.compat.mteb.merge_subqueries` or `assay eval
--merge-subqueries`. What it reports under og and changed are the same measures over the queries whose ids end so.
"""

import re
from collections.abc import Mapping

from assay.core.convention import Convention, Name, NameOption, Written, write_cutoff
from assay.core.errors import MeasureError
from assay.core.policies import Policies
from assay.core.text import show

CUTOFFS = (1, 3, 5, 10, 20, 100, 1000)
OWN = {"precision": "float64"}
FIGURE = {"figure": NameOption("figure")}
SHAPE = re.compile(r"(?:(?P<base>.+?)_at_|(?P<own>Accuracy)@)(?P<at>\d+)(?:_(?P<rest>\w+))?", re.ASCII)
MERGED = "max_over_subqueries_"


def read_mteb(text: str, names: Mapping[str, Name]) -> Written | None:
    """`name_at_k`, or the name alone for all of mteb's cutoffs; `nauc_name_at_k_max`, `_std` or `_diff1`.

    Names with the prefix `max_over_subqueries_` are measures of merged rankings: use
    `assay.compat.mteb.merge_subqueries` or `assay eval --merge-subqueries`.
    """
    if text.startswith(MERGED):
        rest = text.removeprefix(MERGED)
        raise MeasureError(
            f"{show(text)} is {rest} of merged rankings; name {rest} and merge the subqueries, with `assay eval "
            "--merge-subqueries` or assay.compat.mteb.merge_subqueries(qrels, run)"
        )
    shape = SHAPE.fullmatch(text)
    base = shape["base"] or shape["own"] if shape is not None else ""
    if shape is not None and base in names:
        return Written(base, {"figure": shape["rest"]} if shape["rest"] else {}, (shape["at"],))
    return Written(text, {}, ()) if text in names else None


def write_mteb(name: str, entry: Name, at: float | str | None, options: Mapping[str, str]) -> str:
    """`nauc_ndcg_at_10_max`."""
    return "_".join([write_cutoff(name, entry, at), *options.values()])


MTEB = Convention(
    name="mteb",
    title="mteb: pytrec_eval's numbers, and how well scores separate good queries from bad (nAUC)",
    policies=Policies(precision="float32", duplicates="last", missing="skip", grades="whole"),
    read=read_mteb,
    write=write_mteb,
    names={
        "ndcg": Name("ndcg@{}", CUTOFFS, "ndcg_at_{:.0f}"),
        "map": Name("ap@{}", CUTOFFS, "map_at_{:.0f}"),
        "recall": Name("recall@{}", CUTOFFS, "recall_at_{:.0f}"),
        "precision": Name("precision@{}", CUTOFFS, "precision_at_{:.0f}"),
        "hit_rate": Name("hit_rate@{}", CUTOFFS, "hit_rate_at_{:.0f}"),
        "mrr": Name("rr@{}", CUTOFFS, "mrr_at_{:.0f}", policies=OWN),
        "accuracy": Name("recall@1"),
        "nauc_ndcg": Name("nauc(of=ndcg)@{}", output="nauc_ndcg_at_{:.0f}", options=FIGURE),
        "nauc_map": Name("nauc(of=ap)@{}", output="nauc_map_at_{:.0f}", options=FIGURE),
        "nauc_recall": Name("nauc(of=recall)@{}", output="nauc_recall_at_{:.0f}", options=FIGURE),
        "nauc_precision": Name("nauc(of=precision)@{}", output="nauc_precision_at_{:.0f}", options=FIGURE),
        "nauc_mrr": Name("nauc(of=rr)@{}", output="nauc_mrr_at_{:.0f}", options=FIGURE, policies=OWN),
        "R_cap": Name("recall(cap=true,nothing=nan)@{}", CUTOFFS, "R_cap_at_{:.0f}", policies=OWN),
        "Hole": Name("hole@{}", CUTOFFS, "Hole_at_{:.0f}", policies=OWN),
        "Accuracy": Name("hit_rate@{}", CUTOFFS, "Accuracy@{:.0f}", policies=OWN),
        "paired_accuracy": Name("worst(of=recall,whole=true,members=2)@1"),
        "robustness_at_10": Name("worst(of=ndcg)@10"),
        "p-MRR": Name("p_mrr", policies=OWN),
    },
    infinite=True,
    empty_ids=True,
)
