"""`assay trec_eval -h`: the options, the formats of the files, and the measures that were named with -m."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.compat.trec_eval.catalogue import CATALOGUE, NICKNAMES
from assay.compat.trec_eval.values import values_of

if TYPE_CHECKING:
    from assay.compat.trec_eval.options import Settings

OPTIONS = """\
Usage: assay trec_eval [options] qrels run

Compares the ranking of each topic in the run with the judgments in qrels and prints one line for each measure, as
trec_eval 10 does: the same options, output and exit codes. A run whose name begins with - is standard input, and so
are qrels named -; both may be pipes.

  -q, --query_eval_wanted            print the values of each topic before those of all topics
  -n, --nosummary                    do not print the values of all topics
  -m, --measure NAME[.PARAMETERS]    a measure or a nickname; may be given more than once (default: official)
  -c, --complete_rel_info_wanted     average over all topics of qrels; one that the run lacks scores 0
  -l, --level_for_rel N              the lowest grade that counts as relevant (default: 1)
  -J, --Judged_docs_only             leave documents without a judgment out of the rankings
  -M, --Max_retrieved_per_topic N    only the first N documents of a topic count
  -N, --Number_docs_in_coll N        how many documents the collection has, for utility
  -R, --Rel_info_format FORMAT       what qrels holds: qrels (default), qrels_jg, prefs or qrels_prefs
  -T, --Results_format FORMAT        what the run holds: trec_results
  -Z, --Zscore FILE                  print z-scores; lines of the file: topic measure mean standard_deviation
  -D, --Debug_level N[.TOPIC]        evaluate only that topic; nothing is printed for debugging
  -o                                 accepted, without effect
  -v, --version                      print the version
  -h, --help                         print this; with -m also what the measures are

Without -c a topic that the run lacks is left out.

Parameters are taken as trec_eval takes them: a gain whose name is no whole number counts for nothing, and rbp.p=2 has a
value. Some are an error here, as C does not say what comes of them, or digits would depend on the machine: gains,
weights and cutoffs that are not finite or too large for a number of documents, a grade with two gains of which the
first is not the lowest, and an rbp that grows past every number.

Examples:
  assay trec_eval qrels.txt bm25.run                        the official measures, over all topics
  assay trec_eval -q -m ndcg_cut.10 qrels.txt bm25.run      nDCG at rank 10, of each topic too
  assay trec_eval -c -m all_trec qrels.txt bm25.run         every measure, over all topics of qrels
  assay trec_eval -h -m map -m bpref                        what two measures are
"""
FORMATS = {
    "trec_results": "topic iteration document rank score run; ranked by score, and where scores tie by document, from "
    "high to low. Blank lines, and lines that begin with #, are passed over.",
    "qrels": "topic iteration document grade; a negative grade means that the document was not judged.",
    "qrels_jg": "topic group document grade; each group is a judge of its own.",
    "prefs": "topic group subgroup document level; a higher level in the same subgroup is preferred.",
    "qrels_prefs": "topic group document level; a higher level in the same group is preferred.",
}


def help_text(settings: Settings) -> str:
    """All of the help."""
    forms = [form for form in (settings.results_format, settings.rel_format) if form in FORMATS]
    lines = [OPTIONS, "Formats, one line a document:"]
    lines += [f"  {form}: {FORMATS[form]}" for form in forms]
    lines += ["", "Nicknames: " + ", ".join(NICKNAMES)]
    named = [name for name in CATALOGUE if name in settings.measures]
    if not named:
        lines.append("Measures: " + ", ".join(CATALOGUE))
        lines.append("Name some with -m to see what they are.")
    lines += [text for name in named for text in ("", name, f"  {describe(name)}")]
    return "\n".join(lines) + "\n"


def describe(name: str) -> str:
    """What a measure is, from the table of measures."""
    if name in SPECIAL:
        return SPECIAL[name]
    from assay.compat.trec_eval.spelling import spelled
    from assay.conventions import find_convention
    from assay.conventions.choosing import choose_one

    spelling = spelled(values_of(name, None)[:1])
    chosen = next(iter(choose_one(spelling, find_convention("trec_eval"), {}).values()))
    definition = chosen.measure.definition
    return f"{definition.summary}\n  {definition.formula}"


SPECIAL = {
    "runid": "The name of the run, from its last line.",
    "relstring": "The grades of the first documents (10 without a parameter), one character each: - not in qrels, "
    ". not judged, > more than 9.",
}
