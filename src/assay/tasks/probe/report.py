"""The report on a live retriever: how good it is, how fast, what failed, and what it returned for each question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.report.answers import CHUNK, answer_entry, answer_parts, passage_entries
from assay.report.content import TITLE, base_core
from assay.report.page import Content, write_page
from assay.results.results import Results
from assay.tasks.probe.result import describe_pace, duration

if TYPE_CHECKING:
    import os

    from assay.tasks.probe.result import Probe

RUN = "retriever"


def write_probe(probe: Probe, path: str | os.PathLike[str], *, title: str = TITLE, reproduce: str = "") -> None:
    """Writes the report on a live retriever."""
    results = Results({RUN: probe.result})
    core = base_core(results, title)
    records = {str(record["query_id"]): record for record in probe.records}
    core["questions"] = [records.get(query, {}).get("question") for query in probe.result.queries]
    core["probe"] = {
        "facts": [[name, duration(value)] for name, value in probe.latency._asdict().items()],
        "failures": [{"query": query, "reason": reason} for query, reason in probe.failures.items()],
        "chart": probe.plot("latency").spec,
        "said": describe_pace(probe),
    }
    core["reproduce"] = reproduce
    core["answers"] = CHUNK
    answers = (answer_of(probe, query, records.get(query, {})) for query in probe.result.queries)
    write_page(Content(core, results.results, answer_parts(answers)), path)


def answer_of(probe: Probe, query: str, record: dict[str, Any]) -> dict[str, Any]:
    """What the retriever returned for a question, and how long it took."""
    wanted = set(record.get("gold") or ())
    took = probe.seconds.get(query)
    said = [f"failed: {probe.failures[query]}"] if query in probe.failures else []
    said += [] if took is None else [f"answered in {duration(took)}"]
    found = passage_entries(record.get("retrieved") or [], record.get("retrieved_texts") or [], wanted)
    references = record.get("references") or ()
    return answer_entry(record.get("answer"), references=references, passages=found, verdicts=said)
