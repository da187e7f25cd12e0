"""Numbers in words: kilometres, minutes, shares and counts, rounded to the digits they support."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from fpanon_core.model import geography
from fpanon_core.model.arrays import FloatArray, IntArray
from fpanon_core.model.budgets import clock as clock
from fpanon_core.model.release_page import count as count
from fpanon_core.model.release_page import listed
from fpanon_core.model.release_page import percent as percent
from pages.charts.plain import plain

MARKS = {
    "against": ":material/block:",
    "open": ":material/pending:",
    "for": ":material/check_circle:",
}
"""Icons of the tones of a verdict."""


def distance(metres: float) -> str:
    """Return a distance in words.

    Examples
    --------
    >>> [distance(metres) for metres in (4, 823, 1730)]
    ['no distance', '800 m', '1.7 km']
    """
    if not math.isfinite(metres):
        return "an unknown distance"
    if metres < 5:
        return "no distance"
    if metres < 950:
        return f"{round(metres / 10) * 10 if metres < 100 else round(metres / 50) * 50:g} m"
    return f"{metres / 1000:.1f} km" if metres < 9950 else f"{metres / 1000:.0f} km"


def duration(minutes: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> [duration(minutes) for minutes in (0.4, 35.4, 150, 47.9 * 60)]
    ['no time', '35 minutes', '2.5 hours', '47.9 hours']
    >>> [duration(1440 * days) for days in (2, 9.94, 222.1)]
    ['2 days', '9.9 days', '222 days']
    """
    if not math.isfinite(minutes):
        return "an unknown time"
    if minutes < 0.5:
        return "no time"
    if minutes < 90:
        return f"{minutes:.0f} minute{'' if round(minutes) == 1 else 's'}"
    if minutes < 48 * 60:
        return f"{round(minutes / 60, 1):g} hours"
    return f"{round(minutes / 1440, 1 if minutes < 14_400 else None):g} days"


def moment(wall_min: float, days: list[str], between: str = " ") -> str:
    """Return local minutes since the first midnight as a text such as "4 Mar 08:05".

    ``days`` holds the date of each local day; ``between`` stands between date and time.
    """
    day, minute = divmod(math.floor(wall_min), 1440)
    date = days[day] if 0 <= day < len(days) else f"day {day + 1}"
    return f"{date}{between}{minute // 60:02d}:{minute % 60:02d}"


def people(number: int) -> str:
    """Return a number of people, such as "1 person" or "2,000 people"."""
    return count(number, "person")


def share(part: int, whole: int, what: str = "person") -> str:
    """Return a share in words; the percentage has no more digits than the number supports.

    Examples
    --------
    >>> share(0, 496), share(3, 496), share(1, 12)
    ('none of the 496 people', '3 of the 496 people (0.6%)', '1 of the 12 people (8%)')
    """
    if whole == 1:
        return f"the one {what}" if part else f"not the one {what}"
    of_all = count(whole, what)
    if part == 0:
        return f"none of the {of_all}"
    if part == whole:
        return f"all {of_all}"
    return f"{part:,} of the {of_all} ({percent(part / whole, whole)})"


def verb(count: int) -> str:
    """Return the verb "is" or "are", to go with :func:`share`."""
    return "is" if count <= 1 else "are"


def were(count: int) -> str:
    """Return the verb "was" or "were", to go with a number."""
    return "was" if count == 1 else "were"


def them(count: int) -> str:
    """Return the pronoun "it" or "them" for a number of things."""
    return "it" if count == 1 else "them"


def brief(text: str) -> str:
    """Return a text such as "less than 0.1%" shortened for a narrow column, such as "< 0.1%"."""
    return text.replace("less than ", "< ").replace("more than ", "> ").replace("under ", "< ")


