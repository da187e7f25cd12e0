"""Version of the program and of its dependencies, and the folder of its shipped files.

In a checkout, the sample data, the dashboard and its documents are in folders next to the package.
An installed package has them inside it, with the same layout
(``[tool.hatch.build.targets.wheel.force-include]`` in ``pyproject.toml``).
"""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

__version__ = "0.1.0"


def versions() -> dict[str, str]:
    """Return the versions of fpanon, Python, numpy, numba and pandas, by name."""
    return {
        "fpanon": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "pandas")},
    }


_PACKAGE = Path(__file__).resolve().parents[1]
_INSIDE = _PACKAGE / "shipped"

SHIPPED = _INSIDE if _INSIDE.is_dir() else _PACKAGE.parent
"""Folder with ``app.py``, ``pages``, ``.streamlit``, ``sample_data`` and ``docs``."""
