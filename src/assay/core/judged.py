"""`Judged`: the judged documents of a run with their ranks. Every measure of rankings is a function of it.

A measure looks only at judged documents. The kernel finds them among the retrieved documents and counts how many
documents score higher and how many tie; a rank under any tie rule is then an addition. The rest is small enough for
NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from assay.core.errors import MeasureError

# As `numpy.typing` has them, which takes time to import.
FloatArray = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
IntArray = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]
BoolArray = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]
Value = TypeVar("Value")

# Separates a group's name from its subgroup's.
SUBGROUP = "\x1f"


def integers(column: bytes) -> IntArray:
    """A column of the kernel that has whole numbers."""
    return np.frombuffer(column, dtype=np.int64)


def floats(column: bytes) -> FloatArray:
    """A column of the kernel that has floats."""
    return np.frombuffer(column, dtype=np.float64)


class Cutoffs(np.ndarray[tuple[Any, ...], np.dtype[np.int64]]):
    """A cutoff for each query, in the place of the one cutoff of a measure; equal only to itself, as a key."""

    __hash__ = object.__hash__  # type: ignore[assignment]  # an array has none


def reach(k: int | IntArray, owner: IntArray) -> int | IntArray:
    """The cutoff that holds for each entry, given its query."""
    return k[owner] if isinstance(k, np.ndarray) else k


def ratio(numerator: FloatArray | IntArray, denominator: FloatArray | IntArray | float) -> FloatArray:
    """One divided by the other, 0 if the divisor is 0.

    >>> ratio(np.array([1.0, 2.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    top = np.asarray(numerator, dtype=np.float64)
    bottom = np.broadcast_to(np.asarray(denominator, dtype=np.float64), top.shape)
    return np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Judged documents that were retrieved, by query and then by rank.

    `higher` and `tied` count the documents of the whole ranking that score higher than a hit and the same as it.
    `document` is a number that two hits share if they are the same document, judged for the same query.
    """

    size: int
    query: IntArray
    grade: FloatArray
    rank: IntArray
    score: FloatArray
    higher: IntArray
    tied: IntArray
    document: IntArray

    def where(self, mask: BoolArray | IntArray) -> Hits:
        """The hits for which the mask is true, or those at the given places."""
        if mask.dtype == np.bool_ and mask.all():
            return self
        columns = (self.query, self.grade, self.rank, self.score, self.higher, self.tied, self.document)
        return Hits(self.size, *(column[mask] for column in columns))  # type: ignore[arg-type]

    def top(self, k: int | None) -> Hits:
        """The hits among the first `k` documents; all hits without a cutoff."""
        return self if k is None else self.where(self.rank <= reach(k, self.query))

    @property
    def starts(self) -> IntArray:
        """Where each query's hits begin; one more entry marks the end."""
        return stretches(self.query, self.size)

    @property
    def ordinal(self) -> IntArray:
        """1 for a query's first hit, 2 for its second, and so on."""
        return np.arange(1, len(self.query) + 1) - self.starts[self.query]

    def sum(self, values: FloatArray | IntArray, k: int | None = None) -> FloatArray:
        """The sum of the values per query, added in rank order; with a cutoff, only of the first `k` documents."""
        values = values if k is None else np.where(self.rank <= reach(k, self.query), values, 0.0)
        return np.asarray(np.bincount(self.query, weights=values, minlength=self.size), dtype=np.float64)

    def count(self, k: int | None = None) -> IntArray:
        """The number of hits per query; with a cutoff, only among the first `k` documents."""
        query = self.query if k is None else self.query[self.rank <= reach(k, self.query)]
        return np.bincount(query, minlength=self.size).astype(np.int64)

    def running(self, values: FloatArray) -> FloatArray:
        """For each hit, the sum of the values of its query's hits up to and including it."""
        return running_sums(values, self.starts)

    def before(self, mask: BoolArray) -> IntArray:
        """For each hit, the number of earlier hits of its query for which the mask is true."""
        total = np.concatenate(([0], np.cumsum(mask)))
        return np.asarray(total[:-1] - total[self.starts[self.query]], dtype=np.int64)

    def product_before(self, factors: FloatArray) -> FloatArray:
        """For each hit, the product of the factors of its query's earlier hits."""
        products = np.ones(len(factors))
        for rows in steps(self.starts):
            products[rows] = products[rows - 1] * factors[rows - 1]
        return products

    def first(self) -> tuple[IntArray, IntArray]:
        """The queries that have a hit, and the rank of the first hit of each."""
        queries, places = np.unique(self.query, return_index=True)
        return queries, self.rank[places]

    def distinct(self) -> Hits:
        """The hits without duplicates: each document only at its first rank."""
        first = np.zeros(len(self.query), dtype=np.bool_)
        first[np.unique(self.document, return_index=True)[1]] = True
        return self.where(first)

    def among_themselves(self) -> Hits:
        """The hits with `higher` and `tied` counted among themselves only."""
        if not len(self.query):
            return self
        changed = (np.diff(self.query) != 0) | (self.score[1:] != self.score[:-1])
        group = np.concatenate(([0], np.cumsum(changed)))
        begins = np.concatenate(([0], np.flatnonzero(changed) + 1))
        sizes = np.diff(np.append(begins, len(self.query)))
        return replace(self, higher=begins[group] - self.starts[self.query], tied=sizes[group] - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The judgments as given, one row each, by query: its document (as in `Hits`), grade and group.

    Groups are alternatives, subtopics or judges, numbered in the order of their names. `group` is None if the judgments
    have no groups, `subgroup` if no group is divided.
    """

    query: IntArray
    document: IntArray
    grade: FloatArray
    group: IntArray | None
    subgroup: IntArray | None = None

    def where(self, mask: BoolArray | IntArray) -> Groups:
        """The rows for which the mask is true, or those at the given places."""
        group, subgroup = (None if each is None else each[mask] for each in (self.group, self.subgroup))
        return Groups(self.query[mask], self.document[mask], self.grade[mask], group, subgroup)


class Spread(NamedTuple):
    """Figures of the scores per query: the highest, the second highest, the standard deviation; NaN without scores."""

    top: FloatArray
    second: FloatArray
    deviation: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What the judgments and a run have in common, for `size` queries.

    `grades` are all judged grades, by query and descending, each with its query in `owner`. A grade below `floor` marks
    a document that counts as unjudged. `repeats` counts the duplicate documents of a ranking.

    Some measures need more, and declare it in `needs` of their definition: `foreign`, the hits that only other queries
    judged, and `spread`. `kept` are the positions of these queries among all queries of the judgments, if some were
    left out.
    """

    size: int
    retrieved: IntArray
    owner: IntArray
    grades: FloatArray
    hits: Hits
    floor: float = 0.0
    repeats: IntArray | None = None
    foreign: Hits | None = None
    spread: Spread | None = None
    make_groups: Callable[[], Groups] | None = None
    make_id_order: Callable[[], IntArray] | None = None
    make_queries: Callable[[], list[str]] | None = None
    kept: IntArray | None = None
    _memory: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def remember(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value that `make` returns, computed once per key: many measures need the same few arrays."""
        if key not in self._memory:
            self._memory[key] = make()
        value: Value = self._memory[key]
        return value

    def judged(self) -> Hits:
        """The hits that have a judgment."""
        return self.relevant(self.floor)

    def relevant(self, rel: float) -> Hits:
        """The hits with at least the grade `rel`."""
        least = max(rel, self.floor)
        return self.remember(("relevant", least), lambda: self.hits.where(self.hits.grade >= least))

    def count_relevant(self, rel: float) -> IntArray:
        """The number of documents judged relevant, per query."""
        return self.remember(("count", rel), lambda: self._count(self.grades >= max(rel, self.floor)))

    def found(self, rel: float, k: int | None) -> IntArray:
        """The number of relevant documents among the first `k`, per query."""
        return self.remember(("found", rel, k), lambda: self.relevant(rel).count(k))

    def count_nonrelevant(self, rel: float) -> IntArray:
        """The number of documents judged nonrelevant, per query."""
        return self._count((self.grades >= self.floor) & (self.grades < rel))

    @property
    def distinct(self) -> IntArray:
        """The number of different documents retrieved, per query."""
        return self.retrieved if self.repeats is None else self.retrieved - self.repeats

    def groups(self) -> Groups:
        """The judgments as given, with their groups."""
        if self.make_groups is None:
            raise MeasureError("this measure needs judgments with documents or groups; grades alone are not enough")
        return self.remember("groups", self.make_groups)

    def id_order(self) -> IntArray:
        """The position of each document, by number, in the order of ids, the same for all queries that judged it."""
        if self.make_id_order is None:
            return np.arange(self.groups().document.max(initial=-1) + 1)
        return self.remember("id order", self.make_id_order)

    def all_queries(self) -> list[str]:
        """The ids of all queries of the judgments, including those left out; numbers if there are no ids."""
        if self.make_queries is None:
            return [str(number) for number in range(self.size)]
        return self.remember("queries", self.make_queries)

    def _count(self, mask: BoolArray) -> IntArray:
        return np.bincount(self.owner[mask], minlength=self.size).astype(np.int64)

    def highest_grade(self) -> FloatArray:
        """The highest judged grade per query, at least 0."""
        highest = np.zeros(self.size)
        np.maximum.at(highest, self.owner, self.grades)
        return highest

    def cut(self, k: int | None) -> IntArray:
        """The number of documents up to rank `k`, per query."""
        return self.retrieved if k is None else np.minimum(self.retrieved, k)


def stretches(owner: IntArray, size: int) -> IntArray:
    """Where the entries of each of `size` queries begin, and where the last ones end, given the query of each entry."""
    return np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=size)))).astype(np.int64)


def steps(starts: IntArray) -> Iterator[IntArray]:
    """The second entry of every query that has one, then the third, …: step by step, every sum has its own bits."""
    first, counts = starts[:-1], np.diff(starts)
    for step in range(1, int(counts.max(initial=0))):
        yield first[counts > step] + step


def running_sums(values: FloatArray, starts: IntArray) -> FloatArray:
    """For each entry, the sum of its query's entries up to and including it."""
    sums = np.array(values, dtype=np.float64)
    for rows in steps(starts):
        sums[rows] += sums[rows - 1]
    return sums


def highest_onward(values: FloatArray, starts: IntArray) -> FloatArray:
    """For each entry, the highest value of its query from there on."""
    highest = np.array(values, dtype=np.float64)
    for rows in reversed(list(steps(starts))):
        highest[rows - 1] = np.maximum(highest[rows - 1], highest[rows])
    return highest
