"""What holds for every judged measure: one test per property, over the whole table."""

import inspect

import pytest

import assay
from assay.core.ruling import Embed, JudgeFailure, Prompt, Reply, RulingKind, run_steps
from assay.data.records.read import read_records
from assay.measures import TABLE, parse
from assay.measures.judged.case import Case, replay
from assay.tasks.judge import collection, pairwise
from assay.tasks.judge.limits import EstimateOnly, JudgeEstimate, made_up
from judges import Script
from tables import for_each

BUILT_IN = [each for each in TABLE.values() if each.of == "judged"]
PROMPTS = {prompt.name: prompt for each in BUILT_IN for prompt in each.prompts}
RECORD = {"question": "?", "answer": "a", "references": ["r"], "retrieved_texts": ["c", "d"]}


def shortest(definition):
    """The measure with the parameters that it needs, from its example."""
    values = parse(definition.example.measure).values
    needed = {name: each.default is inspect.Parameter.empty for name, each in definition.parameters.items()}
    return definition(**{name: values[name] for name, is_needed in needed.items() if is_needed})


def steps_of(measure, record):
    # A record beside it has what records need at least.
    only = read_records([{"query_id": "0", **record}, {"query_id": "1", "gold": ["d"]}]).each[0]
    return measure.definition.function(Case(only), **measure.values)


@for_each("definition", BUILT_IN)
def test_example_computes_to_its_value_with_its_own_prompts(definition):
    example, asked = definition.example, set()
    assert parse(example.measure).definition is definition
    finding = replay(example.measure, example.record, example.replies)
    assert finding.score == pytest.approx(example.value, abs=1e-9)
    assert finding.verdicts
    low, high = definition.range
    assert low <= finding.score <= high
    rest = iter(example.replies)

    def reply(request):
        given = next(rest)
        if isinstance(request, Embed):
            return given
        asked.add(str(request.prompt))
        return given if isinstance(given, Reply) else Reply(request.read(given))

    run_steps(steps_of(parse(example.measure), example.record), reply)
    assert asked <= set(map(str, definition.prompts))


@for_each("definition", BUILT_IN)
def test_its_name_parses_back_to_it(definition):
    for measure in (shortest(definition), parse(definition.example.measure)):
        assert parse(str(measure)) == measure
        assert parse(measure.full_name) == measure
        assert assay.parse_measure(str(measure)) == measure


@for_each("definition", BUILT_IN)
def test_a_record_without_texts_is_unjudgeable_and_nothing_is_asked(definition):
    with pytest.raises(JudgeFailure) as failure:
        next(steps_of(shortest(definition), {"question": "?"}))
    assert failure.value.kind is RulingKind.UNJUDGEABLE
    assert failure.value.detail.startswith(("no ", "nothing "))


@for_each("prompt", PROMPTS.values())
def test_prompts_are_short_and_mean_one_thing_and_ask_for_json(prompt):
    assert all(each is prompt for definition in BUILT_IN for each in definition.prompts if each.name == prompt.name)
    assert prompt.task == prompt.task.strip()
    assert prompt.version >= 1
    assert len(prompt.task) < 1200
    assert prompt.name.replace("_", "").isalnum()
    assert prompt.ask({"text": "x"}, count=2).schema()["type"] == "object"


@for_each("definition", BUILT_IN)
def test_its_cost_can_be_estimated(definition):
    judge = assay.Judge(lambda _: "", embedder=lambda texts: [[1.0]] * len(texts), cache=False)
    judge.estimate = JudgeEstimate()
    with pytest.raises(EstimateOnly):
        assay.evaluate_rag([RECORD], [shortest(definition)], judge=judge)
    assert judge.estimate.calls > 0


@for_each("definition", BUILT_IN)
def test_made_up_replies_give_a_score_in_its_range(definition):
    def reply(request):
        if isinstance(request, Embed):
            return [[1.0, float(at)] for at, _ in enumerate(request.texts)]
        return Reply(request.read(made_up(request.prompt.reply, request.count)))

    finding = run_steps(steps_of(shortest(definition), RECORD), reply)
    low, high = definition.range
    assert low <= finding.score <= high
    assert finding.verdicts


def test_words_replace_those_of_a_prompt_and_a_typo_is_an_error():
    script = Script('{"verdicts": [{"reason": "", "verdict": true}]}')
    words = {"support": "Only what is stated word for word counts."}
    # Words for what other tasks ask may stand beside it.
    others = [each for module in (pairwise, collection) for each in vars(module).values() if isinstance(each, Prompt)]
    words |= {prompt.name: "Which is shorter?" for prompt in others}
    judge = assay.Judge(script, cache=False, prompts=words)
    result = assay.evaluate_rag([RECORD], ["faithfulness(unit=answer)"], judge=judge)
    assert script.asked[0][0]["content"].startswith("Only what is stated word for word counts.")
    assert "own_prompts=answerable=" in str(result.signature)
    judge = assay.Judge(script, cache=False, prompts={"suport": "x"})
    with pytest.raises(assay.errors.MeasureError, match=r"unknown prompt 'suport'; did you mean support\?"):
        assay.evaluate_rag([RECORD], ["faithfulness(unit=answer)"], judge=judge)
    assert len(script.asked) == 1
