"""Writes values as trec_eval prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.compat.trec_eval.evaluation import Evaluation
    from assay.compat.trec_eval.values import Value
    from assay.core.judged import FloatArray

# Stands for the topic in a page that is filled in topic by topic.
TOPIC = "\0"
WIDTH = 22
# Zero divided by zero is a negative NaN to the processor, and C prints the sign.
NOT_A_NUMBER = ("\t   nan\n", "\t  -nan\n")
TEXTS = ("runid", "relstring")
SUMMARY_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
TOPICS_ONLY = ("relstring",)


def write_topics(evaluation: Evaluation, *, is_zscore: bool) -> Iterator[str]:
    """The lines of each topic."""
    printed = [number for number, value in enumerate(evaluation.values) if value.measure not in SUMMARY_ONLY]
    page = "".join(line(evaluation.values[number], is_zscore) for number in printed)
    strings = [place for place, number in enumerate(printed) if evaluation.values[number].measure == "relstring"]
    table = zip(*(evaluation.columns[number].tolist() for number in printed), strict=True)
    for row, (topic, numbers) in enumerate(zip(evaluation.topics, table, strict=False)):
        values: list[float | str] = list(numbers)
        for place in strings:
            values[place] = f"'{evaluation.strings[row]}'"
        yield fill(page, values).replace(TOPIC, topic.decode(errors="surrogateescape"))


def write_summary(values: Sequence[Value], summary: Sequence[float], name: bytes, *, is_zscore: bool) -> str:
    """The lines of all topics together; `name` is the run's."""
    printed = [
        (value, number) for value, number in zip(values, summary, strict=True) if value.measure not in TOPICS_ONLY
    ]
    page = "".join(line(value, is_zscore) for value, _ in printed)
    run = name.decode(errors="surrogateescape")
    return fill(page, [run if value.measure == "runid" else number for value, number in printed]).replace(TOPIC, "all")


def line(value: Value, is_zscore: bool) -> str:
    """One line, with a place for the topic and for the value."""
    name = f"{value.name:<{WIDTH}}".replace("%", "%%")
    if value.measure in TEXTS:
        return f"{name}\t{TOPIC}\t%s\n"
    number = "%d" if value.entry.is_count and not is_zscore else "%6.4f"
    return f"{'Z' if is_zscore else ''}{name}\t{TOPIC}\t{number}\n"


def fill(page: str, values: Sequence[float | str]) -> str:
    return (page % tuple(values)).replace(*NOT_A_NUMBER)


def summarize(values: Sequence[Value], columns: Sequence[FloatArray]) -> list[float]:
    """One number of each value: topics are added one after another, in their order."""
    pairs = zip(values, columns, strict=True)
    # The sum begins with 0, so that nothing but zeros below 0 is no such zero.
    return [finished(value, 0.0 + float(np.cumsum(column)[-1]), len(column)) for value, column in pairs]


def finished(value: Value, total: float, size: int) -> float:
    """The sum of a count, the geometric mean of logarithms, else the mean."""
    if value.measure == "num_q":
        return float(size)
    if value.entry.is_count:
        return total
    return float(np.exp(total / size)) if value.measure in SUMMARY_ONLY else total / size
