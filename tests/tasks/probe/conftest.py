"""Pauses between attempts that do not make the tests slow."""

import pytest

from assay.tasks.probe import failures


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(failures, "FIRST_PAUSE", 0.005)
