"""``dashboard``: the views in a browser, served by this machine to itself alone."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ..model.errors import ConfigError
from ..model.version import SHIPPED

_NEEDED = ("streamlit", "pydeck", "plotly")
_FOLDER_OF_FILES = "FPANON_DATA_DIR"


def dashboard(
    port: Annotated[
        int, typer.Option("--port", min=1, max=65_535, help="Where it listens on this machine.")
    ] = 8501,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open a browser, or only serve.")
    ] = True,
) -> None:
    """Open the dashboard: all of this in a browser, on this machine; end it by Ctrl+C."""
    if any(find_spec(name) is None for name in _NEEDED):
        raise ConfigError(
            'The dashboard is not installed; install it by: pip install "fpanon[dashboard]".'
        )
    # Streamlit takes its settings from where it is started and from beside the script. Started in
    # the script's folder, those of whatever folder the user stands in have no say.
    if folder := os.environ.get(_FOLDER_OF_FILES):
        os.environ[_FOLDER_OF_FILES] = str(Path(folder).resolve())
    os.chdir(SHIPPED)
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += ["--server.port", str(port), "--server.headless", str(not browser).lower()]
    # Signals and the exit code are then the server's own.
    os.execv(sys.executable, command)  # nosec B606 # a list of our own words, and no shell
