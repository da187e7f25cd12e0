"""The rules that keep the house small: short functions, no slivers of files, no circles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .test_budget import ROOT, code_lines, code_of

MOST_LINES_A_FUNCTION = 60
LEAST_LINES_A_MODULE = 80
# What a library gives no public way to: file and name.
LIBRARY_PRIVATE = {
    "pages/server/media.py": {"_get_inactive_file_ids"},
    "fpanon_core/engines/worker.py": {"_exit"},
}
# Each is over the rule today, and may only shrink: file, function, lines.
LONG = {
    ("fpanon_core/engines/cluster.py", "map"): 63,
    ("fpanon_core/studies/learnt.py", "expected_error"): 61,
    ("fpanon_core/verification/fitting.py", "fit"): 61,
}
FILES = sorted(
    [*(ROOT / "fpanon_core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
)
NAMED = {str(path.relative_to(ROOT)): path for path in FILES}


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(path): path for path in FILES}


@cache
def imported(path: Path) -> frozenset[str]:
    """Modules of ours that a file imports anywhere in it."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return frozenset(found & MODULES.keys() - {_name(path)})


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function of a file and its lines of code."""
    text = path.read_text(encoding="utf-8")
    code = code_of(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, len(code & set(range(node.lineno, (node.end_lineno or 0) + 1)))


def test_functions_are_short() -> None:
    """But for kernels: one is one loop, however long."""
    assert not [
        f"{file}: {name} has {lines} lines"
        for file, path in NAMED.items()
        if "kernels" not in path.parts
        for name, lines in functions(path)
        if lines > LONG.get((file, name), MOST_LINES_A_FUNCTION)
    ]


def test_no_module_is_a_sliver_of_its_only_importer() -> None:
    """Of a page the form and the story stand by themselves: what they may import differs."""
    slivers = []
    for name, path in MODULES.items():
        importers = [other for other in FILES if name in imported(other)]
        if path.name in {"__init__.py", "form.py", "story.py"} or len(importers) != 1:
            continue
        lines = code_lines(path.read_text(encoding="utf-8"))
        # A view defines nothing; another room may not hold what this one does.
        if lines >= LEAST_LINES_A_MODULE or importers[0].name in {"view.py", "app.py"}:
            continue
        if importers[0].parent == path.parent:
            slivers.append(name)
    assert slivers == []


def test_files_import_each_other_in_no_circle() -> None:
    found: dict[str, set[str]] = {}

    def below(name: str) -> set[str]:
        if name not in found:
            found[name] = set()
            todo = list(imported(MODULES[name]))
            while todo:
                each = todo.pop()
                if each not in found[name]:
                    found[name].add(each)
                    todo += imported(MODULES[each])
        return found[name]

    assert not [name for name in MODULES if name in below(name)]


def private_names(path: Path) -> set[str]:
    """Names that a file takes from a library and that are the library's own."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    libraries, private = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            libraries |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            ours = (node.module or "").split(".")[0] in {"fpanon_core", "pages"}
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            private |= {n for n in names if n.startswith("_") and not n.startswith("__")}
            libraries |= set() if ours else {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            hidden = node.attr.startswith("_") and not node.attr.startswith("__")
            private |= {node.attr} if hidden and node.value.id in libraries else set()
    return private


def test_no_private_name_of_a_library() -> None:
    found = {
        file: private_names(path) - LIBRARY_PRIVATE.get(file, set()) for file, path in NAMED.items()
    }
    assert not {file: names for file, names in found.items() if names}
