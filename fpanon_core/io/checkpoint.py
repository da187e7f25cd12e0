"""Long runs survive: what was made of each part of the people is kept in a folder, and found again.

A file is named by what it was made of and how: the people, the settings, the versions. So nothing
is taken for what it is not, and one folder serves several runs. A file that is not whole, or was
changed, counts as none. The files say who is in a group with whom and where groups were: the folder
is its user's alone, and is to be removed when the run is over.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..model.cells import CELL
from ..model.errors import ConfigError, SchemaError
from ..model.fingerprints import FingerprintSet
from ..model.glove import REASONS
from ..model.parts import Part
from ..model.published import GeneralizedFingerprintSet
from ..model.version import versions
from ..tables.whole import sweep, told_plainly, whole_file

_ENDING, _FORM = ".fpanon-part", b"fpanon part 1\n"
_DIGEST_BYTES = 32
_USERS, _SAMPLES, _GROUPS = ("group",), ("code", "space_m", "time_min"), ("n_users",)
_OTHERS = ("left_over", "left_out", "offsets", "phantom_share")


class Checkpoint:
    """A private folder in which a long run keeps what it has done.

    Parameters
    ----------
    folder : path
        Made if it is not there, for its owner alone.

    Raises
    ------
    ConfigError
        It is no folder, a link, somebody else's, or open to others.

    Examples
    --------
    ``glove(fs, 2, shards=100, checkpoint=Checkpoint("run-of-june"))``, killed and called again,
    does only what is missing.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        with told_plainly():
            self.folder.mkdir(0o700, exist_ok=True)
            found = os.lstat(self.folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise ConfigError(
                f"{self.folder.name} is no folder of your own; name a new one for the checkpoints."
            )
        if found.st_mode & 0o077:
            raise ConfigError(
                f"{self.folder.name} can be read or written by others, and checkpoints tell of "
                "people; name a new folder, or close this one to others (chmod 700)."
            )
        sweep(self.folder)
        self._used: set[Path] = set()

    def part(self, fs: FingerprintSet, settings: Mapping[str, Any]) -> Part | None:
        """What was made of these people by these settings; None if it is not there, whole."""
        place = self._place(fs, settings)
        try:
            content = place.read_bytes()
        except OSError:
            return None
        head = len(_FORM) + _DIGEST_BYTES
        body = content[head:]
        if content[:head] != _FORM + hashlib.sha256(body).digest():
            return None
        try:
            found = _read(fs, body)
        except (ValueError, KeyError, OSError, SchemaError):
            return None
        self._used.add(place)
        return found

    def keep(self, fs: FingerprintSet, settings: Mapping[str, Any], part: Part) -> None:
        """Have it found again.

        Raises
        ------
        ConfigError
            The folder cannot be written to, or the disk is full.
        """
        into = io.BytesIO()
        own = {name: getattr(part, name) for name in (*_USERS, *_SAMPLES, "left_over", "left_out")}
        of = part.published
        np.savez_compressed(
            into,
            phantom_share=np.array(part.phantom_share),
            offsets=of.offsets,
            n_users=of.n_users,
            cells=np.column_stack([getattr(of, name) for name in CELL]),
            **own,
        )
        body = into.getvalue()
        place = self._place(fs, settings)
        with whole_file(place) as file:
            file.write(_FORM + hashlib.sha256(body).digest() + body)
        self._used.add(place)

    def clear(self) -> int:
        """Remove what this run kept or found, and the folder if it is empty then; how many.

        What another run keeps there stays.
        """
        kept = [place for place in self._used if place.exists()]
        for place in kept:
            place.unlink(missing_ok=True)
        self._used.clear()
        if not any(self.folder.iterdir()):
            self.folder.rmdir()
        return len(kept)

    def _place(self, fs: FingerprintSet, settings: Mapping[str, Any]) -> Path:
        made = {
            name: asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
            for name, value in settings.items()
        }
        told = json.dumps([fs.digest, made, versions()], sort_keys=True, default=str)
        return self.folder / f"{hashlib.sha256(told.encode()).hexdigest()[:32]}{_ENDING}"


def _read(fs: FingerprintSet, body: bytes) -> Part:
    with np.load(io.BytesIO(body), allow_pickle=False) as kept:
        found = {name: kept[name] for name in (*_USERS, *_SAMPLES, *_GROUPS, *_OTHERS, "cells")}
    published = GeneralizedFingerprintSet(
        offsets=found["offsets"],
        n_users=found["n_users"],
        granularity_m=fs.granularity_m,
        granularity_min=fs.granularity_min,
        clock=fs.clock,
        crs=fs.crs,
        **dict(zip(CELL, found["cells"].T, strict=True)),
    )
    groups = published.n_groups
    fits = (
        all(found[name].shape == (fs.n_users,) for name in _USERS)
        and all(found[name].shape == (fs.n_samples,) for name in _SAMPLES)
        and _within(found["group"], -1, groups)
        and _within(found["code"], -1, len(REASONS))
        and _within(found["left_over"], 0, fs.n_users)
        and _within(found["left_out"], 0, fs.n_users)
    )
    if not fits:
        raise ValueError("of other people")
    return Part(
        found["group"], published, found["code"], found["space_m"], found["time_min"],
        found["left_over"], found["left_out"], float(found["phantom_share"]),
    )  # fmt: skip


def _within(values: Any, least: int, below: int) -> bool:
    """Whether all are whole numbers of that range."""
    whole = np.issubdtype(values.dtype, np.integer)
    return bool(whole and np.all((values >= least) & (values < below)))
