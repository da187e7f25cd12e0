"""Results of disclosure measurement, and the measures of risk with their thresholds.

:class:`DisclosureResult` is what :func:`fpanon_core.disclosure` returns. :data:`RISKS` holds the
measures by which a release is judged.

The first measure is the re-identification risk: the share of people whose record the strongest of
three attackers picks. EM and KL are sums over all bins, because means are not comparable between
release options of different resolution. No authority has set a threshold for mobility data; each
threshold names its source.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
import pandas as pd

from .arrays import PLACE, Cells, FloatArray, IntArray
from .clock import LocalClock
from .configs import KnowledgeConfig
from .errors import ConfigError
from .intervals import mean_interval

Measure = Literal["unicity", "k", "em", "kl"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
Sum = Literal["em_sum", "kl_sum"]
SUMS: tuple[Sum, ...] = get_args(Sum)
"""Sums of EM and KL over all bins, for comparing release options of different resolution."""

_HOUR_MIN = 60.0
_DAYS, _HOURS = 7, 24


@dataclass(frozen=True, eq=False)
class DisclosureResult(Cells):
    """k-, EM- and KL-disclosure, with the data they were estimated from. Arrays are read-only.

    E_i is the anonymity set of target i, and D_j the set of users present in bin j.

    Attributes
    ----------
    unicity : float
        Share of the targets with |E_i| = 1.
    unicity_low, unicity_high : float
        95% Wilson interval of the share.
    k_disclosure : float
        Mean of 1/|E_i| over the targets, in (0, 1].
    em : float
        Mean of EM_ij over targets and bins, in [0, 1): average change per bin in what is known
        about a target's presence.
    kl : float
        Mean of KL_ij over targets and bins, in nats, from 0 to ln(n_users).
    em_sum, kl_sum : float
        Means over targets of the sums over bins. They are the expected change in a target's
        presences, in bins, and the information gained about a target, in nats. ``em`` and ``kl``
        describe an average bin; finer data have more bins, nearly all empty.
    sizes : int64 ndarray (n_targets,)
        |E_i| in users.
    em_user, kl_user : float64 ndarray (n_targets,)
        Means over the bins.
    em_sum_user, kl_sum_user : float64 ndarray (n_targets,)
        Sums over the bins.
    em_most, kl_most : float
        Upper bound on a target's sum over the bins, whatever the knowledge.
    em_bin, kl_bin : float64 ndarray (n_visited,)
        Means over the targets.
    drawn : bool
        Whether another seed could give other targets or points; also True for bins that were given
        explicitly. False if everybody is a target, and the known points are the most visited
        places or all points of each target.
    targets : int64 ndarray (n_targets,)
        Row numbers of the targets.
    x_m, y_m, t_min, dx_m, dy_m, dt_min : float64 ndarray (n_visited,)
        The bins, in metres and minutes, in order of time, then x, then y.
    bin_users : int64 ndarray (n_visited,)
        |D_j|, the number of users present in each bin.
    too_few : int
        Number of targets with fewer than p bins (places, for ``top``), all of which were known.
    n_users : int
        Number of users searched. Without any knowledge, every anonymity set has this size.
    n_bins : int
        d, the number of bins over which means are taken; larger than the length of the arrays per
        bin if some bins were never visited.
    config : KnowledgeConfig or None
        Parameters with which the knowledge was drawn; None if its bins were given explicitly.
    digest : str
        Digest of the fingerprints from which the known points were taken.
    """

    unicity: float
    unicity_low: float
    unicity_high: float
    k_disclosure: float
    em: float
    kl: float
    em_sum: float
    kl_sum: float
    sizes: IntArray
    em_user: FloatArray
    kl_user: FloatArray
    em_sum_user: FloatArray
    kl_sum_user: FloatArray
    em_most: float
    kl_most: float
    drawn: bool
    em_bin: FloatArray
    kl_bin: FloatArray
    targets: IntArray
    bin_users: IntArray
    too_few: int
    n_users: int
    n_bins: int
    config: KnowledgeConfig | None
    digest: str

    @property
    def n_targets(self) -> int:
        """Number of targets."""
        return len(self.sizes)

    def measure(self, name: Measure | Sum) -> float:
        """Return the value of the measure with this name, such as ``"unicity"`` or ``"em_sum"``.

        Raises
        ------
        ConfigError
            There is no measure of that name.
        """
        return float(getattr(self, "k_disclosure" if _known(name) == "k" else name))

    def interval(self, name: Measure | Sum) -> tuple[float, float]:
        """Return both ends of a measure's 95% interval, over draws of targets and points.

        For unicity, it is Wilson's interval. The other measures are means over targets of bounded
        values; their interval is from :func:`mean_interval`. The bound is 1 for k, and
        ``em_most`` or ``kl_most`` for sums. For means over bins, the bound of the sum is divided by
        ``n_bins``. If nothing was ``drawn``, the interval has no width. Otherwise it has a width,
        even if all targets have the same value, because other people may differ.

        Raises
        ------
        ConfigError
            There is no measure of that name.
        """
        if _known(name) == "unicity":
            return self.unicity_low, self.unicity_high
        mean = self.measure(name)
        if not self.drawn:
            return mean, mean
        most = {
            "k": 1.0,
            "em_sum": self.em_most,
            "kl_sum": self.kl_most,
            "em": self.em_most / self.n_bins,
            "kl": self.kl_most / self.n_bins,
        }[name]
        return mean_interval(mean, self.n_targets, most)

    def by_place(self) -> pd.DataFrame:
        """Return the mean disclosure of each place over the time windows with a visit.

        Returns
        -------
        DataFrame
            One row per place (corner and extent), by x, then y: ``x_m``, ``y_m``, ``dx_m``,
            ``dy_m`` (metres), ``em``, ``kl`` (means of ``em_bin`` and ``kl_bin``, with equal
            weights for all windows), ``windows`` (bins at the place), ``samples`` (Σ|D_j| over
            these bins) and ``users_a_window`` (samples / windows).
        """
        bins = pd.DataFrame(self.arrays(PLACE))
        bins = bins.assign(em=self.em_bin, kl=self.kl_bin, users=self.bin_users)
        places = bins.groupby(list(PLACE), sort=True)
        table = places.agg(
            em=("em", "mean"), kl=("kl", "mean"), windows=("em", "size"), samples=("users", "sum")
        ).reset_index()
        return table.assign(users_a_window=table.samples / table.windows)

    def by_hour_of_week(self, clock: LocalClock | None = None) -> pd.DataFrame:
        """Return the mean disclosure in each local hour of the week.

        The mean is over the bins that overlap the hour, weighted by the minutes of overlap. A
        window longer than an hour is spread over the hours it covers. A window of a week or more is
        spread over all hours.

        Parameters
        ----------
        clock : LocalClock, optional
            Clock of the data. Without one, hours are counted from the epoch, and days from the
            epoch's day.

        Returns
        -------
        DataFrame
            168 rows: ``day`` (0 = Monday; without a clock 0 = the first day of the data), ``hour``,
            ``em``, ``kl`` (NaN for hours without a visited bin) and ``bin_minutes``, the minutes
            over which the means are taken.
        """
        bins = pd.DataFrame({"t": self.t_min, "dt": self.dt_min, "em": self.em_bin})
        windows = bins.assign(kl=self.kl_bin, bins=1.0).groupby(["t", "dt"]).sum().reset_index()
        each = [windows[name].to_numpy() for name in ("em", "kl", "bins")]
        totals = np.zeros((3, _DAYS * _HOURS))
        first_day = 0 if clock is None else clock.first_day.weekday()
        begin, end = windows.t.to_numpy(copy=True), (windows.t + windows.dt).to_numpy()
        while (going := begin < end).any():  # each round takes one hour's piece of every window
            wall = begin[going] if clock is None else clock.wall_minutes(begin[going])
            # A tiny remainder from rounding must not stall the loop.
            piece = np.maximum(_HOUR_MIN - wall % _HOUR_MIN, 1e-6)
            minutes = np.minimum(piece, end[going] - begin[going])
            hour = np.floor(wall / _HOUR_MIN).astype(np.int64) + first_day * _HOURS
            for total, value in zip(totals, each, strict=True):
                total += np.bincount(
                    hour % (_DAYS * _HOURS), value[going] * minutes, minlength=_DAYS * _HOURS
                )
            begin[going] += piece
        em, kl, minutes = totals
        known = np.where(minutes > 0, minutes, np.nan)
        day, hour = np.divmod(np.arange(_DAYS * _HOURS), _HOURS)
        return pd.DataFrame(
            {"day": day, "hour": hour, "em": em / known, "kl": kl / known, "bin_minutes": minutes}
        )


def _known(name: str) -> str:
    if name not in (*MEASURES, *SUMS):
        raise ConfigError(f"Unknown measure {name!r}; give one of {', '.join((*MEASURES, *SUMS))}.")
    return name


@dataclass(frozen=True)
class Risk:
    """A measure of risk for comparing release options, with its usual threshold.

    Attributes
    ----------
    measure : str or None
        Measure of :class:`DisclosureResult`; None if another result holds the measure.
    limit : float or None
        Threshold that applies unless another is given. An option whose risk may exceed the
        threshold is marked. None for an advisory measure, which affects no verdict until a
        threshold is set.
    most : float
        Largest possible threshold; infinite for a sum.
    source : str
        Source of the threshold: works by authors and year, or a note that it is ours.
    beside_guessing : bool
        Whether the threshold applies to the excess of the risk over guessing.
    plain : str
        Meaning in words, for every place where the measure is shown.
    """

    most: float
    source: str
    measure: Measure | Sum | None = None
    limit: float | None = None
    beside_guessing: bool = False
    plain: str = ""


HOME_WITHIN_M = 1_000.0
"""Distance from a guess within which a person's home counts as found, metres."""

