"""The pages of the studio in a real browser: what each shows, votes beside documents, narrow and dark, hostile texts."""

from contextlib import contextmanager

import pytest

import assay
from assay.studio.store.schema import NewVote
from browser_pages import go, serious, until
from search_server import Reply, SearchServer
from studio_collections import served, small_collection

HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
PAGES = ("/", "/queries", "/queries/q09", "/judge", "/agreement", "/search", "/data")
HITS = [{"id": "mda-02", "text": "Revenue grew 5.2%.", "score": 2.0}, {"id": "new-1", "text": HOSTILE, "score": 1.0}]


@contextmanager
def searching(demo, folder, **settings):
    """A studio of the demo with a live retriever that answers every question alike."""
    with (
        SearchServer(lambda *_: Reply({"results": HITS})) as server,
        served(demo, folder, search=f"{server.url}/search", **settings) as found,
    ):
        yield found


def disagree(studio):
    """Three people who do not always agree."""
    said = {"ann": [3, 2, 0, 1, 0, 2], "bob": [3, 0, 0, 1, 1, 2], "carla": [2, 2, 0, 1, 0, None]}
    documents = ["notes-01", "notes-02", "mda-07", "mda-04", "notes-13", "risk-08"]
    for voter, values in said.items():
        for document, value in zip(documents, values, strict=True):
            studio.writer.record(NewVote("q09", document, voter, value)).result(10)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_page_is_accessible_and_fits(enter, demo, tmp_path, width, scheme):
    with searching(demo, tmp_path, votes=3) as (studio, base):
        disagree(studio)
        for path in PAGES:
            with enter(base, path, voter="dora", width=width, scheme=scheme) as page:
                if path == "/search":
                    page.get_by_label("Question").fill("growth")
                    page.keyboard.press("Enter")
                    page.wait_for_selector(".hit .votes")
                assert page.evaluate("document.scrollingElement.scrollWidth") <= width, path
                assert serious(page) == [], path
                dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
                assert dark == (scheme == "dark")


def test_dialogs_are_accessible(judge, demo):
    with judge(demo, "/queries/q09", voter=None) as (_, _, page):
        page.locator(".vote").first.click()
        page.wait_for_selector("dialog[open]")
        assert serious(page) == []
        page.get_by_label("Name").fill("ann")
        page.keyboard.press("Enter")
        # The vote that asked for the name is cast.
        until(page, "document.querySelector('.vote[aria-pressed=true]') !== null")
        page.get_by_role("button", name="Comment on").first.click()
        page.wait_for_selector("dialog[open] textarea")
        assert serious(page) == []


def test_a_vote_beside_a_document(judge, demo):
    with judge(demo, "/queries/q09") as (studio, _, page):
        score = page.locator(".run[data-run='1'] .score")
        before = score.inner_text()
        first = page.locator(".run[data-run='1'] ol > li").first
        document = first.locator(".name > bdi").inner_text()
        first.locator("summary").click()
        first.locator(".vote[data-vote='0']").click()
        until(page, "(before) => document.querySelector(\".run[data-run='1'] .score\").innerText !== before", before)
        assert "changed" in score.get_attribute("class")
        assert first.locator(".grade").first.inner_text().endswith("0")
        # What was open stays open, and every place of the document shows the vote.
        assert first.locator("details").get_attribute("open") is not None
        pressed = page.locator(f".beside[data-id='{document}'] [aria-pressed=true][data-vote]")
        assert {each.get_attribute("data-vote") for each in pressed.all()} == {"0"}
        # A key votes on the document that has the focus.
        first.locator("summary").focus()
        page.keyboard.press("3")
        until(page, "document.querySelector(\".run[data-run='1'] .vote[data-vote='3'][aria-pressed=true]\") !== null")
        assert [event.vote for event in studio.store.events()] == [0.0, 3.0]
        page.get_by_role("button", name="Comment on").last.click()
        page.locator("dialog textarea").fill("only the policy")
        page.locator("dialog").get_by_label("1, related").check()
        page.get_by_role("button", name="Save").click()
        until(page, "document.querySelector('.more[aria-pressed=true]') !== null")
        *_, event = studio.store.events()
        assert (event.vote, event.comment) == (1.0, "only the policy")


def test_queries_sort_filter_and_open(judge, demo):
    with judge(demo, "/queries", voter=None) as (_, _, page):
        assert page.locator("tbody tr").count() == 25
        changes = [float(each.replace("−", "-")) for each in page.locator("tbody td:nth-child(6)").all_inner_texts()]
        assert changes == sorted(changes, reverse=True)
        page.get_by_role("button", name="change").click()
        until(page, "location.search.includes('descending=0')")
        until(page, "document.querySelector('th[aria-sort]').getAttribute('aria-sort') === 'ascending'")
        page.keyboard.press("/")
        page.keyboard.type("dividend")
        until(page, "document.querySelectorAll('tbody tr').length < 25 && location.search.includes('find=dividend')")
        assert all("dividend" in each.lower() for each in page.locator("tbody td:nth-child(2)").all_inner_texts())
        page.reload()
        page.wait_for_selector("tbody tr")
        assert page.get_by_label("Find").input_value() == "dividend"
        query = page.locator("tbody th").first.inner_text()
        page.locator("tbody tr").first.click()
        page.wait_for_url(f"**/queries/{query}*")
        page.wait_for_selector(".beside")
        page.keyboard.press("j")
        page.wait_for_url(lambda url: f"/queries/{query}" not in url)
        page.wait_for_selector(".beside")


