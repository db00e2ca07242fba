"""Bring the demo collection's RAG records up to date with its runs, judgments and references.

From the root of the project, with assay installed:

    python examples/demo_records.py

``rag_bm25.jsonl`` and ``rag_hybrid.jsonl`` in ``src/assay/demo`` hold one record a question. The answers in them
were written for the collection and are kept. Everything else is regenerated from the files beside them. The same input
gives the same output.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import assay

DEMO_FOLDER = Path(__file__).resolve().parents[1] / "src" / "assay" / "demo"
RETRIEVERS = ("bm25", "hybrid")
PASSAGES_READ = 5
LEAST_GOLD_GRADE = 1


def read_column(name: str, column: str) -> dict[str, Any]:
    """One value a question, from a file that holds one JSON object a line."""
    with (DEMO_FOLDER / name).open(encoding="utf-8") as lines:
        return {row["query_id"]: row[column] for row in map(json.loads, lines)}


def make_records(retriever: str) -> list[dict[str, Any]]:
    """What a system would log for each question: the passages that its generator read, and what it answered."""
    qrels = assay.read_qrels(DEMO_FOLDER / "qrels.txt")
    run = assay.read_run(DEMO_FOLDER / f"{retriever}.run")
    answers = read_column(f"rag_{retriever}.jsonl", "answer")
    references = read_column("references.jsonl", "references")
    return [
        {
            "query_id": query_id,
            "question": question,
            "gold": {doc: int(grade) for doc, grade in qrels[query_id].items() if grade >= LEAST_GOLD_GRADE},
            "retrieved": [{"id": doc, "score": score} for doc, score in run[query_id][:PASSAGES_READ]],
            "answer": answers[query_id],
            "references": references[query_id],
        }
        for query_id, question in read_column("queries.jsonl", "text").items()
    ]


def records_text(retriever: str) -> str:
    """The records as the file holds them."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in make_records(retriever))


def main() -> None:
    """Write both files of records."""
    for retriever in RETRIEVERS:
        text = records_text(retriever)
        (DEMO_FOLDER / f"rag_{retriever}.jsonl").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
