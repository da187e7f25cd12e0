"""Texts for published counts: the README, the meaning of each column, and facts for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from ..io.publishing import PackedTable
from ..model.counts_frame import CountsFrame
from ..model.options import PrivacyGuarantee


@dataclass(frozen=True)
class Stated:
    """Facts that may be stated about counts; none is taken from the records.

    Attributes
    ----------
    frame : CountsFrame
    filled_in : bool
    form : {"plain", "suppressed", "private"}
    below : int
        Smallest count published where small counts are suppressed.
    guarantee : PrivacyGuarantee or None
    """

    frame: CountsFrame
    filled_in: bool
    form: str
    below: int
    guarantee: PrivacyGuarantee | None


TITLES = {
    "plain": "Counts of people by place and time",
    "suppressed": "Counts of people by place and time, small counts left blank",
    "private": "Differentially private counts of people by place and time",
}
_FILLED = {
    True: "In a slot without any sample, the person is still counted, at the place nearest to a "
    "point interpolated between the places before and after. If one of these is missing, the other "
    "is taken. Such places are filled in, not recorded.",
    False: "In a slot without any sample, the person is not counted: a count is of the people who "
    "were recorded then, not of all who were there.",
}
_ROWS = {
    "plain": "Where a place and slot have no row, nobody was counted.",
    "suppressed": "Where a place and slot have no row, the count is blank: fewer than {below} "
    "people were counted, perhaps nobody. No totals are published, because a blank could be worked "
    "out from them.",
    "private": "Every place and slot has a row. Counts are noisy and can be negative; setting "
    "negative ones to 0 makes totals too large.",
}
_PROTECTION = {
    "plain": "Nothing protects the people counted, except that names and records are left out. "
    "Small counts can be of one person alone, and trajectories can be recovered from counts.",
    "suppressed": "Counts below {below} are left blank. Leaving them blank hides single people at "
    "rare places; this is a custom, not a promise.",
    "private": "Differential privacy protects the people counted. If {unit} were different or "
    "missing, the chance of any table would change by a factor of e^ε at most. Each count has "
    "independent discrete Laplace noise of scale {scale:.4g} (standard deviation about "
    "{deviation:.3g} people), drawn by OpenDP from the operating system.",
}
_UNIT = {
    "user": "all the records of any one person",
    "user-slot": "the records of any one person within any one slot",
}
_NOT_PROMISED = {
    "plain": "People can still be singled out in the table. Counts of one person say where that "
    "person was. In other data, linking counts from slot to slot has recovered most of people's "
    "trajectories (Xu et al. 2017). {more}",
    "suppressed": "An attacker can still narrow blanks down. One way is to subtract counts from "
    "the number of all people, or from other tables of them (other slots, squares or limits). "
    "Other ways are to watch counts that come and go around the limit, and to link counts from "
    "slot to slot.",
    "private": "What the whole group does is not hidden. An attacker who knows much about the "
    "group may still infer much about one of its members. Time zone, centre of the map projection, "
    "area and period are taken as given: they were stated, and not computed from the records.",
}
_MORE = {
    True: "Filled-in points make trajectories smoother than they were.",
    False: "An attacker who knows that a person was recorded singles that person out more easily.",
}


def readme(stated: Stated) -> list[str]:
    """Return the README's paragraphs; they state nothing about the records beyond the counts."""
    frame, form, guarantee = stated.frame, stated.form, stated.guarantee
    values: dict[str, Any] = {"below": stated.below, "more": _MORE[stated.filled_in]}
    if guarantee is not None:
        scale = guarantee.scale
        values |= {"unit": _UNIT[guarantee.unit], "scale": scale, "deviation": 1.4142 * scale}
    return [
        "## What a row is",
        "A row says how many people were counted at one place in one time slot of "
        f"{frame.slot_min:g} minutes. In a slot, a person is counted once, at the place with the "
        f"most of the person's samples in it. {_FILLED[stated.filled_in]}",
        _ROWS[form].format_map(values),
        "## Places and period",
        f"{_places(frame)} {_period(frame)} Places and period were stated in advance, and not "
        "taken from the records. Records outside these places or this period are not counted.",
        "## What protects the people counted",
        _PROTECTION[form].format_map(values),
        *([] if guarantee is None else [epsilons(guarantee)]),
        "## What it does not promise",
        _NOT_PROMISED[form].format_map(values),
    ]


