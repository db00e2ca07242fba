"""What sums of statistics score, against sacrebleu's own formulas on random statistics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from assay.measures.answers.sacrebleu import bleu_scores, chrf_scores, ter_scores


def theirs(metric, rows):
    return [metric._compute_score_from_stats(list(row)).score for row in rows]  # noqa: SLF001 - its own formula


@st.composite
def ngrams(draw):
    """Statistics of BLEU: lengths, and n-grams of which some are in common, ever fewer of higher orders."""
    total = sorted((draw(st.integers(0, 12)) for _ in range(4)), reverse=True)
    common = [draw(st.integers(0, each)) for each in total]
    return [total[0], draw(st.integers(0, 15)), *common, *total]


@given(
    st.lists(ngrams(), min_size=1, max_size=5),
    st.sampled_from([("exp", None), ("floor", None), ("floor", 0.01), ("add-k", None), ("add-k", 2.5), ("none", None)]),
    st.booleans(),
)
def test_bleu(rows, smooth, effective_order):
    metric = BLEU(smooth_method=smooth[0], smooth_value=smooth[1], effective_order=effective_order)
    ours = bleu_scores(metric, np.array(rows, dtype=np.float64))
    assert ours.tolist() == pytest.approx(theirs(metric, rows), rel=1e-12, abs=1e-12)
    assert bleu_scores(metric, np.array(rows[0], dtype=np.float64)) == ours[0]


@st.composite
def matches(draw, orders):
    """Statistics of chrF: n-grams of the answer, of the reference and in common, for each order."""
    pairs = [(draw(st.integers(0, 9)), draw(st.integers(0, 9))) for _ in range(orders)]
    return [each for left, right in pairs for each in (left, right, draw(st.integers(0, min(left, right))))]


@given(st.lists(matches(6), min_size=1, max_size=5), st.sampled_from([1, 2, 3]))
def test_chrf(rows, beta):
    metric = CHRF(beta=beta)
    assert chrf_scores(metric, np.array(rows, dtype=np.float64)).tolist() == pytest.approx(
        theirs(metric, rows), rel=1e-12, abs=1e-12
    )


@given(st.lists(matches(8), min_size=1, max_size=5))
def test_chrf_with_words(rows):
    metric = CHRF(word_order=2)
    assert chrf_scores(metric, np.array(rows, dtype=np.float64)).tolist() == pytest.approx(
        theirs(metric, rows), rel=1e-12, abs=1e-12
    )


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 36).map(lambda each: each / 4)), min_size=1, max_size=5))
def test_ter(rows):
    assert ter_scores(TER(), np.array(rows, dtype=np.float64)).tolist() == pytest.approx(theirs(TER(), rows), rel=1e-12)
