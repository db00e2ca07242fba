"""A run for Spark with all that is awkward, and what it means that two results are the same."""

import numpy as np
import polars
import pytest

from assay.core.note import NoteKind

MARKS = [
    pytest.mark.spark,
    pytest.mark.xdist_group("spark"),
    # PySpark's own: about pandas 3, which it looks for and assay does not use, and sockets that it leaves to the collector.
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
MEASURES = ["ndcg@10", "ap", "rr", "recall@5", "bpref", "num_ret", "err@10", "judged@5"]


def collection(seed=0, queries=25, groups=False):
    """Judgments and a shuffled run: many ties, one query with most of the rows, one without judgments, one missing."""
    generator = np.random.default_rng(seed)
    run, qrels = [], []
    for number in range(queries):
        query = f"q{number}"
        size = 400 if number == 3 else int(generator.integers(1, 40))
        documents = generator.choice(500, size, replace=False)
        scores = np.round(generator.random(size) * 5, int(generator.integers(0, 3)))
        run += [
            (query, "q7" if number == 7 and not place else f"d{document}", score)
            for place, (document, score) in enumerate(zip(documents, scores, strict=True))
        ]
        judged = {*documents[:: max(1, size // 5)].tolist(), *generator.choice(500, 4).tolist()}
        if number != 5:
            qrels += [
                (query, f"d{document}", int(generator.integers(-1, 4)), f"g{document % 3}")
                for document in sorted(judged)
            ]
    qrels.append(("missing", "d1", 1, "g0"))
    generator.shuffle(run)
    rows = [(query, document, float(score), place) for place, (query, document, score) in enumerate(run)]
    names = ["query_id", "doc_id", "relevance", "group"]
    judgments = polars.DataFrame(qrels, schema=names, orient="row")
    return judgments if groups else judgments.drop("group"), polars.DataFrame(
        rows, schema=["query_id", "doc_id", "score", "place"], orient="row"
    )


QRELS, RUN = collection()


def same(one, other, *, notes=True):
    """Two results have the same bits, and the same notes but for those of one of the ways to read."""
    assert one.queries == other.queries
    assert list(one.measures) == list(other.measures)
    for name in one.measures:
        np.testing.assert_array_equal(one.scores[name], other.scores[name])
    assert one.mean == pytest.approx(other.mean, abs=0, nan_ok=True)
    if notes:
        assert noted(one) == noted(other)


def noted(result):
    return {str(note) for note in result.notes if note.kind != NoteKind.SCATTERED and "looked for" not in note.text}


def written(frame):
    from io import BytesIO

    file = BytesIO()
    frame.write_parquet(file)
    return BytesIO(file.getvalue())
