"""The child's side of :mod:`.process`: it takes tasks from a pipe and sends back the outcomes.

The child is started as ``python -m fpanon_core.engines.worker [module:function]``. The optional
function is called once before the first task, so that imports and compilation delay no task.

Tasks come on standard input as pickles, and answers leave as data (:mod:`.answers`) on the original
standard output. A stray ``print`` goes to standard error instead, where it cannot garble the
answers. Input is read on a separate thread. So the end of the parent, seen as end of file, ends
this process even during a computation. The message of an unforeseen error may quote the data, so
only the error's type and its place in the program are sent.

A session asks many questions about the same fingerprints, which are by far the largest part of each
call. So each side keeps the most recently used sets by digest. If the other side holds a set, a
later message names the set instead of sending it.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pickle  # nosec B403 # packs what the parent sends to its own child
import queue
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from fpanon_core.engines.answers import packed
from fpanon_core.engines.cluster import where_to_work
from fpanon_core.engines.limits import give_back, memory_of
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.fingerprints import FingerprintSet

MOST_HELD = 3
"""Number of sets kept on a shelf: the session's data, a release of them, and the previous data."""
_LENGTH = struct.Struct(">Q")
_REPORT_EVERY_S = 0.1
_MUCH_BYTES = 300_000_000  # memory of a child; one without data has about 100 MB

KILLED_FIRST = 900
"""Value of Linux's oom_score_adj, at most 1,000: when memory runs out, the kernel kills children
first, and of two children the one with more memory."""


def main() -> None:
    """Serve tasks until the parent closes this process's input."""
    _go_first_when_memory_ends()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, tasks), daemon=True).start()
    if len(sys.argv) > 1:
        _warm_up(sys.argv[1])
    shelf = Shelf()
    while True:
        serve(tasks.get, answers, shelf)
        # Memory that a task left free would count against the limit of the next task.
        if memory_of(os.getpid()) > _MUCH_BYTES:
            give_back()


def _go_first_when_memory_ends() -> None:
    """Make the kernel end this process before the server and other programs if memory runs out."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write(f"{KILLED_FIRST}")


def serve(take: Callable[[], bytes], answers: BinaryIO, shelf: Shelf) -> None:
    """Take a message; hold the data that it brings, or run the task and send the outcome.

    Parameters
    ----------
    take : callable
        Function that returns the body of the message. The body is not kept here, so that it does
        not stay in memory while the task runs.
    shelf : Shelf
        The data held so far.
    """
    answer = _answer(take(), answers, shelf)
    if answer is None:
        return
    try:
        tell(answers, (shelf.digests, *answer))
    except BrokenPipeError:
        os._exit(0)
    except Exception as fault:  # The result cannot be pickled.
        tell(answers, (shelf.digests, "fault", type(fault).__name__, _place(fault)))


def tell(pipe: BinaryIO, answer: object) -> None:
    """Write one answer as data, which the server can read without trusting the child."""
    send_packed(pipe, packed(answer))


def send(pipe: BinaryIO, message: object) -> None:
    """Write a pickled message, after its length in 8 bytes, to a child, which trusts the sender."""
    send_packed(pipe, pickle.dumps(message, protocol=5))


def send_packed(pipe: BinaryIO, body: bytes) -> None:
    """Write one encoded message, preceded by its length in eight bytes."""
    pipe.write(_LENGTH.pack(len(body)))
    pipe.write(body)
    pipe.flush()


def receive(pipe: BinaryIO, most: int | None = None) -> bytes:
    """Read the body of the next message.

    Parameters
    ----------
    most : int or None
        Largest number of bytes allowed.

    Raises
    ------
    EOFError
        The other side is gone, perhaps in the middle of a message.
    ValueError
        The message is longer than allowed.
    """
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    if most is not None and length > most:
        raise ValueError("a message that is longer than allowed")
    return _exactly(pipe, length)


def _exactly(pipe: BinaryIO, length: int) -> bytes:
    body = pipe.read(length)
    if len(body) < length:
        raise EOFError
    return body


def _receive(pipe: BinaryIO, tasks: queue.SimpleQueue[bytes]) -> None:
    try:
        while True:
            tasks.put(receive(pipe))
    except (EOFError, OSError):
        os._exit(0)


def _warm_up(name: str) -> None:
    module, _, function = name.partition(":")
    # Only time is lost; a real fault will show, and be reported, with the first task.
    with contextlib.suppress(Exception):
        getattr(importlib.import_module(module), function)()


def _answer(body: bytes, answers: BinaryIO, shelf: Shelf) -> tuple[Any, ...] | None:
    """Return the outcome of a task, or None for a message that only brings data."""
    last = 0.0

    def progress(fraction: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _REPORT_EVERY_S or fraction >= 1:
            last = now
            tell(answers, ("progress", min(max(float(fraction), 0.0), 1.0)))

    try:
        message = unpack(body, shelf)
        del body
        if message[0] == "hold":
            shelf.put(message[1], message[2])
            return None
        tell(answers, ("taken",))
        function, arguments, named = message
        result = function(*arguments, progress=progress, **where_to_work(function, named))
        for part in result if isinstance(result, tuple) else (result,):
            if isinstance(part, FingerprintSet):  # what was read here need not be sent back
                shelf.put(part)
        return ("result", result)
    except FpanonError as error:
        return ("refused", type(error).__name__, error.message)
    except BrokenPipeError:
        os._exit(0)
    except BaseException as fault:  # The parent reports every fault; none may print its data.
        ended = isinstance(fault, MemoryError)  # Arrow's, too, which has another name.
        return ("fault", "MemoryError" if ended else type(fault).__name__, _place(fault))


def _place(fault: BaseException) -> str:
    frames = list(traceback.extract_tb(fault.__traceback__))
    frames = [f for f in frames if f.filename != __file__] or frames
    own = [f for f in frames if "fpanon_core" in f.filename] or frames
    return f"{os.path.basename(own[-1].filename)}:{own[-1].lineno}" if own else "unknown"


# --- data that both sides hold ---


class Shelf:
    """The fingerprint sets that a process holds, by digest; the most recently used are kept."""

    def __init__(self) -> None:
        self._sets: dict[str, FingerprintSet] = {}

    def put(self, fs: FingerprintSet, beside: Iterable[str] = ()) -> None:
        """Hold a set, and drop the least recently used ones; sets needed ``beside`` it are kept."""
        for digest in beside:
            if digest in self._sets:
                self.get(digest)
        self._sets.pop(fs.digest, None)
        self._sets[fs.digest] = fs
        while len(self._sets) > MOST_HELD:
            del self._sets[next(iter(self._sets))]

    def get(self, digest: str) -> FingerprintSet:
        """Return a held set; raise LookupError if it is not held."""
        fs = self._sets.pop(digest)
        self._sets[digest] = fs
        return fs

    @property
    def digests(self) -> tuple[str, ...]:
        """Digests of the sets held, the most recently used last."""
        return tuple(self._sets)


def pack(message: object) -> tuple[bytes, dict[str, FingerprintSet]]:
    """Return a message as bytes that name its sets by digest, and the sets that are named.

    A message with more sets than a shelf holds is sent whole, with none named.
    """
    body = io.BytesIO()
    pickler = _Naming(body, protocol=5)
    pickler.dump(message)
    if len(pickler.named) > MOST_HELD:
        return pickle.dumps(message, protocol=5), {}
    return body.getvalue(), pickler.named


def unpack(body: bytes, shelf: Shelf) -> Any:
    """Return a message from its bytes, with named sets taken from the shelf."""
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


if __name__ == "__main__":
    main()
