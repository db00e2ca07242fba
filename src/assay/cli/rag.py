"""`assay rag`: retrieval and answers for the same questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.judge_options import judge_options
from assay.cli.options import (
    BARE,
    FINITE,
    OutputFormat,
    convention_option,
    doc_id_option,
    given,
    human_option,
    load_option,
    loaded,
    measure_options,
    output_options,
    policy_options,
    report_option,
    slice_option,
    split_names,
)
from assay.cli.saving import save_option
from assay.cli.terminal import Command, check_single_input, emit, say_loudly, say_notes, source_of, this_command
from assay.data.spans import ANY, SHARES
from assay.render import render, write_json
from assay.tasks.rag.api import DEFAULT_RAG_MEASURES, evaluate_rag
from assay.tasks.rag.matching import EXACT, OFF, THRESHOLD
from assay.tasks.rag.result import rates_answers

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from assay.core.measure import Measure
    from assay.tasks.judge.judge import Judge
    from assay.tasks.rag.result import RagResult

WORST = 5


class AnyOr(click.ParamType):  # type: ignore[type-arg]
    """A number, or one of a few words."""

    name = "number"

    def __init__(self, *words: str) -> None:
        self.words = words

    def convert(self, value: object, param: click.Parameter | None, context: click.Context | None) -> object:
        """The word or the number."""
        if value in self.words or isinstance(value, float):
            return value
        try:
            return float(str(value))
        except ValueError:
            self.fail(f"{value!r} is neither a number nor {' or '.join(self.words)}", param, context)


def read_columns(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """`--column PART=NAME`, repeatable."""
    pairs = [value.partition("=") for value in values]
    if wrong := [value for value, (part, _, name) in zip(values, pairs, strict=True) if not part or not name]:
        raise click.BadParameter(f"{wrong[0]!r} is not of the form PART=NAME, such as answer=my_answer")
    return {part: name for part, _, name in pairs}


@click.command(
    "rag",
    cls=Command,
    short_help="Score retrieval and answers of a RAG system.",
    examples=(
        "assay rag records.jsonl",
        'assay rag records.jsonl -m "recall@5 ndcg@5 answer_f1 rouge_l" --worst 10',
        "assay rag qa.parquet result.parquet --convention autorag -m retrieval_f1 -m meteor",
        "assay rag scifact/ bm25.run -m ndcg@10",
        "assay rag questions_with_spans.jsonl chunks.run --corpus chunks.jsonl --overlap 0.5",
        "assay rag log.csv --column answer=bot_reply --column references=expected",
        "assay rag records.jsonl -m score:faithfulness -m answer_f1 --by score:faithfulness --right 0.5",
        "assay rag records.jsonl --load mine.py -m score:cites_a_source",
        "assay rag records.jsonl -q --format csv -o scores.csv",
        "assay rag records.jsonl --report report.html --slice language",
        "assay rag records.jsonl --criteria criteria.toml -m politeness --judge model.gguf",
        "assay rag records.jsonl -m faithfulness --judge http://localhost:8000/v1 --judge-model qwen3-8b",
        "assay rag records.jsonl -m score:faithfulness --human labels.jsonl",
    ),
)
@click.argument("records", metavar="RECORDS")
@click.argument("outputs", required=False, metavar="[OUTPUTS]")
@measure_options((*DEFAULT_RAG_MEASURES, "and the scores of the records"))
@click.option("-q", "--per-query", is_flag=True, help="One row per question, means in the last row.")
@click.option(
    "--worst", type=click.IntRange(min=0), default=WORST, show_default=True, help="Number of bad answers to show."
)
@click.option("--by", metavar="MEASURE", help="Measure that decides which answers are bad or wrong.")
@click.option(
    "--right", type=FINITE, help="Value from which an answer counts as correct.  [default: half of the maximum]"
)
@click.option(
    "--corpus",
    metavar="FILE",
    help="Texts of documents, for measures that need them and to show passages; or spans of chunks.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="PART=NAME",
    callback=read_columns,
    help="Field that holds a part of the records, if its name is not a usual one. Repeatable.",
)
@doc_id_option("--id")
@click.option(
    "--match",
    type=AnyOr(EXACT, OFF),
    default=THRESHOLD,
    show_default=True,
    metavar="exact|off|SIMILARITY",
    help="How records without ids are matched by their texts: equal ones, then those that are similar enough.",
)
@click.option(
    "--overlap",
    type=AnyOr(ANY),
    default=ANY,
    show_default=True,
    metavar="any|SHARE",
    help="How much a retrieved chunk must overlap a gold span to hit it.",
)
@click.option(
    "--overlap-of",
    type=click.Choice(SHARES),
    default=SHARES[0],
    show_default=True,
    help="What SHARE is a share of: the gold span, the chunk, or both together.",
)
@click.option(
    "--criteria",
    multiple=True,
    metavar="FILE",
    help="TOML file with criteria in words for the judge; their names are measures. Repeatable.",
)
@judge_options
@human_option("Scores by people, by question and measure,")
@save_option
@report_option
@slice_option
@convention_option
@output_options
@load_option
@policy_options
def command(
    *,
    records: str,
    outputs: str | None,
    measures: tuple[str, ...],
    per_query: bool,
    worst: int,
    by: str | None,
    right: float | None,
    corpus: str | None,
    columns: dict[str, str],
    doc_id: str | None,
    match: float | str,
    overlap: float | str,
    overlap_of: str,
    criteria: tuple[str, ...],
    save: str | None,
    report: str | None,
    slices: tuple[str, ...],
    convention: str,
    format_: OutputFormat,
    output: str | None,
    files: tuple[str, ...],
    judge: Judge | None,
    human: str | None,
    **policies: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Scores what a RAG system retrieved and answered for the questions in RECORDS.

    A record has query_id, question, gold, retrieved, answer and references, or the names that AutoRAG, ragas and
    LlamaIndex use; measures that need a missing part are left out. Gold may also be texts, or spans of source
    documents. Numbers from other tools, in the field scores or in any other, are measures too: score:NAME, or score:*
    for all. Files are JSON Lines, JSON, Parquet, CSV or TSV; - is standard input. The system's output may be in a file
    of its own, OUTPUTS: a run, or a result file of AutoRAG. Then RECORDS may also be a BEIR folder or a LlamaIndex
    dataset.
    """
    check_single_input(tuple(each for each in (records, outputs, corpus, human) if each is not None))
    with loaded(files) as modules:
        own_criteria = enter_criteria(criteria)
        result = evaluate_rag(
            source_of(records),
            with_functions(split_names(measures), modules) or own_criteria or None,
            outputs=None if outputs is None else source_of(outputs),
            corpus=None if corpus is None else source_of(corpus),
            columns=columns,
            doc_id=doc_id,
            match=match,
            overlap=overlap,
            overlap_of=overlap_of,
            judge=judge,
            human=None if human is None else source_of(human),
            convention=convention,
            **given(policies),
        )
        if report is not None:
            # The address of a judge may hold a key.
            how = this_command() if judge is None else ""
            result.report(report, by=by, right=right, slices=slices, reproduce=how)
        say_loudly(result.notes)
        emit(write_rag(result, format_, per_query=per_query, worst=worst, by=by, right=right), output, format_)
    if save is not None:
        result.save(save)
    say_notes(result.notes if format_ in BARE else ())


