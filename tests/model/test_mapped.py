"""A kept folder that somebody else made or changed: its plain files are read, or it is refused."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fpanon_core.io.cdr import read_cdr
from fpanon_core.model import mapped
from fpanon_core.model.errors import ConfigError, SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.mapped import digest_of
from fpanon_core.model.published import GeneralizedFingerprintSet
from fpanon_core.studies.reading import Reading, Source, read, read_or_ask
from fpanon_core.tables.folder import data_files, kept_folders, kept_in
from tests.fuzz.mutations import json_changed
from tests.support.no_files import NO_FILES, replaced

FILES = ("about.json", "user_ids.txt", "account.json", "offsets.npy", "x_m.npy", "dx_m.npy")
TABLE = (
    "user,time,lat,lon\n"
    "person-a,2024-03-04T08:00Z,14.70,-17.40\nperson-a,2024-03-04T09:00Z,14.75,-17.41\n"
    "person-b,2024-03-04T10:00Z,14.71,-17.42\n"
)
ANTENNAS = "antenna,lat,lon,district\nM1,14.7,-17.4,North\nM2,14.8,-17.5,South\n"
CALLS = (
    "user,time,antenna\na,2024-03-04T08:00Z,M1\na,2024-03-04T09:00Z,M2\nb,2024-03-04T10:00Z,M1\n"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Events, and the folder that their reading was kept in, in the server's data folder."""
    place = tmp_path_factory.mktemp("made")
    (place / "events.csv").write_text(TABLE)
    (place / "data").mkdir()
    events = Source("", file=("events.csv", place / "events.csv"))
    read(events, Reading(), keep=place / "data" / "kept")
    return place


@pytest.fixture
def kept(made: Path, tmp_path: Path) -> Path:
    """That folder, to do with as one likes."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "data" / "kept"


def by_library(folder: Path) -> object:
    return FingerprintSet.load(folder)


def by_command(folder: Path) -> object:
    return read(Source("", file=("kept", folder)), Reading())


def by_dashboard(folder: Path) -> object:
    chosen = kept_in(folder.parent, folder.name)
    return read_or_ask(Source("", file=("kept", chosen)), Reading())


WAYS = (by_library, by_command, by_dashboard)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("way", WAYS)
def test_in_a_kept_folder_nothing_but_a_plain_file_is_opened(
    kept: Path, tmp_path: Path, way: Callable[[Path], object], name: str, kind: str
) -> None:
    """What a link leads to is the very content: it is refused for being a link."""
    if way is by_library and name == "account.json":
        pytest.skip("no part of the set")
    way(kept)
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    replaced(kept / name, kind, tmp_path)
    with pytest.raises(SchemaError, match=f"{name} .* is not a plain file"):
        way(kept)
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("name", FILES)
def test_a_file_exchanged_between_listing_and_opening_is_not_followed(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Right after it was looked at, and found to be plain."""
    real, done = os.stat, []

    def exchanging(path: object, **named: object) -> os.stat_result:
        found = real(path, **named)  # type: ignore[arg-type]
        if path == name and not done:
            done.append(name)
            replaced(kept / name, "link out", tmp_path)
        return found

    monkeypatch.setattr(os, "stat", exchanging)
    with pytest.raises(SchemaError):
        by_dashboard(kept)
    assert done
    assert kept_folders(kept.parent) == ["kept"]  # its files are not listed, whatever is in it
    assert data_files(kept.parent) == []


