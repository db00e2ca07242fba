"""The command `assay`: finds the subcommand, and turns errors into one line and an exit code.

Exit codes: 0 fine, 1 a check failed, 2 bad input or usage or no output, 130 Ctrl-C, 141 the output was closed.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from typing import IO, Any

import click

from assay.__main__ import FAILED, INTERRUPTED, TOO_MANY_FILES
from assay._kernel import __version__
from assay.cli.terminal import prepare_streams, say, write_examples
from assay.core.errors import AssayError, is_out_of_files, is_out_of_threads
from assay.core.interface import INTERFACE, Interface

# The subcommands, each in the module of its name, and what `assay --help` says of them. A subcommand is imported only
# when it is used: each takes time to load.
COMMANDS = {
    "eval": "Score runs against judgments.",
    "compare": "Compare runs: which is better, and is it significant?",
    "diff": "Show which queries changed between two runs, and why.",
    "report": "Write one HTML file, from the verdict down to the passages.",
    "audit": "Show why tools report different numbers.",
    "agree": "Show how far two sets of judgments or of scores agree.",
    "studio": "Judge together, and see every number follow the votes.",
    "votes": "Make judgments from people's votes.",
    "clicks": "Make judgments from people's clicks.",
    "next": "Show what to judge next, and whether it can matter.",
    "plot": "Draw a chart of runs, records or judges.",
    "gate": "Stop a build if retrieval got worse.",
    "rag": "Score retrieval and answers of a RAG system.",
    "judge": "Judgments, questions and preferences from an LLM.",
    "probe": "Ask a live retriever over HTTP, and score what it returns.",
    "check": "Find out what is wrong with your data.",
    "convert": "Convert judgments or a run to another format.",
    "measures": "List the measures, or explain one.",
    "demo": "See assay at work on a small collection.",
    "trec_eval": "Drop-in for trec_eval 10, only faster.",
}
EXAMPLES = (
    "assay demo                                 see it at work on a small collection",
    "assay eval qrels.txt bm25.run              score a run",
    "assay eval qrels.txt bm25.run dense.run    score several runs",
    "assay compare qrels.txt bm25.run dense.run which is better, and is the difference significant?",
    "assay diff qrels.txt bm25.run dense.run    which queries changed, and why?",
    "assay report qrels.txt bm25.run dense.run  one HTML file, from the verdict down to the passages",
    "assay audit qrels.txt bm25.run -m map      why do tools report different numbers?",
    "assay agree human.txt judge.txt            how far do two sets of judgments agree?",
    "assay studio qrels.txt bm25.run dense.run  judge together, and see every number follow the votes",
    "assay votes votes.csv -o qrels.txt         judgments from people's votes",
    "assay clicks clicks.csv -o qrels.txt       judgments from people's clicks",
    "assay next qrels.txt bm25.run dense.run    what to judge next, and can that change who is better?",
    "assay plot means qrels.txt *.run -o x.svg  draw a chart: means, differences, queries, curves …",
    "assay gate qrels.txt new.run --min rr=0.6  fail a build if retrieval got worse",
    "assay rag records.jsonl                    score a RAG system: retrieval and answers",
    "assay probe URL --queries Q --qrels QRELS  score a live retriever, and see its latency",
    "assay check qrels.txt bm25.run             what is wrong with my data?",
    "assay measures ndcg                        how exactly is a measure computed?",
)
NO_MEMORY = "not enough memory; free some, or give the data in smaller parts, some queries at a time"


class Failure(click.ClickException):
    """Bad input: one line on stderr."""

    exit_code = FAILED

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        say(f"assay: {self.message}")


class Commands(click.Group):
    """The subcommands, loaded when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(module_of(cmd_name)).command
        if not gc.isenabled():
            gc.freeze()
            gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        write_examples(formatter, EXAMPLES)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401 - click's signature
        try:
            return super().make_context(*args, **extra)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        reader = INTERFACE.set(Interface.SHELL)
        try:
            result = super().invoke(ctx)
        except AssayError as error:
            raise Failure(str(error)) from error
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except MemoryError as error:
            raise Failure(str(error) or NO_MEMORY) from error
        except OSError as error:
            raise Failure(system_message(error)) from error
        finally:
            INTERFACE.reset(reader)
        return result


def module_of(name: str) -> str:
    """The module of a subcommand."""
    return f"assay.cli.{name}"


def system_message(error: OSError) -> str:
    """The message of the operating system, with the file it is about."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`assay COMMAND --help` explains a command, with examples.",
)
@click.version_option(__version__, prog_name="assay", message="%(prog)s %(version)s")
@click.option(
    "--limit",
    "pairs",
    multiple=True,
    metavar="NAME=N",
    help="Limit on how much data is taken, such as temporary=200G (repeatable); docs/reliability.md lists them.",
)
@click.pass_context
def commands(context: click.Context, pairs: tuple[str, ...]) -> None:
    """Measures how good a search or RAG system is.

    Give it judgments (which documents are relevant to a query) and runs (what your system retrieved), and it scores
    each run, in numbers that agree with trec_eval.
    """
    if pairs:
        from assay.core.limits import limits, read_limits

        context.with_resource(limits(**read_limits(pairs)))


def main() -> None:
    """Runs the command and ends the process."""
    prepare_streams()
    try:
        load_numpy_early(sys.argv[1:2])
        try:
            commands(prog_name="assay")
        finally:
            sys.stdout.flush()
    except AssayError as error:
        # Help and the version are printed before a command is called, and the last of the output after it.
        say(f"assay: {error}")
        sys.exit(Failure.exit_code)
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        if is_out_of_files(error):
            say(f"assay: {TOO_MANY_FILES}; close some, or allow more (ulimit -n)")
        elif isinstance(error, MemoryError):
            # While NumPy is loaded, before a command is called.
            say(f"assay: {NO_MEMORY}")
        elif is_out_of_threads(error):
            say("assay: no thread can be started; end other processes, or allow more (ulimit -u)")
        else:
            raise
        sys.exit(Failure.exit_code)


def load_numpy_early(words: list[str]) -> None:
    """Imports NumPy for a subcommand, before anything else is called.

    CPython 3.11 keeps its frames in chunks of 16 KiB. Imported from deep within click and a subcommand's own imports,
    NumPy's innermost calls can lie at the end of a chunk, which is then mapped and unmapped for each of them: thousands
    of times, a quarter of the time that a small command takes.
    """
    if words and words[0] in COMMANDS:
        import_module("numpy")


if __name__ == "__main__":
    main()
