"""Judging in a real browser, against a real server: keys, undo, blindness, numbers that follow, and nothing is lost."""

import assay
from browser_pages import go, until
from studio_collections import MEASURES, served, small_collection

QUESTION = ".card h2.question"
WAITS = "(n) => document.querySelector('.done b')?.textContent === String(n)"


def current(page):
    """The pair that is shown, as query and document."""
    return tuple(page.locator(".card .where > *").all_inner_texts()[:2])


def press(page, key):
    """Presses a key and waits for another pair."""
    before = page.locator(".card").inner_text()
    page.keyboard.press(key)
    until(page, "(before) => document.querySelector('.card').innerText !== before", before)
    until(page, "!document.querySelector('.card').hasAttribute('aria-busy')")


def votes_of(studio, voter):
    """A voter's votes in force."""
    ballots = studio.judgments.ballots.items()
    return {pair: each[voter].vote for pair, each in ballots if voter in each}


def test_twenty_pairs_with_the_keyboard(judge, demo):
    keys = ["0", "1", "2", "3", "c", "ArrowUp", "ArrowDown", "?", "0", "2"] * 2
    meaning = {"c": None, "?": None, "ArrowUp": 3.0, "ArrowDown": 0.0}
    with judge(demo, voter=None) as (studio, base, page):
        page.get_by_label("Name").fill("ann")
        page.keyboard.press("Enter")
        page.wait_for_selector(QUESTION)
        expected = {}
        for key in keys:
            expected[current(page)] = meaning.get(key, float(key) if key.isdigit() else None)
            press(page, key)
        until(page, WAITS, 20)
        assert len(expected) == 20
        assert votes_of(studio, "ann") == expected
        assert page.locator(".people li").inner_text().split() == ["ann", "20"]
        # The name is not asked again, and judging goes on where it was.
        left = current(page)
        page.reload()
        page.wait_for_selector(QUESTION)
        assert current(page) == left
        # Every number is what assay computes from the judgments and these votes.
        judged = {query: dict(grades) for query, grades in demo.judgments.items()}
        for (query, document), vote in expected.items():
            if vote is not None:
                judged.setdefault(query, {})[document] = vote
        go(page, f"{base}/", f"#runs tbody td:nth-of-type({1 + len(MEASURES)})")
        for row in page.locator("#runs tbody tr").all():
            cells = row.locator("th, td").all_inner_texts()
            result = assay.evaluate(judged, demo.runs[cells[0]], list(MEASURES))
            for cell, measure in zip(cells[2:], MEASURES, strict=True):
                assert cell.startswith(f"{result[measure]:.4f}"), (cells, measure)


def test_undo_goes_back_vote_by_vote(judge, demo):
    with judge(demo) as (studio, _, page):
        seen = [current(page)]
        for key in "231":
            press(page, key)
            seen.append(current(page))
        until(page, WAITS, 3)
        for place in (2, 1):
            page.keyboard.press("u")
            until(page, WAITS, place)
            assert current(page) == seen[place]
        assert votes_of(studio, "ann") == {seen[0]: 2.0}
        # After a reload the studio still knows the last vote.
        page.reload()
        page.wait_for_selector(QUESTION)
        page.get_by_role("button", name="Undo").click()
        until(page, WAITS, 0)
        assert current(page) == seen[0]
        # Nothing was deleted: three votes and three withdrawals.
        assert [event.kind for event in studio.store.events()] == ["vote"] * 3 + ["withdrawal"] * 3


def test_two_people_are_blind_to_each_other(enter, demo, tmp_path):
    with (
        served(demo, tmp_path, votes=2) as (_, base),
        enter(base, "/judge", voter="ann") as first,
        enter(base, "/judge", voter="bob") as second,
    ):
        query, document = current(first)
        assert current(second) == (query, document)
        press(first, "3")
        until(first, "document.querySelector('.recent').textContent.includes('nobody else')")
        until(second, "document.querySelectorAll('.people li').length === 1")
        assert second.locator(".chip").count() == 0
        # The grade of the pair would tell, so the rankings hide it too.
        go(second, f"{base}/queries/{query}", ".beside")
        beside = second.locator(f".beside[data-id='{document}']").first
        assert beside.inner_text().endswith("1 vote")
        assert "shown after your vote" in beside.locator("xpath=..").locator(".grade").inner_text()
        go(second, f"{base}/judge?query={query}&document={document}", QUESTION)
        press(second, "1")
        until(second, "document.querySelector('.recent .chip')?.textContent === 'ann3'")
        go(first, f"{base}/judge?query={query}&document={document}", ".card .chip")
        assert first.locator(".card .chip").inner_text().split() == ["bob", "1"]
        assert first.locator(".votebar [aria-pressed=true]").get_attribute("data-vote") == "3"


def test_others_votes_change_the_numbers_on_an_open_page(enter, demo, tmp_path):
    with (
        served(demo, tmp_path) as (_, base),
        enter(base, "/", voter="ann") as watching,
        enter(base, "/judge", voter="bob") as voting,
    ):
        assert watching.locator("[data-figure=votes]").inner_text() == "0"
        cell = watching.locator("#runs tbody tr").first.locator("td").nth(2)
        before = cell.inner_text()
        for _ in range(3):
            press(voting, "3")
        until(watching, "document.querySelector('[data-figure=votes]').textContent === '3'")
        assert cell.inner_text() != before
        assert "changed" in cell.get_attribute("class")
        until(watching, "document.querySelector('#said').textContent.includes('changed')")


