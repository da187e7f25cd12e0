"""Numba loops over plain arrays; public functions elsewhere validate, these trust.

Compiled kernels are cached. numba takes a cached kernel for fresh as long as its *own* file is
unchanged, even when a kernel of another file that it was compiled together with has changed since.
A stale kernel would give wrong numbers without a word, so the cache lives in a folder named by the
contents of all files here.
"""

import hashlib
import os
from pathlib import Path

import numba

_HERE = Path(__file__).parent


def _cache_folder() -> Path:
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(_HERE.glob("*.py")):
        digest.update(path.read_bytes())
    base = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(base) if base else _HERE / "__pycache__") / f"kernels-{digest.hexdigest()}"


# Read where a kernel is declared.
numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]
