"""The settings of a gate in a TOML file: `[gate]` in assay.toml, or `[tool.assay.gate]` in pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from assay.core.errors import FileError, FormatError, PolicyError
from assay.core.policies import Policies
from assay.core.text import nearest, show
from assay.data.source import named, quoted

# In this order: what stands in the first one counts.
FILES = {"assay.toml": ("gate",), "pyproject.toml": ("tool", "assay", "gate")}
PATHS = ("qrels", "run", "baseline")
LIMITS = ("minimum", "max_drop")
KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys((*PATHS, "qrels_format", "run_format", "convention", "test"), (str,)),
    **dict.fromkeys(LIMITS, (dict,)),
    "alpha": (int, float),
    "strict": (bool,),
}
WORDS = {str: "a text in quotes", dict: "a table of measures and numbers", int: "a number", bool: "true or false"}


def read_settings(file: str | None) -> dict[str, Any]:
    """The settings in a file, or in one of the usual files of this folder; nothing where there is none."""
    if file is not None:
        found = section_of(Path(file))
        if found is None:
            places = " or ".join(f"[{'.'.join(keys)}]" for keys in sections_of(Path(file)))
            raise FormatError(f"{quoted(file)} has no {places}; write the settings there")
        return found
    for name in FILES:
        if Path(name).is_file() and (found := section_of(Path(name))) is not None:
            return found
    return {}


def section_of(path: Path) -> dict[str, Any] | None:
    """The settings in one file, checked; paths are those from its folder."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FileError(f"the settings in {quoted(path)} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"{path}: this is not TOML: {error}") from None
    for keys in sections_of(path):
        section: Any = content
        for key in keys:
            section = section.get(key) if isinstance(section, dict) else None
        if section is not None:
            with named(f"{path}, [{'.'.join(keys)}]"):
                return checked(section, path.parent)
    return None


def sections_of(path: Path) -> list[tuple[str, ...]]:
    """Where a file may have the settings: a usual file in its one place, any other in either."""
    return [FILES[path.name]] if path.name in FILES else list(FILES.values())


def checked(section: Any, folder: Path) -> dict[str, Any]:  # noqa: ANN401 - whatever the file holds
    """The settings, each known and of the right kind."""
    if not isinstance(section, dict):
        raise FormatError("this must be a table of settings")
    settings: dict[str, Any] = {}
    for key, value in section.items():
        name = key.replace("-", "_")
        check_setting(key, name, value)
        if name in settings:
            raise FormatError(f"{show(name)} stands twice, as {show(name.replace('_', '-'))} too; keep one of them")
        settings[name] = str(folder / value) if name in PATHS else value
    return settings


def check_setting(key: str, name: str, value: Any) -> None:  # noqa: ANN401 - whatever the file holds
    """Raises unless there is such a setting and the value is of its kind."""
    if name in Policies.__slots__:
        try:
            Policies().changed({name: value})
        except PolicyError as error:
            raise FormatError(str(error)) from None
        return
    if name not in KINDS:
        known = [*KINDS, *Policies.__slots__]
        near = nearest(name, known)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
        raise FormatError(f"there is no setting {show(key)}; {hint}")
    if not is_kind(value, KINDS[name]):
        raise FormatError(f"{key} must be {WORDS[KINDS[name][0]]}, not {show(value)}")
    if name in LIMITS:
        for measure, limit in value.items():
            if not is_kind(limit, (int, float)):
                raise FormatError(f"{key} of {show(measure)} must be a number, not {show(limit)}")


def is_kind(value: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
