"""The options of a judge, once they are known to be possible."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

from assay.core.errors import PolicyError
from assay.core.text import show


def number_from(name: str, value: object, *, above: bool = False) -> float:
    """A number from 0 on, or above it."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or value < 0 or (above and not value):  # type: ignore[operator]
        raise PolicyError(f"{name} must be a number {'above' if above else 'from'} 0, not {show(value)}")
    return float(value)  # type: ignore[arg-type]


def own_words(prompts: object) -> dict[str, str]:
    """The words that replace those of prompts, by name."""
    if prompts is None:
        return {}
    if not isinstance(prompts, Mapping) or not all(isinstance(part, str) for item in prompts.items() for part in item):
        raise PolicyError(f'prompts= has words by the name of a prompt, as in {{"support": "…"}}, not {show(prompts)}')
    return dict(prompts)


def place_of_cache(cache: object, default: str | os.PathLike[str]) -> str | os.PathLike[str] | None:
    """The file that keeps replies; None for memory."""
    if cache is False:
        return None
    if cache is None or cache is True:
        return default
    if not isinstance(cache, (str, os.PathLike)):
        raise PolicyError(f"cache= is a file, or False for none, not {show(cache)}")
    return cache
