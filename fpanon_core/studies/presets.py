"""Lists of release options to start with, and published figures to compare with.

The first list follows the grid of Noriega Campero 2015, table 5.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..aggregates.areas import proposed
from ..measures.areas import round_below
from ..model.arrays import FloatArray
from ..model.counts_frame import FrameConfig
from ..model.disclosure import NAMING
from ..model.fingerprints import FingerprintSet
from ..model.options import (
    Aligned,
    Flows,
    Generalize,
    Glove,
    Periods,
    Presence,
    ReleaseOption,
    Step,
    Synthesize,
    Tables,
)
from ..model.profiles import AntennaClusters, GeneralizationProfile, Grid, Hexagons, Regions, Space
from .framing import stated_of_data
from .judgement import Limits

WINDOWS_MIN = (60.0, 360.0, 720.0, 10_080.0)
"""Noriega Campero's windows (table 5.1): 1 hour, 6 hours, 12 hours, 1 week."""

_FINE_M = (500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0, 20_000.0)
_FINE_MIN = (60.0, 120.0, 360.0, 720.0, 1_440.0, 10_080.0)
_TAIL = 0.05  # share of people left out: those hardest to hide
HEXAGONS = (9, 8, 7, 6, 5)
"""Resolutions of H3 that are compared."""
_HEXAGONS_MIN = (60.0, 360.0, 1_440.0)
_DAY_MIN = 1_440.0
MOST_AREAS = 250
"""Largest number of areas of the tables that are compared; with more, an attack takes minutes."""
_MOST_PLACES = 10_000  # for synthetic people: a fit to this number takes seconds
_CLUSTERS, _GRIDS = (35, 6), (50, 10, 3)
_DISTRICT_M, _QUARTER_M = 5_000.0, 1_000.0
_USUAL_CROWD = 20  # if re-identification has no threshold, or one that no crowd meets


class PublishedUnicity(NamedTuple):
    """Unicity at p = 4 from table 5.2 of Noriega Campero 2015.

    The data cover 1.6 million people in a metropolis over a month.
    """

    region: str
    window_min: float
    unicity: float
    text: str


PUBLISHED_TRADE = tuple(
    PublishedUnicity(region, window, share, text)
    for region, row in (
        ("ZIP code", ((0.97, "97%"), (0.79, "79%"), (0.67, "67%"), (0.1446, "14.46%"))),
        ("district", ((0.82, "82%"), (0.42, "42%"), (0.28, "28%"), (0.0017, ".17%"))),
        ("municipality", ((0.55, "55%"), (0.14, "14%"), (0.06, "6%"), (0.001, "< .1%"))),
    )
    for window, (share, text) in zip(WINDOWS_MIN, row, strict=True)
)
"""Unicity from table 5.2 of Noriega Campero 2015; the last figure is an upper bound.

The figures come from other data, so only the shape is comparable.
"""


def trade_grid(fs: FingerprintSet) -> list[ReleaseOption]:
    """Return options that combine up to 3 sizes of regions with 4 windows.

    The combinations follow table 5.1 of Noriega Campero 2015.

    The regions come from the three columns of the antenna table that name the most regions. If
    only two columns name regions, single antennas are the finest size. With fewer columns, the
    three sizes are single antennas, about 35 clusters and about 6 clusters. Without an antenna
    table, the regions are the cells of square grids with sides of about a 50th, a 10th and a third
    of the data's extent. A few far travellers do not count in this extent. These regions replace
    the ZIP codes, districts and municipalities of Noriega Campero, which belong to another city.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 90_000], [0, 0], [0, 0])
    >>> [option.name for option in trade_grid(fs)][:5:4]
    ['1 km · 1 h', '5 km · 1 h']
    """
    return [_option(space, minutes) for space in _spaces(fs) for minutes in WINDOWS_MIN]


def fine_grid(fs: FingerprintSet) -> list[ReleaseOption]:
    """Return options that combine squares of 500 m to 20 km with windows of 1 h to a week.

    Squares and windows finer than the data are left out.
    """
    return [
        _option(Grid(metres), minutes)
        for metres in _FINE_M
        for minutes in _FINE_MIN
        if metres >= fs.granularity_m and minutes >= fs.granularity_min
    ]


