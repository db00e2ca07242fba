"""Results and checkpoints that assay 0.1.0 wrote load with every number and note they had.

So does checksum.json, of the first version with a checksum.
"""

import json
import re
from importlib.resources import files
from pathlib import Path

import numpy as np

import assay
from tables import for_each

GOLDEN = Path(__file__).parent / "golden"
EXPECTED = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))
# A measure in a signature, without the policies and the software behind it, in brackets.
MEASURE = re.compile(r"[a-z]\w*(?:\([^()]*\))?(?:@[\d.]+)?")
# Parameters that measures got later, the last first. Files from before lack them, and they must have their defaults then.
LATER = {"bleu": {"blank": "empty", "order": 4}, "chrf": {"eps": False}, "rouge_l": {"blank": "empty"}}
DEMO = files("assay") / "demo"


def test_every_golden_result_is_checked():
    assert {path.name for path in GOLDEN.iterdir()} == {*EXPECTED, "expected.json", "probe.checkpoint"}


def names_since(measure):
    """Its full name, and those it had before it got more parameters, if they have their defaults."""
    names = [measure.full_name]
    for name, default in LATER.get(measure.definition.name, {}).items():
        if measure.values[name] == default:
            names.append(re.sub(rf",{name}=[^,)]*", "", names[-1]))
    return set(names)


@for_each("name", EXPECTED)
def test_a_stored_result_loads(name):
    result, expected = assay.load_result(GOLDEN / name), EXPECTED[name]
    assert result.queries == expected["queries"]
    assert list(result.measures) == list(expected["mean"])
    for measure, mean in expected["mean"].items():
        np.testing.assert_array_equal(result[measure], np.nan if mean is None else mean)
        scores = [np.nan if score is None else score for score in expected["scores"][measure]]
        np.testing.assert_array_equal(result.scores[measure], scores)
        assert names_since(result.measures[measure]) & set(MEASURE.findall(expected["signature"]))
    assert [[note.kind, note.text] for note in result.notes if note.kind != "not_defined"] == expected["notes"]


@for_each("name", EXPECTED)
def test_a_stored_result_is_saved_as_it_was(name, tmp_path):
    assay.load_result(GOLDEN / name).save(tmp_path / name)
    again = assay.load_result(tmp_path / name)
    assert again.to_dict() == assay.load_result(GOLDEN / name).to_dict()


def test_a_checkpoint_is_taken_up(tmp_path):
    path = tmp_path / "probe.checkpoint"
    path.write_bytes((GOLDEN / "probe.checkpoint").read_bytes())

    def search(question, k):  # noqa: ARG001 - is never called
        raise AssertionError("every question is answered in the checkpoint")

    demo = (DEMO / "queries.jsonl", DEMO / "qrels.txt")
    probe = assay.probe(search, *demo, ["ndcg@10"], k=10, checkpoint=path, name="golden")
    assert not probe.failures
    assert probe.run["q02"] == [("p5", 0.5), ("business-10", 0.25)]
