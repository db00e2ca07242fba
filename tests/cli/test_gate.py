"""`assay gate`: exit codes, what it prints, and its settings in TOML."""

import re
import shutil
from pathlib import Path

import pytest

import assay as library
from tables import for_each

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


def test_a_minimum(assay, folder):
    result = assay("gate qrels.txt - --min rr=0.5", stdin=(folder / "one.run").read_text())
    assert (result.exit_code, result.output) == (0, PASSED)
    result = assay("gate qrels.txt one.run --min rr=0.8 --min 'ap(rel=2)@10=.1'")
    assert result.exit_code == 1
    failed = "gate failed: 1 of 2 checks\n\nFAIL  rr            0.7500 (minimum 0.8000), 0.0500 too low"
    assert result.stdout.startswith(failed)
    assert "worst queries by rr\n  q2  0.5000\n      d4 (grade 1): rank 2 (-0.5000)\n" in result.stdout


def test_a_drop(assay, many, read_json):  # noqa: ARG001 - the files are there
    for baseline in ("good.run", "baseline.json"):
        result = assay(f"gate many.txt bad.run --baseline {baseline} --max-drop rr=0.1")
        assert result.exit_code == 1
        assert "FAIL  rr  1.0000 → 0.5000, dropped 0.5000 (limit 0.1000); significant, p" in result.stdout
        assert assay(f"gate many.txt bad.run --baseline {baseline} --max-drop rr=0.6").exit_code == 0
    content = read_json("gate many.txt bad.run --baseline good.run --max-drop rr=0.1 --test t")
    assert (content["passed"], content["test"], content["checks"][0]["drop"]) == (False, "t", 0.5)
    assert content["checks"][0]["worst"][0]["documents"][0]["contribution"] == -0.5
    assert assay("gate baseline.json --min rr=0.9").exit_code == 0


def test_a_failed_gate_shows_texts(assay, folder, monkeypatch):
    (folder / "questions.tsv").write_text("q1\tWho pays?\nq2\tWhen?\n")
    (folder / "corpus.tsv").write_text("d4\tIn March.\nd5\tNobody.\n")
    summary = folder / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    result = assay("gate qrels.txt one.run --min rr=0.8 --queries questions.tsv --corpus corpus.tsv")
    assert result.exit_code == 1
    lines = ["  q2  0.5000", "      When?", "      d4 (grade 1): rank 2 (-0.5000)", "          In March."]
    assert "\n".join([*lines, "      d5 (not judged): rank 1", "          Nobody.\n"]) in result.stdout
    assert "| q2: When? | 0.5000 | d4 (grade 1): rank 2 (-0.5000): In March.; d5" in summary.read_text(encoding="utf-8")


def test_policies_and_a_drop_that_may_be_chance(assay):
    for options, code in {"": 1, "--convention trec_eval": 0, "--policy missing=skip": 0}.items():
        assert assay(f"gate qrels.txt two.run --min map=0.6 {options}").exit_code == code
    arguments = "gate qrels.txt two.run --baseline one.run --max-drop rr=0.1"
    result = assay(arguments)
    assert result.exit_code == 0
    assert "not significant, p = 0.5000" in result.stdout
    assert "too few queries to tell: 2 queries cannot detect any drop" in " ".join(result.stdout.split())
    assert assay(f"{arguments} --strict").exit_code == 1


SETTINGS = """
qrels = "qrels.txt"
run = "one.run"
strict = true
missing = "zero"

[{section}.minimum]
rr = 0.5
"""


@for_each(("file", "section"), {"assay.toml": "gate", "pyproject.toml": "tool.assay.gate"}.items())
def test_settings_of_the_folder(assay, read_json, folder, file, section):
    (folder / file).write_text(f"[{section}]{SETTINGS.format(section=section)}")
    assert assay("gate").output == PASSED
    assert "pass  rr  0.5000" in assay("gate two.run").output
    assert assay("gate two.run --min rr=0.6").exit_code == 1
    assert assay("gate qrels.txt two.run --min rr=0.4").exit_code == 0
    assert read_json("gate")["strict"] is True
    assert read_json("gate --no-strict")["strict"] is False
    (folder / file).unlink()


