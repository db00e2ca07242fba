"""`assay demo`: the table, and that the commands it proposes work."""

import shlex
import sqlite3
from importlib.resources import files
from pathlib import Path

from assay.cli.demo import ANSWERED, JUDGE_MODEL, JUDGED_MEASURES, STORED_REPLIES, path_to_type
from assay.measures import TABLE

DEMO = Path(str(files("assay") / "demo"))


def test_shows_runs_rag_systems_and_what_a_model_judged(assay):
    before = {each.name: each.stat().st_mtime_ns for each in DEMO.iterdir()}
    result = assay("demo")
    assert (result.exit_code, result.stderr) == (0, "")
    # Nobody is asked, and the package stays as it is.
    assert {each.name: each.stat().st_mtime_ns for each in DEMO.iterdir()} == before
    lines = result.stdout.splitlines()
    assert lines[0] == "25 questions about the annual report of a fictional company, and three retrievers:"
    assert lines[2].split() == ["run", "ndcg@10", "ap", "rr@10", "recall@100"]
    means = {name: float(first) for name, first, *_ in map(str.split, lines[4:7])}
    assert list(means) == ["bm25", "dense", "hybrid"]
    best = max(means, key=means.get)
    verdict = lines[lines.index("Which is better, and how sure is it?") + 2]
    assert verdict.startswith(f"ndcg@10: {best} has the best mean ({means[best]:.4f}), beats bm25 (")
    start = next(number for number, line in enumerate(lines) if line.startswith("Two RAG systems"))
    assert lines[start + 2].split() == ["run", "recall", "answer_f1", "rouge_l"]
    worse, better = (list(map(float, line.split()[1::3])) for line in lines[start + 4 : start + 6])
    assert all(left < right for left, right in zip(worse, better, strict=True))
    rows = [line for line in lines[start:] if line.startswith(("retrieved ", "not retrieved "))]
    assert [int(row.split()[-3]) for row in rows] == [20, 5]
    assert sum(line.startswith("  question ") for line in lines) == 2
    shown = result.stdout.partition("\nThe same answers, judged by an LLM")[2].splitlines()
    assert shown[0] == f": stored replies of {JUDGE_MODEL}. A model this small judges poorly"
    assert shown[3].split() == ["run", *JUDGED_MEASURES]
    for line, name in zip(shown[5:7], ANSWERED, strict=True):
        assert (line.split()[0], 0 <= float(line.split()[1]) <= 1) == (name, True)


def test_the_replies_are_those_of_the_prompts_in_use():
    with sqlite3.connect(DEMO / STORED_REPLIES) as file:
        rows = file.execute("SELECT DISTINCT model, prompt, sample FROM replies").fetchall()
        (mode,) = file.execute("PRAGMA journal_mode").fetchone()
    file.close()
    prompts = {str(each) for name in JUDGED_MEASURES for each in TABLE[name].prompts}
    assert {prompt for _, prompt, _ in rows} == prompts, "run `make verdicts`"
    assert {(model, sample) for model, _, sample in rows} == {(JUDGE_MODEL, 0)}
    # Anything else could not be read where nobody may write.
    assert mode == "delete"
    assert (DEMO / STORED_REPLIES).stat().st_size < 300_000


def test_what_it_proposes_works_with_short_paths(assay, folder):
    proposed = assay("demo").stdout.partition("What to type next:\n")[2].splitlines()
    assert len(proposed) == 6
    for line in proposed:
        name, *arguments = shlex.split(line)
        assert (name, assay(*arguments).exit_code) == ("assay", 0)
    assert path_to_type(folder / "a" / "b.txt") == "a/b.txt"
    assert path_to_type(folder / "a b.txt") == '"a b.txt"'
