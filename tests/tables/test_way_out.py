"""All that is written goes one way: whole, for its owner alone, and with nothing that is run."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Who may open a file to write to: the way out itself, the key of digests, caches of code, and the
# audit log, to which lines are added, and columns that are mapped, in a folder of their own (their
# own tests hold that these are their owner's alone). And who opens by descriptor, to read.
MAY_OPEN = {
    *("tables/writing.py", "tables/writing.py", "kernels/__init__.py"),
    *("io/audit.py", "io/ledger.py", "io/report.py", "tables/folder.py", "tables/parts.py"),
    *("model/mapped.py", "model/files.py"),
    "verification/data_file.py",  # a Parquet file is made again in memory, to be compared
}
WRITES = {
    *("to_csv", "to_excel", "to_parquet", "to_feather", "to_pickle", "to_html"),
    *("write_text", "savetxt", "savez", "tofile", "mkdtemp", "mkstemp", "NamedTemporaryFile"),
    *("TemporaryDirectory", "write_csv", "write_table", "ParquetWriter", "writerow", "writerows"),
}
FILES = [
    path
    for room in ("fpanon_core", "pages")
    for path in sorted((ROOT / room).rglob("*.py"))
    if path.relative_to(ROOT / room).as_posix() not in MAY_OPEN and path.name != "make.py"
]


def test_nobody_writes_a_file_otherwise() -> None:
    found = {
        str(path.relative_to(ROOT)): list(_written(ast.parse(path.read_text(encoding="utf-8"))))
        for path in FILES
    }
    assert len(found) > 200
    assert not {path: calls for path, calls in found.items() if calls}


@pytest.mark.parametrize(
    "code",
    [
        "frame.to_csv(path)",
        "path.write_bytes(b'a')",
        "open(path, 'w')",
        "path.open(mode='ab')",
        "os.open(path, os.O_WRONLY)",
        "gzip.open(path, 'wb')",
        "zipfile.ZipFile('a.zip', 'w')",
        "path.write_text('a')",
        "csv.writer(file).writerow(row)",
        "parquet.write_table(table, path)",
        "tempfile.mkdtemp()",
    ],
)
def test_and_who_would_is_found(code: str) -> None:
    assert list(_written(ast.parse(code)))


def test_a_table_on_screen_is_no_file() -> None:
    """Streamlit's own button would write what is shown as it is: formulas, and names on screen."""
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["client"]["disableDataExport"] is True


def _written(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        of = node.func
        method = of.attr if isinstance(of, ast.Attribute) else ""
        name = method or (of.id if isinstance(of, ast.Name) else "")
        if method in WRITES | {"write_bytes"}:
            yield name
        if name == "open" and (_for_writing(node) or _is_of(of, "os")):
            yield name
        # Into a stream somebody else has opened, a zip may be packed anywhere; into a place, not.
        if name == "ZipFile" and node.args and isinstance(node.args[0], ast.Constant):
            yield name


def _for_writing(call: ast.Call) -> bool:
    # A member of a zip is opened by the archive, into the archive.
    if _is_of(call.func, "archive") or _is_of(call.func, "into"):
        return False
    # What a process says of itself to the system is no file.
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Constant) and str(first.value).startswith("/proc/self/"):
        return False
    modes = [*call.args, *(each.value for each in call.keywords if each.arg == "mode")]
    texts = [m.value for m in modes if isinstance(m, ast.Constant) and isinstance(m.value, str)]
    return any(len(text) <= 3 and set(text) & set("wax+") for text in texts)


def _is_of(of: ast.expr, name: str) -> bool:
    return isinstance(of, ast.Attribute) and isinstance(of.value, ast.Name) and of.value.id == name
