"""The pytest plugin of assay: the fixture `assay_gate`.

It stands beside `assay`, not in it: pytest loads it in every project, and NumPy must not be loaded along with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay import GateReport, Measure

__all__ = ["Gate", "assay_gate"]


class Gate(Protocol):
    """What the fixture `assay_gate` gives: `assay.gate`, with a failed gate as a failed test."""

    def __call__(
        self,
        qrels: object,
        run: object,
        minimum: Mapping[str | Measure, float] | None = None,
        **options: Any,  # noqa: ANN401 - those of `assay.gate`
    ) -> GateReport: ...


@pytest.fixture(scope="session")
def assay_gate() -> Gate:
    """Fails the test where a run misses a minimum or lost more than allowed; takes what `assay.gate` takes.

    assay_gate(qrels, run, {"ndcg@10": 0.45}, baseline="baseline.json", max_drop={"ndcg@10": 0.01})
    """

    def check(
        qrels: object,
        run: object,
        minimum: Mapping[str | Measure, float] | None = None,
        **options: Any,  # noqa: ANN401 - those of `assay.gate`
    ) -> GateReport:
        import assay

        report, failure = None, ""
        try:
            report = assay.gate(qrels, run, minimum, **options)
        except assay.AssayError as error:
            failure = f"assay_gate: {error}"
        # Outside of `except`, so that the failure has no other one behind it.
        if report is None:
            pytest.fail(failure, pytrace=False)
        if not report.passed:
            pytest.fail(str(report), pytrace=False)
        return report

    return check
