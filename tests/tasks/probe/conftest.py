"""Pauses between attempts that do not make the tests slow."""

import pytest

from assay.net import http


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.005)
