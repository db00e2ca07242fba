"""Measures by their policies: those that share them are computed from the same ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.engine.local import kernel_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay._kernel import Options
    from assay.conventions import Chosen
    from assay.core.measure import Measure
    from assay.core.policies import Policies


class PolicyGroup(NamedTuple):
    """The measures that share their policies, and the number of the kernel's options for them."""

    policies: Policies
    measures: dict[str, Measure]
    number: int

    @property
    def needs(self) -> set[str]:
        """What the measures need beyond the ranks of judged documents."""
        return {need for measure in self.measures.values() for need in measure.definition.needs}


def by_policies(resolved: Mapping[str, Chosen]) -> dict[Policies, dict[str, Measure]]:
    """The measures that share their policies, by these."""
    groups: dict[Policies, dict[str, Measure]] = {}
    for name, (measure, policies) in resolved.items():
        groups.setdefault(policies, {})[name] = measure
    return groups


def group_by_policies(measures: Mapping[str, Chosen], top: int = 0) -> tuple[list[PolicyGroup], list[Options]]:
    """The measures by their policies, and the different options that the kernel needs for them.

    With `top`, the first options keep so many documents of each query, as the policies of the first group rank them.
    """
    groups: list[PolicyGroup] = []
    options: list[Options] = []
    for policies, own in by_policies(measures).items():
        group = PolicyGroup(policies, own, len(options))
        wanted = kernel_options(policies, group.needs)
        if wanted not in options:
            options.append(wanted)
        groups.append(group._replace(number=options.index(wanted)))
    if top and groups:
        options[0] = kernel_options(groups[0].policies, groups[0].needs, top)
    return groups, options
