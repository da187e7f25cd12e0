"""The form for hiding everyone, and the questions that this page asks."""

from __future__ import annotations

from typing import Any

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.glove import Method
from fpanon_core.studies import estimates, hiding
from fpanon_core.studies.presets import crowd
from pages.hiding import story
from pages.shell import layout, questions, session, widgets
from pages.shell import limits as thresholds
from pages.shell.dataset import Dataset
from pages.shell.questions import Kind, Question
from pages.shell.widgets import selectbox

RELEASES = Kind("glove", hiding.study, page="glove", kept=limits.KEPT_RELEASES, together=True)
_FOR = "fp_glove_data"
SHARDED_FROM = hiding.SHARDED_FROM
_MANY_USERS = 3_000  # below this, a run ends before anyone asks how long it takes


def form(data: Dataset) -> hiding.Config | None:
    """Draw the form; return its settings if it was just submitted."""
    k_limit = limits.K.at_most(data.fs.n_users)
    if st.session_state.get(_FOR) != data.digest and st.session_state.get("glove_k") is not None:
        st.session_state["glove_k"] = min(st.session_state["glove_k"], k_limit.high)
    st.session_state[_FOR] = data.digest  # a k too large for these data was meant for other data
    needed = crowd(thresholds.in_force())
    with st.form("glove_form").container(horizontal=True, vertical_alignment="bottom", gap="small"):
        usual = needed if needed in k_limit else k_limit.low
        method, k, period, percent = _groups(k_limit.low, usual)
        with st.popover("Limits", key="glove_limits"):
            space, time, leftover = _limits(data)
            shards = _shards(data)
        pressed = st.form_submit_button("Hide everyone", type="primary", key="glove_run")
    if k not in k_limit:
        st.error(story.k_refused(k, data.fs.n_users, k_limit))
        return None
    if shards is not None and shards > (most := hiding.most_shards(data.fs, k)):
        st.error(story.shards_refused(shards, data.fs.n_users, k, most))
        return None
    if not pressed:
        return None
    try:
        return hiding.Config(
            k=k,
            suppress_space_m=None if space is None else 1000 * space,
            suppress_time_min=None if time is None else 60 * time,
            leftover=leftover,
            stretch=widgets.in_force(),
            method=method,
            period_days=widgets.days_of(period),
            leave_out=percent / 100,
            shards=shards,
        )
    except FpanonError as error:
        layout.say(error)
        return None


def _groups(least: int, usual: int) -> tuple[Method, int, str, int]:
    """Draw and return the method, group size, period, and largest percentage of people left out.

    ``usual`` is the initial group size.
    """
    method = selectbox(
        "Method",
        list(story.METHODS),
        format_func=story.METHODS.__getitem__,
        key="glove_method",
        width=150,
        help="Aligned: the samples of a group are cut into blocks of time, each published "
        "as one area. GLOVE, as published in 2015, is offered for comparison. GLOVE joins the "
        "samples that are most alike. Most samples usually become coarser than with the aligned "
        "method, and some rows may be false presences.",
    )
    # The widget would refuse a larger k silently; the code that follows says why.
    k = _field(
        "k",
        least,
        usual,
        key="glove_k",
        width=90,
        help="Everyone is published with exactly the same record as at least k − 1 others.",
    )
    period = selectbox(
        "Period",
        list(widgets.PERIODS),
        key="glove_period",
        accept_new_options=True,
        width=140,
        help=widgets.HELP,
    )
    percent = st.slider(
        "Left out, at most (%)",
        0,
        round(100 * hiding.MOST_LEFT_OUT),
        0,
        key="glove_leave_out",
        persist_state="session",
        width=150,
        help="Up to this share of the people, those hardest to hide, are not "
        "published. The others can then be published more accurately.",
    )
    return method, int(k), period, percent


def _limits(data: Dataset) -> tuple[float | None, float | None, hiding.Leftover]:
    """Draw and return the largest width (km) and span (hours), and the rule for leftover people."""
    space = _field(
        "Leave out samples wider than (km)",
        data.fs.granularity_m / 1000,
        key="glove_space",
        placeholder="keep all",
        help="Suppression: a sample that could only be published with a wider area than this is "
        "left out. If the field is empty, every sample is published, however coarse.",
    )
    time = _field(
        "… or longer than (hours)",
        data.fs.granularity_min / 60,
        key="glove_time",
        placeholder="keep all",
        help="Suppression: a sample that could only be published with a longer time window than "
        "this is left out. If the field is empty, every sample is published, however coarse.",
    )
    leftover = selectbox(
        "The last people, if fewer than k",
        hiding.LEFTOVERS,
        format_func=story.LEFTOVERS.__getitem__,
        key="glove_leftover",
        help="When all groups are made, fewer than k people may be left.",
    )
    return space, time, leftover


def _shards(data: Dataset) -> int | None:
    """Draw and return the number of shards to cut the data into first; None for few people."""
    if data.fs.n_users < SHARDED_FROM:
        return None
    shards: int | None = _field(
        "Cut into this many shards first",
        2,
        key="glove_shards",
        placeholder="all at once",
        help="People who are near each other are put into one shard and hidden among one "
        "another. Everyone is still in a group of at least k. Shards take less time and memory, "
        "and accuracy falls a little, by about 1% at 5,000 people per shard.",
    )
    return shards


def _field(label: str, least: float, value: float | None = None, **how: Any) -> Any:
    """Draw a persistent field for a number of at least ``least``; return None if it is empty."""
    return st.number_input(label, least, None, value, persist_state="session", **how)


def ask(data: Dataset, config: hiding.Config) -> None:
    """Start making a release, unless it exists or is under way; drop earlier failures."""
    question = Question(RELEASES, data.fs, config, f"Hiding everyone: {story.name_of(config)}")
    for job in questions.jobs(RELEASES):
        if not job.active:
            session.dismiss(job)
    questions.ask(question)


def made(data: Dataset) -> dict[hiding.Config, hiding.Result]:
    """Return the releases of these data under the stretch effort in force, by their settings.

    The latest release comes last.
    """
    kept = questions.of_data(RELEASES, data.fs)
    in_force = widgets.in_force()
    return {config: a.result for config, a in kept.items() if config.stretch == in_force}


def expected(data: Dataset) -> None:
    """Draw the likely cost of hiding these people by the chosen method; nothing for few people.

    The memory follows directly from the size of the data; the time is estimated in the background.
    """
    if data.fs.n_users < _MANY_USERS:
        return
    method: Method = st.session_state.get("glove_method", "aligned")
    ks, stretch = (2, 5, 10), widgets.in_force()
    runs = [hiding.Config(k, stretch=stretch, method=method) for k in ks]
    found = zip(ks, questions.expected_s(hiding.study, data.fs, *runs), strict=True)
    seconds = {k: each for k, each in found if each is not None}
    parts = [story.expected(method, seconds)] if len(seconds) == len(ks) else []
    shards: int | None = st.session_state.get("glove_shards")
    if shards is not None:  # more shards are refused when the form is submitted
        shards = min(shards, hiding.most_shards(data.fs, 2))
    wanted = hiding.Config(2, stretch=stretch, method=method, shards=shards)
    memory = estimates.describe_memory(hiding.study, data.fs, wanted)
    parts.append(memory)
    if "shards" in memory:  # the text says how many are enough
        parts.append(story.WHERE_SHARDS)
    elif data.fs.n_users >= SHARDED_FROM and shards is None:
        parts.append(story.in_shards(data.fs.n_users))
    st.caption(" ".join(filter(None, parts)))
    questions.estimating()
