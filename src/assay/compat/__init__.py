"""Drop-ins for other tools' modules: the same calls and the same numbers, computed by assay."""

# Each is imported on first use.
_ROOMS = ("ir_measures", "mteb", "pytrec_eval", "ranx")


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _ROOMS:
        return import_module(f"assay.compat.{name}")
    raise AttributeError(f"module 'assay.compat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS})
