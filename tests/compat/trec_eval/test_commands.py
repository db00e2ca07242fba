"""`assay trec_eval` on trec_eval's own test data, byte for byte.

The data is not part of the project; ASSAY_TREC_EVAL_DATA names the folder `test` of trec_eval's sources.
"""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.main import commands

DATA = os.environ.get("ASSAY_TREC_EVAL_DATA", "")
COMMANDS = {
    "qrels.test results.test": "out.test",
    "qrels.test.with-comments results.test": "out.test",
    "qrels.comment.test results.comment.test": "out.comment.test",
    "-m all_trec qrels.test results.test": "out.test.a",
    "-m all_trec -q qrels.test results.test": "out.test.aq",
    "-m all_trec -q -c qrels.test results.trunc": "out.test.aqc",
    "-m all_trec -q -c -M100 qrels.test results.trunc": "out.test.aqcM",
    "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test": "out.test.aql",
    "-m all_prefs -q -R prefs prefs.test prefs.results.test": "out.test.prefs",
    "-m all_prefs -q -R prefs prefs.comment.test prefs.results.test": "out.test.prefs",
    "-m all_prefs -q -R qrels_prefs qrels.test results.test": "out.test.qrels_prefs",
    "-m qrels_jg -q -R qrels_jg qrels.123 results.test": "out.test.qrels_jg",
    "-m qrels_jg -q -R qrels_jg qrels.comments.123 results.test": "out.test.qrels_jg",
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 "
    "qrels.test results.test": "out.test.meas_params",
    "-q -m all_trec -Z zscores_file qrels.test results.test": "out.test.aqZ",
}
# Five lines of that file have more than six fields, which trec_eval passes over in silence.
SURPLUS = "assay: 5 lines of the run have more than 6 fields; what follows the sixth is ignored, as in trec_eval\n"


@pytest.mark.skipif(not DATA, reason="ASSAY_TREC_EVAL_DATA does not name the folder of trec_eval's test data")
@pytest.mark.parametrize("arguments", COMMANDS)
def test_prints_what_trec_eval_prints(monkeypatch, arguments):
    monkeypatch.chdir(DATA)
    result = CliRunner().invoke(commands, ["trec_eval", *arguments.split()])
    assert result.stdout_bytes.splitlines() == Path(COMMANDS[arguments]).read_bytes().splitlines()
    assert result.stdout_bytes == Path(COMMANDS[arguments]).read_bytes()
    assert (result.exit_code, result.stderr) == (0, SURPLUS if "results.trunc" in arguments else "")
