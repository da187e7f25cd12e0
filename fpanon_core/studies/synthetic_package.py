"""Package of synthetic people, made for researchers and for verification.

It holds ``records`` (CSV or Parquet), ``places.csv``, ``areas.geojson``, ``datapackage.json`` and a
README of one page. All of it follows from the noisy statistics, the stated frame and ε.

Source: docs/science.md, “Synthetic people with differential privacy”.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..aggregates.contributions import table_frame
from ..model.arrays import FloatArray, IntArray, SmallInts
from ..model.count_tables import TableFrame
from ..model.errors import ConfigError, SchemaError
from ..model.files import Place
from ..model.fingerprints import FingerprintSet
from ..model.glove import Verification
from ..model.options import Synthesize, step_from_dict, step_to_dict
from ..model.release_page import two_digits
from ..model.synthetic_people import SHARES, SyntheticPeople
from ..synthesis.statistics import EVENTS, Ground, people_error
from ..verification.faults import Faults
from .packages import packed, paragraphs, table_read, zone_of
from .report_words import stated_hours
from .table_package import KINDS, verified

KIND = KINDS[1]
MOST_PUBLISHED = 20_000_000
"""Largest number of records in a package; the verifier needs gigabytes to read so many."""

_MOST_OF_PERSON = 2 * int(EVENTS[-1])
_MOST_COUNTED = 1_000_000_000  # largest noisy number of people: as many as a country has
_SAYS_LITTLE = 3.0  # an ε above which an attacker may be right 95% of the time


def package(made: SyntheticPeople, ending: str = "csv") -> bytes:
    """Return the zip of synthetic people; the same people always give the same bytes.

    If there are very many people, only the first ones are packed (:func:`people_packed`).

    Raises
    ------
    ConfigError
        The stated ε of the synthetic people would promise nothing.
    """
    if made.fault:
        raise ConfigError(
            f"These synthetic people cannot be released with a promise of privacy. {made.fault}"
        )
    many = people_packed(made)
    rows = slice(0, int(made.offsets[many]))
    user = np.repeat(np.arange(1, many + 1), np.diff(made.offsets[: many + 1]))
    records = _records(made.frame, user, made.wall_min[rows], made.place[rows])
    learnt = made.n_noisy, made.statistics.groups
    return _packed(made.option, made.frame, records, learnt, ending)


def people_packed(made: SyntheticPeople) -> int:
    """Return the number of people in the package; they are the first ones, a sample of all.

    Together they have at most :data:`MOST_PUBLISHED` events.
    """
    return max(1, int(np.searchsorted(made.offsets, MOST_PUBLISHED, side="right")) - 1)


def verify_people(source: Place | bytes, original: FingerprintSet) -> Verification:
    """Check a synthetic-people package, its frame and schema; rebuild it and compare every byte.

    The original provides only antennas, clock and projection: nothing is compared with its records.

    Raises
    ------
    SchemaError
        There is no package of synthetic people.
    """
    return verified(source, original, KIND, _rebuilt)


def _rebuilt(
    facts: dict[str, Any], members: dict[str, bytes], original: FingerprintSet, faults: Faults
) -> bytes:
    option = step_from_dict(facts["option"])
    if not isinstance(option, Synthesize):
        raise ConfigError("The package describes no synthetic people.")
    frame, learnt = table_frame(original, option.frame), (facts["people"], facts["groups"])
    if any(type(each) is not int or not 1 <= each <= _MOST_COUNTED for each in learnt):
        raise ConfigError("The package states no number of people, or of groups of places.")
    if learnt[1] not in Ground.of(frame).possible_groups:
        raise ConfigError(
            "The package states a number of groups into which its places cannot be divided."
        )
    table, ending = table_read(members, "records")
    rows = _checked(table, frame)
    many = learnt[0] if option.people is None else option.people
    full = rows[0][-1] < many and len(table) > MOST_PUBLISHED - _MOST_OF_PERSON
    if rows[0][-1] != many and not full:
        faults.add("people", f"The records do not belong to {many:,} people.")
    return _packed(option, frame, _records(frame, *rows), learnt, ending)


def _records(
    frame: TableFrame, user: IntArray, wall_min: SmallInts, place: SmallInts
) -> pd.DataFrame:
    """Return the rows as a table, sorted by person, then by time, then by place."""
    first = frame.counts.first_day
    names = pd.Categorical.from_codes(place, pd.Index(frame.names))
    if first is None:
        return pd.DataFrame({"person": user, "minute": wall_min, "place": names.astype(str)})
    times = np.datetime64(first, "m") + wall_min.astype("m8[m]")
    texts = np.datetime_as_string(times, unit="m")
    return pd.DataFrame({"person": user, "time": texts, "place": names.astype(str)})


def _checked(table: pd.DataFrame, frame: TableFrame) -> tuple[IntArray, SmallInts, SmallInts]:
    """Return person, minute and place of each row; raise SchemaError for rows outside the frame."""
    first, days = frame.counts.first_day, frame.counts.days
    when = "minute" if first is None else "time"
    if list(table.columns) != ["person", when, "place"] or not len(table):
        raise SchemaError(f"The columns of the records are not person, {when} and place.")
    user = table["person"].to_numpy(np.int64)
    if first is None:
        wall_min = table[when].to_numpy(np.int64)
    else:
        stamps = table[when].to_numpy("U16").astype("M8[m]")
        wall_min = (stamps - np.datetime64(first, "m")).astype(np.int64)
    place = pd.Index(frame.names).get_indexer(pd.Index(table["place"].astype(str)))
    if user[0] != 1 or not np.isin(np.diff(user), (0, 1)).all():
        raise SchemaError("The people are not numbered from 1 without gaps.")
    if wall_min.min() < 0 or wall_min.max() >= days * 1440 or place.min() < 0:
        raise SchemaError("A record is outside the stated days or places.")
    order = np.lexsort((place, wall_min, user))
    if (order != np.arange(len(order))).any():
        raise SchemaError("The records are not sorted by person, time and place.")
    return user, wall_min.astype(np.int32), place.astype(np.int32)


def _packed(
    option: Synthesize, frame: TableFrame, rows: pd.DataFrame, learnt: tuple[int, int], ending: str
) -> bytes:
    about: dict[str, Any] = {"kind": KIND, "option": step_to_dict(option)}
    about |= {"people": learnt[0], "groups": learnt[1]}
    return packed(
        {"records": "Records of made-up people", "places": "Places"},
        {"records": rows, "places": _places(frame)},
        frame,
        ending,
        name="synthetic-people",
        title="Synthetic people: nobody in these files exists",
        readme=readme(option, frame, learnt, int(rows["person"].iloc[-1])),
        about=about | {"timezone": zone_of(frame), "shares": dict(SHARES)},
    )


def _places(frame: TableFrame) -> pd.DataFrame:
    """Return the centres of the places, in degrees if these are known, otherwise in metres."""
    counts = frame.counts
    if len(counts.lat):
        at: dict[str, FloatArray] = {"lat": counts.lat.round(5), "lon": counts.lon.round(5)}
    else:
        at = {"x_m": counts.x_m + counts.dx_m / 2, "y_m": counts.y_m + counts.dy_m / 2}
    return pd.DataFrame({"place": list(frame.names), **at})


# --- the page ------------------------------------------------------------------------------------


def readme(
    option: Synthesize, frame: TableFrame, learnt: tuple[int, int], many: int
) -> Sequence[str]:
    """Return the paragraphs of the README, from noisy and public numbers alone.

    ``learnt`` is the noisy number of people, and the number of groups of places; ``many`` is the
    number of people in the package.
    """
    n_noisy, groups = learnt
    off = people_error(Ground.of(frame), option.epsilon, groups)
    return paragraphs(
        "synthetic_people",
        option=option,
        frame=frame,
        many=many,
        n_noisy=n_noisy,
        groups=groups,
        scale=f"{many / n_noisy:.3g}",
        give=f"{max(1.0, float(f'{off:.2g}')):,.0f}",
        homes=max(1, round(n_noisy / groups)),
        off=two_digits(1 / (option.epsilon * SHARES["homes"])),
        few=bool(stated_hours(option.epsilon, n_noisy)),
        warnings=describe_warnings(option, n_noisy, frame.n_areas),
    )


def describe_warnings(option: Synthesize, n_people: int, n_places: int) -> list[str]:
    """Warn of an ε that is too large, and of too few people for the hours or the places."""
    said = []
    if option.epsilon > _SAYS_LITTLE:
        right = 1 / (1 + math.exp(-option.epsilon))
        said.append(
            f"At this ε, an attacker may be right about who is in the data {right:.0%} of the time."
        )
    if told := stated_hours(option.epsilon, n_people):
        said.append(told)
    if n_places > n_people:
        said.append("There are more places than people; larger squares or hexagons serve better.")
    return said
