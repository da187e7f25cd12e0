"""What is no plain file, in the place of one: nobody may open it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

NO_FILES = ("link out", "link inside", "pipe", "socket", "device", "folder")


def replaced(path: Path, kind: str, elsewhere: Path) -> None:
    """Put something else in the place of a file; what it held lies elsewhere, or beside it."""
    held = path.with_name("beside") if kind == "link inside" else elsewhere / "outside"
    path.rename(held)
    if kind.startswith("link"):
        path.symlink_to(held)
    elif kind == "pipe":
        os.mkfifo(path, 0o600)
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # the names of sockets are short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
        os.chdir(here)
    elif kind == "device":
        try:
            os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero: it never ends
        except PermissionError:
            pytest.skip("only root makes devices")
    else:
        path.mkdir()
