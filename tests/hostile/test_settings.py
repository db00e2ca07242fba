"""Settings of a gate in TOML: wrong types, unknown keys, overlong, not finite, duplicate, and other encodings."""

import gzip
import json

import pytest
from click.testing import CliRunner

from assay.cli.main import commands
from assay.core.policies import Policies
from assay.tasks.gate.limits import KINDS
from tables import for_each

pytestmark = [pytest.mark.attack("Settings"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
# The reciprocal ranks are 1/2 and 1.
RUN = "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d3 1 5 t\n"
G = '[gate]\nqrels = "q"\nrun = "r"\n'
M = "minimum = {rr = 0.5}\n"
D = 'baseline = "r"\nmax_drop = {rr = 0.1}\n'
ALPHA = "alpha must be a number between 0 and 1, such as 0.05, not "
SETTINGS = "assay.toml, [gate]: "
TOML = "assay.toml: not valid TOML: "
NO_TABLE = f"{SETTINGS}must be a table of settings"
NOTHING = "nothing to check; set --min ndcg@10=0.45 or --max-drop"
# What is in the file, and the exit code, or the message with exit code 2.
CASES = [
    ("good", G + M, 0),
    ("a drop of nothing", G + D, 0),
    ("a minimum that is not reached", G + "minimum = {rr = 0.76}\n", 1),
    ("a minimum that is just reached", G + "minimum = {rr = 0.75}\n", 0),
    ("dotted", G + "minimum.rr = 0.5\n", 0),
    ("a table of its own", G + "[gate.minimum]\nrr = 0.5\n", 0),
    ("hyphens", G + D.replace("_", "-"), 0),
    ("byte-order mark", "\ufeff" + G + M, 0),
    ("crlf", (G + M).replace("\n", "\r\n"), 0),
    ("utf-16", (G + M).encode("utf-16"), 0),
    ("compressed", gzip.compress((G + M).encode()), 0),
    ("no last newline", (G + M)[:-1], 0),
    ("alpha nan", G + D + "alpha = nan\n", f"{ALPHA}'nan'"),
    ("alpha inf", G + D + "alpha = inf\n", f"{ALPHA}'inf'"),
    ("alpha 0", G + D + "alpha = 0\n", f"{ALPHA}'0'"),
    ("alpha 1", G + D + "alpha = 1\n", f"{ALPHA}'1'"),
    ("alpha negative", G + D + "alpha = -0.5\n", f"{ALPHA}'-0.5'"),
    ("alpha 400 digits", G + D + f"alpha = {'9' * 400}\n", f"{ALPHA}'{'9' * 60}…'"),
    ("alpha 5,000 digits", G + D + f"alpha = {'9' * 5000}\n", f"{TOML}a number has too many digits"),
    ("alpha out of range, nothing to test", G + M + "alpha = 7\n", f"{ALPHA}'7'"),
    ("minimum nan", G + "minimum = {rr = nan}\n", "minimum of 'rr' must be a number, not 'nan'"),
    ("minimum inf", G + "minimum = {rr = inf}\n", "minimum of 'rr' must be a number, not 'inf'"),
    ("minimum -inf", G + "minimum = {rr = -inf}\n", "minimum of 'rr' must be a number, not '-inf'"),
    ("minimum 400 digits", G + f"minimum = {{rr = {'9' * 400}}}\n", "minimum of 'rr' must be a number, not '999"),
    ("minimum text", G + 'minimum = {rr = "0.5"}\n', f"{SETTINGS}minimum of 'rr' must be a number, not '0.5'"),
    ("minimum list", G + "minimum = {rr = [0.5]}\n", f"{SETTINGS}minimum of 'rr' must be a number, not '[0.5]'"),
    ("minimum table", G + "minimum = {rr = {a = 1}}\n", f"{SETTINGS}minimum of 'rr' must be a number, not"),
    ("minimum true", G + "minimum = {rr = true}\n", f"{SETTINGS}minimum of 'rr' must be a number, not 'True'"),
    ("minimum date", G + "minimum = {rr = 2024-01-01}\n", f"{SETTINGS}minimum of 'rr' must be a number, not '2024-"),
    ("an @ without quotes", G + "minimum.ndcg@10 = 0.5\n", f"{TOML}Expected '=' after a key in a key/value pair"),
    ("an unknown measure", G + "minimum = {foo = 1}\n", "unknown measure 'foo'"),
    ("a measure without a name", G + 'minimum = {"" = 1}\n', "cannot read the measure ''"),
    (
        "a measure of 20,000 characters",
        G + f"minimum = {{{'x' * 20000} = 1}}\n",
        f"the measure '{'x' * 60}…' has 20,000",
    ),
    ("a measure that clears the screen", G + 'minimum = {"\\u001b[2J" = 1}\n', "unknown measure '\\x1b[2J'"),
    ("two names of one measure", G + "minimum = {rr = 0.5, recip_rank = 0.5}\n", "minimum in the settings: 'rr' and"),
    ("a drop below 0", G + D.replace("0.1", "-0.1"), "max_drop of 'rr' must be a number of at least 0, not '-0.1'"),
    ("a drop nan", G + D.replace("0.1", "nan"), "max_drop of 'rr' must be a number of at least 0, not 'nan'"),
    ("a drop without a baseline", G + "max_drop = {rr = 0.1}\n", "--max-drop needs a --baseline"),
    ("a baseline without a drop", G + M + 'baseline = "r"\n', "a baseline needs --max-drop"),
    ("no limits", G, NOTHING),
    ("no limits in the table", G + "minimum = {}\n", NOTHING),
    ("an unknown convention", G + M + 'convention = "x"\n', "unknown convention 'x'"),
    ("an empty convention", G + M + 'convention = ""\n', "unknown convention ''"),
    ("a long convention", G + M + f'convention = "{"x" * 20000}"\n', f"unknown convention '{'x' * 60}…'"),
    ("an unknown test", G + D + 'test = "x"\n', "test must be 'randomization' or 't' or 'bootstrap', not 'x'"),
    ("an unknown test, nothing to test", G + M + 'test = "x"\n', "test must be 'randomization' or 't' or"),
    ("an unknown format", G + M + 'run_format = "x"\n', "unknown format 'x'"),
    ("an empty format", G + M + 'run_format = ""\n', "unknown format ''"),
    ("another format", G + M + 'run_format = "json"\n', "r, line 1: invalid JSON"),
    ("a format that clears the screen", G + M + 'qrels-format = "\\u001b[2J"\n', "unknown format '\\x1b[2J'"),
    ("an empty run", f'[gate]\nqrels = "q"\nrun = ""\n{M}', f"{SETTINGS}run is empty; name a file"),
    ("empty judgments", f'[gate]\nqrels = ""\nrun = "r"\n{M}', f"{SETTINGS}qrels is empty; name a file"),
    ("an empty baseline", G + D.replace('"r"', '""'), f"{SETTINGS}baseline is empty; name a file"),
    ("empty queries", G + M + 'queries = ""\n', f"{SETTINGS}queries is empty; name a file"),
    ("an empty corpus", G + M + 'corpus = ""\n', f"{SETTINGS}corpus is empty; name a file"),
    ("a run that is not there", f'[gate]\nqrels = "q"\nrun = "none"\n{M}', "file 'none' not found"),
    ("a run with a NUL", f'[gate]\nqrels = "q"\nrun = "a\\u0000b"\n{M}', "'a\\x00b' is not a valid file name"),
    ("a run with a newline", f'[gate]\nqrels = "q"\nrun = "a\\nb"\n{M}', "file 'a\\nb' not found"),
    ("a run with a long name", f'[gate]\nqrels = "q"\nrun = "{"x" * 5000}"\n{M}', "xxx"),
    ("no run", f'[gate]\nqrels = "q"\n{M}', "missing RUN; name the run to check, here or in the settings"),
    ("no judgments", f'[gate]\nrun = "r"\n{M}', "a run needs judgments: they come first"),
    ("a key twice", G + M + M, f"{TOML}Cannot overwrite a value (at line 5, column 2"),
    ("a key in two spellings", G + D + "max-drop = {rr = 0.1}\n", f"{SETTINGS}duplicate setting 'max_drop', also"),
    ("a section twice", G + M + "[gate]\nalpha = 0.5\n", f"{TOML}Cannot declare ('gate',) twice (at line 5"),
    ("a misspelt key", G + M + "minimun = {}\n", f"{SETTINGS}unknown setting 'minimun'; did you mean minimum?"),
    ("a key in capitals", G + M + "Alpha = 0.5\n", f"{SETTINGS}unknown setting 'Alpha'; did you mean alpha?"),
    ("a key in camel case", G + M + "maxDrop = {}\n", f"{SETTINGS}unknown setting 'maxDrop'; did you mean max_drop?"),
    ("an unknown key", G + M + "zzz = 1\n", f"{SETTINGS}unknown setting 'zzz'; the settings are qrels, run, baseline,"),
    ("an empty key", G + M + '"" = 1\n', f"{SETTINGS}unknown setting ''; the settings are"),
    ("a long key", G + M + "x" * 20000 + " = 1\n", f"{SETTINGS}unknown setting '{'x' * 60}…'; the settings are"),
    ("a key that clears the screen", G + M + '"\\u001b[2J" = 1\n', f"{SETTINGS}unknown setting '\\x1b[2J'"),
    ("settings that are a list", "gate = [1]\n", NO_TABLE),
    ("settings that are text", 'gate = "x"\n', NO_TABLE),
    ("settings that are a number", "gate = 1\n", NO_TABLE),
    ("a list of tables", '[[gate]]\nqrels = "q"\n', NO_TABLE),
    ("a misspelt section", G.replace("gate", "gates") + M, "assay.toml: unknown section [gates]; did you mean [gate]?"),
    (
        "a section in capitals",
        G.replace("gate", "GATE") + M,
        "assay.toml: unknown section [GATE]; did you mean [gate]?",
    ),
    ("another section", G.replace("gate", "tool.assay.gate") + M, "missing RUN; name the run to check"),
    ("empty", "", "missing RUN; name the run to check"),
    ("comment only", "# x\n", "missing RUN; name the run to check"),
    ("yaml", "gate:\n  qrels: q\n", f"{TOML}Expected '=' after a key in a key/value pair (at line 1, column 5)"),
    ("json", json.dumps({"gate": {}}), f"{TOML}Invalid statement (at line 1, column 1)"),
    ("an unclosed section", "[gate\n", f"{TOML}Expected ']' at the end of a table declaration (at line 1, column 6)"),
    ("no value", "[gate]\nqrels =\n", f"{TOML}Invalid value (at line 2, column 8)"),
    ("no quotes", "[gate]\nqrels = q\n", f"{TOML}Invalid value (at line 2, column 9)"),
    ("cr only", (G + M).replace("\n", "\r"), f"{TOML}Expected newline or end of document after a statement"),
    ("utf-16 bare", (G + M).encode("utf-16-le"), "assay.toml: the text is UTF-16 without a byte-order mark"),
    ("utf-32", (G + M).encode("utf-32"), "assay.toml: the text is UTF-32, which is not read"),
    ("latin-1", (G + M + "# é\n").encode("latin-1"), "assay.toml: bytes that are not UTF-8; save the file as UTF-8"),
    ("binary", bytes(range(256)), "assay.toml: "),
    ("nul", G + M + "\0", f"{TOML}Invalid statement (at line 5, column 1)"),
    ("cut off in a compression", gzip.compress((G + M).encode())[:-5], "cannot read the settings: compressed file"),
    ("lists 100,000 deep", G + "minimum = " + "[" * 100_000, f"{TOML}the values are nested too deeply"),
    ("tables 5,000 deep", "[gate" + ".a" * 5000 + "]\n", f"{SETTINGS}unknown setting 'a'"),
    ("depth 400 digits", G + M + f"depth = {'9' * 400}\n", f"{SETTINGS}depth must be a whole number of at most 308"),
    (
        "a rule that is no rule",
        G + M + 'doc_id = "regex:("\n',
        f"{SETTINGS}--policy doc_id: the regular expression '('",
    ),
]


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """Runs `assay gate` with these settings."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)

    def run(content):
        (tmp_path / "assay.toml").write_bytes(content.encode() if isinstance(content, str) else content)
        return CliRunner().invoke(commands, ["gate"])

    return run


@for_each(("content", "expected"), [case[1:] for case in CASES])
def test_settings(gate, content, expected):
    check(gate(content), expected)


def check(result, expected):
    """Checks the exit code, or that there is one sentence that begins like this."""
    if isinstance(expected, int):
        assert (result.exit_code, result.stderr) == (expected, "")
    else:
        message = result.stderr.strip().rpartition("\n")[2]
        assert result.exit_code == 2, result.output
        assert message.removeprefix("assay: ").removeprefix("Error: ").startswith(expected), message
        assert message.isprintable()
        assert result.stdout == ""


VALUES = {
    "text": '"x"',
    "whole": "1",
    "fraction": "0.5",
    "true": "true",
    "list": '["x"]',
    "table": "{a = 1}",
    "date": "2024-01-01",
    "time": "01:00:00",
    "nan": "nan",
}
FITTING = {str: ["text"], dict: ["table"], int: ["whole", "fraction", "nan"], bool: ["true"]}
MISFITS = [(setting, kind) for setting, kinds in KINDS.items() for kind in VALUES if kind not in FITTING[kinds[0]]]


@for_each(("setting", "kind"), MISFITS)
def test_a_value_of_another_type(gate, setting, kind):
    check(gate(f"[gate]\n{setting} = {VALUES[kind]}\n"), f"{SETTINGS}{setting} must be ")


POLICIES = {"depth": ["whole"], "rel": ["whole", "fraction"], "judged_only": ["true"], "doc_id": ["text"]}


@for_each(
    ("policy", "kind"),
    [(name, kind) for name in Policies.__slots__ for kind in VALUES if kind not in POLICIES.get(name, [])],
)
def test_a_policy_of_another_type(gate, policy, kind):
    result = gate(f"[gate]\n{policy} = {VALUES[kind]}\n")
    assert result.exit_code == 2
    assert policy in result.stderr.replace("--policy", "doc_id=doc_id")
    assert result.stderr.startswith(f"assay: {SETTINGS}")
    assert len(result.stderr.splitlines()) == 1
