"""Hiding everyone by the method GLOVE or aligned: a verified release and its cost.

The module also measures what all others gain when the few people hardest to hide are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import pandas as pd

from ..anonymize.aligned import aligned
from ..anonymize.glove import glove
from ..anonymize.hiding import LEAST_CROWDS as LEAST_CROWDS
from ..anonymize.hiding import most_shards as most_shards
from ..anonymize.periods import into_periods
from ..engines.limits import give_back_after
from ..engines.local import Engine, LocalEngine
from ..io.checkpoint import Checkpoint
from ..measures.components import mean_loss
from ..measures.kgap import check_k
from ..model.arrays import FloatArray
from ..model.checks import AT_LEAST_1, Checked, one_of
from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult, Method, Verification
from ..model.options import MOST_LEFT_OUT as MOST_LEFT_OUT
from ..model.options import Aligned, Cap, Glove, GroupSize, LeftOutShare, Periods, Step
from ..verification.anonymity import verify_k_anonymity
from .estimates import Growth, carried_on, costs, timed
from .release_facts import Size, typical_side_m
from .tabled import Tabled, Work, part_of

Leftover = Literal["merge", "suppress"]
LEFTOVERS: tuple[Leftover, ...] = ("merge", "suppress")
METHODS: tuple[Method, ...] = ("glove", "aligned")
_HIDING_SHARE = 0.9  # of the progress; the rest is the verification


@dataclass(frozen=True)
class Config(Checked):
    """Settings for hiding everyone.

    Attributes
    ----------
    k : int
        Least number of users with the same published record.
    suppress_space_m, suppress_time_min : float or None
        Largest span of a published sample, metres and minutes; samples that need more are
        suppressed. None for no limit.
    leftover : {"merge", "suppress"}
        Treatment of the last users, fewer than k: merged into the nearest group, or left out.
    stretch : StretchConfig
        Definition of the stretch effort that decides who is near, and of the loss.
    method : {"glove", "aligned"}
        Method that hides people.
    period_days : int or None
        Days in a period. People are hidden in each period separately, under pseudonyms of that
        period; None for whole fingerprints.
    leave_out : float
        Largest share of the people, 0 to 0.1, who may be left out for being hardest to hide; with
        periods, the largest share in each period.
    shards : int or None
        Number of parts, of people near each other, into which the data are cut first. Each part is
        hidden separately; None for all at once.
    """

    k: GroupSize = 2
    suppress_space_m: Cap = None
    suppress_time_min: Cap = None
    leftover: Annotated[Leftover, partial(one_of, known=LEFTOVERS)] = "merge"
    stretch: StretchConfig = field(default_factory=StretchConfig)
    method: Annotated[Method, partial(one_of, known=METHODS)] = "glove"
    period_days: Annotated[int | None, AT_LEAST_1] = None
    leave_out: LeftOutShare = 0.0
    shards: Annotated[int | None, AT_LEAST_1] = None

    @property
    def steps(self) -> tuple[Step, ...] | None:
        """Steps of the release option with these settings; None where no option has them.

        Examples
        --------
        >>> [str(step) for step in Config(20, method="aligned", period_days=1).steps]
        ['periods of 1 day', 'aligned, k = 20']
        >>> Config(20, shards=2).steps is None
        True
        """
        if (self.leftover, self.stretch, self.shards) != ("merge", StretchConfig(), None):
            return None
        kind = Glove if self.method == "glove" else Aligned
        hide = kind(self.k, self.suppress_space_m, self.suppress_time_min, self.leave_out)
        return (hide,) if self.period_days is None else (Periods(self.period_days), hide)


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """A release, and the verifier's verdict on it.

    The release itself is not one of the tables; :mod:`fpanon_core.studies.production` publishes it.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the data that were hidden.
    release : GloveResult
    verdict : Verification
    mean_loss : float
        Mean loss by the configuration's weights and caps, over the original samples published; see
        :func:`fpanon_core.mean_loss`.
    """

    config: Config
    digest: str
    release: GloveResult
    verdict: Verification
    mean_loss: float = float("nan")

    MAY_LEAVE = frozenset({"accuracy"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return ``accuracy``: all figures, and all settings except ``stretch``, in one row."""
        settings = {"method": self.config.method} | vars(self.config)
        del settings["stretch"]
        judged = {"mean_loss": self.mean_loss, "verified": self.verdict.passed}
        row = settings | self.release.summary() | judged
        # No limit, or no period, becomes an empty field in a column of numbers.
        return {"accuracy": pd.DataFrame([row]).astype(dict.fromkeys(_MAY_BE_NONE, float))}


