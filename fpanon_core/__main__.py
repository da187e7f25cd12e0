"""The command line: ``fpanon``, or ``python -m fpanon_core``, and one of its commands.

For batches and servers. Exit codes: 0 done; 2 the file, an option or the question is at fault, said
in one sentence on standard error; 1 a fault of the program; 130 interrupted. No output holds a user
id.
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
        False, "--debug", help="After a fault of the program, print its trace; it may hold data."
    ),
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Say which version it is."
    ),
) -> None:
    """Which release of a mobility data set is safe? Read it, measure it, or make one up."""


if __name__ == "__main__":
    app(prog_name="python -m fpanon_core")
