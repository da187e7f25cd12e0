"""fpanon: which release of a mobility data set is safe, and what each release costs.

The names in ``__all__`` are the public interface; everything else may change. ``__init__.pyi``
beside this file lists the names and their modules for type checkers and editors. Each name is
imported when it is first used, so a program that uses one function does not wait for the others to
load.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

_HOMES = {
    alias.name: f".{node.module}"
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
