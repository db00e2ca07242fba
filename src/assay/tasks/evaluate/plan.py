"""`Plan`: the measures, each with its convention and policies, and what the kernel must count for them.

It is made of names alone, without data: `make_plan(["ndcg@10", "trec_eval:map"], convention="ranx", missing="skip")`.
Whoever scores (on this machine, in Spark, in a studio) scores by a plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions import CONVENTIONS, Chosen, find_convention, measure_names, resolve
from assay.core.errors import MeasureError
from assay.core.measure import Measure
from assay.core.policies import Policies, check_chunks, check_whole
from assay.core.text import Option, Task
from assay.engine.kernel import KernelRanking, kernel_options
from assay.measures import TABLE
from assay.tasks.evaluate.score import merge_parts, refused_notes, score

if TYPE_CHECKING:
    from assay._kernel import Options
    from assay.core.convention import Convention
    from assay.core.note import Note
    from assay.data.qrels import Qrels
    from assay.engine.ranking import Ranking
    from assay.engine.tops import Tops
    from assay.results.result import Result

DEFAULT_MEASURES = ("ndcg@10", "ap", "rr@10", "recall@100")
# The kernel numbers the documents of a query in 32 bits.
MOST_TOP = 2**32 - 2
# The tasks for each kind of measure; the shell scores answers with `rag`.
TASKS = {
    "rankings": (Task("evaluate"), ", or ", Task("evaluate_rag"), " for rankings and answers"),
    "answers": (Task("evaluate_answers"),),
    "contents": (Task("evaluate_rag"),),
    "judged": (Task("evaluate_rag"), " with records and ", Option("judge")),
    "scores": (Task("evaluate_rag"), " with records, or define a measure of rankings with @assay.extend.measure"),
}


class PolicyGroup(NamedTuple):
    """The measures that share their policies, and the number of the kernel's options for them."""

    policies: Policies
    measures: dict[str, Measure]
    number: int

    @property
    def needs(self) -> frozenset[str]:
        return frozenset(need for measure in self.measures.values() for need in measure.definition.needs)


@dataclass(frozen=True)
class Plan:
    """What is computed: measures by their names in a result, each with its policies, under a convention.

    `policies` are those of all measures that have none of their own. With `lenient`, data that one tool cannot use is
    not an error for the others. `top` is how many documents of each query are kept on the way.
    """

    measures: Mapping[str, Chosen]
    convention: str
    policies: Policies
    lenient: bool = False
    top: int = 0

    def __post_init__(self) -> None:
        check_whole("top", self.top, 0, MOST_TOP)

    def __hash__(self) -> int:
        return hash((frozenset(self.measures.items()), self.convention, self.policies, self.lenient, self.top))

    def __reduce__(self) -> tuple[type[Plan], tuple[Any, ...]]:
        return Plan, (dict(self.measures), self.convention, self.policies, self.lenient, self.top)

    def only(self, measure: str) -> Plan:
        return replace(self, measures={measure: self.measures[measure]})

    @cached_property
    def groups(self) -> list[PolicyGroup]:
        """The measures by their policies, each with the number of the kernel's options."""
        found: list[Options] = []
        groups = []
        for policies, own in by_policies(self.measures).items():
            group = PolicyGroup(policies, own, len(found))
            wanted = kernel_options(policies, group.needs)
            if wanted not in found:
                found.append(wanted)
            groups.append(group._replace(number=found.index(wanted)))
        return groups

    @cached_property
    def options(self) -> list[Options]:
        """What the kernel must count: different options by number; the first keep the `top` documents of each query."""
        first = {group.number: group for group in reversed(self.groups)}
        return [kernel_options(first[n].policies, first[n].needs, 0 if n else self.top) for n in range(len(first))]

    @cached_property
    def tools(self) -> dict[str, Convention]:
        """The tool that the key of each measure names, else that of the convention."""
        usual = find_convention(self.convention)
        return {key: CONVENTIONS.get(key.partition(":")[0], usual) if ":" in key else usual for key in self.measures}

    @cached_property
    def used_tools(self) -> list[Convention]:
        """The tools as data are prepared for them."""
        used = {tool.name: tool for tool in self.tools.values()}
        return [tool._replace(unreadable="nan") if self.lenient else tool for tool in used.values()]

    def score(self, ranking: Ranking, notes: Sequence[Note] = ()) -> Result:
        """The result of a run; `notes` are said first."""
        queries, unusable = ranking.qrels.queries, self.unusable(ranking)
        parts = []
        for group in self.groups:
            judged, found = ranking.judged(group.policies, group.number)
            own = ranking.notes(group.policies, group.number)
            how: Any = {"queries": queries, "present": found >= 0, "unusable": unusable, "notes": own}
            parts.append(score(judged, group.measures, group.policies, **how))
        refused = [note for what, each in ranking.refused.items() for note in refused_notes(each, what)]
        how = {"convention": self.convention, "policies": self.policies, "notes": [*notes, *refused]}
        return merge_parts(parts, self.measures, queries=queries, **how)

    def tops(self, ranking: Ranking) -> Tops:
        """The first documents of each query, up to `top`, as the policies of the first group rank them."""
        return ranking.tops(self.groups[0].policies, self.top)

    def bound(self, qrels: Qrels) -> Plan:
        """The plan with the parameters of measures that the judgments set."""
        nothing = KernelRanking(qrels, self.options)
        bound: dict[str, Chosen] = {}
        for group in self.groups:
            judged, _ = nothing.judged(group.policies, group.number)
            bound |= {name: Chosen(measure.bound(judged), group.policies) for name, measure in group.measures.items()}
        return replace(self, measures={name: bound[name] for name in self.measures})

    def unusable(self, ranking: Ranking) -> dict[str, set[str]]:
        """For each measure the queries that its tool refuses, if it refuses any."""
        found = {}
        for name, tool in self.tools.items():
            if queries := {query for each in ranking.refused.values() for query in each.get(tool.name, ())}:
                found[name] = queries
        return found


