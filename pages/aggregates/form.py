"""How the counts are made and attacked: the form, its settings in the address, and the questions.

The address holds the settings of the attack.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies import recovery, recovery_factors, recovery_mitigations
from fpanon_core.studies.recovery import Config, Pairing
from pages.aggregates import story
from pages.charts import words
from pages.shell import address, definitions, questions
from pages.shell.kinds import RECOVERY
from pages.shell.questions import Kind, Question

FACTORS = Kind("recovery_factors", recovery_factors.study, page="aggregates")
MITIGATIONS = Kind("recovery_remedies", recovery_mitigations.study, page="aggregates")

_PLAN = "fp_recovery_plan"
_PAIRINGS = {"greedy": "one after the other", "optimal": "best overall"}
_KEYS = {"link_threshold_m": "link"}
_NAMES = {"slot_min": "slot", "users": "people", "pairing": "pairing", "seed": "seed"} | _KEYS
_HELP = {
    "users": "If the data hold more people, this many are drawn at random.",
    "pairing": "To score the attack, each recovered trajectory is paired with a true one. “One "
    "after the other”, as in the paper, takes each in turn and pairs it with the most similar true "
    "one left. “Best overall” makes the pairs that have the most in common in total, and takes "
    "longer.",
    "link_threshold_m": "Trajectories and counts no farther apart than this are linked before all "
    "others, the nearest first. Above 0, the links may no longer be optimal as a whole.",
    "seed": "The seed sets the random links, and which people are counted.",
}
_OFFERED: dict[str, Any] = {
    "slot_min": limits.SLOTS_MIN,
    "link_threshold_m": limits.LINK_M,
    "users": limits.COUNTED,
    "seed": limits.SEED,
}


def form(fs: FingerprintSet) -> Config:
    """Draw the form; return the settings last submitted, with no more people than the data hold."""
    plan = wanted()
    pairings = list(_PAIRINGS)
    with st.form("aggregates_form", border=False):
        slot = st.selectbox(
            "Length of a slot",
            limits.SLOTS_MIN,
            index=limits.SLOTS_MIN.index(int(plan.slot_min)),
            format_func=words.duration,
            key="aggregates_slot",
            help=definitions.AGGREGATES,
        )
        most = limits.COUNTED.high
        users = _number("users", "People counted, at most", plan.users or most, step=500)
        pairing = st.selectbox(
            "Pairing with the truth",
            pairings,
            index=pairings.index(plan.pairing),
            format_func=_PAIRINGS.__getitem__,
            key="aggregates_pairing",
            help=_HELP["pairing"],
        )
        within = float(plan.link_threshold_m)
        link = _number("link_threshold_m", "Link within (m)", within, step=100.0, format="%g")
        seed = _number("seed", "Seed", plan.seed)
        st.form_submit_button("Apply", type="primary", key="aggregates_run")
    most = int(users or most)
    plan = Config(float(slot), most, cast(Pairing, pairing), int(seed), float(link))
    st.session_state[_PLAN] = plan
    address.write(address.named(plan, _NAMES, Config()))
    return replace(plan, users=min(most, fs.n_users))


def _number(name: str, label: str, value: float, **more: Any) -> Any:
    """Draw the field of a numeric setting, within its allowed range."""
    offered, key = _OFFERED[name], f"aggregates_{_KEYS.get(name, name)}"
    return st.number_input(
        label, offered.low, offered.high, value, key=key, help=_HELP[name], **more
    )


def wanted() -> Config:
    """Return the settings in use; when the session begins, those in the address."""
    if _PLAN not in st.session_state:
        asked = address.settings_asked(_NAMES, Config())
        refused = {name for name, each in _OFFERED.items() if getattr(asked, name) not in each}
        usual = {name: getattr(Config(), name) for name in refused}
        st.session_state[_PLAN] = replace(asked, **usual)
    found: Config = st.session_state[_PLAN]
    return found


def attack(fs: FingerprintSet, plan: Config) -> recovery.Result | None:
    """Return the attack's result, if any; a small attack with greedy pairing starts by itself."""
    minutes = float(fs.t_min.max() - fs.t_min.min())
    cells = (plan.users or fs.n_users) * minutes / plan.slot_min
    return questions.settle(
        _question(fs, plan),
        alone=cells <= recovery.MOST_CELLS and plan.pairing == "greedy",
        button="Attack the counts",
    )


def _question(fs: FingerprintSet, plan: Config) -> Question:
    return Question(RECOVERY, fs, plan, "Recovering people's trajectories from counts")


def factors(fs: FingerprintSet, plan: Config) -> recovery_factors.Result | None:
    """Return the attack's results by resolution and number of people, computed only on request."""
    config = recovery_factors.Config(plan.slot_min, plan.users, plan.pairing, plan.seed)
    question = Question(FACTORS, fs, config, "Varying places, slots and people")
    return questions.settle(question, alone=False, button="Vary places, slots and people")


def mitigations(
    fs: FingerprintSet, plan: Config, found: recovery.Result
) -> recovery_mitigations.Result | None:
    """Return the results of the attack after each mitigation, computed only on request.

    The attack runs on everyone if the time of the previous attack shows that this is affordable.
    The likely cost is shown first.
    """
    seconds = questions.kept(RECOVERY)[_question(fs, plan).key].seconds
    everyone = recovery_mitigations.effort(found, seconds, fs.n_users)
    planned = everyone
    if not everyone.affordable:
        planned = recovery_mitigations.effort(found, seconds, min(plan.users or 0, fs.n_users))
    config = recovery_mitigations.Config(plan.slot_min, planned.people, plan.pairing, plan.seed)
    question = Question(MITIGATIONS, fs, config, "Attacking after each mitigation")
    if questions.answer(question) is None:
        st.caption(" ".join(story.effort(planned, everyone)))
    return questions.settle(question, alone=False, button="Try the mitigations")


def moment(found: recovery.Result, dates: list[str]) -> int:
    """Draw a slider of times, and return the number of the chosen slot.

    By default, the slot is at noon of the first whole day. A single slot needs no slider.
    """
    wall = found.counts.wall_start_min
    if len(wall) == 1:
        return 0
    noon = int(np.argmin(np.abs(wall - (1440 * np.ceil(wall[0] / 1440) + 720))))
    return int(
        st.select_slider(
            "Local time",
            range(len(wall)),
            value=noon,
            format_func=lambda s: words.moment(float(wall[s]), dates, ", "),
            key=f"aggregates_slot_{found.counts.slot_min:g}_{len(wall)}_{wall[0]:g}",
        )
    )
