"""The public face: every name is there when asked for, and nothing is loaded before."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import fpanon_core

STUB = Path(fpanon_core.__file__).with_suffix(".pyi")
SLOW = {"h3", "numba", "numpy", "pandas", "pyarrow", "pyproj", "scipy", "shapely", "sklearn"}
SLOW |= {"opendp", "ot", "plotly", "pydeck", "streamlit", "typer", "tzfpy"}


def loaded(program: str) -> set[str]:
    """Top-level modules in memory after a program, run by a Python of its own."""
    program += "\nimport sys\nprint(*{name.split('.')[0] for name in sys.modules})"
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=STUB.parents[1],
    )
    return set(run.stdout.split())


def test_names_are_those_of_their_modules():
    for name in fpanon_core.__all__:
        found = getattr(fpanon_core, name)  # loads the module
        home = sys.modules["fpanon_core" + fpanon_core._HOMES[name]]
        assert found is getattr(home, name), name


def test_names_are_those_that_type_checkers_see():
    body = ast.parse(STUB.read_text(encoding="utf-8")).body
    (named,) = (ast.literal_eval(n.value) for n in body if isinstance(n, ast.Assign))
    assert sorted(named) == sorted(fpanon_core.__all__) == dir(fpanon_core)
    assert len(named) == len(set(named)) > 100
    # Where a name is imported under another, what it is called there would be asked for here.
    assert all(a.asname is None for n in body if isinstance(n, ast.ImportFrom) for a in n.names)


def test_all_names_can_be_taken_at_once():
    taken = {}
    exec("from fpanon_core import *", taken)
    assert set(fpanon_core.__all__) <= set(taken)


def test_no_name_is_that_of_a_folder():
    """``fpanon_core.release`` would else be the function or the folder, by who came first."""
    folder = STUB.parent
    inside = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not inside & set(fpanon_core.__all__)


def test_unknown_name():
    with pytest.raises(AttributeError, match="'fpanon_core' has no attribute 'k_gab'"):
        fpanon_core.k_gab  # noqa: B018


def test_import_loads_nothing_slow():
    assert not loaded("import fpanon_core") & SLOW
    assert not loaded("from fpanon_core import ConfigError, __version__") & SLOW


def test_name_loads_what_it_needs_alone():
    assert "numpy" in loaded("from fpanon_core import GeneralizationProfile")
    modules = loaded("from fpanon_core import FingerprintSet, ReleaseOption, as_option, Glove")
    assert not modules & {"h3", "numba", "sklearn", "opendp", "ot", "shapely", "streamlit", "typer"}
