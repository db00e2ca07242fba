"""How systems are compared: the test, its correction, and the numbers that these need."""

from __future__ import annotations

from numbers import Integral, Real
from typing import NamedTuple

from assay.core.errors import PolicyError
from assay.core.text import show
from assay.stats.correction import CORRECTIONS
from assay.stats.difference import SAMPLES as INTERVAL_SAMPLES
from assay.stats.paired import PAIRED_TESTS
from assay.stats.tukey import TUKEY_TESTS

TESTS = (*PAIRED_TESTS, *TUKEY_TESTS)
FAMILIES = ("measure", "all")
# Of the tests that draw at random.
DEFAULT_SAMPLES = {"randomization": 100_000, "bootstrap": 10_000, "tukey_randomized": 10_000}
TEST_WORDS = {
    "randomization": "randomization test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed rank test",
    "sign": "sign test",
    "bootstrap": "shifted bootstrap test",
    "tukey": "Tukey HSD test with queries as blocks",
    "tukey_randomized": "randomized Tukey HSD test",
}
CORRECTION_WORDS = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "Benjamini and Hochberg's correction",
    "by": "Benjamini and Yekutieli's correction",
    "none": "no correction",
}


class Settings(NamedTuple):
    """How systems are compared. `samples` is None for a test that draws nothing, as one that tries all patterns."""

    test: str = "randomization"
    correction: str = "holm"
    family: str = "measure"
    alpha: float = 0.05
    samples: int | None = None
    seed: int = 0
    baseline: str | None = None

    def __str__(self) -> str:
        drawn = "all" if self.samples is None else self.samples
        samples = f" samples={drawn}" if self.test in DEFAULT_SAMPLES else ""
        baseline = "" if self.baseline is None else f" baseline={show(self.baseline)}"
        return (
            f"test={self.test}{samples} correction={self.correction} family={self.family} alpha={self.alpha:g} "
            f"interval=bca resamples={INTERVAL_SAMPLES} seed={self.seed}{baseline}"
        )

    @property
    def words(self) -> str:
        """The test and its correction as a caption has them."""
        if self.test in TUKEY_TESTS:
            corrected = "which holds for all pairs of a measure together"
        elif self.correction == "none":
            corrected = CORRECTION_WORDS["none"]
        else:
            over = "the pairs of each measure" if self.family == "measure" else "all pairs and measures"
            corrected = f"{CORRECTION_WORDS[self.correction]} over {over}"
        return f"{TEST_WORDS[self.test]}, {corrected}, alpha = {self.alpha:g}"


def checked(settings: Settings) -> Settings:
    """The settings, once they are known to be possible, with what the test does not use made plain."""
    for name, allowed in (("test", TESTS), ("correction", tuple(CORRECTIONS)), ("family", FAMILIES)):
        value = getattr(settings, name)
        if value not in allowed:
            raise PolicyError(f"{name} must be {' or '.join(map(repr, allowed))}, not {show(value)}")
    if not (isinstance(settings.alpha, Real) and 0 < settings.alpha < 1):
        raise PolicyError(f"alpha must be a number between 0 and 1, such as 0.05, not {show(settings.alpha)}")
    for name, least in (("seed", 0), ("samples", 1)):
        value = getattr(settings, name)
        is_whole = isinstance(value, Integral) and not isinstance(value, bool) and value >= least
        if not is_whole and not (name == "samples" and value is None):
            raise PolicyError(f"{name} must be a whole number from {least}, not {show(value)}")
    samples = DEFAULT_SAMPLES.get(settings.test)
    if samples is not None and settings.samples is not None:
        samples = int(settings.samples)
    correction = "none" if settings.test in TUKEY_TESTS else settings.correction
    return settings._replace(
        alpha=float(settings.alpha), samples=samples, seed=int(settings.seed), correction=correction
    )
