"""`assay gate`: exit codes, what it prints, and its settings in TOML."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import assay as library

ROOT = Path(__file__).parent.parent.parent
SHOWN = re.compile(r"^```\n\$ assay (gate [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PASSED = "gate passed: 1 check\n\npass  rr  0.7500 (minimum 0.5000)\n"


@pytest.fixture(autouse=True)
def no_summary(monkeypatch):
    """These tests may themselves run in a job on GitHub."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.fixture
def many(folder):
    """Judgments of 30 queries, a good run and a worse one, and the good one's stored result."""
    queries = [f"q{number:02}" for number in range(30)]
    (folder / "many.txt").write_text("".join(f"{query} 0 d 1\n" for query in queries))
    for name, first, second in (("good", "d", "x"), ("bad", "x", "d")):
        lines = [f"{query} Q0 {first} 1 2 t\n{query} Q0 {second} 2 1 t\n" for query in queries]
        (folder / f"{name}.run").write_text("".join(lines))
    library.evaluate(folder / "many.txt", folder / "good.run", ["rr"]).save(folder / "baseline.json")
    return folder


def test_a_minimum_that_is_reached(assay):
    result = assay("gate", "qrels.txt", "one.run", "--min", "rr=0.5")
    assert (result.exit_code, result.output) == (0, PASSED)


def test_a_minimum_that_is_missed(assay):
    result = assay("gate", "qrels.txt", "one.run", "--min", "rr=0.8", "--min", "ap(rel=2)@10=.1")
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "gate failed: 1 of 2 checks\n\nFAIL  rr            0.7500 (minimum 0.8000), 0.0500 too low"
    )
    assert "worst queries by rr\n  q2  0.5000\n      d4 (grade 1): rank 2 (-0.5000)\n" in result.stdout


@pytest.mark.parametrize("baseline", ["good.run", "baseline.json"])
def test_a_drop(assay, many, baseline):  # noqa: ARG001 - the files are there
    arguments = ("gate", "many.txt", "bad.run", "--baseline", baseline)
    result = assay(*arguments, "--max-drop", "rr=0.1")
    assert result.exit_code == 1
    assert "FAIL  rr  1.0000 → 0.5000, dropped 0.5000 (limit 0.1000); significant, p" in result.stdout
    assert assay(*arguments, "--max-drop", "rr=0.6").exit_code == 0


def test_a_drop_that_may_be_chance_fails_only_strictly(assay):
    arguments = ("gate", "qrels.txt", "two.run", "--baseline", "one.run", "--max-drop", "rr=0.1")
    result = assay(*arguments)
    assert result.exit_code == 0
    assert "not significant, p = 0.5000" in result.stdout
    assert "too few queries to tell: 2 queries cannot detect any drop" in " ".join(result.stdout.split())
    assert assay(*arguments, "--strict").exit_code == 1


def test_a_failed_gate_shows_texts(assay, folder, monkeypatch):
    (folder / "questions.tsv").write_text("q1\tWho pays?\nq2\tWhen?\n")
    (folder / "corpus.tsv").write_text("d4\tIn March.\nd5\tNobody.\n")
    summary = folder / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    texts = ("--queries", "questions.tsv", "--corpus", "corpus.tsv")
    result = assay("gate", "qrels.txt", "one.run", "--min", "rr=0.8", *texts)
    assert result.exit_code == 1
    lines = ["  q2  0.5000", "      When?", "      d4 (grade 1): rank 2 (-0.5000)", "          In March."]
    assert "\n".join([*lines, "      d5 (not judged): rank 1", "          Nobody.\n"]) in result.stdout
    assert "| q2: When? | 0.5000 | d4 (grade 1): rank 2 (-0.5000): In March.; d5" in summary.read_text(encoding="utf-8")


def test_json_is_the_report(assay, many):  # noqa: ARG001 - the files are there
    result = assay(
        "gate",
        "many.txt",
        "bad.run",
        "--baseline",
        "good.run",
        "--max-drop",
        "rr=0.1",
        "--format",
        "json",
        "--test",
        "t",
    )
    content = json.loads(result.stdout)
    assert result.exit_code == 1
    assert content["passed"] is False
    assert content["test"] == "t"
    assert content["checks"][0]["drop"] == 0.5
    assert content["checks"][0]["worst"][0]["documents"][0]["contribution"] == -0.5


def test_policies_and_convention(assay):
    assert assay("gate", "qrels.txt", "two.run", "--min", "map=0.6").exit_code == 1
    assert assay("gate", "qrels.txt", "two.run", "--min", "map=0.6", "--convention", "trec_eval").exit_code == 0
    assert assay("gate", "qrels.txt", "two.run", "--min", "map=0.6", "--policy", "missing=skip").exit_code == 0


