"""What the fuzz targets in Python share: a folder in memory, the check of a refusal, and the start with seeds.

    python fuzz/TARGET.py [CORPUS] [-max_total_time=600]

Options are libFuzzer's.
"""

# ruff: noqa: INP001 - scripts, not a package
import atexit
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import atheris

import assay

# Files are read and written once per execution.
MEMORY = Path("/dev/shm")  # noqa: S108 - made with a name of its own
FOLDER = Path(tempfile.mkdtemp(prefix="assay-fuzz-", dir=MEMORY if MEMORY.is_dir() else None))


def check_refusal(error: assay.AssayError) -> None:
    """A refusal is one printable line."""
    if not str(error).isprintable():
        raise AssertionError(f"the message {error!r} is not printable") from error


def fuzz(one_input: Callable[[bytes], None], seeds: Iterable[bytes] = ()) -> None:
    """Runs libFuzzer; the seeds are put into the corpus that is named, or else into one that goes."""
    atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
    corpus = next((Path(each) for each in sys.argv[1:] if not each.startswith("-")), None)
    if corpus is None:
        corpus = FOLDER / "corpus"
        sys.argv.append(str(corpus))
    if not corpus.is_file():
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds):
            (corpus / f"seed-{number}").write_bytes(seed)
    warnings.simplefilter("ignore")
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
