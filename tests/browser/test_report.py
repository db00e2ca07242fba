"""The report in a real browser: every view, its numbers against the API, the keyboard, narrow screens, dark, print."""

import json
from importlib.resources import files

import pytest

import assay
from browser_pages import serious, texts, until

DEMO = files("assay") / "demo"
RUNS = {name: str(DEMO / f"{name}.run") for name in ("bm25", "dense", "hybrid")}
MEASURES = ["ndcg@10", "ap", "recall@100"]
QUESTIONS = [json.loads(line) for line in (DEMO / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
LINES = (DEMO / "passages.jsonl").read_text(encoding="utf-8").splitlines()
PASSAGES = {row["doc_id"]: row["text"] for row in map(json.loads, LINES)}


@pytest.fixture(scope="module")
def comparison():
    return assay.compare(str(DEMO / "qrels.txt"), RUNS, MEASURES)


@pytest.fixture(scope="module")
def report(comparison, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    questions = [{**row, "kind": "number" if "much" in row["text"] else "other"} for row in QUESTIONS]
    comparison.report(path, queries=questions, corpus=PASSAGES, slices=["kind", "length"])
    return path


ROWS = "(count) => document.querySelectorAll('#queries tbody tr').length === count"


def test_first_screen(visit, report, comparison):
    with visit(report) as page:
        assert texts(page, ".verdict li") == comparison.verdict.texts
        rows = page.locator("#runs tbody tr")
        for number, (name, result) in enumerate(comparison.results.items()):
            cells = rows.nth(number).locator("th, td").all_inner_texts()
            assert cells[0] == name
            for cell, measure in zip(cells[2:], MEASURES, strict=True):
                low, high = result.interval(measure)
                assert f"{result[measure]:.4f}" in cell
                assert f"{low:.4f} to {high:.4f}" in cell
        page.wait_for_selector("#differences .chart svg")
        # The verdict, the runs and the forest plot are on the first screen.
        bottom = page.locator("#differences .chart svg").bounding_box()
        assert bottom["y"] + bottom["height"] <= 900
        # The numbers behind the forest plot.
        page.evaluate("location.hash = '#measure=ap'")
        until(page, "document.querySelector('#differences select').value === 'ap'")
        page.locator("#differences summary").click()
        shown = page.locator("#differences tbody tr")
        for number, pair in enumerate(pair for pair in comparison.pairs if pair.measure == "ap"):
            cells = shown.nth(number).locator("th, td").all_inner_texts()
            assert cells[:2] == [pair.a, pair.b]
            assert cells[2].replace("−", "-") == f"{pair.difference:+.4f}"
            assert cells[9] == f"{pair.wins} / {pair.ties} / {pair.losses}"


def test_a_query(visit, report, comparison):
    query = "q09"
    run = {name: assay.read_run(path).to_dict()[query] for name, path in RUNS.items()}
    judged = assay.read_qrels(str(DEMO / "qrels.txt")).to_dict()[query]
    with visit(report, f"#query={query}") as page:
        assert texts(page, ".query .question") == [row["text"] for row in QUESTIONS if row["query_id"] == query]
        for number, (name, scores) in enumerate(run.items()):
            column = page.locator(f".run[data-run='{number}']")
            best = sorted(scores, key=lambda document: (scores[document], document), reverse=True)[:20]
            items = column.locator("ol:not(.below) > li")
            assert items.count() == len(best)
            assert f"{comparison.results[name].per_query()[query]['ndcg@10']:.4f}" in column.locator("h4").inner_text()
            for place, document in enumerate(best):
                item = items.nth(place)
                assert item.locator(".name > bdi").inner_text() == document
                expected = "not judged?" if document not in judged else f"grade {judged[document]:g}"
                assert item.locator(".grade").text_content() == expected
            worth = [float(text.replace("−", "-")) for text in column.locator(".worth").all_inner_texts()]
            score = comparison.results[name].per_query()[query]["ndcg@10"]
            assert sum(worth) == pytest.approx(score, abs=0.002 * max(1, len(worth)))
        assert page.locator(".rankings .lines path").count() > 10
        retrieved = {document for scores in run.values() for document in scores}
        missing = [document for document, grade in judged.items() if grade > 0 and document not in retrieved]
        assert texts(page, ".missing .name > bdi") == missing
        # Passages are there on demand.
        first = page.locator(".run[data-run='0'] li").first
        assert not first.locator("p").is_visible()
        first.locator("summary").click()
        assert first.locator("p").inner_text() == PASSAGES[first.locator(".name > bdi").inner_text()]


def test_keys(visit, report):
    with visit(report) as page:
        page.keyboard.press("j")
        page.wait_for_selector(".query .run li")
        assert "query=q01" in page.evaluate("location.hash")
        page.keyboard.press("j")
        until(page, "location.hash.includes('query=q02')")
        page.keyboard.press("k")
        until(page, "location.hash.includes('query=q01')")
        page.keyboard.press("/")
        page.keyboard.type("q17")
        until(page, "document.querySelectorAll('#queries tbody tr').length === 1")
        assert texts(page, "#queries tbody th") == ["q17"]
        page.keyboard.press("Escape")
        until(page, "document.querySelectorAll('#queries tbody tr').length === 25")
        assert page.get_by_label("Find").input_value() == ""
        page.keyboard.press("Escape")
        until(page, "!location.hash.includes('query=')")
        assert page.locator(".query").is_hidden()


def test_counts_filters_and_order(visit, report, comparison):
    pair = comparison.pair("ndcg@10", "bm25", "dense")
    scores = {query: values["ndcg@10"] for query, values in comparison.results["dense"].per_query().items()}
    with visit(report, "#a=bm25&b=dense") as page:
        said = f"25 queries; {pair.wins} better with dense, {pair.losses} worse, {pair.ties} the same"
        assert texts(page, "#queries .quiet[role=status]") == [said]
        page.locator("#queries thead button", has_text="dense").click()
        shown = [float(text) for text in page.locator("#queries tbody tr td:nth-child(4)").all_inner_texts()]
        assert shown == pytest.approx(sorted(scores.values(), reverse=True), abs=0.00005)
        page.locator("#queries thead button", has_text="dense").click()
        assert page.locator("#queries th[aria-sort]").get_attribute("aria-sort") == "ascending"
        page.locator("#runs thead button", has_text="ap").click()
        assert page.locator("#runs tbody tr").first.locator("th").inner_text() == "dense"
        page.get_by_label("different only").check()
        until(page, ROWS, pair.wins + pair.losses)
        page.get_by_label("different only").uncheck()
        page.locator("#queries select").nth(3).select_option("kind=number")
        wanted = [row["query_id"] for row in QUESTIONS if "much" in row["text"]]
        until(page, ROWS, len(wanted))
        assert sorted(texts(page, "#queries tbody th")) == sorted(wanted)
        page.get_by_label("Find").fill("dividend")
        until(page, ROWS, sum("dividend" in row["text"].lower() for row in QUESTIONS if row["query_id"] in wanted))
        assert all("dividend" in text.lower() for text in texts(page, "#queries tbody td.text"))
        assert "slice=kind" in page.evaluate("location.hash")


def test_bars_open_queries(visit, report):
    with visit(report) as page:
        first = {"x": 2, "y": 20}
        page.locator("canvas.bars").hover(position=first)
        pointed = page.locator(".pointed").inner_text().split(":")[0]
        page.locator("canvas.bars").click(position=first)
        page.wait_for_selector(".query .run li")
        assert texts(page, ".query h3 bdi") == [pointed]
        # The browser's back button closes it again.
        page.go_back()
        until(page, "!location.hash.includes('query=')")


def test_an_opened_query_comes_into_view(visit, report):
    inside = """() => {
      const { top, bottom } = document.querySelector(".query").getBoundingClientRect();
      return top >= 0 && top <= innerHeight / 2 && document.activeElement.matches(".query");
    }"""
    with visit(report, "#query=q17") as page:
        until(page, inside)
        page.locator("#queries tbody tr").nth(20).click()
        until(page, "document.querySelector('.query h3 bdi').textContent === 'q21'")
        until(page, inside)


def test_controls_say_what_is_shown(visit, report):
    with visit(report) as page:
        address = "measure=ap&find=revenue&a=bm25&b=hybrid&different=1&slice=kind=number"
        page.evaluate("(address) => { location.hash = address; }", f"#{address}&chart=Scores by grade&by=length")
        until(page, "document.querySelector('#queries select').value === 'ap'")
        chosen = [each.input_value() for each in page.locator("#queries .tools select").all()]
        assert chosen == ["ap", "bm25", "hybrid", "kind=number"]
        assert page.get_by_label("Find").input_value() == "revenue"
        assert page.get_by_label("different only").is_checked()
        assert page.locator("#differences select").input_value() == "ap"
        assert page.locator("#charts select").input_value() == "Scores by grade"
        assert page.locator("#slices select").first.input_value() == "length"
        page.evaluate("location.hash = '#find=nothing has this'")
        until(page, "document.querySelectorAll('#queries tbody tr').length === 0")
        # The bars of the queries that were there before are gone.
        pixels = "document.querySelector('canvas.bars').getContext('2d').getImageData(0, 0, 300, 100).data"
        assert page.evaluate(f"new Set({pixels}).size") == 1
        page.evaluate("location.hash = '#sort=change&order=down'")
        until(page, "document.querySelector('#queries th[aria-sort]')?.textContent.startsWith('change')")


def test_lower_is_better(visit, tmp_path):
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    runs = {"old": {"q1": ["x", "a"], "q2": ["a", "b"]}, "new": {"q1": ["a", "b"], "q2": ["a", "x"]}}
    path = tmp_path / "report.html"
    assay.compare(qrels, runs, ["unjudged@2"]).report(path)
    with visit(path, "#a=old&b=new") as page:
        page.locator("canvas.bars").hover(position={"x": 2, "y": 20})
        # q1 has fewer unjudged documents now, which is better; the number is that of the table.
        assert page.locator(".pointed").inner_text() == "q1: −0.5000"
        assert texts(page, "#queries .quiet[role=status]") == ["2 queries; 1 better with new, 1 worse, 0 the same"]


def test_slices(visit, report, comparison):
    with visit(report) as page:
        rows = {row.locator("th").inner_text(): row for row in page.locator("#slices tbody tr").all()}
        wanted = [row["query_id"] for row in QUESTIONS if "much" in row["text"]]
        values = comparison.results["bm25"].per_query()
        mean = sum(values[query]["ndcg@10"] for query in wanted) / len(wanted)
        assert f"{mean:.4f}" in rows["number"].locator("td").nth(1).inner_text()
        assert "fewer than 20 queries" in page.locator("#slices .warn").inner_text()
        rows["number"].locator("a").click()
        until(page, "location.hash.includes('slice=kind')")


def test_charts_are_drawn(visit, report):
    with visit(report) as page:
        chooser = page.locator("#charts select")
        titles = chooser.locator("option").all_inner_texts()
        assert len(titles) >= 5
        for title in titles:
            chooser.select_option(title)
            page.locator("#charts").scroll_into_view_if_needed()
            page.wait_for_selector("#charts .chart svg")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(visit, report, scheme):
    with visit(report, "#query=q09", scheme=scheme) as page:
        page.wait_for_selector("#differences .chart svg")
        assert serious(page) == []


def test_phone(visit, report):
    with visit(report, "#query=q09", width=390, height=800) as page:
        page.wait_for_selector("#differences .chart svg")
        assert serious(page) == []
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
        # No word of a slice's name is broken: each takes a line at most.
        sizes = "(row) => [row.cells[0].innerText, row.cells[0].offsetHeight]"
        cells = page.evaluate(f"[...document.querySelectorAll('#slices tbody tr')].map({sizes})")
        assert cells
        assert all(height <= 30 * (len(name.split()) + 1) for name, height in cells), cells


def test_print(visit, report):
    with visit(report, "#query=q09", scheme="dark") as page:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.wait_for_selector("#charts .chart svg", state="attached")
        page.emulate_media(media="print", color_scheme="dark")
        for hidden in ("#queries .tools", ".query button", ".rankings .lines", "nav"):
            assert not page.locator(hidden).first.is_visible(), hidden
        for shown in (".verdict", "#differences svg", "#charts svg", ".query .run li"):
            assert page.locator(shown).first.is_visible(), shown
        # On white paper, dark from what was a dark screen.
        ink = page.locator("#differences svg text").first.evaluate("(node) => getComputedStyle(node).fill")
        assert max(map(int, ink.removeprefix("rgb(").removesuffix(")").split(","))) < 128


def test_theme_button(visit, report):
    colour = "getComputedStyle(document.body).backgroundColor"
    with visit(report) as page:
        before = page.evaluate(colour)
        for name, is_same in (("Dark", False), ("Light", True)):
            page.get_by_role("button", name=name).click()
            assert (page.evaluate(colour) == before) == is_same


HOSTILE = '<img src=x onerror="alert(1)">'


def test_hostile_texts_stay_texts(visit, tmp_path):
    names = [HOSTILE, "datum.x'] + alert(1) + ['", "مرحبا"]
    qrels = {HOSTILE: {HOSTILE: 1, "d": 2}, "q&a=b#query": {"d": 1}, "سؤال": {"d": 1}}
    runs = {name: {query: [HOSTILE, "d", "x"][number:] for query in qrels} for number, name in enumerate(names)}
    path = tmp_path / "report.html"
    questions = {query: f"{query} {HOSTILE}" for query in qrels}
    comparison = assay.compare(qrels, runs, ["ndcg@10", "rr"])
    comparison.report(path, queries=questions, corpus={HOSTILE: HOSTILE}, title=HOSTILE)
    with visit(path) as page:
        assert page.locator("h1").inner_text() == HOSTILE
        for query in qrels:
            page.locator("#queries tbody th", has_text=query).last.click()
            until(page, "(query) => document.querySelector('.query h3 bdi')?.textContent === query", query)
            page.wait_for_selector(".query .run li")
            assert texts(page, ".query .question") == [questions[query]]
        assert page.locator("img").count() == 0
        page.reload()
        page.wait_for_selector(".query .run li")
        assert texts(page, ".query h3 bdi") == ["سؤال"]
        assert page.locator(".query .question").evaluate("(node) => getComputedStyle(node).direction") == "rtl"


def test_a_hundred_runs(visit, tmp_path):
    qrels = {f"q{number}": {"a": 1, "b": 2} for number in range(6)}
    orders = (["a", "b"], ["b", "a"], ["x", "a", "b"])
    runs = {f"run {n:03}": {query: orders[(n + place) % 3] for place, query in enumerate(qrels)} for n in range(100)}
    path = tmp_path / "report.html"
    assay.compare(qrels, runs, ["ndcg@10"], samples=100).report(path)
    with visit(path, "#query=q1") as page:
        assert page.locator("#runs tbody tr").count() == 100
        assert page.locator(".query .run").count() == 2
        page.locator(".picker input").nth(50).check()
        until(page, "document.querySelectorAll('.query .run').length === 3")


def test_stored_results_have_no_rankings(visit, comparison, tmp_path):
    for name in ("bm25", "dense"):
        comparison.results[name].save(tmp_path / f"{name}.json")
    path = tmp_path / "report.html"
    assay.compare(None, [str(tmp_path / "bm25.json"), str(tmp_path / "dense.json")]).report(path)
    with visit(path, "#query=q01") as page:
        assert "No rankings" in page.locator(".query").inner_text()