def test_another_plain_file_put_in_its_place_meanwhile_is_not_taken(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal to the byte, so that no digest tells; and the first is back when it is looked again."""
    real, own = mapped.file_opened, kept / "x_m.npy"

    def exchanging(name: str, folder: int) -> int:
        if name != own.name:
            return real(name, folder)
        own.rename(tmp_path / "first")
        own.write_bytes((tmp_path / "first").read_bytes())
        try:
            return real(name, folder)
        finally:
            (tmp_path / "first").replace(own)

    monkeypatch.setattr(mapped, "file_opened", exchanging)
    with pytest.raises(SchemaError, match="altered"):
        FingerprintSet.load(kept)


def test_the_folder_itself_may_be_a_link_where_its_user_names_it(
    kept: Path, tmp_path: Path
) -> None:
    """On the command line and in the library; never in the server's data folder."""
    link = tmp_path / "data" / "link"
    link.symlink_to(kept)
    fs = FingerprintSet.load(link)
    assert fs.folder == kept.resolve()
    assert by_command(link)[0].digest == fs.digest  # type: ignore[index]
    with pytest.raises(SchemaError, match="server's data folder"):
        by_dashboard(link)
    assert kept_folders(link.parent) == ["kept"]
    # The set is of the folder that the link led to; where that is exchanged for a link, it is not
    # reopened.
    sent = pickle.dumps(fs)
    assert pickle.loads(sent).digest == fs.digest
    kept.rename(tmp_path / "moved")
    kept.symlink_to(tmp_path / "moved")
    with pytest.raises(SchemaError):
        pickle.loads(sent)


# --- damage, and folders that nobody of ours made ------------------------------------------------


@pytest.mark.parametrize(
    "key", ["digest", "files", "format", "granularity_m", "crs", "clock", "antennas", "whole_ids"]
)
@pytest.mark.parametrize("way", WAYS)
def test_without_a_key_it_is_refused(kept: Path, way: Callable[[Path], object], key: str) -> None:
    about = json.loads((kept / "about.json").read_text())
    del about[key]
    (kept / "about.json").write_text(json.dumps(about))
    with pytest.raises(SchemaError):
        way(kept)


def test_any_account_and_description_are_read_or_refused(tmp_path: Path) -> None:
    """600 of each file; and what is read can be told of, as on a page or in a terminal."""
    (tmp_path / "calls.csv").write_text(CALLS)
    (tmp_path / "antennas.csv").write_text(ANTENNAS)
    folder = tmp_path / "kept"
    files = {name: (name, tmp_path / name) for name in ("calls.csv", "antennas.csv")}
    source = Source("", file=files["calls.csv"], antennas=files["antennas.csv"])
    read(source, Reading(), keep=folder)
    rng, taken = random.Random(7), 0
    for name in ("about.json", "user_ids.txt", "account.json"):
        good = (folder / name).read_text()
        for number in range(600):
            body = json_changed(rng, good.encode()) if number else b"[" * 100_000
            (folder / name).write_bytes(body)
            try:
                fs, report = by_command(folder)  # type: ignore[misc]
            except (SchemaError, ConfigError):
                continue
            report.summary()
            report.to_frame()
            assert fs.n_users == 2
            taken += 1
        (folder / name).write_text(good)
    assert taken  # such as another time of day, or a note less


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("x_m", np.nan), ("t_min", np.inf), ("dx_m", -100.0), ("dt_min", -1.0)),
        *(("count", 0), ("count", -5), ("weight", 0)),
    ],
)
def test_numbers_that_no_set_has_are_refused_though_the_digest_fits(
    tmp_path: Path, name: str, value: float
) -> None:
    fs = FingerprintSet.from_samples([1, 1, 2], [0, 500, 900], [0, 0, 0], [0, 5, 9])
    folder = fs.save(tmp_path / "kept")
    values = getattr(fs, name).copy()
    values[-1] = value
    np.save(folder / f"{name}.npy", values)
    about = json.loads((folder / "about.json").read_text())
    files = about["files"]
    files |= {"dy_m": "dx_m.npy"} if name == "dx_m" else {}
    assert files[name] == f"{name}.npy"
    about["digest"] = digest_of(fs, lambda each: [np.load(folder / files[each]).tobytes()])
    (folder / "about.json").write_text(json.dumps(about))
    with pytest.raises(SchemaError, match="altered"):
        FingerprintSet.load(folder)


def test_offsets_whose_differences_overflow_are_refused() -> None:
    """From 2⁶³ − 1 to −5 it is 2⁶³ − 4 upwards, by the arithmetic of 64 bits."""
    offsets = np.array([0, 2**63 - 1, -5, 1])
    cells = {name: np.zeros(1) for name in ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")}
    with pytest.raises(SchemaError, match="no samples"):
        FingerprintSet(user_ids=np.arange(3), offsets=offsets, count=np.ones(1), **cells)
    with pytest.raises(SchemaError, match="must not decrease"):
        GeneralizedFingerprintSet(offsets=offsets, n_users=np.ones(3), **cells)


def test_read_again_it_says_the_same(kept: Path, tmp_path: Path) -> None:
    fs, report = read_cdr(tmp_path / "events.csv")
    for way in (by_command, by_dashboard):
        again, account = way(kept)  # type: ignore[misc]
        assert (again.digest, account.summary()) == (fs.digest, report.summary())
