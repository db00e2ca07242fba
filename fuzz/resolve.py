"""Fuzzes the resolver: under any tool's convention, two texts mean measures or are a MeasureError, apart and together.

make fuzz, or: python fuzz/resolve.py [CORPUS] [-max_total_time=600]
"""

# ruff: noqa: INP001 - a script, not a package
import atheris
import harness

with harness.instrumented():
    import names

    from assay.conventions import CONVENTIONS, parse_measures

TOOLS = list(CONVENTIONS.values())
LEVELS = [1.0, 2.0, 0.5, -1.0]


def one_input(data: bytes) -> None:
    source = atheris.FuzzedDataProvider(data)
    rel = LEVELS[source.ConsumeIntInRange(0, len(LEVELS) - 1)]
    convention = TOOLS[source.ConsumeIntInRange(0, len(TOOLS) - 1)]
    text, other = names.write(source), names.name(source)
    if source.ConsumeBool():
        text = f"{TOOLS[source.ConsumeIntInRange(0, len(TOOLS) - 1)].name}:{text}"
    apart = [names.check(parse_measures, [each], convention, rel) for each in (text, other)]
    together = names.check(parse_measures, [text, other], convention, rel) if all(apart) else {}
    if together and any(together.get(key) != measure for each in apart for key, measure in each.items()):
        raise AssertionError(f"{text!r} and {other!r} give {together}, and {apart} apart")


if __name__ == "__main__":
    harness.fuzz(one_input)
