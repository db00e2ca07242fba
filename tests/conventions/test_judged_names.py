"""ragas' and LlamaIndex's names for what an LLM judges, and their numbers given the verdicts."""

import json

import pytest

import assay
from assay.conventions import expand, find_convention, judged_names
from judges import Script
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada.", "references": ["Ada L."], "retrieved_texts": ["x", "y"]}


@for_each(
    ("tool", "name", "measure"),
    [
        ("ragas", "Faithfulness", "faithfulness"),
        ("ragas", "LLMContextRecall", "context_recall"),
        ("ragas", "ContextEntityRecall", "context_entity_recall(norm=about_reference)"),
        ("ragas", "noise_sensitivity(mode=irrelevant)", "noise_sensitivity(mode=irrelevant)"),
        ("ragas", "ResponseRelevancy(strictness=1)", "answer_relevancy(strictness=1)"),
        ("ragas", "AnswerCorrectness(weights=1;0)", "answer_correctness(weights=1;0)"),
        ("ragas", "factual_correctness(mode=f1)", "factual_correctness(claims=mixed,digits=2)"),
        ("ragas", "FactualCorrectness(mode=recall)", "factual_correctness(mode=recall,claims=mixed,digits=2)"),
        ("ragas", "semantic_similarity", "semantic_similarity"),
        ("ragas", "SemanticSimilarity(threshold=0.7)", "semantic_similarity(threshold=0.7)"),
        ("ragas", "answer_similarity", "semantic_similarity"),
        ("ragas", "nv_accuracy", "answer_accuracy(either=true)"),
        ("ragas", "nv_context_relevance", "context_relevance(either=true)"),
        ("ragas", "ResponseGroundedness", "groundedness(either=true)"),
        ("ragas", 'AspectCritic(definition="Is it short, and kind?")', 'aspect(criterion="Is it short, and kind?")'),
        ("ragas", 'RubricsScore(rubrics="0: no; 1: yes")', 'rubric(levels="0: no; 1: yes",see=reference)'),
        ("llama_index", "faithfulness", "faithfulness(unit=answer)"),
        ("llama_index", "FaithfulnessEvaluator", "faithfulness(unit=answer)"),
        ("llama_index", "RelevancyEvaluator", "relevancy"),
        ("llama_index", "answer_relevancy", "answer_relevancy(method=points)"),
        ("llama_index", "ContextRelevancyEvaluator", "context_relevance(method=points)"),
        ("llama_index", "correctness", "correctness"),
        ("llama_index", "correctness.passing", "correctness(threshold=4)"),
        ("llama_index", "CorrectnessEvaluator.passing(score_threshold=3)", "correctness(threshold=3)"),
        ("llama_index", "SemanticSimilarityEvaluator", "semantic_similarity"),
        ("llama_index", "semantic_similarity.passing", "semantic_similarity(threshold=0.8)"),
        ("llama_index", 'GuidelineEvaluator(guidelines="Be kind.")', 'guideline(criterion="Be kind.")'),
    ],
)
def test_names(tool, name, measure):
    assert str(assay.parse_measure(name, convention=tool)) == str(assay.parse_measure(measure))
    assert str(assay.parse_measure(f"{tool}:{name}")) == str(assay.parse_measure(measure))


def test_names_without_a_convention():
    assert str(assay.parse_measure("factual_correctness")) == "factual_correctness"
    assert str(assay.parse_measure("ResponseGroundedness")) == "groundedness(either=true)"
    for tool, name in (("ragas", "AspectCritic"), ("llama_index", "guideline")):
        with pytest.raises(assay.errors.MeasureError, match=f"{tool} requires"):
            assay.parse_measure(f"{tool}:{name}")


OF_REFERENCE = "context_precision(norm=about_found,nothing=zero)"
OF_ANSWER = "context_precision(against=answer,norm=about_found,nothing=zero)"
ASKED = [
    ("ragas", "ContextPrecision", OF_REFERENCE),
    ("ragas", "context_precision", OF_REFERENCE),
    ("ragas", "LLMContextPrecisionWithReference", OF_REFERENCE),
    ("ragas", "context_precision_with_reference", "context_precision(norm=about_found)"),
    ("ragas", "ContextUtilization", OF_ANSWER),
    ("ragas", "ContextPrecisionWithoutReference", "context_precision(against=answer,norm=about_found)"),
    ("ragas", "context_precision(against=answer)", OF_ANSWER),
    ("assay", "ragas:ContextUtilization", OF_ANSWER),
    ("assay", "ContextPrecision", OF_REFERENCE),
    ("assay", "context_precision", "context_precision"),
]


@for_each(("convention", "name", "measure"), ASKED)
def test_with_a_judge_context_precision_is_judged(convention, name, measure):
    script = Script('{"reason": "", "verdict": true}')
    judge = assay.Judge(script, cache=False)
    result = assay.evaluate_rag([RECORD], [name], judge=judge, convention=convention)
    assert str(result.measures[name]) == str(assay.parse_measure(measure))
    assert result[name] == (2 / (2 + 1e-10) if "about_found" in measure else 1)
    assert len(script.asked) == 2


def test_the_names_for_a_judge_are_names_of_the_tool():
    ragas = find_convention("ragas")
    for name, measure in ragas.judged.items():
        assert expand(name, ragas, {}) is not None
        assert assay.parse_measure(measure).definition.of == "judged"
    assert not judged_names(find_convention("trec_eval")).keys() & {"contextprecision"}


def test_nothing_retrieved_is_0_in_ragas_and_has_no_score_here():
    records = [{"query_id": "q1", "question": "?", "references": ["r"], "retrieved_texts": []}]
    names = ["ragas:ContextPrecision", "context_precision"]
    result = assay.evaluate_rag(records, names, judge=assay.Judge(Script("{}"), cache=False))
    assert result["ragas:ContextPrecision"] == 0
    assert result.counted("context_precision") == 0


def test_both_forms_of_factual_correctness_in_one_call():
    def judge(messages):
        content = messages[1]["content"]
        if "<statement " in content:
            verdicts = [True] * 4 if "<statement 4" in content else [True, False]
            return json.dumps({"verdicts": [{"reason": "", "verdict": each} for each in verdicts]})
        return json.dumps({"statements": ["r1", "r2"] if "Ada L." in content else ["a1", "a2", "a3", "a4"]})

    names = ["factual_correctness", "ragas:FactualCorrectness", "ragas:FactualCorrectness(mode=recall)"]
    result = assay.evaluate_rag([RECORD], names, judge=assay.Judge(judge, cache=False))
    assert list(result.mean.values()) == pytest.approx([2 / 3, 0.89, 0.8])
