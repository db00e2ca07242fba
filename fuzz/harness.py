"""What the fuzz targets in Python share: a folder in memory, the check of a refusal, and the start with seeds.

    python fuzz/TARGET.py [CORPUS] [-max_total_time=600]
    python fuzz/TARGET.py --check=100

Options are libFuzzer's. With `--check` the target tries its seeds and that many changes of them, the same each time;
this needs no atheris and shows that the target still works.
"""

# ruff: noqa: INP001 - scripts, not a package
from __future__ import annotations

import atexit
import contextlib
import os
import random
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import assay

# Tables of a few rows wait longer for a second thread than they take.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
# Files are read and written once per execution.
MEMORY = Path("/dev/shm")  # noqa: S108 - made with a name of its own
FOLDER = Path(tempfile.mkdtemp(prefix="assay-fuzz-", dir=MEMORY if MEMORY.is_dir() else None))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
CHECK = next((int(each.removeprefix("--check=")) for each in sys.argv if each.startswith("--check=")), None)
SEED = 12


def instrumented() -> contextlib.AbstractContextManager[object]:
    """Where assay is imported: libFuzzer is told which branches an input takes."""
    if CHECK is not None:
        return contextlib.nullcontext()
    import atheris

    return atheris.instrument_imports(include=["assay"])


def check_refusal(error: assay.AssayError) -> None:
    """A refusal is one printable line."""
    if not str(error).isprintable():
        raise AssertionError(f"the message {error!r} is not printable") from error


def fuzz(one_input: Callable[[bytes], None], seeds: Iterable[bytes] = ()) -> None:
    """Runs libFuzzer; the seeds are put into the corpus that is named, or else into one that goes."""
    warnings.simplefilter("ignore")
    if CHECK is not None:
        check(one_input, list(seeds), CHECK)
        return
    import atheris

    corpus = next((Path(each) for each in sys.argv[1:] if not each.startswith("-")), None)
    if corpus is None:
        corpus = FOLDER / "corpus"
        sys.argv.append(str(corpus))
    if not corpus.is_file():
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds):
            (corpus / f"seed-{number}").write_bytes(seed)
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


def check(one_input: Callable[[bytes], None], seeds: list[bytes], changes: int) -> None:
    """Tries the seeds, and changes of them: a byte replaced, some left out, some there twice."""
    choose = random.Random(SEED)  # noqa: S311 - the same each time
    for seed in seeds:
        one_input(seed)
    for number in range(changes):
        data = bytearray(choose.choice(seeds))
        for _ in range(choose.randint(1, 4)):
            start = choose.randint(2, max(2, len(data) - 1))
            end = min(len(data), start + choose.randint(0, 8))
            piece = choose.choice([b"", bytes([choose.randrange(256)]), 2 * bytes(data[start:end])])
            data[start:end] = piece
        try:
            one_input(bytes(data))
        except Exception as error:
            raise AssertionError(f"seed {SEED}, change {number}: {bytes(data)!r}") from error
