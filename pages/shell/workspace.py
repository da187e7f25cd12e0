"""What a session has made from its data, in one store: options weighed and chosen, releases made.

Pages know nothing of each other: each stores its results here for the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.options import Recordless, ReleaseOption
from fpanon_core.model.profiles import StatedAreas
from fpanon_core.model.purpose import Recipient
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.recipe import NOTHING_LEAVES
from fpanon_core.studies.report_verdict import describe_exceeded
from fpanon_core.studies.study import AtHand, Weighing
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import session

_KEPT, _ATTACKED, _PROPOSED = "fp_workspace", "fp_attack_wanted", "fp_proposed"
REFUSE = "none of them: nothing is released"
"""Entry in the list of options for choosing none."""
NO_REASON = (
    "Say why nothing may be released, then keep this choice. The reason appears in the report and "
    "in the study."
)
REASON = (
    "What supports this choice, who asked for what, and what was given up. Name no person. The "
    "reason appears in the report and in its recipe."
)


@dataclass(frozen=True, eq=False)
class Choice:
    """The option chosen for release, and the reason."""

    result: OptionResult
    why: str


@dataclass(frozen=True, eq=False)
class Tried:
    """What “Find a release” has tried, or is trying.

    Attributes
    ----------
    options : tuple of ReleaseOption
    knowledge : KnowledgeConfig
        What an attacker knows.
    began : float
        Start of the search, in seconds by time.monotonic; it identifies the search.
    until : float
        End of the search's time, by the same clock; 0 once the search has ended or was stopped.
    seconds : float
        Seconds allowed when the search was last begun or continued.
    """

    options: tuple[ReleaseOption, ...]
    knowledge: KnowledgeConfig
    began: float
    until: float
    seconds: float


@dataclass(eq=False)
class Workspace:
    """What a session has made from one data set.

    Attributes
    ----------
    weighed : Weighing or None
        The options weighed, and the choice among them.
    kept : Choice or None
        The option chosen in this session, even if it is no longer among those weighed.
    made : dict
        Releases weighed or made, by the page that has them; their names may quote names from
        outside.
    tried : Tried or None
    areas : float, str or None
        Areas on which the options are compared.
    aims : tuple of str and Recipient, or None
        Purpose and recipient of the release; a decision holds for these alone. None before any
        page has looked at them.
    aside : dict
        Options weighed and search made on other areas; the areas are the keys.
    decided : dict
        Choice, its option's name and the reason, as decided on other areas, or for another purpose
        or recipient.
    """

    weighed: Weighing | None = None
    kept: Choice | None = None
    made: dict[str, tuple[AtHand, ...]] = field(default_factory=dict)
    tried: Tried | None = None
    areas: StatedAreas = None
    aims: tuple[str, Recipient] | None = None
    aside: dict[StatedAreas, tuple[Weighing | None, Tried | None]] = field(default_factory=dict)
    decided: dict[Any, tuple[Choice | None, str | None, str]] = field(default_factory=dict)

    @property
    def releases(self) -> list[AtHand]:
        """Return all releases at hand: first those made, then those only weighed."""
        every = [each for releases in self.made.values() for each in releases]
        return sorted(every, key=lambda release: release.made is None)

    @property
    def choice(self) -> Choice | None:
        """Return the choice made in this session or in an opened study; None if there is none."""
        found = self.weighed
        if self.kept is not None or found is None or not found.stands:
            return self.kept
        return Choice(next(r for r in found.table.results if found.is_chosen(r)), found.why)

    @property
    def recordless(self) -> Recordless | None:
        """Return the tables or synthetic people that were chosen; None if none were."""
        return None if self.choice is None else self.choice.result.option.recordless

    @property
    def refusal(self) -> str | None:
        """Return why it was decided to release nothing; None if that was not decided."""
        found = self.weighed
        return found.why if found is not None and found.refused and self.kept is None else None

    def weigh(self, table: OptionsTable, limits: Limits, waiting: int) -> None:
        """Store the options weighed so far, with ``waiting`` still to come; keep the choice."""
        was = self.weighed or Weighing(table, limits)
        self.weighed = replace(was, table=table, limits=limits, waiting=waiting)

    def turn_to(self, areas: StatedAreas, aims: tuple[str, Recipient]) -> None:
        """Put aside what was weighed and decided; restore what belongs to these areas and aims.

        Options belong to areas. A decision also belongs to its purpose and recipient. The restored
        options are judged by the utility chosen now.
        """
        before = self.weighed
        chosen, why = (None, "") if before is None else (before.chosen, before.why)
        self.decided[self.areas, self.aims] = self.kept, chosen, why
        if areas != self.areas:
            self.aside[self.areas] = before, self.tried
            self.weighed, self.tried = self.aside.pop(areas, (None, None))
        self.areas, self.aims = areas, aims
        self.kept, chosen, why = self.decided.pop((areas, aims), (None, None, ""))
        if before is not None:
            now = self.weighed or replace(before, table=replace(before.table, results=()))
            table = replace(now.table, choice=before.table.choice)
            waiting = before.waiting if now is before else 0
            self.weighed = replace(now, table=table, waiting=waiting, chosen=chosen, why=why)

    @property
    def decided_otherwise(self) -> bool:
        """Return whether a decision was made, but only for another purpose, recipient or areas."""
        here = self.weighed is not None and self.weighed.chosen is not None
        return not here and any(chosen is not None for _, chosen, _ in self.decided.values())

    def choose(self, result: OptionResult, why: str) -> None:
        """Record that this option is chosen, and why."""
        self.kept = Choice(result, why.strip())
        self._decide(result.option.name, why)

    def refuse(self, why: str) -> None:
        """Record that nothing is to be released, and why; any earlier choice is withdrawn."""
        self.kept = None
        self._decide(NOTHING_LEAVES, why)

    def explain(self, why: str) -> None:
        """Replace the reason for the current decision."""
        if self.kept is not None:
            self.kept = replace(self.kept, why=why)
        if self.weighed is not None and self.weighed.chosen is not None:
            self.weighed = replace(self.weighed, why=why)

    def _decide(self, chosen: str, why: str) -> None:
        if self.weighed is not None:
            self.weighed = replace(self.weighed, chosen=chosen, why=why.strip())


def of(digest: str) -> Workspace:
    """Return the workspace of the data with this digest; that of the previous data is kept, too."""
    known: dict[str, Workspace] = st.session_state.get(_KEPT, {})
    if digest not in known:
        known = dict(list(known.items())[-1:]) | {digest: Workspace()}
        session.keep(_KEPT, known)
    return known[digest]


def put(digest: str, workspace: Workspace) -> None:
    """Replace all workspaces with one, as when a study is opened."""
    session.keep(_KEPT, {digest: workspace})


# --- the decision ---


def reason_key(name: str | None) -> str:
    """Return the key of the field for an option's reason, on all pages."""
    return f"options_choice_why_{name}"


