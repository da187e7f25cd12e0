"""Positions of an attacker's known points in a release, worked out from the stated method.

The attacker knows the method and its parameters, but not its random draws. Every generalization is
applied to the known points as it was to the data. For noise, a point stays in place, with a density
around it. An exchange of places keeps a point's time, and its place with some probability; an
exchange of times does the converse. The release shows its cells, so the attacker lays grids,
hexagons and regions as the release did.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..kernels.antenna_clusters import assign
from ..measures.areas import hexagons_at
from ..model.arrays import PLACE, TIME, FloatArray, IntArray, distinct_rows
from ..model.fingerprints import FingerprintSet
from ..model.knowledge import Knowledge, KnownPoints, Mechanism, Spread
from ..model.options import (
    AddNoise,
    Generalize,
    Glove,
    Permute,
    ReleaseOption,
    SampleUsers,
    SuppressRare,
)
from ..model.profiles import AntennaClusters, Grid, Hexagons, Regions
from ..model.released import Origin
from .applied import apply, records_of
from .chain import seed_at
from .generalize import cells_of, corner, windows_at
from .regions import hexagon_map, region_map

Columns = dict[str, FloatArray]
Keys = list[npt.NDArray[np.float64]]

_PARTS_OF_A_UNIT = 1_000  # places are compared to a millimetre, and times to 60 ms


@dataclass(frozen=True, eq=False)
class Carried:
    """Known points as the method would publish them.

    Attributes
    ----------
    points : KnownPoints
        Points from which noise and exchange start.
    mechanism : Mechanism
        Effect of noise and exchange.
    exact : KnownPoints
        Points as they would be published without noise or exchange.
    exactly : Mechanism
        Mechanism that belongs to ``exact``.
    """

    points: KnownPoints
    mechanism: Mechanism
    exact: KnownPoints
    exactly: Mechanism


def carried(
    origin: Origin,
    knowledge: Knowledge,
    *,
    blur_m: float = 0.0,
    blur_min: float = 0.0,
    seed: int = 0,
) -> Carried:
    """Map points of the original data into a release.

    Parameters
    ----------
    origin : Origin
        Data and steps behind the release.
    knowledge : Knowledge
        Points drawn from the original data.
    blur_m, blur_min : float
        Standard deviation of the attacker's error along x and y (metres) and in time (minutes). The
        attacker knows these values.
    seed : int
        Seed of the errors.

    Returns
    -------
    Carried
    """
    original, timeless = origin.original, knowledge.timeless
    true = knowledge.arrays()
    seen_m, seen_min = _blurred(true, blur_m, 0.0 if timeless else blur_min, seed)
    place = {name: (true | seen_m)[name] for name in PLACE}
    time = {name: (true | seen_min)[name] for name in TIME}
    space_spread = Spread("gaussian", blur_m) if blur_m else Spread()
    time_spread = Spread("gaussian", blur_min) if blur_min and not timeless else Spread()
    exact_place = _on_the_grid(original, place) if blur_m else place
    exact_time = _in_windows(original, time, original.granularity_min) if blur_min else time
    regions = boxes = by_middle = False
    share = 1.0
    for position, step in enumerate(origin.option.steps):
        match step:
            case Generalize(profile):
                exact_place = _generalized(origin, position, exact_place)
                place = exact_place if space_spread.density == "none" else place
                if not timeless:
                    exact_time = _in_windows(original, exact_time, profile.minutes)
                    time = exact_time if time_spread.density == "none" else time
                regions = not isinstance(profile.space, Grid)
            case AddNoise(space_m, time_min, space, in_time):
                if space_m:
                    space_spread = space_spread.and_then(Spread(space, space_m))
                    by_middle = regions
                if time_min and not timeless:
                    time_spread = time_spread.and_then(Spread(in_time, time_min))
            case SampleUsers(drawn):
                share *= drawn
            case Glove():
                boxes, by_middle = True, False
    exact = KnownPoints.unexchanged(knowledge.offsets, exact_place | exact_time)
    exchanged = _exchanged(origin, exact, timeless)
    points = KnownPoints(offsets=knowledge.offsets, **place, **time, **exchanged)
    return Carried(
        points,
        Mechanism(space_spread, time_spread, boxes, by_middle, share, timeless, knowledge.by_count),
        exact,
        Mechanism(boxes=boxes, share=share, timeless=timeless, by_count=knowledge.by_count),
    )


def noise_of(option: ReleaseOption, axis: Literal["space", "time"]) -> Spread:
    """Return the total noise that an option's steps add to places, or to times."""
    steps = [step for step in option.steps if isinstance(step, AddNoise)]
    scale = {"space": "space_m", "time": "time_min"}[axis]
    some = [Spread(getattr(s, axis), getattr(s, scale)) for s in steps if getattr(s, scale)]
    return reduce(Spread.and_then, some, Spread())


