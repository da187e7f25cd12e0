"""Records of thirty people that several commands read."""

from __future__ import annotations

from pathlib import Path

import pytest

from fpanon_core.synthetic.generate import generate_cdr


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "people.csv"
    generate_cdr(30, days=3).to_csv(path, index=False)
    return path