_MAY_BE_NONE = (
    "suppress_space_m",
    "suppress_time_min",
    "period_days",
    "shards",
    "periods",
    "pieces",
    "pieces_suppressed",
)


# As measured on 2 cores: for 20,000 generated people, GLOVE is estimated to take 26 s at k = 2 and
# 59 s at k = 5; it takes 19 s and 61 s.
_GROWTH: dict[Method, Growth] = {
    "glove": Growth((1_200,), (1.35, 1.35), warming=30),
    "aligned": Growth((1_200,), (1.15, 1.15), warming=30),
}
PEOPLE_A_SHARD = 5_000
"""Good number of people in a shard: larger shards are slow per person, smaller ones inaccurate."""
SHARDED_FROM = 2 * PEOPLE_A_SHARD
"""Number of people from which shards are worthwhile; fewer people are better hidden together."""
_FEWEST_A_SHARD = 500


def _bytes_a_sample(_: FingerprintSet, config: Config | None, engine: Engine | None) -> float:
    """Return the bytes for each sample; fewer with shards, as only some are processed at a time.

    The data and what is published are always counted.
    """
    if config is None or config.shards is None:
        return 450.0
    at_once = min((engine or LocalEngine()).workers, config.shards)
    return min(450.0, 150.0 + 450.0 * at_once / config.shards)


def _in_shards(fs: FingerprintSet, config: Config | None, fits: Callable[[Config], bool]) -> str:
    """State the smallest number of shards tried with which everybody fits in memory; "" if none.

    The sizes tried are :data:`PEOPLE_A_SHARD`, half of that, and so on.
    """
    config, people = config or Config(), PEOPLE_A_SHARD
    while fs.n_users >= SHARDED_FROM and people >= _FEWEST_A_SHARD:
        shards, people = math.ceil(fs.n_users / people), people // 2
        if shards > most_shards(fs, config.k):
            break
        if shards > (config.shards or 1) and fits(replace(config, shards=shards)):
            return f"All people would fit if hidden in {shards:,} shards."
    return ""


