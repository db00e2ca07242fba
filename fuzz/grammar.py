"""Fuzzes the grammar: any text is a measure or a MeasureError, and a measure's name parses back to it.

make fuzz, or: python fuzz/grammar.py [CORPUS] [-max_total_time=600]
"""

# ruff: noqa: INP001 - a script, not a package
import atheris
import harness

with harness.instrumented():
    import names

    import assay
    from assay.measures import parse


def one_input(data: bytes) -> None:
    names.check(parse_one, names.write(atheris.FuzzedDataProvider(data)))


def parse_one(text: str) -> dict[str, assay.Measure]:
    return {text: parse(text)}


if __name__ == "__main__":
    harness.fuzz(one_input)
