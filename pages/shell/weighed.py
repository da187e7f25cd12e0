"""What one page has weighed and chosen, for another that reports on it.

Pages know nothing of each other: the one that weighs release options puts here what it has.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.recipe import NOTHING_LEAVES

from . import session

_WEIGHED, _PROPOSED = "fp_weighed", "fp_proposed"


@dataclass(frozen=True, eq=False)
class Weighed:
    """Release options as they were weighed, and what was chosen.

    Attributes
    ----------
    digest : str
        Of the data.
    table : OptionsTable
        Of those that are done, also those that failed.
    limits : Limits
    chosen : str or None
        Name of the option that was chosen; empty where it was decided that nothing leaves.
    why : str
        The reason.
    waiting : int
        Options that are not done yet.
    """

    digest: str
    table: OptionsTable
    limits: Limits
    chosen: str | None
    why: str
    waiting: int

    @property
    def stands(self) -> bool:
        """Whether the option that was chosen is among those weighed."""
        return any(r.option.name == self.chosen and not r.fault for r in self.table.results)

    @property
    def refused(self) -> bool:
        """Whether it was decided that nothing leaves."""
        return self.chosen == NOTHING_LEAVES


def put(weighed: Weighed) -> None:
    """What there is by now, in place of what there was."""
    session.keep(_WEIGHED, weighed)


def of_data(digest: str) -> Weighed | None:
    """What was weighed of these data."""
    found: Weighed | None = st.session_state.get(_WEIGHED)
    return found if found is not None and found.digest == digest else None


def chosen_option(weighed: Weighed) -> ReleaseOption | None:
    """The option that was chosen, if it is among those weighed and could be made."""
    if not weighed.stands:
        return None
    return next(r.option for r in weighed.table.results if r.option.name == weighed.chosen)


def propose(name: str) -> None:
    """Have the page that weighs options select this one; its reader keeps it, or another."""
    st.session_state[_PROPOSED] = name


def proposed() -> str | None:
    """The option that was proposed; once."""
    found: str | None = st.session_state.pop(_PROPOSED, None)
    return found
