"""Values as trec_eval's table of names spells them, but for the parameters that no measure of assay takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.compat.trec_eval.catalogue import Parameters
from assay.core.parameter import LARGEST_WHOLE

if TYPE_CHECKING:
    from assay.compat.trec_eval.values import Value


def spelled(values: list[Value]) -> str:
    """Values of one measure as one name; a cutoff beyond any ranking is the largest that there is."""
    first = values[0]
    beyond = beyond_bounds(first)
    pairs = [(name, number) for name, number in first.pairs if name not in beyond]
    if pairs:
        return f"{first.measure}." + ",".join(f"{name}={number!r}" for name, number in pairs)
    if beyond or not first.numbers:
        return first.measure
    if first.entry.parameters is Parameters.NUMBERS and first.numbers == first.entry.default:
        return first.measure
    return f"{first.measure}." + ",".join(
        f"{min(number, LARGEST_WHOLE)!r}" for value in values for number in value.numbers
    )


def beyond_bounds(value: Value) -> dict[str, float]:
    """What trec_eval computes with and assay's measure refuses, by the name of the measure's parameter."""
    if value.measure == "set_F" and value.numbers[0] < 0:
        return {"beta": value.numbers[0]}
    return {name: number for name, number in value.pairs if name == "p" and not 0 < number < 1}
