"""What trec_eval prints: the values of each topic and of all topics, z-scores in their place, and the help.

A z-score is how far a value is from the mean of other runs, in their standard deviations.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.compat.trec_eval.judgments import open_argument
from assay.compat.trec_eval.measures import CATALOGUE, Value, spell_values, values_of
from assay.compat.trec_eval.options import FAILED, NICKNAMES, CommandLine, Stop, read_real
from assay.conventions.tools.trec_eval import TEXTS, TREC_EVAL
from assay.core.judged import FloatArray

if TYPE_CHECKING:
    from assay.compat.trec_eval.evaluation import Evaluation

# Takes the place of the topic in a page that is filled in topic by topic.
TOPIC = "\0"
WIDTH = 22
# Zero divided by zero is a negative NaN to the processor, and C prints the sign.
NOT_A_NUMBER = ("\t   nan\n", "\t  -nan\n")
SUMMARY_ONLY = ("runid", "num_q", "gm_map", "gm_bpref")
TOPICS_ONLY = ("relstring",)
MISSING_ZSCORE = -1000000.0
ZSCORE_FIELDS = 4
OPTIONS = """\
Usage: assay trec_eval [options] qrels run

Compares the ranking of each topic in the run with the judgments in qrels and prints one line per measure, as
trec_eval 10 does: the same options, output and exit codes. A run whose name begins with - is standard input, and so
are qrels named -; both may be pipes.

  -q, --query_eval_wanted            print the values of each topic before the summary
  -n, --nosummary                    do not print the summary
  -m, --measure NAME[.PARAMETERS]    a measure or a set of measures; repeatable (default: official)
  -c, --complete_rel_info_wanted     average over all topics of qrels; a topic missing from the run scores 0
  -l, --level_for_rel N              lowest relevant grade (default: 1)
  -J, --Judged_docs_only             remove unjudged documents from the rankings
  -M, --Max_retrieved_per_topic N    keep only the first N documents of each topic
  -N, --Number_docs_in_coll N        number of documents in the collection, for utility
  -R, --Rel_info_format FORMAT       format of qrels: qrels (default), qrels_jg, prefs or qrels_prefs
  -T, --Results_format FORMAT        format of the run: trec_results
  -Z, --Zscore FILE                  print z-scores; lines of the file: topic measure mean standard_deviation
  -D, --Debug_level N[.TOPIC]        evaluate only that topic; no debugging output is printed
  -o                                 accepted, no effect
  -v, --version                      print the version
  -h, --help                         print this help; with -m, also describe the measures

Without -c, a topic missing from the run is left out.

Parameters are read as trec_eval reads them: a gain whose name is not a whole number is ignored, and rbp.p=2 has a
value. Some are an error here, because C leaves the result undefined or its digits depend on the machine: gains, weights
and cutoffs that are not finite or too large for a number of documents, a grade with two gains of which the first is not
the lowest, and an rbp that overflows.

Examples:
  assay trec_eval qrels.txt bm25.run                        the official measures, over all topics
  assay trec_eval -q -m ndcg_cut.10 qrels.txt bm25.run      nDCG at rank 10, also per topic
  assay trec_eval -c -m all_trec qrels.txt bm25.run         every measure, over all topics of qrels
  assay trec_eval -h -m map -m bpref                        describe two measures
