"""What tests of pages in a browser share: waiting for them, what they say, and what axe finds in them."""

import pytest


def until(page, expression, argument=None):
    """Waits until an expression is true. The page's policy forbids Playwright's own way, which evaluates in it."""
    for _ in range(1000):
        if page.evaluate(expression, argument):
            return
        page.wait_for_timeout(10)
    pytest.fail(f"still not true: {expression}")


def go(page, address, selector="html[data-ready]"):
    """Goes to an address, and waits until its page has something."""
    page.goto(address)
    page.wait_for_selector(selector)


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def serious(page):
    """What axe finds that matters."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")]
