"""Scoring a run: `evaluate`, `evaluate_many`, `evaluate_labels`, `evaluate_answers` and `Evaluator`."""
