"""The options of commands that ask an LLM judge, and the judge that they describe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import stacked

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.tasks.judge.judge import Judge

PREFIX = "judge_"


def read_prices(_: click.Context, __: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """`SENT,REPLY`: what a million tokens cost."""
    if value is None:
        return None
    try:
        sent, reply = map(float, value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not of the form SENT,REPLY, such as 0.15,0.6") from None
    return sent, reply


def judge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--judge` and how it is asked."""
    at_least_one = click.IntRange(min=1)
    return stacked(
        command,
        (
            click.option(
                "--judge",
                "judge_source",
                metavar="URL|FILE",
                help="LLM for measures that are judged: a server with OpenAI's interface, such as "
                "http://localhost:8000/v1, or a GGUF file. The key is taken from ASSAY_JUDGE_KEY.",
            ),
            click.option("--judge-model", metavar="NAME", help="Model on the judge's server."),
            click.option("--embedder", "judge_embedder", metavar="NAME", help="Model there for embeddings."),
            click.option(
                "--judge-cache",
                metavar="FILE",
                help="File that keeps replies, so that nothing is asked twice.  [default: in your cache directory]",
            ),
            click.option("--samples", "judge_samples", type=at_least_one, help="Draws of each verdict.  [default: 1]"),
            click.option("--temperature", "judge_temperature", type=click.FloatRange(min=0), help="[default: 0]"),
            click.option(
                "--concurrency", "judge_concurrency", type=at_least_one, help="Requests at a time.  [default: 8]"
            ),
            click.option("--context", "judge_context", type=at_least_one, help="Window of the model in tokens."),
            click.option("--max-tokens", "judge_max_tokens", type=at_least_one, help="Longest reply.  [default: 2048]"),
            click.option(
                "--prices",
                "judge_prices",
                metavar="SENT,REPLY",
                callback=read_prices,
                help="What a million tokens cost, sent and replied.",
            ),
            click.option("--max-cost", "judge_max_cost", type=click.FloatRange(min=0), help="Cost at which to stop."),
        ),
    )


def take_judge(options: dict[str, Any]) -> Judge | None:
    """The judge of the options, which are taken out; None if there is none."""
    given = {name.removeprefix(PREFIX): options.pop(name) for name in list(options) if name.startswith(PREFIX)}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return None
    source = given.pop("source", None)
    if source is None:
        raise click.UsageError(f"--{next(iter(given)).replace('_', '-')} needs --judge, the LLM that is asked.")
    from assay.tasks.judge.judge import Judge

    return Judge(source, **given)
