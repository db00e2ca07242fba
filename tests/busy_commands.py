"""Commands, with data that keeps each of them busy for a while."""

import bz2
import gzip
import json
import lzma
import random

import pyarrow

import assay

SEED = 12
QUERIES = 300
BUSY = {
    "eval": "eval qrels.txt a.run b.run",
    "eval, gzip": "eval qrels.txt big.run.gz",
    "eval, bzip2": "eval qrels.txt big.run.bz2",
    "eval, xz": "eval qrels.txt big.run.xz",
    "eval, Zstandard": "eval qrels.txt big.run.zst",
    "eval, rows that are scattered": "eval qrels.txt scattered.run",
    "eval, one giant query": "eval giant.qrels giant.run",
    "compare": "compare qrels.txt a.run b.run --policy samples=50000000",
    "compare, bootstrap": "compare qrels.txt a.run b.run --test bootstrap --policy samples=3000000",
    "compare, tukey": "compare qrels.txt a.run b.run --test tukey_randomized --policy samples=3000000",
    "gate": "gate qrels.txt a.run --baseline b.run --max-drop map=0.01",
    "audit": "audit qrels.txt a.run -m map",
    "diff": "diff qrels.txt a.run b.run",
    "check": "check qrels.txt a.run b.run",
    "check, one giant query": "check giant.qrels giant.run",
    "convert": "convert giant.run out/x.jsonl",
    "convert, Zstandard": "convert giant.run out/x.trec.zst",
    "convert, Parquet": "convert giant.run out/x.parquet",
    "convert, printed": "convert giant.run -",
    "trec_eval": "trec_eval qrels.txt a.run",
    "rag": "rag records.jsonl",
    "rag, texts that are matched": "rag texts.jsonl -m recall@5",
    "compare, stored results": "compare stored/a.json stored/b.json --policy samples=50000000",
    "demo": "demo",
    "measures": "measures",
}


def write_busy_files(path):
    """The files that the commands name, and the folders that they write to."""
    make = random.Random(SEED)
    (path / "qrels.txt").write_text(
        "".join(f"q{query} 0 d{number * 7} {number % 3}\n" for query in range(QUERIES) for number in range(20))
    )
    for name in ("a.run", "b.run"):
        rows = (f"q{query} Q0 d{number} 1 {make.random():.6f} t\n" for query in range(QUERIES) for number in range(500))
        (path / name).write_text("".join(rows))
    part = "".join(f"x{row // 1000} Q0 d{row % 1000} 1 {1000 - row % 1000} t\n" for row in range(100_000)).encode()
    (path / "big.run.gz").write_bytes(gzip.compress(part, 1) * 300)
    (path / "big.run.bz2").write_bytes(bz2.compress(part, 1) * 60)
    (path / "big.run.xz").write_bytes(lzma.compress(part, preset=0) * 200)
    (path / "big.run.zst").write_bytes(pyarrow.compress(part, "zstd", asbytes=True) * 300)
    scattered = (f"q{query} Q0 d{number} 1 {-number} t\n" for number in range(3000) for query in range(QUERIES))
    (path / "scattered.run").write_text("".join(scattered))
    (path / "giant.run").write_text("".join(f"q0 Q0 d{number} 1 1 t\n" for number in range(1_000_000)))
    (path / "giant.qrels").write_text("".join(f"q0 0 d{number} 1\n" for number in range(0, 1_000_000, 2)))
    record = (
        '{{"query_id": "q{0}", "answer": "{1}", "reference": "{1} more", "retrieved_ids": ["d1"], "gold": ["d1"]}}\n'
    )
    text = " ".join(f"word{number}" for number in range(300))
    (path / "records.jsonl").write_text("".join(record.format(number, text) for number in range(3000)))
    texts = [" ".join(make.choices(text.split(), k=80)) for _ in range(400)]
    rows = (
        {"query_id": f"q{number}", "gold_texts": texts[:40], "retrieved_texts": make.sample(texts, 100)}
        for number in range(200)
    )
    (path / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (path / "stored").mkdir()
    for name in ("a", "b"):
        assay.evaluate(path / "qrels.txt", path / f"{name}.run", ["ap"]).save(path / "stored" / f"{name}.json")
    (path / "out").mkdir()
    (path / "tmp").mkdir()
