"""``make golden``: every result of the golden table against the digest that is written down.

With ``--write`` the digests are written anew; a change that does so says which differ, and why.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import random
import re
import secrets
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from .results import DATA, RESULTS, Golden

TABLE = Path(__file__).with_name("digests.json")
_TIMES = {"seconds", "elapsed_s", "took_s"}


def main(arguments: list[str]) -> int:
    """Make them, say which differ; write the table if asked."""
    wanted = [each for each in arguments if not each.startswith("-")]
    known: dict[str, str] = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    made = {}
    state = Path(tempfile.mkdtemp()) / "fpanon"  # files have digests under the user's key
    state.mkdir()
    (state / "digests.key").write_bytes(bytes(32))
    (state / "digests.key").chmod(0o600)
    os.environ["XDG_STATE_HOME"] = str(state.parent)
    for data in map(Golden, DATA):
        with tempfile.TemporaryDirectory() as scratch:
            for at, (name, make) in enumerate(RESULTS.items()):
                full = f"{data.name}: {name}"
                if wanted and not any(each in full for each in wanted):
                    continue
                folder = Path(scratch) / str(at)
                folder.mkdir()
                chance = random.Random(0)  # what is drawn for pseudonyms, the same each time
                secrets.token_bytes, secrets.randbits = chance.randbytes, chance.getrandbits
                try:
                    result = make(data, folder)
                except ValueError as error:  # an error of ours is a result, too
                    result = str(error)
                made[full] = digest([result, list(_files(folder))])
                if made[full] != known.get(full):
                    print(f"{full}: {known.get(full, 'new')} is now {made[full]}", flush=True)
    gone = set() if wanted else known.keys() - made.keys()
    if "--write" in arguments:
        kept = {name: found for name, found in (known | made).items() if name not in gone}
        TABLE.write_text(json.dumps(kept, indent=1) + "\n")
    differ = sum(known.get(name) != found for name, found in made.items())
    print(
        f"{len(made)} results, {differ} differ, {len(gone)} are gone{': ' if gone else ''}", *gone
    )
    return bool(differ or gone)


def digest(result: Any) -> str:
    """The first sixteen digits of a digest of everything in it, numbers to the bit."""
    held = hashlib.sha256()
    for piece in _pieces(result):
        held.update(piece)
    return held.hexdigest()[:16]


def _pieces(value: Any) -> Iterator[bytes]:
    """What a value holds, told apart by kind; how long something took is left out."""
    yield type(value).__name__.encode() if np.isscalar(value) else b"["
    if isinstance(value, np.ndarray) and value.dtype != object:
        yield f"{value.dtype.kind}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    elif isinstance(value, pd.DataFrame | pd.Series):
        frame = value.to_frame() if isinstance(value, pd.Series) else value
        yield frame.drop(columns=_TIMES & set(frame.columns)).to_csv(index=False).encode()
    elif sparse.issparse(value):
        yield from _pieces([value.toarray()])
    elif dataclasses.is_dataclass(value):
        for each in dataclasses.fields(value):
            if each.name not in _TIMES and each.compare:
                yield each.name.encode()
                yield from _pieces(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for key, held in value.items():
            yield from _pieces([key, held])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _pieces(each)
    elif isinstance(value, float | np.floating):
        yield float(value).hex().encode()
    else:
        yield str(value).encode()


def _files(folder: Path) -> Iterator[tuple[str, Any]]:
    """Every file of a folder and what is in it; of a zip, its members."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as packed:
                for member in packed.namelist():
                    yield f"{name}/{member}", hashlib.sha256(packed.read(member)).hexdigest()
        elif path.suffix == ".csv":
            yield name, pd.read_csv(path, dtype=str)
        elif path.suffix == ".json":
            yield name, re.sub(r'"seconds": ?[\d.]+', "", path.read_text())
        elif path.is_file():
            yield name, hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