def test_measures_of_ones_own(assay, folder):
    (folder / "mine.py").write_text(
        "import assay\n@assay.extend.measure('gate_own', formula='x')\ndef own(judged):\n    return judged.retrieved / 10\n"
    )
    try:
        assert assay("gate", "qrels.txt", "one.run", "--load", "mine.py", "--min", "gate_own=0.25").exit_code == 0
    finally:
        library.extend.remove_measure("gate_own")


def test_the_run_can_come_in_on_standard_input(assay, folder):
    result = assay("gate", "qrels.txt", "-", "--min", "rr=0.5", stdin=(folder / "one.run").read_text())
    assert result.output == PASSED
    twice = assay("gate", "qrels.txt", "-", "--min", "rr=0.5", "--baseline", "-", "--max-drop", "rr=1", stdin="")
    assert twice.exit_code == 2


def test_a_stored_result_needs_no_judgments(assay, many):  # noqa: ARG001 - the files are there
    assert assay("gate", "baseline.json", "--min", "rr=0.9").exit_code == 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--policy", "depth=3"), "leave out --policy depth"),
        (("--convention", "assay"), "leave out --convention"),
        (("--from", "run=trec"), "leave out --from run=FORMAT"),
        (("--from", "qrels=trec"), "--from qrels=… is set, but there is no QRELS"),
    ],
)
def test_options_that_would_change_nothing_are_refused(assay, many, option, message):  # noqa: ARG001 - the files are there
    result = assay("gate", "baseline.json", "--baseline", "baseline.json", "--max-drop", "rr=0.1", *option)
    assert result.exit_code == 2
    assert message in result.stderr


SETTINGS = """
qrels = "qrels.txt"
run = "one.run"
strict = true
missing = "zero"

[{section}.minimum]
rr = 0.5
"""


@pytest.mark.parametrize(("file", "section"), [("assay.toml", "gate"), ("pyproject.toml", "tool.assay.gate")])
def test_settings_of_the_folder(assay, folder, file, section):
    (folder / file).write_text(f"[{section}]{SETTINGS.format(section=section)}")
    assert assay("gate").output == PASSED
    assert "pass  rr  0.5000" in assay("gate", "two.run").output
    assert assay("gate", "two.run", "--min", "rr=0.6").exit_code == 1
    assert assay("gate", "qrels.txt", "two.run", "--min", "rr=0.4").exit_code == 0
    assert json.loads(assay("gate", "--format", "json").stdout)["strict"] is True
    assert json.loads(assay("gate", "--format", "json", "--no-strict").stdout)["strict"] is False


def test_settings_of_the_command_line_count_first(assay, folder):
    (folder / "assay.toml").write_text(
        '[gate]\nqrels = "qrels.txt"\nrun = "one.run"\nalpha = 0.1\nminimum = { rr = 0.9, "ap" = 0.1 }\nmissing = "skip"\n'
    )
    result = assay(
        "gate", "two.run", "--min", "rr=0.2", "--policy", "alpha=0.2", "--policy", "missing=zero", "--format", "json"
    )
    content = json.loads(result.stdout)
    assert [(check["measure"], check["limit"], check["value"]) for check in content["checks"]] == [
        ("rr", 0.2, 0.5),
        ("ap", 0.1, 0.5),
    ]
    assert content["alpha"] == 0.2
    assert "missing=zero" in content["signature"]


def test_the_command_line_counts_first_whatever_the_spelling(assay, many):
    (many / "assay.toml").write_text(
        '[gate]\nqrels = "many.txt"\nrun = "bad.run"\nbaseline = "good.run"\nmax_drop = { rr = 0.1, ap = 0.6 }\n'
    )
    assert assay("gate").exit_code == 1
    result = assay("gate", "--max-drop", "recip_rank=0.6", "--format", "json")
    assert result.exit_code == 0
    checks = json.loads(result.stdout)["checks"]
    assert [(check["measure"], check["limit"]) for check in checks] == [("recip_rank", 0.6), ("ap", 0.6)]


TWICE = [
    ("", ("--min", "rr=0.9", "--min", "rr=0.4"), "--min: 'rr' has two limits; give it one limit"),
    ("", ("--min", "rr=0.9", "--min", "RR=0.9"), "--min: 'rr' and 'RR' are the same measure"),
    ("minimum = { rr = 0.1, RR = 0.1 }", (), "minimum in the settings: 'rr' and 'RR' are the same measure"),
    ("minimum = { rr = 0.1, RR = 0.1 }", ("--min", "rr=0.1"), "'rr' and 'RR' are the same measure"),
    (
        "max-drop = { rr = 0.1 }\nmax_drop = { ap = 0.1 }",
        (),
        "duplicate setting 'max_drop', also spelled 'max-drop'; keep one",
    ),
    (
        "max_drop = { rr = 0.1 }\nmax-drop = { ap = 0.1 }",
        (),
        "duplicate setting 'max_drop', also spelled 'max-drop'; keep one",
    ),
]


