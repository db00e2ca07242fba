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
    *((each, 0) for each in (
        G + M, G + D, G + "minimum = {rr = 0.75}\n", G + "minimum.rr = 0.5\n", G + "[gate.minimum]\nrr = 0.5\n",
        G + D.replace("_", "-"), "\ufeff" + G + M, (G + M).replace("\n", "\r\n"), (G + M).encode("utf-16"),
        gzip.compress((G + M).encode()), (G + M)[:-1],
    )),
    (G + "minimum = {rr = 0.76}\n", 1),
    *((G + D + f"alpha = {each}\n", f"{ALPHA}'{each}'") for each in ("nan", "inf", "0", "1", "-0.5")),
    (G + D + f"alpha = {'9' * 400}\n", f"{ALPHA}'{'9' * 60}…'"),
    (G + D + f"alpha = {'9' * 5000}\n", f"{TOML}a number has too many digits"),
    (G + M + "alpha = 7\n", f"{ALPHA}'7'"),
    *((G + f"minimum = {{rr = {each}}}\n", f"minimum of 'rr' must be a number, not '{each}'") for each in ("nan", "inf", "-inf")),
    (G + f"minimum = {{rr = {'9' * 400}}}\n", "minimum of 'rr' must be a number, not '999"),
    *((G + f"minimum = {{rr = {each}}}\n", f"{SETTINGS}minimum of 'rr' must be a number, not '{shown}") for each, shown in (
        ('"0.5"', "0.5'"), ("[0.5]", "[0.5]'"), ("{a = 1}", "{"), ("true", "True'"), ("2024-01-01", "2024-"),
    )),
    (G + "minimum.ndcg@10 = 0.5\n", f"{TOML}Expected '=' after a key in a key/value pair"),
    (G + "minimum = {foo = 1}\n", "unknown measure 'foo'"),
    (G + 'minimum = {"" = 1}\n', "cannot read the measure ''"),
    (G + f"minimum = {{{'x' * 20000} = 1}}\n", f"the measure '{'x' * 60}…' has 20,000"),
    (G + 'minimum = {"\\u001b[2J" = 1}\n', "unknown measure '\\x1b[2J'"),
    (G + "minimum = {rr = 0.5, recip_rank = 0.5}\n", "minimum in the settings: 'rr' and"),
    *((G + D.replace("0.1", each), f"max_drop of 'rr' must be a number of at least 0, not '{each}'") for each in ("-0.1", "nan")),
    (G + "max_drop = {rr = 0.1}\n", "--max-drop needs a --baseline"),
    (G + M + 'baseline = "r"\n', "a baseline needs --max-drop"),
    *((each, NOTHING) for each in (G, G + "minimum = {}\n")),
    *((G + M + f'convention = "{each}"\n', f"unknown convention '{shown}'") for each, shown in (
        ("x", "x"), ("", ""), ("x" * 20000, "x" * 60 + "…"),
    )),
    *((G + each + 'test = "x"\n', "test must be 'randomization' or 't' or 'bootstrap', not 'x'") for each in (D, M)),
    *((G + M + f'{each} = "{name}"\n', f"unknown format '{shown}'") for each, name, shown in (
        ("run_format", "x", "x"), ("run_format", "", ""), ("qrels-format", "\\u001b[2J", "\\x1b[2J"),
    )),
    (G + M + 'run_format = "json"\n', "r, line 1: invalid JSON"),
    *((each, f"{SETTINGS}{name} is empty; name a file") for name, each in {
        "run": (G + M).replace('"r"', '""'), "qrels": (G + M).replace('"q"', '""'), "baseline": G + D.replace('"r"', '""'),
        "queries": G + M + 'queries = ""\n', "corpus": G + M + 'corpus = ""\n',
    }.items()),
    (f'[gate]\nqrels = "q"\nrun = "none"\n{M}', "file 'none' not found"),
    (f'[gate]\nqrels = "q"\nrun = "a\\u0000b"\n{M}', "'a\\x00b' is not a valid file name"),
    (f'[gate]\nqrels = "q"\nrun = "a\\nb"\n{M}', "file 'a\\nb' not found"),
    (f'[gate]\nqrels = "q"\nrun = "{"x" * 5000}"\n{M}', "xxx"),
    (f'[gate]\nqrels = "q"\n{M}', "missing RUN; name the run to check, here or in the settings"),
    (f'[gate]\nrun = "r"\n{M}', "a run needs judgments: they come first"),
    (G + M + M, f"{TOML}Cannot overwrite a value (at line 5, column 2"),
    (G + D + "max-drop = {rr = 0.1}\n", f"{SETTINGS}duplicate setting 'max_drop', also"),
    (G + M + "[gate]\nalpha = 0.5\n", f"{TOML}Cannot declare ('gate',) twice (at line 5"),
    *((G + M + f"{each} = 1\n", f"{SETTINGS}unknown setting '{each}'; did you mean {meant}?") for each, meant in (
        ("minimun", "minimum"), ("Alpha", "alpha"), ("maxDrop", "max_drop"),
    )),
    (G + M + "zzz = 1\n", f"{SETTINGS}unknown setting 'zzz'; the settings are qrels, run, baseline,"),
    *((G + M + f'"{each}" = 1\n', f"{SETTINGS}unknown setting '{shown}'; the settings are") for each, shown in (
        ("", ""), ("x" * 20000, "x" * 60 + "…"),
    )),
    (G + M + '"\\u001b[2J" = 1\n', f"{SETTINGS}unknown setting '\\x1b[2J'"),
    *((each, NO_TABLE) for each in ("gate = [1]\n", 'gate = "x"\n', "gate = 1\n", '[[gate]]\nqrels = "q"\n')),
    *((G.replace("gate", each) + M, f"assay.toml: unknown section [{each}]; did you mean [gate]?") for each in ("gates", "GATE")),
    *((each, "missing RUN; name the run to check") for each in ("", "# x\n", G.replace("gate", "tool.assay.gate") + M)),
    ("gate:\n  qrels: q\n", f"{TOML}Expected '=' after a key in a key/value pair (at line 1, column 5)"),
    (json.dumps({"gate": {}}), f"{TOML}Invalid statement (at line 1, column 1)"),
    ("[gate\n", f"{TOML}Expected ']' at the end of a table declaration (at line 1, column 6)"),
    *((f"[gate]\nqrels ={each}\n", f"{TOML}Invalid value (at line 2, column {place})") for each, place in (("", 8), (" q", 9))),
    ((G + M).replace("\n", "\r"), f"{TOML}Expected newline or end of document after a statement"),
    ((G + M).encode("utf-16-le"), "assay.toml: the text is UTF-16 without a byte-order mark"),
    ((G + M).encode("utf-32"), "assay.toml: the text is UTF-32, which is not read"),
    ((G + M + "# é\n").encode("latin-1"), "assay.toml: bytes that are not UTF-8; save the file as UTF-8"),
    (bytes(range(256)), "assay.toml: "),
    (G + M + "\0", f"{TOML}Invalid statement (at line 5, column 1)"),
    (gzip.compress((G + M).encode())[:-5], "cannot read the settings: compressed file"),
    (G + "minimum = " + "[" * 100_000, f"{TOML}the values are nested too deeply"),
    ("[gate" + ".a" * 5000 + "]\n", f"{SETTINGS}unknown setting 'a'"),
    (G + M + f"depth = {'9' * 400}\n", f"{SETTINGS}depth must be a whole number of at most 308"),
    (G + M + 'doc_id = "regex:("\n', f"{SETTINGS}--policy doc_id: the regular expression '('"),
]  # fmt: skip


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


@for_each(("content", "expected"), CASES)
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
    "text": '"x"', "whole": "1", "fraction": "0.5", "true": "true", "list": '["x"]', "table": "{a = 1}",
    "date": "2024-01-01", "time": "01:00:00", "nan": "nan",
}  # fmt: skip
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