def test_settled_appears_and_is_true(judge):
    runs = {name: {"q1": list(found), "q2": list(found)} for name, found in (("good", "abc"), ("bad", "xyz"))}
    with judge(small_collection(None, runs), settle="dcg@3", measures=["dcg@3"]) as (studio, base, page):
        page.wait_for_selector(".settlement.open")
        judged = 0
        while page.locator(".settlement.settled").count() == 0:
            assert judged < 12, "the whole pool was judged"
            _, document = current(page)
            press(page, "3" if document in "abc" else "0")
            judged += 1
            until(page, WAITS, judged)
        title = page.locator(".settlement .title").inner_text()
        assert "Settled: no further judgment can change the sign" in title
        assert studio.settlement()["settled"]
        assert "You may stop here" in page.locator("#notices").inner_text()
        # However the rest is judged, the better run stays the better one.
        go(page, f"{base}/", ".settlement.settled")
        assert "in favour of good" in page.locator(".settlement").inner_text()


def test_skip_comment_and_cannot_tell(judge, demo):
    with judge(demo) as (studio, _, page):
        skipped = current(page)
        press(page, "s")
        commented = current(page)
        page.keyboard.press("/")
        page.keyboard.type("names 0 but not 2025")
        page.keyboard.press("Escape")
        press(page, "c")
        until(page, WAITS, 1)
        (event,) = studio.store.events()
        assert (event.query, event.document, event.vote, event.comment) == (*commented, None, "names 0 but not 2025")
        # A skipped pair does not come back, until one asks for it.
        assert skipped not in votes_of(studio, "ann")
        page.reload()
        page.wait_for_selector(QUESTION)
        assert current(page) not in (skipped, commented)


def test_all_judged_and_the_skipped_come_back(judge):
    with judge(small_collection(None, {"one": {"q1": ["a", "b"]}}), "/judge?order=depth") as (_, _, page):
        assert current(page) == ("q1", "a")
        press(page, "s")
        press(page, "1")
        assert page.locator(".card h2").inner_text() == "Only skipped pairs are left"
        page.get_by_role("button", name="Judge the skipped pairs").click()
        page.wait_for_selector(QUESTION)
        assert current(page) == ("q1", "a")
        press(page, "0")
        assert page.locator(".card h2").inner_text() == "You have judged everything"


def test_order(judge, demo):
    with judge(demo) as (_, _, page):
        before = page.locator(".card .where").inner_text()
        page.locator(".side select").select_option("random")
        until(page, "location.search.includes('order=random')")
        until(page, "(before) => document.querySelector('.card .where').innerText !== before", before)
        until(page, "document.querySelector('.side p.quiet').textContent === 'in an order of your own'")
        chosen = current(page)
        page.reload()
        page.wait_for_selector(QUESTION)
        # Everybody's random order is their own, and stays the same.
        assert current(page) == chosen


def test_thumbs(judge):
    collection = small_collection({"q1": {"a": 1}}, {"one": {"q1": ["a", "b", "c"]}})
    with judge(collection, "/judge?order=depth") as (studio, _, page):
        assert page.locator(".votebar button .mark").all_inner_texts() == ["↓", "↑", "?"]
        press(page, "ArrowUp")
        press(page, "ArrowDown")
        until(page, WAITS, 2)
        assert votes_of(studio, "ann") == {("q1", "b"): 1.0, ("q1", "c"): 0.0}


UNSENT = "document.querySelector('#outbox:not([hidden])')?.textContent.includes('1 vote is not sent yet')"


def test_a_vote_that_cannot_be_sent_is_kept(judge, demo):
    with judge(demo, expected=["ERR_"]) as (studio, base, page):
        pair = current(page)
        # The vote does not reach the studio, whatever is tried.
        page.route("**/api/votes", lambda route: route.abort())
        page.keyboard.press("2")
        until(page, UNSENT)
        assert studio.store.events() == []
        # It outlives the page, and is sent by the next one.
        page.goto(f"{base}/data")
        until(page, UNSENT)
        page.unroute("**/api/votes")
        page.get_by_role("button", name="Try now").click()
        until(page, "document.querySelector('#outbox').hidden")
        assert votes_of(studio, "ann") == {pair: 2.0}


def test_a_vote_whose_answer_was_lost_counts_once(judge, demo):
    with judge(demo, expected=["ERR_"]) as (studio, _, page):
        lost = []

        def lose(route):
            if lost:
                route.continue_()
                return
            lost.append(route.fetch().status)
            route.abort()

        page.route("**/api/votes", lose)
        page.keyboard.press("1")
        until(page, WAITS, 1)
        until(page, "document.querySelector('#outbox').hidden")
        assert lost == [201]
        assert len(studio.store.events()) == 1


def test_a_pair_that_is_not_there(judge, demo):
    with judge(demo, "/judge?query=nowhere&document=d", expected=["404"]) as (_, _, page):
        assert "unknown query 'nowhere'" in page.locator("main [role=alert]").inner_text()
