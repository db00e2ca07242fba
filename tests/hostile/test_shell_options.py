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


def options_of(command):
    return [
        each for each in command.params if isinstance(each, click.Option) and not each.is_flag and each.name != "help"
    ]


def cases():
    with click.Context(commands) as context:
        for name, command in leaves(commands, context):
            if name in TRIED:
                for option in options_of(command):
                    yield name, option


def of_kind(*kinds):
    return [(name, each) for name, each in cases() if isinstance(each.type, kinds)]


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


def check_refusal(result, value):
    assert (result.exit_code, result.stdout) == (2, ""), (value, result.output)
    assert result.stderr.strip(), value


@for_each(("name", "option"), of_kind(click.types.IntParamType))
def test_whole_numbers(refused, name, option, tried):
    for value in NOT_WHOLE:
        check_refusal(refused(name, option, value), value)
    tried(len(NOT_WHOLE))


@for_each(("name", "option"), of_kind(click.IntRange))
def test_whole_numbers_out_of_range(refused, name, option):
    low, high = option.type.min, option.type.max
    for value in ([] if low is None else [low - 1]) + ([] if high is None else [high + 1]):
        check_refusal(refused(name, option, str(value)), value)


@for_each(("name", "option"), of_kind(click.types.FloatParamType))
def test_numbers(refused, name, option, tried):
    for value in [*NUMBERS, "nan", "inf", "-inf"]:
        check_refusal(refused(name, option, value), value)
    tried(len(NUMBERS) + 3)


@for_each(("name", "option"), of_kind(click.Choice))
def test_choices(refused, name, option, tried):
    first = next(iter(option.type.choices))
    wrong = ["x", "", first.upper(), f"{first} ", f"{first},{first}", "x" * 5_000, "\x1b[2J"]
    for value in wrong:
        if value not in option.type.choices:
            check_refusal(refused(name, option, value), value)
    tried(len(wrong))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        # Each of a probe's waits for a server that is not there.
        pytest.param(name, each, id=f"{name} {each.opts[-1]}", marks=[pytest.mark.hostile] if name == "probe" else [])
        for name, each in cases()
        if not isinstance(each.type, (click.types.IntParamType, click.types.FloatParamType, click.Choice))
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
