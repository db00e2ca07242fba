"""`--load`: runs a user's Python files, and says what goes wrong in them with the line."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay import AssayError
from assay.core.text import show
from assay.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


@contextmanager
def loaded(files: tuple[str, ...]) -> Iterator[list[ModuleType]]:
    """Runs the files as modules. An error in their code, then or later, becomes a message with the line."""
    modules = []
    paths = [str(Path(file).resolve()) for file in files]
    for file, path in zip(files, paths, strict=True):
        if not Path(path).is_file():
            raise FileError(f"file {show(file)} not found; nothing to load")
        if not path.endswith(".py"):
            raise FileError(f"{show(file)} is not a Python file; its name must end in .py")
        try:
            modules.append(run_file(path))
        except AssayError:
            raise
        except (Exception, SystemExit) as error:
            raise AssayError(complaint(error, path, line_in(error, path))) from error
    try:
        yield modules
    except (AssayError, OSError):
        raise
    except Exception as error:
        for path in paths:
            if line := line_in(error, path):
                raise AssayError(complaint(error, path, line)) from error
        raise


def run_file(path: str) -> ModuleType:
    """Runs a file as a module that can import from its own folder."""
    from importlib.machinery import ModuleSpec, SourceFileLoader
    from importlib.util import module_from_spec

    name = f"assay_loaded_{Path(path).stem}"
    loader = SourceFileLoader(name, path)
    spec = ModuleSpec(name, loader, origin=path)
    spec.has_location = True
    module = module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(Path(path).parent))
    loader.exec_module(module)
    return module


def line_in(error: BaseException, path: str) -> int | None:
    """The line of the file that raised an error; None if another file did."""
    from traceback import extract_tb

    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else None


def complaint(error: BaseException, path: str, line: int | None) -> str:
    """What went wrong in a file, in a line."""
    where = f", line {line}" if line else ""
    what = error.msg if isinstance(error, SyntaxError) else error
    return f"{path}{where}: {type(error).__name__}: {what}"
