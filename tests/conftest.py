"""What all tests share: hypothesis profiles, and a way to score one query from its grades."""

import gc
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import assay

# No deadline: a busy computer is not a defect of assay. The short profile, of `make test` and `make verify`, tries the same examples every
# time, so a change that passed once does not fail elsewhere, and so does the thorough one, of `make properties`, with
# four times as many; `HYPOTHESIS_PROFILE=long` searches at random, for hours. A test that needs more or fewer examples
# than others says so as a part of `settings.default.max_examples`.
settings.register_profile(
    "short", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("short"), max_examples=200)
settings.register_profile("long", settings.get_profile("short"), derandomize=False, max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


# What `pytest` leaves out unless it is asked for with `-m`, and why.
MARKS = {
    "verify": "takes long for what it finds; run by `make verify`, with `--verify`",
    "slow": "takes minutes; run once a week",
    "hostile": "attacks for minutes; run once a week",
    "llm": "asks a real language model",
    "spark": "starts a real Spark",
}


def pytest_addoption(parser):
    """`make verify` runs what `make test` leaves out."""
    parser.addoption("--verify", action="store_true", help="run the tests marked `verify`, too")


def pytest_configure(config):
    """Without `-m`, only the tests without a mark run."""
    for name, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    if not config.option.markexpr:
        left_out = [name for name in MARKS if name != "verify" or not config.option.verify]
        config.option.markexpr = " and ".join(f"not {name}" for name in left_out)


def pytest_make_parametrize_id(val, argname):
    """Bytes are numbered, not spelled out: compressed ones hold the time, and each worker collects at another."""
    return argname if isinstance(val, bytes) else None


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


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Writes a file into the folder that the test runs in, and gives its path."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        path = Path(name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
