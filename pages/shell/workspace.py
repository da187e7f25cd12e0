"""What a session has made of its data, in one store: weighed, chosen, made.

Pages know nothing of each other: each puts here what it has, for another to look at.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.options import ReleaseOption
from fpanon_core.model.profiles import StatedAreas
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.recipe import NOTHING_LEAVES
from fpanon_core.studies.report_verdict import over_told
from fpanon_core.studies.study import AtHand, Weighing
from pages.charts.plain import MESSAGE_LENGTH, plain

from . import session

_KEPT, _ATTACKED, _PROPOSED = "fp_workspace", "fp_attack_wanted", "fp_proposed"
REFUSE = "none of them: nothing leaves"
"""In the list of the options, in the place of one."""
NO_REASON = (
    "Say why nothing may leave, and keep it then: the reason stands in the report and in the study."
)
NOT_STATED = "not stated"
"""In the place of the areas of comparison, before a page has looked at them."""
REASON = (
    "What weighs for it, who asked for what, what was given up. Name no person. It stands in the "
    "report and in its recipe."
)


@dataclass(frozen=True, eq=False)
class Choice:
    """The option chosen for release, and why."""

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
        When the search began, by time.monotonic; tells it from others.
    until : float
        When its time is over; 0 once it has ended or was stopped.
    seconds : float
        Its time, since it was last begun or gone on with.
    """

    options: tuple[ReleaseOption, ...]
    knowledge: KnowledgeConfig
    began: float
    until: float
    seconds: float


@dataclass(eq=False)
class Workspace:
    """What a session has made of one data set.

    Attributes
    ----------
    weighed : Weighing or None
        The options weighed, and what was chosen among them.
    kept : Choice or None
        The option chosen in this session, though it be among those weighed no more.
    made : dict
        Releases weighed or made, by the page that has them; what they are called may quote names
        from outside.
    tried : Tried or None
    areas : float, str or None
        On which the options were compared; NOT_STATED before any was.
    """

    weighed: Weighing | None = None
    kept: Choice | None = None
    made: dict[str, tuple[AtHand, ...]] = field(default_factory=dict)
    tried: Tried | None = None
    areas: StatedAreas = NOT_STATED

    @property
    def releases(self) -> list[AtHand]:
        """All releases at hand, those made before those weighed."""
        every = [each for releases in self.made.values() for each in releases]
        return sorted(every, key=lambda release: release.made is None)

    @property
    def choice(self) -> Choice | None:
        """The choice that stands: of this session, or of a study that was opened."""
        found = self.weighed
        if self.kept is not None or found is None or not found.stands:
            return self.kept
        return Choice(next(r for r in found.table.results if found.is_chosen(r)), found.why)

    @property
    def refusal(self) -> str | None:
        """Why nothing of the data leaves; None where that was not decided."""
        found = self.weighed
        return found.why if found is not None and found.refused and self.kept is None else None

    def weigh(self, table: OptionsTable, limits: Limits, waiting: int) -> None:
        """These options are weighed by now, ``waiting`` not yet; what was chosen stays so."""
        was = self.weighed or Weighing(table, limits)
        self.weighed = replace(was, table=table, limits=limits, waiting=waiting)

    def choose(self, result: OptionResult, why: str) -> None:
        """It is this option, from now on."""
        self.kept = Choice(result, why.strip())
        self._decide(result.option.name, why)

    def refuse(self, why: str) -> None:
        """Nothing leaves, from now on; what was chosen before is chosen no more."""
        self.kept = None
        self._decide(NOTHING_LEAVES, why)

    def _decide(self, chosen: str, why: str) -> None:
        if self.weighed is not None:
            self.weighed = replace(self.weighed, chosen=chosen, why=why.strip())


def of(digest: str) -> Workspace:
    """That of the data of that digest; beside it that of the data before is kept."""
    known: dict[str, Workspace] = st.session_state.get(_KEPT, {})
    if digest not in known:
        known = dict(list(known.items())[-1:]) | {digest: Workspace()}
        session.keep(_KEPT, known)
    return known[digest]


def put(digest: str, workspace: Workspace) -> None:
    """One in the place of all that there are, as when a study is opened."""
    session.keep(_KEPT, {digest: workspace})


# --- the decision ---


def reason_key(name: str | None) -> str:
    """Of the field for an option's reason, on all pages."""
    return f"options_choice_why_{name}"


def refused(result: OptionResult, why: str, by: str, limits: Limits) -> str:
    """Why a choice is not kept: what speaks against it, where no reason is given; else empty.

    That is a limit which it is above, or may be, or anybody who is alone in it: whether that may
    be is a decision, and somebody's. Who overrides a threshold gives a name, too.
    """
    over = over_told(result, limits)
    alone = result.alone if result.crowd_least <= 1 else 0
    if not (over or alone) or (why.strip() and (by.strip() or not over)):
        return ""
    against = f"“{plain(result.option.told)}” is not within your thresholds. "
    against += f"{plain('. '.join(over), MESSAGE_LENGTH)}."
    if not over:
        whom = f"{alone:,} of the {result.n_users:,} people"
        against = f"In “{plain(result.option.told)}” {whom} are alone with their record."
    return (
        f"{against} Say above why it is chosen all the same"
        f"{', and who decides so' if over else ''}. It stands in the report."
    )


# --- from page to page ---


def propose(name: str) -> None:
    """Have the page that weighs options select this one; its reader keeps it, or another."""
    st.session_state[_PROPOSED] = name


def proposed() -> str | None:
    """The option that was proposed; once."""
    found: str | None = st.session_state.pop(_PROPOSED, None)
    return found


def attack(name: str, *, key: str, told: bool = False) -> None:
    """A button that opens the page that attacks the release of that name, and has it begin.

    Parameters
    ----------
    told : bool
        Whether the button says which release it is, where that is not clear from its place.
    """
    which = f" in “{plain(name)}”" if told else ""
    if st.button(f"What does an attacker find{which}?", key=key, icon=":material/person_search:"):
        st.session_state[_ATTACKED] = name
        st.switch_page("pages/attack/view.py")


def attacked() -> str | None:
    """The release that was asked for by such a button; once."""
    found: str | None = st.session_state.pop(_ATTACKED, None)
    return found
