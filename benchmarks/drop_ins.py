"""Drop-in replacements: pytrec_eval's interface on dicts, and trec_eval's command on a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytrec_eval
from lines import Line, at_least, at_most
from timing import command, interleaved

from assay.compat import pytrec_eval as stand_in

if TYPE_CHECKING:
    from collections.abc import Collection

# trec_eval 10 computed all_trec in 14 s on such a file, where `wc -w` took 1.5 s; the limit is a twentieth of that.
SHARE_OF_WC = 14 / 20 / 1.5


def evaluators(
    qrels: dict[str, Any], run: dict[str, Any], measures: Collection[str]
) -> tuple[dict[str, float], list[Line]]:
    """`RelevanceEvaluator(…).evaluate(…)` of both."""
    times = interleaved(
        {
            "pytrec_eval, five measures": lambda: pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run),
            "assay.compat.pytrec_eval": lambda: stand_in.RelevanceEvaluator(qrels, measures).evaluate(run),
        },
        rounds=9,
    )
    ratio = times["pytrec_eval, five measures"] / times["assay.compat.pytrec_eval"]
    return times, [at_least("`assay.compat.pytrec_eval`: times as fast as pytrec_eval", ratio, 15)]


def commands(qrels: Path, run: Path) -> tuple[dict[str, float], list[Line]]:
    """`assay trec_eval -m all_trec` beside `wc -w`."""
    assay = str(Path(sys.executable).parent / "assay")
    times = interleaved(
        {
            "wc -w, again": command("wc", "-w", str(run), LC_ALL="C.UTF-8"),
            "assay trec_eval -m all_trec": command(assay, "trec_eval", "-m", "all_trec", str(qrels), str(run)),
        },
        rounds=9,
    )
    share = times["assay trec_eval -m all_trec"] / times["wc -w, again"]
    return times, [at_most("`assay trec_eval -m all_trec`: share of the time of `wc -w`", share, SHARE_OF_WC)]
