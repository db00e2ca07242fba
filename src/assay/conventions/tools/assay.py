"""assay's own convention: trec_eval's formulas, every judged query counts, nothing is dropped silently."""

from assay.core.convention import Convention
from assay.core.policies import Policies

ASSAY = Convention(
    name="assay",
    title="assay: trec_eval's formulas in float64; queries missing from the run score 0",
    policies=Policies(),
)