def test_a_bar_opens_its_query(judge, demo):
    with judge(demo, "/queries", voter=None) as (_, _, page):
        page.wait_for_selector("canvas.bars")
        page.locator("canvas.bars").hover(position={"x": 2, "y": 20})
        pointed = page.locator(".pointed").inner_text().split(":")[0]
        page.locator("canvas.bars").click(position={"x": 2, "y": 20})
        page.wait_for_url(f"**/queries/{pointed}*")
        page.wait_for_selector(".beside")


def test_agreement_and_decisions(enter, demo, tmp_path):
    with served(demo, tmp_path, votes=3) as (studio, base):
        disagree(studio)
        with enter(base, "/agreement", voter="ann") as page:
            said = page.evaluate("fetch('/api/agreement').then((answer) => answer.json())")
            assert page.locator("[data-figure=alpha]").inner_text().replace("−", "-") == f"{said['alpha']['value']:.3f}"
            assert page.locator("#voters tbody th").all_inner_texts() == [each["name"] for each in said["voters"]]
            assert page.locator("#kappa tbody tr").count() == 3
            first = page.locator("article.difference").first
            document = first.get_attribute("data-document")
            assert document == said["disagreements"][0]["document"]
            first.get_by_role("button", name="2, relevant").click()
            until(page, "document.querySelector('.difference.decided') !== null")
            assert studio.judgments.grade("q09", document) == 2.0
            page.get_by_role("button", name="Take back").click()
            until(page, "document.querySelector('.difference.decided') === null")
        # Somebody who has not voted sees that votes differ, and not what they are, unless they are there to decide.
        with enter(base, "/agreement", voter="dora") as page:
            assert page.locator(".chip").count() == 0
            page.get_by_label("to decide them").check()
            page.wait_for_selector(".chip")


def test_live_search(enter, demo, tmp_path):
    with searching(demo, tmp_path) as (studio, base):
        with enter(base, "/search", voter="ann") as page:
            page.get_by_label("Question").fill("how fast did it grow?")
            page.keyboard.press("Enter")
            page.wait_for_selector(".hit .votes")
            assert "q=how" in page.url
            assert HOSTILE in page.locator(".hit").nth(1).inner_text()
            page.locator(".hit").nth(1).locator("[data-vote='0']").click()
            until(page, "document.querySelector('[data-vote=\"0\"][aria-pressed=true]') !== null")
            query = page.locator(".results a").first.inner_text()
            assert studio.judgments.grade(query, "new-1") == 0.0
            go(page, f"{base}/queries/{query}", ".beside")
            assert page.locator("h1").inner_text().endswith("how fast did it grow?")
        with enter(base, "/", voter="ann") as page:
            assert page.get_by_role("link", name="Search").is_visible()


def test_without_live_search_and_colours_are_remembered(judge, demo):
    with judge(demo, "/search", voter=None) as (_, base, page):
        assert "--search URL" in page.locator("main").inner_text()
        assert page.locator("nav a", has_text="Search").count() == 0
        page.get_by_role("button", name="Dark").click()
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.goto(f"{base}/agreement")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == before


def test_login(enter, demo, tmp_path):
    with served(demo, tmp_path, login=True) as (studio, base):
        studio.add_voter("ann", password="correct horse")
        with enter(base, "/queries?find=revenue", expected=["401"]) as page:
            assert "/login?next=" in page.url
            assert serious(page) == []
            page.get_by_label("Name").fill("ann")
            page.get_by_label("Password").fill("wrong horse")
            page.keyboard.press("Enter")
            until(page, "document.querySelector('[role=alert].bad').textContent.includes('wrong')")
            page.get_by_label("Password").fill("correct horse")
            page.keyboard.press("Enter")
            page.wait_for_url("**/queries?find=revenue*")
            page.wait_for_selector("tbody tr")
            page.get_by_role("button", name="Sign out").click()
            page.wait_for_url("**/login")
        with enter(base, "/login?next=https://example.org/") as page:
            page.get_by_label("Name").fill("ann")
            page.get_by_label("Password").fill("correct horse")
            page.keyboard.press("Enter")
            # It leads to this studio, whatever the address says.
            page.wait_for_url(f"{base}/")
            page.wait_for_selector("html[data-ready]")


