"""`Votes`: judgments from votes, how sure each is, and how each voter votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import DataError, PolicyError
from assay.core.judged import FloatArray, ratio
from assay.core.note import Note
from assay.core.policies import check_whole
from assay.core.text import Option, show
from assay.render.export import View
from assay.results.graded import GradedPairs, rows_of, table_of
from assay.stats.agreement import SCALES, Estimate, alpha, with_interval
from assay.stats.intervals import FEWEST, SAMPLES, check_level, resampled_times
from assay.tasks.vote.ballots import Ballots
from assay.tasks.vote.methods import METHODS, Reliability, Settings, counts, most_frequent, vote_bounds

if TYPE_CHECKING:
    import polars

# More different votes are scores, and no two are ever the same.
MOST_GRADES = 50


class VotedPair(NamedTuple):
    """A query and a document with the grade that the votes give: how many, its bounds, and how many votes are alike.

    `low` and `high` bound the opinion: the share that votes up, or the mean vote. `same` is the share of votes that are
    the most frequent one.
    """

    query: str
    document: str
    grade: float
    votes: int
    low: float
    high: float
    same: float


class Voter(NamedTuple):
    """A voter: the number of votes, how far others agree, and with `dawid_skene` the estimated accuracy.

    `same` is the share of the others' votes on a pair that are the same, averaged over pairs; NaN if nobody else voted
    on them.
    """

    name: str
    votes: int
    same: float
    accuracy: float


class Votes(GradedPairs):
    """Judgments from votes: `qrels`; `pairs` with the uncertainty of each; `voters`; `notes`; `signature`."""

    task = "votes"

    def __init__(
        self,
        ballots: Ballots,
        settings: Settings,
        notes: tuple[Note, ...],
        how: Mapping[str, str],
        reliability: Reliability | None,
    ) -> None:
        grades = METHODS[settings.method](ballots, settings) if reliability is None else reliability.grades
        signature = " ".join((f"votes[{settings.method}]", *(f"{name}={value}" for name, value in how.items())))
        super().__init__(ballots.pairs, grades, notes, signature)
        self._ballots, self._settings, self._reliability = ballots, settings, reliability

    def __repr__(self) -> str:
        return f"<Votes: {len(self._ballots.pair):,} votes on {len(self):,} pairs, {self.signature}>"

    @property
    def method(self) -> str:
        """How votes became grades."""
        return self._settings.method

    @property
    def pairs(self) -> list[VotedPair]:
        """Each pair with its grade and how sure it is, in the order in which they were first voted on."""
        number = counts(self._ballots)
        bounds = vote_bounds(self._ballots, self._settings)
        if self._reliability is not None:
            bounds = self._reliability.bounds(self._settings.level)
        columns = (self.grades, number, *bounds, most_frequent(self._ballots)[1] / number)
        rows = zip(self._ballots.pairs.rows(), *(column.tolist() for column in columns), strict=True)
        return [VotedPair(*names, *values) for names, *values in rows]

    @property
    def voters(self) -> list[Voter]:
        """Each named voter, those with the most votes first."""
        names = self._ballots.voters
        voter = self._ballots.voter
        number = np.bincount(voter, minlength=len(names))
        accuracy = np.full(len(names), np.nan) if self._reliability is None else self._reliability.accuracy
        # For each voter, the share of the others' votes on a pair that are the same, averaged over pairs.
        group = np.cumsum(self._ballots.is_other) - 1
        alike, others = np.bincount(group)[group] - 1, counts(self._ballots)[self._ballots.pair] - 1
        total = np.bincount(voter, weights=others > 0)
        same = np.where(total > 0, ratio(np.bincount(voter, weights=ratio(alike, others)), total), np.nan)
        # Votes without a voter come last.
        rows = zip(names, *(each.tolist() for each in (number, same, accuracy)), strict=False)
        return sorted((Voter(*row) for row in rows), key=lambda voter: (-voter.votes, voter.name))

    @property
    def confusion(self) -> dict[str, dict[float, dict[float, float]]]:
        """With `dawid_skene`, how likely each voter casts each vote where a label is true: voter, label, vote."""
        if self._reliability is None:
            return {}
        labels = self._reliability.labels.tolist()
        tables = zip(self._ballots.voters, self._reliability.confusion.tolist(), strict=False)
        return {
            name: {true: dict(zip(labels, row, strict=True)) for true, row in zip(labels, table, strict=True)}
            for name, table in tables
        }

    @property
    def comments(self) -> list[tuple[str, str, str, str]]:
        """What voters wrote: query, document, voter, comment."""
        return list(self._ballots.comments)

    def agreement(
        self, *, scale: str = "nominal", level: float = 0.95, samples: int = SAMPLES, seed: int = 0
    ) -> Estimate:
        """Krippendorff's alpha over all voters, with a bootstrap interval over pairs; NaN if it is undefined.

        `scale` is `nominal`, `ordinal` or `interval`.
        """
        if scale not in SCALES:
            raise PolicyError(f"scale must be {' or '.join(map(repr, SCALES))}, not {show(scale)}")
        check_level(level)
        check_whole("samples", samples, 1)
        check_whole("seed", seed, 0)
        grades, vote = np.unique(self._ballots.value, return_inverse=True)
        if len(grades) > MOST_GRADES:
            advice = f"set a threshold, such as {Option('threshold', round(float(np.median(grades)), 2))}"
            raise DataError(f"the votes have {len(grades)} different values; alpha is for categories: {advice}")
        units = np.zeros((len(self), len(grades)))
        np.add.at(units, (self._ballots.pair, vote), 1)
        units = units[units.sum(axis=1) >= FEWEST]
        # The coincidences of grades in each unit, from how often each grade was given there.
        others = 1 / (units.sum(axis=1) - 1)
        each = units[:, :, None] * units[:, None, :] * others[:, None, None]
        places = np.arange(len(grades))
        each[:, places, places] -= units * others[:, None]
        value = float(alpha(each.sum(axis=0), grades, scale)) if len(units) else float("nan")
        drawn = None
        if len(units) >= FEWEST:
            flat = each.reshape(len(units), -1)
            shape = (-1, len(grades), len(grades))
            totals = (times @ flat for times in resampled_times(len(units), samples, seed))
            drawn = np.concatenate([alpha(total.reshape(shape), grades, scale) for total in totals])
        return with_interval(value, drawn, level)

    def drawn_grades(self, draws: int, seed: int = 0) -> Iterator[FloatArray]:
        """The grades that other voters might have given: voters are drawn with replacement, once per draw.

        A pair none of whose voters is drawn keeps its votes.
        """
        generator = np.random.default_rng(seed)
        names, voter = np.unique(self._ballots.voter, return_inverse=True)
        arrays = {name: getattr(self._ballots, name) for name in ("pair", "voter", "value")}
        for _ in range(draws):
            times = np.bincount(generator.integers(len(names), size=len(names)), minlength=len(names))[voter]
            is_left = np.bincount(self._ballots.pair, weights=times, minlength=len(self)) > 0
            rows = np.repeat(np.arange(len(voter)), np.where(is_left[self._ballots.pair], times, 1))
            drawn = self._ballots._replace(**{name: array[rows] for name, array in arrays.items()})
            yield METHODS[self.method](drawn, self._settings)

    @property
    def pair_names(self) -> list[tuple[str, str]]:
        """The query and the document of each pair."""
        return self._ballots.pairs.rows()

    @property
    def voter_count(self) -> int:
        """How many people voted; a vote without a voter is one person's."""
        return len(np.unique(self._ballots.voter))

    def to_polars(self) -> polars.DataFrame:
        """One row per pair."""
        return frame_of(self.pairs, VotedPair).fill_nan(None)

    def voter_table(self) -> View:
        """One row per named voter; print it, or export it."""
        return View(table_of(frame_of(self.voters, Voter).rename({"name": "voter"}), self.signature))

    def _more_fields(self) -> dict[str, Any]:
        return {"voters": rows_of(frame_of(self.voters, Voter))}


def frame_of(rows: list[Any], kind: type[VotedPair | Voter]) -> polars.DataFrame:
    """Named tuples as a frame."""
    import polars

    columns = dict(zip(kind._fields, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(kind._fields, ())
    return polars.DataFrame(columns)
