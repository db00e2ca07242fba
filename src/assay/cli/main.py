"""The command `assay`: finds the subcommand, and turns errors into one line and an exit code.

Exit codes: 0 fine, 1 a check failed, 2 bad input or usage or no output, 130 Ctrl-C, 141 the output was closed.
"""

import gc
import sys
from importlib import import_module
from typing import IO, Any

import click

from assay.__main__ import FAILED, INTERRUPTED, TOO_MANY_FILES
from assay._kernel import __version__
from assay.cli.command import Checked, CommandGroup, option
from assay.cli.terminal import prepare_streams, say
from assay.errors import AssayError
from assay.terminal import INTERFACE, Interface, is_out_of_files, is_out_of_threads

# The subcommands by what they are for, each in the module of its name, and what `assay -h` says of them. A subcommand
# is imported only when it is used: each takes time to load.
GROUPS = {
    "Measure": {
        "eval": "Score runs against judgments.",
        "compare": "Compare runs: which is better, and is it significant?",
        "diff": "Show which queries changed between two runs, and why.",
        "gate": "Fail a build if retrieval got worse.",
        "audit": "Show why tools report different numbers.",
    },
    "RAG": {
        "rag": "Score the retrieval and the answers of a RAG system.",
        "judge": "Get judgments, questions and preferences from an LLM.",
        "probe": "Query a live retriever over HTTP, and score what it returns.",
    },
    "Judgments": {
        "votes": "Turn people's votes into judgments.",
        "clicks": "Turn people's clicks into judgments.",
        "next": "Show what to judge next, and whether it can matter.",
        "agree": "Show how far two sets of judgments or of scores agree.",
        "studio": "Judge together, and see every number follow the votes.",
    },
    "Show": {
        "report": "Write one HTML file, from the verdict down to the passages.",
        "plot": "Draw a chart of runs, records or judges.",
    },
    "Data": {
        "check": "Find out what is wrong with your data.",
        "convert": "Convert judgments or a run to another format.",
        "measures": "List the measures, or explain one.",
        "demo": "See assay at work on a small collection.",
        "trec_eval": "Drop-in replacement for trec_eval 10, only faster.",
    },
}
COMMANDS = {name: text for commands in GROUPS.values() for name, text in commands.items()}
EXAMPLES = (
    "assay demo                                  see it at work on a small collection",
    "assay eval qrels.txt bm25.run               score a run",
    "assay compare qrels.txt bm25.run dense.run  which is better, and is the difference significant?",
    "assay eval qrels.txt bm25.run dense.run     score several runs",
    "assay diff qrels.txt bm25.run dense.run     which queries changed, and why?",
    "assay report qrels.txt bm25.run dense.run   one HTML file, from the verdict down to the passages",
    "assay audit qrels.txt bm25.run -m map       why do tools report different numbers?",
    "assay agree human.txt judge.txt             how far do two sets of judgments agree?",
    "assay studio qrels.txt bm25.run dense.run   judge together, and see every number follow the votes",
    "assay votes votes.csv -o qrels.txt          judgments from people's votes",
    "assay clicks clicks.csv -o qrels.txt        judgments from people's clicks",
    "assay next qrels.txt bm25.run dense.run     what to judge next, and can that change which run is better?",
    "assay plot means qrels.txt *.run -o x.svg   a chart: means, differences, queries, curves and more",
    "assay gate qrels.txt new.run --min rr=0.6   fail a build if retrieval got worse",
    "assay rag records.jsonl                     score a RAG system: retrieval and answers",
    "assay probe URL --queries Q --qrels QRELS   score a live retriever, and see its latency",
    "assay check qrels.txt bm25.run              what is wrong with my data?",
    "assay measures ndcg                         how exactly is a measure computed?",
)
NO_MEMORY = "not enough memory; free some, or give the data in smaller parts, some queries at a time"


class Failure(click.ClickException):
    """Bad input: one line on stderr."""

    exit_code = FAILED

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        say(f"assay: {self.message}")


class Commands(CommandGroup):
    """The subcommands, loaded when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(module_of(cmd_name)).command
        command.short_help = COMMANDS[cmd_name]
        if not gc.isenabled():
            gc.freeze()
            gc.enable()
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["-h"])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        for title, known in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(known.items()))

    def make_context(self, *args: Checked, **extra: Checked) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)

    def invoke(self, ctx: click.Context) -> Checked:
        reader = INTERFACE.set(Interface.SHELL)
        try:
            return super().invoke(ctx)
        except AssayError as error:
            raise Failure(str(error)) from error
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except MemoryError as error:
            raise Failure(str(error) or NO_MEMORY) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise Failure(f"{error.filename}: {reason}" if error.filename else reason) from error
        finally:
            INTERFACE.reset(reader)


def module_of(name: str) -> str:
    """The module of a subcommand."""
    return f"assay.cli.{name}"


@click.group(
    cls=Commands,
    examples=EXAMPLES,
    context_settings={"help_option_names": ["--help"], "max_content_width": 100},
    epilog="`assay COMMAND -h` is one screen about a command, `assay COMMAND --help` everything.",
)
@click.version_option(__version__, prog_name="assay", message="%(prog)s %(version)s", help="Show the version.")
@option(
    "--limit NAME=N",
    "Limit what a command may take, as in threads=4 or temporary=200G (repeatable). docs/reliability.md has all.",
    to="pairs",
)
@click.pass_context
def commands(context: click.Context, pairs: tuple[str, ...]) -> None:
    """Measures how good a search or RAG system is.

    Give it judgments (which documents are relevant to each query) and runs (what your system retrieved). It scores each
    run, with numbers that agree with trec_eval.
    """
    if pairs:
        from assay import limits
        from assay.terminal import read_limits

        context.with_resource(limits(**read_limits(pairs)))


def main() -> None:
    """Runs the command and ends the process."""
    prepare_streams()
    try:
        try:
            commands(prog_name="assay")
        finally:
            sys.stdout.flush()
    except Exception as error:
        # Help and the version are printed before a command is called, the last of the output after it, and memory and
        # files can also run out while a command is loaded.
        if isinstance(error, AssayError):
            reason = str(error)
        elif is_out_of_files(error):
            reason = f"{TOO_MANY_FILES}; close some, or allow more (ulimit -n)"
        elif isinstance(error, MemoryError):
            reason = NO_MEMORY
        elif is_out_of_threads(error):
            reason = "no thread can be started; end other processes, or allow more (ulimit -u)"
        else:
            raise
        say(f"assay: {reason}")
        sys.exit(Failure.exit_code)


if __name__ == "__main__":
    main()
