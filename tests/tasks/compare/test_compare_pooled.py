"""`assay.compare` by a score of summed statistics: corpus BLEU, chrF and TER."""

import json
import math
import random

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

import assay
from storing import without_checksum

TEXT = "the a cat dog sat ran on under mat tree in quick brown old house river by night day of"
WORDS = TEXT.split()
CHOICE = random.Random(4)
REFERENCES = [" ".join(CHOICE.choices(WORDS, k=CHOICE.randint(4, 14))) for _ in range(40)]


def spoilt(seed, share):
    """Answers in which so many words are another."""
    choice, references = random.Random(seed), map(str.split, REFERENCES)
    return [" ".join(choice.choice(WORDS) if choice.random() < share else word for word in each) for each in references]


ANSWERS = {"one": spoilt(1, 0.30), "two": spoilt(2, 0.24)}


def results(measures, references=REFERENCES, **answers):
    return {name: assay.evaluate_answers(references, each, measures) for name, each in (answers or ANSWERS).items()}


@pytest.mark.parametrize(("name", "metric"), [("bleu", BLEU), ("chrf", CHRF), ("ter", TER)])
def test_the_test_is_sacrebleus(name, metric):
    comparison = assay.compare(None, results([name]), samples=4000)
    (pair,) = comparison.pairs
    _, found = PairedTest(list(ANSWERS.items()), {name: metric()}, [REFERENCES], test_type="ar", n_samples=4000)()
    (scores,) = [found[each] for each in found if each != "System"]
    assert (pair.mean_a, pair.mean_b) == pytest.approx([each.score for each in scores])
    assert pair.difference == pytest.approx(scores[1].score - scores[0].score)
    assert 0.01 < pair.p < 0.9
    if name == "ter":
        # Edits are few, so that many ways to swap move it exactly as far; sacrebleu does not count these.
        assert scores[1].p_value < pair.p < scores[1].p_value + 0.2
    else:
        assert pair.p == pytest.approx(scores[1].p_value, abs=0.03)
    assert pair.low < pair.difference < pair.high
    assert [row[2].value for row in comparison.table().rows] == [pair.mean_a, pair.mean_b]


def test_what_is_of_questions_alone_is_said():
    comparison = assay.compare(None, results(["bleu"]), samples=500)
    (pair,) = comparison.pairs
    assert pair.wins + pair.ties + pair.losses == len(REFERENCES)
    assert math.isnan(pair.cohen_d)
    assert math.isnan(pair.detectable)
    (said,) = [str(note).split("; ") for note in comparison.notes if note.kind == "pooled"]
    tested = "bleu: a score of summed statistics, which is what is tested"
    assert said == [tested, "wins, ties, losses and Cliff's delta are per query"]
    assert "NaN" not in str(comparison)
    same = assay.compare(None, results(["bleu"], one=ANSWERS["one"], two=ANSWERS["one"]), samples=500)
    assert (same.pairs[0].difference, same.pairs[0].low, same.pairs[0].high, same.pairs[0].p) == (0, 0, 0, 1)
    assert "equal" in {note.kind for note in same.notes}


def test_a_mean_beside_it_is_compared_as_always():
    both = assay.compare(None, results(["f1", "bleu", "em"]), samples=500, correction="none")
    alone = assay.compare(None, results(["f1", "em"]), samples=500, correction="none")
    assert [each for each in both.pairs if each.measure != "bleu"] == alone.pairs
    assert [each.measure for each in both.pairs] == ["f1", "bleu", "em"]


def test_questions_without_a_value_are_left_out_of_the_score():
    references = [*REFERENCES[:-1], []]
    comparison = assay.compare(None, results(["bleu"], references), samples=500)
    less = {name: each[:-1] for name, each in ANSWERS.items()}
    shorter = assay.compare(None, results(["bleu"], REFERENCES[:-1], **less), samples=500)
    assert list(map(str, comparison.pairs)) == list(map(str, shorter.pairs))
    assert comparison.caption.startswith("Means over 39 of 40 queries with a value in every run.")
    none = assay.compare(None, results(["bleu"], [[]] * 40), samples=500)
    assert math.isnan(none.pairs[0].p)
    assert math.isnan(none.pairs[0].difference)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "bootstrap", "tukey", "tukey_randomized"])
def test_other_tests_are_of_means(test):
    with pytest.raises(assay.errors.MeasureError) as caught:
        assay.compare(None, results(["bleu"]), test=test)
    assert str(caught.value) == (
        'bleu is a score of summed statistics; it can only be tested with test="randomization"; '
        "for any test, use the mean: bleu(aggregate=mean)"
    )
    (pair,) = assay.compare(None, results(["bleu(aggregate=mean)"]), test=test, samples=200).pairs
    assert pair.difference == pytest.approx(pair.mean_b - pair.mean_a)
    assert 0 <= pair.p <= 1


def test_stored_results_are_compared_by_their_statistics(tmp_path):
    first = results(["bleu", "f1"])
    first["one"].save(tmp_path / "one.json")
    mixed = {"one": assay.load_result(tmp_path / "one.json"), "two": first["two"]}
    expected, found = (assay.compare(None, each, samples=200) for each in (first, mixed))
    assert list(map(str, found.pairs)) == list(map(str, expected.pairs))
    content = without_checksum(tmp_path / "one.json")
    del content["statistics"]
    (tmp_path / "one.json").write_text(json.dumps(content))
    mixed["one"] = assay.load_result(tmp_path / "one.json")
    said = "and 'one' has none: it was stored by an older assay; evaluate"
    with pytest.raises(assay.errors.MeasureError, match=said):
        assay.compare(None, mixed)
    assert [pair.measure for pair in assay.compare(None, mixed, ["f1"]).pairs] == ["f1"]
