"""A chart of every kind, on small data, and what charts are checked for."""

import json

import numpy as np

import assay
from assay.render.charts.kinds import KINDS

NAMES = ("bm25", "dense", "hybrid")
# Text that a page, a field name or an expression could take for code.
HOSTILE = (
    *("<script>alert(1)</script>", '"], }', "datum.x", "a.b[0]\\", "</script><!-- ${x} -->", "line\nbreak\x00\u2028"),
    *("' + alert(1) + '", "🦊 ﷽ עברית"),
)
MEASURES = ["ndcg@10", "ap", "rr@10", "recall@5"]


def collection(names=NAMES, queries=30, prefix="q"):
    """Judgments and runs, each run a little worse than the one before."""
    generator = np.random.default_rng(7)
    qrels = {
        f"{prefix}{number}": {f"d{each}": int(generator.integers(0, 4)) for each in range(8)}
        for number in range(queries)
    }
    runs = {}
    for place, name in enumerate(names):
        runs[name] = {
            query: {
                document: round(grade + generator.normal(0, 0.5 + 0.4 * place), 3) for document, grade in judged.items()
            }
            | {f"x{each}": round(generator.normal(1, 1), 3) for each in range(6)}
            for query, judged in qrels.items()
        }
    return qrels, runs


def records():
    generator = np.random.default_rng(3)
    return [
        {
            "query_id": f"q{number}",
            "gold": ["d1"],
            "retrieved": ["d1", "d2"] if generator.random() < 0.6 else ["d2"],
            "answer": "Rome" if generator.random() < 0.5 else "Oslo",
            "references": ["Rome"],
            "latency": 0.01 + generator.random() / 10,
        }
        for number in range(20)
    ]


def every_chart(names=NAMES, queries=30):
    """A chart of each kind."""
    qrels, runs = collection(names, queries)
    comparison = assay.compare(qrels, runs, MEASURES, test="t")
    pair = {"a": names[0], "b": names[1]}
    charts = {kind: comparison.plot(kind, **(pair if kind in ("queries", "scatter") else {})) for kind in RUN_KINDS}
    charts["blame"] = assay.evaluate_rag(records(), ["recall", "answer_f1"]).plot("blame")
    charts["latency"] = assay.plot("latency", [*records(), {"query_id": "failed"}])
    other = {
        query: {document: max(0, grade - number % 2) for number, (document, grade) in enumerate(judged.items())}
        for query, judged in qrels.items()
    }
    charts["agreement"] = assay.agree(qrels, other, names=names[:2]).plot()
    return charts


RUN_KINDS = [kind.name for kind in KINDS.values() if kind.needs in ("means", "scores", "tests", "rankings")]


def rows_of(spec):
    """Every row of data in a specification."""
    if isinstance(spec, dict):
        own = spec["data"]["values"] if "data" in spec and "values" in spec["data"] else []
        return [*own, *(row for key, each in spec.items() if key != "data" for row in rows_of(each))]
    return [row for each in spec for row in rows_of(each)] if isinstance(spec, list) else []


def written(spec):
    """The specification as bytes."""
    return json.dumps(spec, allow_nan=False).encode()
