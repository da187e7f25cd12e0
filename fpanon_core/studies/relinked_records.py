"""What is in a release in periods, record by record, and whose is it? For the re-linking attack.

What is matched are the records; whose they are stands beside them, and is for the count alone.

Source: docs/science.md, “Whose records belong together”.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..anonymize.carrying import noise_in_space, noise_in_time
from ..attacks.relinking import Bins, Moves, Traces, moves_of, salt_of, traced
from ..model.arrays import IntArray, rows_of
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.released import Origin, ReleasedSet, option_of


@dataclass(frozen=True, eq=False)
class Copies:
    """A release record by record, as many as there are people, by period, person and fingerprint.

    Attributes
    ----------
    bins : Bins
    moves : Moves
        How far people go in which time.
    traces : Traces
        Of the distinct records, in order of the first copy.
    record, person, period : int64 ndarray (n_copies,)
        Of each copy: its record, who is behind it, the number of its period. The order is that of
        periods and people, so that a release in another order gives the same.
    method : str
        What was done to the data, in words.
    days : int
        In a period.
    digest : str
        Of the original.
    """

    bins: Bins
    moves: Moves
    traces: Traces
    record: IntArray
    person: IntArray
    period: IntArray
    method: str
    days: int
    digest: str

    @classmethod
    def of(cls, released: ReleasedSet | GloveResult) -> Copies:
        """The records of a release, if it is in periods and knows whose they are.

        Raises
        ------
        ConfigError
            It is not, or does not.
        InfeasibleError
            Nothing of it is published.
        """
        if isinstance(released, GloveResult):
            hidden: GloveResult | None = released
            person, period = released.people, released.period
            days, digest = released.period_days, released.whole_digest
            option = option_of(released)
            if period is not None:
                inside = released.group >= 0
                person, period = person[inside], period[inside]
        else:
            origin = getattr(released, "origin", None)
            if not isinstance(origin, Origin):
                raise ConfigError(
                    "These data do not know what was done to them; give what release(), glove() or "
                    "aligned() made, unchanged."
                )
            hidden, person, period = origin.hidden, origin.person, origin.period
            days, digest, option = origin.period_days, origin.original.digest, origin.option
        if period is None or days is None:
            raise ConfigError(
                "This release is not in periods: everybody has one record, and there is nothing to "
                "link; cut the data by Periods or into_periods first."
            )
        if len(person) == 0:
            raise InfeasibleError(
                "Nothing of this release is published: every sample exceeds the limits; raise them."
            )
        if hidden is None:
            assert isinstance(released, ReleasedSet)
            fs: FingerprintSet = released
            record, weight = np.arange(fs.n_users), fs.weight
        else:
            fs = hidden.published.fingerprints()
            inside = hidden.group >= 0
            record, weight = hidden.group[inside], hidden.weight[inside]
        # Somebody for whom a fingerprint stands is one of so many, in each period the same.
        piece = np.repeat(np.arange(len(weight)), weight)
        nth = rows_of(np.zeros(len(weight), np.int64), weight)
        most = int(weight.max())
        who = person[piece] * most + nth
        order = np.lexsort((who, period[piece]))
        number, seen = pd.factorize(record[piece][order])
        noise = noise_in_space(option), noise_in_time(option)
        moves, ends = moves_of(fs, *noise)
        bins, traces = traced(fs, ends, *noise)
        chosen = traces.rows(np.asarray(seen))
        many = np.bincount(number)
        return cls(
            bins, moves, replace(chosen, weight=many), number, who[order],
            period[piece][order], option.text, days, digest,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Part:
    """The records of one period.

    Attributes
    ----------
    rows : int64 ndarray (n,)
        Which copies these are, record by record.
    records : Traces
    group : int64 ndarray (n,)
        Of each copy: all its records that are alike are one.
    groups : Traces
    """

    rows: IntArray
    records: Traces
    group: IntArray
    groups: Traces

    @classmethod
    def of(cls, copies: Copies, period: int, step: int) -> Part:
        """The records of a period, which is that at this position among all."""
        rows = np.flatnonzero(copies.period == period)
        rows = rows[np.argsort(copies.record[rows], kind="stable")]
        record, which = np.unique(copies.record[rows], return_inverse=True)
        records = copies.traces.rows(record)
        of, groups = records.grouped(salt_of(step))
        return cls(rows, records, of[which], groups)
