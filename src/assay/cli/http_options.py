"""Options of the commands that query a live retriever: what is sent, and where its answer is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.errors import AssayError, FileError
from assay.files.source import read_text

if TYPE_CHECKING:
    from assay.cli.settings import Decorator


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
    return click.option(
        "--body",
        metavar="JSON",
        callback=read_body,
        help="Body to send. {query} and {k} are replaced by the query and k; @FILE reads the body from a file.  "
        + default,
    )


path_option = click.option(
    "--path",
    metavar="PATH",
    help="Where the list of documents is in a response, such as data.hits. A dot is the whole response.",
)
header_option = click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Header to send (repeatable). $NAME in the value is taken from the environment, to keep keys out of commands.",
)
