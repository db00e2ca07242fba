"""The options of commands that ask an LLM judge, and the judge that they describe."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import stacked
from assay.cli.terminal import emit, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.tasks.judge.judge import Judge

PREFIX = "judge_"
# Options whose name says that they belong to the judge.
SPELLED = {name: f"--judge-{name}" for name in ("model", "cache", "timeout", "retries", "seed")}


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
    """`--judge` and how it is asked; the command gets the judge, or None if there is none."""
    return with_judge(command, is_needed=False)


def judge_needed(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a command that cannot do without."""
    return with_judge(command, is_needed=True)


def with_judge(command: Callable[..., Any], *, is_needed: bool) -> Callable[..., Any]:
    """The options, and the judge that they describe in their place."""
    at_least_one = click.IntRange(min=1)
    return stacked(
        asking(command, is_needed=is_needed),
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
            click.option(
                "--offline",
                "judge_offline",
                is_flag=True,
                default=None,
                help="Ask nothing; only the replies in the cache count.",
            ),
            click.option(
                "--prompts",
                "judge_prompts",
                metavar="FILE.toml",
                help='Own words for prompts, by name: support = "…"; assay measures NAME shows the names.',
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
            click.option(
                "--judge-timeout",
                type=click.FloatRange(min=0, min_open=True),
                help="Seconds per request.  [default: 120]",
            ),
            click.option(
                "--judge-retries", type=click.IntRange(min=0), help="Retries of a failed request.  [default: 3]"
            ),
            click.option("--judge-seed", type=click.IntRange(min=0), help="Seed of sampling.  [default: 0]"),
            click.option(
                "--tokens-per-minute",
                "judge_tokens_per_minute",
                type=at_least_one,
                help="Limit of the server's tokens.",
            ),
            click.option(
                "--dry-run",
                "judge_dry_run",
                is_flag=True,
                default=None,
                help="Ask nothing; say how many calls and tokens it would take, and the cost with --prices.",
            ),
            click.option("--max-cost", "judge_max_cost", type=click.FloatRange(min=0), help="Cost at which to stop."),
        ),
    )


def asking(command: Callable[..., None], *, is_needed: bool) -> Callable[..., None]:
    """The command with the judge of its options; it says in the end what was asked, or in a dry run what would be."""

    @wraps(command)
    def run(**options: Any) -> None:  # noqa: ANN401 - click has checked them
        judge, is_dry = take_judge(options)
        if judge is None:
            if is_needed:
                raise click.UsageError("an LLM is needed: --judge URL or --judge FILE.gguf.")
            command(judge=None, **options)
        elif is_dry:
            with judge.dry_run() as estimate:
                command(judge=judge, **options)
            emit(f"{estimate}\n")
        else:
            command(judge=judge, **options)
            say(str(judge.usage))

    return run


def take_judge(options: dict[str, Any]) -> tuple[Judge | None, bool]:
    """The judge of the options, which are taken out, and whether it is to ask nothing; None if there is no judge."""
    given = {name.removeprefix(PREFIX): options.pop(name) for name in list(options) if name.startswith(PREFIX)}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return None, False
    source = given.pop("source", None)
    if source is None:
        name = next(iter(given)).replace("_", "-")
        raise click.UsageError(f"{SPELLED.get(name, f'--{name}')} needs --judge, the LLM that is asked.")
    from assay.tasks.judge.judge import Judge

    if "prompts" in given:
        from assay.tasks.judge.prompts import read_prompts

        given["prompts"] = read_prompts(given["prompts"])
    is_dry = given.pop("dry_run", False)
    return Judge(source, **given), is_dry
