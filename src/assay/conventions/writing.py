"""How tools spell a measure with a cutoff and options: the way back from what their `read` takes apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.core.parameter import write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.core.convention import Convention, Name


def spelling(
    name: str, convention: Convention, at: float | str | None = "k", options: Mapping[str, str] | None = None
) -> str:
    """A tool's name as the tool spells it with a cutoff and options; `k` stands for a cutoff that is not said.

    Without options it has those that the tool has to be told, with values that are likely.

    >>> from assay.conventions import CONVENTIONS
    >>> spelling("P", CONVENTIONS["trec_eval"], 5), spelling("RR@k", CONVENTIONS["ir_measures"], 10, {"rel": "2"})
    ('P_5', 'RR(rel=2)@10')
    >>> spelling("ndcg", CONVENTIONS["mteb"]), spelling("BPM", CONVENTIONS["ir_measures"], 5)
    ('ndcg_at_k', 'BPM(max_rel=3)@5')
    """
    entry = convention.names[name]
    told = entry.needed if options is None else options
    return WRITERS.get(convention.name, write_call)(name, entry, at, told)


def with_cutoff(name: str, entry: Name, at: float | str | None) -> str:
    """The name at a cutoff, as the tool prints it where it has its own way."""
    if at is None:
        return name
    if not entry.output.startswith(name):
        return f"{name}@{at if isinstance(at, str) else write(at)}"
    return re.sub(r"\{.*?\}", at, entry.output) if isinstance(at, str) else entry.output.format(at)


def write_call(name: str, entry: Name, at: float | str | None, options: Mapping[str, str]) -> str:
    """`Name(option=value,…)@cutoff`; pairs stand in braces."""
    base = name.removesuffix("@k")
    told = ",".join(f"{option}={braced(value)}" for option, value in options.items())
    return base + (f"({told})" if told else "") + with_cutoff(base, entry, at).removeprefix(base)


def braced(value: str) -> str:
    return f"{{{value.replace(';', ',')}}}" if ":" in value else value


def write_trec_eval(name: str, entry: Name, at: float | str | None, options: Mapping[str, str]) -> str:
    """`ndcg.1=3,2=9`, `rbp.p=0.8`, `set_F.2`: gains and the persistence say what they are, others stand alone."""
    told = ",".join(
        value.replace(":", "=").replace(";", ",") if option != "p" else f"p={value}"
        for option, value in options.items()
    )
    return with_cutoff(name, entry, at) + (f".{told}" if told else "")


def write_ranx(name: str, entry: Name, at: float | str | None, options: Mapping[str, str]) -> str:
    """`map@100-l2`, and of the persistence of rbp the decimals: `rbp.95`."""
    persistence = options.get("p")
    base = with_cutoff(name, entry, at) if persistence is None else f"{name}.{persistence.removeprefix('0.')}"
    return base + (f"-l{options['l']}" if "l" in options else "")


def write_mteb(name: str, entry: Name, at: float | str | None, options: Mapping[str, str]) -> str:
    """`nauc_ndcg_at_10_max`."""
    return "_".join([with_cutoff(name, entry, at), *options.values()])


WRITERS: dict[str, Callable[[str, Name, float | str | None, Mapping[str, str]], str]] = {
    "trec_eval": write_trec_eval,
    "trec_eval_9": write_trec_eval,
    "ranx": write_ranx,
    "mteb": write_mteb,
}