def beyond(curves: dict[str, int]) -> str:
    """Say how many people of each curve lie beyond a figure's right edge; return "" if none do.

    Examples
    --------
    >>> beyond({"k = 2": 1, "k = 5": 0})
    'The figure does not show 1 person (“k = 2”) beyond its right edge.'
    """
    told = [f"{people(count)} (“{plain(name)}”)" for name, count in curves.items() if count]
    return f"The figure does not show {listed(told)} beyond its right edge." if told else ""


def others(k: int) -> str:
    """Return the other members of a group of k, such as "one other person" or "4 other people"."""
    return "one other person" if k == 2 else f"{k - 1} other people"


def supported(value: float, low: float, high: float) -> str:
    """Return a number with as many digits as its interval supports, never with an exponent.

    The last digit is worth at most half of the interval's width or, without a width, at most 1/500
    of the number. There are never more than nine decimals.

    Examples
    --------
    >>> supported(0.0459, 0.0453, 0.0465), supported(0.9794, 0.974, 0.984)
    ('0.0459', '0.979')
    >>> supported(87.53, 86.4, 88.7), supported(1234.5, 1100.0, 1400.0)
    ('88', '1,234')
    >>> supported(0.25, 0.25, 0.25), supported(0.0, 0.0, 0.0)
    ('0.2500', '0')
    """
    half = (high - low) / 2
    if not (math.isfinite(half) and half > 0):
        half = abs(value) / 500
    decimals = min(9, max(0, -math.floor(math.log10(half)))) if half > 0 else 0
    return f"{value:,.{decimals}f}"


def describe_remote(
    lat: FloatArray, lon: FloatArray, samples: IntArray, sites: pd.DataFrame | None = None
) -> str:
    """Warn of places so far from nearly all samples that a coordinate is probably wrong.

    Such a place is over 100 km from the middle of the samples, and over ten times as far as 97% of
    them. If none of these places would be so far with latitude and longitude exchanged, the warning
    says so.

    Parameters
    ----------
    lat, lon : float64 ndarray (n_places,)
        Degrees.
    samples : int64 ndarray (n_places,)
    sites : DataFrame, optional
        Antennas at the places, in columns ``antenna``, ``lat``, ``lon``, so that one can be named.

    Examples
    --------
    >>> lat, lon = np.array([-2.1, -2.2, -2.1]), np.array([-79.8, -79.9, 79.8])
    >>> describe_remote(lat, lon, np.array([60, 39, 1])).partition(", with")[0]
    '**1 place is 17,700 km from the middle of the samples** (-2.10, 79.80)'
    """
    if not len(lat):
        return ""
    every = samples.sum()

    def quantile(values: FloatArray, share: float) -> float:
        order = np.argsort(values)
        return float(values[order][np.searchsorted(samples[order].cumsum(), share * every)])

    middle = quantile(lat, 0.5), quantile(lon, 0.5)
    km = geography.km_from(*middle, lat, lon)
    most = max(100.0, 10 * quantile(km, 0.97))
    far = km > most
    if not far.any():
        return ""
    places, east = int(far.sum()), (lon[far][0] + 180) % 360 - 180
    share = percent(samples[far].sum() / every)
    named = exchanged = ""
    if sites is not None and len(sites):
        apart = geography.km_from(lat[far][0], lon[far][0], *sites[["lat", "lon"]].to_numpy().T)
        named = f"; antenna {plain(sites['antenna'].iloc[int(apart.argmin())])}"
    other = geography.km_from(*middle, lon[far], lat[far]).max()
    if (np.abs(lon[far]) <= 90).all() and other <= most:
        it = "it would be" if places == 1 else "they would be at most"
        exchanged = f" With latitude and longitude exchanged, {it} {other:,.0f} km from the middle."
    return (
        f"**{count(places, 'place')} {'is' if places == 1 else 'are'} {km[far].min():,.0f} "
        f"km{' or more' * (places > 1)} from the middle of the samples** "
        f"({'such as ' * (places > 1)}{lat[far][0]:.2f}, {east:.2f}{named}), with {share} of the "
        f"samples.{exchanged}"
    )
