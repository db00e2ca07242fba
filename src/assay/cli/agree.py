"""`assay agree`: how far two sets of judgments or of scores agree."""

import click

from assay import agree
from assay.cli.command import Checked, Setting, number, option, subcommand, whole
from assay.cli.options import Scoring, measure_options, scoring_options
from assay.cli.output import Output, output_options
from assay.cli.terminal import check_single_input
from assay.terminal import named, source_of


@subcommand(
    "agree",
    "assay agree human.txt judge.txt",
    "assay agree human.txt judge.txt --run bm25.run --run dense.run --run hybrid.run -m ndcg@10",
    "assay agree people.jsonl judge.jsonl -m score:faithfulness --policy threshold=0.5",
    "assay agree human.txt judge.txt --policy threshold=2 -n 20",
    "assay agree old.json new.json                 results stored with --save",
    usual="runs measures top policies format_ output",
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@option(
    "--run RUN", "Run to score under both judgments (repeatable). Do both put the systems in the same order?", to="runs"
)
@measure_options(("ndcg@10", "or all scores of both"))
@option("-n --number N", "Disagreements to list.", to="top", default=10, least=0)
@output_options(styled=True)
@scoring_options(
    Setting("threshold", number, "also compare positives: grades or scores of at least this"),
    Setting("weights", str, "how weighted kappa counts the distance of two grades: quadratic (default) or linear"),
    Setting("metric", str, "how Krippendorff's alpha takes grades: ordinal (default), nominal or interval"),
    Setting("level", number, "level of the intervals (default 0.95)"),
    Setting("samples", whole, "random samples of the queries (default 1000)"),
    Setting("seed", whole, "random seed; the same seed gives the same numbers (default 0)"),
)
def command(*, a: str, b: str, runs: tuple[str, ...], out: Output, scoring: Scoring, **shown: Checked) -> None:
    """Shows how far A and B agree: two files of judgments, or two of scores. A is the side to trust, usually people.

    Judgments: Cohen's kappa, weighted kappa and Krippendorff's alpha over the documents that both judged, with 95 %
    intervals over queries, the confusion matrix and the largest disagreements. With --run, also Kendall's tau and
    tau_AP of the systems' order under both. Scores (results stored with --save, or records with scores): correlations
    and the mean difference per measure. docs/agreement.md explains the numbers.
    """
    check_single_input(a, b, *runs)
    read = scoring.run if "run" in scoring.formats else source_of
    shown["runs"] = {name: read(run) for name, run in named(runs)} or None
    shown["names"] = [name for name, _ in named((a, b))]
    out.show(agree(scoring.qrels_or_path(a), scoring.qrels_or_path(b), **shown, **scoring.how))
