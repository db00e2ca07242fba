"""A real Chromium, through Playwright. Every page that a test opens must report no error, and ask nobody for anything.

The pages of a studio ask the studio, and only it.
"""

import os
from contextlib import contextmanager
from shutil import which

import pytest

from assay.studio.collection import demo_collection
from studio_collections import served

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Set where browser tests must run.
REQUIRED = "ASSAY_BROWSER_REQUIRED"


def pytest_collection_modifyitems(items):
    """One browser for all of these tests, on one worker, for `make verify`."""
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.verify)


@pytest.fixture(scope="module")
def browser():
    """A browser for the tests of one file. While it is there an event loop runs, which other tests must not meet."""
    path = next(filter(None, map(which, NAMES)), None)
    if path is None:
        message = "no Chromium found; install it (apt-get install chromium) to test the pages"
        if os.environ.get(REQUIRED):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def visit(enter):
    """Opens a report, which is a file and asks for nothing."""
    return lambda path, address="", **how: enter(path.as_uri(), address, allowed="file:", **how)


@pytest.fixture
def enter(browser):
    """Opens a page of a studio as somebody; what goes wrong in it fails the test, unless it is `expected`."""

    @contextmanager
    def entered(base, path="/", *, voter=None, width=1280, height=900, scheme="light", expected=(), allowed=None):
        is_phone = width < 600 and allowed is None
        size = {"viewport": {"width": width, "height": height}, "has_touch": is_phone, "is_mobile": is_phone}
        context = browser.new_context(**size, color_scheme=scheme, reduced_motion="reduce")
        context.set_default_timeout(60_000)
        page, trouble = context.new_page(), []
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        asked = (allowed,) if allowed else (base, "data:")
        page.on("request", lambda request: request.url.startswith(asked) or trouble.append(f"request: {request.url}"))
        if voter is not None:
            name_voter(context, base, voter)
        page.goto(base + path)
        page.wait_for_selector("html[data-ready]")
        if "#query=" in path:
            page.wait_for_selector(".query :is(.run, ul) li, .query dd")
        try:
            yield page
        finally:
            context.close()
        assert [each for each in trouble if not any(part in each for part in expected)] == []

    return entered


@pytest.fixture(scope="module")
def demo():
    return demo_collection()


@pytest.fixture
def judge(enter, tmp_path):
    """Serves a studio and opens it as ann, where one judges: the studio, its address and the page."""

    @contextmanager
    def judging(collection, path="/judge", *, voter="ann", expected=(), **settings):
        with (
            served(collection, tmp_path, **settings) as (studio, base),
            enter(base, path, voter=voter, expected=expected) as page,
        ):
            yield studio, base, page

    return judging


def name_voter(context, base, voter):
    """Says who is here, as the pages do."""
    known = context.request.get(f"{base}/api/session").json()
    answer = context.request.post(
        f"{base}/api/session", data={"voter": voter}, headers={"X-CSRF-Token": known["csrf"], "Origin": base}
    )
    assert answer.ok, answer.text()
