"""Both readers of a run, the kernel's and the one that goes line by line, give the same bytes; and pytrec_eval's means."""

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.compat.trec_eval import run_trec_eval
from strategies import SCORES, collections, judgments, rankings

few = settings(max_examples=max(1, settings.default.max_examples // 8))
# A score that is no number makes the kernel refuse the file; nobody judged the topic.
REFUSED = "nobody 0 x 1 1x tag\n"
COLLECTIONS = collections(judgments(st.sampled_from([-1, 0, 1, 1, 2, 3]), min_size=1), rankings(SCORES, min_size=1))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("readers")


def written(folder, case):
    """The two files: judgments, of which some are not negative for each topic, and the run."""
    qrels, run = folder / "qrels", folder / "run"
    rows = [(topic, document, grade) for topic, judged in case.qrels.items() for document, grade in judged.items()]
    rows += [(topic, "never", 0) for topic in case.qrels]
    qrels.write_text("".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in rows))
    ranked = [(topic, document, score) for topic, ranking in case.run.items() for document, score in ranking.items()]
    run.write_text("".join(f"{topic} 0 {document} 1 {score} tag\n" for topic, document, score in ranked))
    return str(qrels), str(run)


@few
@given(case=COLLECTIONS, options=st.lists(st.sampled_from(["-c", "-J", "-M3", "-l2"]), unique=True))
def test_both_readers_agree(folder, case, options):
    qrels, run = written(folder, case)
    arguments = ["-q", "-m", "all_trec", *options, qrels, run]
    fast = "".join(run_trec_eval(arguments))
    with open(run, "a") as file:  # noqa: PTH123 - a name, as the command takes it
        file.write(REFUSED)
    assert "".join(run_trec_eval(arguments)) == fast


# Rounded otherwise in version 9, or not a number there.
OTHERWISE = {"runid", "relstring", "iprec_at_recall", "11pt_avg"}


@few
@given(case=COLLECTIONS, level=st.sampled_from([1, 2]))
def test_agrees_with_pytrec_eval(folder, case, level):
    qrels, run = written(folder, case)
    judged = {topic: {**grades, "never": 0} for topic, grades in case.qrels.items()}
    names = pytrec_eval.supported_measures - OTHERWISE
    oracle = pytrec_eval.RelevanceEvaluator(judged, names, relevance_level=level)
    expected = oracle.evaluate({topic: ranking for topic, ranking in case.run.items() if topic in judged})
    printed = "".join(run_trec_eval(["-q", "-n", "-m", "all_trec", f"-l{level}", qrels, run]))
    found = {}
    for line in printed.splitlines():
        name, topic, value = line.split("\t")
        found.setdefault(topic, {})[name.strip()] = value
    assert found.keys() == expected.keys()
    for topic, values in expected.items():
        for name, value in values.items():
            if name in found[topic]:
                assert float(found[topic][name]) == pytest.approx(value, abs=6e-5), (topic, name)
