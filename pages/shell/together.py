"""Releases of the same people: all that the session made, and what a second one gives away.

For each exported release, the session keeps which records shared a group, on which days, and how
the release was made. For each release made, with or without records, the session keeps its name,
when it was first shown, the digests of its files, its people, and the path of its data's ledger.
People are kept as digests under a secret of the session. No place, hour or id is kept.
"""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from fpanon_core.engines.process import Job
from fpanon_core.io.ledger import Spent, spent_at
from fpanon_core.model.composition import Crossing
from fpanon_core.model.errors import FpanonError, InfeasibleError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.published import Membership
from fpanon_core.studies import count_tables, crossing
from fpanon_core.studies.production import Result
from fpanon_core.studies.report import SessionRelease
from pages.charts.plain import plain

from . import job_panel, layout, officer, session
from .dataset import Dataset
from .questions import Kind

_JOB, _REGISTER = "older_release", "fp_exported"
_SECRET_BYTES = 32


def section(kind: Kind, found: Result) -> tuple[bool, Callable[[], None] | None]:
    """Draw what this release and earlier ones together give away, if there are earlier ones.

    Parameters
    ----------
    kind : Kind
        Kind of the release; the keys of the widgets begin with its name.
    found : production.Result
        A result that has passed its verification.

    Returns
    -------
    tuple
        Whether the release may be exported now (if a group gets smaller, only after a
        confirmation), and a callable to call once it has been exported. The callable is None if
        nothing is known about the release's groups.
    """
    if found.membership is None:
        return True, None
    known = register()
    _earlier(kind, known, found.membership)
    before = known.before(found.membership)
    may_leave = True
    if before:
        crossed = known.crossing(found.membership)
        what = describe_earlier(before)
        if crossed is None:
            st.caption(nobody(what))
        elif not crossed.falls:
            st.caption(unchanged(crossed, what))
        else:
            with st.container(border=True, key=f"{kind.name}_together"):
                st.warning(warning(crossed, what))
                st.markdown(meaning(crossed))
                layout.formulas("Two releases of the same people")
                number = hash((found.membership.digest, len(before)))
                may_leave = st.checkbox(
                    "I have read this; this release may leave nevertheless",
                    key=f"{kind.name}_together_read_{number}",
                )
    return may_leave, partial(known.note, found.membership)


def falls(found: Result) -> bool:
    """Return whether some people's groups shrink when releases that left before are added."""
    made, known = found.membership, register()
    crossed = known.crossing(made) if made is not None and known.before(made) else None
    return crossed is not None and crossed.falls


def _earlier(kind: Kind, known: Register, made: Membership) -> None:
    """Draw the fields to upload a release that left before this session, and its pseudonym key."""
    with st.expander(QUESTION, key=f"{kind.name}_earlier", expanded=True):
        st.markdown(f"{EARLIER} {describe_known([*known.left.values()], made)}")
        release = st.file_uploader(
            "The earlier release (zip)", type=["zip"], key=f"{kind.name}_earlier_release"
        )
        key = st.file_uploader(
            "Pseudonym key of the earlier release (CSV)",
            type=["csv"],
            key=f"{kind.name}_earlier_key",
        )
        lacking = release is None or key is None
        pressed = st.button("Compare", key=f"{kind.name}_earlier_go", disabled=lacking)
        if pressed and release is not None and key is not None:
            known.refused = ""
            files = release.getvalue(), key.getvalue()
            session.start(
                crossing.study,
                crossing.Config(*(sha256(file).hexdigest() for file in files)),
                *files,
                label="Reading the earlier release",
                kind=_JOB,
                adopt=partial(_adopt, known),
                page=kind.page,
            )
            session.uploads_read([release, key])
            st.rerun()
        job_panel.show(session.jobs(_JOB), key=f"{kind.name}_earlier_jobs")
        if known.refused:
            layout.say(known.refused)


def _adopt(known: Register, job: Job) -> None:
    read: crossing.Older = job.result
    known.refused = read.refused
    if read.found is None:
        return
    try:
        officer.opened("earlier release", read.found.digest, read.found.n_people)
    except FpanonError:
        return  # the frame says why, above every page
    known.note(read.found, given=True)


# --- what was made in this session ---


@dataclass(frozen=True, eq=False)
class Made:
    """One release that this session made: its name, its people, its files' digests.

    ``at`` is when it was first shown. ``ledger`` is the path of its data's ledger, which need not
    exist.
    """

    what: str
    at: dt.datetime
    people: npt.NDArray[np.uint64]
    sha256: str
    ledger: Path


def note_made(data: Dataset, what: str, archives: Mapping[str, bytes]) -> None:
    """Record that a release of some data was made.

    ``what`` is its name, and ``archives`` holds its files by their format.
    """
    known, key = register(), hash(next(iter(archives.values())))  # Python keeps the hash of bytes
    if key not in known.made:
        known.made[key] = Made(
            what,
            dt.datetime.now(dt.UTC),
            known.people(data.fs),
            "; ".join(f"{form} {sha256(file).hexdigest()}" for form, file in archives.items()),
            count_tables.ledger_at(data.source),
        )


def made_before(data: Dataset) -> list[SessionRelease]:
    """Return the releases that this session made about some of the people in the data, in order."""
    return [
        SessionRelease(
            each.what, f"{each.at:%Y-%m-%d %H:%M UTC}", f"{n:,} of {data.fs.n_users:,}", each.sha256
        )
        for each, n in register().of_people(data.fs)
    ]


