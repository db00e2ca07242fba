"""AutoRAG: its six retrieval measures, over groups of alternative passages (AND over groups, OR inside one).

Also its measures of answers that need no model: bleu, meteor and rouge. AutoRAG has no cutoffs; `depth` cuts the
rankings. A query for which it returns None is NaN here and left out of the mean: one without results or without
relevant passages, with an empty group, or with an id that is None or blank; of answers, a question whose answer or
one of whose references is blank.
"""

from collections.abc import Mapping, Sized
from typing import Any

from assay.conventions.prepare import LISTS, usable_part
from assay.core.convention import Convention, Name, NameOption
from assay.core.policies import Policies

LEVEL = {"rel": NameOption("rel")}
TRUTHS = {"True": True, "true": True, "False": False, "false": False}
ROUGE = {
    "rouge1": "rouge_1(blank=nan)",
    "rouge2": "rouge_2(blank=nan)",
    "rougeL": "rouge_l(blank=nan)",
    "rougeLsum": "rouge_lsum(blank=nan)",
}
# A duplicate passage takes up a rank but counts once.
ONCE = {"duplicates": "once"}


def as_autorag_takes_it(value: Any) -> Any:  # noqa: ANN401 - whatever the user gave
    """One query's judgments or ranking, empty if AutoRAG returns None for it."""
    part = usable_part(value)
    return part if part is value or is_whole(part, value) else []


def is_whole(part: Sized, value: object) -> bool:
    if isinstance(value, Mapping):
        return len(part) == len(value)
    if not isinstance(value, LISTS) or len(part) != len(value):
        return False
    pairs = zip(part, value, strict=True)  # type: ignore[call-overload]
    return all(is_whole(one, other) for one, other in pairs if isinstance(other, LISTS))


AUTORAG = Convention(
    name="autorag",
    title="AutoRAG: groups of alternative passages; duplicates count every time; None is left out of the mean",
    policies=Policies(order="given", duplicates="count", no_relevant="nan_all", no_results="nan"),
    names={
        "retrieval_recall": Name("group_recall"),
        "retrieval_precision": Name("precision", policies=ONCE),
        "retrieval_f1": Name("group_f1", policies=ONCE),
        "retrieval_ndcg": Name("ndcg(gain=binary,rel=1,ideal=listed_cut)", options=LEVEL),
        "retrieval_mrr": Name("group_rr"),
        "retrieval_map": Name("group_ap"),
        "bleu": Name(
            "bleu(aggregate=mean,blank=nan)",
            options={
                "tokenize": NameOption("tokenize"),
                "smooth_method": NameOption("smooth"),
                "smooth_value": NameOption("smooth_value"),
                "max_ngram_order": NameOption("order"),
                "lowercase": NameOption("lowercase", TRUTHS),
            },
        ),
        "meteor": Name(
            "meteor(tokenize=nltk,blank=nan)",
            options={name: NameOption(name) for name in ("alpha", "beta", "gamma", "tokenize")},
        ),
        "rouge": Name(
            ROUGE["rougeL"],
            options={"rouge_type": NameOption("measure", ROUGE), "use_stemmer": NameOption("stem", TRUTHS)},
        ),
    },
    prepare=as_autorag_takes_it,
    infinite=True,
)
