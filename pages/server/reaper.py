"""Ends the work of those who are gone, and gives the memory back to the machine."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from streamlit import runtime

from fpanon_core.engines.job import give_back

from . import media, uploads
from .lives import Registry

_log = logging.getLogger("fpanon")
_MOST_S = 5.0  # between two looks


class Reaper:
    """Looks, again and again, whose grace is over.

    Parameters
    ----------
    registry : Registry
    close_session : callable
        Ends a session of Streamlit's, given its name; called in the event loop. True when it is
        ended, False when it has a browser after all.
    stored : callable
        The names of the sessions that Streamlit keeps without a browser.
    """

    def __init__(
        self,
        registry: Registry,
        close_session: Callable[[str], bool] | None = None,
        stored: Callable[[], list[str]] | None = None,
    ) -> None:
        self._registry = registry
        self._close_session = close_session or _close_session
        self._stored = stored or _stored
        self._uploads = uploads.Sweep(registry)
        self._media = media.Sweep(registry)

    async def run(self) -> None:
        """For as long as the server lives."""
        while True:
            await asyncio.sleep(min(_MOST_S, self._registry.grace_s / 4))
            try:
                await self.look()
            except Exception as fault:  # the next look comes all the same
                _log.error("%s in the reaper", type(fault).__name__)

    async def look(self) -> int:
        """End what is due, once; returns how many sessions and files that was."""
        ended = await self._end_due() + self._end_replaced() + self._end_unknown()
        ended += self._uploads() + self._media()
        if ended:
            await asyncio.to_thread(give_back)
        return ended

    async def _end_due(self) -> int:
        # In a frame of its own: what its variables hold could not be given back.
        due = self._registry.take_due()
        for work in due:
            await asyncio.to_thread(work.close)
            self._close_session(work.session_id)
        return len(due)

    def _end_replaced(self) -> int:
        replaced = self._registry.take_replaced()
        for session_id in replaced:
            self._close_session(session_id)
        return len(replaced)

    def _end_unknown(self) -> int:
        """Those whose script never ran: no connection is given one that the registry has not."""
        unknown = [name for name in self._stored() if self._registry.known(name) is None]
        return sum(self._close_session(session_id) for session_id in unknown)


def _close_session(session_id: str) -> bool:
    """Also drops its uploads, downloads, and state."""
    if not runtime.exists():
        return False
    server = runtime.get_instance()
    if server.is_active_session(session_id):
        return False
    server.close_session(session_id)
    return True


def _stored() -> list[str]:
    if not runtime.exists():
        return []
    server = runtime.get_instance()
    names = [each.session.id for each in server._session_mgr.list_sessions()]
    return [name for name in names if not server.is_active_session(name)]
