"""Help written for people: what a command does, examples of it, then its options."""

from __future__ import annotations

from typing import Any

import click


class PolicyOption(click.Option):
    """An option that sets a policy; help lists these apart."""


class Command(click.Command):
    """A command with examples, which stand right after what it does."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **options: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(*args, **options)
        self.examples = examples

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        write_examples(formatter, self.examples)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Policies (by default the convention's)": []}
        ordinary, policies = sections.values()
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):
                (policies if isinstance(parameter, PolicyOption) else ordinary).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def write_examples(formatter: click.HelpFormatter, examples: tuple[str, ...]) -> None:
    """Lines that can be typed as they stand; unlike text they are never wrapped."""
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