NAMING = ("outsider", "linkage", "k")
"""Measures of re-identification, which share one threshold: the risk from the strongest attacker,
the risk from attackers who know true points, and k-disclosure."""

_TABLE = Path(__file__).with_suffix(".toml")
RISKS: Mapping[str, Risk] = MappingProxyType(
    {n: Risk(**r) for n, r in tomllib.loads(_TABLE.read_text(encoding="utf-8")).items()}
)
"""The measures of risk by name.

``"outsider"``: share of people whose record the strongest of three attackers picks
(:func:`fpanon_core.reidentification`). ``"linkage"``: the same for the stronger of the two who know
p true points (:func:`fpanon_core.link`). ``"home"``: share of people whose home is found within
1 km by an attacker who has their record and may know all other homes
(:func:`fpanon_core.home_found`). ``"k"``, ``"unicity"``, ``"em"``, ``"kl"``: k-disclosure, unicity
and sums of EM- and KL-disclosure, with points as published. ``"membership"``: advantage of an
attacker on a release without records (:func:`fpanon_core.membership`)."""


OF_TABLES = ("home", "membership")
"""Measures for tables and synthetic people, which hold no record of anybody. All measures
except membership apply to records."""

ALONE = "alone"
"""People with a unique record: an attacker with enough points can single them out. Their share has
the threshold of ``"unicity"``, because El Emam et al. 2010 ask who is unique in all published
data."""


PLAIN = {name: risk.plain for name, risk in RISKS.items() if risk.plain}
"""Meaning of EM- and KL-disclosure in words, wherever they are shown."""
