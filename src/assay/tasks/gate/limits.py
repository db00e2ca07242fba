"""The limits of a gate: numbers by measure, as given in Python, on the command line, or in a TOML file.

The file is assay.toml with a section `[gate]`, or pyproject.toml with `[tool.assay.gate]`; it can hold every other
setting of a gate too. Two spellings of a measure are one measure.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from numbers import Real
from pathlib import Path
from typing import Any

from assay.core.errors import FormatError, MeasureError, PolicyError
from assay.core.measure import Measure
from assay.core.policies import Policies
from assay.core.text import Interface, Option, nearest, printable, quoted, show
from assay.files.source import prefix_errors, read_toml
from assay.tasks.evaluate.plan import make_plan

Limit = tuple[str, float]
# The first of these files that has settings counts.
FILES = {"assay.toml": ("gate",), "pyproject.toml": ("tool", "assay", "gate")}
MISSPELT = ("gate", "gates")
PATHS = ("qrels", "run", "baseline", "queries", "corpus")
LIMITS = ("minimum", "max_drop")
KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys((*PATHS, "qrels_format", "run_format", "convention", "test"), (str,)),
    **dict.fromkeys(LIMITS, (dict,)),
    "alpha": (int, float),
    **dict.fromkeys(("strict", "failed_verdicts"), (bool,)),
}
KIND_WORDS = {str: "a quoted string", dict: "a table of measures and numbers", int: "a number", bool: "true or false"}


def read_limits(given: Mapping[str | Measure, float] | None, option: str) -> dict[str, float]:
    """The limits by measure, each checked to be a number."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise PolicyError(f'{option} must be a dict such as {{"ndcg@10": 0.1}}, not {show(given)}')
    least, kind = (0.0, "a number of at least 0") if option == "max_drop" else (-math.inf, "a number")
    limits = []
    for name, value in given.items():
        # A large integer is not a float.
        limit = math.nan
        with suppress(OverflowError):
            limit = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
        if not (math.isfinite(limit) and limit >= least):
            raise PolicyError(f"{option} of {show(name)} must be {kind}, not {show(value)}")
        limits.append((str(name), limit))
    return dict(by_meaning(limits, str, option).values())


def by_meaning(limits: Iterable[Limit], meaning: Callable[[str], Hashable], where: str) -> dict[Hashable, Limit]:
    """The limits by the meaning of their names; two limits for one measure are an error that names both.

    >>> by_meaning([("rr", 0.5), ("ap", 0.25)], str, "minimum")
    {'rr': ('rr', 0.5), 'ap': ('ap', 0.25)}
    """
    found: dict[Hashable, Limit] = {}
    for name, limit in limits:
        key = meaning(name)
        if key in found:
            both = f"{show(found[key][0])} and {show(name)}"
            said = f"{show(name)} has two limits" if found[key][0] == name else f"{both} are the same measure"
            raise PolicyError(f"{where}: {said}; give it one limit")
        found[key] = name, limit
    return found


def gate_settings(config: str | None, told: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a file, overridden by what a command line says; limits are overridden measure by measure."""
    settings = read_settings(config)
    both = {**settings, **{name: value for name, value in told.items() if value is not None and name not in LIMITS}}
    policies = {name: both[name] for name in Policies.__slots__ if name in both}

    def meaning(name: str) -> Hashable:
        """The measure and its policies, or else the name itself."""
        with suppress(MeasureError):
            found = list(make_plan([name], convention=both.get("convention", "assay"), **policies).measures.values())
            return found[0] if len(found) == 1 else name
        return name

    for name in LIMITS:
        in_file = by_meaning(settings.get(name, {}).items(), meaning, f"{name} in the settings")
        on_line = by_meaning(told[name], meaning, Option(name).written(Interface.SHELL))
        both[name] = dict({**in_file, **on_line}.values())
    return both


def check_has_limits(floors: Mapping[str, float], drops: Mapping[str, float], baseline: object) -> None:
    """Raises unless there is a limit, and a baseline exactly if there is a limit on drops."""
    if drops and baseline is None:
        raise PolicyError(f"{Option('max_drop')} needs a {Option('baseline')}, an earlier run or a stored result")
    if baseline is not None and not drops:
        raise PolicyError(f"a baseline needs {Option('max_drop')}, such as {Option('max_drop', ('ndcg@10', 0.01))}")
    if not floors and not drops:
        raise PolicyError(f"nothing to check; set {Option('minimum', ('ndcg@10', 0.45))} or {Option('max_drop')}")


def read_settings(file: str | None) -> dict[str, Any]:
    """The settings in a file, or in assay.toml or pyproject.toml of this folder; nothing if there are none."""
    for name in FILES if file is None else [file]:
        if (file is not None or Path(name).is_file()) and (found := section_of(Path(name))) is not None:
            return found
    if file is not None:
        places = " or ".join(f"[{'.'.join(keys)}]" for keys in sections_of(Path(file)))
        raise FormatError(f"{quoted(file)} has no section {places}; put the settings there")
    return {}


def section_of(path: Path) -> dict[str, Any] | None:
    """The settings in one file, checked; paths are relative to its folder."""
    content = read_toml(path, "settings")
    for keys in sections_of(path):
        section: Any = content
        for key in keys:
            section = section.get(key) if isinstance(section, dict) else None
        if section is not None:
            with prefix_errors(f"{printable(str(path))}, [{'.'.join(keys)}]"):
                return check_section(section, path.parent)
    if path.name == "assay.toml" and (near := [name for name in content if name.lower() in MISSPELT]):
        raise FormatError(f"{printable(str(path))}: unknown section [{near[0]}]; did you mean [gate]?")
    return None


def sections_of(path: Path) -> list[tuple[str, ...]]:
    """The sections that a file may have the settings in: its own for assay.toml and pyproject.toml, else either."""
    return [FILES[path.name]] if path.name in FILES else list(FILES.values())


def check_section(section: Any, folder: Path) -> dict[str, Any]:  # noqa: ANN401 - whatever the file holds
    if not isinstance(section, dict):
        raise FormatError("must be a table of settings")
    settings: dict[str, Any] = {}
    for key, value in section.items():
        name = key.replace("-", "_")
        if name in Policies.__slots__:
            try:
                Policies().changed({name: value})
            except PolicyError as error:
                raise FormatError(str(error)) from None
        else:
            check_setting(key, name, value)
        if name in settings:
            raise FormatError(f"duplicate setting {show(name)}, also spelled {show(name.replace('_', '-'))}; keep one")
        settings[name] = str(folder / value) if name in PATHS else value
    return settings


def check_setting(key: str, name: str, value: Any) -> None:  # noqa: ANN401 - whatever the file holds
    if name not in KINDS:
        known = [*KINDS, *Policies.__slots__]
        near = nearest(name, known)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the settings are {', '.join(known)}"
        raise FormatError(f"unknown setting {show(key)}; {hint}")
    if not is_kind(value, KINDS[name]):
        raise FormatError(f"{key} must be {KIND_WORDS[KINDS[name][0]]}, not {show(value)}")
    if name in PATHS and not value:
        raise FormatError(f"{key} is empty; name a file, or leave the setting out")
    for measure, limit in value.items() if name in LIMITS else ():
        if not is_kind(limit, (int, float)):
            raise FormatError(f"{key} of {show(measure)} must be a number, not {show(limit)}")


def is_kind(value: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
