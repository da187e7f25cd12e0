"""What a browser session owns on the server (jobs, data, results, uploads), and for how long.

At every lost connection, Streamlit drops what it caches for the session. Here a session's work is
kept for a stated grace period once its browser is gone, and then ended (:class:`.guards.Reaper`).
The work belongs to one browser, identified by the cookie of :mod:`.owners`:

- a connection that was lost and comes back finds its work unchanged;
- a page that is reloaded, or closed and opened again, gets the work of the page that was left
  last. The work of a page that only lost its connection waits for that page, so that a second
  window takes nothing from the first;
- a person who comes back after the grace period sees what was ended.

An empty session is kept for a minute at most. A session without a cookie is not kept, because
nobody can come back to it. Otherwise many such sessions would take the machine's memory and files.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fpanon_core.engines.process import Job, ProcessRunner, Spare

from .environment import IN_FORCE

_TOLD_AT_MOST = 1000  # owners whose ended work is remembered, the latest
_NOBODY = ""
IDLE_GRACE_S = 60.0
"""Seconds for which an empty session is kept after its connection is lost."""


@dataclass(eq=False)
class Work:
    """All that one session has on the server, except what Streamlit itself keeps.

    Attributes
    ----------
    session_id : str
        Streamlit's name of the session that the work belongs to now.
    owner : str
        Digest of the browser's cookie; "" if it has none.
    connection : str
        The present connection, or the last; "" if there was none.
    gone_since : float or None
        Time, by the registry's clock, at which the browser left; None while the session has a
        browser.
    left : bool
        Whether its page was closed or reloaded; False if its connection was lost.
    runner : ProcessRunner or None
        The runner of its jobs, once there is one.
    jobs : list of Job
        The jobs that wait, run or have failed.
    kept : dict
        Values that the session's next page finds again, by name in Streamlit's session state.
    settings : dict
        Choices made on its pages, which its next page finds again, too. A session with nothing but
        settings counts as empty.
    given_to : str
        The session whose state has all of ``kept``.
    claimed : frozenset of str
        Uploaded files that a widget on its page holds.
    source_bytes : int
        Size of the uploaded file that is open, or being opened.
    """

    session_id: str
    owner: str = _NOBODY
    connection: str = ""
    gone_since: float | None = None
    left: bool = False
    runner: ProcessRunner | None = field(default=None, repr=False)
    jobs: list[Job] = field(default_factory=list, repr=False)
    kept: dict[str, Any] = field(default_factory=dict, repr=False)
    settings: dict[str, Any] = field(default_factory=dict, repr=False)
    given_to: str = ""
    claimed: frozenset[str] = frozenset()
    source_bytes: int = 0

    @property
    def idle(self) -> bool:
        """Return whether the work holds nothing that anybody would miss."""
        return not (self.kept or self.jobs or self.claimed or self.source_bytes)

    def close(self) -> None:
        """End the child process and let go of all the work; may wait for the child to end."""
        if self.runner is not None:
            self.runner.close()
        self.jobs, self.kept, self.settings, self.source_bytes = [], {}, {}, 0


@dataclass(frozen=True)
class Ended:
    """Summary of what was ended in its owner's absence, without any content.

    Attributes
    ----------
    minutes : float
        Minutes for which the work was kept; 0 if unknown.
    data : bool
        Whether there were data or results.
    stopped : int
        Number of jobs that had not finished.
    """

    minutes: float = 0.0
    data: bool = False
    stopped: int = 0


@dataclass(eq=False)
class _Connection:
    owner: str
    wanted: str  # the session that its page had before, if this server knows it as the owner's
    lost: bool  # its page had a session that this server does not know as the owner's


class Registry:
    """The work of all sessions of this server.

    Parameters
    ----------
    grace_s : float
        Seconds for which work is kept without a browser.
    clock : callable
        Function that returns seconds that never go backwards.
    """

    def __init__(self, grace_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.grace_s = grace_s
        self.clock = clock
        self._lock = threading.RLock()
        self._works: dict[str, Work] = {}
        self._connections: dict[str, _Connection] = {}
        self._ended: dict[str, Ended] = {}
        self._replaced: list[str] = []
        self._spare: Spare | None = None

    # --- by the network ---

    def opened(self, owner: str, asked: str = "") -> tuple[str, bool]:
        """Record that a connection was opened.

        Parameters
        ----------
        owner : str
            Digest of the browser's cookie, or "".
        asked : str
            The session that the page claims to have, or "".

        Returns
        -------
        (str, bool)
            A name for the connection, and whether it may have the session it asks for, which must
            belong to the same browser.
        """
        with self._lock:
            work = self._works.get(asked)
            granted = work is not None and bool(owner) and work.owner == owner
            name = secrets.token_urlsafe(16)
            self._connections[name] = _Connection(
                owner, asked if granted else "", bool(asked) and not granted
            )
            if granted and work is not None:
                self._bind(work, name)
            return name, granted

    def closed(self, connection: str, *, left: bool) -> None:
        """Record the end of a connection; ``left`` says whether its page was closed or reloaded."""
        with self._lock:
            self._connections.pop(connection, None)
            for work in self._works.values():
                if work.connection == connection and work.gone_since is None:
                    work.gone_since, work.left = self.clock(), left

    # --- by the session's script ---

    def claim(self, session_id: str, connection: str = "") -> Work:
        """Return the running session's work: its own, that of a page that was left, or new work.

        Parameters
        ----------
        session_id : str
        connection : str
            The name that :meth:`opened` gave; "" without a browser, or if the connection has ended.
        """
        with self._lock:
            work = self._works.get(session_id)
            found = self._connections.get(connection)
            if work is not None:
                if found is not None and work.connection != connection:
                    self._bind(work, connection)
                return work
            inherited = None if found is None else self._inheritance(found, connection)
            if inherited is not None:
                del self._works[inherited.session_id]
                self._replaced.append(inherited.session_id)
            work = inherited or Work(session_id, "" if found is None else found.owner)
            work.session_id, work.gone_since = session_id, self.clock()
            self._works[session_id] = work
            if found is not None:
                self._bind(work, connection)
            return work

    def known(self, session_id: str) -> Work | None:
        """Return the work of a session; None if it has none."""
        return self._works.get(session_id)

    def ended(self, session_id: str) -> Ended | None:
        """Return, once only, what was ended in the absence of this session's owner; or None."""
        with self._lock:
            work = self._works.get(session_id)
            if work is None:
                return None
            told = self._ended.pop(work.owner, None) if work.owner else None
            found = self._connections.get(work.connection)
            if found is not None and found.lost:
                found.lost = False
                told = told or Ended()
            return told

    def spare(self, make: Callable[[], Spare]) -> Spare:
        """Return the server's one spare child process, without data; the first call starts it."""
        with self._lock:
            if self._spare is None:
                self._spare = make()
            return self._spare

    # --- by the reaper ---

    def sessions(self) -> list[Work]:
        """Return the work of all sessions."""
        with self._lock:
            return list(self._works.values())

    def take_due(self) -> list[Work]:
        """Remove and return the work of sessions that were without a browser for too long."""
        with self._lock:
            now = self.clock()
            due = [
                work
                for work in self._works.values()
                if work.gone_since is not None and now - work.gone_since >= self._grace(work)
            ]
            for work in due:
                del self._works[work.session_id]
                self._note(work)
            return due

    def take_replaced(self) -> list[str]:
        """Remove and return the sessions whose work another page of the same browser has now."""
        with self._lock:
            taken, self._replaced = self._replaced, []
            for session_id in taken:
                self._works.pop(session_id, None)  # a last run of its script may have asked again
            return taken

    def close(self) -> None:
        """End everything, as when the server stops."""
        with self._lock:
            works = list(self._works.values())
            self._works.clear()
            self._connections.clear()
            self._ended.clear()
            spare, self._spare = self._spare, None
        for work in works:
            work.close()
        if spare is not None:
            spare.close()

    # --- inside ---

    def _grace(self, work: Work) -> float:
        """Return the seconds for which work is kept.

        They are 0 if nobody can come back to the work, and few or 0 if the work is empty.
        """
        if not work.owner or (work.left and work.idle):
            return 0.0
        return min(self.grace_s, IDLE_GRACE_S) if work.idle else self.grace_s

    def _bind(self, work: Work, connection: str) -> None:
        work.connection, work.gone_since, work.left = connection, None, False

    def _inheritance(self, found: _Connection, connection: str) -> Work | None:
        """Return another session's work, with which this connection's page continues."""
        wanted = self._works.get(found.wanted)
        if wanted is not None and wanted.connection == connection:
            return wanted  # Streamlit has let go of that session, and begun another
        left = [
            work
            for work in self._works.values()
            if found.owner and work.owner == found.owner and work.left
        ]
        return max(left, key=lambda work: work.gone_since or 0.0, default=None)

    def _note(self, work: Work) -> None:
        stopped = sum(job.active for job in work.jobs)
        if work.owner and (work.kept or stopped):
            self._ended.pop(work.owner, None)  # the latest is the last
            self._ended[work.owner] = Ended(self.grace_s / 60, bool(work.kept), stopped)
            if len(self._ended) > _TOLD_AT_MOST:
                del self._ended[next(iter(self._ended))]


REGISTRY = Registry(IN_FORCE.grace_s)
"""The registry of this server process."""
