"""fpanon: which form of a mobility data set may be released, and what each form costs.

The names in ``__all__`` are the public face; what is not there is free to change. Which they are
and where each is from stands in ``__init__.pyi`` beside this file, where type checkers and editors
look for it. Here each is imported when it is first asked for: neither the command line nor whoever
wants one function waits for all the others.
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
