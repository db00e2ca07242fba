"""Two thousand calls of each form: memory, descriptors and threads do not grow.

After a warm-up of 1,000 calls, the resident memory of the next 1,000 may grow by what allocators keep, not by a part of
each call: 8 MiB in all, which is 8 kB per call.
"""

import contextlib
import gc
import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

import assay
import forms
from forms import QRELS_FRAME, RUN_FRAME, in_pandas
from search_server import SearchServer

pytestmark = [pytest.mark.attack("Memory"), pytest.mark.hostile]

WARM_UP, CALLS = 1000, 1000
MOST_GROWTH = 8 << 20
QRELS = {query: forms.QRELS[query] for query in forms.QUERIES[:4]}
RUN = {query: forms.RUN[query] for query in QRELS}
OTHER = {query: dict(reversed(ranking.items())) for query, ranking in RUN.items()}
RECORDS = [
    {"question": "who", "retrieved": ["d1", "d2"], "gold": ["d1"], "answer": "a b", "reference": "a c"}
    for _ in range(5)
]


def resident():
    """Bytes of resident memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def open_things():
    return sum(1 for _ in Path("/dev/fd").iterdir()), threading.active_count()


def refused(call):
    """A call that raises one of assay's errors."""

    def act():
        with pytest.raises(assay.AssayError):
            call()

    return act


def interrupted(call):
    """A call that Ctrl-C may end at any moment."""

    def act():
        with contextlib.suppress(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.0005)
            call()
            time.sleep(0.01)

    return act


def streamed():
    evaluator = assay.Evaluator(QRELS, ["ndcg@10"])
    for query, ranking in RUN.items():
        evaluator.add(query, ranking)
    return evaluator.result()


@pytest.fixture
def calls(tmp_path):
    """Every form of call."""
    run, qrels, broken = tmp_path / "a.run", tmp_path / "qrels.txt", tmp_path / "broken.run"
    assay.Run(RUN).write(run)
    assay.Qrels(QRELS).write(qrels)
    broken.write_text(run.read_text() + "1 Q0 d1 1 abc tag\n")
    assay.Run(RUN).write(tmp_path / "run.parquet")
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    result = assay.evaluate(QRELS, RUN, ["ap", "ndcg@10"])
    saved = tmp_path / "saved.assay"
    measures = ["ap", "ndcg@10"]
    pandas_frame = in_pandas(RUN_FRAME[:75], "score")
    search = {f"question {query}": list(ranking)[:5] for query, ranking in RUN.items()}
    questions = {query: f"question {query}" for query in RUN}

    def save_and_load():
        result.save(saved)
        assay.load_result(saved)

    def write():
        assay.Run(RUN).write(tmp_path / "written.run")

    return {
        "dict": lambda: assay.evaluate(QRELS, RUN, measures),
        "frame": lambda: assay.evaluate(QRELS_FRAME[:60], RUN_FRAME[:75], measures),
        "pandas": lambda: assay.evaluate(QRELS, pandas_frame, measures),
        "file": lambda: assay.evaluate(qrels, run, measures),
        "JSON": lambda: assay.evaluate(qrels, tmp_path / "run.json", measures),
        "Parquet": lambda: assay.evaluate(qrels, tmp_path / "run.parquet", measures),
        "stream": streamed,
        "threads": lambda: assay.evaluate(qrels, run, measures, threads=4),
        "compare": lambda: assay.compare(QRELS, {"a": RUN, "b": OTHER}, "ap", samples=100),
        "gate": lambda: assay.gate(QRELS, RUN, {"ap": 0.1}, baseline=OTHER, max_drop={"ap": 0.1}, samples=100),
        "rag": lambda: assay.evaluate_rag(RECORDS, measures=["recall@5", "answer_f1"]),
        "probe": lambda: assay.probe(search.get, questions, QRELS, "rr", progress=False),
        "audit": lambda: assay.audit(QRELS, RUN, "rr"),
        "check": lambda: assay.check(qrels, run),
        "save and load": save_and_load,
        "write": write,
        "table": lambda: (str(result), result.to_json(), result.to_polars()),
        "an error in a dict": refused(lambda: assay.evaluate(QRELS, {"1": {"d1": float("nan")}}, measures)),
        "an error in a file": refused(lambda: assay.evaluate(qrels, broken, measures)),
        "an error in a name": refused(lambda: assay.evaluate(QRELS, RUN, ["ndgc@10"])),
        "interrupted in a dict": interrupted(lambda: assay.evaluate(QRELS, RUN, measures)),
        "interrupted in a file": interrupted(lambda: assay.evaluate(qrels, run, measures)),
    }


def check_growth(call, tried, form="HTTP"):
    for _ in range(WARM_UP):
        call()
    memory, things = resident(), open_things()
    for _ in range(CALLS):
        call()
    grown = resident() - memory
    assert grown <= MOST_GROWTH, f"{form}: {grown / (1 << 20):.1f} MiB"
    assert open_things() <= things, form
    tried(WARM_UP + CALLS)


def test_memory_does_not_grow(calls, tried):
    def interrupt(*_):
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        for form, call in calls.items():
            check_growth(call, tried, form)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_memory_does_not_grow_with_calls_over_http(tried):
    with SearchServer() as server:
        questions, qrels = {"q1": "question 1", "q2": "question 2"}, {"q1": ["d1"], "q2": ["d2"]}

        def call():
            assay.probe(assay.live.HttpSearch(server.url), questions, qrels, "rr", progress=False)

        check_growth(call, tried)
