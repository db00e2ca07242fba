"""The same random data in many forms gives the same bits, and the tools that assay stands in for give the same numbers."""

import gzip
import json
import math
import random
from collections import OrderedDict
from types import MappingProxyType

import ir_measures
import numpy as np
import polars
import pyarrow
import pytest
import pytrec_eval

import assay
from assay.compat import pytrec_eval as own_pytrec_eval
from forms import frame, in_pandas, records, separated
from refusals import COMPRESSORS
from tables import with_hostile

pytestmark = pytest.mark.attack("Differential")

MEASURES = [
    "ap", "ap(rel=2)@20", "ndcg", "ndcg@10", "ndcg(gain=exp2)@5", "dcg@7", "rr", "rr(rel=2)", "recall@5",
    "recall@100", "precision@5", "precision@30", "f@10", "rprec", "bpref", "rbp", "rbp(p=0.95)", "err", "err@10",
    "hit_rate@3", "auc", "iprec(recall=0.5)", "num_ret", "num_rel", "num_rel_ret", "judged@10",
]  # fmt: skip
SETTINGS = [
    {}, {"ties": "docid_asc"}, {"missing": "skip"}, {"negative": "nonrelevant", "rel": 2}, {"precision": "float32"},
    {"no_relevant": "nan", "no_results": "nan"}, {"convention": "trec_eval"}, {"judged_only": True}, {"depth": 10},
]  # fmt: skip


def moved(ranking):
    """A dict whose own order is not the one it was made in."""
    made = OrderedDict(ranking)
    made.move_to_end(next(iter(made)))
    return made


