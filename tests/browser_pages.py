"""Waiting for a page in a browser."""

import pytest


def until(page, expression, argument=None):
    """Waits until an expression is true. The page's policy forbids Playwright's own way, which evaluates in it."""
    for _ in range(1000):
        if page.evaluate(expression, argument):
            return
        page.wait_for_timeout(10)
    pytest.fail(f"still not true: {expression}")
