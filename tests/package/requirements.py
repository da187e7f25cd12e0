"""The requirement files, from the lists in ``pyproject.toml``: ``make requirements`` writes them.

Each holds all that an installation needs, direct or not, pinned, with the digests of every file
that the index pip is configured with has of that version: pip then installs nothing else, from
wherever it comes. What a file pins already stays as it is unless ``pyproject.toml`` says otherwise.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What is installed together agrees: each list holds to those before it.
FILES = {
    "requirements.txt": ["pyproject.toml", "--extra", "dashboard"],
    "requirements-cluster.txt": [
        *("pyproject.toml", "--extra", "dashboard", "--extra", "cluster"),
        *("-c", "requirements.txt"),
    ],
    "requirements-dev.txt": [
        *("pyproject.toml", "--extra", "dashboard", "--extra", "cluster", "--group", "dev"),
        *("-c", "requirements-cluster.txt"),
    ],
    "requirements-audit.txt": ["--group", "audit", "-c", "requirements-dev.txt"],
}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(*lists: str) -> dict[str, str]:
    """What ``pyproject.toml`` asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = {
        "run": project["project"]["dependencies"],
        "dashboard": project["project"]["optional-dependencies"]["dashboard"],
        "cluster": project["project"]["optional-dependencies"]["cluster"],
        "build": project["build-system"]["requires"],
        **project["dependency-groups"],
    }
    entries = [entry for each in lists for entry in named[each]]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+==[\w.]+", entry) for entry in entries), "all pinned"
    return {canonical(name): version for name, version in (e.split("==") for e in entries)}


def write(name: str) -> None:
    """Write one of them anew."""
    command = [str(Path(sys.executable).with_name("uv")), "pip", "compile"]
    command += [*FILES[name], "--output-file", name, "--quiet", "--no-config"]
    # For every platform, and every Python from the oldest on.
    command += ["--universal", "--python-version", "3.11", "--generate-hashes"]
    command += [*_index(), "--custom-compile-command", "make requirements"]
    quiet = {k: v for k, v in os.environ.items() if not k.startswith("UV_")}
    subprocess.run(command, cwd=ROOT, env=quiet, check=True)


def _index() -> list[str]:
    """The index that pip is configured with, as uv takes it; none where pip has its own."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    found = (
        os.environ.get("PIP_INDEX_URL")
        or subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    )
    return ["--default-index", found] if found else []


if __name__ == "__main__":
    for each in FILES:
        write(each)
