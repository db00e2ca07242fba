"""What LLM judges and embedders do beside judging answers: judgments, questions, pairs, criteria, similarity."""

from assay.measures.answers import semantic
from assay.tasks.judge.collection import judge_relevance, make_questions
from assay.tasks.judge.judge import Judge
from assay.tasks.judge.pairwise import pairwise
from assay.tasks.judge.words import read_criteria

__all__ = ["Judge", "judge_relevance", "make_questions", "pairwise", "read_criteria", "semantic"]
