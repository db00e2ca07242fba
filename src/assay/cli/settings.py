"""Options that set one of many things, `--policy NAME=VALUE`: what there is, and what a value may be.

Rare choices are settings of one option rather than options of their own. They are checked as strictly: an unknown name
is told with the nearest one, a wrong value with the right ones, and a name that is set twice is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from typing import Any, NamedTuple

import click

from assay import AssayError, Policies

Read = Callable[[str], Any]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Setting(NamedTuple):
    """What can be set: its name, what reads its value, and what it means."""

    name: str
    read: Read
    help: str


class SettingsOption(click.Option):
    """A repeatable option that sets one thing each time; the command gets all of them as a dict."""

    def __init__(self, *names: Any, settings: tuple[Setting, ...], noun: str, title: str, **more: Any) -> None:  # noqa: ANN401 - click's signature
        super().__init__(*names, **{"multiple": True, "metavar": "NAME=VALUE", **more})
        self.settings = {each.name: each for each in settings}
        self.noun = noun
        self.plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
        self.title = title

    def process_value(self, ctx: click.Context, value: Any) -> dict[str, Any]:  # noqa: ANN401 - click's signature
        found: dict[str, Any] = {}
        for pair in super().process_value(ctx, value):
            name, is_pair, text = pair.partition("=")
            setting = self.find(name.strip().replace("-", "_"), pair if is_pair else "")
            if setting.name in found:
                raise click.BadParameter(f"{setting.name} is set twice", ctx, self)
            try:
                found[setting.name] = setting.read(text)
            except (AssayError, click.BadParameter) as error:
                said = str(getattr(error, "message", error))
                said = said if said.startswith(setting.name) else f"{setting.name}: {said}"
                raise click.BadParameter(said, ctx, self) from None
        return found

    def find(self, name: str, pair: str) -> Setting:
        """The setting of that name, in a pair that names it."""
        if name not in self.settings:
            near = get_close_matches(name, self.settings, 2, 0.6)
            said = f"did you mean {' or '.join(near)}? The" if near else "the"
            known = f"{said} {self.plural} are {', '.join(self.settings)}"
            raise click.BadParameter(f"unknown {self.noun} {name!r}; {known}", param=self)
        if not pair:
            raise click.BadParameter(f"{name!r} has no value; write {name}=VALUE", param=self)
        return self.settings[name]


def number(text: str) -> float:
    """A finite number."""
    return FINITE.convert(text, None, None)  # type: ignore[no-any-return]


def whole(text: str) -> int:
    """A whole number."""
    found: int = click.INT.convert(text, None, None)  # type: ignore[arg-type]
    return found


def truth(text: str) -> bool:
    """Yes or no."""
    return click.BOOL.convert(text, None, None)


class FiniteType(click.types.FloatParamType):
    """A number, neither infinite nor NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - click's signature
        found = super().convert(value, param, ctx)
        if not abs(found) < float("inf"):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return found


FINITE = FiniteType()
RULES = r"""the rule that turns ids of chunks into ids of documents: before:# or before_last:_ (the id up to the first
or last separator), after:/ or after_last:/, regex:^(.+)-\d+$ (with one group), or a field, such as metadata.source"""
POLICIES = tuple(
    Setting(name, partial(Policies.read, name), " ".join(RULES.split()) if name == "doc_id" else text)
    for name, text in Policies.meanings().items()
)
# How runs are tested against each other, apart from the test.
TESTING = (
    Setting("correction", str, "correction for multiple comparisons: holm (default), bonferroni, bh, by or none"),
    Setting("family", str, "correct over the pairs of each measure (measure, default), or over all measures (all)"),
    Setting("alpha", number, "significance level (default 0.05)"),
    Setting("samples", whole, "random samples that the test draws (default: depends on the test)"),
    Setting("seed", whole, "random seed; the same seed gives the same numbers (default 0)"),
)


def policy_option(*extra: Setting, only: tuple[str, ...] | None = None) -> Decorator:
    """`--policy`: those of scoring, or `only` some of them, and what else a command's numbers depend on."""
    settings = (*(each for each in POLICIES if only is None or each.name in only), *extra)
    return click.option(
        "--policy",
        "policies",
        cls=SettingsOption,
        settings=settings,
        noun="policy",
        title="Policies (--policy NAME=VALUE; default: those of the convention)",
        help="Set a choice that the numbers depend on, such as ties=input (repeatable). `--help` lists all.",
    )
