"""The table of measures: one family per file, in the order in which `assay measures` lists them.

`FAMILIES` lists what comes with assay; a test holds it equal to what the files define. What a name means never depends
on which modules were imported before. Users add their own with `measure` and `remove_measure`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

from assay.core.convention import parse_name
from assay.core.errors import FileError, MeasureError
from assay.core.measure import Definition, Measure, Values, define
from assay.core.text import nearest, show

# The measures that come with assay by the module that defines them, in the order in which they are listed; the aliases
# of each follow it after `=`. A module is imported when one of its measures is used. What an alias sets stands in the
# definition.
LISTED = {
    "ranking.precision_recall": (
        "hits hit_rate=success=hit precision=p r_precision=rprec=r-precision r_precision_multiple=rprec_mult "
        "recall=r=r_cap=recall_cap f=f1"
    ),
    "ranking.average_precision": (
        "rr=mrr=recip_rank=reciprocal_rank first_rank=mean_rank ap=map=average_precision=map_cut "
        "gm_ap=gm_map=gmap set_ap=set_map yaap infap iprec=iprec_at_recall mean_iprec=11pt_avg"
    ),
    "ranking.discounted_gain": "dcg=dcg_burges ideal_dcg ndcg=ndcg_burges=ndcg_cut ndcg_rel rndcg g bin_g=bing",
    "ranking.user_models": "rbp rbp_residual=rbp_resid err sdcg bpm inst insq nerr8 nerr9 nerr10 nerr11",
    "ranking.pairs": "bpref gm_bpref auc=auc_roc=roc_auc",
    "ranking.groups": (
        "group_recall group_f=group_f1 group_rr group_ap judges_ap judges_precision judges_r_precision_multiple"
    ),
    "ranking.compatibility": "compatibility=compat",
    "ranking.diversity": (
        "alpha_dcg=alpha-dcg alpha_ndcg=alpha-ndcg err_ia=err-ia nerr_ia=nerr-ia nrbp nnrbp ap_ia=map_ia=map-ia "
        "precision_ia=p_ia=p-ia subtopic_recall=strecall=strec=s_recall"
    ),
    "ranking.preferences": "prefs num_prefs",
    "ranking.counts": "judged unjudged=unj num_ret num_rel num_rel_ret num_nonrel_judged_ret num_q hole utility",
    "ranking.across_queries": "nauc worst p_mrr",
    "answers.overlap": (
        "answer_em answer_f1 answer_precision answer_recall retrieval_token_f1 retrieval_token_precision "
        "retrieval_token_recall"
    ),
    "answers.similarity": "contains levenshtein jaro_winkler",
    "answers.rouge": (
        "rouge_1=rouge1=rouge-1 rouge_2=rouge2=rouge-2 rouge_n rouge_l=rougel=rouge-l rouge_lsum=rougelsum=rouge-lsum"
    ),
    "answers.sacrebleu": "bleu=sacrebleu chrf=chrf++ ter",
    "answers.meteor": "meteor",
    "judged.contexts": "context_precision context_recall context_entity_recall noise_sensitivity",
    "judged.statements": "faithfulness answer_correctness factual_correctness",
    "judged.embeddings": "answer_relevancy semantic_similarity",
    "judged.ratings": "context_relevance groundedness answer_accuracy relevancy correctness",
    "judged.criteria": "aspect guideline rubric g_eval",
    "judged.nuggets": "nuggets",
}
FAMILIES: dict[str, dict[str, tuple[str, ...]]] = {
    module: {name: tuple(aliases) for name, *aliases in (each.split("=") for each in text.split())}
    for module, text in LISTED.items()
}
# Names that mean measures of answers where only answers are measured.
SHORT_ANSWER_NAMES = {"em": "answer_em", "f1": "answer_f1", "precision": "answer_precision", "recall": "answer_recall"}


class MeasureTable(Mapping[str, Definition]):
    """The measures by name. `find` also takes aliases, in upper or lower case; `changes` counts what users changed."""

    def __init__(self) -> None:
        self.changes = 0
        self._loaded: dict[str, Definition] = {}
        # The module of each measure that is not imported yet.
        self._modules: dict[str, str] = {}
        # Names and aliases, and the measure that each belongs to; then the same in lower case.
        self._names: dict[str, str] = {}
        self._lower: dict[str, str] = {}
        for module, names in FAMILIES.items():
            for name, aliases in names.items():
                self._modules[name] = f"{__name__}.{module}"
                self._enter(name, aliases)

    def _enter(self, name: str, aliases: Any) -> None:  # noqa: ANN401 - any collection of names
        for each in (name, *aliases):
            self._names[each] = name
            self._lower[each.lower()] = each

    def __getitem__(self, name: str) -> Definition:
        if name not in self._loaded and name in self._modules:
            try:
                module = import_module(self._modules[name])
            except OSError as error:
                reason = f"the measures of {self._modules[name]} cannot be loaded: {error.strerror}"
                raise FileError(reason) from error
            for definition in definitions_in(module):
                if definition.name in self._modules:
                    self._loaded[definition.name] = definition
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names and self._names[name] == name

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, owner in self._names.items() if name == owner])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def names(self) -> list[str]:
        return list(self._names)

    def aliases(self, definition: Definition) -> dict[str, Values]:
        """The other names of a measure, each with the parameters that it sets.

        >>> TABLE.aliases(TABLE["recall"])
        {'r': {}, 'r_cap': {'cap': True}, 'recall_cap': {'cap': True}}
        """
        name = definition.name
        owned = (alias for alias, owner in self._names.items() if owner == name != alias)
        return {alias: definition.aliases.get(alias, {}) for alias in owned}

    def has(self, name: str) -> bool:
        return name.lower() in self._lower

    def find(self, name: str) -> tuple[Definition, Values]:
        """The measure of a name or an alias, in upper or lower case, and the parameters that the alias sets."""
        known = name if name in self._names else self._lower.get(name.lower())
        if known is None:
            near = nearest(name.lower(), self._names)
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            raise MeasureError(f"unknown measure {show(name)}; {hint}`assay measures` lists them all")
        definition = self[self._names[known]]
        return definition, definition.aliases.get(known, {})

    def add(self, definition: Definition) -> None:
        for name in (definition.name, *definition.aliases):
            if name in self._names:
                raise MeasureError(f"a measure named {show(name)} already exists; choose another name")
        self._loaded[definition.name] = definition
        self._enter(definition.name, definition.aliases)
        self.changes += 1

    def remove(self, name: str) -> None:
        """Takes a measure out, with its aliases."""
        if name not in self:
            raise MeasureError(f"unknown measure {show(name)}; nothing to remove")
        self._modules.pop(name, None)
        self._loaded.pop(name, None)
        self._names = {each: owner for each, owner in self._names.items() if owner != name}
        self._lower = {each.lower(): each for each in self._names}
        self.changes += 1


def definitions_in(module: ModuleType) -> list[Definition]:
    found = (each for each in vars(module).values() if isinstance(each, Definition))
    return [each for each in found if each.function.__module__ == module.__name__]


TABLE = MeasureTable()


def measure(
    name: str,
    *,
    title: str = "",
    formula: str = "",
    **about: Any,  # noqa: ANN401 - passed on to Definition
) -> Callable[[Callable[..., Any]], Definition]:
    """Makes a function a measure and adds it to the table; see `assay.core.measure.Definition` for the options.

    >>> import assay
    >>> @assay.extend.measure("found", title="Relevant documents found", formula="r", range=(0, float("inf")))
    ... def found(judged, *, rel: assay.extend.Rel = 1):
    ...     return judged.relevant(rel).count()
    >>> assay.evaluate({"q1": ["a", "b"]}, {"q1": ["a", "c"]}, ["found"])["found"]
    1.0
    >>> assay.extend.remove_measure("found")
    """
    build = define(name, title=title, formula=formula, **about)

    def register(function: Callable[..., Any]) -> Definition:
        definition = build(function)
        TABLE.add(definition)
        return definition

    return register


def remove_measure(name: str) -> None:
    """Removes a measure from the table, so that its name can be used again."""
    TABLE.remove(name)


def parse(name: str, rel: float = 1) -> Measure:
    """The measure of that name; `rel` holds where the name does not set it.

    >>> parse("map@100"), parse("ap", 2)
    (<measure ap@100>, <measure ap(rel=2)>)
    """
    return _parse_once(name, rel, TABLE.changes)


@lru_cache(maxsize=4096)
def _parse_once(name: str, rel: float, *_: object) -> Measure:
    if ":" in name:
        from assay.measures.scores import is_score, parse_score

        if is_score(name):
            return parse_score(name)
    return parse_name(name, TABLE.find, rel)
