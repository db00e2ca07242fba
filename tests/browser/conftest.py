"""A real Chromium, through Playwright. Every page that a test opens must report no error, and ask nobody for anything.

The pages of a studio ask the studio, and only it.
"""

import os
from contextlib import contextmanager
from shutil import which

import pytest

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
def visit(browser):
    """Opens a page; what it asks for and what goes wrong in it fails the test."""

    @contextmanager
    def visited(path, address="", *, width=1280, height=900, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
        )
        page = context.new_page()
        trouble = []
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: request.url.startswith("file:") or trouble.append(f"request: {request.url}"))
        page.goto(path.as_uri() + address)
        page.wait_for_selector("html[data-ready]")
        yield page
        assert trouble == []
        context.close()

    return visited


@pytest.fixture
def enter(browser):
    """Opens a page of a studio as somebody; what goes wrong in it fails the test, unless it is `expected`."""

    @contextmanager
    def entered(base, path="/", *, voter=None, width=1280, height=900, scheme="light", expected=()):
        is_phone = width < 600
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
            has_touch=is_phone,
            is_mobile=is_phone,
        )
        context.set_default_timeout(60_000)
        page = context.new_page()
        trouble = []
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: request.url.startswith((base, "data:")) or trouble.append(f"request: {request.url}"),
        )
        if voter is not None:
            name_voter(context, base, voter)
        page.goto(base + path)
        page.wait_for_selector("html[data-ready]")
        try:
            yield page
        finally:
            context.close()
        assert [each for each in trouble if not any(part in each for part in expected)] == []

    return entered


def name_voter(context, base, voter):
    """Says who is here, as the pages do."""
    known = context.request.get(f"{base}/api/session").json()
    answer = context.request.post(
        f"{base}/api/session", data={"voter": voter}, headers={"X-CSRF-Token": known["csrf"], "Origin": base}
    )
    assert answer.ok, answer.text()
