"""The package as it is installed: what is in it, and that it works far from a checkout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import fpanon_core
from fpanon_core.__main__ import app
from fpanon_core.commands import group
from fpanon_core.model.version import SHIPPED
from tests.browser.server import UPGRADE, free_port, status

ROOT = Path(__file__).resolve().parents[2]
BESIDE = ("app.py", "pages", ".streamlit", "sample_data", "docs")
# What somebody may have set for another dashboard, in the folder they start this one from.
FOREIGN = '[server]\naddress = "0.0.0.0"\nallowedHosts = []\nenableXsrfProtection = false\n'


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and its command, and nothing of the checkout."""
    site = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-index", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    return site


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """The folder that somebody starts the program from."""
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(FOREIGN)
    return tmp_path


def environment(site: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(site)}


def said(site: Path, folder: Path, *command: str | Path) -> str:
    """What a command prints that is run in a folder."""
    run = subprocess.run(
        command, cwd=folder, env=environment(site), capture_output=True, text=True, check=True
    )
    return run.stdout


# --- what is in it -------------------------------------------------------------------------------


def test_wheel_holds_the_package_and_what_stands_beside_it(wheel: Path) -> None:
    places = [ROOT / "fpanon_core", *(ROOT / name for name in BESIDE)]
    files = [f for place in places for f in (place.rglob("*") if place.is_dir() else [place])]
    files = [f for f in files if f.is_file() and "__pycache__" not in f.parts]
    names = [f.relative_to(ROOT).as_posix() for f in files]
    inside = {n if n.startswith("fpanon_core/") else f"fpanon_core/shipped/{n}" for n in names}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == inside
    assert {
        "fpanon_core/py.typed",
        "fpanon_core/__init__.pyi",
        "fpanon_core/shipped/app.py",
        "fpanon_core/shipped/.streamlit/config.toml",
        "fpanon_core/shipped/pages/charts/basemap/natural_earth.npz",
        "fpanon_core/shipped/sample_data/sf_cabs_20080608_cdr.csv.gz",
        "fpanon_core/shipped/sample_data/README.md",  # the terms of the data go with them
    } <= held
    assert not any("tests" in Path(name).parts for name in held)


