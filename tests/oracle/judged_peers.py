"""ragas' and LlamaIndex's judged measures against assay's, given the same verdicts: run by hand.

    pip install ragas==0.4.3 "langchain-community<0.4" "langchain<1" "langchain-core<1" llama-index-core==0.14.24
    RAGAS_DO_NOT_TRACK=true python -W ignore tests/oracle/judged_peers.py

The tools' own code runs, with a language model that replies from a list; it prints how many draws agree. What is drawn
is random with a fixed seed: numbers of statements from 0 on, verdicts, ratings, embeddings. The tools are too heavy,
and their dependencies too often broken, for the test suite, which has literal tables of the same formulas.
"""

import asyncio
import math
import random
import sys

from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.evaluation import (
    AnswerRelevancyEvaluator,
    ContextRelevancyEvaluator,
    CorrectnessEvaluator,
    FaithfulnessEvaluator,
    GuidelineEvaluator,
    RelevancyEvaluator,
    SemanticSimilarityEvaluator,
)
from llama_index.core.llms import CustomLLM
from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics import collections as ragas

from assay.conventions import find_convention, judged_names, parse_measure
from assay.measures.judged.case import replay

DRAWS = 200
RECORD = {"question": "Who?", "answer": "The answer.", "references": ["The reference."]}
RAGAS_NAMES = judged_names(find_convention("ragas"))


class Scripted(InstructorBaseRagasLLM):
    """Replies from a list, in the form that is asked for; an exception in it is raised."""

    def __init__(self, replies):
        self.replies = list(replies)

    def generate(self, prompt, response_model):
        raise NotImplementedError

    async def agenerate(self, prompt, response_model):  # noqa: ARG002 - their interface
        return response_model.model_validate(self.replies.pop(0))


class Embedder(BaseRagasEmbedding):
    def __init__(self, vectors):
        super().__init__()
        self.vectors = vectors

    def embed_text(self, text, **_):
        return self.vectors[text]

    async def aembed_text(self, text, **_):
        return self.vectors[text]


def nli(verdicts):
    return {"statements": [{"statement": "s", "reason": "r", "verdict": int(each)} for each in verdicts]}


def ours(verdicts):
    return {"verdicts": [{"reason": "r", "verdict": bool(each)} for each in verdicts]}


def statements(number, letter="s"):
    return {"statements": [f"{letter}{at}" for at in range(number)]}


def bits(draw, number):
    return [draw.random() < 0.6 for _ in range(number)]


def vector(draw):
    return [draw.gauss(0, 1) for _ in range(4)]


def theirs(metric, **texts):
    return asyncio.run(metric.ascore(**texts)).value


def precision_of(draw, metric, name, **texts):
    verdicts = bits(draw, draw.randint(1, 6))
    contexts = [f"c{at}" for at in range(len(verdicts))]
    replies = [{"reason": "r", "verdict": int(each)} for each in verdicts]
    found = theirs(metric(llm=Scripted(replies)), user_input="q", retrieved_contexts=contexts, **texts)
    asked = [{"reason": "r", "verdict": each} for each in verdicts]
    return found, replay(RAGAS_NAMES[name], {**RECORD, "retrieved_texts": contexts}, asked)


def ragas_context_precision(draw):
    return precision_of(draw, ragas.ContextPrecisionWithReference, "context_precision_with_reference", reference="r")


def ragas_context_utilization(draw):
    return precision_of(draw, ragas.ContextPrecisionWithoutReference, "contextprecisionwithoutreference", response="a")


def ragas_context_recall(draw):
    verdicts = bits(draw, draw.randint(0, 6))
    rows = [{"statement": "s", "reason": "r", "attributed": int(each)} for each in verdicts]
    metric = ragas.ContextRecall(llm=Scripted([{"classifications": rows}]))
    found = theirs(metric, user_input="q", reference="r", retrieved_contexts=["c"])
    replies = [statements(len(verdicts)), *([ours(verdicts)] if verdicts else [])]
    return found, replay(measure("ContextRecall"), {**RECORD, "retrieved_texts": ["c"]}, replies)


