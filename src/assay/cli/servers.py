"""Options of commands that ask a server: an LLM judge, or a live retriever."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from assay.cli.command import Checked, Decorator, Setting, SettingsOption, number, option, pair_of, truth, whole
from assay.cli.options import stacked
from assay.cli.terminal import emit, say
from assay.errors import AssayError, FileError
from assay.terminal import read_text

SETTINGS = (
    Setting("embedder", str, "model on the judge's server for embeddings"),
    Setting("offline", truth, "yes: ask nothing; only the replies in the cache count"),
    Setting("prompts", str, 'TOML file with your own prompts, by name: support = "…"; see assay measures NAME'),
    Setting("samples", whole, "times to ask for each verdict (default 1)"),
    Setting("temperature", number, "temperature of sampling (default 0)"),
    Setting("seed", whole, "seed of sampling (default 0)"),
    Setting("concurrency", whole, "requests at a time (default 8)"),
    Setting("context", whole, "context window of the model in tokens"),
    Setting("max_tokens", whole, "longest reply in tokens (default 2048)"),
    Setting("tokens_per_minute", whole, "the server's limit of tokens per minute"),
    Setting("timeout", number, "seconds per request (default 120)"),
    Setting("retries", whole, "retries of a failed request (default 3)"),
    Setting(
        "prices", pair_of("INPUT,OUTPUT", "0.15,0.6"), "price per million input and output tokens, such as 0.15,0.6"
    ),
    Setting("max_cost", number, "cost at which to stop; needs prices"),
)
OPTIONS = (
    option(
        "--judge URL|FILE",
        "LLM that judges: a server, or a GGUF file. A server has OpenAI's interface, such as "
        "http://localhost:8000/v1; its key is taken from ASSAY_JUDGE_KEY.",
    ),
    option("--judge-model NAME", "Model on the judge's server."),
    option(
        "--judge-cache FILE",
        "File that keeps replies, so that nothing is asked twice.  [default: in your cache directory]",
    ),
    option(
        "--judge-option NAME=VALUE",
        "Set how the judge is asked, such as concurrency=16 (repeatable). `--help` lists all.",
        to="judge_options",
        cls=SettingsOption,
        settings=SETTINGS,
        noun="judge option",
        title="Options of the judge (--judge-option NAME=VALUE)",
    ),
    option(
        "--dry-run",
        "Ask nothing, and estimate the calls, the tokens and the cost. The cost needs --judge-option prices=….",
    ),
)


def judge_options(*, is_needed: bool = False) -> Decorator:
    """`--judge` and how it is asked, as the judge or None; in the end it is said what was asked, or would be."""

    def decorate(command: Callable[..., None]) -> Callable[..., Any]:
        @wraps(command)
        def run(*, judge: str | None, judge_options: dict[str, Any], dry_run: bool, **options: Checked) -> None:
            how = {name: options.pop(f"judge_{name}") for name in ("model", "cache")}
            told = {f"--judge-{name}": value is not None for name, value in how.items()}
            told |= {"--judge-option": bool(judge_options), "--dry-run": dry_run}
            if judge is None:
                if useless := [name for name, is_told in told.items() if is_told]:
                    raise click.UsageError(f"{useless[0]} needs --judge, the LLM to ask")
                if is_needed:
                    raise click.UsageError("name an LLM: --judge URL or --judge FILE.gguf")
                command(judge=None, **options)
                return
            from assay import Judge

            asked = Judge(judge, **how, **judge_options)
            if dry_run:
                with asked.dry_run() as estimate:
                    command(judge=asked, **options)
                emit(f"{estimate}\n")
            else:
                command(judge=asked, **options)
                say(str(asked.usage))

        return stacked(run, OPTIONS)

    return decorate


def read_body(_: click.Context, __: click.Parameter, body: str | None) -> str | None:
    """The body, from a file if it begins with @."""
    if body is None or not body.startswith("@"):
        return body
    try:
        return read_text(body[1:])
    except (AssayError, UnicodeError) as error:
        raise FileError(f"the body cannot be read from {body[1:]!r}: {error}") from None


def body_option(default: str) -> Decorator:
    """`--body`."""
    return option(
        "--body JSON",
        "Body to send. {query} and {k} are replaced by the query and k; @FILE reads the body from a file.  " + default,
        callback=read_body,
    )


path_option = option(
    "--path PATH", "Where the list of documents is in a response, such as data.hits. A dot is the whole response."
)
header_option = option(
    "--header 'NAME: VALUE'",
    "Header to send (repeatable). $NAME in the value is taken from the environment, to keep keys out of commands.",
    to="headers",
)