def test_guidelines_people_and_tokens(judge, demo):
    with judge(demo, "/data") as (studio, base, page):
        page.locator("textarea").fill(f"3 answers it. {HOSTILE}")
        page.get_by_role("button", name="Save guidelines").click()
        until(page, "document.querySelector('#notices').textContent.includes('saved')")
        people = page.locator("#people form")
        people.get_by_label("Name").fill("bob")
        people.get_by_label("Password, if they sign in from elsewhere").fill("a long password")
        people.get_by_role("button").click()
        until(page, "document.querySelector('#people tbody').textContent.includes('bob')")
        assert studio.store.check_password("bob", "a long password")
        page.locator("#tokens input").first.fill("shop")
        page.get_by_role("button", name="Make a token").click()
        page.wait_for_selector("input.token")
        token = page.locator("input.token").input_value()
        assert studio.store.token_application(token) == "shop"
        go(page, f"{base}/judge", ".guidelines")
        assert HOSTILE in page.locator(".guidelines").inner_text()


def test_hostile_texts_stay_texts(judge):
    queries = [HOSTILE, "q/1?a=b#c&d", "..", "سؤال", "a b+c%2F"]
    documents = [HOSTILE, "d/1", "d2"]
    runs = {HOSTILE: dict.fromkeys(queries, documents), "مرحبا": dict.fromkeys(queries, documents[::-1])}
    shown = {"title": HOSTILE, "queries": {query: f"{query} {HOSTILE}" for query in queries}}
    corpus = {HOSTILE: HOSTILE, "d/1": f"مرحبا {HOSTILE}", "d2": f"onerror {HOSTILE}"}
    collection = small_collection({query: {"d/1": 3} for query in queries}, runs, **shown, corpus=corpus)
    with judge(collection, "/queries", voter=HOSTILE, votes=2) as (studio, base, page):
        for query in queries:
            go(page, f"{base}/queries", "tbody tr")
            page.locator("tbody th", has_text=query).last.click()
            page.wait_for_selector(".beside")
            assert page.locator(".crumbs bdi").inner_text() == query
            assert page.locator("h1 bdi").inner_text() == f"{query} {HOSTILE}"
            page.locator(".vote[data-vote='2']").first.click()
            until(page, "document.querySelector('.vote[aria-pressed=true]') !== null")
        assert len(studio.store.events()) == len(queries)
        for path in ("/", "/judge?order=depth", "/agreement", "/data"):
            go(page, base + path)
            assert page.locator("img, main script").count() == 0
        go(page, f"{base}/judge?order=depth", ".card .passage")
        assert HOSTILE in page.locator(".card .passage").inner_text()
        page.keyboard.press("m")
        until(page, "document.querySelector('.passage mark') !== null")
        assert HOSTILE in page.locator(".card .passage").inner_text()


def test_nothing_judged_yet(judge):
    runs = {"one": {"q1": ["a", "b"]}, "two": {"q1": ["b", "a"]}}
    with judge(small_collection(None, runs), "/", voter=None) as (studio, base, page):
        assert "Nothing is judged yet" in page.locator(".verdict").inner_text()
        studio.writer.record(NewVote("q1", "a", "ann", 3)).result(10)
        until(page, "document.querySelectorAll('#runs tbody td').length > 2")
        for path in ("/queries", "/queries/q1", "/agreement"):
            go(page, base + path)
            assert page.locator("main [role=alert]").count() == 0


def test_a_single_run(judge):
    collection = small_collection({"q1": {"a": 1}}, {"only": {"q1": ["a", "b"]}})
    with judge(collection, "/") as (_, base, page):
        assert page.locator("#differences").count() == 0
        go(page, f"{base}/queries", "tbody tr")
        assert page.locator("thead th").all_inner_texts()[0].startswith("query")


def test_export_equals_the_votes_and_is_taken_in_elsewhere(enter, demo, tmp_path):
    (there := tmp_path / "there").mkdir()
    with served(demo, tmp_path) as (studio, base), enter(base, "/judge", voter="ann") as page:
        for number, key in enumerate("31c0", start=1):
            page.keyboard.press(key)
            until(page, "(n) => document.querySelector('.done b')?.textContent === String(n)", number)
        go(page, f"{base}/data", "#export a")
        files = {}
        for place, name in (("Judgments", "TREC"), ("Votes", "CSV")):
            with page.expect_download() as download:
                page.locator(f"#export h3:has-text('{place}') ~ ul").first.get_by_role("link", name=name).click()
            files[place] = tmp_path / download.value.suggested_filename
            download.value.save_as(files[place])
        judged = studio.judgments.all_in_force()
        assert assay.read_qrels(files["Judgments"]).to_dict() == judged
    with served(demo, there) as (studio, base), enter(base, "/data", voter="bob", expected=["400"]) as page:
        page.locator("#import input[type=file]").set_input_files(files["Votes"])
        page.get_by_role("button", name="Import").click()
        until(page, "document.querySelector('#import [role=status]').textContent.includes('4 votes')")
        assert studio.judgments.all_in_force() == judged
        # What cannot be read is said in a sentence.
        broken = tmp_path / "broken.csv"
        broken.write_text("query,document\nq01,mda-02\n", encoding="utf-8")
        page.locator("#import input[type=file]").set_input_files(broken)
        page.get_by_role("button", name="Import").click()
        until(page, "document.querySelector('#import [role=alert]') !== null")
        assert "vote" in page.locator("#import [role=alert]").inner_text()