def ragas_context_entity_recall(draw):
    names = [["Ada", "Rome", "Oslo", "1889", "Paris"][: draw.randint(0, 5)] for _ in range(2)]
    draw.shuffle(names[1])
    names = [names[0] + names[0][:1], names[1][: draw.randint(0, 5)]]
    replies = [{"entities": each} for each in names]
    metric = ragas.ContextEntityRecall(llm=Scripted(replies))
    found = theirs(metric, reference="r", retrieved_contexts=["c"])
    return found, replay(measure("ContextEntityRecall"), {**RECORD, "retrieved_texts": ["c"]}, replies)


def ragas_faithfulness(draw):
    verdicts = bits(draw, draw.randint(0, 6))
    metric = ragas.Faithfulness(llm=Scripted([statements(len(verdicts)), nli(verdicts)]))
    found = theirs(metric, user_input="q", response="a", retrieved_contexts=["c"])
    replies = [statements(len(verdicts)), *([ours(verdicts)] if verdicts else [])]
    return found, replay(measure("Faithfulness"), {**RECORD, "retrieved_texts": ["c"]}, replies)


def ragas_noise_sensitivity(draw):
    mode = draw.choice(["relevant", "irrelevant"])
    number, wanted, contexts = draw.randint(1, 4), draw.randint(1, 3), draw.randint(1, 4)
    right = bits(draw, number)
    by_answer = [bits(draw, number) for _ in range(contexts)]
    by_reference = [bits(draw, wanted) if draw.random() < 0.5 else [False] * wanted for _ in range(contexts)]
    split = [statements(wanted, "r"), statements(number, "a")]
    pairs = zip(by_reference, by_answer, strict=True)
    replies = [*split, *(nli(each) for pair in pairs for each in pair), nli(right)]
    texts = [f"c{at}" for at in range(contexts)]
    metric = ragas.NoiseSensitivity(llm=Scripted(replies), mode=mode)
    found = theirs(metric, user_input="q", response="a", reference="r", retrieved_contexts=texts)
    pairs = zip(by_answer, by_reference, strict=True)
    asked = [split[1], split[0], ours(right), *(ours(each) for pair in pairs for each in pair)]
    return found, replay(measure(f"NoiseSensitivity(mode={mode})"), {**RECORD, "retrieved_texts": texts}, asked)


def ragas_answer_relevancy(draw):
    vectors = {name: vector(draw) for name in ("Who?", "q0", "q1", "q2")}
    evasive = draw.choice([bits(draw, 3), [True] * 3])
    rows = [{"question": f"q{at}", "noncommittal": int(each)} for at, each in enumerate(evasive)]
    metric = ragas.AnswerRelevancy(llm=Scripted(rows), embeddings=Embedder(vectors))
    found = theirs(metric, user_input="Who?", response="a")
    asked = {"questions": [{**each, "noncommittal": bool(each["noncommittal"])} for each in rows]}
    return found, replay(measure("AnswerRelevancy"), RECORD, [asked, list(vectors.values())])


def ragas_answer_correctness(draw):
    answer, reference = bits(draw, draw.randint(0, 4)), bits(draw, draw.randint(0, 4))
    if bool(answer) != bool(reference):
        # The two versions in ragas disagree: 1 if one list is empty, and F of an empty classification.
        answer = reference = []
    split = [statements(len(answer), "a"), statements(len(reference), "r")]
    row = {"statement": "s", "reason": "r"}
    groups = {"TP": [row] * sum(answer), "FP": [row] * (len(answer) - sum(answer))}
    groups["FN"] = [row] * (len(reference) - sum(reference))
    vectors = {"The answer.": vector(draw), "The reference.": vector(draw)}
    beta = draw.choice([1.0, 0.5, 2.0])
    parts = {"llm": Scripted([*split, groups]), "embeddings": Embedder(vectors)}
    metric = ragas.AnswerCorrectness(**parts, weights=[0.75, 0.25], beta=beta)
    found = theirs(metric, user_input="q", response="The answer.", reference="The reference.")
    checked = [ours(each) for each in (answer, reference) if each]
    name = f"AnswerCorrectness(beta={beta})"
    return found, replay(measure(name), RECORD, [*split, *checked, list(vectors.values())])


