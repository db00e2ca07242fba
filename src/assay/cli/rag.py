"""`assay rag`: retrieval and answers for the same questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay import evaluate_rag
from assay.cli.command import Checked, Setting, number, option, refuse, subcommand
from assay.cli.options import Scoring, column_option, human_option, measure_options, scoring_options, take_source
from assay.cli.output import Output, output_options, report_option, save_option, slice_option
from assay.cli.servers import judge_options
from assay.cli.terminal import check_single_input, this_command
from assay.render import render, write_json
from assay.terminal import source_of, split_measures

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from assay import Judge, Measure, RagResult

MEASURES = ("recall", "ndcg", "rr", "answer_em", "answer_f1")
# What can say which answers are wrong; any measure can choose the worst.
RATING = ("answers", "scores", "judged")


def share_or_word(text: str) -> float | str:
    """A number, or a word, which is checked where it is used."""
    try:
        return number(text)
    except click.BadParameter:
        return text


@subcommand(
    "rag",
    "assay rag records.jsonl",
    'assay rag records.jsonl -m "recall@5 ndcg@5 answer_f1 rouge_l" --worst 10',
    "assay rag records.jsonl -m faithfulness --judge http://localhost:8000/v1 --judge-model qwen3-8b",
    "assay rag qa.parquet result.parquet --convention autorag -m retrieval_f1 -m meteor",
    "assay rag scifact/ bm25.run -m ndcg@10",
    "assay rag questions_with_spans.jsonl chunks.run --corpus chunks.jsonl --policy overlap=0.5",
    "assay rag log.csv --column answer=bot_reply --column references=expected",
    "assay rag records.jsonl -m score:faithfulness -m answer_f1 --by score:faithfulness --policy right=0.5",
    "assay rag records.jsonl --load mine.py -m score:cites_a_source",
    "assay rag records.jsonl -q --format csv -o scores.csv",
    "assay rag records.jsonl --report report.html --slice language",
    "assay rag records.jsonl --criteria criteria.toml -m politeness --judge model.gguf",
    "assay rag records.jsonl -m score:faithfulness --human labels.jsonl",
    usual="measures per_query worst by judge judge_model human corpus report policies format_ output save",
)
@click.argument("records", metavar="RECORDS")
@click.argument("outputs", required=False, metavar="[OUTPUTS]")
@measure_options((*MEASURES, "and the scores of the records"))
@option("-q --per-query", "Print one row per question, then one with the means.")
@option("--worst N", "Show the N questions with the worst answers.", default=5, least=0)
@option("--by MEASURE", "Measure that decides which answers are wrong, and which are worst.")
@option(
    "--corpus FILE", "Passages by document id, for measures that need them, or spans of chunks.", callback=take_source
)
@column_option
@option("--criteria FILE", "TOML file with criteria in words for the judge (repeatable). Their names are measures.")
@judge_options()
@human_option
@save_option
@report_option
@slice_option
@output_options(styled=True)
@scoring_options(
    Setting("right", number, "value from which an answer counts as correct (default: half of the maximum)"),
    Setting(
        "match",
        share_or_word,
        "how records without ids are matched by their texts: exact, off, or the least similarity (default 0.9)",
    ),
    Setting(
        "overlap", share_or_word, "share of a gold span that a retrieved chunk must cover to hit it, or any (default)"
    ),
    Setting("overlap_of", str, "what the share is of: gold (the gold span, default), chunk, or iou (both together)"),
    without=("formats",),
)
def command(
    *, records: str, outputs: str | None, judge: Judge | None, out: Output, scoring: Scoring, **reading: Checked
) -> None:
    """Scores what a RAG system retrieved and answered for the questions in RECORDS.

    A record has query_id, question, gold, retrieved, answer and references, or the names that AutoRAG, ragas and
    LlamaIndex use; measures that need a missing part are left out. Gold may also be texts, or spans of source
    documents. Numbers from other tools, in the field scores or in any other, are measures too: score:NAME, or score:*
    for all. Files are JSON Lines, JSON, Parquet, CSV or TSV; - is standard input. The system's output may be in a file
    of its own, OUTPUTS: a run, or a result file of AutoRAG. Then RECORDS may also be a BEIR folder or a LlamaIndex
    dataset.
    """
    check_single_input(records, outputs, reading["corpus"], reading["human"])
    shown = {name: reading.pop(name) for name in ("per_query", "worst", "by")}
    shown["right"] = scoring.how.pop("right", None)
    save, report, slices = (reading.pop(name) for name in ("save", "report", "slices"))
    refuse({"--slice is for the report; add --report FILE": slices and report is None})
    chosen = with_functions(reading.pop("measures"), scoring.modules)
    if criteria := reading.pop("criteria"):
        from assay.judges import read_criteria

        # They can be named once they are read, and all of them count where nothing is named.
        named = [measure for file in criteria for measure in read_criteria(file).values()]
        chosen = chosen or list(named)
    reading |= {"outputs": source_of(outputs), "judge": judge, **scoring.how}
    result = evaluate_rag(source_of(records), chosen or None, **reading)
    if report is not None:
        # The address of a judge may hold a key.
        how = {"slices": slices, "reproduce": this_command() if judge is None else ""}
        result.report(report, by=shown["by"], right=shown["right"], **how)
    out.write(write_rag(result, out, **shown), result.notes)
    if save is not None:
        result.save(save)


def with_functions(measures: str | None, modules: Iterable[ModuleType]) -> list[str | Measure]:
    """The measures, where the names of scores that loaded files define are those scores."""
    found = (each for module in modules for each in vars(module).values() if hasattr(each, "definition"))
    functions: dict[str, Measure] = {each.definition.name: each for each in found if each.definition.of == "scores"}
    return [functions.get(name, name) for name in split_measures(measures or "")]


def write_rag(
    result: RagResult, out: Output, *, per_query: bool, worst: int, by: str | None, right: float | None
) -> str:
    """The result as text; for people with the causes of wrong answers, and the worst answers."""
    measure = by if by is None or result.measures[result.key(by)].definition.of in RATING else None
    if out.format == "json":
        return write_json(result.to_dict(measure, right=right))
    text = out.render(result.query_table() if per_query else result.table())
    if out.is_bare:
        return text
    parts = [text]
    if result.is_joined:
        parts.append(render(result.blame(measure, right=right).table(), out.format))
    view = result.worst(worst, by=by) if worst else None
    if view is not None and view.table().rows:
        parts.append(f"The worst questions:\n\n{view}\n" if out.format == "table" else render(view.table(), out.format))
    return "\n".join(parts)