def spent(data: Dataset) -> Spent:
    """Return the ε that the data's file has spent, and what other ledgers hold.

    Where several officers share a dashboard, the files of the server's user hold the ledgers of all
    of them. Of these ledgers, only those of this session's releases are counted.
    """
    shared = {each.ledger for each, _ in register().of_people(data.fs)}
    return spent_at(count_tables.ledger_at(data.source), shared, own=not officer.several())


# --- what left, in this session or earlier ---


@dataclass(frozen=True, eq=False)
class Left:
    """One release that has left.

    Attributes
    ----------
    membership : Membership
        Membership without ids.
    given : bool
        Whether its files were given; otherwise it was exported in this session.
    """

    membership: Membership
    given: bool = False


class Register:
    """The releases made, and those that left, in order; the same for all views of a session."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(_SECRET_BYTES)
        self._hash_key = secrets.token_hex(8)
        self._people: dict[str, npt.NDArray[np.uint64]] = {}
        self.made: dict[int, Made] = {}
        """The releases made, by the hash of their first file."""
        self.left: dict[str, Left] = {}
        """The releases that left, in order, by their digest."""
        self._last: tuple[tuple[str, int], Crossing | None] | None = None
        self.refused = ""
        """Why the last given files cannot be used."""

    def note(self, membership: Membership, *, given: bool = False) -> None:
        """Record that a release has left, unless it is known already."""
        self.left.setdefault(membership.digest, Left(membership.keyed(self._secret), given))

    def people(self, fs: FingerprintSet) -> npt.NDArray[np.uint64]:
        """Return keyed hashes of the people's ids, sorted; the same id always has the same hash."""
        if fs.digest not in self._people:
            ids = np.array([str(each) for each in fs.user_ids.tolist()], dtype=object)
            hashed: Any = pd.util.hash_array(ids, hash_key=self._hash_key, categorize=False)
            self._people[fs.digest] = np.unique(hashed)
        return self._people[fs.digest]

    def of_people(self, fs: FingerprintSet) -> list[tuple[Made, int]]:
        """Return the releases that hold some of these people, in order, and how many each holds."""
        found, mine = [], self.people(fs)
        for each in self.made.values():
            same = each.people is mine
            both = mine if same else np.intersect1d(each.people, mine, assume_unique=True)
            if len(both):
                found.append((each, len(both)))
        return found

    def before(self, made: Membership) -> list[Left]:
        """Return the releases that left, in order, except the given one."""
        known = self.left.copy()  # a download may add another meanwhile
        return [each for digest, each in known.items() if digest != made.digest]

    def crossing(self, made: Membership) -> Crossing | None:
        """Return the composition of a release with all earlier ones; None if they share nobody."""
        before = self.before(made)
        key = (made.digest, len(before))
        last = self._last
        if last is None or last[0] != key:
            try:
                found = crossing.crossed(
                    made.keyed(self._secret), [each.membership for each in before]
                )
                # Nothing about individual people is shown or kept.
                found = replace(found, per_person=found.per_person.drop(columns="pseudonym"))
            except InfeasibleError:
                found = None
            self._last = last = (key, found)
        return last[1]


def register() -> Register:
    """Return this session's register; it outlives a lost connection and a change of data."""
    if _REGISTER not in st.session_state:
        session.keep(_REGISTER, Register())
    found: Register = st.session_state[_REGISTER]
    return found


# --- sentences ---

QUESTION = "Have these people's data been released before?"
EARLIER = (
    "Two releases that each keep everybody in a group may together single people out. Releases "
    "exported in this session are compared automatically. For releases that left earlier, from "
    "another session or the command line, give the files. The pseudonym key says who is who; the "
    "program forgets it once it has been read."
)


def describe_earlier(left: Sequence[Left]) -> str:
    """Return the earlier releases that a release is compared with, as part of a sentence."""
    names = "; ".join(plain(each.membership.name) for each in left)
    one = "earlier release given" if left[0].given else "release exported earlier"
    many = f"{len(left)} releases that left earlier"
    return f"the {many if len(left) > 1 else one} ({names})"


def describe_known(left: Sequence[Left], made: Membership) -> str:
    """Say which earlier releases are known already."""
    if not left:
        return "No earlier release with groups is known here."
    names = []
    for each in left:
        how = "its files were given" if each.given else "exported in this session"
        this = each.membership.digest == made.digest
        names.append(f"{plain(each.membership.name)} ({'this very release' if this else how})")
    return f"Known here: {'; '.join(names)}."


def warning(found: Crossing, what: str) -> str:
    """Return a warning that a group gets smaller, and how small."""
    return f"**A second release of the same people.** {crossing.describe_crossing(found, what)}"


def meaning(found: Crossing) -> str:
    """Say what the composition means: the knowledge it assumes, and the chance it gives."""
    followed = crossing.describe_followed(found) if found.smaller else ""  # else it has been said
    said = crossing.describe_naming(found), followed, crossing.describe_counted(found)
    return " ".join(filter(None, ["**What this means.**", crossing.MEANING, *said]))


def unchanged(found: Crossing, what: str) -> str:
    """Return a note that no group gets smaller."""
    more = crossing.describe_followed(found), crossing.describe_counted(found)
    return " ".join(filter(None, [crossing.describe_crossing(found, what), *more]))


def nobody(what: str) -> str:
    """Return a note that nobody is in both this release and the earlier ones."""
    return (
        f"Nobody is in both this release and {what}, judging by the ids on the days that both "
        "cover. There is nothing to compare. If both hold the same people "
        "under different ids, compare the files after giving these people the same ids."
    )
