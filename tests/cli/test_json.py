"""The JSON output of every command, checked field by field against the tables of docs/json.md."""

import json
import re
from importlib.resources import files
from pathlib import Path

import assay
from search_server import QRELS as JUDGED
from search_server import QUESTIONS, Reply, SearchServer, found
from tables import for_each

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
DEMO = files("assay") / "demo"
QRELS, ONE, TWO = (str(DEMO / name) for name in ("qrels.txt", "bm25.run", "dense.run"))
ROW = re.compile(r"^\| (`[^|]+`) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def read_tables():
    """The fields of each object on the page, with the text of their types."""
    tables = {}
    for section in re.split(r"^##+ ", PAGE, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        fields = {name: kind for names, kind, _ in ROW.findall(body) for name in re.findall(r"`([^`]+)`", names)}
        tables[title] = fields or None
    return tables


TABLES = read_tables()
PLAIN = {
    "text": lambda value: isinstance(value, str),
    "whole": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "truth": lambda value: isinstance(value, bool),
    "row": lambda value: isinstance(value, dict),
}


def faults_of(value, kind, where):
    """What is wrong with a value of a type, as lines."""
    kind = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", kind).removeprefix("optional ").strip()
    if kind.endswith(" or null") and value is None:
        return []
    if kind in PLAIN:
        return [] if PLAIN[kind](value) else [f"{where}: {value!r} is not {kind}"]
    return faults_inside(value, kind.removesuffix(" or null"), where)


def faults_inside(value, kind, where):
    """What is wrong with what is inside an object or a list, or with a value that may be null."""
    if " by " in kind:
        each, items = kind.rpartition(" by ")[0], value.items()
        return [line for key, inner in items for line in faults_of(inner, each, f"{where}.{key}")]
    if kind.startswith("list of "):
        assert isinstance(value, list), where
        return [line for inner in value for line in faults_of(inner, kind.removeprefix("list of "), f"{where}[]")]
    if kind in PLAIN:
        return faults_of(value, kind, where)
    if kind == "values":
        return faults_of(value, "number or null by measure", where)
    fields = TABLES[kind]
    missing = [name for name, each in fields.items() if name not in value and not each.startswith("optional")]
    lines = [f"{where}: missing {name}" for name in missing]
    lines += [f"{where}: undocumented {name}" for name in value if name not in fields]
    inside = (faults_of(each, fields[name], f"{where}.{name}") for name, each in value.items() if name in fields)
    return [*lines, *(line for each in inside for line in each)]


def check_json(content):
    assert content["version"] == 1
    assert faults_of(content, content["schema"], "") == []


COMMANDS = {
    f"eval {QRELS} {ONE}": "assay/results",
    f"eval {QRELS} {ONE} {TWO} -m 'ndcg@10 auc gm_ap num_rel'": "assay/results",
    f"rag {DEMO}/rag_bm25.jsonl --policy rel=2": "assay/results",
    f"compare {QRELS} {ONE} {TWO} {DEMO}/hybrid.run": "assay/comparison",
    f"compare {QRELS} {ONE} {TWO} --test t --baseline bm25": "assay/comparison",
    f"diff {QRELS} {ONE} {TWO}": "assay/diff",
    f"gate {QRELS} {ONE} --min rr=0.9 --baseline {TWO} --max-drop ndcg@10=0.01": "assay/gate",
    f"audit {QRELS} {ONE} -m map -m ndcg@10": "assay/audit",
    f"eval {QRELS} {ONE} -m 'rr num_rel' --human {QRELS}": "assay/results",
    f"compare {QRELS} {ONE} {TWO} -m rr --human {QRELS}": "assay/comparison",
    f"check {QRELS} {ONE} {TWO}": "assay/check",
    f"next {QRELS} {ONE} {TWO}": "assay/next",
    f"next none {ONE} {TWO} -m ndcg --first depth": "assay/next",
    f"agree {QRELS} {QRELS} --policy threshold=2 --run {ONE} --run {TWO}": "assay/agreement",
}


@for_each(("line", "schema"), COMMANDS.items())
def test_every_field_is_documented(read_json, line, schema):
    content = read_json(line)
    assert content["schema"] == schema
    check_json(content)


def one_fails(question, times):
    return Reply(status=500) if question == "question 5" else found(question, times)


def test_every_field_of_a_probe_is_documented(read_json, folder):
    (folder / "q.json").write_text(json.dumps(QUESTIONS))
    (folder / "qrels.json").write_text(json.dumps(JUDGED))
    with SearchServer(one_fails) as server:
        content = read_json(f"probe {server.url} --queries q.json --qrels qrels.json --retries 0")
    assert "probe" in content["runs"][0]
    check_json(content)


def test_python_has_the_same_shape():
    rag = assay.evaluate_rag(DEMO / "rag_bm25.jsonl", rel=2)
    results = assay.evaluate_many(QRELS, {"one": ONE, "two": TWO})
    for value in (rag, rag.worst(2), rag.blame(), results, results["one"], assay.Results({"rag": rag})):
        check_json(json.loads(value.to_json()))
    stored = assay.compare(None, dict(results.items()))
    check_json(json.loads(stored.to_json()))
    check_json(json.loads(stored.queries("ndcg@10", "one", "two").to_json()))
    check_json(json.loads(assay.agree({"q": {"a": 0, "b": 2}}, {"q": {"a": 1, "b": 2, "c": 0}}).to_json()))
    check_json(json.loads(assay.agree({"q": 0.5, "r": 1, "s": 0}, {"q": 0.5, "r": 0}).to_json()))
    vote = {"query": "q", "document": "d", "voter": "v"}
    check_json(json.loads(assay.votes([{**vote, "vote": 2}, {**vote, "vote": 3, "voter": "w"}]).to_json()))
    check_json(json.loads(assay.votes([{**vote, "vote": 2}]).to_json()))
    shown = [{"query": "q", "document": each, "position": 1, "clicked": 1, "impression": each} for each in "ab"]
    for model in ("coec", "pbm", "dbn"):
        check_json(json.loads(assay.clicks(shown, model=model, min_impressions=1).to_json()))
    check_json(json.loads(assay.diff(QRELS, ONE, queries=DEMO / "queries.jsonl").to_json()))


def test_the_check_of_the_shape_can_fail():
    content = assay.evaluate(QRELS, ONE, "rr").to_dict()
    content["runs"][0]["more"] = 1
    del content["runs"][0]["level"]
    content["runs"][0]["measures"]["rr"]["mean"] = "0.5"
    assert faults_of(content, "assay/results", "") == [
        ".runs[]: missing level",
        ".runs[]: undocumented more",
        ".runs[].measures.rr.mean: '0.5' is not number",
    ]
