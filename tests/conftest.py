"""What all tests share: how hard hypothesis tries, and a way to score one query from its grades."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import assay

# A slow or busy computer is no defect of assay, so nothing is timed. The short profile tries the same examples each time,
# so that a change that passed does not fail elsewhere; `HYPOTHESIS_PROFILE=long` searches at random, for hours.
settings.register_profile(
    "short", max_examples=200, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", settings.get_profile("short"), derandomize=False, max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


def pytest_configure(config):
    """Tests that take minutes or need more than is installed run only when they are asked for: `pytest -m slow`."""
    config.addinivalue_line("markers", "slow: takes minutes; left out unless -m asks for it")
    if not config.option.markexpr:
        config.option.markexpr = "not slow"


@pytest.fixture
def score():
    """Scores one ranking given as grades in rank order, None for a document without a judgment.

    It goes both ways in, as labels and through the kernel, and they must agree in every bit.
    """

    def score_both_ways(name, grades, unseen=(), **policies):
        judged = [grade for grade in grades if grade is not None]
        labels = assay.evaluate_labels([grades], name, ideal=[[*judged, *unseen]], **policies)
        documents = {f"d{place}": grade for place, grade in enumerate(grades)}
        judgments = {document: grade for document, grade in documents.items() if grade is not None}
        judgments |= {f"unseen{place}": grade for place, grade in enumerate(unseen)}
        ranking = {document: -place for place, document in enumerate(documents)}
        result = assay.evaluate({"q": judgments}, {"q": ranking}, name, **policies)
        np.testing.assert_array_equal(labels.scores[name], result.scores[name])
        return float(result.scores[name][0])

    return score_both_ways
