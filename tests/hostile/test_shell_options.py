"""Every option of every command with values of the wrong type, out of range, empty, overlong and not printable.

The commands and their options are those that click knows, so that none is forgotten.
"""

import click
import pytest
from click.testing import CliRunner

from assay.cli.main import commands
from every_command import COMMANDS, arguments_of, leaves, write_files
from tables import for_each

pytestmark = [pytest.mark.attack("Options"), pytest.mark.filterwarnings("ignore::assay.DataWarning")]
NOBODY = "http://127.0.0.1:9"
# trec_eval's options are trec_eval's own; commands without a language model have no arguments that work.
TRIED = [name for name, arguments in COMMANDS.items() if arguments is not None and name != "trec_eval"]
NUMBERS = ["x", "", "1.5.1", "0x10", "1e", "--", "１x", "None", "\x1b[2J", "[1]", "1 2"]
NOT_WHOLE = [*NUMBERS, "1.5", "nan", "inf"]
TEXTS = ["", "x" * 5_000, "\x1b[2J", "a\nb", "=", "{{x}}", "9" * 500, "\udcff"]


def wrong_values(kind):
    """The values that an option of this type refuses; none of what may be any text."""
    if isinstance(kind, click.Choice):
        first = next(iter(kind.choices))
        wrong = ["x", "", first.upper(), f"{first} ", f"{first},{first}", "x" * 5_000, "\x1b[2J"]
        return [value for value in wrong if value not in kind.choices]
    if isinstance(kind, click.types.FloatParamType):
        return [*NUMBERS, "nan", "inf", "-inf"]
    bounds = [(kind.min, -1), (kind.max, 1)] if isinstance(kind, click.IntRange) else []
    beyond = [str(end + step) for end, step in bounds if end is not None]
    return [*NOT_WHOLE, *beyond] if isinstance(kind, click.types.IntParamType) else []


CASES = [
    (name, option)
    for name, command in leaves(commands, click.Context(commands))
    for option in command.params
    if name in TRIED and isinstance(option, click.Option) and not option.is_flag and option.name != "help"
]


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Runs a command with one more option; it must end in a sentence, with exit code 2."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)

    def run(name, option, value):
        flag = option.opts[-1]
        given = [f"{flag}={value}"] if flag.startswith("--") else [flag, value]
        result = CliRunner().invoke(commands, [*arguments_of(name, NOBODY), *given])
        assert result.exception is None or isinstance(result.exception, SystemExit), (value, result.exception)
        assert "Traceback" not in result.output
        assert all(line.isprintable() for line in result.stderr.splitlines()), (value, result.stderr)
        return result

    return run


@for_each(("name", "option"), [(name, option) for name, option in CASES if wrong_values(option.type)])
def test_numbers_and_choices(refused, name, option, tried):
    wrong = wrong_values(option.type)
    for value in wrong:
        result = refused(name, option, value)
        assert (result.exit_code, result.stdout) == (2, ""), (value, result.output)
        assert result.stderr.strip(), value
    tried(len(wrong))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        # Each of a probe's waits for a server that is not there.
        pytest.param(name, each, id=f"{name} {each.opts[-1]}", marks=[pytest.mark.hostile] if name == "probe" else [])
        for name, each in CASES
        if not wrong_values(each.type)
    ],
)
def test_texts(refused, name, option, tried):
    for value in TEXTS:
        result = refused(name, option, value)
        assert result.exit_code in (0, 1, 2), value
        assert result.exit_code != 2 or result.stderr.strip(), value
    tried(len(TEXTS))


@for_each("name", TRIED)
@pytest.mark.usefixtures("refused")
def test_what_is_not_an_option(name):
    for wrong in (["--no-such-option"], ["--no-such-option=1"], ["-Z"], ["--format"], ["--", "--no-such-file"]):
        result = CliRunner().invoke(commands, [*arguments_of(name, NOBODY), *wrong])
        assert result.exception is None or isinstance(result.exception, SystemExit), wrong
        # A file that is not there is among what `check` finds.
        assert result.exit_code == (1 if name == "check" and wrong[0] == "--" else 2), (wrong, result.output)
