"""`assay measures`: the list, and what is said about one."""

import json
import math

import pytest

from assay.measures import TABLE
from assay.tasks.explain import describe_measure

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
    assert assay("measures", "rr").stdout == RR


def test_explains_a_measure_in_markdown(assay):
    assert assay("measures", "num_rel", "--format", "markdown").stdout == NUM_REL


@pytest.mark.parametrize("name", ["MRR", "recip_rank", " rr "])
def test_any_name_of_it_will_do(assay, name):
    assert assay("measures", name).stdout == RR


@pytest.mark.parametrize(
    ("name", "first", "meanings"),
    [
        ("nDCG@10", "ndcg", {"nDCG@10": "ndcg(gain=linear,rel=0,ties=rank,ideal=judged,fewest=0)@10"}),
        ("AP(rel=2)", "ap", {"AP(rel=2)": "ap(rel=2,norm=relevant,ties=rank,nothing=zero)"}),
        (
            "ndcg_cut.5,10",
            "ndcg",
            {f"ndcg_cut_{k}": f"ndcg(gain=linear,rel=0,ties=rank,ideal=judged,fewest=0)@{k}" for k in (5, 10)},
        ),
    ],
)
def test_says_what_a_spelling_means(assay, name, first, meanings):
    shown = assay("measures", name).stdout
    assert shown.startswith(f"{first}: ")
    assert json.loads(assay("measures", name, "--format", "json").stdout)["spelled"] == meanings
    assert all(f"{key} = {meaning}\n" in shown for key, meaning in meanings.items())


def test_a_measure_that_needs_a_parameter_is_explained_without_it(assay):
    shown = assay("measures", "iprec").stdout
    assert "  @recall  a number at least 0 and at most 1 (required)\n" in shown


def test_aliases_that_set_parameters_say_so(assay):
    assert (
        "Aliases         ndcg_cut\n                ndcg_burges = ndcg(gain=exp2)\n" in assay("measures", "ndcg").stdout
    )


def test_the_short_names_of_answer_measures(assay):
    assert assay("measures", "em").stdout == assay("measures", "answer_em").stdout
    # f1 is a measure of rankings where it is not said that answers are meant.
    assert assay("measures", "f1").stdout.startswith("f: F score\n")


def test_the_usual_range_and_the_widest(assay):
    said = {name: assay("measures", name).stdout for name in ("ndcg", "recall", "dcg")}
    assert "Range           0 to 1 (any number with other parameters); the higher the better\n" in said["ndcg"]
    assert "Range           0 to 1; the higher the better\n" in said["recall"]
    assert "Range           any number; the higher the better\n" in said["dcg"]


def test_lists_every_measure_in_order(assay):
    lines = assay("measures").stdout.splitlines()
    assert lines[0].split() == ["measure", "aliases", "title"]
    assert [line.split()[0] for line in lines[2:-2]] == [*TABLE]
    assert len({line.index(definition.title) for line, definition in zip(lines[2:], TABLE.values(), strict=False)}) == 1


def test_lists_in_json(assay):
    entries = json.loads(assay("measures", "--format", "json").stdout)
    assert [entry["name"] for entry in entries] == [*TABLE]


@pytest.mark.parametrize("name", [name for name, each in TABLE.items() if each.example is not None])
def test_every_worked_example_is_right(name):
    stated, worked = TABLE[name].example, describe_measure(TABLE[name]).example
    assert math.isclose(worked.value, stated.value, abs_tol=5e-5)


@pytest.mark.parametrize("name", TABLE)
def test_every_explanation_fits_the_page(assay, name):
    lines = assay("measures", name).stdout.splitlines()
    assert max(map(len, lines)) <= 88
    assert not any(line.endswith(" ") for line in lines)