@pytest.mark.parametrize(("text", "arguments", "message"), TWICE)
def test_two_limits_for_one_measure_in_one_place_are_refused(assay, folder, text, arguments, message):
    (folder / "assay.toml").write_text(f"[gate]\n{text}\n")
    result = assay("gate", "qrels.txt", "one.run", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_file_of_settings_elsewhere_names_files_from_its_folder(assay, many):
    (many / "ci").mkdir()
    (many / "ci" / "search.toml").write_text(
        '[gate]\nqrels = "../many.txt"\nrun = "../bad.run"\nbaseline = "../baseline.json"\nmax-drop = { rr = 0.1 }\n'
    )
    result = assay("gate", "--config", "ci/search.toml")
    assert result.exit_code == 1
    assert "dropped 0.5000" in result.stdout


def test_assay_toml_comes_before_pyproject(assay, folder):
    (folder / "pyproject.toml").write_text("[tool.assay.gate]\nnonsense = 1\n")
    (folder / "assay.toml").write_text('[gate]\nqrels = "qrels.txt"\nrun = "one.run"\nminimum = { rr = 0.5 }\n')
    assert assay("gate").output == PASSED
    (folder / "assay.toml").write_text("[other]\n")
    assert "pyproject.toml, [tool.assay.gate]: unknown setting 'nonsense'" in assay("gate").output


def test_each_file_has_one_place_for_settings(assay, folder):
    settings = 'qrels = "qrels.txt"\nrun = "one.run"\nminimum = { rr = 0.5 }\n'
    (folder / "pyproject.toml").write_text(f"[gate]\n{settings}")
    (folder / "assay.toml").write_text(f"[tool.assay.gate]\n{settings}")
    assert "missing RUN; name the run to check" in assay("gate").stderr
    assert (
        "'pyproject.toml' has no section [tool.assay.gate]; put" in assay("gate", "--config", "pyproject.toml").stderr
    )
    for section in ("gate", "tool.assay.gate"):
        (folder / "other.toml").write_text(f"[{section}]\n{settings}")
        assert assay("gate", "--config", "other.toml").output == PASSED


def test_other_tools_in_pyproject_are_left_alone(assay, folder):
    (folder / "pyproject.toml").write_text("[tool.ruff]\nline-length = 120\n[tool.assay]\nelse = 1\n")
    assert assay("gate", "qrels.txt", "one.run", "--min", "rr=0.5").output == PASSED


WRONG_SETTINGS = [
    ("[gate]\nmax_drops = 1", "assay.toml, [gate]: unknown setting 'max_drops'; did you mean max_drop"),
    ("[gate]\ncolour = 1", "unknown setting 'colour'; the settings are qrels, run, baseline,"),
    ("[gate]\nqrels = 1", "qrels must be a quoted string, not '1'"),
    ("[gate]\nminimum = 0.5", "minimum must be a table of measures and numbers, not '0.5'"),
    ("[gate]\nminimum = { rr = 'high' }", "minimum of 'rr' must be a number, not 'high'"),
    ("[gate]\nmax_drop = { rr = true }", "max_drop of 'rr' must be a number, not 'True'"),
    ("[gate]\nstrict = 1", "strict must be true or false, not '1'"),
    ("[gate]\nalpha = true", "alpha must be a number, not 'True'"),
    ("[gate]\nties = 'maybe'", "assay.toml, [gate]: ties must be 'docid_desc' or"),
    ("gate = 1", "assay.toml, [gate]: must be a table of settings"),
    ("[gate", "assay.toml: not valid TOML"),
    ("[gate]\nconvention = 'nobody'", "unknown convention 'nobody'"),
    ("[gate]\ntest = 'sign'", "test must be 'randomization' or"),
    ("[gate]\nalpha = 2", "alpha must be"),
]


@pytest.mark.parametrize(("text", "message"), WRONG_SETTINGS)
def test_settings_that_are_wrong(assay, folder, text, message):
    (folder / "assay.toml").write_text(text)
    result = assay("gate", "qrels.txt", "one.run", "--min", "rr=0.5")
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


WRONG = [
    (("qrels.txt", "one.run"), "nothing to check; set --min ndcg@10=0.45 or --max-drop"),
    (("qrels.txt", "one.run", "--min", "rr"), "must be a measure and a number, such as ndcg@10=0.45"),
    (("qrels.txt", "one.run", "--min", "=0.5"), "must be a measure and a number"),
    (("qrels.txt", "one.run", "--min", "rr=high"), "must be a measure and a number"),
    (("qrels.txt", "one.run", "--min", "rr=nan"), "must be a measure and a number"),
    (("qrels.txt", "one.run", "--max-drop", "rr=0.1"), "--max-drop needs a --baseline"),
    (("qrels.txt", "one.run", "--baseline", "two.run"), "a baseline needs --max-drop, such as --max-drop ndcg@10=0.01"),
    (("qrels.txt", "one.run", "--baseline", "none.run", "--max-drop", "rr=0.1"), "file 'none.run' not found"),
    (
        ("qrels.txt", "one.run", "--baseline", "broken.json", "--max-drop", "rr=0.1"),
        "broken.json: line 1: the file is cut off",
    ),
    (("qrels.txt", "none.run", "--min", "rr=0.1"), "file 'none.run' not found"),
    (("none.txt", "one.run", "--min", "rr=0.1"), "file 'none.txt' not found"),
    (("one.run", "--min", "rr=0.1"), "a run needs judgments"),
    (("--min", "rr=0.1"), "missing RUN; name the run to check, here or in the settings"),
    (("qrels.txt", "one.run", "--min", "nonsense=0.1"), "unknown measure 'nonsense'"),
    (
        ("qrels.txt", "one.run", "--min", "rr=0.1", "--config", "none.toml"),
        "cannot read the settings: file 'none.toml' not found",
    ),
    (
        ("qrels.txt", "one.run", "--min", "rr=0.1", "--config", "empty.toml"),
        "has no section [gate] or [tool.assay.gate]; put",
    ),
    (("qrels.txt", "one.run", "--min", "rr=0.1", "--test", "sign"), "Invalid value for '--test'"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_bad_input_is_exit_code_2(assay, folder, arguments, message):
    (folder / "broken.json").write_text('{"assay":"result",')
    (folder / "empty.toml").write_text("")
    result = assay("gate", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_the_summary_of_a_job_gets_the_outcome(assay, folder, monkeypatch):
    summary = folder / "summary.md"
    summary.write_text("# Build\n\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assay("gate", "qrels.txt", "one.run", "--min", "rr=0.8")
    assay("gate", "qrels.txt", "one.run", "--min", "rr=0.5", "--format", "json")
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# Build\n\n## assay gate failed: 1 of 1 check\n\n| result | measure | reason |")
    assert "| q2 | 0.5000 | d4 (grade 1): rank 2 (-0.5000) |" in text
    assert "## assay gate passed: 1 check" in text


def test_a_summary_that_cannot_be_written_changes_nothing(assay, folder, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "none" / "summary.md"))
    result = assay("gate", "qrels.txt", "one.run", "--min", "rr=0.5")
    assert (result.exit_code, result.stdout) == (0, PASSED)
    assert "note: cannot write the summary to" in result.stderr


def test_as_a_process(process, many):  # noqa: ARG001 - the files are there
    arguments = ("gate", "many.txt", "bad.run", "--baseline", "good.run", "--max-drop", "rr=0.1")
    plain = process(*arguments, env={"PYTHONIOENCODING": "ascii"})
    assert plain.returncode == 1
    assert b"d (grade 1): rank 1 -> 2" in plain.stdout
    assert plain.stderr == b""
    assert process(*arguments, "--policy", "alpha=0.9").returncode == 2


@pytest.mark.parametrize("module", ["assay", "assay.cli.main"])
def test_as_a_module(folder, module):
    def run(least):
        command = [sys.executable, "-m", module, "gate", "qrels.txt", "one.run", "--min", f"rr={least}"]
        return subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)  # noqa: S603 - our own

    assert (run(0.5).returncode, run(0.5).stdout) == (0, PASSED.encode())
    assert run(0.9).returncode == 1


def test_a_mean_that_is_not_finite_is_bad_input(assay, folder):
    scores = {"dcg": np.array([1.0, np.inf])}
    measures = {"dcg": library.parse_measure("dcg")}
    library.Result(measures, ["q1", "q2"], scores, "assay", library.Policies()).save(folder / "inf.json")
    result = assay("gate", "inf.json", "--min", "dcg=0.5", "--format", "json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "dcg of the run is inf; only finite values can be checked" in result.stderr


def test_what_the_documentation_shows_is_what_is_printed(assay, folder):
    for file in (ROOT / "src" / "assay" / "demo").iterdir():
        shutil.copy(file, folder)
    examples = SHOWN.findall((ROOT / "docs" / "gate.md").read_text(encoding="utf-8"))
    assert len(examples) == 2
    for command, expected in examples:
        assert assay(*command.split()).output == expected


def test_the_settings_that_the_documentation_shows_can_be_read(assay, folder):
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    (folder / "assay.toml").write_text(text.partition("```toml\n")[2].partition("```")[0])
    result = assay("gate")
    assert result.exit_code == 2
    assert "file 'data/qrels.txt' not found" in result.stderr