def make_plan(
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    top: int = 0,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Plan:
    """The plan of the measures that names mean under a convention."""
    names = (measures,) if isinstance(measures, str) else tuple(measures) if isinstance(measures, (list, tuple)) else ()
    values = (top, *policies.values())
    try:
        hash(values)
    except TypeError:
        names = ()
    if names and {type(each) for each in (*names, convention)} == {str}:
        # The same names give the same plan, unless a measure was registered; 1 and True are different options.
        marks = (*map(type, values), TABLE.changes)
        return _plan_once(names[0] if len(names) == 1 else names, convention, top, tuple(policies.items()), marks)
    return _plan_anew(measures, convention, top, policies.items())


def _plan_anew(
    measures: object, convention: str, top: int, options: Iterable[tuple[str, Any]], _: object = None
) -> Plan:
    tool, policies = find_convention(convention), dict(options)
    resolved = resolve_measures(measures, tool, policies)
    check_chunks(policies, policies.get("doc_id"))
    return Plan(resolved, tool.name, tool.policies.changed(policies), top=top)


_plan_once = lru_cache(maxsize=256)(_plan_anew)


def resolve_measures(
    measures: object,
    convention: Convention,
    options: Mapping[str, Any],
    *,
    kinds: Collection[str] = ("rankings",),
    short: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Chosen]:
    """The measures that names mean, all of these kinds, with their policies; `short` is as in `resolve`."""
    resolved = resolve(measure_names(measures), convention, options, short)
    if not resolved:
        example = "ndcg@10" if "rankings" in kinds else "f1"
        raise MeasureError(f"no measure to compute; name at least one, such as {example}")
    for name, (measure, _) in resolved.items():
        kind = measure.definition.of
        if kind not in kinds:
            named = {"scores": "score from elsewhere", "judged": "measure that an LLM judges"}
            what = named.get(kind, f"measure of {kind}")
            raise MeasureError(f"{name} is a {what}; use {''.join(map(str, TASKS[kind]))}")
    return resolved


def by_policies(resolved: Mapping[str, Chosen]) -> dict[Policies, dict[str, Measure]]:
    groups: dict[Policies, dict[str, Measure]] = {}
    for name, (measure, policies) in resolved.items():
        groups.setdefault(policies, {})[name] = measure
    return groups
