"""`Studio`: a collection, the votes in its store, and the numbers that follow from both.

Votes reach the judgments in the order in which they were committed, from the thread that commits them.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.errors import AssayError, DataError
from assay.core.text import Option, count, show, some
from assay.data.frames.columns import as_float
from assay.report.content import base_core, blank_core
from assay.stats.significance import ComparisonSettings, check_settings
from assay.studio.collection import Collection, UnknownError, choose_grades
from assay.studio.judgments import JudgmentsInForce, Pair, VoteCounting, shown_vote
from assay.studio.live import Background, Live
from assay.studio.store.record import Writer
from assay.studio.store.schema import NewVote, VoteEvent, VoterKind, check_vote
from assay.studio.store.store import Store
from assay.tasks.compare.read import find_baseline
from assay.tasks.compare.report import comparison_core
from assay.tasks.evaluate.plan import make_plan
from assay.tasks.next.api import make_pool
from assay.tasks.vote.ballots import WORDS

if TYPE_CHECKING:
    from assay.studio.search import LiveSearch

LABELS = {2: ("not relevant", "relevant"), 4: ("not relevant", "related", "relevant", "perfect")}
GUIDELINES = "guidelines"
NOTHING = "Nothing is judged yet: the numbers appear with the first vote."
NOT_PROVED = "dawid_skene lets a vote on one pair change the grades of others, so nothing can be proved; use majority"
DEFAULT_GUIDELINES = (
    "Read the question, then the passage. Judge only whether this passage helps to answer this question: not whether "
    "it is well written, nor whether you knew it. If you cannot tell, say so."
)


@dataclass(frozen=True, slots=True)
class StudioSettings:
    """How a studio counts votes and scores runs.

    The pool has the first `depth` documents of each run, each pair is to get so many `votes`, and `settle` is the
    measure by which the comparison of two runs, `between`, can be settled. `top` is the highest grade, if somebody
    chose one.
    """

    measures: Sequence[str]
    comparing: ComparisonSettings
    counting: VoteCounting = field(default_factory=VoteCounting)
    depth: int = 20
    votes: int = 1
    settle: str = "dcg@10"
    between: tuple[str, str] | None = None
    scoring: Mapping[str, Any] = field(default_factory=dict)
    top: int | None = None

    @classmethod
    def of(
        cls,
        runs: Mapping[str, object],
        measures: Sequence[str],
        *,
        baseline: str | None = None,
        top_grade: int | None = None,
        **how: Any,  # noqa: ANN401 - fields, and the convention with its policies
    ) -> StudioSettings:
        """The settings of a studio of these runs, each by the name that `assay studio` gives it."""

        def take(names: Iterable[str]) -> dict[str, Any]:
            return {name: how.pop(name) for name in names if name in how}

        chosen = find_baseline(runs, baseline)
        comparing = check_settings(ComparisonSettings(**take(ComparisonSettings._fields), baseline=chosen))
        own = {"counting": VoteCounting(**take(VoteCounting._fields)), **take(("depth", "votes", "settle", "between"))}
        return cls(measures, comparing, **own, scoring=how, top=top_grade)

    def check(self, collection: Collection) -> None:
        """Raises if a measure is not known, also while there is nothing to score, or a run to settle is not there."""
        make_plan(self.measures, **self.scoring)
        for name in self.between or ():
            if name not in collection.runs:
                known = ", ".join(map(show, collection.runs))
                raise DataError(f"{Option('between')}: unknown run {show(name)}; the runs are {known}")
        if self.between and len(set(self.between)) == 1:
            raise DataError(f"{Option('between')} names {show(self.between[0])} twice; name two runs")


class Studio:
    """Everything that a page or a program asks for."""

    def __init__(
        self, collection: Collection, store: Store, settings: StudioSettings, search: LiveSearch | None = None
    ) -> None:
        self.collection, self.store, self.settings, self.search = collection, store, settings, search
        self.title = collection.title
        events = store.events()
        self.grades = choose_grades(collection.judgments, events, store, settings.top)
        self.listeners: list[Callable[[int], None]] = []
        self.asked, self.found = store.questions(), store.rankings()
        self.judgments = JudgmentsInForce(collection.judgments, settings.counting.check(len(self.grades)))
        self.lock = self.judgments.lock
        self.judgments.kinds = {voter.name: voter.kind for voter in store.voters()}
        self.judgments.apply(events)
        self.live = Live(collection.runs, self.judgments, settings.measures, settings.comparing, **settings.scoring)
        a, b = self.compared if len(collection.runs) > 1 else (None, None)
        scale = {"top": self.grades[-1], "lowest": None}
        how: Any = {"depth": settings.depth, "a": a, "b": b, "grade_range": scale, **settings.scoring}
        self.pool = make_pool(self.judgments.all_in_force() or None, collection.runs, settings.settle, **how)
        self.wanted = max(settings.votes, settings.counting.min_votes)
        self.pool.set_judged_votes(self.wanted)
        for pair in {*self.judgments.ballots, *self.judgments.decisions}:
            self._judge(pair)
        self.numbers = Background(self.core, self.revision, self._tell)
        self.writer = Writer(store, self._take)

    def _judge(self, pair: Pair) -> None:
        """Tells the pool what is known of a pair; its grade is final once no more votes are to come."""
        votes, grade = len(self.judgments.counted(pair)), self.judgments.grade(*pair)
        # A judgment from the file, or a decision, needs no more votes.
        needed = self.wanted if pair in self.judgments.decisions or (grade is not None and not votes) else votes
        self.pool.judge(*pair, grade, votes=needed, is_final=needed >= self.wanted)

    def revision(self) -> int:
        """The number of the last vote that counts everywhere."""
        with self.lock:
            return self.judgments.revision

    @property
    def compared(self) -> tuple[str, str]:
        """The two runs whose difference is to be settled; by default the baseline or the first, and the last."""
        names = list(self.collection.runs)
        if self.settings.between is not None:
            return self.settings.between
        first = self.settings.comparing.baseline or names[0]
        return first, next((name for name in reversed(names) if name != first), first)

    def close(self) -> None:
        self.writer.close()
        if self.search is not None:
            self.search.close()
        self.store.close()

    def _take(self, events: Sequence[VoteEvent]) -> None:
        with self.lock:
            changed = self.judgments.apply(events)
            self.live.touch({query for query, _ in changed})
            for pair in {*changed, *((event.query, event.document) for event in events)}:
                self._judge(pair)
        self._tell()

    def _tell(self) -> None:
        """Tells everybody who listens that something is new."""
        for tell in tuple(self.listeners):
            tell(self.judgments.revision)

    def question(self, query: str) -> str | None:
        return self.collection.questions.get(query) or self.asked.get(query)

    def passages(self, documents: Iterable[str]) -> dict[str, str]:
        """The texts of documents, as far as they are known."""
        known, wanted = self.collection.passages, list(documents)
        others = [document for document in wanted if document not in known]
        kept = self.store.passages(others) if others and self.found else {}
        return {**{document: known[document] for document in wanted if document in known}, **kept}

    @property
    def queries(self) -> list[str]:
        """All queries: those of the file and the runs, then those that were asked in live search."""
        others = [query for query in tuple(self.asked) if query not in self.live.places]
        return [*self.live.queries, *others] if others else self.live.queries

    def has_query(self, query: str) -> bool:
        """Whether a query is in the collection, or was asked in live search."""
        known = (self.live.places, self.asked, self.collection.questions, self.judgments.queries_voted)
        return any(query in each for each in known)

    def check_pair(self, query: str, document: str) -> None:
        """Raises unless a query is known; a document may be any."""
        if not self.has_query(query):
            raise UnknownError(f"unknown query {show(query)}; votes are on queries of this collection")
        if not document:
            raise DataError("the id of the document is empty")

    def read_vote(self, value: object) -> float | None:
        """A vote as a number, None if it says nothing; raises if it is not one of this collection."""
        top = self.grades[-1]
        if isinstance(value, bool):
            return top if value else 0.0
        word = WORDS.get(value.strip().lower()) if isinstance(value, str) and value.strip() else None
        if word is not None:
            return None if math.isnan(word) else top * word
        number = None if isinstance(value, str) else as_float(value, truths=False)
        if number is None or not self.grades[0] <= number <= top:
            said = show(value) if number is None else f"{number:g}"
            allowed = ", ".join(f"{grade:g}" for grade in self.grades)
            raise DataError(f"{said} is not a vote here; send {allowed}, up, down, or ? for cannot tell")
        return number

    @property
    def scale(self) -> list[dict[str, Any]]:
        labels = LABELS.get(len(self.grades), tuple(f"grade {grade:g}" for grade in self.grades))
        return [{"value": grade, "label": label} for grade, label in zip(self.grades, labels, strict=True)]

    def core(self, *, charts: bool = False) -> dict[str, Any]:
        """What a report shows first, by the judgments in force."""
        revision = self.revision()
        self.live.renew()
        comparison, results = self.live.comparison(), self.live.results()
        if comparison is not None:
            core = comparison_core(comparison, self.title, charts=charts)
        else:
            core = self.empty_core(NOTHING) if results is None else base_core(results, self.title)
        # Asked in live search, or by a program.
        others = [query for query in self.judgments.all_in_force() if query not in self.live.places]
        if others:
            said = f"{count(len(others), 'judged query is', 'judged queries are')} in no run; not counted here"
            core["notes"] = [*core["notes"], {"text": f"{said}, but exported: {some(others)}", "loud": False}]
        return {**core, "revision": revision}

    def empty_core(self, said: str) -> dict[str, Any]:
        return blank_core(list(self.live.runs), self.title) | {"verdict": [{"text": said, "state": None}]}

    @property
    def guidelines(self) -> str:
        return self.store.setting(GUIDELINES) or DEFAULT_GUIDELINES

    def progress(self) -> dict[str, int]:
        with self.lock:
            judged, of = self.pool.count_judged()
            numbers = [len(pairs) for pairs in self.judgments.voted.values() if pairs]
        return {"pairs": judged, "of": of, "votes": sum(numbers), "voters": len(numbers)}

    def describe(self) -> str:
        known = self.progress()
        queries, runs = count(len(self.live.queries), "query", "queries"), count(len(self.live.runs), "run")
        pairs, votes = count(known["of"], "pair"), count(known["votes"], "vote")
        return f"{queries}, {runs}, {known['pairs']:,} of {pairs} judged; {votes}"

    def settlement(self) -> dict[str, Any] | None:
        """Whether further judgments can change which of two runs is better; None for a single run."""
        if len(self.collection.runs) == 1:
            return None
        if self.judgments.counting.method == "dawid_skene":
            return {"measure": self.settings.settle, "reason": NOT_PROVED}
        with self.lock:
            found = self.pool.settlement
            if found is None:
                return {"measure": self.settings.settle, "reason": self.pool.reason}
            fields = found.to_dict()
        renamed = {"low": "lowest", "high": "highest", "settled": "is_settled", "open": "opposing", "fewest": "needed"}
        return {**fields, **{name: fields[field] for name, field in renamed.items()}}

    def next_pair(self, voter: str | None, order: str, skip: set[Pair]) -> dict[str, Any]:
        """The pair that a voter should judge next, how far everybody is, and whether judging can change anything."""
        with self.lock:
            mine = self.judgments.voted.get(voter or "", {})
            order = "depth" if order in ("worth", "against") and self.pool.compared is None else order
            # Everybody has a random order of their own.
            seed = zlib.crc32((voter or "").encode())
            found = [
                {**self.pair_fields(pair.query, pair.document), "worth": pair.worth, "rank": pair.rank}
                for pair in self.pool.next(order, skip={*mine, *skip}, seed=seed, wanted=self.wanted)
            ]
            previous = None
            if mine:
                last = self.judgments.ballots[next(reversed(mine))][voter or ""]
                previous = {"id": last.id, "query": last.query, "document": last.document}
                previous |= {"vote": shown_vote(last.vote), "comment": last.comment}
            progress = sorted(self.judgments.voted.items(), key=lambda each: (-len(each[1]), each[0]))
            return {
                "pair": found[0] if found else None,
                "left": self.pool.count_open(self.wanted),
                "done": len(mine),
                "progress": [{"voter": name, "votes": len(pairs)} for name, pairs in progress if pairs],
                "settlement": self.settlement(),
                "revision": self.judgments.revision,
                "previous": previous,
            }

    def pair_fields(self, query: str, document: str) -> dict[str, Any]:
        passage = self.passages([document]).get(document)
        return {"query": query, "question": self.question(query), "document": document, "passage": passage}

    def undoing(self, event: VoteEvent) -> NewVote:
        """What takes a vote back: the vote before it once more, step by step, or else a withdrawal."""
        earlier: list[VoteEvent] = []
        events = self.store.events(query=event.query, document=event.document, voter=event.voter)
        for each in events if event.kind == "vote" else ():
            if each.kind == "withdrawal":
                earlier.clear()
            elif each.source == "undo":
                earlier.pop()
            elif each.kind == "vote":
                earlier.append(each)
        if len(earlier) > 1:
            before = earlier[-2]
            return NewVote(event.query, event.document, event.voter, before.vote, comment=before.comment, source="undo")
        return NewVote(event.query, event.document, event.voter, None, kind="withdrawal", replaces=event.id)

    def add_voter(
        self, name: str, *, kind: VoterKind = "person", password: str | None = None, is_admin: bool | None = None
    ) -> None:
        voter = self.store.add_voter(name, kind=kind, password=password, is_admin=is_admin)
        with self.lock:
            self.judgments.kinds[name] = voter.kind

    def take_in(
        self, votes: Sequence[NewVote], kind: VoterKind, kinds: Mapping[str, VoterKind] | None = None
    ) -> dict[str, int]:
        """Records votes from a file, all or none, and says how many are new; voters are of `kinds`, else of `kind`."""
        said = {vote.voter: (kinds or {}).get(vote.voter, kind) for vote in votes}
        for vote in votes:
            check_vote(vote)
            if vote.vote is not None:
                self.read_vote(vote.vote)
        with self.lock:
            # Whose votes count is known before they do.
            new_names = {name: each for name, each in said.items() if name not in self.judgments.kinds}
            self.judgments.kinds.update(new_names)
        try:
            recorded = self.writer.record_whole(votes, said).result()
        except AssayError:
            with self.lock:
                for name in new_names:
                    self.judgments.kinds.pop(name, None)
            raise
        new = sum(each.is_new for each in recorded)
        return {"votes": new, "known": len(recorded) - new}
