"""Which way the doors open: each layer may import only those below it."""

import ast
from pathlib import Path

import pytest

import fpanon_core

ROOT = Path(__file__).parents[1]
COMPUTING = {"measures", "engines", "kernels", "model"}
ASKING = {"io", "tables", "synthetic", "engines", "model"}
ALLOWED = {  # besides the layer itself
    "model": set(),
    "kernels": {"model"},
    "engines": {"model"},
    "tables": {"model"},
    "synthetic": {"kernels", "model"},
    "io": {"tables", "model", "synthetic"},
    "measures": COMPUTING,
    "anonymize": COMPUTING,
    "attacks": COMPUTING,
    "aggregates": COMPUTING | {"anonymize", "attacks"},
    "synthesis": {"aggregates", "attacks", "engines", "kernels", "model"},
    # Shares nothing with what it checks, but the nouns: see test_the_verifier_shares_nothing.
    "verification": {"kernels", "model"},
    "studies": {"aggregates", "synthesis", "anonymize", "attacks", "verification", "measures"}
    | ASKING,
    # Whoever asks sees the studies and the nouns, never what computes: measures, kernels, attacks.
    "commands": {"studies"} | ASKING,
}
SEEN_BY_PAGES = {"studies", "io", "tables", "model"}
SEEN_BY_SHELL = SEEN_BY_PAGES | {"engines"}
SEEN_BY_CHARTS = {"model"}
USER_INTERFACE = {"streamlit", "plotly", "pydeck"}
CORE = sorted((ROOT / "fpanon_core").rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))


def of_each(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda p: str(p.relative_to(ROOT)))


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


@of_each(CORE)
def test_core(path):
    names = set(imported(path))
    assert not {n.split(".")[0] for n in names} & (USER_INTERFACE | {"pages", "app"})
    parts = path.relative_to(ROOT).parts
    if parts[1] in ALLOWED:
        layers = {n.split(".")[1] for n in names if n.startswith("fpanon_core.")}
        assert layers <= ALLOWED[parts[1]] | {parts[1]}


@of_each(PAGES)
def test_pages(path):
    names = set(imported(path))
    room = path.relative_to(ROOT).parts[1]
    assert not room.endswith(".py"), "Streamlit would list a file in pages itself"
    rooms = {n.split(".")[1] for n in names if n.startswith("pages.")}
    layers = {n.split(".")[1] for n in names if n.startswith("fpanon_core.")}
    match room:
        case "charts":
            assert rooms <= {"charts"}
            assert layers <= SEEN_BY_CHARTS
            assert "streamlit" not in {n.split(".")[0] for n in names}
        case "server":
            assert rooms <= {"server"}
            assert layers <= SEEN_BY_SHELL
        case "shell":
            assert rooms <= {"server", "shell", "charts"}
            assert layers <= SEEN_BY_SHELL
        case _:
            assert rooms <= {room, "shell", "charts"}, "a page imports no other page"
            assert layers <= SEEN_BY_PAGES
    if path.name == "story.py":
        assert "streamlit" not in {n.split(".")[0] for n in names}, "sentences are pure"


READERS = {
    *("read_cdr", "read_antennas", "read_questionnaire", "read_published", "read_source"),
    *("read_background", "read_json", "verify_release", "load_workbook"),
    *("read_csv", "read_excel", "read_parquet"),
}


@of_each(PAGES)
def test_no_page_reads_what_people_bring(path):
    """A file that is small and means harm may end a session's child; the server is everybody's."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    named |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    named |= {name.rpartition(".")[2] for name in imported(path)}
    assert not named & READERS, "put it as a question, whose study runs in the session's child"


@of_each([path for path in PAGES if path.name == "view.py"])
def test_views_are_flat_scripts(path):
    """A view is read from top to bottom: it defines nothing and computes nothing."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    defined = [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    assert not defined, f"{', '.join(defined)}: to a module beside the view"
    computing = {n.split(".")[0] for n in imported(path)} & {"numpy", "pandas", "scipy"}
    assert not computing, f"{', '.join(sorted(computing))}: to a study, or a module beside the view"


# Names of the public face whose types need not be nouns of the model: what they hold belongs to the
# layer that makes them.
MADE_ELSEWHERE = {
    "Checkpoint": "io",
    "Ledger": "io",
    "Reference": "measures",  # the original's side of a comparison, prepared for many releases
    "IngestReport": "io",
    "DaskEngine": "engines",
    "LocalEngine": "engines",
    "Asked": "studies",
    "OptionResult": "studies",
    "OptionsTable": "studies",
}


TYPES = [name for name in fpanon_core.__all__ if isinstance(getattr(fpanon_core, name), type)]


@pytest.mark.parametrize("name", TYPES)
def test_results_and_configs_are_nouns_of_the_model(name):
    layer = getattr(fpanon_core, name).__module__.split(".")[1]
    assert layer == MADE_ELSEWHERE.get(name, "model")


def private_names(path):
    """Names with a leading underscore that a file imports from another."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            parts = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            yield from (p for p in parts if p.startswith("_") and not p.startswith("__"))


@of_each(CORE + PAGES)
def test_what_is_private_stays_in_its_module(path):
    assert not list(private_names(path))


def test_the_verifier_shares_nothing_with_what_it_checks():
    """Its own kernels alone; of the nouns what data, options, verdicts and budgets are.

    README and description are templates over facts, and made again with them: the facts are what
    is verified, not the templates.
    """
    nouns = {
        *("arrays", "budgets", "checks", "clock", "errors", "facts", "fingerprints", "glove"),
        *("periods", "published", "release_page", "options", "profiles", "version"),
    }
    for path in (ROOT / "fpanon_core" / "verification").glob("*.py"):
        for name in imported(path):
            if not name.startswith("fpanon_core.") or name == "fpanon_core.verification":
                continue
            layer, *rest = name.split(".")[1:]
            if layer == "kernels":
                assert rest[0].startswith("verify_"), f"{path.name}: {name}"
            elif layer == "model":
                assert rest[0] in nouns, f"{path.name}: {name}"
            else:
                assert layer == "verification", f"{path.name}: {name}"
    for path in (ROOT / "fpanon_core" / "kernels").glob("verify_*.py"):
        ours = {n for n in imported(path) if n.startswith("fpanon_core.kernels.")}
        assert all(n.split(".")[2].startswith("verify_") for n in ours)
    named = {"verify_cover"}
    for path in (ROOT / "fpanon_core").rglob("*.py"):
        if path.parent.name != "verification" and not path.name.startswith("verify_"):
            assert not named & {part for n in imported(path) for part in n.split(".")}
