"""Which way the doors open: each layer may import only those below it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "model": {"model"},
    "kernels": {"kernels", "model"},
    "engines": {"engines", "model"},
    "io": {"io", "model"},
    "measures": {"measures", "engines", "kernels", "model"},
    "anonymize": {"anonymize", "measures", "engines", "kernels", "model"},
    "attacks": {"attacks", "measures", "engines", "kernels", "model"},
}
PAGES = {
    "charts": {"charts"},
    "components": {"components", "charts"},
    "views": {"components", "charts"},
}
USER_INTERFACE = {"streamlit", "plotly", "pydeck"}


def imported(path):
    """Absolute dotted names that a file imports, anywhere in it."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "fpanon_core").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT))
)
def test_core(path):
    names = set(imported(path))
    assert not {n.split(".")[0] for n in names} & (USER_INTERFACE | {"pages", "app"})
    parts = path.relative_to(ROOT).parts
    if parts[1] in ALLOWED:
        layers = {n.split(".")[1] for n in names if n.startswith("fpanon_core.")}
        assert layers <= ALLOWED[parts[1]]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "pages").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT))
)
def test_pages(path):
    names = set(imported(path))
    layer = path.relative_to(ROOT).parts[1]
    assert layer in PAGES, "views live in pages/views; Streamlit would list a file in pages itself"
    rooms = {n.split(".")[1] for n in names if n.startswith("pages.")}
    assert rooms <= PAGES[layer] | {layer}
    if layer == "charts":
        assert "streamlit" not in {n.split(".")[0] for n in names}
