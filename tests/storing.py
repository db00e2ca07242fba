"""A result that is stored, for the tests of what is loaded."""

import json
import re

import pytest

import assay

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"d": 0}}
RUN = {"q1": ["a", "x", "b"], "q2": ["x", "c"], "q9": ["y"]}
NAMES = ["ap", "P@2", "auc", "num_rel_ret", "gm_ap", "err@10", "ndcg(gain=1:3;2:9.5)@10", "trec_eval:map"]


def stored_in(folder):
    """A stored result's path, and its content as version 2 had it, without a checksum, to be spoilt."""
    path = folder / "baseline.json"
    assay.evaluate(QRELS, RUN, NAMES).save(path)
    return path, without_checksum(path)


def check_refused(path, content, message):
    """A file with this content, bytes or JSON, is refused with a message that names it."""
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(assay.errors.FormatError, match=re.escape(f"{path.name}: ")) as caught:
        assay.load_result(path)
    assert message in str(caught.value)
    return str(caught.value)


def without_checksum(path):
    """The content of a stored result as version 2 had it."""
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["checksum"], content["rows"]
    return {**content, "version": 2}