def enter_criteria(files: tuple[str, ...]) -> list[str | Measure]:
    """The measures of criteria in words, which can then be named."""
    if not files:
        return []
    from assay.tasks.judge.criteria import read_criteria

    return [measure for file in files for measure in read_criteria(file).values()]


def with_functions(names: Iterable[str], modules: Iterable[ModuleType]) -> list[str | Measure]:
    """The measures, where the names of scores that loaded files define with `assay.score` are those scores."""
    from assay.measures.scores import FunctionScore

    defined = [each for module in modules for each in vars(module).values() if isinstance(each, FunctionScore)]
    functions: dict[str, Measure] = {each.definition.name: each for each in defined}
    return [functions.get(name, name) for name in names]


def write_rag(
    result: RagResult, format_: OutputFormat, *, per_query: bool, worst: int, by: str | None, right: float | None
) -> str:
    """The result as text; for people with the causes of wrong answers, and the worst answers."""
    # Any measure can choose the worst; not every one can say which answers are wrong.
    measure = by if by is None or rates_answers(result.measures[result.key(by)]) else None
    if format_ == "json":
        return write_json(result.to_dict(measure, right=right))
    text = format_.render(result.query_table() if per_query else result.table())
    if format_ in BARE:
        return text
    parts = [text]
    if result.is_joined:
        parts.append(render(result.blame(measure, right=right).table(), format_))
    view = result.worst(worst, by=by) if worst else None
    if view is not None and view.table().rows:
        parts.append(f"The worst questions:\n\n{view}\n" if format_ == "table" else render(view.table(), format_))
    return "\n".join(parts)
