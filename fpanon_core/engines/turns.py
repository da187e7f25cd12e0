"""Who computes next, when more people ask than the machine bears at once?

One :class:`Turns` serves all sessions of a server: at most so many of their jobs compute at a time,
the others wait in line. A session has one place in the line, however many jobs it has queued, and
takes it anew, at the end, after each of them: so twelve jobs of one do not keep another's single
job waiting for all twelve. One short job may go beside the others, so that jobs of hours keep
nobody from opening a file.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Protocol

from ..model.budgets import whole_number
from ..model.checks import whole

AT_ONCE_VARIABLE = "FPANON_AT_ONCE"
"""Environment variable: how many jobs compute at a time on this server."""


class InLine(Protocol):
    """Whoever waits for a turn: a session's runner."""

    @property
    def waiting(self) -> int:
        """How many of its jobs have not begun."""

    @property
    def short(self) -> bool:
        """Whether the next of them is given minutes, as reading a file is."""


class Turns:
    """At most so many jobs at once, among all who share this object; the longest in line first.

    Parameters
    ----------
    at_once : int or None
        None for one per two cores, and two at least: a computation uses every core by itself, and
        a long one alone must not keep everybody else from opening a file.

    Raises
    ------
    ConfigError
        If ``at_once`` is not a positive integer.
    """

    def __init__(self, at_once: int | None = None) -> None:
        if at_once is None:
            at_once = max(2, (os.cpu_count() or 1) // 2)
        self.at_once = whole("at_once", at_once, 1)
        self._change = threading.Condition()
        self._line: list[InLine] = []
        self._computing: list[InLine] = []

    @classmethod
    def of_server(cls) -> Turns:
        """As many as :data:`AT_ONCE_VARIABLE` says.

        Raises
        ------
        ConfigError
            If it does not say a positive integer.
        """
        return cls(whole_number(AT_ONCE_VARIABLE))

    def take(self, who: InLine, wanted: Callable[[], bool]) -> bool:
        """Wait in line; False if the turn is no longer wanted.

        Parameters
        ----------
        wanted : callable
            Whether there still is a job to do; asked again after each :meth:`nudge`. Called with
            the line held: it may not take or wait for a lock under which :meth:`nudge` is called.
        """
        with self._change:
            self._line.append(who)
            try:
                self._change.wait_for(lambda: not wanted() or self._is_next(who))
                if not wanted():
                    return False
                self._computing.append(who)
                return True
            finally:
                self._line.remove(who)
                self._change.notify_all()

    def give_back(self, who: InLine) -> None:
        """The job is over, however it ended: the next in line may begin."""
        with self._change:
            self._computing.remove(who)
            self._change.notify_all()

    def nudge(self) -> None:
        """Somebody in line may not want a turn any longer."""
        with self._change:
            self._change.notify_all()

    def before(self, who: InLine, own: int) -> int:
        """How many jobs, whoever's, begin before one of ``who``, as the line stands.

        Parameters
        ----------
        own : int
            How many jobs of ``who`` come before that one and have not begun.
        """
        with self._change:
            place = self._line.index(who) if who in self._line else len(self._line)
            ahead = own + len(self._computing)
            for position, other in enumerate(self._line):
                if other is not who:
                    ahead += min(other.waiting, own + (position < place))
            # Who computes joins the line again behind those who wait now.
            return ahead + sum(
                min(other.waiting, own) for other in self._computing if other is not who
            )

    def _is_next(self, who: InLine) -> bool:
        if len(self._computing) < self.at_once and self._line[0] is who:
            return True
        first = next((each for each in self._line if each.short), None)
        return first is who and len(self._computing) <= self.at_once
