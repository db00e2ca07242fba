"""Where an audit starts, and what it tells the other tools of the measure that is asked for."""

import re

import pytest

import assay
from assay.conventions import CONVENTIONS, resolve, write_name
from assay.measures import TABLE
from assay.tasks.audit.readings import find_readings

QRELS = {"q1": {"a": 1, "b": 1, "c": 2, "x": 0}, "q2": {"d": 1}, "q3": {"e": 0}, "q4": {"f": 3, "g": 1}}
RUN = {"q1": {"a": 3.0, "x": 2.0, "b": 2.0, "z": 1.0}, "q3": {"e": 1.0}, "q4": {"h": 3.0, "g": 2.0, "f": 1.0}}
# Cutoffs that are shares, by the canonical name.
SHARES = ("iprec@", "iprec(cut=v9)@", "r_precision_multiple@", "judges_r_precision_multiple@")


def all_spellings(tool):
    """Every name of a measure of rankings that the tool has, with a cutoff where it needs one."""
    for name, entry in tool.names.items():
        if TABLE.find(re.split(r"[(@\[]", entry.measure)[0])[0].of == "answers":
            continue
        is_cut = "@{}" in entry.measure
        yield write_name(name, tool, (0.5 if entry.measure.startswith(SHARES) else 3) if is_cut else None)
        if "[@{}]" in entry.measure:
            yield write_name(name, tool, None)


@pytest.mark.parametrize("tool", [name for name in CONVENTIONS if name != "assay"])
def test_every_name_of_a_tool_starts_from_itself(tool):
    every = resolve(list(all_spellings(CONVENTIONS[tool])), CONVENTIONS[tool], {})
    names = [name for name, chosen in every.items() if chosen.measure.definition.of == "rankings"]
    audit = assay.audit(QRELS, RUN, names, start=tool)
    result = assay.evaluate(QRELS, RUN, names, convention=tool)
    for name in names:
        first = audit[name][0]
        assert (first.tool, first.name, first.steps, first.beside) == (tool, name, (), "")
        assert first.value == pytest.approx(result[name], nan_ok=True, abs=1e-12), name
        assert find_readings(name, tool)[0].chosen == resolve([name], CONVENTIONS[tool], {})[name]
    assert not [note for note in audit.notes if "the steps start from" in str(note)]


# A measure, the tool to start from, and the names that other tools then have, each with what is done beside it.
TOLD = [
    ("AP(rel=2)@100", "ir_measures", {"ir_measures": ["AP(rel=2)@100"], "assay": ["ap(rel=2)@100"], "trec_eval": ["map_cut_100, -l 2"], "trec_eval_9": ["map_cut_100, relevance_level=2"],
     "ranx": ["map@100-l2"], "beir": ["MAP@100"], "autorag": ["retrieval_map, run cut at 100"]}),
    ("map-l2", "ranx", {"ranx": ["map-l2"], "assay": ["ap(rel=2)"], "ir_measures": ["AP(rel=2)", "AP_IA(rel=2)"]}),
    ("ap(rel=2.5)", "assay", {"ranx": ["map"], "trec_eval": ["map", "map_avgjg"], "assay": ["ap(rel=2.5)"]}),
    ("nDCG(gains={1:3})@10", "assay", {"assay": ["ndcg(gain=1:3)@10"], "trec_eval": ["ndcg_cut_10"], "mteb": ["ndcg_at_10"]}),
    ("ndcg(gain=1:3;2:9)", "assay", {"trec_eval": ["ndcg.1=3,2=9", "ndcg_rel.1=3,2=9", "Rndcg.1=3,2=9"]}),
    ("ndcg(gain=exp2)", "assay", {"trec_eval": ["ndcg", "ndcg_rel", "Rndcg"], "ranx": ["ndcg", "ndcg_burges"]}),
    ("rbp", "assay", {"trec_eval": ["rbp"], "ranx": ["rbp.8"], "ir_measures": ["NRBP", "nNRBP", "RBP(rel=1)"]}),
    ("rbp(p=0.8)", "assay", {"trec_eval": ["rbp.p=0.8"], "ranx": ["rbp.8"]}),
    ("ranx:rbp.95", "assay", {"assay": ["rbp(p=0.95,gain=grade)"], "trec_eval": ["rbp.p=0.95"], "ranx": ["rbp.95"], "ir_measures": ["NRBP(beta=0.95)", "nNRBP(beta=0.95)", "RBP(rel=1,p=0.95)"]}),
    ("rbp(rel=2,p=0.95)", "ranx", {"ranx": ["rbp.95-l2"], "assay": ["rbp(rel=2,p=0.95)"]}),
    ("rbp", "trec_eval", {"trec_eval": ["rbp"], "ranx": ["rbp.9"], "ir_measures": ["NRBP", "nNRBP", "RBP(rel=1)"]}),
    ("f(beta=0.5)", "assay", {"trec_eval": ["set_F.0.5"], "ir_measures": ["SetF(beta=0.5)"], "ranx": ["f1"]}),
    ("hit_rate(use_granular_hit_rate=True)", "llama_index", {"llama_index": ["hit_rate(use_granular_hit_rate=True)", "recall"], "assay": ["recall(total=listed)"], "haystack": ["DocumentRecallEvaluator(mode=multi_hit)"]}),
    ("ap(norm=found)", "assay", {"haystack": ["DocumentMAPEvaluator(divide_by=hits)"]}),
    ("ir_measures:AP(judged_only=True)", "assay", {"assay": ["ap"], "ir_measures": ["AP(judged_only=True)", "AP_IA(judged_only=True)"]}),
    ("num_rel(rel=2)", "assay", {"ir_measures": ["NumRel"], "trec_eval": ["num_rel, -l 2"]}),
    ("nauc_ndcg_at_10_std", "mteb", {"mteb": ["nauc_ndcg_at_10_std", "nauc_map_at_10_std", "nauc_recall_at_10_std", "nauc_precision_at_10_std", "nauc_mrr_at_10_std"]}),
    ("robustness_at_10", "mteb", {"mteb": ["robustness_at_10"], "assay": ["worst@10"]}),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "start", "expected"), TOLD)
