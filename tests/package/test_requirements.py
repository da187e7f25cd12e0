"""One list of dependencies: the requirement files hold it, and what it brings along, by digest."""

from __future__ import annotations

import re
from importlib.metadata import distribution

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

from tests.package.requirements import FILES, ROOT, canonical, declared

PINNED = re.compile(
    r"([\w.-]+)==([\w.]+)( ; [^\\]+)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
)


def held(name: str) -> dict[str, tuple[str, frozenset[str]]]:
    """What a file pins: by name, the version and the digests of its files."""
    text = (ROOT / name).read_text()
    found = {
        canonical(package): (version, frozenset(re.findall(r"sha256:(\w+)", digests)))
        for package, version, _, digests in PINNED.findall(text)
    }
    # Every line is one of these, or a comment: nothing is installed that has no digest.
    assert [line for line in PINNED.sub("", text).splitlines() if line.strip()[:1] != "#"] == []
    return found


@pytest.mark.parametrize(
    ("name", "lists", "least"),
    [
        ("requirements.txt", ("run", "dashboard"), 50),
        ("requirements-cluster.txt", ("run", "dashboard", "cluster"), 60),
        ("requirements-dev.txt", ("run", "dashboard", "cluster", "dev", "build"), 80),
        ("requirements-audit.txt", ("audit",), 10),
    ],
)
def test_file_holds_what_is_asked_for_and_all_by_digest(
    name: str, lists: tuple[str, ...], least: int
) -> None:
    found = held(name)
    assert len(found) > least
    wanted = declared(*lists)
    told = "run `make requirements`"
    assert {package: found.get(package, ("",))[0] for package in wanted} == wanted, told


def test_files_agree() -> None:
    """What two of them pin is the same version, of the same files."""
    run, cluster, dev, audit = map(held, FILES)
    assert run.items() <= cluster.items() <= dev.items()
    common = dev.keys() & audit.keys()
    assert common
    assert {package: audit[package] for package in common} == {p: dev[p] for p in common}


def test_files_hold_all_that_is_brought_along() -> None:
    """Else pip would refuse the list: what has no digest is not installed."""
    dev = held("requirements-dev.txt")
    here = {key: str(value) for key, value in default_environment().items()}
    lacking = set()
    for package, (version, _) in dev.items():
        if package == "colorama":  # of another system
            continue
        installed = distribution(package)
        assert installed.version == version, f"{package}: not what is pinned"
        for line in installed.requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate(here | {"extra": ""}):
                lacking |= {canonical(needed.name)} - dev.keys()
    assert lacking == set()
