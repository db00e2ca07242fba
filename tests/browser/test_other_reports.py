"""Reports of a gate, a RAG system and a live retriever, in a real browser."""

import json
from importlib.resources import files

import assay
from browser_pages import serious, texts, until
from judges import Script

DEMO = files("assay") / "demo"


def test_gate(visit, tmp_path):
    limits = {"baseline": str(DEMO / "hybrid.run"), "max_drop": {"ndcg@10": 0.05}}
    gate = assay.gate(str(DEMO / "qrels.txt"), str(DEMO / "bm25.run"), {"rr@10": 0.1}, **limits)
    path = tmp_path / "gate.html"
    gate.report(path, queries=str(DEMO / "queries.jsonl"), corpus=str(DEMO / "passages.jsonl"))
    assert list(assay.load_report(path)) == ["baseline", "run"]
    with visit(path) as page:
        assert texts(page, ".verdict li")[0] == "gate failed: 1 of 2 checks"
        rows = [row.locator("th, td").all_inner_texts() for row in page.locator("#gate tbody tr").all()]
        assert rows == [["pass" if each.passed else "FAIL", each.measure, each.reason] for each in gate.checks]
        worst = page.locator("#gate li").first
        assert worst.inner_text().startswith(gate.checks[1].worst[0].query)
        worst.locator("a").click()
        page.wait_for_selector(".query .run li")
        assert page.locator(".query .run").count() == 2
        # Under the measure of the check, whose numbers the list has.
        shown = "(score) => document.querySelector('.query .run[data-run=\"1\"] .score').textContent.trim() === score"
        until(page, shown, f"{gate.checks[1].worst[0].after:.4f}")
        assert serious(page) == []


def test_gate_without_baseline(visit, tmp_path):
    path = tmp_path / "gate.html"
    assay.gate(str(DEMO / "qrels.txt"), str(DEMO / "bm25.run"), {"rr@10": 0.1}).report(path)
    with visit(path, "#query=q01") as page:
        assert texts(page, ".verdict li")[0] == "gate passed: 1 check"
        page.wait_for_selector(".query .run li")


def test_rag(visit, tmp_path):
    rag = assay.evaluate_rag(str(DEMO / "rag_bm25.jsonl"), ["recall@5", "answer_f1"], rel=2)
    path = tmp_path / "rag.html"
    rag.report(path, slices=["length"])
    records = [json.loads(line) for line in (DEMO / "rag_bm25.jsonl").read_text(encoding="utf-8").splitlines()]
    with visit(path) as page:
        rows = page.locator("#answers table tbody tr")
        for shown, row in zip(rows.all(), rag.blame().table().rows, strict=True):
            assert texts(shown, "th, td") == [row[0], str(row[1]), *(f"{cell:.4f}" for cell in row[2:])]
        page.wait_for_selector("#answers .chart svg")
        worst = rag.worst(3).to_polars()["query"].to_list()
        assert [text.split()[0] for text in texts(page, "#answers ol li")][:3] == worst
        page.locator("#answers ol li a").first.click()
        until(page, "(query) => document.querySelector('.query h3 bdi')?.textContent === query", worst[0])
        record = next(each for each in records if each["query_id"] == worst[0])
        shown = texts(page, ".query dd")
        assert record["answer"] in shown
        assert set(record["references"]) <= set(shown)
        retrieved = [each["id"] for each in record["retrieved"]]
        assert texts(page, ".query .missing:first-of-type .name > bdi")[: len(retrieved)] == retrieved
        assert serious(page) == []


def test_verdicts_of_a_judge(visit, tmp_path):
    record = {"query_id": "q1", "question": "why?", "answer": "so <b>", "retrieved": [{"id": "d", "text": "because"}]}
    replies = '{"statements": ["It is so."]}', '{"verdicts": [{"reason": "not said", "verdict": 0}]}'
    rag = assay.evaluate_rag([record], ["faithfulness"], judge=assay.Judge(Script(*replies), cache=False))
    path = tmp_path / "judged.html"
    rag.report(path)
    with visit(path, "#query=q1") as page:
        assert any("faithfulness" in text for text in texts(page, ".query dd"))
        assert "so <b>" in texts(page, ".query dd")


def test_probe(visit, tmp_path):
    def search(question):
        if question == "fails":
            raise RuntimeError("no answer")
        return ["d1", "d2"]

    probe = assay.probe(search, {"q1": "works", "q2": "fails"}, {"q1": ["d2"], "q2": ["d1"]}, ["rr"], retries=0)
    path = tmp_path / "probe.html"
    probe.report(path)
    with visit(path) as page:
        page.wait_for_selector("#probe .chart svg")
        assert texts(page, "#probe tbody th") == ["q2"]
        assert "no answer" in page.locator("#probe tbody td").inner_text()
        page.locator("#queries tbody th", has_text="q1").click()
        page.wait_for_selector(".query .missing li")
        assert serious(page) == []
