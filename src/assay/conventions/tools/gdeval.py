"""gdeval, the script of the TREC Web tracks: nDCG and ERR with grades up to 4."""

from assay.core.convention import Convention, Name
from assay.core.policies import Policies

GDEVAL = Convention(
    name="gdeval",
    title="gdeval 1.3: queries missing from the run, or without a grade above 0, are skipped",
    policies=Policies(missing="skip", no_relevant="skip", duplicates="count"),
    names={
        "ndcg": Name("ndcg(gain=exp2,max=4)@{}", (20,), "ndcg@{:.0f}"),
        "err": Name("err(max=4,above=nan)@{}", (20,), "err@{:.0f}"),
    },
)
