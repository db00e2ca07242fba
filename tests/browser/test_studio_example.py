"""The search page in examples/: its thumbs reach a real studio, once each, and the studio can ask it."""

import runpy
import threading
from contextlib import contextmanager
from pathlib import Path

from assay.studio.collection import demo_collection
from browser_pages import until
from studio_collections import served

EXAMPLE = Path(__file__).parents[2] / "examples" / "search_page.py"


@contextmanager
def example(studio, token):
    server = runpy.run_path(str(EXAMPLE))["make_server"](studio, token, port=0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_thumbs_reach_the_studio_once(browser, tmp_path):
    question = "What would a 10% stronger US dollar do to revenue and operating income?"
    with (
        served(demo_collection(), tmp_path) as (studio, base),
        example(base, studio.store.add_token("shop")) as page_base,
    ):
        context = browser.new_context()
        page = context.new_page()
        page.goto(page_base)
        page.get_by_label("Search").fill(question)
        page.keyboard.press("Enter")
        page.wait_for_selector("li")
        page.locator("li button[value=up]").first.click()
        page.wait_for_selector("[role=status]")
        assert page.locator("[role=status]").inner_text() == "Thank you!"
        (event,) = studio.store.events()
        assert (event.query, event.vote, event.source, event.application) == ("q03", 3.0, "api", "shop")
        assert event.voter.startswith("visitor-")
        assert studio.judgments.grade("q03", event.document) == 3.0
        # Back and again: the same thumb is the same vote.
        page.go_back()
        page.locator("li button[value=up]").first.click()
        until(page, "document.querySelector('[role=status]')?.textContent.includes('already')")
        assert len(studio.store.events()) == 1
        # Questions of visitors that nobody has judged become queries as well.
        page.goto(f"{page_base}/?q=dividends+per+share")
        page.locator("li button[value=down]").first.click()
        page.wait_for_selector("[role=status]")
        assert studio.store.events()[-1].query == "dividends_per_share"
        context.close()


def test_a_token_that_is_wrong_is_said(browser, tmp_path):
    with served(demo_collection(), tmp_path) as (studio, base), example(base, "wrong") as page_base:
        page = browser.new_page()
        page.goto(f"{page_base}/?q=revenue")
        page.locator("li button[value=up]").first.click()
        page.wait_for_selector("[role=status]")
        assert "unknown token" in page.locator("[role=status]").inner_text()
        assert studio.store.events() == []
        page.close()


def test_the_studio_searches_in_it(enter, tmp_path):
    with example("http://127.0.0.1:9", "none") as retriever:
        search = f"{retriever}/search?q={{query}}"
        with (
            served(demo_collection(), tmp_path, search=search) as (studio, base),
            enter(base, "/search?q=dividends", voter="ann") as page,
        ):
            page.wait_for_selector(".hit")
            assert "dividend" in page.locator(".hit").first.inner_text().lower()
            page.locator(".hit").first.locator("[data-vote='3']").click()
            until(page, "document.querySelector('.hit [aria-pressed=true]') !== null")
            assert studio.store.questions() == {"search-1": "dividends"}
