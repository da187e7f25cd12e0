"""What does a command say when it fails? One plain sentence; never a trace, never the data."""

from __future__ import annotations

import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from ..io.hints import for_command_line
from ..model.errors import FpanonError


class PlainFaults(TyperGroup):
    """Commands whose faults become a sentence on standard error and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command: exit code 2 after a :class:`FpanonError`, 1 after any other fault."""
        try:
            return super().invoke(ctx)
        except FpanonError as fault:
            typer.echo(f"Error: {for_command_line(fault.message)}", err=True)
            raise typer.Exit(2) from None
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except MemoryError:
            typer.echo(
                "Error: memory ran out; use a machine with more of it, or fewer users.", err=True
            )
            raise typer.Exit(1) from None
        except Exception as fault:
            if hasattr(fault, "exit_code"):  # typer's own: a bad option, which it reports itself
                raise
            # The message of an unforeseen exception may quote the data; its kind cannot.
            typer.echo(
                f"Error: a fault of the program ({type(fault).__name__}) stopped the work; please "
                "report it. To see where it was, run again with --debug before the command's name.",
                err=True,
            )
            if ctx.params.get("debug"):
                traceback.print_exc()
            raise typer.Exit(1) from None
