"""`votes`: what people think of search results in, judgments out."""

from numbers import Real

import numpy as np

from assay.core.errors import DataError, PolicyError
from assay.core.note import Note, NoteKind
from assay.core.policies import check_whole
from assay.core.text import Option, show
from assay.stats.intervals import check_level
from assay.tasks.vote.ballots import read_ballots
from assay.tasks.vote.methods import METHODS, OF_THUMBS, Settings, estimate_reliability, most_frequent
from assay.tasks.vote.result import Votes

NAMES = tuple(METHODS)


def votes(
    data: object,
    *,
    method: str = "majority",
    min_votes: int = 1,
    scale: str = "auto",
    threshold: float | None = None,
    prior: tuple[float, float] = (1.0, 1.0),
    level: float = 0.95,
) -> Votes:
    """Judgments from votes: who found which document relevant to which query.

    The votes are a file (CSV, TSV, JSON Lines, JSON or Parquet), the file in which a studio keeps them, a frame, or a
    list of dicts with `query`, `document`, `vote`, and if you have them `voter`, `time` and `comment`; usual other
    names are found too. A vote is up or down (or yes and no, true and false, 1 and -1 …), a grade or any number; an
    empty one, `?` or `cannot tell` counts for nothing.

    >>> import assay
    >>> rows = ["q1 d1 ann up", "q1 d1 bob up", "q1 d1 eve down", "q1 d2 ann ?"]
    >>> fields = ("query", "document", "voter", "vote")
    >>> found = assay.votes([dict(zip(fields, row.split())) for row in rows], method="mean")
    >>> found.qrels.to_dict()
    {'q1': {'d1': 0.6666666666666666}}
    >>> print(*found.notes)
    1 vote says nothing (cannot tell); not counted

    `method` is `majority` (the lower grade of a tie), `mean`, `median`, `beta` (the posterior mean under a `prior`),
    `wilson` (the lower end of the interval at `level`), `quepid`, or `dawid_skene`, which weighs voters by how reliable
    they turn out to be. A pair with fewer than `min_votes` stays unjudged. `scale` says what -1, 0 and 1 are, `thumbs`
    or `grades`. With a `threshold`, a vote of at least that much is up and any other one is down, -1 and 0 as well.
    """
    if method not in NAMES:
        raise PolicyError(f"unknown method {show(method)}; choose one of {', '.join(NAMES)}")
    check_level(level)
    pair = prior if isinstance(prior, (tuple, list)) else ()
    valid = [isinstance(each, Real) and not isinstance(each, bool) and 0 < float(each) < np.inf for each in pair]
    if valid != [True, True]:
        raise PolicyError(f"prior must be two positive numbers, such as (1, 1), not {show(prior)}")
    if tuple(prior) != (1, 1) and method != "beta":
        raise PolicyError(f"only the method beta has a prior; leave out {Option('prior')}")
    settings = Settings(method, (float(prior[0]), float(prior[1])), float(level))
    check_whole("min_votes", min_votes, 1)
    ballots, notes = read_ballots(data, scale, min_votes, check_threshold(threshold))
    if method in OF_THUMBS and not ballots.is_thumbs:
        advice = f"say which are up, such as {Option('threshold', round(float(np.median(ballots.value)), 2))}"
        raise DataError(f"{method} takes votes that are up or down, and these are grades; {advice}")
    if method == "dawid_skene" and len(ballots.voters) <= 1:
        raise DataError("dawid_skene compares voters, and the votes name fewer than two; add a column voter")
    reliability = estimate_reliability(ballots) if method == "dawid_skene" else None
    if method == "majority" and (tied := int((most_frequent(ballots)[2] > 1).sum())):
        notes.append(Note.of(NoteKind.VOTES, about="ties", count=tied))
    if reliability is not None and not reliability.settled:
        notes.append(Note.of(NoteKind.VOTES, about="unsettled", count=reliability.rounds))
    how = {
        "min_votes": f"{min_votes}",
        "scale": "" if scale == "auto" else scale,
        "threshold": "" if threshold is None else f"{threshold:g}",
        "prior": ":".join(f"{each:g}" for each in settings.prior) if method == "beta" else "",
        "level": f"{settings.level:g}" if method == "wilson" else "",
    }
    return Votes(ballots, settings, tuple(notes), {name: said for name, said in how.items() if said}, reliability)


def check_threshold(threshold: float | None) -> float | None:
    """The threshold, which is a finite number if there is one."""
    if threshold is None:
        return None
    if isinstance(threshold, Real) and not isinstance(threshold, bool) and np.isfinite(float(threshold)):
        return float(threshold)
    raise PolicyError(f"threshold must be a finite number, such as 1, not {show(threshold)}")
