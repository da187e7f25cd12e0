"""The command line: ``fpanon`` or ``python -m fpanon_core``, followed by a command.

It is meant for batch jobs and servers. The exit code is 0 when the work is done, and 130 after an
interruption. It is 2 if the file, an option or the request is at fault; a message on standard error
names the fault. It is 1 after a fault in the program, or if ``hide``, ``glove`` or ``verify`` finds
a release at fault.

User ids are written only to files that must stay with the data. These are the pseudonym key, the
list of what was left out, and the folder in which ``ingest --keep`` stores the data.
"""

from __future__ import annotations

import typer

from .commands.group import CommandGroup
from .model.version import __version__

app = typer.Typer(
    name="fpanon",
    cls=CommandGroup,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fpanon {__version__}")
        raise typer.Exit


@app.callback()
def main(
    debug: bool = typer.Option(
        False, "--debug", help="If the program fails, print the traceback; it may contain data."
    ),
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Find out which mobility data may be released: read them, measure their risk, release them."""


if __name__ == "__main__":
    app(prog_name="python -m fpanon_core")