"""
FORMATS = {
    "trec_results": "topic iteration document rank score run; ranked by score, ties by document id in descending "
    "order. Blank lines and lines that begin with # are skipped.",
    "qrels": "topic iteration document grade; a negative grade means that the document is unjudged.",
    "qrels_jg": "topic group document grade; each group is a separate judge.",
    "prefs": "topic group subgroup document level; a higher level in the same subgroup is preferred.",
    "qrels_prefs": "topic group document level; a higher level in the same group is preferred.",
}
TEXT_MEASURES = {
    "runid": "The name of the run, from its last line.",
    "relstring": "The grades of the first documents (10 without a parameter), one character each: - not in qrels, "
    ". unjudged, > more than 9.",
}


def write_topics(evaluation: Evaluation, *, is_zscore: bool) -> Iterator[str]:
    """The lines of each topic."""
    printed = [number for number, value in enumerate(evaluation.values) if value.measure not in SUMMARY_ONLY]
    page = "".join(line_template(evaluation.values[number], is_zscore) for number in printed)
    strings = [place for place, number in enumerate(printed) if evaluation.values[number].measure == "relstring"]
    table = zip(*(evaluation.columns[number].tolist() for number in printed), strict=True)
    for row, (topic, numbers) in enumerate(zip(evaluation.topics, table, strict=False)):
        values: list[float | str] = list(numbers)
        for place in strings:
            values[place] = f"'{evaluation.strings[row]}'"
        yield fill_page(page, values).replace(TOPIC, topic.decode(errors="surrogateescape"))


def write_summary(values: Sequence[Value], summary: Sequence[float], name: bytes, *, is_zscore: bool) -> str:
    """The lines of all topics together; `name` is the run's."""
    pairs = zip(values, summary, strict=True)
    printed = [(value, number) for value, number in pairs if value.measure not in TOPICS_ONLY]
    page = "".join(line_template(value, is_zscore) for value, _ in printed)
    run = name.decode(errors="surrogateescape")
    filled = fill_page(page, [run if value.measure == "runid" else number for value, number in printed])
    return filled.replace(TOPIC, "all")


def line_template(value: Value, is_zscore: bool) -> str:
    """One line, with a place for the topic and for the value."""
    name = f"{value.name:<{WIDTH}}".replace("%", "%%")
    if value.measure in TEXTS:
        return f"{name}\t{TOPIC}\t%s\n"
    number = "%d" if value.entry.is_count and not is_zscore else "%6.4f"
    return f"{'Z' if is_zscore else ''}{name}\t{TOPIC}\t{number}\n"


def fill_page(page: str, values: Sequence[float | str]) -> str:
    return (page % tuple(values)).replace(*NOT_A_NUMBER)


# Per topic and measure, the mean and standard deviation of other runs' values.
References = dict[tuple[bytes, bytes], tuple[float, float]]


def read_zscores(path: str) -> References:
    """The references of a file: lines of topic, measure, mean and standard deviation."""
    complaint = f"trec_eval.get_zscores: Cannot read zscores file '{path}'\n"
    references: References = {}
    with open_argument(path, complaint, code=FAILED) as source, source.path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            fields = line.split()
            if len(fields) != ZSCORE_FIELDS:
                raise Stop(FAILED, f"trec_eval.get_zscores: Malformed line {number}\n")
            topic, measure, mean, deviation = fields
            references.setdefault((topic, measure), (read_real(mean), read_real(deviation)))
    return references


def standardize(evaluation: Evaluation, references: References) -> list[FloatArray]:
    """The columns of all values as z-scores."""
    columns = []
    for value, column in zip(evaluation.values, evaluation.columns, strict=True):
        known = [references.get((topic, os.fsencode(value.name)), (math.nan, 0.0)) for topic in evaluation.topics]
        mean, deviation = np.array(known).reshape(-1, 2).T
        with np.errstate(all="ignore"):
            constant = np.where(column == mean, 0.0, MISSING_ZSCORE)
            columns.append(np.where(deviation == 0, constant, (column - mean) / deviation))
    return columns


def write_help(settings: CommandLine) -> str:
    """The options, the formats of the files, and the measures given with -m."""
    forms = [form for form in (settings.results_format, settings.rel_format) if form in FORMATS]
    lines = [OPTIONS, "Formats, one line per document:"]
    lines += [f"  {form}: {FORMATS[form]}" for form in forms]
    lines += ["", "Sets of measures: " + ", ".join(NICKNAMES)]
    named = [name for name in CATALOGUE if name in settings.measures]
    if not named:
        lines.append("Measures: " + ", ".join(CATALOGUE))
        lines.append("Describe some of them with -h -m NAME.")
    lines += [text for name in named for text in ("", name, f"  {describe_measure(name)}")]
    return "\n".join(lines) + "\n"


def describe_measure(name: str) -> str:
    """What a measure is, from the table of measures."""
    if name in TEXT_MEASURES:
        return TEXT_MEASURES[name]
    from assay.conventions import resolve

    chosen = next(iter(resolve([spell_values(values_of(name, None)[:1])], TREC_EVAL, {}).values()))
    definition = chosen.measure.definition
    return f"{definition.summary}\n  {definition.formula}"
