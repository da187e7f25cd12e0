"""The group of commands, and the messages of a command that fails.

A failing command prints a plain sentence, without data. Only ``--debug`` adds a stack trace, which
may hold data. The group imports a command only when it is called; it lists the commands without
importing any.
"""

from __future__ import annotations

import os
import sys
import tomllib
import traceback
from collections import UserDict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ..io.hints import for_command_line
from ..model.errors import ConfigError, FpanonError
from ..model.version import SHIPPED

COMMANDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""For each command, named as its function: its module and a one-line description."""


class CommandGroup(TyperGroup):
    """Group of all commands in :data:`COMMANDS`; errors become a sentence and an exit code."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Loaded(COMMANDS)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; exit with 2 after an :class:`FpanonError`, 1 after unforeseen errors."""
        try:
            return super().invoke(ctx)
        except FpanonError as fault:
            typer.echo(f"Error: {for_command_line(fault.message)}", err=True)
            raise typer.Exit(2) from None
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except MemoryError:
            typer.echo(
                "Error: out of memory; use a machine with more memory, or fewer people.", err=True
            )
            raise typer.Exit(1) from None
        except Exception as fault:
            if hasattr(fault, "exit_code"):  # typer's own: a bad option, which it reports itself
                raise
            # The message of an unforeseen exception may quote the data; its kind cannot.
            typer.echo(
                f"Error: a fault in the program ({type(fault).__name__}) stopped the work; please "
                "report it. To see where it was, run again with --debug before the command's name.",
                err=True,
            )
            if ctx.params.get("debug"):
                traceback.print_exc()
            raise typer.Exit(1) from None

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the command names, in the order of :data:`COMMANDS`."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, does) for name, (_, does) in COMMANDS.items()])


class _Loaded(UserDict[str, Any]):
    """Mapping from names to commands; each is imported when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        if self.data[name] is COMMANDS[name]:
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            module = import_module(f".{COMMANDS[name][0]}", __package__)
            alone.command(name)(getattr(module, name))
            self.data[name] = get_command(alone)
        return self.data[name]


# --- ``dashboard``: the views in a browser, served by this machine to itself alone.

_NEEDED = ("streamlit", "pydeck", "plotly")
_FOLDER_OF_FILES = "FPANON_DATA_DIR"


def dashboard(
    port: Annotated[
        int, typer.Option("--port", min=1, max=65_535, help="Port on this machine.")
    ] = 8501,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open a browser, or only serve the dashboard."),
    ] = True,
) -> None:
    """Open the dashboard in a browser, served on this machine; end it with Ctrl+C."""
    if any(find_spec(name) is None for name in _NEEDED):
        raise ConfigError(
            'The dashboard is not installed; install it with: pip install "fpanon[dashboard]".'
        )
    # Streamlit reads settings from the folder it is started in and from the script's folder. So it
    # is started in the script's folder, and settings in the user's current folder have no effect.
    if folder := os.environ.get(_FOLDER_OF_FILES):
        os.environ[_FOLDER_OF_FILES] = str(Path(folder).resolve())
    os.chdir(SHIPPED)
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += ["--server.port", str(port), "--server.headless", str(not browser).lower()]
    # Signals and the exit code are then the server's own.
    os.execv(sys.executable, command)  # nosec B606 # a list of our own words, and no shell
