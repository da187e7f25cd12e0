"""Data that two processes both hold, so that they cross the pipe between them once.

A session asks a dozen questions of the same fingerprints. They are by far the largest part of each
call; so each side keeps the sets that crossed last by digest, and in every later message a set that
the other side holds is named, not sent.
"""

from __future__ import annotations

import io
import pickle  # nosec B403 # the child unpickles what its own parent sends
from collections.abc import Iterable
from typing import Any

from ..model.fingerprints import FingerprintSet

MOST_HELD = 3
"""Sets kept on a shelf: the session's data, a release of them, those to which one may go back."""


class Shelf:
    """The fingerprint sets that a process holds, by digest; the latest used stay."""

    def __init__(self) -> None:
        self._sets: dict[str, FingerprintSet] = {}

    def put(self, fs: FingerprintSet, beside: Iterable[str] = ()) -> None:
        """Hold a set; the one used longest ago makes room, but for those needed ``beside`` it."""
        for digest in beside:
            if digest in self._sets:
                self.get(digest)
        self._sets.pop(fs.digest, None)
        self._sets[fs.digest] = fs
        while len(self._sets) > MOST_HELD:
            del self._sets[next(iter(self._sets))]

    def get(self, digest: str) -> FingerprintSet:
        """A set that is held; LookupError where it is not."""
        fs = self._sets.pop(digest)
        self._sets[digest] = fs
        return fs

    @property
    def digests(self) -> tuple[str, ...]:
        """Of the sets held, the latest used last."""
        return tuple(self._sets)


def pack(message: object) -> tuple[bytes, dict[str, FingerprintSet]]:
    """A message as bytes, in which sets are named; and the sets so named, by digest.

    A message of more sets than a shelf holds is sent as it is, with none named.
    """
    body = io.BytesIO()
    pickler = _Naming(body, protocol=5)
    pickler.dump(message)
    if len(pickler.named) > MOST_HELD:
        return pickle.dumps(message, protocol=5), {}
    return body.getvalue(), pickler.named


def unpack(body: bytes, shelf: Shelf) -> Any:
    """A message from its bytes; named sets are taken from the shelf."""
    unpickler = _Finding(io.BytesIO(body))
    unpickler.shelf = shelf
    return unpickler.load()


class _Naming(pickle.Pickler):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.named: dict[str, FingerprintSet] = {}

    def persistent_id(self, obj: Any) -> str | None:
        if type(obj) is not FingerprintSet:
            return None
        self.named[obj.digest] = obj
        return str(obj.digest)


class _Finding(pickle.Unpickler):
    shelf: Shelf

    def persistent_load(self, pid: Any) -> FingerprintSet:
        return self.shelf.get(pid)
