"""Fuzzes stored results: a changed file is refused in one printable line, or its values are those that were stored.

Half of the inputs are files, changed anyhow, which a checksum protects. The others are content with a checksum that
fits, as a stranger could write it: what is loaded is stored and loaded again, equal.

    make fuzz, or: python fuzz/stored.py [CORPUS] [-max_total_time=600]
"""

# ruff: noqa: INP001 - a script, not a package
import json
from collections.abc import Iterator

import harness

with harness.instrumented():
    import assay
    from assay.results.load import load_result
    from assay.results.stored import checksum_of
    from assay.results.stored_fields import read_scores

FILE, AGAIN = harness.FOLDER / "stored.json", harness.FOLDER / "again.json"
QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2, "d3": 1}, "q3": {"d1": 0}}
RUN = {"q1": {"d1": 1.5, "d2": 1.5, "d9": -2}, "q2": {"d3": 0.25}}
# One of each kind: a mean, counts that are summed, a geometric mean, a tool's own.
MEASURES = [["ndcg@10", "rr"], ["num_ret", "num_rel_ret"], ["gm_map"], ["ranx:map", "ap(rel=2)@5"]]
STORED = [assay.evaluate(QRELS, RUN, measures) for measures in MEASURES]
Values = tuple[list[str], dict[str, bytes]]


def values(result: assay.Result) -> Values:
    """The queries and every bit of the scores."""
    return list(result.queries), {name: scores.tobytes() for name, scores in result.scores.items()}


KNOWN = [values(each) for each in STORED]


def one_input(data: bytes) -> None:
    if not data:
        return
    is_signed, content = data[0] % 2 == 1, data[1:]
    FILE.write_bytes(signed(content) if is_signed else content)
    try:
        result = load_result(FILE)
    except assay.AssayError as error:
        harness.check_refusal(error)
        return
    if b'"version":3' in content and not is_signed and values(result) not in KNOWN:
        raise AssertionError(f"a changed file is loaded as {values(result)}")
    check_stored_again(result)


def check_stored_again(result: assay.Result) -> None:
    """What was loaded can be stored, and is loaded again with the same values."""
    result.save(AGAIN)
    again = load_result(AGAIN)
    if (values(again), again.signature) != (values(result), result.signature):
        raise AssertionError(f"{values(result)} is loaded again as {values(again)}")


def signed(content: bytes) -> bytes:
    """The content with a checksum that fits, if it is near enough to a stored result to have one."""
    try:
        fields = json.loads(content)
        names = [each["name"] for each in fields["measures"]]
        queries, scores = read_scores(fields["queries"], names)
        fields["rows"] = len(queries)
        fields["checksum"] = checksum_of(fields, queries, scores.values())
        return json.dumps(fields).encode()
    except Exception:  # noqa: BLE001 - bytes of any kind
        return content


def seeds() -> Iterator[bytes]:
    """Each of the results, with the checksum it has and with one that is made to fit."""
    for result in STORED:
        result.save(FILE)
        content = FILE.read_bytes()
        yield b"\0" + content
        yield b"\1" + content


if __name__ == "__main__":
    harness.fuzz(one_input, seeds())
