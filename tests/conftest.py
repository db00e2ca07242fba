"""What all tests share: hypothesis profiles, and a way to score one query from its grades."""

import gc
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import assay

# No deadline: a busy computer is not a defect of assay. The short profile, of `make test`, tries the same examples every
# time, so a change that passed once does not fail elsewhere, and so does the thorough one, of `make properties`, with
# four times as many; `HYPOTHESIS_PROFILE=long` searches at random, for hours. A test that needs more or fewer examples
# than others says so as a part of `settings.default.max_examples`.
settings.register_profile(
    "short", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("short"), max_examples=200)
settings.register_profile("long", settings.get_profile("short"), derandomize=False, max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


def pytest_configure(config):
    """Tests that take minutes or need extra packages only run with `pytest -m slow` or `pytest -m hostile`."""
    config.addinivalue_line("markers", "slow: takes minutes; skipped unless selected with -m")
    config.addinivalue_line("markers", "hostile: attacks for minutes; skipped unless selected with -m")
    config.addinivalue_line("markers", "llm: asks a real language model; skipped unless selected with -m")
    config.addinivalue_line("markers", "spark: starts a real Spark; skipped unless selected with -m")
    if not config.option.markexpr:
        config.option.markexpr = "not slow and not hostile and not llm and not spark"


def pytest_collection_finish():
    """Modules and tests live until the end; frozen, they do not slow down every run of the garbage collector."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def score():
    """Scores one ranking given as grades in rank order, None for an unjudged document.

    Computed twice, from labels and through the kernel; both must agree to the last bit.
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
