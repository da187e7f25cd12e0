"""Can every case of every benchmark be named?"""

from importlib import import_module
from pathlib import Path

from tests.benchmarks import run

FOLDER = Path(run.__file__).parent


def test_no_case_is_left_out():
    of_modules = {}
    for path in sorted(FOLDER.glob("*.py")):
        if path.stem != "run" and "\nCASES = " in path.read_text(encoding="utf-8"):
            of_modules |= import_module(f"tests.benchmarks.{path.stem}").CASES
    assert set(of_modules) == set(run.CASES)
    assert set(run.BY_DEFAULT) <= set(run.CASES)
