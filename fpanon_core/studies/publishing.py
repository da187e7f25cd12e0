"""Publication of a release: written, read back, checked against the original, and described.

* The check reads the bytes of the data file again and compares them with the original data. Only a
  release that passes is moved to its path. The pseudonym key and the list of left-out samples are
  separate files, not for release.
* :func:`verdict_on` reads the bytes back and calls the verifier. Where GLOVE was the last step, the
  verifier looks for everybody's k-anonymous group. It compares the groups with the original itself
  where every sample given to GLOVE still covers its raw samples entirely. Otherwise, for example
  where samples were moved, it compares the groups with the data given to GLOVE. The promise is then
  about these data.
* :func:`held_against` checks whether an existing release keeps its promise, from its bytes and the
  original data.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..anonymize.periods import samples_of
from ..engines.limits import give_back_after
from ..io import publishing as files
from ..io.publishing import Format, write_data
from ..measures.crowds import Presence, presence
from ..model.errors import ConfigError, InfeasibleError
from ..model.facts import ReleaseFacts, Verdict
from ..model.files import Place
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult, Verification
from ..model.options import Glove
from ..model.periods import PeriodSet
from ..model.published import Naming, known
from ..model.released import NOT_COVERED, NOT_PUBLISHED, AnyRelease, Origin, ReleasedSet
from ..tables.writing import staged, write_bytes
from ..verification.anonymity import verify_k_anonymity
from ..verification.faults import Faults
from ..verification.package import read_package
from ..verification.release import verify_release
from .release_facts import facts_of

KEY_NAME = "KEY_not_for_release.csv"
LEFT_OUT_NAME = "LEFT_OUT_not_for_release.csv"


def publish(
    released: AnyRelease,
    path: Place,
    *,
    key: Place | None = None,
    original: FingerprintSet | None = None,
    left_out: Place | None = None,
    format: Format = "csv",
) -> Path:
    """Write a release for publication, and verify the bytes written.

    The result is a folder or zip with the data, a one-page ``README.md`` and a
    ``datapackage.json``. Every call draws new pseudonyms, new group numbers and a new order of the
    people from the operating system. Nothing in the release reveals an input id, a path or a digest
    of the original.

    Parameters
    ----------
    released : ReleasedSet or GloveResult
        Result of :func:`release`, :func:`glove` or :func:`aligned`.
    path : path
        A name that ends in ``.zip`` (an existing file is replaced), or a new or empty folder.
    key : path, optional
        File for the input id of each pseudonym, and with periods also the period: a new ``.csv``
        outside the release, for yourself alone. Without it, the ids cannot be recovered later.
    original : FingerprintSet, optional
        The data that the release was made from; with periods, the data before they were cut. A
        GloveResult does not keep these data. Give them if this process no longer holds them, for
        example if the result was loaded from a file.
    left_out : path, optional
        File for the left-out samples: a new ``.csv`` outside the release, with ``user_id``,
        ``sample`` (row number in the original: by person, then by time, from 0; not a line of a
        file) and ``reason``. Not for release.
    format : {"csv", "parquet"}
        File format of the data.

    Returns
    -------
    Path
        Path of the release.

    Raises
    ------
    ConfigError
        A path cannot be written to, the pseudonym key or the list of left-out samples would be
        inside the release, or both have the same path. It is not known how the release was made, or
        the original is missing or is a different one. The option has GLOVE or aligned more than
        once. The list is asked for, but samples were moved before some were left out, so none can
        be listed.
    InfeasibleError
        The release publishes nothing, or did not pass its verification; nothing is written.

    Examples
    --------
    >>> import tempfile
    >>> from fpanon_core import SampleUsers, release
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 3], [0, 700, 300, 0], [0] * 4, [5, 70, 8, 9])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = publish(release(fs, SampleUsers(0.7)), Path(folder, "release"))
    ...     sorted(member.name for member in path.iterdir())
    ['README.md', 'data.csv', 'datapackage.json']
    """
    origin = origin_of(released, original)
    if original is not None and original.digest != origin.original.digest:
        raise ConfigError("The original given is not the one that this release was made from.")
    target = files.check_target(path)
    secrets = {
        name: files.check_beside(file, target, name)
        for name, file in (("The key", key), ("The list of what was left out", left_out))
        if file is not None
    }
    if len({file.resolve() for file in secrets.values()}) < len(secrets):
        raise ConfigError("The key and the list of what was left out need two different files.")
    with staged(target.absolute().parent) as folder:
        made = produced(origin, folder, format)
        if not made.verdict.passed:
            raise InfeasibleError(
                f"The release did not pass its verification, and nothing is written. "
                f"{made.verdict.text}"
            )
        tables = {"The key": made.key, "The list of what was left out": made.left_out}
        with ExitStack() as undo:
            for name, file in secrets.items():
                if (table := tables[name]) is None:
                    raise ConfigError(
                        "Samples were moved before some were left out, so no list can say which "
                        "samples were left out; do not ask for the list."
                    )
                write_bytes(files.secret_bytes(table), file, new=True)
                undo.callback(file.unlink, missing_ok=True)
            files.put(folder, target)
            undo.pop_all()  # all is written, and nothing is taken back
    return target


def origin_of(released: AnyRelease, original: FingerprintSet | None = None) -> Origin:
    """Return the origin of a release: the data and the steps that made it.

    Raises
    ------
    ConfigError
        The origin is not known, the original is already cut into periods, or a GloveResult was made
        from data other than the original.
    InfeasibleError
        A GloveResult publishes nothing.
    """
    if isinstance(original, PeriodSet):
        raise ConfigError(
            "The original given is already cut into periods, and its pieces no longer say whose "
            "they are; give the fingerprints that were cut."
        )
    if isinstance(released, GloveResult):
        cut = released.period_days is not None
        digest = released.whole_digest if cut else released.digest
        original = known(digest) if original is None else original
        if original is None:
            raise ConfigError(
                "This result does not hold the data that were hidden, so the owners of its records "
                "are not known; give original=, the fingerprints that were hidden."
            )
        return Origin.of_glove(released, original)
    origin = released.origin if isinstance(released, ReleasedSet) else None
    if origin is None:
        raise ConfigError(
            "It is not known how these fingerprints were made, or they have been changed since; "
            "give what release or glove returned."
        )
    return origin


@dataclass(frozen=True, eq=False)
class Produced:
    """A release written to a folder, and what is not for release.

    Attributes
    ----------
    facts : ReleaseFacts
    verdict : Verdict
    sha256 : str
        SHA-256 of the data file.
    key : DataFrame
        ``pseudonym``, ``user_id`` of everybody published; with periods also the number of the
        ``period``.
    left_out : DataFrame or None
        ``user_id``, ``sample``, ``reason`` of every left-out sample of the original; None where
        samples were moved before some were left out, so none can be named.
    """

    facts: ReleaseFacts
    verdict: Verdict
    sha256: str
    key: pd.DataFrame
    left_out: pd.DataFrame | None


def produced(origin: Origin, folder: Path, format: Format = "csv") -> Produced:
    """Write a release to an empty folder, whether or not it passes its verification.

    Raises
    ------
    ConfigError
        The release's techniques include GLOVE or aligned more than once.
    """
    if sum(isinstance(step, Glove) for step in origin.option.steps) > 1:
        raise ConfigError(
            "GLOVE or aligned appears more than once in this option, so the later step would be "
            "given records that each cover several people. Keep only the step with the largest k."
        )
    records = origin.records
    naming = records.named()
    data = write_data(records.frames(naming), folder, format, projected=records.crs is not None)
    give_back_after(origin.original.n_samples)
    found = presence(origin.original, records, origin.person)
    lost = _left_out(origin, found)
    fs = origin.original
    whole = origin.option.holds(fs.granularity_m, fs.granularity_min)
    facts = facts_of(origin, found, None if lost is None else len(lost), whole=whole)
    key = _key(origin, naming)
    files.describe(facts, data)  # it says “verified”; a release that fails goes nowhere
    verdict = verdict_on(folder, data, origin, naming, key, lost, whole=whole)
    give_back_after(origin.original.n_samples)
    return Produced(facts, verdict, files.sha256_of(data), key, lost)


def _key(origin: Origin, naming: Naming) -> pd.DataFrame:
    ids = [str(name) for name in origin.original.user_ids[origin.person].tolist()]
    key = pd.DataFrame({"pseudonym": naming.pseudonyms, "user_id": ids})
    if origin.period is not None:
        key["period"] = origin.period
    return key.sort_values("pseudonym", ignore_index=True)


def _left_out(origin: Origin, found: Presence) -> pd.DataFrame | None:
    """Return the left-out samples of the original, with reasons; None if they cannot be traced."""
    fs, hidden = origin.original, origin.hidden
    if hidden is not None and origin.direct:
        rows = hidden.suppressed["sample"].to_numpy()
        reason = hidden.suppressed["reason"].to_numpy(object)
        if hidden.period_days is not None:
            assert hidden.person is not None
            assert hidden.period is not None
            rows = samples_of(fs, hidden.period_days, hidden.person, hidden.period)[rows]
            order = np.argsort(rows)
            rows, reason = rows[order], reason[order]
    elif origin.option.moved:
        if origin.samples_left_out:
            return None
        rows, reason = np.empty(0, np.int64), np.empty(0, object)
    else:
        rows = np.flatnonzero(~found.covered)
        published = np.zeros(fs.n_users, bool)
        published[origin.person] = True
        inside = published[fs.sample_user[rows]]
        reason = np.where(inside, NOT_COVERED, NOT_PUBLISHED).astype(object)
    ids = [str(name) for name in fs.user_ids[fs.sample_user[rows]].tolist()]
    return pd.DataFrame({"user_id": ids, "sample": rows, "reason": reason})


def verdict_on(
    folder: Path,
    data: Path,
    origin: Origin,
    naming: Naming,
    key: pd.DataFrame,
    left_out: pd.DataFrame | None,
    *,
    whole: bool,
) -> Verdict:
    """Read a release back; check that it is unchanged, fits the original, and keeps its promise.

    Parameters
    ----------
    folder : Path
        Folder of the release.
    data : Path
        Data file of the release.
    origin : Origin
        The data and steps that made the release.
    naming : Naming
        The pseudonyms and group numbers in the release.
    key : DataFrame
        ``pseudonym``, ``user_id``.
    left_out : DataFrame or None
        Left-out samples of the original; None where they cannot be traced.
    whole : bool
        Whether groups of k are compared with the original itself, not with the data given to GLOVE.
    """
    if not _as_made(files.published_pieces(data), origin, naming):
        return Verdict(False, origin.k, "NOT verified: what was read back is not what was made.")
    give_back_after(origin.original.n_samples)
    whole = whole or origin.k is None
    found = verify_release(
        folder, origin.original, origin.k if whole else None, key=key, left_out=left_out
    )
    seen, hidden = origin.seen, origin.hidden
    if whole or not found.passed or hidden is None:
        return _verdict(found, origin.k)
    if isinstance(seen, PeriodSet):  # its pieces have names of their own
        ids = seen.pieces.user_ids[hidden.group >= 0]
        key = pd.DataFrame({"pseudonym": naming.pseudonyms, "user_id": ids})
    found = verify_k_anonymity(
        seen, files.read_published(data), hidden.k, suppressed=hidden.suppressed, key=key
    )
    return _verdict(
        found, origin.k, " The release was checked against the data that the last step was given."
    )


def _verdict(found: Verification, k: int | None, more: str = "") -> Verdict:
    return Verdict(found.passed, k, f"{found}{more}")


def _as_made(pieces: Iterator[pd.DataFrame], origin: Origin, naming: Naming) -> bool:
    """Return whether the rows read back are the rows that were to be written."""
    waiting = pd.DataFrame()
    for piece in origin.records.frames(naming):
        while len(waiting) < len(piece):
            more = next(pieces, None)
            if more is None:
                return False
            waiting = pd.concat([waiting, more], ignore_index=True) if len(waiting) else more
        part = waiting.iloc[: len(piece)]
        waiting = waiting.iloc[len(piece) :]
        for name in (n for n in piece.columns if n in part.columns):
            if not np.asarray(part[name].array == piece[name].array, bool).all():
                return False  # times are compared as instants, without an object for each
    return not len(waiting) and all(not len(more) for more in pieces)


def held_against(
    release: Place,
    original: FingerprintSet,
    k: int | None,
    *,
    key: Place | None = None,
    left_out: Place | None = None,
) -> Verification:
    """Verify a release, as :func:`fpanon_core.verify_release` does.

    If ``k`` is None, the promise that the release itself states is checked, so that the verdict
    cannot contradict the release's own page.

    Raises
    ------
    ConfigError
        The key or the list of left-out samples is named but does not exist, or k is neither None
        nor an integer of 2 or more.
    SchemaError
        There is no release at that path, or the key or that list cannot be read.
    """
    for what, file in (("key", key), ("list of what was left out", left_out)):
        if file is not None and not os.path.isfile(file):
            raise ConfigError(f"There is no {what} at the place given; check its name.")
    if k is None:
        k = promised(release, original)
    return verify_release(release, original, k, key=key, left_out=left_out)


def promised(release: Place, original: FingerprintSet) -> int | None:
    """Return the k that a release states; None if it promises none or cannot be read.

    Raises
    ------
    SchemaError
        There is no release at that path.
    """
    facts = read_package(release, Faults(original, 0)).facts
    return None if facts is None else facts.k
