"""trec_eval 10: takes its command line and prints the same bytes.

Options are parsed as getopt_long parses them (options), names become values (measures), files are read as trec_eval
reads them (judgments, run), assay's measures are computed (evaluation), and the numbers
are printed as C prints them (write).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.compat.trec_eval.options import CommandLine


def run_trec_eval(arguments: list[str]) -> Iterator[str]:
    """What trec_eval prints, a few lines at a time, a `Remark` on standard error; `Stop` ends it early."""
    from assay.compat.trec_eval.options import read_options

    settings = read_options(arguments)
    if not settings.help:
        yield from evaluate_files(settings)
        return
    from assay.compat.trec_eval.write import write_help

    yield write_help(settings)


def evaluate_files(settings: CommandLine) -> Iterator[str]:
    """The values of the run. Errors come in the order in which trec_eval finds them."""
    from assay.compat.trec_eval.evaluation import TopicEvaluator
    from assay.compat.trec_eval.judgments import read_judgments
    from assay.compat.trec_eval.measures import list_values
    from assay.compat.trec_eval.options import NOTHING_IN_COMMON, Remark, Stop
    from assay.compat.trec_eval.run import rank_results
    from assay.compat.trec_eval.write import read_zscores, standardize, write_summary, write_topics
    from assay.core.note import Note, NoteKind

    judgments = read_judgments(settings.files[0], settings.rel_format)
    run = rank_results(settings, judgments)
    if run.surplus:
        yield Remark(f"assay: {Note.of(NoteKind.SURPLUS, count=run.surplus)}\n")
    references = None if settings.zscores is None else read_zscores(settings.zscores)
    values = list_values(settings)
    evaluator = TopicEvaluator(settings, judgments, run)
    failure = evaluator.failure(values)
    evaluation = evaluator.evaluate(values, None if failure is None else failure.topic)
    if references is not None:
        evaluation.columns = standardize(evaluation, references)
    if settings.by_query:
        yield from write_topics(evaluation, is_zscore=references is not None)
    if failure is not None:
        raise failure.stop()
    if not evaluation.topics:
        raise Stop(NOTHING_IN_COMMON, "trec_eval: No queries with both results and relevance info\n")
    if settings.summary:
        yield write_summary(values, evaluator.summarize(evaluation), run.name, is_zscore=references is not None)
