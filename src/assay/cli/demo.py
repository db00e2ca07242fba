"""`assay demo`: evaluates the collection that comes with assay."""

import os
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from assay import Evaluator, Judge, RagResult, Results, compare, evaluate_rag
from assay.cli.command import option, subcommand
from assay.cli.output import check_page
from assay.cli.terminal import emit, say, this_command

RUNS = ("bm25", "dense", "hybrid")
ANSWERED = ("bm25", "hybrid")
REPORT = "assay-demo.html"
MAIN_MEASURE = "ndcg@10"
RAG_MEASURES = ("recall", "answer_f1", "rouge_l")
# A passage that is only on topic does not answer the question.
ANSWERS = 2
# The model whose stored replies are shown, by the digest of its file, and how it was asked (examples/demo_verdicts.py).
JUDGED_MEASURES = ("answer_accuracy",)
JUDGE_MODEL = "SmolLM2-135M-Instruct"
STORED_REPLIES = "verdicts.sqlite"
JUDGE_FILE = "gguf:fedefb9214c006da"
SAMPLING = {"temperature": 0.7, "max_tokens": 100}
JUDGE_SETTINGS: dict[str, Any] = {"model": JUDGE_MODEL, "retries": 0, **SAMPLING}


@subcommand("demo", "assay demo", "assay demo --report", "assay demo --report tour.html", usual="report")
@option(
    "--report [FILE]",
    f"Also write the report on the retrievers, to FILE or to {REPORT}.",
    is_flag=False,
    flag_value=REPORT,
    callback=check_page,
)
def command(report: str | None) -> None:
    """Evaluates three retrievers and two RAG systems on questions about the annual report of a fictional company.

    Needs no files and no network.
    """
    with as_file(files("assay") / "demo") as folder:
        evaluator = Evaluator(folder / "qrels.txt")
        results = Results({name: evaluator.evaluate(folder / f"{name}.run") for name in RUNS})
        answered = {name: evaluate_rag(folder / f"rag_{name}.jsonl", RAG_MEASURES, rel=ANSWERS) for name in ANSWERED}
        # What the stored replies of a language model say of the same answers.
        with Judge(JUDGE_FILE, cache=folder / STORED_REPLIES, offline=True, **JUDGE_SETTINGS) as judge:
            judged = {
                name: evaluate_rag(folder / f"rag_{name}.jsonl", JUDGED_MEASURES, judge=judge) for name in ANSWERED
            }
        emit("\n".join((page(results), rag_page(answered, judged), next_steps(results, folder))))
        if report is not None:
            compare(folder / "qrels.txt", {name: folder / f"{name}.run" for name in RUNS}).report(
                report,
                queries=folder / "queries.jsonl",
                corpus=folder / "passages.jsonl",
                slices=["length"],
                title="Three retrievers on the demo collection",
                reproduce=this_command(),
            )
            say(f"report written to {report}; open it in a browser")


def page(results: Results) -> str:
    """The collection, the runs side by side, and whether the best one is better by more than chance."""
    return f"""\
{len(results[RUNS[0]].queries)} questions about the annual report of a fictional company, and three retrievers:

{results}

Which is better, and how sure is it?

{compare(None, results).verdict}
"""


def rag_page(answered: dict[str, RagResult], judged: dict[str, RagResult]) -> str:
    """Two RAG systems side by side, what causes wrong answers, the worst answers, and what a judge says of them."""
    better = answered[ANSWERED[-1]]
    return f"""\
Two RAG systems, on the passages of {ANSWERED[0]} and of {ANSWERED[-1]}:

{Results(answered)}

The better one: answers with and without a relevant passage retrieved, and its two worst answers.

{better.blame()}

{better.worst(2)}

The same answers, judged by an LLM: stored replies of {JUDGE_MODEL}. A model this small judges poorly
and fails often; its verdicts show what the output looks like, and say nothing about the answers.

{Results(judged)}
"""


def next_steps(results: Results, folder: Path) -> str:
    """What to type next."""
    best = max(RUNS, key=lambda name: results[name][MAIN_MEASURE])
    names = ("qrels.txt", "bm25.run", f"{best}.run", "queries.jsonl", "passages.jsonl", "rag_bm25.jsonl")
    qrels, first, second, queries, passages, records = (path_to_type(folder / name) for name in names)
    judge = {"judge": JUDGE_FILE, "judge-model": JUDGE_MODEL, "judge-cache": path_to_type(folder / STORED_REPLIES)}
    how = " ".join(f"--{name} {value}" for name, value in judge.items())
    how += "".join(f" --judge-option {name}={value}" for name, value in {"offline": "yes", **SAMPLING}.items())
    return f"""\
What to type next:
  assay compare {qrels} {first} {second}
  assay diff {qrels} {first} {second} --queries {queries} --corpus {passages}
  assay report {qrels} {first} {second} --queries {queries} --corpus {passages}
  assay rag {records} --policy rel={ANSWERS}
  assay rag {records} -m {JUDGED_MEASURES[0]} {how}
  assay measures {MAIN_MEASURE}
"""


def path_to_type(path: Path) -> str:
    """The path to type, relative to the current folder if that is shorter."""
    try:
        short = min(os.path.relpath(path), str(path), key=len)
    except (ValueError, OSError):
        # On Windows there is no relative path between drives; and the current folder may be gone.
        short = str(path)
    return f'"{short}"' if " " in short else short
