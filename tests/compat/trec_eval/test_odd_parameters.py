"""Parameters that make no sense, and what trec_eval's arithmetic gives for them; by hand, on the files of conftest.

Topic 10 ranks e (0) and a (1). Topic 2 ranks x (not judged), c (2), d (not judged), b (0) and a (1).
"""

from tables import for_each

# A measure with its parameters, and the values of topics 10 and 2.
VALUES = [
    ("rbp.p=1", "0.0000", "0.0000"),
    ("rbp.p=0", "0.0000", "0.0000"),
    ("rbp.p=2", "-2.0000", f"{-(2 * 1 + 16 / 2):.4f}"),
    ("rbp.p=-1", "-2.0000", f"{2 * (-1 + 1 / 2):.4f}"),
    ("rbp.p=2,1=1,2=1", "-2.0000", f"{-(2 + 16):.4f}"),
    ("rbp_resid.p=1", "0.0000", "1.0000"),
    ("rbp_resid.p=0", "0.0000", "1.0000"),
    # The weight after the last rank, less those of ranks 1 and 3
    ("rbp_resid.p=2", "0.0000", f"{32 - (1 + 4):.4f}"),
    ("rbp_resid.p=-1", "0.0000", f"{-1 + 2 * (1 + 1):.4f}"),
    # P and R are 1/2 and 1, 2/5 and 1
    ("set_F.-1", "0.0000", "0.0000"),
    ("set_F.-3", f"{-2 / 2 / (1 - 3 / 2):.4f}", f"{-2 * 2 / 5 / (1 - 6 / 5):.4f}"),
    ("set_F.-2", "  -inf", f"{-2 / 5 / (1 - 4 / 5):.4f}"),
    ("Rprec_mult.-1", "0.0000", "0.0000"),
]
# Two spellings that mean the same.
SAME = [
    ("rbp.foo=1", "rbp"),
    ("rbp.p=.5,p=.6", "rbp.p=.6"),
    ("rbp_resid.1=3", "rbp_resid"),
    ("ndcg.x=9", "ndcg"),
    ("ndcg.p=9", "ndcg"),
    ("ndcg.=9", "ndcg"),
    ("ndcg.1.5=9,2=3", "ndcg.2=3"),
    ("ndcg.1=3,1=4", "ndcg.1=3"),
    ("ndcg.+1=3", "ndcg.1=3"),
    ("G.x=9", "G"),
    ("set_F.4,7", "set_F.4"),
    ("recall.99999999999999999999", "set_recall"),
]


@for_each(("measure", "ten", "two"), VALUES)
def test_the_arithmetic_goes_on(trec_eval, measure, ten, two):
    result = trec_eval("-q -n -m", measure, "qrels run")
    assert result.code == 0
    assert [line.split("\t")[1:] for line in result.stdout.splitlines()] == [["10", ten], ["2", two]]


@for_each(("odd", "plain"), SAME)
def test_what_trec_eval_does_not_know_counts_for_nothing(trec_eval, odd, plain):
    found, expected = (trec_eval("-q -m", each, "qrels run") for each in (odd, plain))
    assert (found.code, [*found.values.values()]) == (0, [*expected.values.values()])
    name = odd.replace("99999999999999999999", f"{2**63 - 1}").replace(".", "_", 1)
    assert {name for name, _ in found.values} == {name}


def test_zero_by_zero(trec_eval):
    result = trec_eval("-q -m set_F.-1 qrels run", qrels="10 0 a 1\n10 0 e 1\n")
    assert result.stdout == "set_F_-1              \t10\t  -nan\nset_F_-1              \tall\t  -nan\n"


def test_a_sum_that_no_number_can_hold(trec_eval):
    expected = "trec_eval: rbp with p=1e+200 is too large for a number\n"
    assert trec_eval("-m rbp.p=1e200 qrels run") == (4, "", expected)


def test_zeros_below_zero_add_up_to_zero(trec_eval):
    result = trec_eval("-q -m rbp.p=2 qrels run", qrels="10 0 z 1\n")
    assert result.values == {("rbp_p=2", "10"): "-0.0000", ("rbp_p=2", "all"): "0.0000"}


def test_cutoffs_beyond_any_ranking(trec_eval):
    found = trec_eval("-m P.9007199254740993,5 -m success.99999999999999999999 qrels run").values
    assert found == {
        ("P_5", "all"): "0.3000",
        ("P_9007199254740993", "all"): "0.0000",
        (f"success_{2**63 - 1}", "all"): "1.0000",
    }
