"""What do mitigations help against the recovery attack, and what do they cost?

The attack is run after each; the cost is the error of the published counts, which is what those
who work with them lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..attacks.aggregation import aggregate_counts
from ..attacks.mitigations import coarsen, noise_at_frequent, squares_of, suppress_small
from ..attacks.private import dp_counts, privacy_guarantee
from ..attacks.scoring import Pairing
from ..engines.local import Engine
from ..engines.progress import Progress, nth_part
from ..model.aggregates import AggregateCounts
from ..model.arrays import FloatArray
from ..model.checks import number, whole
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.privacy import UNITS, Unit
from .recovery import CUSTOMARY_LIMIT, Counting, drawn_rows
from .recovery_factors import attacked
from .tabled import Tabled

SmallInts = npt.NDArray[np.int32]
# Counts as published, the truth at their resolution, and what they say of each place and slot.
Release = tuple[AggregateCounts, SmallInts, FloatArray]

_COARSER = ("longer slots", "coarser places")
_MILD = 0.5


@dataclass(frozen=True)
class Config(Counting):
    """As :class:`.recovery.Counting`, and how far each mitigation goes.

    Attributes
    ----------
    coarse_slot_min : float or None
        Length of coarser slots, minutes; :func:`longer_slot` of ``slot_min`` for None.
    coarse_m, limit, noise_share, epsilons
        As :func:`mitigation_table`.
    """

    coarse_slot_min: float | None = None
    coarse_m: float = 5_000.0
    limit: int = CUSTOMARY_LIMIT
    noise_share: float = 0.2
    epsilons: tuple[float, ...] = (1.0, 0.1)

    def __post_init__(self) -> None:
        super().__post_init__()
        put = object.__setattr__
        if self.coarse_slot_min is not None:
            least = self.slot_min
            put(self, "coarse_slot_min", number("coarse_slot_min", self.coarse_slot_min,
                                                least=least))  # fmt: skip
        put(self, "coarse_m", number("coarse_m", self.coarse_m, above=0.0))
        put(self, "limit", whole("limit", self.limit, 1))
        put(self, "noise_share", number("noise_share", self.noise_share, least=0.0))
        put(self, "epsilons", tuple(number("epsilon", e, above=0.0) for e in self.epsilons))


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """The attack after each mitigation, and what each costs.

    Attributes
    ----------
    table : DataFrame
        As of :func:`mitigation_table`; the first row is of none. Private counts are drawn anew at
        every call.
    config : Config
    digest : str
        Of the data, also where fewer were counted.
    """

    table: pd.DataFrame
    config: Config
    digest: str

    @property
    def none(self) -> pd.Series[Any]:
        """The attack on the counts as they are."""
        return self.table.iloc[0]

    @property
    def strongest(self) -> pd.Series[Any]:
        """The mitigation after which least comes back of the same points."""
        return _least(self._comparable())

    @property
    def mildest(self) -> pd.Series[Any] | None:
        """The same among those whose errors are half of all people counted at most, if any."""
        tried = self._comparable()
        mild = tried[tried["count_error_share"] <= _MILD]
        return _least(mild) if len(mild) else None

    def _comparable(self) -> pd.DataFrame:
        """Those after which a point is right for the same reasons as before."""
        tried = self.table.iloc[1:]
        return tried[~tried["mitigation"].isin(_COARSER)]

    MAY_LEAVE = frozenset({"recovery_mitigations"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """One row per mitigation."""
        return {"recovery_mitigations": self.table}


def _least(tried: pd.DataFrame) -> pd.Series[Any]:
    return tried.iloc[int(np.nanargmin(tried["whole"].to_numpy()))]


def study(
    fs: FingerprintSet,
    config: Config,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Result:
    """The attack after each mitigation, and what it costs; see :func:`mitigation_table`."""
    coarse_slot_min = config.coarse_slot_min or longer_slot(config.slot_min)
    table = mitigation_table(
        fs.subset(drawn_rows(fs, config)), slot_min=config.slot_min,
        coarse_slot_min=coarse_slot_min, coarse_m=config.coarse_m, limit=config.limit,
        noise_share=config.noise_share, epsilons=config.epsilons, pairing=config.pairing,
        seed=config.seed, engine=engine, progress=progress,
    )  # fmt: skip
    return Result(table, config, fs.digest)


def mitigation_table(
    fs: FingerprintSet,
    *,
    slot_min: float = 30.0,
    coarse_slot_min: float = 180.0,
    coarse_m: float = 5_000.0,
    limit: int = CUSTOMARY_LIMIT,
    noise_share: float = 0.2,
    epsilons: Sequence[float] = (1.0, 0.1),
    pairing: Pairing = "greedy",
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """The attack after each mitigation, beside none, and what each costs in error of the counts.

    The attacker knows how many people there are (operators publish it). Differentially private
    counts are made anew at each call, and without a seed: see :func:`dp_counts`.

    Parameters
    ----------
    fs : FingerprintSet
    slot_min : float
        Length of the slots, minutes.
    coarse_slot_min : float
        Length of coarser slots; a multiple of ``slot_min``.
    coarse_m : float
        Side of the squares of coarser places, metres.
    limit : int
        Counts below it are suppressed.
    noise_share : float
        Share of the points at people's most frequent places that are moved.
    epsilons : sequence of float
        Of the differentially private counts, each for both units of protection.
    pairing, seed, engine
        As :func:`score_recovery`; the seed also moves points.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    DataFrame
        One row per mitigation: ``mitigation`` ("none", "longer slots", "coarser places",
        "small counts suppressed", "noise at frequent places", "differential privacy"),
        ``setting`` (180, 5000, 15, 0.2, ε), ``unit`` (of protection; "" but for differential
        privacy); the columns of :func:`recovery_factors`' attack; and the cost:
        ``count_error``, the mean absolute error of a published count of a place and slot,
        people, and ``count_error_share``, all errors together as a share of all people counted.
        Negative counts are read as 0. Coarser counts are read as a user of the data must, spread
        evenly over the places, or repeated for the slots, that they cover. On coarser counts a
        point is right when the coarse place is. ``attrs`` hold ``config`` and ``digest``.

    Raises
    ------
    ConfigError
        A parameter is out of its range.
    """
    made = _Releases(fs, slot_min, seed)
    kinds: list[tuple[str, float, Unit | None]] = [
        ("none", np.nan, None),
        ("longer slots", number("coarse_slot_min", coarse_slot_min, least=slot_min), None),
        ("coarser places", number("coarse_m", coarse_m, above=0.0), None),
        ("small counts suppressed", whole("limit", limit, 1), None),
    ]
    if made.counts.n_places > 1:
        kinds.append(
            ("noise at frequent places", number("noise_share", noise_share, least=0.0), None)
        )
    for protected in UNITS:
        for epsilon in epsilons:
            guarantee = privacy_guarantee(made.counts, epsilon, protected)
            kinds.append(("differential privacy", guarantee.epsilon, protected))
    rows = []
    for nth, (name, setting, unit) in enumerate(kinds):
        stretch = nth_part(progress, nth, len(kinds))
        if stretch is not None:
            stretch(0.0)
        counts, truth, read = made.release(name, setting, unit)
        off = np.abs(read - made.counts.counts)
        row = attacked(
            counts, truth, people=len(truth), pairing=pairing, seed=seed, engine=engine,
            progress=stretch,
        )  # fmt: skip
        cost = {
            "count_error": float(off.mean()),
            "count_error_share": float(off.sum() / made.counts.counts.sum()),
        }
        rows.append({"mitigation": name, "setting": setting, "unit": unit or "", **row, **cost})
    table = pd.DataFrame(rows)
    table.attrs = {
        "config": {"slot_min": float(slot_min), "pairing": pairing, "seed": int(seed)},
        "digest": fs.digest,
    }
    return table


def longer_slot(slot_min: float) -> float:
    """A length of coarser slots that goes with ``slot_min``: its least multiple of 3 h or more.

    Longer than ``slot_min``, and a whole number of them makes a day; a day itself where none does.

    Examples
    --------
    >>> longer_slot(30), longer_slot(120), longer_slot(180), longer_slot(720)
    (180.0, 240.0, 360.0, 1440.0)
    """
    for parts in range(1440 // 180, 0, -1):
        length = 1440 / parts
        whole_times = abs(length / slot_min - round(length / slot_min)) < 1e-9
        if length > slot_min and whole_times:
            return length
    return 1440.0


class _Releases:
    """The same data, published after each mitigation."""

    def __init__(self, fs: FingerprintSet, slot_min: float, seed: int) -> None:
        self._fs, self._seed = fs, seed
        self.counts, self._truth = aggregate_counts(fs, slot_min=slot_min)

    def release(self, name: str, setting: float, unit: Unit | None) -> Release:
        """The release by a row's name and setting."""
        if name == "longer slots":
            if abs(setting / self.counts.slot_min - round(setting / self.counts.slot_min)) > 1e-9:
                raise ConfigError(
                    f"Longer slots of {setting:g} min are no multiple of {self.counts.slot_min:g}."
                )
            coarse, truth = aggregate_counts(self._fs, slot_min=setting)
            holds = np.searchsorted(coarse.slot_start_min, self.counts.slot_start_min, side="right")
            return coarse, truth, coarse.counts[holds - 1].astype(np.float64)
        if name == "coarser places":
            coarse, truth = coarsen(self.counts, self._truth, metres=setting)
            _, square = squares_of(self.counts, setting)
            return coarse, truth, coarse.counts[:, square] / np.bincount(square)[square]
        counts = self.counts
        if name == "small counts suppressed":
            counts = suppress_small(counts, int(setting))
        elif name == "noise at frequent places":
            counts = noise_at_frequent(counts, self._truth, share=setting, seed=self._seed)
        elif unit is not None:
            counts = dp_counts(counts, setting, unit)
        return counts, self._truth, np.maximum(counts.counts, 0).astype(np.float64)
