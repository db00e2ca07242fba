"""Measures that an LLM judges: what is asked about a record, and the score that the verdicts give.

A measure is a generator: it yields requests, gets the replies and returns a `Finding`. It does no I/O: the same replies
give the same score. CONTRIBUTING.md shows one.
"""
