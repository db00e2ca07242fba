"""`assay trec_eval`: takes trec_eval's command line, and prints what trec_eval 10 prints."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from assay.compat.trec_eval.options import Settings, read_options
from assay.compat.trec_eval.outcome import NOTHING_IN_COMMON, Stop

if TYPE_CHECKING:
    from collections.abc import Iterator


class Untouched(click.Command):
    """A command that takes its arguments apart itself."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["arguments"] = list(args)
        return []


@click.command("trec_eval", cls=Untouched, add_help_option=False, short_help="Be trec_eval 10: the same, but faster.")
def command(arguments: list[str]) -> None:
    """Takes trec_eval's options and prints what it prints."""
    click.get_current_context().exit(run(arguments))


def run(arguments: list[str]) -> int:
    """Runs trec_eval and gives its exit code."""
    output, errors = sys.stdout.buffer, sys.stderr.buffer
    code = 0
    try:
        for text in lines(arguments):
            output.write(text.encode(errors="surrogateescape"))
    except Stop as stop:
        code = stop.code
        output.flush()
        errors.write(stop.text.encode(errors="surrogateescape"))
        errors.flush()
    output.flush()
    return code


def lines(arguments: list[str]) -> Iterator[str]:
    """What is printed, some lines at a time."""
    settings = read_options(arguments)
    if settings.help:
        from assay.compat.trec_eval.help import help_text

        yield help_text(settings)
        return
    yield from evaluated(settings)


def evaluated(settings: Settings) -> Iterator[str]:
    """The values of the run. Errors come in the order in which trec_eval finds them."""
    from assay.compat.trec_eval.evaluation import Evaluator
    from assay.compat.trec_eval.judgments import read_judgments
    from assay.compat.trec_eval.run import rank_run
    from assay.compat.trec_eval.values import list_values
    from assay.compat.trec_eval.write import write_summary, write_topics
    from assay.compat.trec_eval.zscores import read_zscores, standardized

    judgments = read_judgments(settings.files[0], settings.rel_format)
    run = rank_run(settings, judgments)
    references = None if settings.zscores is None else read_zscores(settings.zscores)
    values = list_values(settings)
    evaluator = Evaluator(settings, judgments, run)
    failure = evaluator.failure(values)
    evaluation = evaluator.evaluate(values, None if failure is None else failure.topic)
    if references is not None:
        evaluation.columns = standardized(evaluation, references)
    if settings.by_query:
        yield from write_topics(evaluation, is_zscore=references is not None)
    if failure is not None:
        raise failure.stop()
    if not evaluation.topics:
        raise Stop(NOTHING_IN_COMMON, "trec_eval: No queries with both results and relevance info\n")
    if settings.summary:
        yield write_summary(values, evaluator.summary(evaluation), run.name, is_zscore=references is not None)
