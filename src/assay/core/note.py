"""Notes: the assumptions assay made about the data, as values with a sentence each.

`NoteKind` lists every kind with the sentence it renders to. In a sentence `{count}`, `{queries}` and other names in
braces are filled in, and `[query has|queries have]` is the first part for a count of 1 and the second for any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from assay.core.text import Advice, Option, Task, some

NUMBERED = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")


class NoteKind(StrEnum):
    """What a note is about, each a text with its sentences on lines of their own.

    The first begins with the word that files and JSON have, the others with what else such a note can be about.
    """

    sentences: dict[str, str]

    def __new__(cls, text: str) -> Self:
        (word, usual), *others = (" ".join(line.split()).split(": ", 1) for line in text.splitlines())
        kind = str.__new__(cls, word)
        kind._value_, kind.sentences = word, {"": usual, **dict(others)}
        return kind

    # What makes every number meaningless, so it is said loudly: a warning in Python, in bold in the shell.
    OVERLAP = """overlap: no judged document was retrieved for any query: {ids}
        few: only {count} of {expected} judged documents that could have been retrieved were: {ids}
        queries: only {count} of {expected} queries in the run [has|have] judgments: {ids}
        empty: no document was retrieved for any judged query: the rankings are empty
        texts: no gold text matches a retrieved text: {ids}
        few texts: only {count} of {expected} gold texts [matches|match] a retrieved text: {ids}
        spans: no retrieved chunk hits a gold span: {ids}
        few spans: only {count} of {expected} gold spans [is|are] hit by a retrieved chunk: {ids}"""

    # What was found while reading the data.
    UNJUDGED = """unjudged: {count} [query|queries] in the run [has|have] no judgments; left out: {queries}
        questions: {count} [question has|questions have] no judgments; not asked: {queries}"""
    SCATTERED = "scattered: rows of {count} [query|queries] are not contiguous; grouped by query"
    SURPLUS = """surplus: {count} [line|lines] of the run [has|have] more than 6 fields; what follows the sixth is \
            ignored, as in trec_eval"""
    DUPLICATES = """duplicates: {count} duplicate [document|documents] left out
        judgments: {count} duplicate [judgment|judgments]; {which} per document counts
        rankings: {count} duplicate [document|documents] left out of the rankings of {queries}
        unchecked: duplicates were looked for among judged documents only"""
    CHUNKS = """chunks: {count} [chunk of a document that is|chunks of documents that are] ranked higher left out
        some: the rule {rule} does not match {count} of {retrieved} ids; kept as they are: {ids}
        none: the rule {rule} does not match a single id; all are kept as they are: {ids}"""
    TIES = """ties: ties of {count} [query|queries] with 16 documents or more keep the order in which they were read; \
            ranx has its own, as has assay for a run in memory, such as assay.read_run(path): {queries}
        chunks: ties of {count} [query|queries] with 16 documents or more keep the order of their chunks; ranx has its \
            own: {queries}"""
    EXCLUDED = "excluded: {count} [document|documents] with the same id as the query left out"
    PREPARED = "prepared: {tool} cannot use the {what} of {count} [query|queries]; left out of the mean: {queries}"
    TRUNCATED = "truncated: {count} [grade|grades] truncated to whole numbers"
    NEGATIVE = "negative: {count} [grade|grades] below 0; treated as {effect}"
    UNSEEN = "unseen: {count} relevant [document was|documents were] not retrieved; added at grade {grade}"

    # Which queries count, and how.
    MISSING = """missing: {count} [query|queries] in the judgments [is|are] missing from the run; {effect}: {queries}
        predictions: {count} [question has|questions have] no prediction; counted as empty: {queries}
        answers: {count} [question has|questions have] no answer; counted as empty: {queries}
        scores: {count} [question has|questions have] no value; left out of the mean: {queries}"""
    UNKNOWN = """unknown: {count} [prediction matches|predictions match] no question; left out: {queries}
        outputs: {count} [output matches|outputs match] no question; left out: {queries}"""
    NO_RELEVANT = "no_relevant: {count} [query has|queries have] no relevant documents; {effect}: {queries}"
    NO_RESULTS = "no_results: {count} [query has|queries have] no results; {effect}: {queries}"

    # What is special about some measures.
    POLICIES = "policies: computed with {policies}"
    UNDEFINED = """undefined: {count} [query|queries] left out of the mean; {reason}
        pair: {count} [query|queries] left out; no finite value in both runs
        runs: {count} [query|queries] left out; no finite value in every run
        drop: {count} [query|queries] left out of the drop; no value on one side
        agreement: every grade is the same, and chance alone agrees as often; {which} undefined
        resamples: kappa is undefined in {count} of {samples} resamples; its interval is over the others
        correction: the verdicts are no better than chance; the share cannot be corrected"""
    REL = "rel: not affected by rel={rel}; gains come from the grades"
    MEASURE = "measure: {remark}"
    NOT_DEFINED = "not_defined: not defined here; its stored values are kept"

    # What makes a comparison say less than it seems to.
    POOLED = """pooled: a score of summed statistics, which is what is tested; wins, ties, losses and Cliff's delta \
            are per query"""
    CORPUS = """corpus: one number for all queries; it has no pairs to compare
        documents: {count} [document|documents] not in the corpus; their questions have no texts: {documents}"""
    FEW = """few: no query to compare
        one: a single query says nothing about others
        interval: no interval; a single query says nothing about others"""
    EQUAL = "equal: same score on every query"
    CONSTANT = "constant: same difference on every query; its spread is unknown"
    SPLIT = "split: the means point one way and the test the other; neither is called better"

    # Two sets of judgments or of scores.
    ONE_SIDED = """one_sided: {count} [document|documents] judged by {side} only; left out
        scores: {count} [query has|queries have] a value in {side} only; left out: {queries}
        queries: runs are scored on the queries of both; {count} [is|are] left out: {queries}"""

    # Human labels for a part of the queries.
    ANCHORED = """anchored: mean and interval are prediction-powered: {count} of {total} queries have human labels
        all: every query has a human label; the other values are not used
        few: {count} human labels are few; with fewer than {least} the interval can be too narrow
        unknown: {count} [query|queries] with human labels [is|are] not among those scored; left out: {queries}
        valueless: {count} [query|queries] with human labels [has|have] no other value; left out: {queries}
        plain: not anchored by human labels: {reason}
        sample: queries with human labels score differently from the others ({p}); the labels anchor nothing unless \
            they are a random sample
        pairs: differences are anchored by human labels, each on its own; wins, ties, losses, Cohen's d and Cliff's \
            delta are those of the values of all queries"""

    # People's votes and clicks.
    VOTES = """votes: {count} [vote says|votes say] nothing (cannot tell); not counted
        again: {count} [vote was|votes were] replaced by a later vote of the same voter on the same document
        few: {count} [pair has|pairs have] fewer than {least} votes; left unjudged
        ties: {count} [pair is|pairs are] tied between grades; the lower grade counts
        unnamed: {count} [vote has|votes have] no voter; each counts as one person's
        thumbs: votes are thumbs: 1 is up, -1 is down
        unsettled: Dawid and Skene's estimates still changed after {count} rounds
        drawn: the interval allows for other voters: {count} [voter|voters], resampled {draws} times
        one: a single voter says nothing about others; the interval does not allow for them
        plain: the interval does not allow for other voters; it is not a mean over queries
        past: {count} [decision that is|decisions that are] no longer in force left out
        decisions: {count} [decision is not a vote|decisions are not votes]; left out
        models: {count} [vote of a model|votes of models] left out"""
    CLICKS = """clicks: {count} [click has|clicks have] no impression; counted as shown
        few: {count} [pair was|pairs were] shown fewer than {least} times; left unjudged
        other: {count} [event is|events are] neither an impression nor a click; left out: {actions}
        unplaced: {count} [event has|events have] no position; left out
        clickless: {count} [pair was|pairs were] shown only at positions without a click; left unjudged
        fixed: every document was shown at one position only; {model} cannot tell how attractive a document is from \
            how many people look at its position
        unsaid: {count} [row has|rows have] an empty clicked; counted as not clicked
        pageless: {count} [impression or click has|impressions and clicks have] no query_id; left out
        bare: {count} [impression or click has|impressions and clicks have] no document; left out
        untyped: {count} [query_id has|query_ids have] no user_query; each counts as a query of its own
        unsettled: the estimates still changed after {count} rounds"""

    # An audit.
    START = "start: {tool} has no {measure}; the steps start from its {name}"
    STRICT = "strict: {tools} cannot compute it: {reason}"
    UNCOMPUTED = "uncomputed: {reason}"

    # A live retriever.
    UNASKED = "unasked: {count} [query|queries] in the judgments [has|have] no question: {queries}"
    FAILED = "failed: {count} [question|questions] failed; counted as empty: {queries}"
    CONCEALED = """concealed: {count} retrieved [id|ids] with a value that was sent as a possible key; it is shown as \
            …: {queries}"""
    ORDER = """order: scores of {count} [ranking|rankings] do not decrease; ignored, the order counts: {queries}
        records: scores of {count} [question|questions] do not decrease; the order retrieved counts: {queries}"""
    SHORT = """short: no ranking has more than {count} [document|documents] (k is {k}); the retriever may have its \
            own limit"""
    DEPTH = "depth: rankings end at k={k}"

    # Records of a RAG system.
    OUTPUTS = """outputs: the outputs have no ids; matched to the questions in order
        replaced: {parts} in the records ignored; the outputs count
        differing: the outputs have another question, gold or references for {count} [question|questions]; those of \
            the records count: {queries}"""
    QUESTIONS = "questions: {count} [query has|queries have] no text: {queries}"
    PARTS = "parts: left out; the records have no {missing}"
    MATCHED = """matched: {count} gold [text|texts] matched by text: {exact} exactly, {similar} by a similarity of at \
            least {threshold}, {none} by no retrieved text
        exact: {count} gold [text|texts] matched by text: {exact} exactly, {none} by no retrieved text
        graded: {count} gold [text|texts] compared with the retrieved texts; the similarity is the grade
        spans: {count} gold [span|spans] matched by position: {hit} hit by a chunk ({rule}), {none} not"""
    NO_VERDICT = """no_verdict: {count} of {total} questions [has|have] no verdict ({reasons}); left out of the mean: \
            {queries}"""
    FLIPPED = """flipped: {count} of {total} questions changed [its|their] score between {draws} draws: {queries}
        none: none of {total} questions changed its score between {draws} draws
        failed: {count} of {total} draws [has|have] no verdict; the others count"""
    # The mean of what is left may say something else than the mean of all would.
    FAILED_VERDICTS = """failed_verdicts: the judge failed on {count} of {total} questions ({reasons}); the rest may \
            not be representative: {queries}"""
    GOLD = "gold: {count} [question has|questions have] no gold documents; left out: {queries}"

    # A kind that only a newer assay knows.
    OTHER = "other: {text}"

    @classmethod
    def named(cls, word: str) -> NoteKind:
        """The kind of a word; `OTHER` for a word that is not known."""
        return cls._value2member_map_.get(word, cls.OTHER)  # type: ignore[return-value]


