"""Judges: how close many requests come to what a slow server allows, a run from the cache, and memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from lines import Line, at_least, at_most
from slow_judge import DELAY
from timing import peak_memory, seconds

import assay

CONCURRENCY = 32
ASKED = 6400
KEPT = 10_000
MANY = 100_000
GOOD = assay.extend.Prompt("good", 1, "Is the answer good?", {"reason": str, "verdict": bool})
CODE = """
import assay
TWO = '{"statements": ["The first statement of an answer.", "The second statement of an answer."]}'
BOTH = '{"verdicts": [{"reason": "It says so.", "verdict": true}, {"reason": "It does not.", "verdict": false}]}'
records = [{"query_id": f"q{n}", "question": f"Question {n}?", "answer": f"Answer {n}.",
            "retrieved_texts": [f"Passage {n} of the collection."]} for n in range(MANY)]
judge = assay.Judge(lambda sent: TWO if sent[0]["content"].startswith("Split") else BOTH, cache=CACHE, timeout=None)
assay.evaluate_rag(records, ["faithfulness"], judge=judge)
"""


def records_of(number: int) -> list[dict[str, str]]:
    return [
        {"query_id": f"q{each}", "question": f"Question {each}?", "answer": f"Answer {each}."} for each in range(number)
    ]


def judging() -> tuple[dict[str, float], list[Line]]:
    """Requests per second, the cache, and memory."""

    @assay.extend.measure("good", of="judged", prompts=(GOOD,))
    def good(case: Any) -> Any:  # noqa: ANN401 - a case in, steps out
        reply = yield GOOD.ask({"question": case.question, "answer": case.answer})
        return assay.extend.Finding(float(reply["verdict"]))

    try:
        with tempfile.TemporaryDirectory() as folder:
            return measure_judging(Path(folder))
    finally:
        assay.extend.remove_measure("good")


def measure_judging(folder: Path) -> tuple[dict[str, float], list[Line]]:
    command = [sys.executable, str(Path(__file__).parent / "slow_judge.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            url = f"http://127.0.0.1:{next(iter(server.stdout or ())).strip()}/v1"
            options = {"model": "slow", "concurrency": CONCURRENCY}
            cache = folder / "replies.sqlite"
            with assay.Judge(url, cache=cache, **options) as judge:
                asked = seconds(lambda: assay.evaluate_rag(records_of(ASKED), ["good"], judge=judge))
            with assay.Judge(url, cache=cache, **options) as judge:
                assay.evaluate_rag(records_of(KEPT), ["good"], judge=judge)
            with assay.Judge(url, cache=cache, **options) as judge:
                kept = seconds(lambda: assay.evaluate_rag(records_of(KEPT), ["good"], judge=judge))
        finally:
            server.kill()
    share = ASKED / asked / (CONCURRENCY / DELAY)
    peak = peak_memory(CODE.replace("MANY", str(MANY)).replace("CACHE", repr(str(folder / "many.sqlite"))))
    times = {
        f"judge, {ASKED:,} requests, {CONCURRENCY} at a time, 50 ms each": asked,
        f"judge, {KEPT:,} records from the cache": kept,
    }
    lines = [
        at_least("judge: percent of the requests that 32 at a time and 50 ms allow", 100 * share, 85),
        at_most("judge: 10,000 records from the cache, seconds", kept, 10),
        at_most("judge: peak memory of 100,000 records, MB", peak, 300),
    ]
    return times, lines


if __name__ == "__main__":
    for line in judging()[1]:
        print(line)
