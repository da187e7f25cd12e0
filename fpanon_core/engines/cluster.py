"""Engine that runs blocks of work on other machines, as tasks of a Dask cluster.

The data of a call are sent to every worker once and stay there as long as they are in use here.
Blocks are sent as they are needed, and their results are fetched. Dask repeats the blocks of a lost
worker. If the last worker that holds some data is lost, fpanon sends the data again.

The operators of the scheduler and of the workers can see the data, which remain personal data. Only
a cluster's own keys keep strangers out, so an address on another machine must begin with ``tls://``
unless the operator allows otherwise.

Source: Rocklin 2015, “Dask: parallel computation with blocked algorithms and task scheduling”.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import time
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from importlib import import_module
from inspect import signature
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from ..model.errors import ConfigError, FpanonError, InfeasibleError, OutOfMemory, memory_ended
from ..model.version import versions
from .local import Engine
from .progress import Progress, tell

T = TypeVar("T")
R = TypeVar("R")

UNENCRYPTED_VARIABLE = "FPANON_SCHEDULER_UNENCRYPTED"
"""Environment variable: ``yes`` allows data to go to another machine's scheduler without TLS."""
SCHEDULER_VARIABLE = "FPANON_SCHEDULER"
"""Environment variable: address of the scheduler that the dashboard uses for computations."""
WAIT_FOR_WORKERS_S = 30.0
"""Longest wait of a call, in seconds, while the cluster has no worker."""

_CONNECT_S = 10.0
_FETCH_S = 300.0
_LOST = (OSError, TimeoutError, CancelledError)
_LOOK_EVERY_S = 0.5  # for a cancel, and for a cluster that is gone
_AHEAD = 2  # blocks sent for each thread of the cluster, so that none waits for the next
_MOST_TIMES = 5  # most times a block is sent, if the data it needs were lost
_VERSIONS = versions()
_PLAIN = (int, float, str, bytes, bool, type(None))


