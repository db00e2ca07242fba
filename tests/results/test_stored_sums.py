"""Stored results whose numbers are made of sums, as corpus BLEU is."""

import subprocess
import sys

import pytest

import assay
from storing import check_refused, without_checksum


@pytest.fixture
def path(tmp_path):
    references, predictions = ["a b c d e", "x y z", "u v w s"], ["a b c d", "x y", "u v w s"]
    assay.evaluate_answers(references, predictions, ["bleu", "chrf", "em"]).save(tmp_path / "kept.json")
    return tmp_path / "kept.json"


def test_they_come_back_with_their_intervals(path):
    shown = "kept.mean, kept.interval('bleu'), *kept.notes"
    code = f"import assay; kept = assay.load_result({str(path)!r}); print({shown})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own
    result = assay.load_result(path)
    assert result.statistics.keys() == {"bleu", "chrf"}
    assert done.stdout.startswith(f"{result.mean} {result.interval('bleu')} ")
    assert "not defined" not in done.stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda kept: {"bleu": kept["bleu"][:1]}, "must have one row per query"),
        (lambda kept: {"bleu": [row[:2] for row in kept["bleu"]]}, "do not give its mean"),
        (lambda kept: {"bleu": kept["chrf"]}, "do not give its mean"),
        (lambda _: {"bleu": [[]] * 3}, "do not give its mean"),
        (lambda _: {"bleu": [[1], [1, 2], [1]]}, "must have rows of the same length"),
        (lambda _: {"bleu": [["x"]] * 3}, "must be a number"),
        (lambda kept: {"bleu": [["inf", *row[1:]] for row in kept["bleu"]]}, "must be finite numbers"),
        (lambda kept: {"bleu": [[1e308, *row[1:]] for row in kept["bleu"]]}, "do not give its mean"),
        (lambda kept: {"other": kept["bleu"]}, "has no mean of its own"),
        (lambda kept: {"em": kept["bleu"]}, "has no mean of its own"),
        (lambda _: [], "statistics must be an object"),
    ],
)
def test_bad_ones_are_refused(path, change, message):
    content = without_checksum(path)
    check_refused(path, content | {"statistics": change(content["statistics"])}, message)
