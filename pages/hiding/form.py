"""How everyone is to be hidden: the form, and the questions that this page asks."""

from __future__ import annotations

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.studies import comparison, glove_estimate, hiding
from pages.hiding import story
from pages.shell import questions, session, stretch
from pages.shell.dataset import Dataset
from pages.shell.questions import Kind, Question

RELEASES = Kind("glove", hiding.study, page="glove", kept=limits.KEPT_RELEASES, together=True)
COMPARISON = Kind("compare", comparison.study, page="glove")
ESTIMATE = Kind("estimate_hiding", glove_estimate.study, page=None)
_FOR = "fp_glove_data"
_MANY_USERS = 3_000  # below, a run is over before anyone asks how long


def form(data: Dataset) -> hiding.Config | None:
    """The form; what it says when it was just submitted."""
    k_limit = limits.K.at_most(data.fs.n_users)
    if st.session_state.get(_FOR) != data.digest and st.session_state.get("glove_k") is not None:
        st.session_state["glove_k"] = min(st.session_state["glove_k"], k_limit.high)
    st.session_state[_FOR] = data.digest  # a k too large for other data was meant for larger ones
    with st.form("glove_form"):
        cells = st.columns([1, 2, 2, 2], gap="large", vertical_alignment="bottom")
        k = cells[0].number_input(
            "k",
            k_limit.low,
            None,  # the widget would refuse more in silence; what follows says why
            2,
            key="glove_k",
            persist_state="session",
            help="Everyone is published with exactly the same record as at least k − 1 others.",
        )
        space = cells[1].number_input(
            "Leave out samples wider than (km)",
            value=None,
            min_value=data.fs.granularity_m / 1000,
            key="glove_space",
            persist_state="session",
            placeholder="keep all",
            help="Suppression: a sample that could only be published as a larger area than this is "
            "left out. Empty: every sample is published, however coarse.",
        )
        time = cells[2].number_input(
            "… or longer than (hours)",
            value=None,
            min_value=data.fs.granularity_min / 60,
            key="glove_time",
            persist_state="session",
            placeholder="keep all",
            help="Likewise for time. Empty: every sample is published, however coarse.",
        )
        leftover = cells[3].selectbox(
            "The last users, if fewer than k",
            hiding.LEFTOVERS,
            format_func=story.LEFTOVERS.__getitem__,
            key="glove_leftover",
            persist_state="session",
            help="Groups grow two by two; at the end fewer than k users may be left.",
        )
        pressed = st.form_submit_button("Hide everyone", type="primary", key="glove_run")
    if k not in k_limit:
        st.error(story.k_refused(int(k), data.fs.n_users, k_limit))
        return None
    if not pressed:
        return None
    return hiding.Config(
        int(k),
        None if space is None else 1000 * space,
        None if time is None else 60 * time,
        leftover,
        stretch.in_force(),
    )


def ask(data: Dataset, config: hiding.Config) -> None:
    """Start making a release, unless it is there or on its way; failures before it are let go."""
    question = Question(RELEASES, data.fs, config, f"Hiding everyone, {story.name_of(config)}")
    for job in questions.jobs(RELEASES):
        if not job.active:
            session.dismiss(job)
    questions.ask(question)


def made(data: Dataset) -> dict[hiding.Config, hiding.Result]:
    """The releases of these data under the stretch effort in force, the latest last."""
    kept = questions.of_data(RELEASES, data.fs)
    in_force = stretch.in_force()
    return {config: a.result for config, a in kept.items() if config.stretch == in_force}


def compared(data: Dataset) -> Question:
    """GLOVE beside uniform generalization, under the stretch effort in force."""
    config = comparison.Config(stretch=stretch.in_force())
    return Question(COMPARISON, data.fs, config, "Comparing with equally coarse data")


def expected(data: Dataset) -> glove_estimate.Result | None:
    """How long a run is likely to take; None while unknown, and for few users."""
    if data.fs.n_users < _MANY_USERS:
        return None
    config = glove_estimate.Config(stretch=stretch.in_force())
    question = Question(ESTIMATE, data.fs, config, "Estimating")
    questions.ask(question)
    found: glove_estimate.Result | None = questions.answer(question)
    return found
