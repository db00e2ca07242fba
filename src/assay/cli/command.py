"""Commands that explain themselves: `-h` prints one screen, `--help` everything; and options that set things by name.

One screen is the purpose, three examples and the options that people use. Rare choices, as in
`--policy ties=input --policy rel=2`, are settings of one option rather than options of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from assay.errors import AssayError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# What click has read and checked, or hands over.
Checked = Any
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
# What a help text ends with that is not its first sentence.
DEFAULT = re.compile(r"\s*(\[default: [^\]]*\])$")
SENTENCE = re.compile(r"(?<=[^.])[.:](?=\s|$)")
FEW = 3


class Text(click.types.StringParamType):
    """Text that a shell completes: with names of measures, else with files."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - as click calls it
        from click.shell_completion import CompletionItem

        if param.name not in ("measures", "name"):
            return [CompletionItem(incomplete, type="file")]
        from assay import explain

        return [CompletionItem(name) for name in explain() if name.startswith(incomplete)]


class Command(click.Command):
    """A command with examples, two lengths of help, and `usual`: the names of the options that people use."""

    def __init__(self, *args: Checked, examples: tuple[str, ...] = (), usual: str = "", **options: Checked) -> None:
        super().__init__(*args, **options)
        self.examples = examples
        self.usual = usual.split()
        for parameter in self.params:
            if parameter.type is click.STRING:
                parameter.type = Text()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name != "--limit":
                raise
            raise click.UsageError(
                f"--limit goes before the command: assay --limit NAME=N {self.name} …", ctx
            ) from None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        flag: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": self.print_short}
        *own, everything = super().get_params(ctx)
        return [*own, click.Option(["-h"], help="Show one screen of help.", **flag), everything]

    def print_short(self, ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        """Prints one screen of help."""
        if not wanted or ctx.resilient_parsing:
            return
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        with formatter.indentation():
            formatter.write_paragraph()
            formatter.write_text((self.help or "").split("\n\n")[0])
        write_examples(formatter, self.examples[:FEW])
        self.format_usual(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(f"`{ctx.command_path} --help` explains everything.")
        click.echo(formatter.getvalue().rstrip("\n"))
        ctx.exit()

    def format_usual(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options that people use, each in a sentence."""
        known = {each.name: each.get_help_record(ctx) for each in self.params if each.name in self.usual}
        if records := [(record[0], brief(record[1])) for name in self.usual if (record := known[name])]:
            with formatter.section("Options"):
                formatter.write_dl(records)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        write_examples(formatter, self.examples)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        for parameter in self.params:
            if settings := getattr(parameter, "settings", {}):
                with formatter.section(parameter.title):  # type: ignore[attr-defined]
                    formatter.write_dl([(name, f"{each.help}.") for name, each in settings.items()])


class CommandGroup(Command, click.Group):
    """A group of commands, which its help lists."""

    command_class = Command

    def format_usual(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        super().format_usual(ctx, formatter)


def subcommand(name: str, *examples: str, usual: str = "", cls: type[Command] = Command) -> Callable[..., Command]:
    """A command by its name, examples of its use, and the names of the options that people use."""
    return click.command(name, cls=cls, examples=examples, usual=usual)


def refuse(wrong: Mapping[str, object]) -> None:
    """Raises the first of these messages that applies: options that exclude each other, or have no effect."""
    if message := next((message for message, applies in wrong.items() if applies), None):
        raise click.UsageError(message)


def is_told(name: str) -> bool:
    """Whether a parameter of the running command was given, and does not only have its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def brief(text: str) -> str:
    """The first sentence of a help text, with the default.

    >>> brief("Significance test: t, sign.  [default: t]"), brief("Measure (repeatable).")
    ('Significance test.  [default: t]', 'Measure (repeatable).')
    """
    default = DEFAULT.search(text)
    sentence = SENTENCE.split(DEFAULT.sub("", text), maxsplit=1)[0]
    return f"{sentence}.  {default[1]}" if default else f"{sentence}."


def write_examples(formatter: click.HelpFormatter, examples: tuple[str, ...]) -> None:
    """Lines to copy and run; unlike other text they are never wrapped."""
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


def option(
    shown: str, help: str, *, to: str = "", choices: Sequence[str] = (), least: int | None = None, **more: Checked
) -> Decorator:
    """An option by what help shows of it: its names, and what stands for its value, as in `-o --output FILE`.

    Without a value or a type it is a flag. One that is "(repeatable)" may be given many times. `to` names the
    parameter if it is not called as the option is. The first of the `choices` is the default; `least` is for numbers.
    """
    names = [word for word in shown.split() if word.startswith("-")]
    metavar = " ".join(shown.split()[len(names) :])
    if choices:
        more = {"type": click.Choice(choices), "default": choices[0], **more}
    if least is not None:
        more["type"] = click.IntRange(min=least)
    if metavar:
        more["metavar"] = metavar
    elif "type" not in more:
        more["is_flag"] = True
    if "(repeatable" in help:
        more["multiple"] = True
    said = f"{help}: {', '.join(choices)}." if choices and metavar else help
    return click.option(*names, *filter(None, [to]), help=said, **{"show_default": "default" in more, **more})


class Setting(NamedTuple):
    """What can be set: its name, what reads its value, what it means, and the values that a shell completes."""

    name: str
    read: Callable[[str], Any]
    help: str
    choices: tuple[str, ...] = ()


class SettingsOption(click.Option):
    """A repeatable option that sets one thing each time; the command gets all of them as a dict."""

    def __init__(self, *names: Checked, settings: tuple[Setting, ...], noun: str, title: str, **more: Checked) -> None:
        super().__init__(*names, **{"multiple": True, "metavar": "NAME=VALUE", **more})
        self.settings = {each.name: each for each in settings}
        self.noun, self.title = noun, title

    def process_value(self, ctx: click.Context, value: Checked) -> dict[str, Checked]:
        found: dict[str, Checked] = {}
        for pair in super().process_value(ctx, value):
            key, is_pair, text = pair.partition("=")
            name = key.strip().replace("-", "_")
            self.check_name(name)
            if not is_pair:
                raise click.BadParameter(f"{name!r} has no value; write {name}=VALUE", param=self)
            if name in found:
                raise click.BadParameter(f"{name} is set twice", ctx, self)
            try:
                found[name] = self.settings[name].read(text)
            except (AssayError, click.BadParameter) as error:
                said = str(getattr(error, "message", error))
                said = said if said.startswith(name) else f"{name}: {said}"
                raise click.BadParameter(said, ctx, self) from None
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - as click calls it
        """Names, each with an equals sign; once one name is left, its values."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.settings if name.startswith(incomplete.partition("=")[0])]
        pairs = [f"{name}={value}" for name in names for value in self.settings[name].choices]
        offered = pairs if pairs and (len(names) == 1 or "=" in incomplete) else [f"{name}=" for name in names]
        return [CompletionItem(each) for each in offered if each.startswith(incomplete)]

    def check_name(self, name: str) -> None:
        """Raises for a name that cannot be set, with those that may be meant."""
        if name in self.settings:
            return
        from difflib import get_close_matches

        near = get_close_matches(name, self.settings, 2, 0.6)
        said = f"did you mean {' or '.join(near)}? The" if near else "the"
        plural = f"{self.noun[:-1]}ies" if self.noun.endswith("y") else f"{self.noun}s"
        known = f"{said} {plural} are {', '.join(self.settings)}"
        raise click.BadParameter(f"unknown {self.noun} {name!r}; {known}", param=self)


class FiniteType(click.types.FloatParamType):
    """A number, neither infinite nor NaN."""

    def convert(self, value: Checked, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found: float = super().convert(value, param, ctx)
        if not abs(found) < float("inf"):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return found


FINITE = FiniteType()
# What a setting can be, apart from text.
number: Callable[[str], float] = partial(FINITE.convert, param=None, ctx=None)
whole: Callable[[str], int] = partial(click.INT.convert, param=None, ctx=None)
truth: Callable[[str], bool] = partial(click.BOOL.convert, param=None, ctx=None)


def pair_of(form: str, example: str) -> Callable[[str], tuple[float, float]]:
    """What reads two numbers with a comma between them."""

    def read(text: str) -> tuple[float, float]:
        try:
            first, second = map(float, text.split(","))
        except ValueError:
            raise click.BadParameter(f"{text!r} is not of the form {form}, such as {example}") from None
        return first, second

    return read
