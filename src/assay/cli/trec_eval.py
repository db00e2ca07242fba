"""`assay trec_eval`: takes trec_eval's command line and prints what trec_eval 10 prints."""

import sys

import click

from assay.compat.trec_eval import run_trec_eval
from assay.compat.trec_eval.options import Remark, Stop


class RawCommand(click.Command):
    """A command that parses its arguments itself."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["arguments"] = list(args)
        return []


@click.command("trec_eval", cls=RawCommand, add_help_option=False)
def command(arguments: list[str]) -> None:
    """Takes trec_eval's options and prints the same bytes."""
    output, errors = sys.stdout.buffer, sys.stderr.buffer
    code = 0
    try:
        for text in run_trec_eval(arguments):
            (errors if isinstance(text, Remark) else output).write(text.encode(errors="surrogateescape"))
    except Stop as stop:
        code = stop.code
        output.flush()
        errors.write(stop.text.encode(errors="surrogateescape"))
        errors.flush()
    output.flush()
    click.get_current_context().exit(code)