def hexagon_grid(fs: FingerprintSet, resolutions: Iterable[int] = HEXAGONS) -> list[ReleaseOption]:
    """Return options that combine H3 hexagons with windows of 1 h, 6 h and a day.

    Hexagons and windows finer than the data are left out. The usual resolutions 9 to 5 have mean
    edges from about 200 m to 10 km. The list is empty where the data carry no projection.
    """
    return [
        _option(hexagons, minutes)
        for hexagons in map(Hexagons, resolutions)
        for minutes in _HEXAGONS_MIN
        if fs.crs is not None
        and hexagons.area_m2 >= fs.granularity_m**2
        and minutes >= fs.granularity_min
    ]


def glove_ladder(ks: Iterable[int] = (2, 5, 10)) -> list[ReleaseOption]:
    """Return options that hide everyone by GLOVE, one for each k.

    Examples
    --------
    >>> [option.name for option in glove_ladder()]
    ['GLOVE, k = 2', 'GLOVE, k = 5', 'GLOVE, k = 10']
    """
    return [ReleaseOption(steps=(Glove(k),)) for k in ks]


def hiding_ladder(fs: FingerprintSet, ks: Iterable[int] = (2, 5, 10)) -> list[ReleaseOption]:
    """Return options of the method “aligned” at several k: for whole fingerprints, weeks and days.

    A second option for days leaves out up to 5% of each day's people, those hardest to hide.
    Periods as long as the data, or longer, are skipped.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [0, 2_000])
    >>> [option.name for option in hiding_ladder(fs, (2,))]
    ['aligned, k = 2', 'aligned, k = 2, days', 'aligned, k = 2, days, up to 5% left out']
    """
    lasts = float((fs.t_min + fs.dt_min).max())
    return [
        ReleaseOption(f"{Aligned(k)}{name}", (*periods, Aligned(k, leave_out=share)))
        for k in ks
        for name, periods, days, share in (
            ("", (), 0, 0.0),
            (", weeks", (Periods(7),), 7, 0.0),
            (", days", (Periods(1),), 1, 0.0),
            (f", days, up to {_TAIL:.0%} left out", (Periods(1),), 1, _TAIL),
        )
        if lasts > days * _DAY_MIN
    ]


def crowd(limits: Limits) -> int:
    """Return the smallest k for which 1/k is within the threshold of re-identification risk.

    The result is at least 2. Without a threshold, or with a threshold of 0, it is 20.

    Examples
    --------
    >>> crowd(Limits()), crowd(Limits({"outsider": 0.3})), crowd(Limits({"outsider": None}))
    (20, 4, 20)
    """
    limit = limits.limit(NAMING[0])
    return max(2, math.ceil(1 / limit - 1e-9)) if limit else _USUAL_CROWD


def table_options(fs: FingerprintSet) -> list[ReleaseOption]:
    """Return options without records: tables, and synthetic people.

    Tables of presence and flows together are private at ε = 1 and at ε = 0.5, or protected by a
    threshold. Tables of presence alone, and of flows alone, are private at ε = 1. Synthetic people
    are made at ε = 1 and at ε = 0.5. Their places are the antennas or, without any, at most
    about one square for every two people. The tables' areas, and their bands of hours in a day, are
    those proposed for the rounded number of people (:func:`fpanon_core.proposed`). Areas are groups
    of antennas, or squares where there is no antenna table. For a study, the days and squares are
    taken from the data, without a few far travellers. A published release states its own days and
    areas.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 2], [0, 90_000], [0, 0], [0, 0])
    >>> [option.name for option in table_options(fs)][-2:]
    ['synthetic people by square of 5 km, ε = 1', 'synthetic people by square of 5 km, ε = 0.5']
    """
    people = about_people(fs)
    steps: list[Step] = [
        kind(*table_frame_of(fs, people, epsilon / len(kind.CONTENTS)), None, epsilon)
        for kind, epsilon in ((Tables, 1.0), (Tables, 0.5), (Presence, 1.0), (Flows, 1.0))
    ]
    steps.append(Tables(*table_frame_of(fs, people, 1.0), 15))
    where = place_frame_of(fs, people)
    steps += [Synthesize(where, epsilon) for epsilon in (1.0, 0.5)]
    return [ReleaseOption(steps=[step]) for step in steps]


def about_people(fs: FingerprintSet) -> int:
    """Return the number of people rounded to one significant digit, as the public might know it.

    Examples
    --------
    >>> about_people(FingerprintSet.from_samples(range(43), [0] * 43, [0] * 43, [0] * 43))
    40
    """
    return round(fs.n_users, 1 - len(str(fs.n_users)))


