"""Doctests of public names are collected from the file that defines them, though their `__module__` is `assay`."""

import doctest
import inspect
from types import ModuleType

import assay

IS_FROM_MODULE = doctest.DocTestFinder._from_module  # type: ignore[attr-defined]  # noqa: SLF001 - the only place to say so


def is_defined_in(self: doctest.DocTestFinder, module: ModuleType, value: object) -> bool:
    """Whether a class or a function is defined in this module."""
    if (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__ == "assay":
        return bool(vars(assay)["_DEFINED_IN"].get(value.__name__, "assay") == module.__name__)
    return bool(IS_FROM_MODULE(self, module, value))


doctest.DocTestFinder._from_module = is_defined_in  # type: ignore[attr-defined]  # noqa: SLF001 - the only place to say so