class DaskEngine(Engine):
    """Engine that uses the workers of a Dask cluster.

    The workers compute k-gaps, anonymity sets and the figures derived from them, disclosure,
    linkage, and the records that an attacker finds likeliest. They also compute the days of the
    recovery attack, the links between these days, and sums of presence and flows. They hide the
    people of each shard, or of each period if periods are many and small. The cores of this process
    do the rest: other merges of GLOVE, guesses of places and homes, re-linking, and scores. Results
    equal those of :class:`LocalEngine`: whole numbers exactly, others to 1e-9.

    Parameters
    ----------
    client_or_address : distributed.Client or str
        ``"tls://host:8786"``, or ``"tcp://127.0.0.1:8786"`` on this machine. Keys for TLS are read
        from Dask's own configuration (docs/scale.md), or from the given client. Each worker must
        have the same versions of fpanon, Python, numpy, numba and pandas as this process. Each
        thread of a worker runs one block at a time.

    Raises
    ------
    ConfigError
        Dask is not installed, the argument is neither a client nor an address, keys for TLS are
        missing, or data would leave this machine without TLS.
    InfeasibleError
        No scheduler answers.

    Notes
    -----
    A cancellation takes effect here at once. Blocks that workers have begun are finished there, and
    their results are discarded.

    Examples
    --------
    >>> DaskEngine("somewhere")
    Traceback (most recent call last):
    fpanon_core.model.errors.ConfigError: 'somewhere' is not the address of a scheduler; give one \
such as tls://host:8786.
    """

    def __init__(self, client_or_address: Any) -> None:
        if isinstance(client_or_address, str):
            check_address(client_or_address)
            self._address = client_or_address
            self._client = _connected(client_or_address)
        else:
            if not hasattr(client_or_address, "scheduler_info"):
                raise ConfigError("Give a distributed.Client, or a scheduler's address as text.")
            self._client = client_or_address
            self._address = str(self._client.scheduler.address)
            check_address(self._address)
        super().__init__()  # what is not mapped runs on the cores of this process
        # What was sent, by the id of the object here; when that goes, the workers drop it, too.
        self._sent: dict[int, tuple[weakref.ref[Any], Any]] = {}

    apart = True

    def __reduce__(self) -> tuple[type[DaskEngine], tuple[str]]:
        return (DaskEngine, (self._address,))

    def __repr__(self) -> str:
        return f"DaskEngine({self._address!r})"

    @property
    def workers(self) -> int:
        """Number of blocks that run at once: all workers' threads, or 1 if there are no workers."""
        return max(1, self._threads())

    @property
    def connected(self) -> bool:
        """Whether the scheduler was connected when the client last heard from it."""
        return bool(self._client.status == "running")

    def close(self) -> None:
        """Make the workers drop the data sent, and disconnect from the scheduler."""
        self._sent.clear()
        self._client.close()

    def map(
        self,
        function: Callable[..., R],
        blocks: Sequence[T],
        given: Sequence[Any],
        take: Callable[[int, R], None],
        *,
        work: Sequence[float] | None = None,
        progress: Progress = None,
    ) -> None:
        """Apply ``function`` to every block and take the results; see :meth:`LocalEngine.map`.

        Raises
        ------
        ConfigError
            fpanon is not installed on a worker, or the worker has different versions.
        InfeasibleError
            The cluster is gone, has no workers, or loses a worker each time a block is tried.
        FpanonError, RuntimeError
            A block raised an error of fpanon, or another error. The latter becomes a RuntimeError
            without the text of the error, which may quote the data.
        """
        each = [1.0] * len(blocks) if work is None else [float(w) for w in work]
        total, done = sum(each) or 1.0, 0.0
        tell(progress, 0.0)
        waiting, tries = deque(range(len(blocks))), [0] * len(blocks)
        running: dict[Any, int] = {}
        try:
            ahead = _AHEAD * self._ready()
            while waiting or running:
                lost = False
                while waiting and len(running) < ahead and not lost:
                    number = waiting.popleft()
                    tries[number] += 1
                    if tries[number] > _MOST_TIMES:
                        raise InfeasibleError(_keeps_dying(self._address))
                    try:
                        running[self._submit(function, blocks[number], given)] = number
                    except _LOST:
                        lost = True
                        waiting.appendleft(number)
                    except Exception as fault:
                        if "No module named" not in str(fault):
                            raise
                        raise ConfigError(
                            f"fpanon is not installed on a worker of {self._address}; install the "
                            "same version on all workers (docs/scale.md)."
                        ) from None
                for future in self._finished(running):
                    number = running.pop(future)
                    if future.status == "error":
                        raise InfeasibleError(_keeps_dying(self._address))
                    try:
                        well, answer = self._fetched(future)
                    except _LOST:  # with its worker, even after the block was done
                        lost = True
                        waiting.appendleft(number)
                        continue
                    if not well:
                        raise answer
                    take(number, answer)
                    done += each[number]
                if lost:
                    self._sent.clear()
                    ahead = _AHEAD * self._ready()
                tell(progress, min(1.0, done / total))
        except _LOST:
            if self.connected:  # an error of ``take``, not of the cluster
                raise
            raise InfeasibleError(_gone(self._address)) from None
        finally:
            # Sets of fingerprints are kept for the next call; arrays belong to this call.
            for key in [key for key, (held, _) in self._sent.items() if _is_array(held())]:
                del self._sent[key]
            if running and self.connected:
                self._client.cancel(list(running), force=True, asynchronous=False)

    def _submit(self, function: Callable[..., R], block: T, given: Sequence[Any]) -> Any:
        needs = [each if _is_plain(each) else self._there(each) for each in given]
        sent = block if _is_plain(block) else self._client.scatter([block], hash=False)[0]
        return self._client.submit(_do, _VERSIONS, function, sent, *needs, pure=False)

    def _fetched(self, future: Any) -> Any:
        """Fetch the outcome of a block; raise one of :data:`_LOST` if it was lost."""
        return future.result(timeout=_FETCH_S)

    def _there(self, thing: Any) -> Any:
        """Return a future for an object that every worker holds; send the object if necessary."""
        held = self._sent.get(id(thing))
        if held is not None and held[0]() is thing and held[1].status == "finished":
            return held[1]
        (future,) = self._client.scatter([thing], broadcast=True, hash=False)
        key, sent = id(thing), self._sent
        # What allows no weak reference, such as a tuple, is sent again with the next block.
        with contextlib.suppress(TypeError):
            self._sent[key] = weakref.ref(thing, lambda _: sent.pop(key, None)), future
        return future

    def _finished(self, running: dict[Any, int]) -> list[Any]:
        """Return the sent blocks whose outcome is known."""
        wait = import_module("distributed").wait
        try:
            with self._client.as_current():
                wait(list(running), timeout=_LOOK_EVERY_S, return_when="FIRST_COMPLETED")
        except TimeoutError:
            self._ready()
        except CancelledError:
            if not self.connected:
                raise
        return [future for future in running if future.status != "pending"]

    def _ready(self) -> int:
        """Wait for at least one worker, and return the number of threads of all workers."""
        until = time.monotonic() + WAIT_FOR_WORKERS_S
        while not (threads := self._threads()):
            if time.monotonic() > until:
                raise InfeasibleError(
                    f"The cluster at {self._address} has no workers; start some (dask worker "
                    f"{self._address}), or compute on this machine."
                )
            time.sleep(_LOOK_EVERY_S)
        return threads

    def _threads(self) -> int:
        with contextlib.suppress(*_LOST):
            if self.connected:
                return sum(self._client.nthreads().values())
        raise InfeasibleError(_gone(self._address))


