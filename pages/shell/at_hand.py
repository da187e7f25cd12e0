"""Releases weighed or made on one page, to be looked at on another.

Pages know nothing of each other: each puts here what it has, by the name that it shows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.glove import GloveResult
from fpanon_core.model.options import ReleaseOption, Step
from fpanon_core.studies import hiding
from pages.charts.plain import plain

from . import session

_AT_HAND, _WANTED = "fp_at_hand", "fp_attack_wanted"


@dataclass(frozen=True, eq=False)
class AtHand:
    """A release that another page may look at.

    Attributes
    ----------
    name : str
        As its page calls it; may quote names from outside.
    option : ReleaseOption
        By which it is made anew; of no meaning where it is made already.
    knowledge : KnowledgeConfig or None
        What an outsider was taken to know where it was weighed.
    made : GloveResult or None
        Where everyone was hidden: what came of it.
    settings : hashable
        By which that was made.
    """

    name: str
    option: ReleaseOption = field(default_factory=ReleaseOption)
    knowledge: KnowledgeConfig | None = None
    made: GloveResult | None = None
    settings: Hashable = None

    @property
    def steps(self) -> tuple[Step, ...] | None:
        """The steps of the option that makes it; None where no option does."""
        if self.made is None:
            return self.option.steps
        return self.settings.steps if isinstance(self.settings, hiding.Config) else None


def put(page: str, digest: str, releases: Sequence[AtHand]) -> None:
    """What a page has of these data by now, in place of what it had."""
    found = st.session_state.get(_AT_HAND, {})
    session.keep(_AT_HAND, found | {page: (digest, tuple(releases))})


def of_data(digest: str) -> list[AtHand]:
    """All releases of these data that are at hand, those made before those weighed."""
    kept: dict[str, tuple[str, tuple[AtHand, ...]]] = st.session_state.get(_AT_HAND, {})
    found = [each for of, releases in kept.values() if of == digest for each in releases]
    return sorted(found, key=lambda release: release.made is None)


def of_pages(digest: str) -> dict[str, tuple[AtHand, ...]]:
    """The releases of these data that are at hand, by the page that put them there."""
    kept: dict[str, tuple[str, tuple[AtHand, ...]]] = st.session_state.get(_AT_HAND, {})
    return {page: releases for page, (of, releases) in kept.items() if of == digest}


def attack(name: str, *, key: str, told: bool = False) -> None:
    """A button that opens the page that attacks the release of that name, and has it begin.

    Parameters
    ----------
    told : bool
        Whether the button says which release it is, where that is not clear from its place.
    """
    which = f" in “{plain(name)}”" if told else ""
    if st.button(f"What does an outsider find{which}?", key=key, icon=":material/person_search:"):
        st.session_state[_WANTED] = name
        st.switch_page("pages/attack/view.py")


def wanted() -> str | None:
    """The release that was asked for by such a button; once."""
    found: str | None = st.session_state.pop(_WANTED, None)
    return found