def decision_key(weighed: Weighing) -> str:
    """Return the key of the field for the reason for the decision that stands."""
    return reason_key(REFUSE if weighed.refused else weighed.chosen)


def refused(result: OptionResult, why: str, by: str, limits: Limits) -> str:
    """Say why a choice cannot be kept without a reason or a name; return "" if it can be kept.

    A reason is due if the option is, or may be, above a threshold, or if a record in it is unique.
    Accepting either is a person's decision. Overriding a threshold also needs a name.
    """
    over = describe_exceeded(result, limits)
    alone = result.alone if result.crowd_least <= 1 else 0
    if not (over or alone) or (why.strip() and (by.strip() or not over)):
        return ""
    against = f"“{plain(result.option.told)}” is not within your thresholds. "
    against += plain(" ".join(over), MESSAGE_LENGTH)
    if not over:
        whom = f"{alone:,} of the {result.n_users:,} people"
        have = "has" if alone == 1 else "have"
        against = f"In “{plain(result.option.told)}”, {whom} {have} a unique record."
    return (
        f"{against} Say above why you choose this option anyway"
        f"{', and who takes that decision' if over else ''}. The report will quote your reason."
    )


# --- from page to page ---


def propose(digest: str, name: str) -> None:
    """Have the page that weighs options select this option, to be kept or replaced there."""
    st.session_state[_PROPOSED] = (*_asked_of(digest), name)


def proposed(digest: str) -> str | None:
    """Return, once only, the name of the option proposed for these data and aims; or None."""
    *asked, name = st.session_state.pop(_PROPOSED, (None,))
    return name if tuple(asked) == _asked_of(digest) else None


def _asked_of(digest: str) -> tuple[Any, ...]:
    mine = of(digest)
    return digest, mine.aims, mine.areas


def attack(name: str, *, key: str, told: bool = False) -> None:
    """Draw a button that opens the attack page and starts the attack on the release of that name.

    Parameters
    ----------
    told : bool
        Whether the button names the release; needed where nothing beside the button does.
    """
    which = f" in “{plain(name)}”" if told else ""
    if st.button(f"What does an attacker find{which}?", key=key, icon=":material/person_search:"):
        st.session_state[_ATTACKED] = name
        st.switch_page("pages/attack/view.py")


def attacked() -> str | None:
    """Return, once only, the name of the release whose :func:`attack` button was pressed.

    Return None if no button was pressed.
    """
    found: str | None = st.session_state.pop(_ATTACKED, None)
    return found
