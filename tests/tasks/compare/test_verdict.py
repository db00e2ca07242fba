"""The verdict of a comparison in words, which pairs and which order are shown, and no line wider than the terminal."""

import json

import numpy as np
import pytest

import assay
from comparisons import QRELS, RUNS, one_pair, results_of
from tables import for_each

SPREAD = [0.0, 0.1, 0.02, 0.07, 0.05, 0.03, 0.12, 0.01, 0.06, 0.09]
LOW = [0.2 + each for each in SPREAD]
HIGH = [0.5 + each / 2 for each in SPREAD]
NOISY = [0.2 + each for each in reversed(SPREAD)]
STEPS = (1, 3, 7, 9, 1, 3)
MANY = {f"run{n:02}": [0.3 + n / 50 + SPREAD[(n + step * q) % 10] for q in range(10)] for n, step in enumerate(STEPS)}

# A row: scores of a and b, options, the verdict.
VERDICTS = [
    (LOW, HIGH, {}, "b beats a on ap: +0.27 [0.26, 0.28], p = 0.0020"),
    (HIGH, LOW, {}, "a beats b on ap: +0.27 [0.26, 0.28], p = 0.0020"),
    (LOW, HIGH, {"measure": "first_rank"}, "a beats b on first_rank (lower is better): -0.27 [-0.28, -0.26], p = 0.0020"),
    (LOW, NOISY, {}, "no difference found on ap (could have seen 0.05)"),
    (LOW, LOW, {}, "ap: a and b score the same on every query"),
    ([0.1] * 4, [0.4, 0.5, 0.6, 0.7], {}, "ap: a and b cannot be told apart: 4 queries are too few to find any difference"),
    ([0.1], [0.9], {}, "ap: a and b cannot be told apart: 1 query is too few to find any difference"),
    ([np.nan, 0.1], [0.5, np.nan], {}, "ap: a and b cannot be compared: no query has a value in both"),
    ([0.5] * 8 + [0.9], [0.6] * 8 + [0.0], {"test": "sign", "alpha": 0.06}, "ap: a and b are not ranked: the means and the sign test point different ways"),
    ([each / 100 for each in LOW], [each / 100 for each in HIGH], {}, "b beats a on ap: +0.0027 [0.0026, 0.0028], p = 0.0020"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "options", "words"), VERDICTS)
def test_two_runs(a, b, options, words):
    comparison, _ = one_pair(a, b, **options)
    assert str(comparison.verdict) == words


def test_the_verdict_is_data_too_and_opens_every_form_for_people():
    comparison, _ = one_pair(LOW, HIGH)
    (line,) = comparison.verdict
    assert line[:5] == ("ap", "b", ("a",), (), ())
    (data,) = json.loads(comparison.to_json())["verdict"]
    assert data == {"measure": "ap", "run": "b", "beats": ["a"], "beaten_by": [], "undecided": []}
    for text in (str(comparison), comparison.to_text(), comparison.to_markdown(), comparison.to_html()):
        assert "b beats a on ap: +0.27" in text.partition("run")[0]


def test_measures_without_a_difference_share_a_line():
    runs = {"one": RUNS["one"], "two": RUNS["two"]}
    comparison = assay.compare(QRELS, runs, ["hits@9", "rr", "num_ret"], test="t")
    assert comparison.verdict.texts == [
        "one beats two on rr: +0.47 [0.28, 0.56], p = 0.0004",
        "no difference found on hits@9 (could have seen 0.54), num_ret (could have seen 9.81)",
    ]


def test_many_runs_are_told_by_the_best():
    (line,) = assay.compare(None, results_of(**MANY), test="t").verdict
    assert line.run == "run05"
    assert set(line.beats) | set(line.undecided) == set(MANY) - {"run05"}
    assert line.text.startswith("ap: run05 has the best mean (0.")


