"""Numba loops over plain arrays; public functions elsewhere validate, these trust.

Compiled kernels are cached. numba takes a cached kernel for fresh as long as its *own* file is
unchanged, even when a kernel of another file that it was compiled together with has changed since.
A stale kernel would give wrong numbers without a word, so the cache lives in a folder named by the
contents of all files here.
"""

import atexit
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

import numba

_HERE = Path(__file__).parent


def _cache_folder() -> Path:
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(_HERE.glob("*.py")):
        digest.update(path.read_bytes())
    return _base() / f"kernels-{digest.hexdigest()}"


def _base() -> Path:
    """Beside the kernels; where only somebody else may write there, among the user's own files."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    own = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "fpanon"
    for folder in (_HERE / "__pycache__", own):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    # Nowhere to keep them: compiled anew by each process, in a folder that nobody else can write.
    passing = tempfile.mkdtemp(prefix="fpanon-")
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    return Path(passing)


# Read where a kernel is declared.
numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]
