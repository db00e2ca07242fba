"""`assay rag` on 100,000 records beside Python's json, which only reads them; run alone, it prints time and memory."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from answers import texts
from timing import command, interleaved, peak_memory

RECORDS = 100_000
RETRIEVED = 10
DOCUMENTS = 1_000_000
READ = "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"
RUN = "import contextlib, io, sys\nfrom assay.__main__ import main\nsys.argv = ['assay', 'rag', {path!r}]"
QUIET = "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()"


def write_records(path: Path) -> None:
    """Records with a question, two gold documents, ten retrieved ones, an answer and a reference of 60 words."""
    generator = random.Random(0)  # noqa: S311 - made-up data
    pairs = list(zip(*texts(), strict=True))
    with path.open("w", encoding="utf-8") as file:
        for number in range(RECORDS):
            right, given = generator.choice(pairs)
            retrieved, missed = (
                [f"d{generator.randrange(DOCUMENTS)}" for _ in range(count)] for count in (RETRIEVED, 1)
            )
            gold = [generator.choice(retrieved), *missed]
            record = {"query_id": f"q{number}", "question": right[:60], "gold": gold, "retrieved": retrieved}
            file.write(json.dumps({**record, "answer": given, "references": [right]}) + "\n")


def record_figures() -> tuple[dict[str, float], float]:
    """The seconds of both, and the peak memory of `assay rag` in MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "records.jsonl")
        write_records(path)
        actions = {
            "json.loads of each record": command(sys.executable, "-c", READ, str(path)),
            "assay rag": command(sys.executable, "-m", "assay", "rag", str(path)),
        }
        return interleaved(actions, rounds=3), peak_memory("\n".join((RUN.format(path=str(path)), QUIET)))


if __name__ == "__main__":
    times, memory = record_figures()
    ratio = times["assay rag"] / times["json.loads of each record"]
    print(f"assay rag: {times['assay rag']:.1f} s, {ratio:.1f} times json.loads of each record, {memory:.0f} MB")
