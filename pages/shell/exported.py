"""The releases that left in this session, or earlier: who shared a group in them, and no more.

Of a release that was exported there is kept whose records shared a group, in which days, and what
was done; people are digests under a secret of the session's own. No place, no time and no id.
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, replace

import streamlit as st

from fpanon_core.model.composition import Crossing
from fpanon_core.model.errors import InfeasibleError
from fpanon_core.model.published import Membership
from fpanon_core.studies import crossing

from . import session

_REGISTER = "fp_exported"
_SECRET_BYTES = 32


@dataclass(frozen=True, eq=False)
class Left:
    """One release that left.

    Attributes
    ----------
    membership : Membership
        Without ids.
    given : bool
        Whether its files were given; else it was exported in this session.
    """

    membership: Membership
    given: bool = False


class Register:
    """The releases that left, in order; the same for all views of a session."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(_SECRET_BYTES)
        self._left: list[Left] = []
        self._change = threading.Lock()
        self._last: tuple[tuple[str, int], Crossing | None] | None = None
        self.refused = ""
        """Why the files given last cannot be used."""

    def note(self, membership: Membership, *, given: bool = False) -> None:
        """A release has left; one that is known already is none anew."""
        left = Left(membership.keyed(self._secret), given)
        with self._change:
            if all(each.membership.digest != membership.digest for each in self._left):
                self._left.append(left)

    @property
    def left(self) -> list[Left]:
        """All of them, in order."""
        return list(self._left)

    def before(self, made: Membership) -> list[Left]:
        """Those that left and are not this very release."""
        return [each for each in self._left if each.membership.digest != made.digest]

    def crossing(self, made: Membership) -> Crossing | None:
        """A release held against all others that left; None where nobody is in both."""
        before = self.before(made)
        key = (made.digest, len(before))
        last = self._last
        if last is None or last[0] != key:
            try:
                found = crossing.crossed(
                    made.keyed(self._secret), [each.membership for each in before]
                )
                # Nothing of single people is shown, nor kept.
                found = replace(found, per_person=found.per_person.drop(columns="pseudonym"))
            except InfeasibleError:
                found = None
            self._last = last = (key, found)
        return last[1]


def register() -> Register:
    """That of this session; it outlives a lost connection and a change of data."""
    if _REGISTER not in st.session_state:
        session.keep(_REGISTER, Register())
    found: Register = st.session_state[_REGISTER]
    return found
