"""The house keeps small: each room has a budget of files and of lines of code.

A line of code is one that is neither blank nor a comment nor part of a docstring. A change that
needs more than the budget says in its message what it removed instead.
"""

from __future__ import annotations

import ast
import io
import tokenize
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Room: files, lines of code. They only ever go down.
BUDGET = {
    "fpanon_core": (2, 46),
    "fpanon_core/aggregates": (8, 990),
    "fpanon_core/anonymize": (14, 2_440),
    "fpanon_core/attacks": (12, 2_170),
    "fpanon_core/commands": (14, 2_138),
    "fpanon_core/engines": (9, 1_370),
    "fpanon_core/io": (23, 3_724),
    "fpanon_core/kernels": (26, 5_269),
    "fpanon_core/measures": (13, 2_176),
    "fpanon_core/model": (40, 5_074),
    "fpanon_core/studies": (59, 10_126),
    "fpanon_core/synthesis": (6, 583),
    "fpanon_core/synthetic": (3, 247),
    "fpanon_core/tables": (14, 2_220),
    "fpanon_core/verification": (10, 2_165),
    "pages/aggregates": (6, 1_079),
    "pages/anonymizability": (6, 1_076),
    "pages/attack": (5, 891),
    "pages/charts": (15, 2_763),
    "pages/data": (4, 744),
    "pages/disclosure": (3, 584),
    "pages/hiding": (6, 1_133),
    "pages/method": (2, 53),
    "pages/options": (6, 1_406),
    "pages/overview": (5, 641),
    "pages/present": (6, 846),
    "pages/report": (3, 216),
    "pages/server": (9, 1_111),
    "pages/shell": (26, 2_953),
    "pages/tables": (4, 558),
    "pages/unicity": (4, 574),
    "tests": (324, 41_528),
}
_NOTHING = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(text: str) -> int:
    """Lines of code of a module.

    Examples
    --------
    >>> code_lines('"Of it."\\n\\n# Why.\\nx = [\\n    1,  # one\\n]\\n')
    3
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NOTHING:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                lines.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines)


@cache
def measured() -> dict[str, tuple[int, int]]:
    """Files and lines of code of every room."""
    found: dict[str, tuple[int, int]] = {}
    for top in ("fpanon_core", "pages", "tests"):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).parts
            room = "tests" if top == "tests" else "/".join(parts[:2]) if len(parts) > 2 else top
            files, lines = found.get(room, (0, 0))
            found[room] = files + 1, lines + code_lines(path.read_text(encoding="utf-8"))
    return dict(sorted(found.items()))


@pytest.mark.parametrize("room", measured())
def test_room_keeps_to_its_budget(room: str) -> None:
    files, lines = measured()[room]
    assert room in BUDGET, f"{room} has no budget; give it one, and take it from another"
    most_files, most_lines = BUDGET[room]
    assert files <= most_files, f"{room}: {files} files, {most_files} allowed"
    assert lines <= most_lines, f"{room}: {lines} lines of code, {most_lines} allowed"