def test_the_command_line_counts_first_whatever_the_spelling(assay, read_json, many):
    limits = 'minimum = { rr = 0.9, "ap" = 0.1 }\n'
    (many / "assay.toml").write_text(
        f'[gate]\nqrels = "qrels.txt"\nrun = "one.run"\nalpha = 0.1\nmissing = "skip"\n{limits}'
    )
    content = read_json("gate two.run --min rr=0.2 --policy alpha=0.2 --policy missing=zero")
    checks = [(check["measure"], check["limit"], check["value"]) for check in content["checks"]]
    assert checks == [("rr", 0.2, 0.5), ("ap", 0.1, 0.5)]
    assert content["alpha"] == 0.2
    assert "missing=zero" in content["signature"]
    limits = 'baseline = "good.run"\nmax_drop = { rr = 0.1, ap = 0.6 }\n'
    (many / "assay.toml").write_text(f'[gate]\nqrels = "many.txt"\nrun = "bad.run"\n{limits}')
    assert assay("gate").exit_code == 1
    content = read_json("gate --max-drop recip_rank=0.6")
    assert content["passed"]
    checks = [(check["measure"], check["limit"]) for check in content["checks"]]
    assert checks == [("recip_rank", 0.6), ("ap", 0.6)]


TWICE = [
    ("", "--min rr=0.9 --min rr=0.4", "--min: 'rr' has two limits; give it one limit"),
    ("", "--min rr=0.9 --min RR=0.9", "--min: 'rr' and 'RR' are the same measure"),
    ("minimum = { rr = 0.1, RR = 0.1 }", "", "minimum in the settings: 'rr' and 'RR' are the same measure"),
    ("minimum = { rr = 0.1, RR = 0.1 }", "--min rr=0.1", "'rr' and 'RR' are the same measure"),
    ("test = 'sign'", "--min rr=0.5", "test must be 'randomization' or"),
    ("convention = 'nobody'", "--min rr=0.5", "unknown convention 'nobody'"),
    ("max_drop = { rr = true }", "--min rr=0.5", "max_drop of 'rr' must be a number, not 'True'"),
]


@for_each(("text", "options", "message"), TWICE)
def test_settings_that_are_wrong(refused, folder, text, options, message):
    (folder / "assay.toml").write_text(f"[gate]\n{text}\n")
    refused(f"gate qrels.txt one.run {options}", message)


def test_a_file_of_settings_elsewhere_names_files_from_its_folder(assay, many):
    (many / "ci").mkdir()
    files = 'qrels = "../many.txt"\nrun = "../bad.run"\nbaseline = "../baseline.json"\n'
    (many / "ci" / "search.toml").write_text(f"[gate]\n{files}max-drop = {{ rr = 0.1 }}\n")
    result = assay("gate --config ci/search.toml")
    assert result.exit_code == 1
    assert "dropped 0.5000" in result.stdout


def test_each_file_has_one_place_for_settings(assay, refused, folder):
    settings = 'qrels = "qrels.txt"\nrun = "one.run"\nminimum = { rr = 0.5 }\n'
    (folder / "pyproject.toml").write_text(f"[gate]\n{settings}")
    (folder / "assay.toml").write_text(f"[tool.assay.gate]\n{settings}")
    refused("gate", "missing RUN; name the run to check")
    refused("gate --config pyproject.toml", "'pyproject.toml' has no section [tool.assay.gate]; put")
    for section in ("gate", "tool.assay.gate"):
        (folder / "other.toml").write_text(f"[{section}]\n{settings}")
        assert assay("gate --config other.toml").output == PASSED
    # assay.toml comes before pyproject.toml, where other tools are left alone.
    (folder / "pyproject.toml").write_text("[tool.ruff]\nline-length = 120\n[tool.assay.gate]\nnonsense = 1\n")
    (folder / "assay.toml").write_text(f"[gate]\n{settings}")
    assert assay("gate").output == PASSED
    (folder / "assay.toml").write_text("[other]\n")
    refused("gate", "pyproject.toml, [tool.assay.gate]: unknown setting 'nonsense'")


