"""`assay rag`: retrieval and answers of the same questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import (
    BARE,
    convention_option,
    given,
    load_option,
    loaded,
    measure_options,
    output_options,
    policy_options,
    split_names,
)
from assay.cli.terminal import Command, check_single_input, emit, say, source_of
from assay.render import render, write_json
from assay.tasks.rag.api import DEFAULT_RAG_MEASURES, evaluate_rag

if TYPE_CHECKING:
    from assay.tasks.rag.result import RagResult

WORST = 5


def read_columns(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """`--column PART=NAME`, as often as one likes."""
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
        "assay rag log.csv --column answer=bot_reply --column references=expected",
        "assay rag records.jsonl -q --format csv -o scores.csv",
    ),
)
@click.argument("records", metavar="RECORDS")
@click.argument("outputs", required=False, metavar="[OUTPUTS]")
@measure_options(DEFAULT_RAG_MEASURES)
@click.option("-q", "--per-query", is_flag=True, help="One row a question, and the means in the last.")
@click.option("--worst", type=click.IntRange(min=0), default=WORST, show_default=True, help="Show so many bad answers.")
@click.option("--by", metavar="MEASURE", help="What the worst, and wrong answers, are told by.")
@click.option("--right", type=click.FLOAT, help="From which value on an answer is right.  [default: half of the best]")
@click.option("--corpus", metavar="FILE", help="The texts of documents, for the measures that need them.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="PART=NAME",
    callback=read_columns,
    help="The field that holds a part of the records, where it has a name of its own.",
)
@click.option("--id", "doc_id", metavar="PATH", help="Where the id of a passage stands, such as metadata.source.")
@click.option("--save", metavar="FILE", help="Keep the result in a file, for `assay gate` and assay.load_result.")
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
    save: str | None,
    convention: str,
    format_: str,
    output: str | None,
    files: tuple[str, ...],
    **policies: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Scores the questions in RECORDS: what was retrieved for each, and what was answered.

    A record has query_id, question, gold, retrieved, answer and references, or what AutoRAG, ragas and LlamaIndex call
    them; what is missing is not measured. Files are JSON Lines, JSON, Parquet, CSV or TSV; - is standard input. What
    the system gave may stand in a file of its own, OUTPUTS: a run, or a result file of AutoRAG's. RECORDS may then also
    be a BEIR folder or a LlamaIndex dataset.
    """
    check_single_input(tuple(each for each in (records, outputs, corpus) if each is not None))
    with loaded(files):
        result = evaluate_rag(
            source_of(records),
            split_names(measures) if measures else DEFAULT_RAG_MEASURES,
            outputs=None if outputs is None else source_of(outputs),
            corpus=None if corpus is None else source_of(corpus),
            columns=columns,
            doc_id=doc_id,
            convention=convention,
            **given(policies),
        )
        emit(written(result, format_, per_query=per_query, worst=worst, by=by, right=right), output)
    if save is not None:
        result.save(save)
    for note in result.notes if format_ in BARE else ():
        say(f"note: {note}")


def written(
    result: RagResult, format_: str, *, per_query: bool, worst: int, by: str | None, right: float | None
) -> str:
    """The result as text: for people also whose fault wrong answers are, and the worst of them."""
    # The worst may be chosen by any measure; right or wrong are answers only.
    judge = by if by is None or result.key(by) in result.answer_measures else None
    if format_ == "json":
        return write_json(result.to_dict(judge, right=right))
    text = render(result.query_table() if per_query else result.table(), format_)
    if format_ in BARE:
        return text
    parts = [text]
    if result.is_joined:
        parts.append(render(result.blame(judge, right=right).table(), format_))
    if worst:
        view = result.worst(worst, by=by)
        parts.append(f"The worst questions:\n\n{view}\n" if format_ == "table" else render(view.table(), format_))
    return "\n".join(parts)
