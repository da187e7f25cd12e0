"""What does an outsider learn? The settings of the question, and its answer.

The settings are not personal, so they are kept and travel in the URL.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from typing import cast, get_args

import numpy as np
import streamlit as st

from fpanon_core.model.configs import KnowledgeConfig, Strategy
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from pages.charts import words

from . import address, answers, definitions, disclosing, settings
from .answers import Question
from .dataset import Dataset
from .disclosing import Learnt, Worked
from .settled import ordinary, settled

_CURRENT = "fp_disclosure_plan"
_SIDES_M = (100, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 50_000, 100_000)
_WINDOWS_MIN = (60, 360, 720, 1_440)  # of TRADE table 4.2
_STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


@dataclass(frozen=True)
class Plan:
    """What is asked: knowledge, and the profiles; no profiles means those that suit the data."""

    config: KnowledgeConfig = field(default_factory=KnowledgeConfig)
    profiles: tuple[GeneralizationProfile, ...] = ()

    def over(self, fs: FingerprintSet) -> tuple[GeneralizationProfile, ...]:
        """The profiles to measure."""
        return self.profiles or suited(fs)


def suited(fs: FingerprintSet) -> tuple[GeneralizationProfile, ...]:
    """Two sides of the grid and four windows, as TRADE's districts and municipalities.

    The coarse squares are at most a quarter of the area that most samples lie in, the fine ones at
    most a fifth of those.
    """
    extent = max(float(np.ptp(np.quantile(v, [0.01, 0.99]))) for v in (fs.x_m, fs.y_m))
    sides = [s for s in _SIDES_M if s >= fs.granularity_m] or [fs.granularity_m]
    coarse = max((s for s in sides if s <= extent / 4), default=sides[0])
    fine = max((s for s in sides if s <= coarse / 5), default=sides[0])
    windows = [m for m in _WINDOWS_MIN if m >= fs.granularity_min] or [fs.granularity_min]
    return tuple(
        GeneralizationProfile(Grid(side), minutes)
        for side in sorted({fine, coarse})
        for minutes in windows
    )


def current() -> Plan:
    """The plan in use; that of the URL when the session begins."""
    if _CURRENT not in st.session_state:
        st.session_state[_CURRENT] = _from_url()
    return cast(Plan, st.session_state[_CURRENT])


def form(data: Dataset) -> bool:
    """The form; True when it was just submitted with a plan that makes sense."""
    plan = current()
    profiles = plan.over(data.fs)
    offered = {*settings.PROFILE_PRESETS, *suited(data.fs), *profiles}
    with st.form("disclosure_form"):
        cells = st.columns([2, 2, 3, 2], gap="medium")
        p = cells[0].number_input(
            "Points known (p)", 1, 50, plan.config.p, key="disclosure_p",
            help="How many points of a user's record the outsider knows.",
        )  # fmt: skip
        users = cells[1].number_input(
            "Users asked about", 10, 100_000, plan.config.users, step=500, key="disclosure_users",
            help="Drawn at random; all where there are no more. More of them, narrower intervals.",
        )  # fmt: skip
        strategy = cells[2].selectbox(
            "Which points", _STRATEGIES, index=_STRATEGIES.index(plan.config.strategy),
            key="disclosure_strategy", help=definitions.STRATEGY,
        )  # fmt: skip
        seed = cells[3].number_input(
            "Seed of the draws", 0, 999_999, plan.config.seed, key="disclosure_seed",
            help="The same seed draws the same users and the same points.",
        )  # fmt: skip
        chosen = st.multiselect(
            "Profiles to compare",
            [str(each) for each in sorted(offered, key=settings.fine_to_coarse)],
            default=[str(each) for each in profiles],
            key="disclosure_profiles",
            accept_new_options=True,
            help=definitions.PROFILE + " Choose, or type your own, such as “3 km · 45 min”.",
        )
        pressed = st.form_submit_button("Measure", type="primary", key="disclosure_measure")
    if not pressed:
        return False
    try:
        wanted = Plan(
            KnowledgeConfig(int(p), strategy, int(users), int(seed)), settings.profiles_of(chosen)
        )
    except FpanonError as error:
        st.error(str(error))
        return False
    if wanted.profiles == suited(data.fs):
        wanted = replace(wanted, profiles=())
    st.session_state[_CURRENT] = wanted
    return True


def learnt(data: Dataset, *, asked: bool) -> Learnt | None:
    """The answer; asked for, with its progress, until it is there."""
    plan = current()
    profiles = plan.over(data.fs)
    question = Question(
        "disclosure",
        (data.digest, plan.config, profiles),
        f"Measuring what is learnt under {words.count(len(profiles), 'profile')}",
        disclosing.learn,
        (data.fs, profiles, plan.config),
    )
    return cast("Learnt | None", settled(question, alone=ordinary(data), asked=asked))


def worked() -> Worked | None:
    """TRADE's table 4.1, measured; asked for once."""
    question = Question("table_4_1", (), "Working the example", disclosing.work_example, ())
    answers.ask(question)
    return answers.answer(question)


def write_url() -> None:
    """Put the plan in the address, so that it can be kept or passed on."""
    plan, plain, wanted = current(), KnowledgeConfig(), {}
    if plan.config != plain:
        c = plan.config
        wanted["known"] = f"{c.p},{c.users},{c.strategy},{c.seed}"
    if plan.profiles:
        wanted["over"] = ",".join(f"{p.grid_m:.15g}x{p.minutes:.15g}" for p in plan.profiles)
    address.write(wanted)


def _from_url() -> Plan:
    """A plan named in the address; a part that makes no sense is left out."""
    plan, asked = Plan(), st.query_params
    with contextlib.suppress(FpanonError, ValueError):
        if "known" in asked:
            p, users, strategy, seed = asked["known"].split(",")
            config = KnowledgeConfig(int(p), cast(Strategy, strategy), int(users), int(seed))
            if config.p <= 50 and 10 <= config.users <= 100_000 and config.seed <= 999_999:
                plan = replace(plan, config=config)
    with contextlib.suppress(FpanonError, ValueError):
        if "over" in asked:
            pairs = [part.split("x") for part in asked["over"].split(",")]
            profiles = [f"{float(m):.15g} m · {float(t):.15g} min" for m, t in pairs]
            plan = replace(plan, profiles=settings.profiles_of(profiles))
    return plan
