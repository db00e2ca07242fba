"""`--load FILE.py`: runs a user's own Python file, so that its measures can be named."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.core.errors import AssayError, FileError
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Iterator

load_option = click.option(
    "--load",
    "files",
    multiple=True,
    metavar="FILE.py",
    help="Run a Python file of your own first: measures that it defines with @assay.measure can be named.",
)


@contextmanager
def loaded(files: tuple[str, ...]) -> Iterator[None]:
    """Runs the files. What fails in their code, then or later, becomes a message that names the line."""
    paths = [str(Path(file).resolve()) for file in files]
    for file, path in zip(files, paths, strict=True):
        if not Path(path).is_file():
            raise FileError(f"there is no file {show(file)} to load")
        if not path.endswith(".py"):
            raise FileError(f"{show(file)} is no Python file; its name must end in .py")
        try:
            run_file(path)
        except AssayError:
            raise
        except (Exception, SystemExit) as error:
            raise AssayError(complaint(error, path, line_in(error, path))) from error
    try:
        yield
    except (AssayError, OSError):
        raise
    except Exception as error:
        for path in paths:
            if line := line_in(error, path):
                raise AssayError(complaint(error, path, line)) from error
        raise


def run_file(path: str) -> None:
    """Runs a file as a module; its folder is where it can import from."""
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


def line_in(error: BaseException, path: str) -> int | None:
    """The line of a file at which an error arose, or nothing if it arose elsewhere."""
    from traceback import extract_tb

    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else None


def complaint(error: BaseException, path: str, line: int | None) -> str:
    where = f", line {line}" if line else ""
    what = error.msg if isinstance(error, SyntaxError) else error
    return f"{path}{where}: {type(error).__name__}: {what}"
