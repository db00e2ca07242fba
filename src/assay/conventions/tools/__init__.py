"""The table of conventions, one tool per file; a file is imported when its tool is first needed."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from assay.core.convention import Convention
from assay.core.policies import Policies

ASSAY = Convention(
    name="assay",
    title="assay: trec_eval's formulas in float64; queries missing from the run score 0",
    policies=Policies(),
)
# The tools as they are listed. The module of each holds its convention in capitals, that of trec_eval both versions.
TOOLS = (
    *("assay", "trec_eval", "trec_eval_9", "ranx", "ir_measures", "beir", "mteb", "autorag", "llama_index"),
    *("haystack", "ragas", "gdeval", "sklearn"),
)


class Conventions(Mapping[str, Convention]):
    """The conventions by name; `loaded` holds those whose module is imported."""

    def __init__(self) -> None:
        self.loaded = {ASSAY.name: ASSAY}

    def __getitem__(self, name: str) -> Convention:
        if name not in TOOLS:
            raise KeyError(name)
        if name not in self.loaded:
            self.loaded[name] = getattr(import_module(f"{__name__}.{name.removesuffix('_9')}"), name.upper())
        return self.loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in TOOLS

    def __iter__(self) -> Iterator[str]:
        return iter(TOOLS)

    def __len__(self) -> int:
        return len(TOOLS)


CONVENTIONS = Conventions()
