"""Division of data into periods: shorter records under new pseudonyms.

Source: docs/science.md, “Periods”.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.arrays import CELL, FloatArray, IntArray, offsets_of, rows_of
from ..model.checks import whole
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.periods import PeriodSet, days_text
from ..model.published import remember
from ..model.randomness import generator, pseudonyms

_DAY_MIN = 1_440.0
_MOST_DAYS = 3_660
_SLACK_MIN = 1e-6


def into_periods(fs: FingerprintSet, days: int, *, seed: int | None = None) -> PeriodSet:
    """Cut data into periods and give each person's piece in each period its own pseudonym.

    Periods begin at local midnight; the first period begins at midnight of the first day. A sample
    belongs entirely to the period in which it begins, even if it reaches into the next period (as
    samples of generalized data may). If the sample were cut in two, its halves would touch in time
    at the same place. This would show that two pieces belong to one person. Nothing is left out.

    Parameters
    ----------
    fs : FingerprintSet
        Data to cut; the set itself stays as it is.
    days : int
        Days in a period, 1 or more. The last period may be shorter.
    seed : int or None
        Seed of the pseudonyms and of the order of the pieces. Use None, the operating system's
        randomness, for anything published. A seed is for studies only.

    Returns
    -------
    PeriodSet
        Data in periods, which :func:`glove` and :func:`aligned` take.

    Raises
    ------
    ConfigError
        ``days`` is not a whole number from 1 to 3,660, or the seed is neither None nor a whole
        number of at least 0. It is also raised if a sample is longer than a period, because a
        record of one period would then reveal other periods.

    Notes
    -----
    A fingerprint that stands for several users is cut as one; its pieces stand for as many users.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 0, 900], [0] * 3, [5, 1_500, 7])
    >>> cut = into_periods(fs, 1)
    >>> sorted(zip(cut.person.tolist(), cut.period.tolist()))
    [(0, 0), (0, 1), (1, 0)]
    >>> cut.pieces.n_samples, len(set(cut.pieces.user_ids))
    (3, 3)
    """
    days = whole("days", days, 1, _MOST_DAYS)
    begins, ends, of_sample = periods_of(fs, days)
    if (fs.dt_min > ends - begins + _SLACK_MIN).any():
        raise ConfigError(
            f"Samples of up to {fs.dt_min.max() / 60:g} h are longer than periods of "
            f"{days_text(days)}; make periods before coarsening times, or choose longer periods."
        )
    # Pieces are made person by person, then put into random order.
    key = fs.sample_user * (int(of_sample.max()) + 1) + of_sample
    by_piece = np.argsort(key, kind="stable")  # in order of time, as within the fingerprint
    first = np.flatnonzero(np.diff(key[by_piece], prepend=-1))
    lengths = np.diff(first, append=len(key))
    shuffled = generator(seed).permutation(len(first))
    sample = by_piece[rows_of(first[shuffled], lengths[shuffled])]
    person = fs.sample_user[by_piece[first[shuffled]]]
    plain = {name: getattr(fs, name) for name in FingerprintSet.__dataclass_fields__}
    pieces = FingerprintSet(**plain) if type(fs) is not FingerprintSet else fs
    pieces = replace(
        pieces,
        user_ids=pseudonyms(len(first), seed),
        offsets=offsets_of(lengths[shuffled]),
        weight=fs.weight[person],
        number=np.arange(1, len(first) + 1),
        **{name: getattr(fs, name)[sample] for name in (*CELL, "count")},
    )
    remember(fs)
    return PeriodSet(
        pieces=pieces,
        person=person,
        period=of_sample[by_piece[first[shuffled]]],
        sample=sample,
        days=days,
        n_people=fs.n_users,
        digest=fs.digest,
    )


def periods_of(fs: FingerprintSet, days: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the start and end (elapsed minutes) and the number of each sample's period.

    Each of the three arrays has the shape (n_samples,).
    """
    length = days * _DAY_MIN
    if fs.clock is None:
        number = np.floor(fs.t_min / length)
        return number * length, (number + 1) * length, number.astype(np.int64)
    begin, lasts = fs.clock.window(fs.t_min, length)
    # If midnight is skipped, the period begins at the first later time.
    number = np.floor(fs.clock.wall_minutes(begin) / length + _SLACK_MIN)
    return begin, begin + lasts, number.astype(np.int64)


def samples_of(fs: FingerprintSet, days: int, person: IntArray, period: IntArray) -> IntArray:
    """Return each sample's row number in the original, piece by piece in the given order.

    Parameters
    ----------
    fs : FingerprintSet
        The original.
    days : int
    person, period : int64 ndarray (n_pieces,)
        Person and period of each piece; all pieces must be listed.
    """
    of_sample = periods_of(fs, days)[2]
    width = int(of_sample.max()) + 1
    key = person * width + period
    order = np.argsort(key)
    piece = order[np.searchsorted(key, fs.sample_user * width + of_sample, sorter=order)]
    return np.argsort(piece, kind="stable").astype(np.int64)
