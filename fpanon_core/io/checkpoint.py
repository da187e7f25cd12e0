"""Checkpoints of long runs: the result for each part of the people is stored in a folder.

The name of a file is a digest of its input: the people, the settings and the versions. So no result
is mistaken for another, and one folder serves several runs. Name and content are sealed with the
user's key (:mod:`fpanon_core.model.files`). A file is ignored if it is damaged, or was made,
changed or renamed without the key; its part is then computed again. If no key can be stored, only
the process that wrote a file can use it. The files reveal who is grouped with whom, and where the
groups were. The folder is readable by its user alone, and should be removed after the run.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..model.arrays import CELL
from ..model.errors import ConfigError
from ..model.files import file_opened, sealed
from ..model.fingerprints import FingerprintSet
from ..model.published import GeneralizedFingerprintSet, Part
from ..model.version import versions
from ..tables.writing import sweep, told_plainly, whole_file

_ENDING, _FORM = ".fpanon-part", b"fpanon part 2\n"
_HEAD = len(_FORM) + 32
_MOST_BYTES = 200  # per sample or person; about twice the uncompressed size
_OWN = ("group", "code", "space_m", "time_min", "left_over", "left_out")


class Checkpoint:
    """Private folder in which a long run stores its finished parts.

    Parameters
    ----------
    folder : path
        Made if missing, readable by its owner alone.

    Raises
    ------
    ConfigError
        ``folder`` cannot be made, is not a folder, is a link, belongs to another user, or is open
        to others.

    Examples
    --------
    ``glove(fs, 2, shards=100, checkpoint=Checkpoint("run-of-june"))``, killed and called again,
    computes only the missing parts.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        with told_plainly():
            self.folder.mkdir(0o700, exist_ok=True)
            found = os.lstat(self.folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise ConfigError(
                f"{self.folder.name} is not a folder of your own; name a new one for the "
                "checkpoints."
            )
        if found.st_mode & 0o077:
            raise ConfigError(
                f"{self.folder.name} can be read or written by others, and checkpoints hold "
                "personal data; name a new folder, or close this one to others (chmod 700)."
            )
        sweep(self.folder)
        self._used: set[Path] = set()

    def part(self, fs: FingerprintSet, settings: Mapping[str, Any]) -> Part | None:
        """Return the stored result for these people and settings; None if missing or damaged."""
        place = self._place(fs, settings)
        try:
            with open(file_opened(place), "rb") as file:
                # No part is larger when compressed; a larger file is not read to its end.
                content = file.read(_HEAD + _MOST_BYTES * (fs.n_users + fs.n_samples + 100))
            head, body = content[:_HEAD], content[_HEAD:]
            if not hmac.compare_digest(head, _head(place, body)):
                return None
            found = _read(fs, body)
        except Exception:  # whatever is wrong with it, the part is computed again
            return None
        self._used.add(place)
        return found

    def keep(self, fs: FingerprintSet, settings: Mapping[str, Any], part: Part) -> None:
        """Store the result for these people and settings.

        Raises
        ------
        ConfigError
            The folder cannot be written to, or the disk is full.
        """
        into = io.BytesIO()
        own = {name: getattr(part, name) for name in _OWN}
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
            file.write(_head(place, body) + body)
        self._used.add(place)

    def clear(self) -> int:
        """Remove the files that this run stored or used; return their number.

        Files of other runs stay. The folder is removed if it is then empty.
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


def _head(place: Path, body: bytes) -> bytes:
    """Return the bytes that must precede this content in a file of this name."""
    return _FORM + sealed(_FORM + place.name.encode(), body)


def _read(fs: FingerprintSet, body: bytes) -> Part:
    """Return the part of these people that :meth:`Checkpoint.keep` stored and sealed."""
    with np.load(io.BytesIO(body), allow_pickle=False) as kept:
        found = dict(kept)
    published = GeneralizedFingerprintSet(
        offsets=found["offsets"],
        n_users=found["n_users"],
        granularity_m=fs.granularity_m,
        granularity_min=fs.granularity_min,
        clock=fs.clock,
        crs=fs.crs,
        **dict(zip(CELL, found["cells"].T, strict=True)),
    )
    own = {name: found[name] for name in _OWN}
    return Part(published=published, phantom_share=float(found["phantom_share"]), **own)
