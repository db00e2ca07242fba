"""The pytest plugin of assay: the fixture `assay_gate`.

It is a package of its own, not part of `assay`: pytest loads it in every project, and must not load NumPy with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay import GateReport, Measure

__all__ = ["Gate", "assay_gate"]


class Gate(Protocol):
    """The fixture `assay_gate`: `assay.gate`, with a failed gate as a failed test."""

    def __call__(
        self,
        qrels: object,
        run: object,
        minimum: Mapping[str | Measure, float] | None = None,
        **options: Any,  # noqa: ANN401 - those of `assay.gate`
    ) -> GateReport: ...


@pytest.fixture(scope="session")
def assay_gate() -> Gate:
    """Fails the test if a run misses a minimum or dropped by more than allowed; takes the arguments of `assay.gate`.

    assay_gate(qrels, run, {"ndcg@10": 0.45}, baseline="baseline.json", max_drop={"ndcg@10": 0.01})
    """

    def check(
        qrels: object,
        run: object,
        minimum: Mapping[str | Measure, float] | None = None,
        **options: Any,  # noqa: ANN401 - those of `assay.gate`
    ) -> GateReport:
        import assay

        failure = ""
        try:
            report = assay.gate(qrels, run, minimum, **options)
        except assay.AssayError as error:
            failure = f"assay_gate: {error}"
        # Outside of `except`, so that pytest does not show a chain of two errors.
        if failure or not report.passed:
            pytest.fail(failure or str(report), pytrace=False)
        return report

    return check