def test_one_version_one_command_one_list_of_dependencies(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = {Path(n).name: archive.read(n) for n in archive.namelist() if ".dist-info/" in n}
    metadata = Parser().parsestr(texts["METADATA"].decode())
    assert metadata["Version"] == fpanon_core.__version__
    assert "LICENSE" in texts
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" not in project
    needed = metadata.get_all("Requires-Dist")
    plain = {entry.lower() for entry in needed if "extra ==" not in entry}
    assert plain == {entry.lower() for entry in project["dependencies"]}
    assert not any(name in entry for entry in plain for name in ("streamlit", "plotly", "pydeck"))
    extras = project["optional-dependencies"]
    assert set(extras) == {"dashboard", "cluster"}
    assert len(needed) - len(plain) == len(extras["dashboard"]) + len(extras["cluster"]) == 7
    assert texts["entry_points.txt"].decode().split("\n")[1] == "fpanon = fpanon_core.__main__:app"


# --- that it works -------------------------------------------------------------------------------


def test_command_is_called_fpanon(installed: Path, elsewhere: Path) -> None:
    fpanon = installed / "bin" / "fpanon"
    version = f"fpanon {fpanon_core.__version__}\n"
    assert said(installed, elsewhere, fpanon, "--version") == version
    module = [sys.executable, "-m", "fpanon_core"]
    assert said(installed, elsewhere, *module, "--version") == version
    by_name = said(installed, elsewhere, fpanon, "--help")
    assert by_name.startswith("Usage: fpanon [OPTIONS] COMMAND")
    by_module = said(installed, elsewhere, *module, "--help")
    assert by_module == by_name.replace("Usage: fpanon", "Usage: python -m fpanon_core")


def test_samples_are_inside(installed: Path, elsewhere: Path) -> None:
    fpanon = installed / "bin" / "fpanon"
    report = json.loads(
        said(installed, elsewhere, fpanon, "ingest", "--sample", "sf_cabs", "--json")
    )
    assert report["n_users"] == 496


ERRAND = """
def places(*, progress):
    import fpanon_core, pages.charts
    return fpanon_core.__file__, list(pages.charts.__path__)[0]
"""
ASKER = """
import sys, time
sys.path.insert(0, "errands")
import errand
from fpanon_core.engines.process import ProcessRunner
runner = ProcessRunner()
job = runner.submit(errand.places, label="")
while job.active:
    time.sleep(0.05)
runner.close()
print(*job.result if job.status == "done" else [job.error], sep="\\n")
"""


def test_child_process_finds_library_and_dashboard(installed: Path, elsewhere: Path) -> None:
    (elsewhere / "errands").mkdir()
    (elsewhere / "errands" / "errand.py").write_text(ERRAND)
    environment = {"PYTHONPATH": f"{installed}{os.pathsep}{elsewhere / 'errands'}"}
    run = subprocess.run(
        [sys.executable, "-c", ASKER],
        cwd=elsewhere,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert run.stdout.splitlines() == [
        str(installed / "fpanon_core" / "__init__.py"),
        str(installed / "fpanon_core" / "shipped" / "pages" / "charts"),
    ], run.stderr


# --- the dashboard -------------------------------------------------------------------------------


@pytest.fixture
def port(installed: Path, elsewhere: Path) -> Iterator[int]:
    """Of a dashboard that runs, started from elsewhere by the installed command."""
    number = free_port()
    command = [installed / "bin" / "fpanon", "dashboard", "--port", str(number), "--no-browser"]
    with (elsewhere / "log").open("wb") as log:
        server = subprocess.Popen(
            command,
            cwd=elsewhere,
            env=environment(installed),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        for _ in range(300):
            if server.poll() is not None or status(number, "/_stcore/health") == 200:
                break
            time.sleep(0.2)
        assert server.poll() is None, (elsewhere / "log").read_text()
        yield number
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGTERM)
        assert server.wait(30) in (0, -signal.SIGTERM)


def test_dashboard_serves_this_machine_alone(port: int, elsewhere: Path) -> None:
    assert status(port, "/") == status(port, "/anonymizability") == 200
    assert status(port, "/", at="127.0.0.2") == 0  # it listens at one address only
    stream, page = "/_stcore/stream", f"http://127.0.0.1:{port}"
    assert status(port, stream, Origin=page, **UPGRADE) == 101
    assert status(port, stream, **UPGRADE) == 403  # a browser always says where from
    assert status(port, stream, Origin="http://other.example", **UPGRADE) == 403
    rebound = f"rebound.example:{port}"
    assert status(port, stream, Host=rebound, Origin=f"http://{rebound}", **UPGRADE) == 403
    assert status(port, "/", Host=rebound) == 421
    assert status(port, "/_stcore/metrics") == 404
    assert "Traceback" not in (elsewhere / "log").read_text()


def test_dashboard_settings_are_those_shipped(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it is started, and whatever is set there."""
    calls: list[list[str]] = []
    monkeypatch.setattr(group.os, "execv", lambda _, command: calls.append(command))
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("FPANON_DATA_DIR", "records")
    result = CliRunner().invoke(app, ["dashboard", "--port", "8765", "--no-browser"])
    assert result.exit_code == 0, result.output
    assert os.environ["FPANON_DATA_DIR"] == str(elsewhere / "records")
    (command,) = calls
    assert Path.cwd() == SHIPPED
    assert command[:5] == [sys.executable, "-m", "streamlit", "run", "app.py"]
    assert (SHIPPED / "app.py").is_file()
    show = [*command[:3], "config", "show", *command[5:]]
    shown = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    settings = dict(leaves(tomllib.loads(shown[shown.index("\n[") :])))  # after a wrapped comment
    shipped = dict(leaves(tomllib.loads((SHIPPED / ".streamlit" / "config.toml").read_text())))
    assert len(shipped) > 20
    # These Streamlit shows to nobody.
    assert shipped.pop("runner.postScriptGC") is False
    assert shipped.pop("client.allowedOrigins") == []
    assert shipped.pop("logger.enableRich") is False
    assert {name: settings.get(name) for name in shipped} == shipped
    assert settings["server.port"] == 8765
    assert settings["server.headless"] is True
    assert "server.enableXsrfProtection" not in settings  # as Streamlit has it: on


def leaves(tree: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested tables, by dotted name."""
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{before}{name}.")
        else:
            yield before + name, value


def test_dashboard_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "find_spec", lambda name: None if name == "plotly" else name)
    monkeypatch.setattr(group.os, "execv", lambda *_: pytest.fail("started all the same"))
    result = CliRunner().invoke(app, ["dashboard"])
    assert result.exit_code == 2
    assert result.output == (
        'Error: The dashboard is not installed; install it with: pip install "fpanon[dashboard]".\n'
    )
