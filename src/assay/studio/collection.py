"""`Collection`: what is judged in a studio: judgments, runs, questions and passages, read once when it starts."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError
from assay.core.text import given_id, show
from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.data.texts import DOCUMENTS, QUESTIONS, read_texts
from assay.tasks.compare.passages import wanted_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEMO = "assay demo: the annual report of a fictional company"
DEMO_RUNS = ("bm25", "dense", "hybrid")


@dataclass(frozen=True, slots=True)
class Collection:
    """Judgments from a file, runs in memory, and the texts of questions and passages, as far as there are any."""

    title: str
    judgments: Mapping[str, Mapping[str, float]]
    runs: Mapping[str, Run]
    questions: Mapping[str, str] = field(default_factory=dict)
    passages: Mapping[str, str] = field(default_factory=dict)

    @property
    def queries(self) -> list[str]:
        """Every query that is judged, ranked or only asked, in that order."""
        ranked = [query for run in self.runs.values() for query in run.queries]
        return list(dict.fromkeys([*self.judgments, *ranked, *self.questions]))


def open_collection(
    title: str,
    qrels: Qrels | None,
    runs: Mapping[str, Run],
    *,
    queries: object = None,
    corpus: object = None,
) -> Collection:
    """A collection; of a corpus, only the passages that are judged or that a run retrieved are kept."""
    if not runs:
        raise DataError("need at least one run; name it after QRELS")
    if qrels is not None and qrels.rows.has_groups():
        raise DataError("these judgments have groups, and a studio judges documents; pass judgments without groups")
    judgments = {} if qrels is None else {query: dict(qrels[query]) for query in qrels.queries}
    questions = {} if queries is None else read_texts(queries, QUESTIONS)
    passages = {}
    if corpus is not None:
        wanted = {document for each in judgments.values() for document in each}
        wanted |= {document for run in runs.values() for document in retrieved(run)}
        passages = wanted_texts(corpus, wanted, DOCUMENTS)
    known = {query for run in runs.values() for query in run.queries}
    if questions and not known & questions.keys():
        raise DataError(
            f"none of the questions is in a run: they are {show(next(iter(questions)))} …, the runs have "
            f"{show(next(iter(known)))} …; pass the questions of these runs, with the same ids"
        )
    return Collection(title, judgments, runs, questions, passages)


def retrieved(run: Run) -> Iterator[str]:
    """The documents that a run retrieved, for all its queries."""
    for number in range(len(run)):
        yield from map(given_id, run.rows.documents(number))


@contextmanager
def demo_files() -> Iterator[dict[str, Any]]:
    """The files of the demo collection, as `open_collection` takes them."""
    with as_file(files("assay") / "demo") as folder:
        path = Path(folder)
        yield {
            "title": DEMO,
            "qrels": Qrels(path / "qrels.txt"),
            "runs": {name: Run(path / f"{name}.run") for name in DEMO_RUNS},
            "queries": path / "queries.jsonl",
            "corpus": path / "passages.jsonl",
        }
