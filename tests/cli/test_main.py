"""The command as a whole: help, version, and what it says about bad input."""

import gzip
import subprocess
import sys

import click
import pytest

from assay import __version__
from assay.cli.main import COMMANDS, GROUPS, commands, module_of
from assay.cli.options import CONVENTIONS, TESTS
from assay.cli.votes import METHODS
from assay.conventions import CONVENTIONS as KNOWN_CONVENTIONS
from assay.core.policies import Policies
from assay.core.text import JUDGE_OPTIONS, OPTIONS
from assay.stats.significance import TESTS as KNOWN_TESTS
from assay.tasks.vote.api import NAMES as KNOWN_METHODS
from tables import for_each, refusing

MOST_OPTIONS, SCREEN = 240, 45


def test_version_and_help_that_lists_every_command(assay):
    assert assay("--version").stdout == f"assay {__version__}\n"
    shown = assay("--help").stdout
    sections = [shown.partition(f"\n{title}:\n")[2].partition("\n\n")[0] for title in GROUPS]
    assert [line.split()[0] for section in sections for line in section.splitlines()] == [*COMMANDS]


def test_every_command_has_examples_of_itself_and_explains_its_options(assay):
    for name in COMMANDS:
        command = commands.get_command(None, name)
        assert (command.name, command.hidden) == (name, False)
        assert [each.name for each in command.params if isinstance(each, click.Option) and not each.help] == []
        examples = assay(f"{name} --help").stdout.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
        assert examples
        assert all(f"assay {name}" in example for example in examples)


def every_option(command, name="assay"):
    """Each option with the name of its command, of a command and those in it."""
    yield from ((name, each) for each in command.params if isinstance(each, click.Option))
    inside = getattr(command, "commands", None) or {}
    if command is commands:
        inside = {each: commands.get_command(None, each) for each in COMMANDS}
    for each, sub in inside.items():
        yield from every_option(sub, f"{name} {each}")


def settings_of(name):
    """What `--policy` takes in a command."""
    return next(each.settings for _, each in every_option(commands.get_command(None, name)) if each.name == "policies")


def test_there_are_at_most_240_options_in_all_commands():
    assert len(list(every_option(commands))) <= MOST_OPTIONS


def test_a_screen_of_help_has_at_most_45_lines(assay):
    for name in ["", *COMMANDS, "judge relevance", "judge questions", "judge pairwise", "studio admin"]:
        if name != "trec_eval":
            shown = assay(*name.split(), "-h")
            assert (shown.exit_code, len(shown.stdout.splitlines()) <= SCREEN) == (0, True), name
            assert "Examples:\n" in shown.stdout
            assert f"`assay {name}".strip() + " --help` explains everything." in shown.stdout
    assert assay().stdout == assay("-h").stdout


def test_the_shell_takes_each_policy_and_what_the_library_names():
    assert set(Policies.__slots__) <= set(settings_of("eval"))
    options = {word for _, each in every_option(commands) for word in each.opts}
    assert {each for each in OPTIONS.values() if each not in options} == set()
    judge = {name for _, each in every_option(commands) if each.name == "judge_options" for name in each.settings}
    assert set(JUDGE_OPTIONS) <= judge
    assert tuple(CONVENTIONS) == tuple(KNOWN_CONVENTIONS)
    assert {*TESTS} == {*KNOWN_TESTS}
    assert KNOWN_METHODS == METHODS


MISUSED = {
    "evl": "No such command 'evl'",
    "eval qrels.txt": "Missing argument 'RUN...'",
    "eval qrels.txt one.run --policy ties=x": "ties must be 'docid_desc' or 'docid_asc' or 'input'",
    "eval qrels.txt one.run --policy tie=x": "unknown policy 'tie'; did you mean ties? The policies",
    "eval qrels.txt one.run --policy xyz=1": "unknown policy 'xyz'; the policies are ties, order,",
    "eval qrels.txt one.run --policy ties": "'ties' has no value; write ties=VALUE",
    "eval qrels.txt one.run --policy rel=1 --policy rel=1": "rel is set twice",
    "eval qrels.txt one.run --from csv": "write qrels=FORMAT or run=FORMAT",
    "eval qrels.txt one.run --limit line=1": "--limit goes before the command: assay --limit NAME=N eval …",
    "compare qrels.txt a b --policy seed=x": "seed: 'x' is not a valid integer",
    "rag x --judge u --judge-option sample=2": "unknown judge option 'sample'; did you mean samples",
    "rag x --judge u --judge-option prices=2": "prices: '2' is not of the form INPUT,OUTPUT, such as 0.15,0.6",
    "eval qrels.txt one.run --policy depth=0": "depth must be a whole number at least 1",
    "check": "Missing argument 'QRELS'",
    "measures --format csv": "'csv' is not one of",
}
BAD_INPUT = {
    "eval qrels.txt .": "qrels.txt, line 1: expected 6 fields (query Q0 document rank score tag), found 4",
    "eval . one.run": "one.run, line 1: expected 4 fields (query 0 document grade), found 6",
    "eval qrels.txt one.run -m ndgc": "unknown measure 'ndgc'; did you mean ndcg or rndcg?",
    "eval qrels.txt two.run --policy missing=error": "1 query in the judgments is missing from the run",
    "eval qrels.txt one.run -m ' '": "cannot read the measure ' '",
    "measures ndgc": "unknown measure 'ndgc'; did you mean ndcg or rndcg?",
}
test_refusals = refusing(MISUSED | {line: f"assay: {said}" for line, said in BAD_INPUT.items()})


BAD_RUNS = {
    "missing": (None, "file 'bad.run' not found"),
    "corrupt": (gzip.compress(b"q1 Q0 d1 1 1 a\n" * 99)[:-20], "compressed file 'bad.run' is truncated"),
    "duplicate": (b"q1 Q0 d1 1 2 a\nq1 Q0 d1 2 1 a\n", "bad.run: query 'q1' lists document 'd1' more than once"),
    "no common query": (b"1 Q0 d1 1 2 a\n", "judgments and run have no query in common"),
    "escape": (b"\x1b[2J Q0 d1 1 x a\n", "bad.run, line 1: the score 'x' is not a number"),
}


@for_each(("content", "message"), BAD_RUNS.values())
def test_bad_runs_end_in_one_line(refused, folder, content, message):
    (folder / "bad.run").unlink(missing_ok=True)
    if content is not None:
        (folder / "bad.run").write_bytes(content)
    refused("eval qrels.txt bad.run", f"assay: {message}")


@pytest.mark.parametrize(("option", "unneeded"), [("--version", {"click", "typing"}), ("--help", set())])
def test_what_every_invocation_shows_loads_little(option, unneeded):
    code = f"import sys, atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); sys.argv = ['assay', '{option}']"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", f"{code}; from assay.__main__ import main; main()"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"assay {__version__}\n" if unneeded else "Usage: assay")
    heavy = {"numpy", "hashlib", "pathlib", "assay.core.note", *map(module_of, COMMANDS)} | unneeded
    assert heavy.isdisjoint(done.stderr.split())


def test_importing_the_command_loads_neither_the_sub_commands_nor_what_is_heavy():
    code = "import sys, assay.cli.main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    assert "assay.cli.main" in loaded
    heavy = {"numpy", "polars", "pandas", "rich", "scipy", *map(module_of, COMMANDS)}
    assert heavy.isdisjoint(loaded)
