"""`assay demo`: the table, and that the commands it proposes work."""

import shlex

from assay.cli.demo import path_to_type


def test_shows_the_runs_and_which_is_better(assay):
    result = assay("demo")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "25 questions about the annual report of a fictional company, and three retrievers:"
    assert lines[2].split() == ["run", "ndcg@10", "ap", "rr@10", "recall@100"]
    means = {name: float(first) for name, first, *_ in map(str.split, lines[4:7])}
    assert list(means) == ["bm25", "dense", "hybrid"]
    best = max(means, key=means.get)
    verdict = lines[lines.index("Which is better, and how sure is it?") + 2]
    assert verdict.startswith(f"ndcg@10: {best} has the best mean ({means[best]:.4f}), beats bm25 (")


def test_shows_two_rag_systems(assay):
    lines = assay("demo").stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("Two RAG systems"))
    assert lines[start + 2].split() == ["run", "recall", "answer_f1", "rouge_l"]
    worse, better = (list(map(float, line.split()[1::3])) for line in lines[start + 4 : start + 6])
    assert all(left < right for left, right in zip(worse, better, strict=True))
    rows = [line for line in lines[start:] if line.startswith(("retrieved ", "not retrieved "))]
    assert [int(row.split()[-3]) for row in rows] == [20, 5]
    assert sum(line.startswith("  question ") for line in lines) == 2


def test_what_it_proposes_works(assay):
    proposed = assay("demo").stdout.partition("What to type next:\n")[2].splitlines()
    assert len(proposed) == 4
    for line in proposed:
        name, *arguments = shlex.split(line)
        assert (name, assay(*arguments).exit_code) == ("assay", 0)


def test_paths_are_short_and_can_be_typed(folder):
    assert path_to_type(folder / "a" / "b.txt") == "a/b.txt"
    assert path_to_type(folder / "a b.txt") == '"a b.txt"'
