"""mteb 2: its names and policies for retrieval.

ndcg, map, recall, precision and hit_rate are pytrec_eval's: scores as 32-bit floats, ties by document id from high to
low, and the mean over the queries that judgments and run have in common. mrr and the rest are sorted by score and then
document id, both from high to low, in 64 bits. mteb rounds pytrec_eval's means to 5 decimals; assay does not.
"""

from assay.core.convention import Convention, Name, Option, Policies
from assay.core.spelling import read_mteb

CUTOFFS = (1, 3, 5, 10, 20, 100, 1000)
OWN = {"precision": "float64"}
FIGURE = {"figure": Option("figure")}

MTEB = Convention(
    name="mteb",
    title="mteb: pytrec_eval's numbers, and how well scores tell good queries from bad (nAUC)",
    policies=Policies(precision="float32", duplicates="last", missing="skip", grades="whole"),
    read=read_mteb,
    names={
        "ndcg": Name("ndcg@{}", CUTOFFS, "ndcg_at_{:.0f}"),
        "map": Name("ap@{}", CUTOFFS, "map_at_{:.0f}"),
        "recall": Name("recall@{}", CUTOFFS, "recall_at_{:.0f}"),
        "precision": Name("precision@{}", CUTOFFS, "precision_at_{:.0f}"),
        "hit_rate": Name("hit_rate@{}", CUTOFFS, "hit_rate_at_{:.0f}"),
        "mrr": Name("rr@{}", CUTOFFS, "mrr_at_{:.0f}", policies=OWN),
        "accuracy": Name("recall@1", about="the same as recall_at_1"),
        "nauc_ndcg": Name("nauc(of=ndcg)@{}", options=FIGURE),
        "nauc_map": Name("nauc(of=ap)@{}", options=FIGURE),
        "nauc_recall": Name("nauc(of=recall)@{}", options=FIGURE),
        "nauc_precision": Name("nauc(of=precision)@{}", options=FIGURE),
        "nauc_mrr": Name("nauc(of=rr)@{}", options=FIGURE, policies=OWN),
        "R_cap": Name("recall(cap=true,nothing=nan)@{}", CUTOFFS, "R_cap_at_{:.0f}", policies=OWN),
        "Hole": Name("hole@{}", CUTOFFS, "Hole_at_{:.0f}", policies=OWN),
        "Accuracy": Name("hit_rate@{}", CUTOFFS, "Accuracy@{:.0f}", policies=OWN, about="top_k_accuracy's name"),
        "paired_accuracy": Name(
            "worst(of=recall,whole=true,members=2)@1", about="of the pairs 1_q1 and 1_q2, 2_q1 and …"
        ),
        "robustness_at_10": Name("worst(of=ndcg)@10", about="of the queries that begin the same before a low line"),
        "p-MRR": Name("p_mrr", policies=OWN, about="of the pairs q1-og and q1-changed, q2-og and …"),
    },
    defects=(
        "nauc pairs confidences and values by the order of the queries in the run and in the scores; here by id",
        "nauc of queries that all score the same is NaN or the noise of the last digits; here it is NaN",
        "top_k_accuracy lists the queries with a hit and forgets the others; here those score 0",
        "R_cap has no value for a query without relevant documents; here the query is NaN",
        "a query of the run without judgments ends the evaluation; here it is left out",
        "an empty ranking ends the evaluation; here it scores 0, and nauc leaves it out",
        "paired_accuracy and robustness_at_10 fail at a query that the run lacks; here its family has no value",
    ),
)
