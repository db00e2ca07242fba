"""kill -9 at random moments of every writer: the earlier file or the new one is there, whole, and nothing is lost."""

import gzip
import json
import random

import pytest

from tables import with_hostile

pytestmark = pytest.mark.attack("Kills")
SEED = 12
KILLED = -9
# Each writes one of two versions in turn, for as long as it lives; `ready` says when it has begun.
BEGIN = "import sys, assay\nready()\n"
VERSIONS = "pair = [{f'q{n}': {f'd{m}': float(m) for m in range(40)} for n in range(size)} for size in (50, 51)]\n"
LOOP = "while True:\n    for each in versions:\n        write(each)\n"
RUNS = f"{VERSIONS}versions = [assay.Run(each) for each in pair]\nwrite = lambda each: each.write(sys.argv[1], lossy=True)\n"
QRELS = RUNS.replace("assay.Run", "assay.Qrels")
SAVED = VERSIONS + (
    "versions = [assay.evaluate(each, each, ['ap', 'ndcg@10']) for each in pair]\nwrite = lambda each: each.save(sys.argv[1])\n"
)
RECORDS = (
    "from assay.tasks.probe.result import write_records\n"
    "versions = [[{'query_id': f'q{n}', 'question': 'why?' * 20} for n in range(size)] for size in (500, 501)]\n"
    "write = lambda each: write_records(each, sys.argv[1])\n"
)
TABLE = VERSIONS + (
    "from assay.cli.terminal import emit\n"
    "from assay.render import render\n"
    "kind = sys.argv[1].rsplit('.')[-1]\n"
    "kind = {'md': 'markdown', 'tex': 'latex'}.get(kind, kind)\n"
    "versions = [render(assay.evaluate(each, each, ['ap']).query_table(), kind) for each in pair]\n"
    "write = lambda each: emit(each, sys.argv[1])\n"
)
RANX = VERSIONS + (
    "from assay.compat.ranx import Run\nversions = [Run(each) for each in pair]\nwrite = lambda each: each.save(sys.argv[1])\n"
)
WRITERS = {
    **{
        f"run{ending}": RUNS
        for ending in (".trec", ".json", ".jsonl", ".csv", ".tsv", ".parquet", ".trec.gz", ".csv.zst", ".jsonl.bz2", ".tsv.xz")
    },
    **{f"qrels{ending}": QRELS for ending in (".trec", ".tsv", ".json", ".parquet", ".csv.gz", ".jsonl.zst")},
    "saved.json": SAVED,
    "records.jsonl": RECORDS,
    **{f"table.{kind}": TABLE for kind in ("csv", "tsv", "json", "md", "tex", "html")},
    **{f"ranx.{kind}": RANX for kind in ("json", "trec", "gz", "parquet")},
}  # fmt: skip
QUICK = ("run.trec", "run.csv.zst", "qrels.parquet", "saved.json", "records.jsonl", "table.csv", "ranx.json")
CHECKPOINT = """
import sys, time, assay
questions = {f"q{n}": f"question {n}" for n in range(300)}
judged = {query: ["d"] for query in questions}

def search(text):
    with open(sys.argv[2], "ab", buffering=0) as asked:
        asked.write(text.encode() + b"\\n")
    return [f"{text} {n}" for n in range(20)]

ready()
assay.probe(search, questions, judged, checkpoint=sys.argv[1], name="x", concurrency=1)
"""


def versions_of(name, launcher, folder):
    """The two files that a writer writes."""
    found = []
    for place in range(2):
        target = folder / f"{place}-{name}"
        ended = launcher.run(str(target), code=f"ready = lambda: None\n{BEGIN}{WRITERS[name]}write(versions[{place}])")
        assert ended.code == 0, ended.said
        found.append(target.read_bytes())
    assert found[0] != found[1]
    return found


def stable(name, content):
    """The content; gzip stores the time of writing and the name of the file."""
    return gzip.decompress(content) if name.endswith("gz") else content


@pytest.mark.parametrize(
    ("name", "times"), with_hostile([(each, 3) for each in QUICK], [(each, 100) for each in WRITERS])
)
def test_kills(name, times, launcher, tmp_path, tried):
    """At random moments; what is there is checked after each."""
    whole = {stable(name, each) for each in versions_of(name, launcher, tmp_path)}
    place = tmp_path / "killed"
    place.mkdir()
    target = place / name
    draw = random.Random(f"{SEED} {name}")
    launcher.run(str(target), code=f"ready = lambda: None\n{BEGIN}{WRITERS[name]}write(versions[0])")
    begin = BEGIN.replace("ready()\n", "")
    code = f"{begin}{WRITERS[name]}write(versions[0])\nready()\n{LOOP}"
    for number in range(times):
        ended = launcher.run(str(target), code=code, kill_after=draw.uniform(0, 0.03))
        assert ended.code == KILLED, (number, ended.said)
        assert stable(name, target.read_bytes()) in whole, (
            f"seed {SEED}, kill {number}: neither the old nor the new file"
        )
    launcher.run(str(target), code=f"ready = lambda: None\n{BEGIN}{WRITERS[name]}write(versions[1])")
    assert [each.name for each in place.iterdir()] == [name]
    tried(times)


@pytest.mark.parametrize("times", with_hostile([5], [100]))
def test_kills_of_a_probe(times, launcher, tmp_path, tried):
    """Again and again, until it is complete: no answer that was written down is asked for again."""
    checkpoint, asked = tmp_path / "checkpoint.jsonl", tmp_path / "asked"
    draw = random.Random(SEED)
    arguments = (str(checkpoint), str(asked))
    kills = 0
    while kills < times:
        before = kept_in(checkpoint)
        if len(before) == 300:
            checkpoint.unlink()
            asked.unlink()
            before = {}
        questions = asked.read_bytes().count(b"\n") if asked.exists() else 0
        ended = launcher.run(*arguments, code=CHECKPOINT, kill_after=draw.uniform(0, 0.12))
        assert ended.code in (KILLED, 0), ended.said
        kills += ended.code == KILLED
        after = kept_in(checkpoint)
        assert before.items() <= after.items(), f"seed {SEED}, kill {kills}: an answer is lost"
        # Only what was answered but not yet written down is asked again.
        told = asked.read_text().splitlines()[questions:] if asked.exists() else []
        assert not {f"question {query[1:]}" for query in before} & set(told)
    assert launcher.run(*arguments, code=CHECKPOINT.replace("ready()", "")).code == 0
    assert len(kept_in(checkpoint)) == 300
    assert [each.name for each in tmp_path.glob(".*")] == []
    tried(times)


def kept_in(checkpoint):
    """The whole lines of a checkpoint, by query."""
    lines = checkpoint.read_bytes().split(b"\n")[1:-1] if checkpoint.exists() else []
    return {json.loads(line)["query_id"]: line for line in lines}
