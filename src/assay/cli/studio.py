"""`assay studio`: a web application where people judge, and where every number follows their votes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.comparison_options import ComparisonOptions, comparison_options
from assay.cli.counting_options import counting_options
from assay.cli.options import (
    ScoringOptions,
    corpus_option,
    loaded,
    measure_options,
    queries_option,
    scoring_options,
    split_names,
    texts_given,
)
from assay.cli.terminal import Command, check_single_input, emit, say, source_of, watched
from assay.core.errors import DataError
from assay.core.text import count, show
from assay.studio.options import STORE, need_studio

if TYPE_CHECKING:
    from assay.studio.collection import Collection
    from assay.studio.store.store import Store
    from assay.studio.studio import Studio

MEASURES = ("ndcg@10", "dcg@10", "ap", "rr@10", "recall@100")
# In place of a file of judgments, if there is none yet.
NO_QRELS = "none"
COUNTED = ("people", "models", "all")


@click.command(
    "studio",
    cls=Command,
    short_help="Judge together, and see every number follow the votes.",
    examples=(
        "assay studio                                        the demo collection",
        "assay studio qrels.txt bm25.run dense.run --queries queries.jsonl --corpus passages.jsonl",
        "assay studio none bm25.run dense.run --corpus passages.jsonl    nothing is judged yet",
        "assay studio qrels.txt *.run --store votes.sqlite --search http://localhost:9200/search",
        "assay studio --store votes.sqlite --add-user ann    somebody who may log in; asks for a password",
        "assay studio --store votes.sqlite --new-token shop  a token for a program that sends votes",
        "assay studio --store votes.sqlite --backup copy.sqlite",
    ),
)
@click.argument("qrels", metavar="[QRELS]", required=False)
@click.argument("runs", nargs=-1, metavar="RUN...")
@queries_option
@corpus_option
@click.option(
    "--store", metavar="FILE|URL", help=f"Where votes are kept: a file, or postgresql://…  [default: {STORE}]"
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to serve at; others need people with passwords."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port to serve at.  [default: 8484, or the next that is free]"
)
@click.option(
    "--allow-host", "names", multiple=True, metavar="NAME", help="Another name that it is reached by (repeatable)."
)
@click.option("--tls-certificate", metavar="FILE", help="Certificate, to serve HTTPS.")
@click.option("--tls-key", metavar="FILE", help="Key of the certificate.")
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option("--dry-run", is_flag=True, help="Read the data and open the store, say what is there, and end.")
@measure_options(MEASURES)
@click.option("--title", metavar="TEXT", help="Title of the collection.  [default: the name of the judgments]")
@click.option(
    "--top-grade",
    "top",
    type=click.IntRange(1, 100),
    metavar="N",
    help="The highest grade; 1 is thumbs.  [default: as the judgments and votes have, at least 3 without any]",
)
@counting_options
@click.option(
    "--count", "counted", type=click.Choice(COUNTED), default=COUNTED[0], show_default=True, help="Whose votes count."
)
@click.option(
    "--votes",
    "wanted",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Votes that each pair is to get.",
)
@click.option(
    "--pool", type=click.IntRange(1, 1000), default=20, show_default=True, help="Documents of each run to judge."
)
@click.option(
    "--settle",
    default="dcg@10",
    show_default=True,
    metavar="MEASURE",
    help="Measure that decides when a comparison is settled.",
)
@click.option(
    "--between", nargs=2, metavar="RUN RUN", help="The two runs to settle.  [default: the first and the last]"
)
@click.option(
    "--search", "search_url", metavar="URL", help="A live retriever, to search in and to vote on what it returns."
)
@click.option("--search-body", metavar="JSON", help="Body to send to it, as in assay probe.")
@click.option("--search-path", metavar="PATH", help="Where its response holds the documents, as in assay probe.")
@click.option(
    "--search-header",
    "headers",
    multiple=True,
    metavar="HEADER",
    help="Header to send to it; $NAME is taken from the environment (repeatable).",
)
@click.option("--add-user", metavar="NAME", help="Add somebody who may log in, or set a new password; then end.")
@click.option(
    "--admin/--no-admin",
    default=None,
    help="With --add-user: whether they may manage the studio.  [default: as it is, at first not]",
)
@click.option("--new-token", metavar="NAME", help="Print a token for a program that sends votes; then end.")
@click.option("--revoke-tokens", metavar="NAME", help="Make the tokens of a program worthless; then end.")
@click.option("--backup", metavar="FILE", help="Copy the store, also while it is in use; then end.")
@comparison_options
@scoring_options
def command(
    *,
    qrels: str | None,
    runs: tuple[str, ...],
    queries: str | None,
    corpus: str | None,
    store: str | None,
    comparing: ComparisonOptions,
    scoring: ScoringOptions,
    **options: Any,  # noqa: ANN401 - click's, as declared above
) -> None:
    """Serves a web application where people judge the documents that RUNs retrieved, and opens the browser.

    It shows what a report shows, alive: change a vote, and every mean, interval and test follows. It says which pair
    to judge next, and when no further judgment can change which run is better. Without arguments it shows the demo
    collection. QRELS are the judgments so far, or the word none. Votes are kept in the store, and never overwritten.

    On this machine nobody has to log in. To serve others, add people with --add-user first: docs/studio.md.
    """
    need_studio()
    from assay.studio.options import default_store, need_store, open_store

    manage = {name: options.pop(name) for name in ("add_user", "admin", "new_token", "revoke_tokens", "backup")}
    wanted = [name for name, value in manage.items() if value is not None and name != "admin"]
    where = store or default_store(is_demo=qrels is None and not wanted)
    if wanted:
        if {"revoke_tokens", "backup"}.intersection(wanted):
            need_store(where)
        with open_store(where) as kept:
            manage_store(kept, where, **manage)
        return
    check_certificate(options["tls_certificate"], options["tls_key"])
    check_single_input((*filter(None, (qrels, queries, corpus)), *runs))
    if qrels is not None and not runs:
        raise click.UsageError("missing RUN; name at least one run after QRELS, or leave out both for the demo")
    with loaded(scoring.files):
        collection = read_collection(qrels, runs, texts_given(queries, corpus), options.pop("title"), scoring)
        run_studio(collection, where, comparing, scoring, **options)


def check_certificate(certificate: str | None, key: str | None) -> None:
    """Raises unless a certificate and its key are given together."""
    for given, other, named in ((certificate, key, "--tls-key"), (key, certificate, "--tls-certificate")):
        if given is not None and other is None:
            raise click.UsageError(f"HTTPS needs a certificate and its key; add {named} FILE")


def manage_store(
    store: Store,
    where: str,
    *,
    add_user: str | None,
    admin: bool | None,
    new_token: str | None,
    revoke_tokens: str | None,
    backup: str | None,
) -> None:
    """Does what needs no server."""
    if add_user is not None:
        password = os.environ.get("ASSAY_STUDIO_PASSWORD") or click.prompt(
            f"Password of {add_user}", hide_input=True, confirmation_prompt=True, err=True
        )
        if len(password) < 8:  # noqa: PLR2004 - as the API asks
            raise DataError("a password needs at least 8 characters")
        store.add_voter(add_user, password=password, is_admin=admin)
        say(f"{add_user} may log in")
    if new_token is not None:
        emit(store.add_token(new_token) + "\n")
        say(f"a token of {new_token}; it is not shown again")
    if revoke_tokens is not None:
        say(f"revoked {count(store.revoke_tokens(revoke_tokens), 'token')} of {revoke_tokens}")
    if backup is not None:
        store.backup(backup)
        say(f"copied {where} to {backup}")


def read_collection(
    qrels: str | None, runs: tuple[str, ...], texts: dict[str, Any], title: str | None, scoring: ScoringOptions
) -> Collection:
    """The collection in the files, or the demo."""
    from assay.data.run import Run, name_runs
    from assay.studio.collection import demo_files, open_collection

    if qrels is None:
        with demo_files() as demo:
            return open_collection(**demo)
    known = None if qrels == NO_QRELS else scoring.load_qrels(qrels)
    named = {}
    for name, path in name_runs(list(runs)).items():
        with watched(str(path)):
            named[name] = Run(source_of(str(path)), format=scoring.run_format)
    shown = title or (Path(qrels).stem if known is not None else "assay studio")
    return open_collection(shown, known, named, **texts)


def run_studio(
    collection: Collection,
    where: str,
    comparing: ComparisonOptions,
    scoring: ScoringOptions,
    *,
    measures: tuple[str, ...],
    top: int | None,
    method: str,
    min_votes: int,
    counted: str,
    wanted: int,
    pool: int,
    settle: str,
    between: tuple[str, str] | None,
    search_url: str | None,
    search_body: str | None,
    search_path: str | None,
    headers: tuple[str, ...],
    host: str,
    port: int | None,
    names: tuple[str, ...],
    tls_certificate: str | None,
    tls_key: str | None,
    no_open: bool,
    dry_run: bool,
) -> None:
    """Opens the store and serves the studio."""
    from assay.cli.interrupt import unguarded
    from assay.studio.judgments import Counting
    from assay.studio.options import check_measures, check_store, open_store
    from assay.studio.search import LiveSearch
    from assay.studio.serve import Address, check_files, check_people, serve
    from assay.studio.studio import Studio, StudioSettings

    settings = StudioSettings(
        measures=split_names(measures) or list(MEASURES),
        comparing=comparing.settings(collection.runs),
        counting=Counting(method, min_votes, counted),
        depth=pool,
        votes=wanted,
        settle=settle,
        between=check_between(between, collection),
        scoring={"convention": scoring.convention, **scoring.policies},
        top=top,
    )
    check_measures(settings)
    address = Address(host, port, names, tls_certificate, tls_key)
    check_files(address)
    search = None
    if search_url is not None:
        search = LiveSearch(search_url, body=search_body, path=search_path, headers=headers)
    with open_store(where) as store:
        check_people(store, address)
        check_store(store, collection, where)
        studio = Studio(collection, store, settings, search)
        say(described(studio, where))
        if dry_run:
            studio.close()
        else:
            with unguarded():
                serve(studio, address, browse=not no_open, say=say)


def check_between(names: tuple[str, str] | None, collection: Collection) -> tuple[str, str] | None:
    """The two runs to settle, which must be there."""
    for name in names or ():
        if name not in collection.runs:
            raise DataError(
                f"--between: unknown run {show(name)}; the runs are {', '.join(map(show, collection.runs))}"
            )
    if names and names[0] == names[1]:
        raise DataError(f"--between names {show(names[0])} twice; name two runs")
    return names


def described(studio: Studio, where: str) -> str:
    """What a studio has, in one line."""
    known = studio.progress()
    queries, runs = count(len(studio.live.queries), "query", "queries"), count(len(studio.live.runs), "run")
    judged = f"{known['pairs']:,} of {count(known['of'], 'pair')} judged"
    return f"{queries}, {runs}, {judged}; {count(known['votes'], 'vote')} in {where}"