def about(stated: Stated) -> dict[str, Any]:
    """Return the facts of the README as plain values, for machines to read."""
    frame, guarantee = stated.frame, stated.guarantee
    first, area, clock = frame.first_day, frame.area, frame.clock
    privacy = guarantee and {
        "unit": guarantee.unit,
        "epsilon": guarantee.epsilon,
        "epsilon_all": guarantee.epsilon_all,
        "epsilon_slot": guarantee.epsilon_slot,
        "sensitivity_l1": guarantee.sensitivity,
        "scale": guarantee.scale,
        "noise": "discrete Laplace (OpenDP)",
    }
    return {
        "form": stated.form,
        "filled_in": stated.filled_in,
        "suppressed_below": stated.below if stated.form == "suppressed" else None,
        "places": frame.n_places,
        "area": area and asdict(area) | {"side_m": float(frame.dx_m[0])},
        "crs": frame.crs if area is not None and area.unit == "degrees" else None,
        "first_day": first and first.isoformat(),
        "days": frame.days,
        "slots": frame.n_slots,
        "slot_min": frame.slot_min,
        "timezone": clock and clock.timezone,
        "privacy": privacy,
    }


def tables(
    frames: Mapping[str, pd.DataFrame], frame: CountsFrame, form: str
) -> Sequence[PackedTable]:
    """Return the tables of the package, with the meaning of their columns."""
    kind, said, unit = (
        ("number", "minutes since midnight of the first day.", "min")
        if frame.clock is None
        else ("datetime", f"local time of {frame.clock.timezone} with its offset from UTC.", "")
    )
    people = "People counted" + (
        ", with noise: can be negative." if form == "private" else " there in that slot."
    )
    counts = [
        _field("start", kind, "Start", f"Start of the slot, {said}", unit),
        _field("place", "integer", "Place", "Number of the place in the table of places.", ""),
        _field("people", "integer", "People", people, "people"),
    ]
    square = frame.area is not None
    what = "of the square's centre" if square else "of the antenna"
    known = {
        "place": _field("place", "integer", "Place", "Number of the place.", ""),
        "lat": _field("lat", "number", "Latitude", f"Latitude {what}, WGS 84.", "degree"),
        "lon": _field("lon", "number", "Longitude", f"Longitude {what}, WGS 84.", "degree"),
        "x_m": _field("x_m", "number", "x", "Western bound on the projection.", "m"),
        "y_m": _field("y_m", "number", "y", "Southern bound on the projection.", "m"),
        "side_m": _field("side_m", "number", "Side", "Width and height.", "m"),
    }
    places = [known[str(name)] for name in frames["places"].columns]
    return (
        PackedTable("counts", "the counts", frames["counts"], counts),
        PackedTable("places", "all places, with counts or without", frames["places"], places),
    )


def epsilons(guarantee: PrivacyGuarantee) -> str:
    """State ε for one slot and for all records, and that the ε values of publications add up."""
    many = f"{guarantee.n_slots:,} slots"
    in_all, slot = _number(guarantee.epsilon_all), _number(guarantee.epsilon_slot)
    stated = (
        f"ε = {_number(guarantee.epsilon)} for all of a person's records in the {many} together. "
        f"For the place at which a person is counted in one slot, ε = {slot}."
        if guarantee.unit == "user"
        else f"ε = {slot} for a person's records within one slot; for all of a person's records in "
        f"the {many} together, ε = {in_all}. Moving a record to another slot changes two slots, "
        "whose ε values add up."
    )
    return (
        f"{stated} The values of ε of repeated publications about the same people add up: two such "
        "tables cost twice as much."
    )


def _places(frame: CountsFrame) -> str:
    if frame.area is None:
        return (
            f"Places are the antennas of an antenna table, {frame.n_places:,} in all; a record "
            "counts at the nearest."
        )
    return (
        f"Places are squares of {frame.dx_m[0]:g} m over the area {frame.area}, "
        f"{frame.n_places:,} in all."
    )


def _period(frame: CountsFrame) -> str:
    days = f"{frame.days:,} day{'' if frame.days == 1 else 's'}"
    if frame.clock is None:
        return f"The period is {days}."
    return f"The period is {days} from {frame.first_day} on, local time of {frame.clock.timezone}."


def _field(name: str, kind: str, title: str, description: str, unit: str) -> dict[str, str]:
    told = {"name": name, "type": kind, "title": title, "description": description}
    return told | ({"unit": unit} if unit else {})


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
