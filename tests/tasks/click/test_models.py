"""The position-based and the dynamic Bayesian network model: what simulated users do is recovered, and slow EM agrees."""

from itertools import product

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay

QUERIES, DOCUMENTS, DEPTH = 10, 8, 6


def pages_of(generator, pages):
    query = generator.integers(QUERIES, size=pages)
    return query, generator.random((pages, DOCUMENTS)).argsort(axis=1)[:, :DEPTH]


def table_of(query, shown, clicked):
    pages = len(query)
    return polars.DataFrame(
        {
            "query": np.repeat(query, DEPTH),
            "document": shown.ravel(),
            "position": np.tile(np.arange(1, DEPTH + 1), pages),
            "clicked": clicked.ravel(),
            "impression": np.repeat(np.arange(pages), DEPTH),
        }
    )


def grid(found, column="grade"):
    """A column of the pairs as a table of queries and documents."""
    values = np.full((QUERIES, DOCUMENTS), np.nan)
    for query, document, value in found.pairs.select("query", "document", column).rows():
        values[int(query), int(document)] = value
    return values


def test_the_position_based_model_recovers_what_users_do():
    generator = np.random.default_rng(1)
    theta = np.array([1, 0.7, 0.5, 0.35, 0.25, 0.2])
    alpha = generator.uniform(0.05, 0.9, (QUERIES, DOCUMENTS))
    query, shown = pages_of(generator, 60_000)
    clicked = generator.random(shown.shape) < theta * alpha[query[:, None], shown]
    found = assay.clicks(table_of(query, shown, clicked), model="pbm")
    assert np.abs(grid(found) - alpha).max() < 0.05
    assert np.abs(grid(found) - alpha).mean() < 0.01
    assert found.positions["examined"].to_numpy() == pytest.approx(theta, abs=0.01)
    # The rate of clicks alone, without positions, is far off.
    rate = grid(found, "clicks") / grid(found, "shown")
    assert np.abs(rate - alpha).mean() > 0.1


shown_rows = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(1, 3), st.integers(0, 5), st.integers(5, 9)), min_size=4, max_size=8
)


@given(rows=shown_rows)
def test_no_other_attraction_makes_the_clicks_likelier(rows):
    fields = ("document", "position", "clicked", "shown")
    data = [{"query": "q", **dict(zip(fields, row, strict=True))} for row in rows]
    found = assay.clicks(data, model="pbm", min_impressions=1)
    alpha = dict(found.pairs.select("document", "grade").rows())
    theta = dict(found.positions.select("position", "examined").rows())

    def logarithm(share):
        return np.log(np.clip(share, 1e-12, 1))

    def fit(alpha):
        shares = [(alpha[document] * theta[position], clicks, n) for document, position, clicks, n in rows]
        return sum(clicks * logarithm(share) + (n - clicks) * logarithm(1 - share) for share, clicks, n in shares)

    for name, step in product(alpha, (-0.02, 0.02)):
        moved = {**alpha, name: min(max(alpha[name] + step, 0), 1)}
        assert fit(moved) <= fit(alpha) + 5e-3


def browse(generator, query, shown, *, attraction, satisfaction, onward):
    """Clicks of users as the dynamic Bayesian network model says."""
    is_seen = np.ones(len(query), dtype=bool)
    clicked = np.zeros(shown.shape, dtype=bool)
    for place in range(shown.shape[1]):
        document = shown[:, place]
        clicked[:, place] = is_seen & (generator.random(len(query)) < attraction[query, document])
        ends = clicked[:, place] & (generator.random(len(query)) < satisfaction[query, document])
        is_seen &= ~ends & (generator.random(len(query)) < onward)
    return clicked


def test_the_dynamic_bayesian_network_recovers_what_users_do():
    generator = np.random.default_rng(2)
    attraction = generator.uniform(0.1, 0.9, (QUERIES, DOCUMENTS))
    satisfaction = generator.uniform(0.1, 0.9, (QUERIES, DOCUMENTS))
    query, shown = pages_of(generator, 60_000)
    clicked = browse(generator, query, shown, attraction=attraction, satisfaction=satisfaction, onward=0.85)
    found = assay.clicks(table_of(query, shown, clicked), model="dbn")
    assert found.figures["continuation"] == pytest.approx(0.85, abs=0.01)
    assert np.abs(grid(found, "attraction") - attraction).mean() < 0.01
    assert np.abs(grid(found, "satisfaction") - satisfaction).mean() < 0.02
    assert np.abs(grid(found) - attraction * satisfaction).mean() < 0.015
    assert np.abs(grid(found) - attraction * satisfaction).max() < 0.06


def likelihood(pages, attraction, satisfaction, onward):
    """How likely the clicks of each page are: the sum over every way to look, be satisfied and go on."""
    total = 0.0
    for page in pages:
        probability = 0.0
        for seen, ends in product(range(1, len(page) + 1), (True, False)):
            # The user looks at the first `seen` documents; `ends` says that the last of them satisfied.
            chance = 1.0
            for place, (document, is_clicked) in enumerate(page, start=1):
                a, s = attraction[document], satisfaction[document]
                if place > seen:
                    chance *= not is_clicked
                    continue
                chance *= a if is_clicked else 1 - a
                if place < seen:
                    chance *= onward * ((1 - s) if is_clicked else 1)
                elif ends:
                    chance *= s if is_clicked else 0
                else:
                    stops = 1.0 if place == len(page) else 1 - onward
                    chance *= stops * ((1 - s) if is_clicked else 1)
            probability += chance
        total += np.log(probability)
    return total


page = st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=3, unique_by=lambda row: row[0])


@given(pages=st.lists(page, min_size=3, max_size=8))
def test_no_other_parameters_make_the_clicks_likelier(pages):
    rows = [
        {"query": "q", "document": document, "position": place, "clicked": is_clicked, "impression": number}
        for number, shown in enumerate(pages)
        for place, (document, is_clicked) in enumerate(shown)
    ]
    found = assay.clicks(rows, model="dbn", min_impressions=1)
    names = found.pairs["document"].to_list()
    columns = (found.pairs[each] for each in ("attraction", "satisfaction"))
    attraction, satisfaction = (dict(zip(names, each, strict=True)) for each in columns)
    onward = found.figures["continuation"]
    best = likelihood(pages, attraction, satisfaction, onward)
    for parameters, name, step in product((attraction, satisfaction), names, (-0.02, 0.02)):
        value = parameters[name]
        parameters[name] = min(max(value + step, 1e-9), 1 - 1e-9)
        assert likelihood(pages, attraction, satisfaction, onward) <= best + 5e-3
        parameters[name] = value
