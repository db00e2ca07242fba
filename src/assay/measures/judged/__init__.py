"""Measures that an LLM judges: what is asked about a record, and the score that the verdicts give.

    @define_judged("faithfulness", prompts=(STATEMENTS, SUPPORT), …)
    def faithfulness(case: Case) -> Steps:
        statements = yield from split_statements(case.answer, case.question)
        verdicts = yield from check_support(statements, case.contexts, case.room)
        return share(verdicts)

A measure is a generator: it yields requests, gets the replies and returns a `Finding`. It does no I/O: the same replies
give the same score.
"""
