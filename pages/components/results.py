"""The session's results: what is measured, what is still wanted, what may start by itself."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import GeneralizationProfile

from . import session, tasks
from .dataset import Dataset
from .settings import Settings
from .tasks import Measured

_STORE, _ASKED, _HELD = "fp_results", "fp_asked", "fp_held"
_ALONE_UP_TO_USERS = 5_000
_REST_ALONE_IF_FIRST_TOOK_S = 20.0
Key = tuple[str, GeneralizationProfile, StretchConfig]


def find(dataset: Dataset, profile: GeneralizationProfile, settings: Settings) -> Measured | None:
    """The result for a profile, if it serves every k of the settings."""
    found = _store().get((dataset.digest, profile, settings.config))
    return found if found is not None and set(settings.ks) <= set(found.parts) else None


def adopt(job: Job) -> None:
    """Keep the result of a measuring job; results of other data are let go."""
    key: Key = job.meta["key"]
    before = _store().get(key)
    measured = replace(job.result, seconds=job.elapsed_s)
    if before is not None and measured.result.k == before.result.k:
        measured = replace(measured, parts=before.parts | measured.parts, seconds=before.seconds)
    kept = {k: v for k, v in _store().items() if k[0] == key[0]}
    st.session_state[_STORE] = kept | {key: measured}


def ask(dataset: Dataset, settings: Settings) -> None:
    """Note that these settings were asked for, so that all of them run."""
    st.session_state[_ASKED] = (dataset.digest, settings)
    st.session_state[_HELD] = set()
    for job in session.jobs("measure"):
        session.dismiss(job)


def hold(job: Job) -> None:
    """Stop a job and do not start it again by itself."""
    st.session_state.setdefault(_HELD, set()).add(job.meta["key"])
    session.dismiss(job)


def start_wanted(dataset: Dataset, settings: Settings) -> bool:
    """Queue what is missing and may run; True when something waits for the user's word.

    The finest profile starts by itself on a data set of ordinary size, the others when it was
    quick; everything when it was asked for.
    """
    asked = st.session_state.get(_ASKED) == (dataset.digest, settings)
    waiting = False
    for i, profile in enumerate(settings.profiles):
        key: Key = (dataset.digest, profile, settings.config)
        known = _store().get(key)
        if find(dataset, profile, settings) or any(
            j.meta["key"] == key for j in session.jobs("measure")
        ):
            continue
        first = find(dataset, settings.profiles[0], settings)
        alone = dataset.fs.n_users <= _ALONE_UP_TO_USERS and (
            i == 0 or (first is not None and first.seconds < _REST_ALONE_IF_FIRST_TOOK_S)
        )
        if key in st.session_state.get(_HELD, set()) or not (asked or alone):
            waiting = waiting or asked or i == 0 or first is not None
            continue
        session.start(
            tasks.measure,
            dataset.fs,
            profile,
            settings.ks,
            settings.config,
            known.result if known else None,
            label=f"Measuring at {profile}",
            kind="measure",
            key=key,
        )
    return waiting


@st.cache_resource(scope="session", max_entries=3, show_spinner=False)
def generalized(
    digest: str,  # noqa: ARG001 – with the profile, the cache's key
    _fs: FingerprintSet,
    profile: GeneralizationProfile,
) -> FingerprintSet:
    """The fingerprints under a profile, for looking at one person."""
    return tasks.generalized(_fs, profile)


def _store() -> dict[Key, Measured]:
    return st.session_state.get(_STORE, {})
