"""Results of the measurement: which are finished or missing, and which runs start by themselves.

Each profile is measured in a separate run. The run serves every k up to the largest one asked for;
a still larger k only extends the run.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import GeneralizationProfile
from fpanon_core.studies import anonymizability, estimates, under_profiles
from fpanon_core.studies.anonymizability import Config, Result
from fpanon_core.studies.study import Kept
from pages.shell import questions
from pages.shell.dataset import Dataset
from pages.shell.kinds import DEEPEN, MEASURE
from pages.shell.questions import Kind, Question
from pages.shell.session import Job

from . import story
from .form import Settings

_ASKED = "fp_asked"
_ALONE_UP_TO_USERS = 5_000
_REST_ALONE_IF_FIRST_TOOK_S = 20.0


def find(data: Dataset, profile: GeneralizationProfile, settings: Settings) -> Result | None:
    """Return the result for a profile if it has figures for any k in the settings, else None."""
    found = _known(data, profile, settings)
    return found.result if found is not None and set(settings.ks) & _served(found) else None


def ask(data: Dataset, settings: Settings) -> None:
    """Record that these settings were asked for, so that all their profiles are measured."""
    st.session_state[_ASKED] = (data.digest, settings)
    questions.release_held(MEASURE)
    for kind in (MEASURE, DEEPEN, questions.FORETOLD):
        questions.let_go(kind)


def start_wanted(data: Dataset, settings: Settings) -> bool:
    """Queue the missing measurements that may run; return True if some wait for consent.

    On a data set of at most 5,000 people, the finest profile starts by itself; the others start if
    the finest was quick. If these settings were asked for, all profiles start.
    """
    asked = st.session_state.get(_ASKED) == (data.digest, settings)
    first = _known(data, settings.profiles[0], settings)
    waiting = False
    for i, profile in enumerate(settings.profiles):
        known = _known(data, profile, settings)
        if set(settings.ks) <= _served(known):
            continue
        question = _question(MEASURE, data, profile, settings.ks, settings)
        if questions.under_way(question):
            continue
        small = data.fs.n_users <= _ALONE_UP_TO_USERS
        alone = _is_run(known, settings) or (i == 0 and small) or _was_quick(data, first)
        if questions.held(question) or not (asked or alone):
            waiting = waiting or asked or i == 0 or first is not None
            continue
        questions.ask(question, again=True)
    return waiting


def deepen(data: Dataset, settings: Settings, first: GeneralizationProfile | None) -> Job | None:
    """Extend the measurement of one profile to the largest k offered, in a background run.

    Only profiles whose first run was quick are extended; the selected profile, ``first``, comes
    before the others. Return the job that runs, if any.
    """
    if any(job.active for job in questions.jobs(MEASURE)):
        return None
    running = questions.jobs(DEEPEN)
    if running:  # one at a time; one that failed is not tried again by itself
        return running[0] if running[0].active else None
    for profile in sorted(settings.profiles, key=lambda p: p != first):
        known = _known(data, profile, settings)
        wanted = tuple(sorted({*settings.offered(data.fs.n_users), *_served(known)}))
        if known is None or set(wanted) <= _served(known) or not _was_quick(data, known):
            continue
        question = _question(DEEPEN, data, profile, wanted, settings)
        measuring = _question(MEASURE, data, profile, wanted, settings)
        if not questions.held(measuring) and wanted[-1] <= data.fs.n_users:
            questions.ask(question, again=True)
            return questions.jobs(DEEPEN)[0]
    return None


def offer(data: Dataset, settings: Settings) -> None:
    """Offer to measure what is not measured automatically; show the estimated time."""
    seconds, missing = expected_s(data, settings)
    with st.container(horizontal=True, vertical_alignment="center"):
        cost = story.cost_of_asking(missing, settings.profiles, data.fs.n_users, seconds)
        st.markdown(f"{cost} {estimates.describe_memory(anonymizability.study, data.fs)}")
        if st.button("Measure all profiles", key="anon_go", type="primary"):
            ask(data, settings)
            st.rerun()
    questions.estimating()


def expected_s(data: Dataset, settings: Settings) -> tuple[float | None, int]:
    """Return the estimated seconds for the finest profile, and how many profiles are missing.

    If the finest profile has been measured for the largest k, the time is that of its run.
    Otherwise, the time is estimated from some of the people, and is None until the estimate is
    ready.
    """
    known = [_known(data, profile, settings) for profile in settings.profiles]
    missing = sum(not set(settings.ks) <= _served(each) for each in known)
    if known[0] is not None and _is_run(known[0], settings):
        return known[0].seconds, missing
    wanted = Config(settings.profiles[:1], settings.ks[-1:], settings.config)
    (seconds,) = questions.expected_s(anonymizability.study, data.fs, wanted)
    return seconds, missing


@st.cache_resource(scope="session", max_entries=3, show_spinner=False)
def generalized(
    digest: str,  # noqa: ARG001 – with the profile, the cache's key
    _fs: FingerprintSet,
    profile: GeneralizationProfile,
) -> FingerprintSet:
    """Return the fingerprints under a profile, for looking at one person."""
    return under_profiles.generalized(_fs, profile)


def _question(
    kind: Kind,
    data: Dataset,
    profile: GeneralizationProfile,
    ks: tuple[int, ...],
    settings: Settings,
) -> Question:
    known = _known(data, profile, settings)
    earlier = None
    if known is not None:  # only the run: figures made from it need not be sent along
        bare = tuple(replace(m, parts={}) for m in known.result.measured)
        earlier = replace(known.result, measured=bare)
    config = Config((profile,), ks, settings.config)
    return Question(kind, data.fs, config, f"Measuring at {profile}", (earlier,))


def _known(data: Dataset, profile: GeneralizationProfile, settings: Settings) -> Kept | None:
    """Return all that is known about a profile, and how long its first run took."""
    key = (data.digest, ((profile,), settings.config))
    first, deeper = (questions.kept(kind).get(key) for kind in (MEASURE, DEEPEN))
    if first is None or deeper is None:
        return first
    return replace(first, result=anonymizability.extended(first.result, deeper.result))


def _served(known: Kept | None) -> set[int]:
    """Return the values of k for which there are figures."""
    return set() if known is None else set(known.result.measured[0].parts)


def _is_run(known: Kept | None, settings: Settings) -> bool:
    return known is not None and known.result.measured[0].gaps.k >= settings.ks[-1]


def _was_quick(data: Dataset, known: Kept | None) -> bool:
    small = data.fs.n_users <= _ALONE_UP_TO_USERS
    return small and known is not None and known.seconds < _REST_ALONE_IF_FIRST_TOOK_S
