"""Which program made a result: its own version, and those of what it computes with.

Where are the files that come with the program: the sample data, the dashboard, its documents?

In a checkout they are the folders beside the package. A package that is installed has them inside
it, laid out alike (``[tool.hatch.build.targets.wheel.force-include]`` in ``pyproject.toml``).
"""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """Versions of fpanon, Python, numpy, numba and pandas, by name."""
    return {
        "fpanon": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "pandas")},
    }


_PACKAGE = Path(__file__).resolve().parents[1]
_INSIDE = _PACKAGE / "shipped"

SHIPPED = _INSIDE if _INSIDE.is_dir() else _PACKAGE.parent
"""The folder with ``app.py``, ``pages``, ``.streamlit``, ``sample_data`` and ``docs``."""
