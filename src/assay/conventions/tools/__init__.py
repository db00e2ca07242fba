"""The table of conventions, one tool a file; a file is read when its tool is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from assay.core.errors import PolicyError
from assay.core.text import nearest, show

if TYPE_CHECKING:
    from assay.core.convention import Convention

# In the order in which they are listed; each is a module here, which holds its convention in capitals.
TOOLS = (
    "assay",
    "trec_eval",
    "trec_eval_9",
    "ranx",
    "ir_measures",
    "beir",
    "mteb",
    "autorag",
    "llama_index",
    "haystack",
    "ragas",
    "gdeval",
    "sklearn",
)


class Conventions(Mapping[str, "Convention"]):
    """The conventions by name."""

    def __init__(self) -> None:
        self.known: dict[str, Convention] = {}

    def __getitem__(self, name: str) -> Convention:
        if name not in self.known:
            if name not in TOOLS:
                raise KeyError(name)
            self.known[name] = getattr(import_module(f"assay.conventions.tools.{name}"), name.upper())
        return self.known[name]

    def __contains__(self, name: object) -> bool:
        return name in TOOLS

    def __iter__(self) -> Iterator[str]:
        return iter(TOOLS)

    def __len__(self) -> int:
        return len(TOOLS)


CONVENTIONS = Conventions()


def find_convention(name: str) -> Convention:
    """The convention of that name."""
    if not isinstance(name, str) or name not in CONVENTIONS:
        near = nearest(str(name), CONVENTIONS)
        hint = f"did you mean {near[0]}? " if near else ""
        raise PolicyError(f"there is no convention {show(name)}; {hint}There are {', '.join(CONVENTIONS)}")
    return CONVENTIONS[name]
