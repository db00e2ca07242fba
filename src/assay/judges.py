"""What LLM judges and embedders do beside judging answers: judgments, questions, pairs, criteria, similarity."""

from assay.measures.answers import semantic
from assay.tasks.judge.criteria import read_criteria
from assay.tasks.judge.judge import Judge
from assay.tasks.judge.pairwise import pairwise
from assay.tasks.judge.questions import make_questions
from assay.tasks.judge.relevance import judge_relevance

__all__ = ["Judge", "judge_relevance", "make_questions", "pairwise", "read_criteria", "semantic"]
