"""The examples in the docstrings: each says what it says."""

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "fpanon_core").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", [name.removesuffix(".__init__") for name in WITH_EXAMPLES])
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    # As a newcomer's session prints them, whatever an earlier test has set.
    with np.printoptions(precision=8, suppress=False, linewidth=75, threshold=1000, legacy=False):
        found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
