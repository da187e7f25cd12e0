"""Settings of the page “What is learnt”: the attacker's knowledge, and the profiles.

The settings are not personal, so the address of the page holds them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast, get_args

import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig, Strategy
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.limits import POINTS, SEED, TARGETS
from fpanon_core.studies import disclosure
from fpanon_core.studies.disclosure import Config, suited_profiles
from pages.charts import words
from pages.shell import address, definitions, layout
from pages.shell.questions import Kind, Question
from pages.shell.widgets import TYPED, number, offered, profiles_of

DISCLOSURE = Kind("disclosure", disclosure.study, page="disclosure")

_CURRENT = "fp_disclosure_config"
_IN_ADDRESS = {"knowledge": "known", "profiles": "over"}
_STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


def current() -> Config:
    """Return the settings in use; when the session begins, those in the address."""
    if _CURRENT not in st.session_state:
        known = address.settings_asked({"knowledge": "known"}, Config())
        profiles = address.asked("over", lambda text: profiles_of(text.split(",")), known.profiles)
        st.session_state[_CURRENT] = replace(known, profiles=profiles)
    return cast(Config, st.session_state[_CURRENT])


def question(fs: FingerprintSet) -> Question:
    """Return the question of what an attacker learns.

    The question covers the chosen profiles or, if none is chosen, suitable ones.
    """
    config = replace(current(), profiles=current().profiles_for(fs))
    label = f"Measuring what is learnt under {words.count(len(config.profiles), 'profile')}"
    return Question(DISCLOSURE, fs, config, label)


def form(fs: FingerprintSet) -> bool:
    """Draw the form; return True if it was just submitted with valid settings."""
    config = current()
    profiles, suited = config.profiles_for(fs), suited_profiles(fs)
    with st.form("disclosure_form", border=False):
        knowledge = _knowledge(config.knowledge)
        chosen = st.multiselect(
            "Profiles to compare",
            offered(fs, suited, profiles),
            default=[str(p) for p in profiles],
            key="disclosure_profiles",
            accept_new_options=True,
            help=f"{definitions.PROFILE}  \n{TYPED}",
        )
        pressed = st.form_submit_button("Measure", type="primary", key="disclosure_measure")
    if not pressed:
        return False
    try:
        wanted = Config(knowledge, profiles_of(chosen))
    except FpanonError as error:
        layout.say(error)
        return False
    if wanted.profiles == suited:
        wanted = replace(wanted, profiles=())
    st.session_state[_CURRENT] = wanted
    return True


def write_address() -> None:
    """Put the settings in the address, so that it can be kept or passed on."""
    address.write(address.named(current(), _IN_ADDRESS, Config()))


def _knowledge(now: KnowledgeConfig) -> KnowledgeConfig:
    cells = st.columns([2, 2, 3, 2], gap="medium")
    return KnowledgeConfig(
        p=number(
            "Points known (p)",
            POINTS,
            now.p,
            at=cells[0],
            key="disclosure_p",
            help="How many points of a person's record the attacker knows.",
        ),
        users=number(
            "People tested",
            TARGETS,
            now.users,
            at=cells[1],
            step=500,
            key="disclosure_users",
            help="If the data hold more people, this many are drawn at random. Testing more people "
            "makes the intervals narrower.",
        ),
        strategy=cells[2].selectbox(
            "Which points",
            _STRATEGIES,
            index=_STRATEGIES.index(now.strategy),
            key="disclosure_strategy",
            help=definitions.STRATEGY,
        ),
        seed=number(
            "Seed of the draws",
            SEED,
            now.seed,
            at=cells[3],
            key="disclosure_seed",
            help="The same seed draws the same people and the same points.",
        ),
    )
