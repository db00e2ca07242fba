"""The same data in many forms, and what must come of each."""

import json
import random

import pandas
import polars

import assay

MEASURES = ["ap", "ndcg@10", "ndcg(gain=exp2)", "rr", "recall@5", "precision@5", "bpref", "rbp", "err", "num_ret"]

CHOICE = random.Random(20)
QUERIES = [str(number) for number in range(1, 13)]
# Scores are few, so that many tie, and exact in 32 bits; ids are numbers, so that they can be given as such.
RUN = {
    query: {str(document): CHOICE.randrange(40) / 8 for document in CHOICE.sample(range(60), 25)} for query in QUERIES
}
QRELS = {query: {str(document): CHOICE.randrange(4) for document in CHOICE.sample(range(60), 20)} for query in QUERIES}
RUN_ROWS = [(query, document, score) for query in RUN for document, score in RUN[query].items()]
QRELS_ROWS = [(query, document, grade) for query in QRELS for document, grade in QRELS[query].items()]
EXPECTED = {name: scores.tolist() for name, scores in assay.evaluate(QRELS, RUN, MEASURES).scores.items()}

TREC_RUN = "".join(f"{query} Q0 {document} 1 {score} tag\n" for query, document, score in RUN_ROWS)
TREC_QRELS = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in QRELS_ROWS)


def scores_of(result):
    return {name: scores.tolist() for name, scores in result.scores.items()}


def check(qrels=QRELS, run=RUN, notes=(), **options):
    """Evaluates a form of the data, which must give the same bits, and the notes of these kinds."""
    result = assay.evaluate(qrels, run, MEASURES, **options)
    assert scores_of(result) == EXPECTED
    assert tuple(note.kind for note in result.notes) == notes
    return result


def ranked(ranking):
    """The documents from best to worst, ties by id from high to low."""
    return sorted(ranking, key=lambda document: (ranking[document], document), reverse=True)


def shuffled(rows):
    """The rows in an order in which no query's stand together."""
    rows = list(rows)
    random.Random(3).shuffle(rows)
    return rows


def frame(rows, value):
    return polars.DataFrame(rows, schema=["query_id", "doc_id", value], orient="row")


RUN_FRAME = frame(RUN_ROWS, "score")
QRELS_FRAME = frame(QRELS_ROWS, "relevance")


def in_pandas(table, value):
    return pandas.DataFrame({name: table[name].to_list() for name in ("query_id", "doc_id", value)})


def separated(rows, header, separator):
    return "".join(separator.join(map(str, row)) + "\n" for row in [header, *rows])


def records(rows, names):
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


RUN_NAMES, QRELS_NAMES = ("query_id", "doc_id", "score"), ("query_id", "doc_id", "relevance")


RUN_TEXTS = {
    **dict.fromkeys(("run.trec", "run.run", "run.txt", "run"), TREC_RUN),
    "run.json": json.dumps(RUN),
    "lists.json": json.dumps({query: ranked(ranking) for query, ranking in RUN.items()}),
    "pairs.json": json.dumps({query: list(ranking.items()) for query, ranking in RUN.items()}),
    "indented.json": json.dumps(RUN, indent=2),
    "run.jsonl": records(RUN_ROWS, RUN_NAMES),
    "run.ndjson": records(RUN_ROWS, ("qid", "docno", "score")),
    "run.csv": separated(RUN_ROWS, RUN_NAMES, ","),
    "run.tsv": separated(RUN_ROWS, RUN_NAMES, "\t"),
    "quoted.csv": '"qid","docno","score"\n' + "".join(f'"{q}","{d}","{s}"\n' for q, d, s in RUN_ROWS),
}
QRELS_TEXTS = {
    **dict.fromkeys(("qrels.trec", "qrels.qrels", "qrels.txt", "qrels"), TREC_QRELS),
    "trec.tsv": TREC_QRELS.replace(" ", "\t"),
    "beir.tsv": separated(QRELS_ROWS, ("query-id", "corpus-id", "score"), "\t"),
    "qrels.tsv": separated(QRELS_ROWS, QRELS_NAMES, "\t"),
    "qrels.csv": separated(QRELS_ROWS, QRELS_NAMES, ","),
    "qrels.json": json.dumps(QRELS),
    "qrels.jsonl": records(QRELS_ROWS, QRELS_NAMES),
}
