"""One person after some known points, ready to be drawn."""

from __future__ import annotations

import math

import numpy as np

from fpanon_core.model.arrays import FloatArray
from fpanon_core.studies.followed import Followed, Place, Step
from pages.charts.record import Bar, Scene

OTHERS_DRAWN = 3
"""Other people's records whose areas are drawn, those that lead: more would hide each other."""


def scene(found: Followed, step: Step) -> Scene | None:
    """What the map shows after a step; None where the data carry no map projection."""
    places = found.places[["lon", "lat"]].to_numpy(dtype=float)
    if not np.isfinite(places).all():
        return None
    rank = {each.record: each.rank for each in step.candidates}
    others = [each.record for each in step.candidates if not each.right][:OTHERS_DRAWN]
    near = found.areas[found.areas["point"] <= step.known]
    near = near[near["record"].isin(others) | near["right"]]
    # Records that fit alike often show one and the same area; laid on each other they turn dark.
    near = near.drop_duplicates(["west", "south", "east", "north", "right"])
    own = found.areas.loc[found.areas["right"], ["west", "south", "east", "north"]].to_numpy()
    every = np.vstack([places, _all_points(found), own[:, :2], own[:, 2:]])
    return Scene(
        places=places,
        points=_all_points(found)[: step.known],
        areas=near[["west", "south", "east", "north"]].to_numpy(dtype=float),
        rank=np.array([rank.get(each, _behind(step)) for each in near["record"]], np.int64),
        right=near["right"].to_numpy(dtype=bool),
        home=_degrees(found.home),
        guess=_degrees(step.guess),
        around=(every[:, 0], every[:, 1]),
    )


def _all_points(found: Followed) -> FloatArray:
    """Where the outsider takes the points to be."""
    return found.points[["told_lon", "told_lat"]].to_numpy(dtype=float)


def _behind(step: Step) -> int:
    """Rank of the right record where it is not among those that lead."""
    return 1 + round(step.better) if math.isfinite(step.better) else 0


def _degrees(place: Place | None) -> tuple[float, float] | None:
    if place is None or not math.isfinite(place.lon):
        return None
    return place.lon, place.lat


def bars(step: Step) -> list[Bar]:
    """The records that lead, the likeliest first; behind them the right one, if it is no leader."""
    found = [Bar(each.rank, each.people, each.share, each.right) for each in step.candidates]
    if step.known and step.place is None and math.isfinite(step.better):
        found.append(Bar(_behind(step), 1, step.posterior, True))
    return found