def ragas_factual_correctness(draw):
    mode = draw.choice(["f1", "precision", "recall"])
    answer, reference = bits(draw, draw.randint(0, 4)), bits(draw, draw.randint(0, 4))
    beta = draw.choice([1.0, 0.5, 2.0])

    class Claims(Scripted):
        """Asked at the same time for both texts, it looks which one is meant."""

        async def agenerate(self, prompt, response_model):
            if response_model.__name__ == "ClaimDecompositionOutput":
                of_answer = prompt.rfind("The answer.") > prompt.rfind("The reference.")
                letter, claims = ("a", answer) if of_answer else ("r", reference)
                return response_model.model_validate({"claims": [f"{letter}{at}" for at, _ in enumerate(claims)]})
            verdicts = answer if '"a0"' in prompt else reference
            return response_model.model_validate(nli(verdicts))

    metric = ragas.FactualCorrectness(llm=Claims([]), mode=mode, beta=beta)
    found = theirs(metric, response="The answer.", reference="The reference.")
    split, checked = [statements(len(answer), "a")], [ours(answer)] if answer else []
    if mode != "precision":
        split.append(statements(len(reference), "r"))
        checked += [ours(reference)] if reference else []
    return found, replay(measure(f"FactualCorrectness(mode={mode},beta={beta})"), RECORD, [*split, *checked])


def ragas_semantic_similarity(draw):
    vectors = {"The answer.": vector(draw), "The reference.": vector(draw)}
    threshold = draw.choice([None, 0.2])
    metric = ragas.SemanticSimilarity(embeddings=Embedder(vectors), threshold=threshold)
    found = theirs(metric, response="The answer.", reference="The reference.")
    name = "SemanticSimilarity" + ("" if threshold is None else f"(threshold={threshold})")
    return found, replay(measure(name), RECORD, [list(vectors.values())])


