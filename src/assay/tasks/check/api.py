"""`check`: looks at judgments and runs, and says what is wrong with them.

Each `check_` function looks at one thing and returns a finding.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np

from assay.core.errors import AssayError, PolicyError
from assay.core.id_difference import MOST_IDS, find_difference
from assay.core.judged import BoolArray, IntArray
from assay.core.progress import watched
from assay.core.text import Option, count, show, some
from assay.data.passages import is_number
from assay.data.qrels import Qrels, QueryTable
from assay.data.run import Run
from assay.files.source import describe, is_source
from assay.tasks.check.result import CheckedFile, CheckFinding, CheckReport, Level
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan

Watch = Callable[[str], AbstractContextManager[object]]

DEPTHS = (10, 100, 1000)
MANY_TIES = 0.05
FEW_JUDGED = 0.5
MOSTLY = 0.5
SAME_IDS = "write the ids the same way on both sides"


def check(
    qrels: object,
    *runs: object,
    rel: float = 1.0,
    qrels_format: str | None = None,
    run_format: str | None = None,
    progress: bool = False,
) -> CheckReport:
    """Looks at judgments and at any number of runs, and reports what is wrong with them and what to do.

    It finds ids that do not match and how they differ (`1` and `q1`, stray blanks), duplicate documents, queries that
    one side lacks, grades that mean nothing, how much was judged, short rankings, ties, and files that cannot be read.
    Data comes in any form that `assay.evaluate` takes; `rel` is the lowest relevant grade.
    `progress` shows a bar on a terminal while a file is read.

    >>> import assay
    >>> report = assay.check({"q1": {"d1": 1}}, {"1": {"d1": 0.5}})
    >>> [finding.text for finding in report.findings if finding.level == "bad"]
    ["1 query has a different id in the run: 'q1' vs. '1' (the prefix 'q' in the judgments)"]
    """
    if not (is_number(rel) and abs(rel) <= sys.float_info.max):
        raise PolicyError(f"rel must be a number, not {show(rel)}")
    first, *others = [
        (describe(data) if is_source(data) else f"run {number}" if number else "qrels", data)
        for number, data in enumerate((qrels, *runs))
    ]
    formats = {"qrels_format": qrels_format, "run_format": run_format}
    return check_sources(first, others, rel=rel, **formats, watch=watched if progress else nullcontext)


def check_sources(
    qrels: tuple[str, object],
    runs: Sequence[tuple[str, object]],
    *,
    rel: float,
    qrels_format: str | None = None,
    run_format: str | None = None,
    watch: Watch = nullcontext,
) -> CheckReport:
    """The report on data under the given names; `watch` is entered with a name while that data is read."""
    files = []
    judgments = None
    for number, (name, data) in enumerate((qrels, *runs)):
        with watch(name):
            try:
                if number:
                    # The run is held in memory, unlike in `evaluate`.
                    run = data if isinstance(data, Run) else Run(data, format=run_format)
                    files.append(check_run(run, name, judgments))
                    continue
                judgments = data if isinstance(data, Qrels) else Qrels(data, format=qrels_format, duplicates="first")
                files.append(check_qrels(judgments, name, rel))
            except AssayError as error:
                # Data that cannot be read is a finding like any other.
                advice = "fix this first; the rest of this file was not checked"
                found = CheckFinding("bad", "reading", str(error), advice)
                files.append(CheckedFile.of("run" if number else "judgments", name, {}, [found]))
    return CheckReport(tuple(files))


def check_qrels(qrels: Qrels, name: str, rel: float = 1.0) -> CheckedFile:
    facts = {"queries": len(qrels), "judgments": len(qrels.rows), "documents": len(judged_documents(qrels))}
    grades = {f"{grade:g}": times for grade, times in sorted(Counter(qrels.values.tolist()).items())}
    findings = [check_relevant(qrels, rel), check_negative(qrels), check_duplicates(qrels, "judgment")]
    return CheckedFile.of("judgments", name, facts | {"groups": qrels.rows.has_groups(), "grades": grades}, findings)


def check_run(run: Run, name: str, qrels: Qrels | None) -> CheckedFile:
    """Findings in a run; without judgments, only what can be seen in the run itself."""
    lengths = np.diff(run.starts)
    facts = {"queries": len(run), "documents": len(run.rows)}
    facts |= {"shortest": int(lengths.min()), "longest": int(lengths.max())}
    findings = [check_duplicates(run, "document"), check_lengths(lengths), check_ties(run), check_direction(run)]
    if qrels:
        judged = [] if set(qrels.queries).isdisjoint(run.queries) else [check_judged(run, qrels)]
        findings = [*match_queries(run, qrels), match_documents(run, qrels), *judged, *findings]
    return CheckedFile.of("run", name, facts | {"tag": run.tag}, findings)


def judged_documents(qrels: Qrels) -> set[str]:
    return {document for number in range(len(qrels)) for document in qrels.rows.documents(number)}


def check_relevant(qrels: Qrels, rel: float) -> CheckFinding:
    found = np.add.reduceat(np.append(qrels.values >= rel, 0), qrels.starts[:-1]) * (np.diff(qrels.starts) > 0)
    bare = [qrels.queries[number] for number in np.flatnonzero(found == 0)]
    if not bare:
        return CheckFinding("ok", "relevant", "every query has a relevant document")
    if len(bare) == len(qrels):
        said = f"no grade reaches {rel:g}, so no document counts as relevant"
        lower = f"set a lower {Option('rel')}; the highest grade is {qrels.values.max(initial=0):g}"
        return CheckFinding("bad", "relevant", said, lower)
    said = f"{count(len(bare), 'query has', 'queries have')} no relevant document: {some(bare)}"
    return CheckFinding("warn", "relevant", said, f"they score 0; {Option('no_relevant', 'skip')} leaves them out")


def check_negative(qrels: Qrels) -> CheckFinding:
    if not (number := int((qrels.values < 0).sum())):
        return CheckFinding("ok", "negative", "no grade is below 0")
    advice = f"they count as unjudged; {Option('negative', 'nonrelevant')} counts them as not relevant"
    return CheckFinding("warn", "negative", f"{count(number, 'grade is', 'grades are')} below 0", advice)


def check_duplicates(table: QueryTable, noun: str) -> CheckFinding:
    """Whether a query lists a document twice (in the same group)."""
    number, first = 0, ""
    for place, query in enumerate(table.queries):
        documents, groups = table.rows.documents(place), table.rows.groups(place)
        rows = list(zip(documents, documents if groups is None else groups, strict=True))
        again = len(rows) - len(set(rows))
        if again and not number:
            twice = next(document for (document, _), times in Counter(rows).items() if times > 1)
            first = f"document {show(twice)} of query {show(query)}"
        number += again
    if not number:
        return CheckFinding("ok", "duplicates", f"no duplicate {noun}s")
    said = f"{count(number, f'duplicate {noun}')}, such as {first}"
    advice = f"remove them, or set {Option('duplicates', 'first')} or {Option('duplicates', 'last')}"
    return CheckFinding("bad", "duplicates", said, advice)


def match_queries(run: Run, qrels: Qrels) -> list[CheckFinding]:
    """Which queries each side lacks, and how their ids differ."""
    known, present = set(qrels.queries), set(run.queries)
    missing = [query for query in qrels.queries if query not in present]
    extra = [query for query in run.queries if query not in known]
    difference = find_difference(missing, extra, "suffix")
    if difference:
        said = f"{count(difference.pairs, 'query has', 'queries have')} a different id in the run: {difference}"
        return [CheckFinding("bad", "queries", said, SAME_IDS)]
    if len(missing) == len(qrels):
        said = f"judgments and run have no query in common: the judgments have {some(missing)}, the run {some(extra)}"
        return [CheckFinding("bad", "queries", said, "use the judgments that belong to this run")]
    lacking = CheckFinding("ok", "missing", "every judged query is in the run")
    unjudged = CheckFinding("ok", "unjudged", "every query in the run has judgments")
    if missing:
        said = f"{count(len(missing), 'judged query is', 'judged queries are')} missing from the run: {some(missing)}"
        advice = f"they score 0; trec_eval leaves these out: {Option('missing', 'skip')}"
        lacking = CheckFinding("warn", "missing", said, advice)
    if extra:
        said = f"{count(len(extra), 'query in the run has', 'queries in the run have')} no judgments: {some(extra)}"
        unjudged = CheckFinding("warn", "unjudged", said, "they are left out; judge them if they should count")
    return [lacking, unjudged]


def match_documents(run: Run, qrels: Qrels) -> CheckFinding:
    """How many judged documents are anywhere in the run, and how the ids of the others differ."""
    wanted = judged_documents(qrels)
    met: set[str] = set()
    strange: set[str] = set()
    for number in range(len(run)):
        retrieved = run.rows.documents(number)
        met |= wanted.intersection(retrieved)
        if len(strange) < MOST_IDS:
            strange.update(set(retrieved) - wanted)
    difference = find_difference(sorted(wanted - met), sorted(strange))
    if difference:
        level: Level = "bad" if difference.pairs > len(met) else "warn"
        said = f"{count(difference.pairs, 'judged document has', 'judged documents have')} a different id in the run"
        advice = f"{Option('doc_id', difference.rule)} joins them" if difference.rule else SAME_IDS
        return CheckFinding(level, "documents", f"{said}: {difference}", advice)
    if not met:
        both = f"the judgments have {some(sorted(wanted))}, the run {some(sorted(strange))}"
        advice = "use the judgments of the collection that was searched"
        return CheckFinding("bad", "documents", f"no judged document is in the run: {both}", advice)
    return CheckFinding("ok", "documents", f"{percent(len(met) / len(wanted))} of the judged documents are in the run")


def check_judged(run: Run, qrels: Qrels) -> CheckFinding:
    scorer = Scorer(make_plan(["judged@10", "judged@100"], missing="skip", duplicates="count"), qrels)
    at_10, at_100 = scorer.evaluate(run).mean.values()
    said = f"{percent(at_10)} of the top 10 documents are judged, {percent(at_100)} of the top 100"
    if at_10 >= FEW_JUDGED:
        return CheckFinding("ok", "judged", said)
    advice = f"judge more, or use bpref or {Option('judged_only', value=True)}"
    return CheckFinding("warn", "judged", said, f"unjudged documents count as not relevant; {advice}")


def check_lengths(lengths: IntArray) -> CheckFinding:
    fewer = {depth: int((lengths < depth).sum()) for depth in DEPTHS}
    if not any(fewer.values()):
        return CheckFinding("ok", "short", f"every query has at least {DEPTHS[-1]:,} documents")
    numbers = ", ".join(f"{number:,} fewer than {depth:,}" for depth, number in fewer.items())
    said = f"queries with few documents: {numbers} (of {len(lengths):,})"
    if not fewer[DEPTHS[0]]:
        return CheckFinding("ok", "short", said)
    return CheckFinding("warn", "short", said, "retrieve more; measures at 10 and deeper suffer from short rankings")


def check_ties(run: Run) -> CheckFinding:
    """How many documents have the same score as another of the same query."""
    owner = np.repeat(np.arange(len(run)), np.diff(run.starts))
    scored = ~is_ordered(run)[owner]
    owner, scores = owner[scored], run.values[scored]
    if not len(scores):
        return CheckFinding("ok", "ties", "the rankings have no scores, so nothing ties")
    order = np.lexsort((scores, owner))
    same = (np.diff(scores[order]) == 0) & (np.diff(owner[order]) == 0)
    share = float((np.append(same, False) | np.append(False, same)).mean())
    if not share:
        return CheckFinding("ok", "ties", "no scores tie")
    said = f"{percent(share)} of the documents tie with another of the same query"
    if share < MANY_TIES:
        return CheckFinding("ok", "ties", said)
    advice = f"they are ranked by document id; {Option('ties', 'input')} keeps the file's order"
    return CheckFinding("warn", "ties", said, advice)


def check_direction(run: Run) -> CheckFinding:
    steps = [np.diff(run.values[start:end]) for start, end in zip(run.starts, run.starts[1:], strict=False)]
    # Scores that are all equal have no direction, nor has an order without scores.
    known = [each for each, is_order in zip(steps, is_ordered(run), strict=True) if each.any() and not is_order]
    rising = sum(bool((each >= 0).all()) for each in known)
    if rising <= MOSTLY * len(known):
        return CheckFinding("ok", "direction", "scores do not rise down the list")
    said = f"scores rise down the list in {count(rising, 'query', 'queries')}, as distances do"
    advice = f"higher scores rank first: negate distances, or set {Option('order', 'given')}"
    return CheckFinding("warn", "direction", said, advice)


def is_ordered(run: Run) -> BoolArray:
    """Which queries have an order without scores."""
    if not run.rows.has_order():
        return np.zeros(len(run), dtype=np.bool_)
    return np.array([run.rows.is_ordered(number) for number in range(len(run))])


def percent(share: float) -> str:
    """A share for people; only everything is 100 % and only nothing is 0 %.

    >>> percent(1.0), percent(0.99999), percent(0.00001), percent(0.25)
    ('100 %', '99.9 %', '0.1 %', '25 %')
    """
    if 0 < share < 1:
        share = min(max(share, 0.001), 0.999)
    return f"{100 * share:.1f}".removesuffix(".0") + " %"
