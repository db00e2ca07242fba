"""The table of conventions, one tool a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.conventions.assay import ASSAY
from assay.conventions.autorag import AUTORAG
from assay.conventions.beir import BEIR
from assay.conventions.gdeval import GDEVAL
from assay.conventions.haystack import HAYSTACK
from assay.conventions.ir_measures import IR_MEASURES
from assay.conventions.llama_index import LLAMA_INDEX
from assay.conventions.mteb import MTEB
from assay.conventions.ragas import RAGAS
from assay.conventions.ranx import RANX
from assay.conventions.sklearn import SKLEARN
from assay.conventions.trec_eval import TREC_EVAL
from assay.conventions.trec_eval_9 import TREC_EVAL_9
from assay.core.errors import PolicyError
from assay.core.text import nearest, show

if TYPE_CHECKING:
    from assay.core.convention import Convention

CONVENTIONS: dict[str, Convention] = {
    each.name: each
    for each in (
        ASSAY,
        TREC_EVAL,
        TREC_EVAL_9,
        RANX,
        IR_MEASURES,
        BEIR,
        MTEB,
        AUTORAG,
        LLAMA_INDEX,
        HAYSTACK,
        RAGAS,
        GDEVAL,
        SKLEARN,
    )
}


def find_convention(name: str) -> Convention:
    """The convention of that name."""
    if not isinstance(name, str) or name not in CONVENTIONS:
        near = nearest(str(name), CONVENTIONS)
        hint = f"did you mean {near[0]}? " if near else ""
        raise PolicyError(f"there is no convention {show(name)}; {hint}There are {', '.join(CONVENTIONS)}")
    return CONVENTIONS[name]
