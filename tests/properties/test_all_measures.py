"""What holds for every measure: one test a property, over the whole table."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.core.convention import parse_name
from assay.measures import TABLE, parse
from strategies import QUERIES, any_measures, cases
from tables import for_each

BUILT_IN = [each for each in TABLE.values() if each.of == "rankings"]
# A single ranking cannot be an example of what happens between two.
OF_TWO_QUERIES = {"p_mrr"}
WITH_EXAMPLE = [each for each in BUILT_IN if each.name not in OF_TWO_QUERIES]
ALIASES = [(alias, each, preset) for each in BUILT_IN for alias, preset in TABLE.aliases(each).items()]
# Each example is all measures at once, so a few of them go far.
few = settings(max_examples=settings.default.max_examples // 5)
TIES = st.sampled_from(["docid_desc", "docid_asc", "input"])

# These can pass 1 even with their default parameters.
UNBOUNDED = {"hits", "first_rank", "dcg", "ideal_dcg", "yaap", "utility"}
UNBOUNDED |= {"num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "num_prefs"}
NEED_A_LEVEL = {"iprec", "r_precision_multiple", "judges_r_precision_multiple"}
# One more document below all others changes these for the better: it is one more to be counted, or one more that a
# relevant document precedes; and a first hit that is missing moves down with the end.
# A document that nobody judged is also one more of these; it is worth something by the weights of a utility, and nDCG
# averaged over levels has one more rank to be averaged over.
RAISED_BY_A_DOCUMENT_AT_THE_BOTTOM = {"num_ret", "auc", "first_rank", "hole"}
RAISED_BY_A_DOCUMENT_AT_THE_BOTTOM |= {"unjudged", "rbp_residual", "utility", "rndcg", "ideal_dcg"}


def scores_of(case, run=None, **policies):
    """The scores of all queries, by measure."""
    return assay.evaluate(case.qrels, case.run if run is None else run, case.measures, **policies).scores


def shortest_name(definition):
    """The name alone, or with the cutoff that it needs."""
    at = definition.parameters.get(definition.at)
    is_needed = at is not None and at.default is inspect.Parameter.empty
    return definition.name + (("@5" if at.kind is int else "@0.5") if is_needed else "")


def assert_same_bits(found, expected):
    assert found.keys() == expected.keys()
    for name, scores in expected.items():
        np.testing.assert_array_equal(found[name], scores, name)


def with_known_scale(case):
    """All queries together decide the scale of err, where it is left to the judgments, and which documents are known."""
    known = [each for each in case.measures if each.definition.bind is None or each.values["max"] is not None]
    return [each for each in known if "foreign" not in each.definition.needs]


def heeds_ties(measure):
    """Whether the measure looks at tied scores, and not only at ranks."""
    return measure.definition.name == "auc" or measure.values.get("ties") in {"average", "end"}


def looks_below(measure):
    """Whether documents below a cutoff count: for ties, for the ideal ranking, or by their number."""
    return heeds_ties(measure) or measure.values.get("ideal") == "retrieved" or measure.values.get("fewest")


@for_each("definition", BUILT_IN)
def test_says_what_it_is(definition):
    assert definition.title
    assert definition.title[0].isupper()
    assert not definition.title.endswith(".")
    assert definition.formula
    assert (definition.example is None) == (definition.name in OF_TWO_QUERIES)
    assert definition.example is None or definition.example.working
    assert definition.summary.endswith(".")
    assert definition.aggregate in {"mean", "geometric", "sum"}
    assert definition.range[0] < definition.range[1]
    assert all(parameter.help for parameter in definition.parameters.values())


@for_each("definition", WITH_EXAMPLE)
def test_example_computes_to_its_value(definition):
    example = definition.example
    ideal = None if example.ideal is None else [example.ideal]
    assert parse(example.measure).definition is definition
    result = assay.evaluate_labels([example.grades], example.measure, ideal=ideal)
    assert result.scores[example.measure][0] == pytest.approx(example.value, abs=1e-4)


@for_each(("alias", "definition", "preset"), ALIASES)
def test_alias_is_the_same_measure(alias, definition, preset):
    at = "@0.5" if definition.name in NEED_A_LEVEL else "@7" if definition.at in definition.parameters else ""
    inside = ",".join(f"{name}={str(value).lower()}" for name, value in preset.items())
    full_name = f"{definition.name}({inside}){at}" if inside else f"{definition.name}{at}"
    assert parse(alias + at) == parse(full_name)
    assert hash(parse(alias + at)) == hash(parse(full_name))
    assert parse(alias.upper() + at) == parse(full_name)


@given(measure=any_measures())
def test_its_name_parses_back_to_it(measure):
    assert parse(str(measure)) == measure
    assert parse(measure.full_name) == measure
    assert str(parse(str(measure))) == str(measure)
    assert hash(parse(str(measure))) == hash(measure)


@given(measure=any_measures(), rel=st.floats(allow_nan=False, allow_infinity=False))
def test_a_default_level_reaches_only_names_that_are_silent_about_it(measure, rel):
    parameter = measure.definition.parameters.get("rel")
    level = rel if parameter and parameter.default == 1 and "rel=" not in str(measure) else measure.values.get("rel")
    assert parse_name(str(measure), TABLE.find, rel).values.get("rel") == level


@few
@given(case=cases(), ties=TIES)
def test_stays_in_its_range(case, ties):
    for name, scores in scores_of(case, ties=ties).items():
        definition = parse(name).definition
        low, high = definition.range
        assert definition.usual_range is None or definition.usual_range == (0, 1), "the test below is for 0 to 1"
        assert definition.undefined or not np.isnan(scores).any(), name
        known = scores[~np.isnan(scores)]
        assert ((known >= low) & (known <= high + 1e-12)).all(), (name, known)


@few
@given(case=cases())
def test_stays_between_0_and_1_with_its_default_parameters(case):
    measures = [each for each in BUILT_IN if each.name not in UNBOUNDED]
    result = assay.evaluate(case.qrels, case.run, [shortest_name(each) for each in measures])
    for name in result:
        scores = result.scores[name][~np.isnan(result.scores[name])]
        # What a count of queries gives a query is 1, so it may stay with the others.
        assert ((scores >= 0) & (scores <= 1 + 1e-12)).all(), (name, scores)


@few
@given(case=cases(), ties=TIES)
def test_a_query_scores_the_same_alone_as_among_others(case, ties):
    measures = with_known_scale(case)
    together = assay.evaluate(case.qrels, case.run, measures, ties=ties)
    for row, query in enumerate(together.queries):
        if query in case.run:
            alone = assay.evaluate({query: case.qrels[query]}, {query: case.run[query]}, measures, ties=ties)
            assert_same_bits(alone.scores, {name: scores[row : row + 1] for name, scores in together.scores.items()})


def shuffled(entries, generator):
    return dict(generator.sample(list(entries.items()), len(entries)))


def reordered(case, generator):
    """The order of judgments, queries and documents does not matter."""
    run = {query: shuffled(ranking, generator) for query, ranking in shuffled(case.run, generator).items()}
    return {query: shuffled(grades, generator) for query, grades in case.qrels.items()}, run, case.measures


def rescored(case, _):
    """Scores count only by their order."""
    run = {query: {each: value**3 - 1e6 for each, value in ranking.items()} for query, ranking in case.run.items()}
    return case.qrels, run, case.measures


def without_negative_grades(case, _):
    """A document that was looked at and not judged is as good as one that nobody looked at, but where the pool counts."""
    positive = {query: {each: g for each, g in grades.items() if g >= 0} for query, grades in case.qrels.items()}
    return positive, case.run, [each for each in case.measures if each.definition.name not in {"infap", "hole"}]


def with_empty_rankings(case, _):
    """Queries missing from the run score as empty rankings."""
    return case.qrels, {**{query: {} for query in QUERIES if query in case.qrels}, **case.run}, case.measures


@pytest.mark.parametrize("change", [reordered, rescored, without_negative_grades, with_empty_rankings])
@few
@given(case=cases(), generator=st.randoms(use_true_random=False))
def test_what_changes_no_score(change, case, generator):
    qrels, run, measures = change(case, generator)
    expected = assay.evaluate(case.qrels, case.run, measures)
    assert_same_bits(assay.evaluate(qrels, run, measures).scores, expected.scores)


@few
@given(case=cases())
def test_ties_are_a_way_to_sort(case):
    ordered = {
        "docid_desc": lambda ranking: sorted(sorted(ranking, reverse=True), key=lambda each: -ranking[each]),
        "docid_asc": lambda ranking: sorted(sorted(ranking), key=lambda each: -ranking[each]),
        "input": lambda ranking: sorted(ranking, key=lambda each: -ranking[each]),
    }
    for ties, order in ordered.items():
        lists = {query: order(ranking) for query, ranking in case.run.items()}
        expected = scores_of(case, lists)
        found = scores_of(case, ties=ties)
        # Lists have no ties.
        measures = [str(each) for each in case.measures if not heeds_ties(each)]
        assert_same_bits({name: found[name] for name in measures}, {name: expected[name] for name in measures})


@few
@given(case=cases(), ties=TIES)
def test_an_unjudged_document_at_the_bottom_raises_nothing(case, ties):
    longer = {query: {**ranking, "bottom": -99.0} for query, ranking in case.run.items()}
    before, after = scores_of(case, ties=ties), scores_of(case, longer, ties=ties)
    for measure in case.measures:
        name = str(measure)
        if measure.definition.name not in RAISED_BY_A_DOCUMENT_AT_THE_BOTTOM:
            is_fine = (after[name] <= before[name]) | np.isnan(before[name])
            # Where nothing is relevant, such a measure has a value only as long as nothing was retrieved.
            is_fine |= np.isnan(after[name]) & (measure.values.get("nothing") == "nan")
            assert is_fine.all(), name


@few
@given(case=cases(), k=st.integers(1, 6), ties=TIES)
def test_a_cutoff_does_not_look_at_what_stands_below(case, k, ties):
    # Where unjudged documents are removed, the first ones may come from further down.
    is_whole = [each for each in case.measures if "k" in each.values and not each.values.get("condensed")]
    cuttable = [each for each in is_whole if not looks_below(each)]
    cut = [each.definition(**{**each.values, "k": k}) for each in cuttable]
    found = assay.evaluate(case.qrels, case.run, cut, ties=ties)
    expected = assay.evaluate(case.qrels, case.run, cut, ties=ties, depth=k)
    assert_same_bits(found.scores, expected.scores)
