"""What the tests of tools for RAG share: a comparison with the tools' formulas, and precision at each hit."""

import math

import numpy as np
import pytest

import assay


def agree(queries, formulas, convention, is_usable=lambda *_: True):
    """Measures have the values of their formulas, and NaN for what the tool cannot use, which the mean leaves out."""
    judgments, rankings = map(list, zip(*queries, strict=True))
    result = assay.evaluate(judgments, rankings, list(formulas), convention=convention)
    for name, formula in formulas.items():
        expected = [formula(*query) if is_usable(*query) else math.nan for query in queries]
        np.testing.assert_allclose(result.scores[name], expected, rtol=1e-9, atol=1e-12, err_msg=name)
        scored = [value for value in expected if not math.isnan(value)]
        mean = sum(scored) / len(scored) if scored else math.nan
        assert result[name] == pytest.approx(mean, rel=1e-9, abs=1e-12, nan_ok=True)


def precisions(hits):
    """The precision at each hit."""
    return [sum(hits[: place + 1]) / (place + 1) for place, hit in enumerate(hits) if hit]
