"""`assay studio`: a web application where people judge, and where every number follows their votes."""

import os
from pathlib import Path

import click

from assay import studio
from assay.cli.command import Checked, Command, CommandGroup, Setting, option, subcommand, whole
from assay.cli.interrupt import unguarded
from assay.cli.options import (
    TESTING,
    Scoring,
    between_option,
    measure_options,
    pool_option,
    scoring_options,
    testing_options,
    texts_options,
)
from assay.cli.servers import body_option, header_option, path_option
from assay.cli.terminal import check_single_input, emit, say
from assay.terminal import count, named, split_measures

# In place of a file of judgments, if there is none yet.
NO_QRELS = "none"
store_option = option("--store FILE|URL", f"Where votes are kept, a file or postgresql://….  [default: {studio.STORE}]")


class StudioCommand(Command):
    """The studio, with the commands that manage one: `assay studio admin …`."""

    @property
    def commands(self) -> dict[str, click.Command]:
        return {"admin": admin}

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Checked
    ) -> click.Context:
        if args[:1] == ["admin"]:
            return admin.make_context(f"{info_name} admin", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@subcommand(
    "studio",
    "assay studio                                        the demo collection",
    "assay studio qrels.txt bm25.run dense.run --queries queries.jsonl --corpus passages.jsonl",
    "assay studio none bm25.run dense.run --corpus passages.jsonl    nothing is judged yet",
    "assay studio qrels.txt *.run --store votes.sqlite --search http://localhost:9200/search",
    "assay studio admin --help                           people, tokens and backups",
    cls=StudioCommand,
    usual="queries corpus store depth votes measures title host port no_open policies",
)
@click.argument("qrels", metavar="[QRELS]", required=False)
@click.argument("runs", nargs=-1, metavar="RUN...")
@texts_options
@store_option
@option("--host TEXT", "Address to serve at. Others need people with passwords.", default="127.0.0.1")
@option("--port", "Port to serve at.  [default: 8484, or the next free one]", type=click.IntRange(0, 65535))
@option("--allow-host NAME", "Another host name to answer for (repeatable).", to="names")
@option("--tls CERTIFICATE KEY", "Serve HTTPS with this certificate and key, two files.", nargs=2)
@option("--no-open", "Do not open the browser.")
@option("--dry-run", "Read the data, open the store, say what is there, and end.")
@measure_options(studio.MEASURES)
@option("--title TEXT", "Title of the page.  [default: the name of the judgments]")
@pool_option
@option("--votes-per-pair N", "Votes that each pair is to get.", to="votes", least=1, default=1)
@between_option
@option("--search URL", "Live retriever to search in, and to vote on its results.", to="url")
@body_option("[default: as in assay probe]")
@path_option
@header_option
@testing_options
@scoring_options(
    *TESTING,
    Setting(
        "method", str, "how votes become a grade: majority (default), mean, median, beta, wilson, quepid or dawid_skene"
    ),
    Setting("min_votes", whole, "votes that a pair needs; with fewer it stays unjudged (default 1)"),
    Setting("whose", str, "whose votes count: people (default), models or all"),
    Setting("settle", str, "measure that decides when a comparison is settled (default dcg@10)"),
    Setting("top_grade", whole, "highest grade, 1 for thumbs (default: that of judgments and votes, or 3 without any)"),
)
def command(*, qrels: str | None, runs: tuple[str, ...], scoring: Scoring, **options: Checked) -> None:
    """Serves a web application where people judge the documents that RUNs retrieved, and opens the browser.

    It shows what a report shows, live: change a vote, and every mean, interval and test follows. It says which pair to
    judge next, and when no further judgment can change which run is better. Without arguments it shows the demo
    collection. QRELS are the judgments so far, or the word none. Votes are kept in the store, and never overwritten.

    On this machine nobody has to log in. To serve others, add people with `assay studio admin add-user` first:
    docs/studio.md.
    """
    studio.need_studio()
    texts = {name: options.pop(name) for name in ("queries", "corpus")}
    check_single_input(qrels, *texts.values(), *runs)
    if qrels is not None and not runs:
        raise click.UsageError("missing RUN; name at least one run after QRELS, or leave out both for the demo")
    search = {name: options.pop(name) for name in ("url", "body", "path", "headers")}
    for name in ("body", "path", "headers"):
        if search[name] and search["url"] is None:
            raise click.UsageError(f"--{name.removesuffix('s')} is for a live retriever; add --search URL")
    known = None if qrels in (None, NO_QRELS) else scoring.qrels(str(qrels))
    read = {name: scoring.run(file) for name, file in named(runs)}
    title = options.pop("title") or (None if known is None else Path(str(qrels)).stem)
    collection = studio.read_collection(title, known, read, **texts)
    store, measures = options.pop("store"), options.pop("measures")
    studio.run_studio(
        collection,
        studio.default_store(is_demo=qrels is None) if store is None else store,
        split_measures(measures) if measures else studio.MEASURES,
        search=None if search["url"] is None else search,
        browse=not options.pop("no_open"),
        say=say,
        while_serving=unguarded(),
        **options,
        **scoring.how,
    )


@click.group(
    "admin",
    cls=CommandGroup,
    short_help="Manage the people, tokens and backups of a studio.",
    usual="store",
    examples=(
        "assay studio admin --store votes.sqlite add-user ann --admin   asks for a password",
        "assay studio admin --store votes.sqlite new-token shop         a token for a program that sends votes",
        "assay studio admin --store votes.sqlite backup copy.sqlite",
    ),
)
@store_option
@click.pass_context
def admin(ctx: click.Context, store: str | None) -> None:
    """Manages the people, tokens and backups of a studio, also while it is in use."""
    ctx.obj = studio.STORE if store is None else store


@admin.command("add-user", short_help="Add somebody who may log in, or set a new password.")
@click.argument("name", metavar="NAME")
@option(
    "--admin/--no-admin",
    "Whether they may manage the studio.  [default: unchanged, and no for somebody new]",
    to="is_admin",
    default=None,
)
@click.pass_obj
def add_user(where: str, *, name: str, is_admin: bool | None) -> None:
    """Adds NAME, who may then log in, or sets a new password for them.

    Asks for the password, or takes it from ASSAY_STUDIO_PASSWORD.
    """
    password = os.environ.get("ASSAY_STUDIO_PASSWORD") or click.prompt(
        f"Password of {name}", hide_input=True, confirmation_prompt=True, err=True
    )
    studio.add_person(where, name, password, is_admin=is_admin)
    say(f"{name} may log in")


@admin.command("new-token", short_help="Print a token for a program that sends votes.")
@click.argument("name", metavar="NAME")
@click.pass_obj
def new_token(where: str, *, name: str) -> None:
    """Prints a token for the program NAME, with which it sends votes."""
    emit(studio.add_token(where, name) + "\n")
    say(f"a token of {name}; it is not shown again")


@admin.command("revoke-tokens", short_help="Revoke the tokens of a program.")
@click.argument("name", metavar="NAME")
@click.pass_obj
def revoke_tokens(where: str, *, name: str) -> None:
    """Revokes all tokens of the program NAME."""
    say(f"revoked {count(studio.revoke_tokens(where, name), 'token')} of {name}")


@admin.command("backup", short_help="Copy the store.")
@click.argument("target", metavar="FILE")
@click.pass_obj
def backup(where: str, *, target: str) -> None:
    """Copies the store to FILE, also while it is in use."""
    studio.back_up(where, target)
    say(f"copied {where} to {target}")
