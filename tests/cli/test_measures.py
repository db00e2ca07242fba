"""`assay measures`: the list, and what is said about one."""

import math

from assay.measures import TABLE
from assay.tasks.explain import describe_measure
from tables import for_each

RR = """\
rr: Reciprocal rank

How early the first relevant document appears. With `credit=sum` it can exceed 1.

Formula         1 / rank of the first relevant document; 0 if there is none
Queries         the mean over queries
Range           0 to 1 (0 or more with other parameters); the higher the better
Aliases         mrr, recip_rank, reciprocal_rank
In trec_eval    recip_rank
In trec_eval_9  recip_rank
In ranx         mrr[@k]
In ir_measures  RR, RR@k, MRR
In beir         mrr@k, mrr_cut@k
In mteb         mrr_at_k
In llama_index  mrr
In haystack     DocumentMRREvaluator
Reference       Voorhees, The TREC-8 question answering track report, 1999.

Parameters
  rel     a number (default 1)
          the lowest grade that counts as relevant
  @k      a whole number at least 1 (no default)
          only the first k documents count
  credit  first or sum or found (default first)
          only the first hit counts, or the sum over all hits, or their mean

Example
  grades in rank order: 0 1 0 1
  the first relevant document is at rank 2: 1 / 2
  rr = 0.5000
"""
NUM_REL = """\
## num\\_rel: Relevant documents

How many documents are judged relevant, summed over queries.

**Formula:** number of documents judged relevant

**Queries:** the sum over queries

**Range:** 0 or more; the higher the better

**In trec_eval:** num\\_rel

**In trec_eval_9:** num\\_rel

**In ir_measures:** NumRel

| parameter | values | default | meaning |
| --- | --- | --- | --- |
| rel | a number | default 1 | the lowest grade that counts as relevant |

**Example:** grades in rank order: 1 0; all judged grades: 1 1 1 0; one was retrieved, two were not; num\\_rel = 3
"""


def test_explains_a_measure(assay):
    for name in ("rr", "MRR", "recip_rank", "' rr '"):
        assert assay(f"measures {name}").stdout == RR
    assert assay("measures num_rel --format markdown").stdout == NUM_REL


LINEAR = "gain=linear,rel=0,ties=rank,ideal=judged,fewest=0"
SPELLED = {
    "nDCG@10": ("ndcg", {"nDCG@10": f"ndcg({LINEAR})@10"}),
    "AP(rel=2)": ("ap", {"AP(rel=2)": "ap(rel=2,norm=relevant,ties=rank,nothing=zero)"}),
    "ndcg_cut.5,10": ("ndcg", {f"ndcg_cut_{k}": f"ndcg({LINEAR})@{k}" for k in (5, 10)}),
}


@for_each(("name", "meaning"), SPELLED.items())
def test_says_what_a_spelling_means(assay, read_json, name, meaning):
    first, meanings = meaning
    shown = assay(f"measures '{name}'").stdout
    assert shown.startswith(f"{first}: ")
    assert read_json(f"measures '{name}'")["spelled"] == meanings
    assert all(f"{key} = {each}\n" in shown for key, each in meanings.items())


SAID = {
    "iprec": "  @recall  a number at least 0 and at most 1 (required)\n",
    "f1": "f: F score\n",
    "em": "answer_em: ",
    "ndcg": "Range           0 to 1 (any number with other parameters); the higher the better\n",
    "recall": "Range           0 to 1; the higher the better\n",
    "dcg": "Range           any number; the higher the better\n",
    " ndcg": "Aliases         ndcg_cut\n                ndcg_burges = ndcg(gain=exp2)\n",
}


@for_each(("name", "text"), SAID.items())
def test_what_is_said_of_parameters_aliases_and_ranges(assay, name, text):
    # f1 is a measure of rankings where it is not said that answers are meant.
    assert text in assay(f"measures {name}").stdout


def test_lists_every_measure_in_order(assay, read_json):
    assert [entry["name"] for entry in read_json("measures")] == [*TABLE]
    lines = assay("measures").stdout.splitlines()
    assert lines[0].split() == ["measure", "aliases", "title"]
    assert [line.split()[0] for line in lines[2:-2]] == [*TABLE]
    assert len({line.index(definition.title) for line, definition in zip(lines[2:], TABLE.values(), strict=False)}) == 1


@for_each("name", TABLE)
def test_every_explanation_fits_the_page_and_its_example_is_right(assay, name):
    lines = assay(f"measures {name}").stdout.splitlines()
    assert max(map(len, lines)) <= 88
    assert not any(line.endswith(" ") for line in lines)
    if (stated := TABLE[name].example) is not None:
        assert math.isclose(describe_measure(TABLE[name]).example.value, stated.value, abs_tol=5e-5)
