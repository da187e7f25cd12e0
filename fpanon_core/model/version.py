"""Which program made a result: its own version, and those of what it computes with."""

from __future__ import annotations

import platform
from importlib.metadata import version

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """Versions of fpanon, Python, numpy, numba and pandas, by name."""
    return {
        "fpanon": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "pandas")},
    }
