"""The file of a report: the same bytes for the same input, nothing from the data outside its parts, read back exactly."""

import base64
import gzip
import hashlib
import io
import json
import re
from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

import assay
from assay.data.run import START
from assay.report.page import joined_modules, static
from assay.results.load import unpack
from tables import for_each

DEMO = files("assay") / "demo"
RUNS = {name: str(DEMO / f"{name}.run") for name in ("bm25", "dense", "hybrid")}
MEASURES = ["ndcg@10", "ap", "recall@100"]
HOSTILE = "</script><script>alert(1)</script><!-- \" ' & {x} \u2028"


@pytest.fixture(scope="module")
def comparison():
    return assay.compare(str(DEMO / "qrels.txt"), RUNS, MEASURES)


@pytest.fixture(scope="module")
def page(comparison, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    comparison.report(path, queries=str(DEMO / "queries.jsonl"), corpus=str(DEMO / "passages.jsonl"), slices=["length"])
    return path


def part(path, name):
    return json.loads(unpack(path.read_bytes(), name))


def test_same_input_same_bytes(page, tmp_path):
    again = assay.compare(str(DEMO / "qrels.txt"), RUNS, MEASURES)
    other = tmp_path / "again.html"
    again.report(other, queries=str(DEMO / "queries.jsonl"), corpus=str(DEMO / "passages.jsonl"), slices=["length"])
    assert other.read_bytes() == page.read_bytes()


def test_policy_allows_its_own_scripts_only(page):
    text = page.read_text(encoding="utf-8")
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)[1]
    scripts = re.findall(r'<script type="module">(.*?)</script>', text, flags=re.DOTALL)
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in scripts]
    assert len(scripts) == 2
    assert policy.startswith("default-src 'none'; script-src " + " ".join(hashes) + ";")
    assert "unsafe-eval" not in policy
    assert "connect-src" not in policy
    assert text.count("<script") == 2 + text.count('<script type="application/gzip"')
    assert "http" not in static("report.css")
    # The name of SVG, which is no address.
    assert re.findall(r"https?://[^\"' ]*", joined_modules("report")) == ["http://www.w3.org/2000/svg"]


def test_numbers_are_those_of_the_comparison(comparison, page):
    core = part(page, "report")
    table = comparison.table()
    for place, measure in enumerate(MEASURES, start=2):
        for row, cell in zip(table.rows, core["means"][measure], strict=True):
            expected = (row[place].value, row[place].place, row[place].marks)
            assert (cell["value"], cell["place"], cell["beats"]) == expected
    for run, cells in zip(comparison.results, zip(*core["means"].values(), strict=True), strict=True):
        for measure, cell in zip(MEASURES, cells, strict=True):
            assert (cell["low"], cell["high"]) == tuple(comparison.results[run].interval(measure))
    for pair, shown in zip(comparison.pairs, core["pairs"], strict=True):
        assert shown == pair._asdict()
    assert [line["text"] for line in core["verdict"]] == comparison.verdict.texts
    assert core["signature"] == str(comparison.signature)
    assert [each["level"] for each in core["check"]]


def test_a_report_stands_for_its_runs(comparison, page):
    loaded = assay.load_report(page)
    assert list(loaded) == list(RUNS)
    for name, result in comparison.results.items():
        assert (loaded[name].queries, loaded[name].mean) == (result.queries, result.mean)
        for measure in MEASURES:
            np.testing.assert_array_equal(loaded[name].scores[measure], result.scores[measure])
    again = assay.compare(None, [str(page)])
    assert (list(again.results), again.pairs) == (list(RUNS), comparison.pairs)
    assert list(assay.compare(None, [f"{page}#bm25", f"{page}#dense"]).results) == ["bm25", "dense"]
    assert not assay.gate(None, f"{page}#bm25", baseline=f"{page}#dense", max_drop={"ndcg@10": 0.01}).passed
    assert assay.load_result(f"{page}#dense").mean == comparison.results["dense"].mean
    for run, message in (("", "; name one of its runs: "), ("#splade", "; it has no run 'splade': ")):
        with pytest.raises(assay.errors.DataError, match=re.escape("is a report on 3 runs" + message)):
            assay.load_result(f"{page}{run}")


def test_changed_reports_are_refused(page, tmp_path):
    content = page.read_bytes()
    found = re.search(rb'id="part-result-0">([^<]*)<', content)
    stored = json.loads(gzip.decompress(base64.b64decode(found[1])))
    stored["queries"][0][1] = 0.25
    packed = base64.b64encode(gzip.compress(json.dumps(stored).encode()))
    target = tmp_path / "changed.html"
    refused = {
        "checksum does not match": content.replace(found[1], packed),
        "part 'result-0' of the report cannot be read": content.replace(found[1], found[1][:-8]),
        "the report has no part": content[: content.index(b"part-result-1")],
        "is not a report of assay": b"<!doctype html>\n<html>",
    }
    for message, changed in refused.items():
        target.write_bytes(changed)
        with pytest.raises(assay.errors.FormatError, match=message):
            assay.load_report(target)


