"""What holds for every measure of answers: one test a property, over the whole table."""

import subprocess
import sys

import numpy as np
import pytest
import sacrebleu

import assay
import assay.measures.answers  # enters them into the table
from assay.measures import TABLE, parse
from tables import for_each

BUILT_IN = [each for each in TABLE.values() if each.of == "answers"]
NAMES = [f"{each.name}(n=2)" if each.name == "rouge_n" else each.name for each in BUILT_IN]


@for_each("definition", BUILT_IN)
def test_example_computes_to_its_value(definition):
    measure, references, prediction, value, working = definition.example
    assert parse(measure).definition is definition
    result = assay.evaluate_answers([references], [prediction], measure)
    assert result.scores[measure].tolist() == pytest.approx([value], abs=1e-4)
    assert working


@for_each("name", NAMES)
def test_its_name_parses_back_to_it(name):
    assert parse(str(parse(name))) == parse(parse(name).full_name) == parse(name)


MODELS = {"bleu": f"sacrebleu {sacrebleu.__version__}", "rouge_l": "as rouge-score 0.1.2"}
MODELS["meteor"] = "as nltk 3.10, Porter's stemmer, WordNet 3.0"


@for_each("name, model", MODELS.items())
def test_the_signature_names_the_software(name, model):
    signature = str(assay.evaluate_answers(["a"], ["a"], name).signature)
    assert signature.endswith(f"answers measures: {parse(name).full_name}[{model}]")


@for_each("name", NAMES)
def test_the_same_text_is_the_best_there_is(name):
    text = "the committee published its annual report"
    definition = parse(name).definition
    best = definition.range[1] if definition.higher_is_better else definition.range[0]
    tolerance = 0.003 if name == "meteor" else 1e-12
    assert assay.evaluate_answers([text], [text], name)[name] == pytest.approx(best, abs=tolerance)


WORDS = ["a\x00b", "\x1b[31m", "שלום עולם", "\u202eabc", "東京都", "é" * 50, "👩‍👩‍👧", "the", "....", "ǅ İ ß ﬁ"]
ODD = [None, "", " ", "\n\n", "\ud800", *WORDS]


@for_each("name", NAMES)
def test_odd_texts_have_a_defined_score(name):
    references = [[right] for right in ODD for _ in ODD]
    predictions = [given for _ in ODD for given in ODD]
    low, high = parse(name).definition.range
    scores = assay.evaluate_answers(references, predictions, name).scores[name].reshape(len(ODD), -1)
    # None counts as no reference, and as an empty answer.
    assert np.isnan(scores[0]).all()
    assert ((scores[1:] >= low) & (scores[1:] <= high + 1e-9)).all()
    np.testing.assert_array_equal(scores[:, 0], scores[:, 1])


@for_each("name", NAMES)
def test_questions_do_not_touch_each_other(name):
    references = [["the cat sat on the mat", "a cat"], [], [""], ["dogs run\nfast"], ["the cat"]]
    predictions = ["the cat sat", "x", "cat", "fast dogs", "the cat"]
    together = assay.evaluate_answers(references, predictions, name).scores[name]
    pairs = zip(references, predictions, strict=True)
    apart = [assay.evaluate_answers([right], [given], name).scores[name][0] for right, given in pairs]
    np.testing.assert_array_equal(together, apart)


@for_each("name", NAMES)
def test_a_megabyte_has_a_score(name):
    """In quadratic time each would take hours."""
    generator = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(5000)])
    reference, prediction = (" ".join(generator.choice(words, 120_000)) for _ in range(2))
    assert len(prediction) > 1_000_000
    result = assay.evaluate_answers([[reference], ["x" * 1_000_000]], [prediction, "x y"], name)
    assert not np.isnan(result.scores[name]).any()


@pytest.mark.slow
def test_a_hundred_thousand_answers_in_bounded_memory():
    """The texts take 60 MB; what comes on top is a few times that. TER and chrF would only take long."""
    code = f"""
import assay, random
generator = random.Random(0)
words = ["word%d" % number for number in range(5000)]
texts = [" ".join(generator.choices(words, k=50)) for _ in range(100_000)]
names = {[name for name in NAMES if name not in ("ter", "chrf")]!r}
assay.evaluate_answers(texts, [text[: generator.randrange(400)] for text in texts], names)
print(*open("/proc/self/status"))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("VmHWM"))
    assert int(line.split()[1]) / 1024 < 700
