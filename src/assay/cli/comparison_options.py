"""Options of the commands that compare runs: the baseline, the test and its correction, handed over as one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import stacked
from assay.stats.significance import CORRECTIONS, FAMILIES, TESTS, ComparisonSettings, check_settings
from assay.tasks.compare.api import find_baseline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """How runs are compared: what `comparison_options` gives to a command as `comparing`."""

    baseline: str | None
    test: str
    correction: str
    family: str
    alpha: float
    samples: int | None
    seed: int

    def settings(self, runs: Mapping[str, object]) -> ComparisonSettings:
        """The settings for these runs, checked."""
        how = (self.test, self.correction, self.family, self.alpha, self.samples, self.seed)
        return check_settings(ComparisonSettings(*how, find_baseline(runs, self.baseline)))


OPTIONS = (
    click.option("--baseline", metavar="NAME", help="Compare every run with this one: its name, or its file."),
    click.option(
        "--test", type=click.Choice(TESTS), default="randomization", show_default=True, help="Significance test."
    ),
    click.option(
        "--correction",
        type=click.Choice(list(CORRECTIONS)),
        default="holm",
        show_default=True,
        help="Correction for multiple comparisons; the tukey tests need none.",
    ),
    click.option(
        "--family",
        type=click.Choice(FAMILIES),
        default="measure",
        show_default=True,
        help="Correct over the pairs of each measure, or over all measures together.",
    ),
    click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level."),
    click.option("--samples", type=int, help="Random samples that the test draws.  [default: depends on the test]"),
    click.option(
        "--seed", type=int, default=0, show_default=True, help="Random seed; the same seed gives the same numbers."
    ),
)


def comparison_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that decide how runs are compared, handed over as one."""

    @wraps(command)
    def bundled(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - click's
        taken = {name: options.pop(name) for name in ComparisonOptions.__slots__}
        return command(*args, comparing=ComparisonOptions(**taken), **options)

    return stacked(bundled, OPTIONS)