def test_a_bomb_in_a_report_is_refused(page, tmp_path):
    packed = base64.b64encode(gzip.compress(b" " * (65 << 20)))
    content = re.sub(rb'(id="part-report">)[^<]*', lambda found: found[1] + packed, page.read_bytes())
    target = tmp_path / "bomb.html"
    target.write_bytes(content)
    with pytest.raises(assay.errors.LimitError, match="stored"):
        assay.load_report(target)


def test_nothing_from_the_data_is_markup(tmp_path):
    qrels = {HOSTILE: {HOSTILE: 1}, "q2": {"d": 1}}
    runs = {HOSTILE: {HOSTILE: [HOSTILE], "q2": ["x"]}, "b": {HOSTILE: ["x"], "q2": ["d"]}}
    path = tmp_path / "report.html"
    comparison = assay.compare(qrels, runs, ["rr"])
    comparison.report(path, queries={HOSTILE: HOSTILE, "q2": "two"}, corpus={HOSTILE: HOSTILE}, title=HOSTILE)
    text = path.read_text(encoding="utf-8")
    assert "alert(1)" not in text
    assert text.startswith(START.decode())
    assert list(assay.load_report(path)) == [HOSTILE, "b"]


@for_each("name", ["report", "queries", "sorting", "extras"])
def test_modules_are_joined_without_imports(name):
    text = joined_modules(name)
    assert not re.search(r"^(import|export) ", text, flags=re.MULTILINE)
    _, *parts = re.split(r"^const (\w+)Module = ", text, flags=re.MULTILINE)
    modules = parts[::2]
    assert len(modules) == len(set(modules))
    assert modules[-1] == name
    for user, body in zip(modules, parts[1::2], strict=True):
        for used in re.findall(r"^const \{[^}]*\} = (\w+)Module;", body, flags=re.MULTILINE):
            assert modules.index(used) < modules.index(user)


REFUSED = [
    ("report.html", {"top": 0}, "top must be"),
    ("report.html", {"slices": ["lang"]}, "no field 'lang'"),
    ("report.html", {"slices": ["length"]}, "length of questions needs"),
    ("report.html", {"queries": {"other": "text"}}, "none of the questions"),
    ("report.html", {"corpus": {"other": "text"}}, "none of the documents"),
    ("report.pdf", {}, r"end in \.html"),
]


@for_each("name, options, message", REFUSED)
def test_refused(tmp_path, name, options, message):
    with pytest.raises(assay.AssayError, match=message):
        assay.compare({"q": ["d"]}, {"a": {"q": ["d"]}, "b": {"q": ["x"]}}, ["rr"]).report(tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_odd_texts(tmp_path):
    path = tmp_path / "report.html"
    comparison = assay.compare({"q": ["d"]}, {"a": {"q": ["d"]}, "b": {"q": ["x"]}}, ["rr"])
    comparison.report(path, queries={"q": "lone \ud800 surrogate"}, corpus={"d": "x" * 5_000})
    assert part(path, "report")["questions"] == ["lone ? surrogate"]
    assert part(path, "rankings-0")["texts"] == {"d": "x" * 2_000 + " …"}


def test_runs_that_can_be_read_only_once(tmp_path):
    path = tmp_path / "report.html"
    run = io.BytesIO(b"q Q0 d 1 1.0 tag\n")
    comparison = assay.compare({"q": ["d"]}, {"a": run, "b": {"q": ["x"]}}, ["rr"])
    comparison.report(path)
    assert part(path, "report")["chunk"] == 0
    assert part(path, "report")["norankings"].startswith("No rankings")


def test_one_run_down_to_its_rankings(tmp_path, page):
    result = assay.evaluate(str(DEMO / "qrels.txt"), RUNS["bm25"], MEASURES, top=20)
    result.report(tmp_path / "one.html", name="bm25", corpus=str(DEMO / "passages.jsonl"))
    core, both = part(tmp_path / "one.html", "report"), part(page, "report")
    assert core["means"] == {name: [{**cells[0], "place": -1, "beats": ""}] for name, cells in both["means"].items()}
    rankings, all_three = (part(each, "rankings-0")["queries"] for each in (tmp_path / "one.html", page))
    assert rankings["retrieved"] == [each[:1] for each in all_three["retrieved"]]
    assert [len(each[0]) for each in rankings["ranked"]] == [len(each[0]) for each in all_three["ranked"]]
    assert assay.load_report(tmp_path / "one.html")["bm25"].mean == result.mean
    assay.evaluate(str(DEMO / "qrels.txt"), RUNS["bm25"], MEASURES).report(tmp_path / "bare.html")
    assert part(tmp_path / "bare.html", "report")["norankings"].startswith("No rankings")


def test_a_report_reads_each_run_once_more_at_most(tmp_path, monkeypatch):
    times = Counter()

    def counted(self, data, **how):
        times[str(data)] += 1
        read(self, data, **how)

    read = assay.Run.__init__
    monkeypatch.setattr(assay.Run, "__init__", counted)
    comparison = assay.compare(str(DEMO / "qrels.txt"), RUNS, MEASURES, top=20)
    assert not times
    comparison.report(tmp_path / "report.html")
    assert times == dict.fromkeys(RUNS.values(), 1)