def random_data(seed):
    """Judgments and a run: with many ties or none, queries that only one side has, and ids of many kinds."""
    choice = random.Random(seed)
    tied = choice.random() < 0.5
    name = choice.choice(["d{}", "{}", "doc-é-{}", "WSJ870324-{:04}"])
    documents = [name.format(number) for number in range(choice.choice([12, 60, 250]))]
    queries = [f"{choice.choice('qQé')}{number}" for number in range(choice.randint(5, 40))]
    qrels, run = {}, {}
    for query in queries:
        judged = choice.sample(documents, choice.randint(1, len(documents) // 2))
        retrieved = choice.sample(documents, choice.randint(1, len(documents)))
        side = choice.random()
        if side < 0.95:
            qrels[query] = {each: choice.choice([-1, 0, 0, 1, 1, 2, 3]) for each in judged}
        if side > 0.05:
            run[query] = {
                each: choice.randrange(-8, 40) / 8 if tied else choice.uniform(-1e3, 1e3) * 10 ** choice.randint(-9, 9)
                for each in retrieved
            }
    if not set(qrels) & set(run):
        return random_data(seed + 1_000_000)
    return qrels, run


def rows_of(data):
    return [(query, document, value) for query, entries in data.items() for document, value in entries.items()]


def trec(rows):
    return "".join(f"{query} Q0 {document} 1 {score!r} tag\n" for query, document, score in rows)


def run_files(run, folder, choice):
    """The run in files of every format, in one piece, compressed, scattered and in parts."""
    rows = rows_of(run)
    scattered = choice.sample(rows, len(rows))
    names = ("query_id", "doc_id", "score")
    plain = trec(rows).encode()
    contents = {
        "plain.run": plain,
        "scattered.run": trec(scattered).encode(),
        "windows.run": plain.replace(b"\n", b"\r\n"),
        "tabs.run": plain.replace(b" ", b"\t"),
        "run.json": json.dumps(run).encode(),
        "run.jsonl": records(rows, names).encode(),
        "scattered.jsonl": records(scattered, names).encode(),
        "run.csv": separated(rows, names, ",").encode(),
        "run.tsv": separated(scattered, names, "\t").encode(),
        **{f"run.{kind}": compress(plain) for kind, compress in COMPRESSORS.items()},
        "two.gz": gzip.compress(plain[:99], 1) + gzip.compress(plain[99:], 1),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    frame(rows, "score").write_parquet(folder / "run.parquet")
    frame(scattered, "score").write_parquet(folder / "scattered.parquet", row_group_size=50)
    (folder / "parts").mkdir(exist_ok=True)
    for number in range(3):
        frame(scattered[number::3], "score").write_parquet(folder / "parts" / f"part-{number}.parquet")
    return [folder / name for name in (*contents, "run.parquet", "scattered.parquet", "parts")]


def run_objects(run, choice):
    """The run as objects of every kind."""
    rows = rows_of(run)
    table, scattered = frame(rows, "score"), frame(choice.sample(rows, len(rows)), "score")
    return [
        OrderedDict((query, moved(ranking)) for query, ranking in run.items()),
        MappingProxyType({query: MappingProxyType(ranking) for query, ranking in run.items()}),
        {query: list(ranking.items()) for query, ranking in run.items()},
        {query: tuple(choice.sample(list(ranking.items()), len(ranking))) for query, ranking in run.items()},
        {query: {each: np.float64(score) for each, score in ranking.items()} for query, ranking in run.items()},
        {query: run[query] for query in choice.sample(list(run), len(run))},
        assay.Run(run),
        assay.Run(scattered),
        table,
        scattered,
        table.lazy(),
        scattered.with_columns(polars.col("query_id", "doc_id").cast(polars.Categorical)),
        in_pandas(table, "score"),
        in_pandas(scattered, "score").astype(object),
        pyarrow.Table.from_batches(scattered.to_arrow().to_batches(max_chunksize=7)),
    ]


def judgment_forms(qrels, folder):
    rows = rows_of(qrels)
    text = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in rows)
    (folder / "qrels.txt").write_bytes(text.encode())
    (folder / "qrels.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "qrels.json").write_text(json.dumps(qrels))
    table = frame(rows, "relevance")
    table.write_parquet(folder / "qrels.parquet")
    other = {query: {document: float(grade) for document, grade in grades.items()} for query, grades in qrels.items()}
    files = [folder / name for name in ("qrels.txt", "qrels.gz", "qrels.json", "qrels.parquet")]
    return [qrels, other, MappingProxyType(qrels), assay.Qrels(qrels), table, in_pandas(table, "relevance"), *files]


def bits(result):
    """The scores, to the last bit, and the means."""
    scores = {
        name: np.asarray(values, dtype=np.float64).view(np.int64).tolist() for name, values in result.scores.items()
    }
    return result.queries, scores, {name: float(value).hex() for name, value in result.mean.items()}


def other_ways(qrels, run, settings):
    """The same evaluation, asked for in other ways."""
    evaluator = assay.Evaluator(qrels, MEASURES, **settings)
    yield evaluator.evaluate(run)
    yield evaluator.evaluate(run)
    for query, ranking in run.items():
        evaluator.add(query, ranking)
    yield evaluator.result()
    many = assay.evaluate_many(qrels, {"one": run, "two": dict(reversed(run.items()))}, MEASURES, **settings)
    yield from (many["one"], many["two"])
    for threads in (1, 2, 3, 8):
        yield assay.evaluate(qrels, run, MEASURES, threads=threads, **settings)


def compare_forms(seed, folder):
    """How many values were compared."""
    qrels, run = random_data(seed)
    choice = random.Random(seed)
    settings = SETTINGS[seed % len(SETTINGS)]
    judged = judgment_forms(qrels, folder)
    expected = bits(assay.evaluate(qrels, run, MEASURES, **settings))
    forms = [*run_objects(run, choice), *run_files(run, folder, choice)]
    results = [
        (form, assay.evaluate(judged[place % len(judged)], form, MEASURES, threads=1 + place % 3, **settings))
        for place, form in enumerate(forms)
    ]
    results += [("another way", result) for result in other_ways(qrels, run, settings)]
    for form, result in results:
        assert bits(result) == expected, f"seed {seed}, {settings}, {type(form).__name__} {str(form)[:200]}"
    return len(results) * len(MEASURES) * len(expected[0])


def repeat(compare, least):
    """Compares until this many values were compared; how many they were."""
    total = seed = 0
    while total < least:
        total += compare(seed)
        seed += 1
    return total


@pytest.mark.parametrize(
    ("start", "least"), with_hostile([(0, 60_000)], [(1000 * part, 250_000) for part in range(1, 5)])
)
def test_forms(start, least, tmp_path, tried):
    tried(repeat(lambda seed: compare_forms(seed + start, tmp_path), least))


# Measures of ir_measures; the convention is told the same names.
NAMES = [
    "AP", "nDCG@10", "RR", "RR@5", "P@5", "R@10", "Rprec", "Bpref", "Judged@10", "nDCG@20", "AP(rel=2)", "P(rel=2)@5",
]  # fmt: skip


def compare_tools(seed):
    """How many values of pytrec_eval and ir_measures were compared."""
    qrels, run = random_data(seed)
    # pytrec_eval crashes or hangs on a query whose judgments are all negative.
    qrels = {query: grades for query, grades in qrels.items() if max(grades.values()) >= 0}
    common = {query: run[query] for query in run if query in qrels}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(common)
    ours = own_pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(common)
    pairs = [
        ((query, name), ours[query][name], value) for query, values in theirs.items() for name, value in values.items()
    ]
    measures = [ir_measures.parse_measure(name) for name in NAMES]
    result = assay.evaluate(qrels, common, NAMES, convention="ir_measures")
    pairs += [
        (str(measure), result[str(measure)], value)
        for measure, value in ir_measures.calc_aggregate(measures, qrels, common).items()
    ]
    for what, own, other in pairs:
        assert math.isclose(own, other, rel_tol=1e-9, abs_tol=1e-9), f"seed {seed}, {what}: {own!r}, not {other!r}"
    return len(pairs)


@pytest.mark.parametrize(("start", "least"), with_hostile([(0, 5_000)], [(1000, 200_000)]))
def test_tools(start, least, tried):
    tried(repeat(lambda seed: compare_tools(seed + start), least))