# --- the attacker's own error --------------------------------------------------------------------


def _blurred(true: Columns, blur_m: float, blur_min: float, seed: int) -> tuple[Columns, Columns]:
    """Return the places and times with the attacker's errors; empty where there is no error."""
    seeds = np.random.SeedSequence((seed, 1)).spawn(2)
    in_space, in_time = (np.random.default_rng(each) for each in seeds)
    n = len(true["x_m"])
    place, time = {}, {}
    if blur_m:
        place = {name: true[name] + in_space.normal(0.0, blur_m, n) for name in ("x_m", "y_m")}
    if blur_min:
        time = {"t_min": true["t_min"] + in_time.normal(0.0, blur_min, n)}
    return place, time


def _on_the_grid(fs: FingerprintSet, place: Columns) -> Columns:
    """Return the cells of the data's own grid that hold the middles of the given places."""
    side = fs.granularity_m
    at: Columns = {
        name: np.asarray(start + side * cells_of(place[name] + side / 2, side, start), np.float64)
        for name, start in zip(("x_m", "y_m"), corner(fs), strict=True)
    }
    return place | at


# --- generalization ------------------------------------------------------------------------------


def _in_windows(fs: FingerprintSet, time: Columns, minutes: float) -> Columns:
    start, length = windows_at(fs, time["t_min"], float(minutes))
    return {"t_min": start, "dt_min": length}


def _generalized(origin: Origin, position: int, place: Columns) -> Columns:
    """Return the places of the step's profile that hold the given places; NaN where none does."""
    step = origin.option.steps[position]
    assert isinstance(step, Generalize)
    space = step.profile.space
    if isinstance(space, Grid):
        side = float(space.metres)
        x, y = (
            at + side * cells_of(place[name], side, at)
            for name, at in zip(("x_m", "y_m"), step.profile.origin, strict=True)
        )
        whole = np.full(len(x), side)
        return {"x_m": x, "y_m": y, "dx_m": whole, "dy_m": whole}
    before = _before(origin, position)
    first, which = distinct_rows(place["x_m"], place["y_m"])
    some = {name: values[first] for name, values in place.items()}
    if isinstance(space, Hexagons):
        found = _hexagons(before, space, some)
    else:
        found = _regions(before, space, seed_at(origin.seed, step, position) or 0, some)
    return {name: values[which] for name, values in found.items()}


def _hexagons(fs: FingerprintSet, space: Hexagons, place: Columns) -> Columns:
    assert fs.crs is not None
    hexagons = hexagon_map(fs, space)
    middle = place["x_m"] + place["dx_m"] / 2, place["y_m"] + place["dy_m"] / 2
    cells = hexagons_at(fs.crs, space.resolution, *middle)
    known = pd.Index(hexagons.cell).get_indexer(pd.Index(cells))
    return _taken({name: getattr(hexagons, name) for name in PLACE}, known)