# Notes that are also given as a warning.
LOUD = (NoteKind.OVERLAP, NoteKind.FAILED_VERDICTS)


class DataWarning(UserWarning):
    """Judgments and run barely overlap, or a judge failed often: the numbers say little. `result.notes` says the same.

    `warnings.simplefilter("error", assay.DataWarning)` makes it an error.
    """


@dataclass(frozen=True, slots=True)
class Note:
    """One assumption about the data: its kind, the sentence, and what the sentence is about.

    `count` is how many queries, documents or grades are concerned, `queries` are their ids where they are queries, and
    `measures` are those concerned where it is not all of them. `advice` says what can be done about it; the options in
    it are written as in Python, or as in the shell if that is where assay runs. `str(note)` is the sentence with its
    advice, after the measures.

    >>> print(Note.of(NoteKind.NO_RELEVANT, queries=["q1", "q2"], effect="scored 0"))
    2 queries have no relevant documents; scored 0: 'q1', 'q2'
    """

    kind: NoteKind
    text: str
    count: int = 0
    queries: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    advice: Advice = ()

    @classmethod
    def of(
        cls,
        kind: NoteKind,
        *,
        about: str = "",
        count: int | None = None,
        queries: Sequence[str] = (),
        measures: Sequence[str] = (),
        advice: Sequence[str | Option | Task] = (),
        **details: object,
    ) -> Note:
        """A note whose sentence is that of its kind, or the kind's sentence `about` another subject.

        The count is that of the queries unless it is given.
        """
        number = len(queries) if count is None else count
        numbered = NUMBERED.sub(r"\1" if number == 1 else r"\2", kind.sentences[about])
        text = numbered.format(count=f"{number:,}", queries=some(queries), **details)
        return cls(kind, text, number, tuple(queries), tuple(measures), tuple(advice))

    def __str__(self) -> str:
        text = f"{self.text}; {''.join(map(str, self.advice))}" if self.advice else self.text
        return f"{', '.join(self.measures)}: {text}" if self.measures else text

    @property
    def is_loud(self) -> bool:
        """Whether it makes the numbers meaningless, and is therefore given as a warning too."""
        return self.kind in LOUD

    def to_dict(self) -> dict[str, Any]:
        """The note as JSON has it, without what is empty."""
        about = {"count": self.count, "queries": list(self.queries), "measures": list(self.measures)}
        return {"kind": str(self.kind), "text": str(self), **{name: value for name, value in about.items() if value}}


def loud_first(notes: Iterable[Note]) -> tuple[Note, ...]:
    return tuple(sorted(notes, key=lambda note: not note.is_loud))
