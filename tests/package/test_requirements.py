"""One list of dependencies: the requirement files are made from it, the frozen closure holds it."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.package.requirements import ROOT, requirement_files


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_file_is_as_made(name: str) -> None:
    made = requirement_files()[name]
    assert (ROOT / name).read_text() == made, "run `make requirements`"


def test_every_entry_is_pinned_as_in_the_closure() -> None:
    closure = (ROOT / "constraints.txt").read_text().splitlines()
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    entries = [
        *declared["project"]["dependencies"],
        *declared["project"]["optional-dependencies"]["dashboard"],
        *declared["dependency-groups"]["dev"],
        *declared["build-system"]["requires"],
    ]
    assert len(entries) > 20
    for entry in entries:
        assert re.fullmatch(r"[A-Za-z0-9_-]+==[\w.]+", entry)
        assert entry in closure