def where_to_work(function: Callable[..., Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return a job's named arguments, with the server's cluster as ``engine`` if none is given.

    The cluster is the one whose address is in :data:`SCHEDULER_VARIABLE`. If that variable is not
    set, or the function takes no engine, nothing is added.

    Raises
    ------
    ConfigError, InfeasibleError
        As for :class:`DaskEngine`.
    """
    address = os.environ.get(SCHEDULER_VARIABLE, "").strip()
    wanted = "engine" not in named and {"engine", "work"} & signature(function).parameters.keys()
    if not address or not wanted:
        return dict(named)
    if address not in _ENGINES or not _ENGINES[address].connected:
        _ENGINES[address] = DaskEngine(address)
    return {**named, "engine": _ENGINES[address]}


_ENGINES: dict[str, DaskEngine] = {}
"""This process's engine for each address; a connected one is reused with the data it sent."""


def check_address(address: str) -> None:
    """Refuse a text that is not an address, or an address without TLS on another machine.

    ``FPANON_SCHEDULER_UNENCRYPTED=yes`` allows an address without TLS on another machine.

    Raises
    ------
    ConfigError
        The address is refused.
    """
    try:
        parts = urlsplit(address)
        scheme, host, _ = parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        scheme = host = ""
    if scheme == "inproc":
        return
    if scheme not in {"tcp", "tls"} or not host:
        raise ConfigError(
            f"{address!r} is not the address of a scheduler; give one such as tls://host:8786."
        )
    allowed = os.environ.get(UNENCRYPTED_VARIABLE, "").strip().lower() == "yes"
    if scheme == "tcp" and not _is_here(host) and not allowed:
        raise ConfigError(
            f"{address} is on another machine and not encrypted: people's places and times could "
            "be read on the way, and anyone who reaches the port could run programs there. Use "
            "tls:// (docs/scale.md); or, if the network itself is closed, set "
            f"{UNENCRYPTED_VARIABLE}=yes."
        )


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _connected(address: str) -> Any:
    try:
        dask = import_module("distributed")
    except ImportError:
        raise ConfigError(
            "Work on a cluster needs the packages dask and distributed, which are not installed; "
            "install them: pip install 'fpanon[cluster]'."
        ) from None
    if urlsplit(address).scheme == "tls":
        keys = dask.Security()  # from Dask's configuration
        if not (keys.tls_ca_file and keys.tls_client_cert):
            raise ConfigError(
                f"No keys for {address}: Dask's configuration names no "
                "distributed.comm.tls.ca-file, or no client certificate; see "
                "docs/scale.md."
            )
    # Dask would log a lost connection; our own messages report it in plain words.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return dask.Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, RuntimeError, ValueError, TypeError):
        raise InfeasibleError(
            f"No scheduler answers at {address}; check that one runs and can be reached from "
            "here, with the right keys for tls://, or compute on this machine."
        ) from None


def _do(made_by: dict[str, str], function: Callable[..., R], block: Any, *given: Any) -> Any:
    """Run one block on a worker.

    Errors come back as results, because Dask would log the arguments of a raised error.
    """
    if made_by != _VERSIONS:
        others = [f"{name} {v}" for name, v in _VERSIONS.items() if made_by.get(name) != v]
        return False, ConfigError(
            f"A worker of the cluster has different versions ({', '.join(others)}) from those "
            f"here ({', '.join(f'{n} {made_by.get(n)}' for n in made_by)}); install the same "
            "versions on all workers."
        )
    try:
        return True, function(block, *given)
    except FpanonError as error:
        return False, type(error)(error.message)
    except Exception as fault:
        if memory_ended(fault):
            return False, OutOfMemory(
                "A worker of the cluster ran out of memory; give its workers more, or use more "
                "shards or fewer people."
            )
        last = traceback.extract_tb(fault.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}:{last.lineno}"
        return False, RuntimeError(f"{type(fault).__name__} at {place} on a worker")


def _is_array(thing: object) -> bool:
    return isinstance(thing, np.ndarray | None)


def _is_plain(thing: object) -> bool:
    """Return whether an object is a plain value or a callable, and so is sent with the task."""
    if type(thing) is tuple:
        return all(map(_is_plain, thing))
    return isinstance(thing, _PLAIN) or callable(thing)


def _gone(address: str) -> str:
    return (
        f"The cluster at {address} does not answer any more; what was computed there is lost. "
        "Start the cluster and the computation again, or compute on this machine."
    )


def _keeps_dying(address: str) -> str:
    return (
        f"The cluster at {address} lost its workers again and again with the same piece of work, "
        "most likely because it needs more memory than a worker has. Give the workers more memory, "
        "or choose more shards or fewer people."
    )