def rated(draw, name, highest, **texts):
    levels = [draw.randint(0, 2) for _ in range(2)]
    replies = [{"rating": each * highest // 2} for each in levels]
    found = theirs(getattr(ragas, name)(llm=Scripted(replies)), **texts)
    asked = [{"reason": "r", "rating": each} for each in levels]
    return found, replay(measure(name), {**RECORD, "retrieved_texts": ["c"]}, asked)


def ragas_context_relevance(draw):
    return rated(draw, "ContextRelevance", 2, user_input="Who?", retrieved_contexts=["c"])


def ragas_response_groundedness(draw):
    return rated(draw, "ResponseGroundedness", 2, response="a", retrieved_contexts=["c"])


def ragas_answer_accuracy(draw):
    return rated(draw, "AnswerAccuracy", 4, user_input="q", response="a", reference="r")


class Completer(CustomLLM):
    """Replies with one text, whatever it is asked."""

    text: str = ""

    @property
    def metadata(self):
        return LLMMetadata()

    def complete(self, prompt, formatted=False, **_):  # noqa: ARG002 - their interface
        return CompletionResponse(text=self.text)

    def stream_complete(self, prompt, formatted=False, **_):
        raise NotImplementedError


class FixedEmbedding(BaseEmbedding):
    vectors: dict

    def _get_text_embedding(self, text):
        return self.vectors[text]

    def _get_query_embedding(self, query):
        return self.vectors[query]

    async def _aget_query_embedding(self, query):
        return self.vectors[query]


GIVEN = {"query": "Who?", "response": "The answer.", "contexts": ["c"], "reference": "The reference."}


def evaluator(draw, kind, name):
    verdict = draw.random() < 0.5
    result = kind(llm=Completer(text="YES" if verdict else "NO")).evaluate(**GIVEN)
    reply = ours([verdict]) if name == "faithfulness" else {"reason": "r", "verdict": verdict}
    assert result.passing == bool(result.score)
    return result.score, replay(measure(name, "llama_index"), {**RECORD, "retrieved_texts": ["c"]}, [reply])


def llama_faithfulness(draw):
    return evaluator(draw, FaithfulnessEvaluator, "faithfulness")


def llama_relevancy(draw):
    return evaluator(draw, RelevancyEvaluator, "relevancy")


def llama_answer_relevancy(draw):
    points = bits(draw, 2)
    result = AnswerRelevancyEvaluator(llm=Completer(text=f"r\n[RESULT] {sum(points)}")).evaluate(**GIVEN)
    reply = {"reason": "r", "subject": points[0], "focus": points[1]}
    return result.score, replay(measure("AnswerRelevancyEvaluator", "llama_index"), RECORD, [reply])


def llama_context_relevancy(draw):
    points = [draw.choice([0, 0.5, 1, 1.5, 2]) for _ in range(2)]
    result = ContextRelevancyEvaluator(llm=Completer(text=f"r\n[RESULT] {sum(points)}")).evaluate(**GIVEN)
    reply = {"reason": "r", "subject": points[0], "sufficiency": points[1]}
    record = {**RECORD, "retrieved_texts": ["c"]}
    return result.score, replay(measure("context_relevancy", "llama_index"), record, [reply])


def llama_correctness(draw):
    grade = draw.choice([1, 1.5, 2, 3, 3.5, 4, 4.5, 5])
    result = CorrectnessEvaluator(llm=Completer(text=f"{grade}\nreason")).evaluate(**GIVEN)
    reply = {"reason": "r", "grade": grade}
    passing = replay(measure("correctness.passing", "llama_index"), RECORD, [reply])
    assert passing.score == result.passing
    return result.score, replay(measure("correctness", "llama_index"), RECORD, [reply])


def llama_guideline(draw):
    verdict = draw.random() < 0.5
    text = f'{{"passing": {str(verdict).lower()}, "feedback": "f"}}'
    result = GuidelineEvaluator(llm=Completer(text=text), guidelines="Be kind.").evaluate(**GIVEN)
    reply = {"reason": "r", "verdict": verdict}
    return result.score, replay(measure('guideline(guidelines="Be kind.")', "llama_index"), RECORD, [reply])


def llama_semantic_similarity(draw):
    vectors = {"The answer.": vector(draw), "The reference.": vector(draw)}
    if draw.random() < 0.3:
        vectors["The reference."] = [each * 1.1 + 0.05 for each in vectors["The answer."]]
    kind = SemanticSimilarityEvaluator(embed_model=FixedEmbedding(vectors=vectors))
    result = asyncio.run(kind.aevaluate(**GIVEN))
    passing = replay(measure("semantic_similarity.passing", "llama_index"), RECORD, [list(vectors.values())])
    assert passing.score == result.passing
    return result.score, replay(measure("semantic_similarity", "llama_index"), RECORD, [list(vectors.values())])


def measure(name, tool="ragas"):
    return parse_measure(name, convention=tool)


def main():
    chosen = [each for name, each in globals().items() if name.startswith(("ragas_", "llama_"))]
    wrong = 0
    for each in chosen:
        draw = random.Random(13)
        agree, exact = 0, 0
        for _ in range(DRAWS):
            found, finding = each(draw)
            both_nan = math.isnan(found) and math.isnan(finding.score)
            exact += both_nan or found == finding.score
            agree += both_nan or math.isclose(found, finding.score, rel_tol=1e-12, abs_tol=1e-12)
        wrong += DRAWS - agree
        sys.stdout.write(f"{each.__name__:26} {agree} of {DRAWS} agree, {exact} to the last bit\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