def place_frame_of(fs: FingerprintSet, people: int) -> FrameConfig:
    """Return a frame of antennas or, without any, of at most about one square per two people."""
    if fs.antennas is not None and len(fs.antennas):
        return stated_of_data(fs)
    return stated_of_data(fs, side_m=_side_of(fs, min(_MOST_PLACES, max(1, people // 2))))


def table_frame_of(fs: FingerprintSet, people: int, epsilon: float) -> tuple[FrameConfig, int]:
    """Return a frame with the proposed areas, and the proposed number of bands in a day.

    Both are proposed for this number of people and for the ε of one table.
    """
    antennas = 0 if fs.antennas is None else len(fs.antennas)
    wise = proposed(people, min(MOST_AREAS, antennas or MOST_AREAS), epsilon)
    if antennas:
        return stated_of_data(fs, antennas_an_area=math.ceil(antennas / wise.areas)), wise.bands
    return stated_of_data(fs, side_m=_side_of(fs, wise.areas)), wise.bands


def _side_of(fs: FingerprintSet, squares: int) -> float:
    """Return a side from the 1-2-5 series that gives at most about this number of squares."""
    width, height = (side + fs.granularity_m for side in width_height(fs))
    wanted = max(math.sqrt(width * height / squares), fs.granularity_m)
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= wanted)


PRESETS: Mapping[str, Callable[[FingerprintSet], list[ReleaseOption]]] = MappingProxyType(
    {
        "trade": trade_grid,
        "fine": fine_grid,
        "hexagons": hexagon_grid,
        "glove": lambda fs: glove_ladder(k for k in (2, 5, 10) if k <= fs.n_users),
        "hide": lambda fs: hiding_ladder(fs, [k for k in (2, 5, 10) if k <= fs.n_users]),
        "tables": table_options,
        "asis": lambda _: [ReleaseOption()],
    }
)
"""Lists of options, by their names on the command line and in the dashboard's address.

Lists of options that hide everyone have no k above the number of people in the data.
"""


def _option(space: Space, minutes: float) -> ReleaseOption:
    return ReleaseOption(steps=(Generalize(GeneralizationProfile(space, minutes)),))


def _spaces(fs: FingerprintSet) -> list[Space]:
    if fs.antennas is None:
        extent = max(*width_height(fs), fs.granularity_m)
        sides = (max(round_below(extent / parts), fs.granularity_m) for parts in _GRIDS)
        return [Grid(side) for side in dict.fromkeys(sides)]
    columns = named_columns(fs)
    if len(columns) >= 3:
        return [Regions(name) for name in columns[:3]]
    if len(columns) == 2:
        return [AntennaClusters(1), *(Regions(name) for name in columns)]
    sites = len(np.unique(np.column_stack([fs.antennas.x_m, fs.antennas.y_m]), axis=0))
    sizes = dict.fromkeys([1, *(math.ceil(sites / clusters) for clusters in _CLUSTERS)])
    return [AntennaClusters(size) for size in sizes]


def named_columns(fs: FingerprintSet) -> list[str]:
    """Return the antenna table's columns that name every antenna's region, most regions first.

    Columns of numbers are left out, and so are columns with one region only or with a different one
    for each antenna.
    """
    found: dict[str, int] = {}
    for name, texts in fs.antennas.columns.items() if fs.antennas is not None else ():
        regions = set(texts.tolist())
        numbers = all(text.replace(".", "", 1).lstrip("+-").isdigit() for text in regions)
        if "" not in regions and not numbers and 1 < len(regions) < len(texts):
            found[name] = len(regions)
    return sorted(found, key=lambda name: -found[name])


def purpose_areas(fs: FingerprintSet, purpose: str) -> float | None:
    """Return the side of the squares that suit a purpose, metres; None for the usual squares.

    The usual squares, about a 50th of a city wide, are smaller than the areas for which trips are
    planned. So trips are compared on squares of 5 km, or of 1 km if 5 km does not suit the extent
    of the data. Everything else is compared on squares of 1 km, if 1 km suits the extent.

    Examples
    --------
    >>> x, t = [0, 12_000, 0, 12_000], [0, 60, 0, 60]
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2], x, [0, 0, 9_000, 9_000], t)
    >>> purpose_areas(fs, "travel"), purpose_areas(fs, "presence")
    (5000.0, 1000.0)
    """
    extent = width_height(fs)
    for side in (_DISTRICT_M, _QUARTER_M) if purpose == "travel" else (_QUARTER_M,):
        if max(fs.granularity_m, extent.min() / _GRIDS[0]) < side <= extent.max() / 2:
            return side
    return None


def width_height(fs: FingerprintSet) -> FloatArray:
    """Return the width and height of the data in metres, without a few far travellers, (2,)."""
    return np.array([np.ptp(ends) for ends in fs.central.ends])
