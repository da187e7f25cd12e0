"""The requirement files, as ``pyproject.toml`` has them: ``make requirements`` writes them anew."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTE = "# Made by `make requirements` from pyproject.toml, where changes belong.\n"


def requirement_files() -> dict[str, str]:
    """What each file is to hold."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = declared["project"]
    runtime = [*project["optional-dependencies"]["dashboard"], *project["dependencies"]]
    development = ["-r requirements.txt", *declared["dependency-groups"]["dev"]]
    return {
        "requirements.txt": NOTE
        + "# What the dashboard and the command line need; why each: docs/dependencies.md.\n"
        + _lines(runtime),
        "requirements-dev.txt": NOTE
        + "# What the tests and checks need besides.\n"
        + _lines(development),
    }


def _lines(entries: list[str]) -> str:
    return "".join(f"{entry}\n" for entry in entries)


if __name__ == "__main__":
    for name, text in requirement_files().items():
        (ROOT / name).write_text(text, encoding="utf-8")