WRONG = {
    "qrels.txt one.run": "nothing to check; set --min ndcg@10=0.45 or --max-drop",
    "qrels.txt one.run --min rr": "must be a measure and a number, such as ndcg@10=0.45",
    "qrels.txt one.run --min =0.5": "must be a measure and a number",
    "qrels.txt one.run --min rr=high": "must be a measure and a number",
    "qrels.txt one.run --min rr=nan": "must be a measure and a number",
    "qrels.txt one.run --max-drop rr=0.1": "--max-drop needs a --baseline",
    "qrels.txt one.run --baseline two.run": "a baseline needs --max-drop, such as --max-drop ndcg@10=0.01",
    "qrels.txt one.run --baseline none.run --max-drop rr=0.1": "file 'none.run' not found",
    "qrels.txt one.run --baseline broken.json --max-drop rr=0.1": "broken.json: line 1: the file is cut off",
    "qrels.txt none.run --min rr=0.1": "file 'none.run' not found",
    "none.txt one.run --min rr=0.1": "file 'none.txt' not found",
    "one.run --min rr=0.1": "a run needs judgments",
    "--min rr=0.1": "missing RUN; name the run to check, here or in the settings",
    "qrels.txt one.run --min nonsense=0.1": "unknown measure 'nonsense'",
    "qrels.txt one.run --min rr=0.1 --config none.toml": "cannot read the settings: file 'none.toml' not found",
    "qrels.txt one.run --min rr=0.1 --config empty.toml": "has no section [gate] or [tool.assay.gate]; put",
    "qrels.txt - --min rr=0.5 --baseline - --max-drop rr=1": "- is standard input",
    "qrels.txt one.run --min rr=0.1 --test sign": "Invalid value for '--test'",
    "baseline.json --min rr=0.1 --policy depth=3": "leave out --policy depth",
    "baseline.json --min rr=0.1 --convention assay": "leave out --convention",
    "baseline.json --min rr=0.1 --from run=trec": "leave out --from run=FORMAT",
    "baseline.json --min rr=0.1 --from qrels=trec": "--from qrels=… is set, but there is no QRELS",
}


def test_bad_input_is_exit_code_2(refused, many):
    (many / "broken.json").write_text('{"assay":"result",')
    (many / "empty.toml").write_text("")
    for options, message in WRONG.items():
        refused(f"gate {options}", message)


def test_the_summary_of_a_job_gets_the_outcome(assay, folder, monkeypatch):
    summary = folder / "summary.md"
    summary.write_text("# Build\n\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assay("gate qrels.txt one.run --min rr=0.8")
    assay("gate qrels.txt one.run --min rr=0.5 --format json")
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# Build\n\n## assay gate failed: 1 of 1 check\n\n| result | measure | reason |")
    assert "| q2 | 0.5000 | d4 (grade 1): rank 2 (-0.5000) |" in text
    assert "## assay gate passed: 1 check" in text
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "none" / "summary.md"))
    result = assay("gate qrels.txt one.run --min rr=0.5")
    assert (result.exit_code, result.stdout) == (0, PASSED)
    assert "note: cannot write the summary to" in result.stderr


def test_what_the_documentation_shows_is_what_is_printed(assay, refused, folder):
    for file in (ROOT / "src" / "assay" / "demo").iterdir():
        shutil.copy(file, folder)
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    examples = SHOWN.findall(text)
    assert len(examples) == 2
    for command, expected in examples:
        assert assay(command).output == expected
    (folder / "assay.toml").write_text(text.partition("```toml\n")[2].partition("```")[0])
    refused("gate", "file 'data/qrels.txt' not found")