def _regions(
    fs: FingerprintSet, space: AntennaClusters | Regions, seed: int, place: Columns
) -> Columns:
    regions = region_map(fs, space, seed=seed)
    ones = np.ones(len(regions.site_x_m))
    site = assign(place["x_m"], place["y_m"], regions.site_x_m, regions.site_y_m, ones)
    return _taken({name: getattr(regions, name) for name in PLACE}, regions.site_region[site])


def _taken(places: Columns, number: IntArray) -> Columns:
    """Return the places with the given numbers; NaN for −1."""
    return {name: np.where(number >= 0, values[number], np.nan) for name, values in places.items()}


def _before(origin: Origin, position: int) -> FingerprintSet:
    """Return the input data of a step, reconstructed as closely as possible."""
    steps = origin.option.steps
    if position == 0:
        return origin.original
    if position == len(steps) - 1:
        return records_of(origin.seen)
    # Of all draws, only the choice of users affects the regions, and its result is known.
    fs = origin.original
    if any(isinstance(step, SampleUsers) for step in steps[:position]):
        fs = fs.subset(np.unique(origin.person))
    for number, step in enumerate(steps[:position]):
        if isinstance(step, Generalize | SuppressRare):
            fs = apply(fs, step, seed_at(origin.seed, step, number)).fs
    return fs


# --- exchange ------------------------------------------------------------------------------------


def _exchanged(origin: Origin, exact: KnownPoints, timeless: bool) -> Columns:
    """Return how likely each point is to keep its place and time, and the shares of equal samples.

    The shares are those of samples with the point's place, and with its time, among the samples
    with which the point may be exchanged.
    """
    one = np.ones(len(exact.x_m))
    found = dict.fromkeys(("same_place", "place_share", "same_time", "time_share"), one)
    fs = origin.released
    exchanges = [step for step in origin.option.steps if isinstance(step, Permute)]
    windows = [step.window_min for step in exchanges if step.what == "positions"]
    sides = [step.region_m for step in exchanges if step.what == "times"]
    if timeless:
        return found  # without a time there is no window, so the place does not change
    if windows:
        minutes = max(*windows, fs.granularity_min)
        group, of_points = ([windows_at(fs, cells.t_min, minutes)[0]] for cells in (fs, exact))
        found["same_place"], found["place_share"] = _chances(fs, exact, group, of_points, PLACE)
    if sides:
        side = max(*sides, fs.granularity_m)
        group, of_points = (
            [np.floor((c.x_m + c.dx_m / 2) / side), np.floor((c.y_m + c.dy_m / 2) / side)]
            for c in (fs, exact)
        )
        found["same_time"], found["time_share"] = _chances(fs, exact, group, of_points, TIME)
    return found


def _chances(
    fs: FingerprintSet, exact: KnownPoints, group: Keys, of_points: Keys, names: tuple[str, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return 1 / (samples in each point's group), and the share of them that equal the point.

    Samples are equal to a point if they agree with it in the columns ``names``. The point's own
    sample counts as one of these samples.
    """
    weight = fs.weight[fs.sample_user].astype(np.float64)
    among = np.maximum(_counted(group, of_points, weight), 1.0)
    alike = _counted(
        [*group, *fs.arrays(names).values()], [*of_points, *exact.arrays(names).values()], weight
    )
    return 1 / among, np.clip(alike, 1.0, among) / among


def _counted(keys: Keys, asked: Keys, weight: FloatArray) -> FloatArray:
    """Return the total weight of the rows equal to each requested row."""
    columns = [np.concatenate([a, b]) * _PARTS_OF_A_UNIT for a, b in zip(keys, asked, strict=True)]
    whole = (np.where(np.isnan(column), np.inf, np.rint(column) + 0.0) for column in columns)
    number = distinct_rows(*whole)[1]
    total: FloatArray = np.zeros(int(number.max()) + 1)
    np.add.at(total, number[: len(weight)], weight)
    return total[number[len(weight) :]]
