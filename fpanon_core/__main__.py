"""The command line: ``python -m fpanon_core`` and one of the commands below.

For batches and servers. Exit codes: 0 done; 2 the file, an option or the question is at fault, said
in one sentence on standard error; 1 a fault of the program; 130 interrupted. No output holds a user
id.
"""

from __future__ import annotations

import typer

from .commands.disclosure import disclosure
from .commands.faults import PlainFaults
from .commands.generate import generate
from .commands.glove import glove
from .commands.ingest import ingest
from .commands.measure import measure
from .commands.options import options
from .commands.recover import recover
from .commands.unicity import unicity

app = typer.Typer(
    name="fpanon",
    cls=PlainFaults,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(ingest)
app.command()(measure)
app.command()(glove)
app.command()(unicity)
app.command()(disclosure)
app.command()(options)
app.command()(recover)
app.command()(generate)


@app.callback()
def main(
    debug: bool = typer.Option(
        False, "--debug", help="After a fault of the program, print its trace; it may hold data."
    ),
) -> None:
    """Which form of a mobility data set may be released? Read it, measure it, or make one up."""


if __name__ == "__main__":
    app(prog_name="python -m fpanon_core")
