"""Where are the files that come with the program: the sample data, the dashboard, its documents?

In a checkout they are the folders beside the package. A package that is installed has them inside
it, laid out alike (``[tool.hatch.build.targets.wheel.force-include]`` in ``pyproject.toml``).
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_INSIDE = _PACKAGE / "shipped"

SHIPPED = _INSIDE if _INSIDE.is_dir() else _PACKAGE.parent
"""The folder with ``app.py``, ``pages``, ``.streamlit``, ``sample_data`` and ``docs``."""
