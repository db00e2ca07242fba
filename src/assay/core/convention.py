"""How a tool computes: its policies, and its names for measures.

A convention is data. The code that follows it is the same for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.policies import Policies
from assay.core.spelling import Written, read_call

if TYPE_CHECKING:
    from collections.abc import Callable


class Option(NamedTuple):
    """What a tool lets its user set in a measure's name: assay's parameter, or a policy, and how its value reads.

    `words` are the tool's words for values; `read` turns text into a value where it is more than a number or a word.
    Where the value decides which measure is meant, `parameter` is `measure` and the words stand for canonical names.
    """

    parameter: str
    words: Mapping[str, Any] = MappingProxyType({})
    is_policy: bool = False
    read: Callable[[str], Any] | None = None


class Name(NamedTuple):
    """A tool's name for a measure, or for one at each of several cutoffs.

    `measure` is a canonical name. In it `@{}` stands for the cutoff that the tool's name must have, or `[@{}]` for one
    that it may have. `cutoffs` are those of the name alone, `output` is how the tool then writes each of them, and with
    `whole` it drops what follows the point. Without cutoffs, `output` is how the tool writes a name with options.
    `policies` are the tool's own for this measure, and `about` says what is worth knowing of it. `needed` are the
    options without which the tool refuses the name, each with a likely value.
    """

    measure: str
    cutoffs: tuple[float, ...] = ()
    output: str = ""
    options: Mapping[str, Option] = MappingProxyType({})
    policies: Mapping[str, Any] = MappingProxyType({})
    about: str = ""
    whole: bool = False
    needed: Mapping[str, str] = MappingProxyType({})


class Convention(NamedTuple):
    """A tool: its name, its policies, its names for measures and how it spells them.

    `nicknames` stand for several of its names. `prepare` turns the judgments or the ranking of one query, given as
    Python objects, into what the tool makes of them before it measures: empty where it can make nothing of them.
    Without it, what is no list of ids (None, an empty group) is an error, or the query has no value (`nan`), as
    `unreadable` says. `infinite` tells whether it takes scores that are infinite. `level` is how the tool is told the
    lowest relevant grade for all names at once, if it can be. `defects` tells where the tool is plainly wrong and assay
    is not.
    """

    name: str
    title: str
    policies: Policies = Policies()
    names: Mapping[str, Name] = MappingProxyType({})
    read: Callable[[str, Mapping[str, Any]], Written | None] = read_call
    nicknames: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    prepare: Callable[[Any], Any] | None = None
    level: str = ""
    unreadable: str = "error"
    infinite: bool = False
    defects: tuple[str, ...] = ()
