"""What is to lie under the maps? Read where a file that means harm ends no server."""

from __future__ import annotations

from ..engines.progress import Progress
from ..io.background import read_background
from ..model.geography import Background


def study(body: bytes, *, progress: Progress | None = None) -> Background:
    """As :func:`.read_background`."""
    found = read_background(body)
    if progress is not None:
        progress(1.0)
    return found
