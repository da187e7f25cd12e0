"""Is this a second release of the same people? Asked, and answered, before it is exported."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import sha256

import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.published import Membership
from fpanon_core.studies import crossing
from fpanon_core.studies.production import Result

from . import audit, exported, formula, job_panel, refused, session, together_story
from .exported import Register
from .questions import Kind

_JOB = "older_release"


def section(kind: Kind, found: Result) -> tuple[bool, Callable[[], None] | None]:
    """What this release and those that left before say together, where there are any.

    Parameters
    ----------
    kind : Kind
        Of the release; begins the keys of the widgets.
    found : production.Result
        That has passed its verification.

    Returns
    -------
    tuple
        Whether it may be exported now: where a crowd gets smaller, after somebody has said so; and
        what is to hear that it was.
    """
    if found.membership is None:
        return True, None
    known = exported.register()
    _earlier(kind, known, found.membership)
    before = known.before(found.membership)
    may_leave = True
    if before:
        crossed = known.crossing(found.membership)
        what = together_story.before(before)
        if crossed is None:
            st.caption(together_story.nobody(what))
        elif not crossed.falls:
            st.caption(together_story.unchanged(crossed, what))
        else:
            with st.container(border=True, key=f"{kind.name}_together"):
                st.warning(together_story.warning(crossed, what))
                st.markdown(together_story.meaning(crossed))
                formula.link("Two releases of the same people")
                number = hash((found.membership.digest, len(before)))
                may_leave = st.checkbox(
                    "I have read this; this release may leave all the same",
                    key=f"{kind.name}_together_read_{number}",
                )
    return may_leave, partial(known.note, found.membership)


def _earlier(kind: Kind, known: Register, made: Membership) -> None:
    """Files of a release that left before this session, with their key."""
    with st.expander(together_story.QUESTION, key=f"{kind.name}_earlier", expanded=True):
        st.markdown(f"{together_story.EARLIER} {together_story.known(known.left, made)}")
        release = st.file_uploader(
            "The earlier release (zip)", type=["zip"], key=f"{kind.name}_earlier_release"
        )
        key = st.file_uploader("Its key (CSV)", type=["csv"], key=f"{kind.name}_earlier_key")
        ready = release is not None and key is not None
        if (
            st.button("Compare", key=f"{kind.name}_earlier_go", disabled=not ready)
            and release is not None
            and key is not None
        ):
            _read(kind, release.getvalue(), key.getvalue(), known)
            session.uploads_read([release, key])
            st.rerun()
        job_panel.show(session.jobs(_JOB), key=f"{kind.name}_earlier_jobs")
        if known.refused:
            refused.say(known.refused)


def _read(kind: Kind, release: bytes, key: bytes, known: Register) -> None:
    known.refused = ""
    session.start(
        crossing.study,
        crossing.Config(sha256(release).hexdigest(), sha256(key).hexdigest()),
        release,
        key,
        label="Reading the earlier release",
        kind=_JOB,
        adopt=partial(_adopt, known),
        page=kind.page,
    )


def _adopt(known: Register, job: Job) -> None:
    read: crossing.Older = job.result
    known.refused = read.refused
    if read.found is None:
        return
    try:
        audit.opened("earlier release", read.found.digest, read.found.n_people)
    except FpanonError:
        return  # the frame says why, above every page
    known.note(read.found, given=True)