TOLD = [
    ({"x": LOW, "y": NOISY, "z": HIGH}, None, "ap: z has the best mean (0.5275), beats x (+0.27 [0.26, 0.28], p = 0.0059) and y (+0.27 [0.25, 0.30], p = 0.0059)"),
    ({"x": LOW, "y": NOISY, "z": LOW}, None, "ap: x has the best mean (0.2550), beats no other run, cannot be told apart from y and z (could have seen 0.05)"),
    ({"x": [0.9, 0.8], "y": [0.1, 0.3], "z": [0.2, 0.2]}, None, "ap: x has the best mean (0.8500), beats no other run, cannot be told apart from y and z (2 queries are too few to find any difference)"),
    ({"base": NOISY, "high": HIGH, "low": LOW, "poor": [each - 0.2 for each in NOISY]}, "base",
     "ap against base: high (+0.27 [0.25, 0.30], p = 0.0059) is better; poor (-0.20 [-0.20, -0.20], p = 0.0059) is worse; no difference found for low (could have seen 0.05)"),
]  # fmt: skip


@for_each("runs, baseline, text", TOLD)
def test_the_best_run_or_the_baseline_is_told_against_the_others(runs, baseline, text):
    (line,) = assay.compare(None, results_of(**runs), baseline=baseline).verdict
    assert line.text == text
    if baseline:
        assert line[1:5] == ("base", ("poor",), ("high",), ("low",))


def test_too_few_queries_for_all_measures_together():
    qrels = {f"q{n}": ["d"] for n in range(6)}
    runs = {"a": {query: ["x", "d"] for query in qrels}, "b": {query: ["y", "x", "d"] for query in qrels}}
    alone, together = (assay.compare(qrels, runs, ["rr", "ap"], family=family) for family in ("measure", "all"))
    assert alone.verdict.texts[0] == "a beats b on rr: +0.17 [0.17, 0.17], p = 0.0312"
    assert together.verdict.texts[0] == "rr: a and b cannot be told apart: 6 queries are too few to find any difference"


def test_many_runs_are_sorted_and_only_significant_pairs_are_listed():
    comparison = assay.compare(None, results_of(**MANY), test="t")

    def names(**options):
        return [line.split()[1] for line in comparison.to_text(**options).split("\n\n")[1].splitlines()[2:]]

    assert names() == sorted(MANY, reverse=True)
    assert names(sort="given") == names(sort="name") == list(MANY)
    assert names(sort="map") == sorted(MANY, reverse=True)
    found = sum(map(comparison.is_significant, comparison.pairs))
    assert 0 < found < 15
    rows = {pairs: sum(line.startswith("ap  ") for line in comparison.to_text(pairs=pairs).splitlines())
            for pairs in (None, "significant", "all", "none")}  # fmt: skip
    assert rows == {None: found, "significant": found, "all": 15, "none": 0}
    assert f'note: {found} of 15 comparisons significant; pairs="all" shows all' in comparison.to_text()
    assert comparison.to_markdown(pairs="all").count("\n| ap |") == 15
    assert comparison.to_html(pairs="none").count("<td") == 18
    assert len(json.loads(comparison.to_json())["comparisons"]) == 15


def test_an_unknown_choice_is_an_error():
    comparison, _ = one_pair(LOW, HIGH)
    with pytest.raises(assay.errors.PolicyError, match="pairs must be 'all' or 'significant' or 'none', not 'some'"):
        comparison.to_text(pairs="some")
    with pytest.raises(assay.errors.MeasureError, match="'rr' was not computed; the result has ap"):
        comparison.to_text(sort="rr")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(width):
    names = {f"a-university_submission-{n:02}-reranked": RUNS[list(RUNS)[n % 3]] for n in range(17)}
    comparison = assay.compare(QRELS, names, ["ndcg@10", "ap", "rr@10", "recall@5", "P@5"], test="t")
    text, wide = comparison.to_text(width=width, pairs="all"), comparison.to_text(pairs="all")
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    numbers = [sorted(word for word in each.split() if word[0] in "0-" and "." in word) for each in (text, wide)]
    assert numbers[0] == numbers[1]
