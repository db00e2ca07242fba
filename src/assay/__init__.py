"""assay measures how good search and RAG systems are.

Each name is imported when it is first used, so that `import assay` costs nothing. `__init__.pyi` lists them, with the
module that each comes from.
"""

# The loader finds the stub in an archive, too.
_STUB = __spec__.loader.get_data(f"{__file__.rpartition('.')[0]}.pyi").decode()
_LISTED = {line.split()[-1]: line.split()[1] for line in _STUB.splitlines() if line.startswith("from ")}
# Every public name, with the module it comes from.
_HOMES = {name: home for name, home in _LISTED.items() if home != "assay"}
# Modules with public names of their own.
_ROOMS = tuple(name for name, home in _LISTED.items() if home == "assay")
# Where the public classes and functions are defined, for those that are imported.
_DEFINED_IN: dict[str, str] = {}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - a list


def __getattr__(name: str) -> object:
    from importlib import import_module
    from sys import modules

    if name in _ROOMS:
        return import_module(f"assay.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    globals()[name] = getattr(import_module(_HOMES[name]), name)
    # Public classes and functions belong to `assay`: pickles and messages do not name the module that defines them.
    for each, home in _HOMES.items():
        value = vars(modules[home]).get(each) if home in modules else None
        defined_in = getattr(value, "__module__", "")
        if each not in _DEFINED_IN and hasattr(value, "__qualname__") and defined_in.startswith("assay."):
            _DEFINED_IN[each] = defined_in
            value.__module__ = __name__
    return globals()[name]


def __dir__() -> list[str]:
    return sorted([*_HOMES, *_ROOMS])
