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

_STORE, _ASKED, _HELD, _ESTIMATES = "fp_results", "fp_asked", "fp_held", "fp_estimates"
_ALONE_UP_TO_USERS = 5_000
_REST_ALONE_IF_FIRST_TOOK_S = 20.0
Key = tuple[str, GeneralizationProfile, StretchConfig]


def find(dataset: Dataset, profile: GeneralizationProfile, settings: Settings) -> Measured | None:
    """The result for a profile, if it serves some k of the settings."""
    found = _store().get((dataset.digest, profile, settings.config))
    return found if found is not None and set(settings.ks) & set(found.parts) else None


def adopt(job: Job) -> None:
    """Keep the result of a measuring job; results of other data are let go."""
    key: Key = job.meta["key"]
    before = _store().get(key)
    measured = replace(job.result, seconds=job.elapsed_s)
    if before is not None:
        parts = before.parts | measured.parts
        measured = replace(measured, parts=parts, seconds=before.seconds)
    kept = {k: v for k, v in _store().items() if k[0] == key[0]}
    st.session_state[_STORE] = kept | {key: measured}


def adopt_estimate(job: Job) -> None:
    """Keep how long a run is likely to take."""
    st.session_state[_ESTIMATES] = {job.meta["key"]: job.result}


def ask(dataset: Dataset, settings: Settings) -> None:
    """Note that these settings were asked for, so that all of them run."""
    st.session_state[_ASKED] = (dataset.digest, settings)
    st.session_state[_HELD] = set()
    for job in [*session.jobs("measure"), *session.jobs("deepen"), *session.jobs("estimate")]:
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
    first = _store().get((dataset.digest, settings.profiles[0], settings.config))
    waiting = False
    for i, profile in enumerate(settings.profiles):
        key: Key = (dataset.digest, profile, settings.config)
        known = _store().get(key)
        if known is not None and set(settings.ks) <= set(known.parts):
            continue
        if any(j.meta["key"] == key for j in session.jobs("measure")):
            continue
        enough = known is not None and known.result.k >= settings.ks[-1]
        alone = enough or (i == 0 and _small(dataset)) or _was_quick(dataset, first)
        if key in st.session_state.get(_HELD, set()) or not (asked or alone):
            waiting = waiting or asked or i == 0 or first is not None
            continue
        _start("measure", dataset, profile, settings.ks, settings.config, known)
    return waiting


def deepen(dataset: Dataset, settings: Settings, first: GeneralizationProfile | None) -> Job | None:
    """In the background, one run up to the largest k offered for each profile that was quick.

    ``first`` is the profile looked at, whose turn is first. Returns the job that runs, if any.
    """
    if any(job.active for job in session.jobs("measure")):
        return None
    running = session.jobs("deepen")
    if running:  # one at a time; one that failed is not tried again by itself
        return running[0] if running[0].active else None
    ks = settings.offered(dataset.fs.n_users)
    for profile in sorted(settings.profiles, key=lambda p: p != first):
        key: Key = (dataset.digest, profile, settings.config)
        known = _store().get(key)
        wanted = tuple(sorted({*ks, *(known.parts if known else ())}))
        done = known is None or set(wanted) <= set(known.parts)
        if done or key in st.session_state.get(_HELD, set()) or not _was_quick(dataset, known):
            continue
        if wanted[-1] <= dataset.fs.n_users:
            return _start("deepen", dataset, profile, wanted, settings.config, known)
    return None


def expected_s(dataset: Dataset, settings: Settings) -> tuple[float | None, int]:
    """Seconds that one profile is likely to take at most, and how many are missing.

    By the finest profile, when it is measured; otherwise estimated from a sample of the data in
    the child process: None until that is known.
    """
    known = [_store().get((dataset.digest, p, settings.config)) for p in settings.profiles]
    missing = [
        p
        for p, m in zip(settings.profiles, known, strict=True)
        if m is None or not set(settings.ks) <= set(m.parts)
    ]
    if known[0] is not None and known[0].result.k >= settings.ks[-1]:
        return known[0].seconds, len(missing)
    k = settings.ks[-1]
    key = (dataset.digest, settings.profiles[0], k, settings.config)
    found = st.session_state.get(_ESTIMATES, {}).get(key)
    if found is None and not any(j.meta["key"] == key for j in session.jobs("estimate")):
        for job in session.jobs("estimate"):
            session.dismiss(job)
        session.start(
            tasks.estimate,
            dataset.fs,
            settings.profiles[0],
            k,
            settings.config,
            label="Estimating",
            kind="estimate",
            key=key,
        )
    return found, len(missing)


def _start(
    kind: str,
    dataset: Dataset,
    profile: GeneralizationProfile,
    ks: tuple[int, ...],
    config: StretchConfig,
    known: Measured | None,
) -> Job:
    key: Key = (dataset.digest, profile, config)
    return session.start(
        tasks.measure,
        dataset.fs,
        profile,
        ks,
        config,
        known.result if known else None,
        label=f"Measuring at {profile}",
        kind=kind,
        key=key,
    )


def _small(dataset: Dataset) -> bool:
    return dataset.fs.n_users <= _ALONE_UP_TO_USERS


def _was_quick(dataset: Dataset, measured: Measured | None) -> bool:
    return (
        _small(dataset) and measured is not None and measured.seconds < _REST_ALONE_IF_FIRST_TOOK_S
    )


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