def _seconds(fs: FingerprintSet, config: Config, engine: Engine, _: bool = False) -> float:
    """Estimate the seconds for hiding whole fingerprints; hiding with periods is no slower."""
    if config.shards is not None:
        # One core hides one shard. People in a shard are near each other; those drawn here are not.
        many = min(fs.n_users, max(config.k, fs.n_users // config.shards))
        one = fs.subset(np.sort(np.random.default_rng(0).permutation(fs.n_users)[:many]))
        alone = _seconds(one, replace(config, shards=None), LocalEngine(1))
        return alone * math.ceil(config.shards / min(engine.workers, config.shards))
    check_k(config.k, int(fs.weight.sum()))
    hide = aligned if config.method == "aligned" else glove

    def hidden(users: FingerprintSet) -> float:
        k = min(config.k, int(users.weight.sum()))
        return timed(lambda: hide(users, k, config=config.stretch, engine=engine))

    return carried_on(fs, hidden, _GROWTH[config.method])


@costs(_bytes_a_sample, seconds=_seconds, way_out=_in_shards)
def study(
    fs: FingerprintSet, config: Config, checkpoint: Checkpoint | None = None, **work: Unpack[Work]
) -> Result:
    """Hide everyone in k-anonymous groups, and verify the release.

    Parameters
    ----------
    checkpoint : Checkpoint, optional
        Store of finished shards, for a run that is resumed.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`fpanon_core.glove`, :func:`fpanon_core.aligned`, :func:`fpanon_core.into_periods`.
    """
    release = hidden(fs, config, checkpoint=checkpoint, **part_of(work, 0.0, _HIDING_SHARE))
    give_back_after(fs.n_samples)
    verdict = verify_k_anonymity(fs, release, config.k)
    give_back_after(fs.n_samples)
    return Result(config, fs.digest, release, verdict, mean_loss(release, config=config.stretch))


def hidden(
    fs: FingerprintSet, config: Config, checkpoint: Checkpoint | None = None, **work: Unpack[Work]
) -> GloveResult:
    """Hide everyone as the configuration says, without verification.

    With periods, the operating system draws the pseudonyms and the order of the pieces. The groups
    and all figures are the same every time.
    """
    given = fs if config.period_days is None else into_periods(fs, config.period_days)
    how: dict[str, Any] = {
        "config": config.stretch,
        "leftover": config.leftover,
        "leave_out": config.leave_out,
        "shards": config.shards,
        "checkpoint": checkpoint,
        **work,
    }
    space_m, time_min = config.suppress_space_m, config.suppress_time_min
    if config.method == "aligned":
        return aligned(given, config.k, max_side_m=space_m, max_span_min=time_min, **how)
    return glove(given, config.k, suppress_space_m=space_m, suppress_time_min=time_min, **how)


@dataclass(frozen=True, kw_only=True)
class Worth(Size):
    """The usefulness of a release to its reader, whatever the verifier says.

    Attributes
    ----------
    rows, people : int
        Number of rows of the release's file, and number of people in the release.
    samples : int
        Original samples that these rows publish; ``side_m`` and ``span_min`` are medians over them.
    all_samples, all_people : int
        Samples and people of the original.
    """

    rows: int
    people: int
    samples: int
    all_samples: int
    all_people: int

    @property
    def useful(self) -> bool:
        """Whether the release has rows, and is not :attr:`wide`, :attr:`long` or :attr:`thin`."""
        return self.rows > 0 and not (self.wide or self.long or self.thin)

    @property
    def thin(self) -> bool:
        """Whether fewer than half of the samples, or of the people, are left."""
        return 2 * self.samples < self.all_samples or 2 * self.people < self.all_people


def worth(fs: FingerprintSet, release: GloveResult) -> Worth:
    """Return the rows, people, samples and typical accuracy of a release of ``fs``."""
    figures, published = release.summary(), release.group >= 0
    return Worth(
        rows=int(release.published.lengths[release.group[published]].sum()),
        people=int(fs.weight[np.unique(release.people[published])].sum()),
        samples=len(release.accuracy) - len(release.suppressed),
        side_m=figures["median_space_m"],
        span_min=figures["median_time_min"],
        data_side_m=typical_side_m(fs),
        granularity_m=fs.granularity_m,
        all_samples=fs.n_samples,
        all_people=int(fs.weight.sum()),
    )


def groups_by_loss(release: GloveResult) -> pd.DataFrame:
    """Return a table with the loss of each group, the largest loss first.

    Columns: ``group`` (its number), ``side_m``, ``span_min`` (mean side and span of the published
    areas and time windows, over its members' own published samples) and ``loss`` (the mean of these
    samples' loss; see :func:`fpanon_core.mean_loss`).
    """
    config = release.config
    kept = release.accuracy[release.accuracy["space_m"].notna()]
    group = kept["group"].to_numpy()
    samples = np.bincount(group, minlength=release.published.n_groups)
    side, span = (
        np.bincount(group, kept[each], len(samples)) / np.maximum(samples, 1)
        for each in ("space_m", "time_min")
    )
    loss = config.w_space * side / config.max_space_m + config.w_time * span / config.max_time_min
    table = pd.DataFrame(
        {"group": np.arange(len(samples)), "side_m": side, "span_min": span, "loss": loss}
    )
    return table[samples > 0].sort_values("loss", ascending=False, kind="stable", ignore_index=True)


@dataclass(frozen=True)
class Gain:
    """Accuracy of the same samples in two releases: with some people, and with nobody, left out.

    Attributes
    ----------
    samples : int
        Original samples that both releases publish. The means are over these samples; NaN if there
        are none.
    side_m, span_min : float
        Mean side in metres and mean span in minutes, without the people hardest to hide.
    whole_side_m, whole_span_min : float
        Mean side in metres and mean span in minutes, with nobody left out.
    """

    samples: int
    side_m: float
    span_min: float
    whole_side_m: float
    whole_span_min: float


def gain(whole: GloveResult, tail_out: GloveResult) -> Gain:
    """Return the accuracy of the same samples with nobody, and with some people, left out.

    Parameters
    ----------
    whole, tail_out : GloveResult
        Releases of the same data, in the same periods if any: with nobody left out, and without the
        people hardest to hide.

    Raises
    ------
    ConfigError
        The releases differ in the number of original samples, so they are of different data.
    """
    ours, others = _by_sample(tail_out), _by_sample(whole)
    if ours.shape != others.shape:
        raise ConfigError("The two releases are of different data; give two of the same data.")
    both = np.isfinite(ours[0]) & np.isfinite(others[0])
    if not both.any():
        return Gain(0, *[float("nan")] * 4)
    side, span = ours[:, both].mean(axis=1).tolist()
    whole_side, whole_span = others[:, both].mean(axis=1).tolist()
    return Gain(int(both.sum()), side, span, whole_side, whole_span)


def _by_sample(release: GloveResult) -> FloatArray:
    """Return side and span of every original sample, (2, n), person by person in order of time.

    The sort is needed because the pieces of periods have a different order in every result.
    """
    table = release.accuracy
    user = table["user"].to_numpy(np.int64)
    keys = [table["sample"].to_numpy(), release.people[user]]
    if release.period is not None:
        keys.insert(1, release.period[user])
    order = np.lexsort(keys)
    return np.asarray(table[["space_m", "time_min"]].to_numpy(np.float64)[order].T)
