"""What is found in a run, by itself and beside the judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.text import count, some
from assay.tasks.check.ids import MOST, find_difference
from assay.tasks.check.judgments import judged_documents, repeats
from assay.tasks.check.result import Finding, Level, Report, percent
from assay.tasks.evaluate.api import Evaluator

if TYPE_CHECKING:
    from assay.core.judged import IntArray
    from assay.data.qrels import Qrels
    from assay.data.run import Run

DEPTHS = (10, 100, 1000)
MANY_TIES = 0.05
FEW_JUDGED = 0.5
MOSTLY = 0.5
SAME_IDS = "write the ids of one side as the other has them"


def check_run(run: Run, name: str, qrels: Qrels | None) -> Report:
    """The doctor's report on a run; without judgments only on what it is by itself."""
    lengths = np.diff(run.starts)
    facts = {
        "queries": len(run),
        "documents": len(run.rows),
        "shortest": int(lengths.min()),
        "longest": int(lengths.max()),
        "tag": run.tag,
    }
    findings = [repeats(run, "listed"), short(lengths), ties(run), direction(run)]
    return Report("run", name, facts, [*(beside(run, qrels) if qrels else []), *findings])


def beside(run: Run, qrels: Qrels) -> list[Finding]:
    """How the run and the judgments fit together."""
    findings = [*queries(run, qrels), documents(run, qrels)]
    if not set(qrels.queries).isdisjoint(run.queries):
        findings.append(judged(run, qrels))
    return findings


def queries(run: Run, qrels: Qrels) -> list[Finding]:
    """Which queries each side lacks, and how their ids differ."""
    known, present = set(qrels.queries), set(run.queries)
    missing = [query for query in qrels.queries if query not in present]
    extra = [query for query in run.queries if query not in known]
    difference = find_difference(missing, extra)
    if difference:
        said = f"{count(difference.pairs, 'query has', 'queries have')} another id in the run: {difference}"
        return [Finding("bad", "queries", said, SAME_IDS)]
    if len(missing) == len(qrels):
        said = f"no query is in both: the judgments have {some(missing)}, the run has {some(extra)}"
        return [Finding("bad", "queries", said, "take the judgments that belong to this run")]
    findings = []
    if missing:
        said = f"{count(len(missing), 'judged query is', 'judged queries are')} missing from the run: {some(missing)}"
        findings.append(Finding("warn", "missing", said, "such queries score 0; leave them out with --missing skip"))
    else:
        findings.append(Finding("ok", "missing", "every judged query is in the run"))
    if extra:
        said = f"{count(len(extra), 'query of the run has', 'queries of the run have')} no judgments: {some(extra)}"
        findings.append(Finding("warn", "unjudged", said, "such queries are left out; judge them if they should count"))
    else:
        findings.append(Finding("ok", "unjudged", "every query of the run has judgments"))
    return findings


def documents(run: Run, qrels: Qrels) -> Finding:
    """How many judged documents the run has anywhere, and how the ids of the others differ."""
    wanted = judged_documents(qrels)
    met: set[str] = set()
    strange: set[str] = set()
    for number in range(len(run)):
        retrieved = run.rows.documents(number)
        met |= wanted.intersection(retrieved)
        if len(strange) < MOST:
            strange.update(set(retrieved) - wanted)
    difference = find_difference(sorted(wanted - met), sorted(strange))
    if difference:
        level: Level = "bad" if difference.pairs > len(met) else "warn"
        said = f"{count(difference.pairs, 'judged document has', 'judged documents have')} another id in the run"
        return Finding(level, "documents", f"{said}: {difference}", SAME_IDS)
    if not met:
        said = f"no judged document stands in the run: the judgments have {some(sorted(wanted))}, "
        said += f"the run has {some(sorted(strange))}"
        return Finding("bad", "documents", said, "take the judgments of the collection that was searched")
    said = f"{percent(len(met) / len(wanted))} of the judged documents stand somewhere in the run"
    return Finding("ok", "documents", said)


def judged(run: Run, qrels: Qrels) -> Finding:
    """How much of the top of the rankings is judged."""
    evaluator = Evaluator(qrels, ["judged@10", "judged@100"], missing="skip", duplicates="count")
    at_10, at_100 = evaluator.evaluate(run).mean.values()
    said = f"{percent(at_10)} of the first 10 documents are judged, {percent(at_100)} of the first 100"
    if at_10 >= FEW_JUDGED:
        return Finding("ok", "judged", said)
    advice = "what is not judged counts as not relevant; judge more, or use bpref or --judged-only"
    return Finding("warn", "judged", said, advice)


def short(lengths: IntArray) -> Finding:
    """How many rankings end early."""
    fewer = {depth: int((lengths < depth).sum()) for depth in DEPTHS}
    if not any(fewer.values()):
        return Finding("ok", "short", f"every query has {DEPTHS[-1]:,} documents or more")
    numbers = ", ".join(f"than {depth:,}: {number:,}" for depth, number in fewer.items())
    said = f"queries with fewer documents {numbers} (of {len(lengths):,})"
    if not fewer[DEPTHS[0]]:
        return Finding("ok", "short", said)
    return Finding("warn", "short", said, "retrieve more, or read measures at 10 and deeper with that in mind")


def ties(run: Run) -> Finding:
    """How many documents share their score with another of the same query."""
    owner = np.repeat(np.arange(len(run)), np.diff(run.starts))
    scored = ~ordered(run)[owner]
    owner, scores = owner[scored], run.values[scored]
    if not len(scores):
        return Finding("ok", "ties", "the rankings are orders without scores, so nothing ties")
    order = np.lexsort((scores, owner))
    same = (np.diff(scores[order]) == 0) & (np.diff(owner[order]) == 0)
    share = float((np.append(same, False) | np.append(False, same)).mean())
    if not share:
        return Finding("ok", "ties", "no scores tie")
    said = f"{percent(share)} of the documents share their score with another of the same query"
    if share < MANY_TIES:
        return Finding("ok", "ties", said)
    return Finding("warn", "ties", said, "such documents stand by their ids; --ties input keeps the order of the file")


def direction(run: Run) -> Finding:
    """Whether scores rise down the list, as distances do."""
    rising = [is_rising(run.values[start:end]) for start, end in zip(run.starts, run.starts[1:], strict=False)]
    told = [rises for rises, is_order in zip(rising, ordered(run), strict=True) if rises is not None and not is_order]
    if sum(told) <= MOSTLY * len(told):
        return Finding("ok", "direction", "scores do not rise down the list")
    said = f"scores rise down the list in {count(sum(told), 'query', 'queries')}, as distances do"
    advice = "assay takes a high score for a good one: negate distances, or keep the order with --order given"
    return Finding("warn", "direction", said, advice)


def is_rising(scores: np.ndarray) -> bool | None:
    """Whether scores never fall; nothing where they are all the same."""
    steps = np.diff(scores)
    return bool((steps >= 0).all()) if steps.any() else None


def ordered(run: Run) -> np.ndarray:
    """Which queries have an order without scores."""
    if not run.rows.has_order():
        return np.zeros(len(run), dtype=np.bool_)
    return np.array([run.rows.is_ordered(number) for number in range(len(run))])
