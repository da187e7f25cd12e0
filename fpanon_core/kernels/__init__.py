"""Numba loops over plain arrays; input is validated by public functions elsewhere, not here.

Compiled kernels are cached. numba considers a cached kernel current as long as its *own* file is
unchanged. But it may include a kernel compiled from another file, which may have changed. A stale
kernel would silently give wrong numbers, so the name of the cache folder contains a digest of all
files here.

numba also does not support two processes that write kernels at once. Each process looks for a free
file number for its machine code, and two may take the same number for different types of arguments.
A process that loads that file then runs code made for other arrays. So only one process writes at a
time, and no other process reads during that time.

numba names a compiled function by its types and by a number that each process counts from 1. Inner
functions of numba, such as those of ``sort`` and ``argsort``, differ only by that number. If two
processes compile such functions, these may get the same name. A process that loads both kernels
then runs one function for both. So the numbers are drawn at random.
"""

import atexit
import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from secrets import randbits
from typing import Any

import numba
from numba.core import bytecode, caching

_HERE = Path(__file__).parent


def _cache_folder() -> Path:
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(_HERE.glob("*.py")):
        digest.update(path.read_bytes())
    return _base() / f"kernels-{digest.hexdigest()}"


def _base() -> Path:
    """Return the folder for the caches: the stated one, or the first of several that is writable.

    ``NUMBA_CACHE_DIR`` states a folder. Without it, the folder is ``__pycache__`` beside the
    kernels, or else the user's own cache. If neither is writable, it is a temporary folder.
    """
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
    # Neither is writable: each process compiles into a new folder that nobody else can write to.
    passing = tempfile.mkdtemp(prefix="fpanon-")
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    return Path(passing)


class _OneAtATime(caching.IndexDataCacheFile):
    """Cached kernels of one function; many processes can read them at once, or one can write."""

    def save(self, key: Any, data: Any) -> None:
        with _turn(self._cache_path, writes=True):
            super().save(key, data)  # type: ignore[no-untyped-call]

    def load(self, key: Any) -> Any:
        with _turn(self._cache_path, writes=False):
            return super().load(key)  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def _turn(folder: str, writes: bool) -> Iterator[None]:
    """Hold the folder's lock during a ``with`` block: exclusive for writing, shared for reading.

    If the lock file cannot be opened, the block runs without a lock.
    """
    try:
        lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:  # there is no folder yet, or we cannot write to it
        yield
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX if writes else fcntl.LOCK_SH)
        yield
    finally:
        os.close(lock)  # this also releases the lock


class _Numbered(bytecode.FunctionIdentity):
    """A function to compile, with a number that no other process uses."""

    @classmethod
    def from_function(cls, pyfunc: Any) -> Any:
        made = super().from_function(pyfunc)  # type: ignore[no-untyped-call]
        made.unique_id = randbits(62)
        made.unique_name = f"{made.func_qualname}${made.unique_id}"
        return made


# numba looks these up whenever a kernel is declared or compiled.
bytecode.FunctionIdentity = _Numbered  # type: ignore[misc]
caching.IndexDataCacheFile = _OneAtATime  # type: ignore[misc]
numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]