def test_tools_are_told_what_is_asked_for_and_compute_it(measure, start, expected):
    readings = find_readings(measure, start)
    assert readings[0].tool == start
    shown = [(each.tool, f"{each.name}, {each.beside}" if each.beside else each.name) for each in readings]
    assert {tool: [name for owner, name in shown if owner == tool] for tool in expected} == expected
    audit = assay.audit(QRELS, RUN, measure, start=start)
    for reading, account in zip(readings, audit[measure], strict=True):
        policies = reading.chosen.policies
        beside = {"depth": policies.depth} | ({"rel": policies.rel} if reading.beside.endswith("2") else {})
        result = assay.evaluate(QRELS, RUN, reading.name, convention=reading.tool, **beside)
        assert account.value == pytest.approx(result[reading.name], nan_ok=True), reading


def test_what_a_tool_cannot_be_told_is_a_step():
    accounts = {each.tool: each for each in assay.audit(QRELS, RUN, "ap(rel=2)")["ap(rel=2)"]}
    for tool in ("autorag", "llama_index", "sklearn"):
        assert any(step.choice.startswith("rel=1 (") for step in accounts[tool].steps)
    assert not any(step.choice.startswith("rel=") for step in accounts["ranx"].steps)


@pytest.mark.parametrize("tool", [name for name in CONVENTIONS if name != "assay"])
def test_what_is_written_is_read_back(tool):
    convention = CONVENTIONS[tool]
    for name, entry in convention.names.items():
        texts = {option: next(iter(about.words), "2") for option, about in entry.options.items()}
        texts |= {option: "0.7" for option in ("p", "alpha", "beta") if option in texts}
        texts |= {option: "1:3;2:9" for option in ("gain", "gains") if option in texts}
        for option, text in {**texts, "": ""}.items():
            options = {**entry.needed, **({option: text} if option and option != "k" else {})}
            at = 1 if "@{}" in entry.measure else None
            written = convention.read(write_name(name, convention, at, options), convention.names)
            assert written is not None
            assert written.options == options or (name, option) == ("NumRet", "rel")
            assert [float(cutoff) for cutoff in written.cutoffs] == ([] if at is None else [at])


NO_SUCH = [
    ("dcg@3", "autorag", "autorag has no measure like 'dcg@3'; start from one of assay, trec_eval, ranx, sklearn"),
    ("bpref", "sklearn", "sklearn has no measure like 'bpref'; start from one of assay, trec_eval, trec_eval_9, ranx, ir_measures"),
    ("rr", "beir", "beir has no measure like 'rr'; name one that it has, such as mrr@k, or start from one of assay, "),
    ("bleu", "assay", "'bleu' is a measure of answers; only rankings can be audited"),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "start", "message"), NO_SUCH)
def test_a_tool_without_such_a_measure_starts_nothing(measure, start, message):
    with pytest.raises(assay.errors.MeasureError) as caught:
        assay.audit(QRELS, RUN, measure, start=start)
    assert str(caught.value).startswith(message)


def test_a_tool_that_has_a_measure_like_it_says_so():
    audit = assay.audit(QRELS, RUN, ["ap(norm=found)", "map", "rr@2"], start="trec_eval")
    assert tuple(map(str, audit.notes)) == ("trec_eval has no ap(norm=found); the steps start from its map",)
    assert audit["rr@2"][0].shown == "recip_rank, run cut at 2"
