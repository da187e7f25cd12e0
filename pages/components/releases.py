"""The session's releases by GLOVE: which are asked for, made, and looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.io.published import data_dictionary
from fpanon_core.io.writing import table_bytes
from fpanon_core.model.glove import GloveResult, Verification

from . import answers, session, settings, tasks
from .answers import Question
from .dataset import Dataset

_STORE = "fp_releases"
COMPARED_KS = (2, 5, 10)
COMPARED_SPACE_M, COMPARED_TIME_MIN = 15_000.0, 360.0
_MANY_USERS = 3_000  # below, a run is over before anyone asks how long
_MOST_KEPT = 8
_MOST_K = 100


@dataclass(frozen=True)
class Plan:
    """How a release is to be made; thresholds in metres and minutes, None for none."""

    k: int = 2
    space_m: float | None = None
    time_min: float | None = None
    leftover: str = "merge"

    def __str__(self) -> str:
        parts = [f"k = {self.k}"]
        if self.space_m is not None:
            parts.append(f"at most {self.space_m / 1000:g} km")
        if self.time_min is not None:
            parts.append(f"at most {self.time_min / 60:g} h")
        if self.leftover == "suppress":
            parts.append("left-overs out")
        return " · ".join(parts)


@dataclass(frozen=True, eq=False)
class Release:
    """A release and the verifier's verdict on it."""

    plan: Plan
    result: GloveResult
    verdict: Verification
    seconds: float


def form(data: Dataset) -> Plan | None:
    """The form; the plan when it was just submitted."""
    most = max(2, min(_MOST_K, data.fs.n_users))
    if st.session_state.get("glove_k", 0) > most:
        st.session_state["glove_k"] = most  # kept from larger data
    with st.form("glove_form"):
        cells = st.columns([1, 2, 2, 2], gap="large", vertical_alignment="bottom")
        k = cells[0].number_input(
            "k",
            2,
            most,
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
            ("merge", "suppress"),
            format_func={"merge": "join the nearest group", "suppress": "are left out"}.get,
            key="glove_leftover",
            persist_state="session",
            help="Groups grow two by two; at the end fewer than k users may be left.",
        )
        pressed = st.form_submit_button("Hide everyone", type="primary", key="glove_run")
    if not pressed:
        return None
    return Plan(
        int(k), None if space is None else 1000 * space, None if time is None else 60 * time,
        leftover,
    )  # fmt: skip


def ask(data: Dataset, plan: Plan) -> None:
    """Start making a release, unless it is there or on its way."""
    key = (data.digest, plan, settings.current().config)
    busy = [job for job in session.jobs("glove") if job.meta["key"] == key and job.active]
    if key in _store() or busy:
        return
    for job in session.jobs("glove"):
        if not job.active:
            session.dismiss(job)
    options: dict[str, Any] = {
        "suppress_space_m": plan.space_m,
        "suppress_time_min": plan.time_min,
        "leftover": plan.leftover,
        "config": key[2],
    }
    session.start(
        tasks.hide,
        data.fs,
        plan.k,
        options,
        label=f"Hiding everyone, {plan}",
        kind="glove",
        key=key,
    )


def adopt(job: Job) -> None:
    """Keep a release; those of other data are let go, and the oldest of many."""
    key = job.meta["key"]
    result, verdict = job.result
    kept = {k: v for k, v in _store().items() if k[0] == key[0] and k != key}
    kept[key] = Release(key[1], result, verdict, job.elapsed_s)
    st.session_state[_STORE] = dict(list(kept.items())[-_MOST_KEPT:])


def made(data: Dataset) -> dict[Plan, Release]:
    """The releases of a data set under the present stretch effort, the latest last."""
    config = settings.current().config
    return {k[1]: v for k, v in _store().items() if k[0] == data.digest and k[2] == config}


def file(release: Release, name: str) -> bytes:
    """The release as a file, the same bytes as the command line writes."""
    result = release.result
    frames = result.frames() if result.published.n_groups else iter([result.to_frame()])
    return table_bytes(frames, name)


def dictionary(release: Release) -> bytes:
    """What the columns of the file mean."""
    return table_bytes([data_dictionary(release.result)], "dictionary.csv")


def left_out(release: Release) -> bytes:
    """Pseudonym, row number and reason of every suppressed sample; not for release."""
    return table_bytes([release.result.suppressed_frame()], "suppressed.csv")


def comparison(data: Dataset) -> Question:
    """With uniform generalization, under the present stretch effort."""
    config = settings.current().config
    ks = tuple(k for k in COMPARED_KS if k <= data.fs.n_users)
    return Question(
        "compare",
        (data.digest, config),
        "Comparing with equally coarse data",
        tasks.compare,
        (data.fs, ks, COMPARED_SPACE_M, COMPARED_TIME_MIN, config),
    )


def expected_s(data: Dataset) -> dict[int, float]:
    """Seconds that a run is likely to take, by k; empty while unknown, and for few users."""
    if data.fs.n_users < _MANY_USERS:
        return {}
    config = settings.current().config
    question = Question(
        "estimate_hiding",
        (data.digest, config),
        "Estimating",
        tasks.estimate_hiding,
        (data.fs, COMPARED_KS, config),
    )
    answers.ask(question)
    return answers.answer(question) or {}


def _store() -> dict[Any, Release]:
    return st.session_state.get(_STORE, {})
