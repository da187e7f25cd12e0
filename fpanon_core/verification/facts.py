"""Are the figures that a release states of itself those that are found?

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from ..model.arrays import BoolArray
from .anonymity import Checked
from .faults import Faults
from .page_figures import CROWDING, MOST_LEFT_OUT, period, side, window
from .periods import periods_of
from .records import Records
from .rows import Rows

_SLACK_SHARE = 5e-5  # a share stated to four decimals


def limits_stated(facts: dict[str, Any]) -> tuple[float | None, float | None]:
    """The limits on side, metres, and span, minutes; None where there is none."""
    found = [_number(facts.get(name)) for name in ("suppress_space_m", "suppress_time_min")]
    return found[0], found[1]


def _number(value: Any) -> float | None:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if usable and math.isfinite(value) else None


def check_facts(facts: dict[str, Any], rows: Rows, sha256: str, faults: Faults) -> None:
    """Projection, clock, granularity, limits, k and verdict are what they are said to be."""
    if not facts:
        return
    fs = faults.original
    if facts.get("crs") != fs.crs:
        faults.add("projection", "The map projection stated is not that of the original.")
    zone = None if fs.clock is None else fs.clock.timezone
    if facts.get("timezone") != zone:
        faults.add("clock", "The time zone stated is not that of the original.")
    epoch = facts.get("epoch")
    local = None if fs.clock is None else fs.clock.epoch.astimezone(_zone(faults)).date()
    if epoch is not None and (local is None or epoch != local.isoformat()):
        faults.add("clock", "The first day stated is not that of the original.")
    _check_period(facts, rows, faults)
    for name, least in (("granularity_m", fs.granularity_m),
                        ("granularity_min", fs.granularity_min)):  # fmt: skip
        value = _number(facts.get(name))
        if value is None or value < least - 1e-9:
            faults.add("granularity", "The granularity stated is finer than the original's.")
    for name in ("suppress_space_m", "suppress_time_min"):
        value = facts.get(name)
        if value is not None and not (_number(value) or 0.0) > 0:
            faults.add("description", "A limit stated is no positive number.")
    k = facts.get("k")
    if faults.k and (not isinstance(k, int) or isinstance(k, bool) or k < 2):
        faults.add("stated k", "The release does not state the crowd that it promises.")
    _check_steps(facts, faults)
    verified = facts.get("verified")
    if not isinstance(verified, dict) or not isinstance(verified.get("text"), str):
        faults.add("verdict", "The verdict stated is none.")
    elif verified.get("sha256") != sha256:
        faults.add("verdict", "The verdict stated is on other bytes.")
    elif verified.get("passed") is not True or verified.get("k") != k:
        faults.add("verdict", "The verdict stated is that it failed, or on another k.")


def _zone(faults: Faults) -> dt.tzinfo:
    assert faults.original.clock is not None
    return ZoneInfo(faults.original.clock.timezone)


def _check_period(facts: dict[str, Any], rows: Rows, faults: Faults) -> None:
    """Every published sample begins on one of the days stated."""
    first, last = facts.get("first_day"), facts.get("last_day")
    if first is None and last is None:
        return
    try:
        days = dt.date.fromisoformat(str(first)), dt.date.fromisoformat(str(last))
    except ValueError:
        faults.add("period", "The first or last day stated is none.")
        return
    if days[0] > days[1]:
        faults.add("period", "The last day stated is before the first.")
        return
    if faults.original.clock is not None and rows.number:
        stated = facts.get("last_window_days")
        if (None if stated is None else tuple(stated)) != _last_window(rows, days[1], faults):
            faults.add("period", "How much of the last window is recorded is not what is stated.")
    if faults.k and faults.original.clock is not None and rows.number:
        zone = faults.original.clock.timezone
        first_start, last_start = (
            at.tz_convert(zone).date() for at in (rows.first_start, rows.last_start)
        )
        if first_start < days[0] or last_start > days[1]:
            faults.add("period", "A published sample begins outside the days stated.")


def _last_window(rows: Rows, last: dt.date, faults: Faults) -> tuple[int, int] | None:
    """Days of the window that ends last up to that day, and all; None if it ends by then."""
    end, zone = rows.last_end, _zone(faults)
    begin_day = rows.start_of_last.tz_convert(zone).date()
    end_day = (end - pd.Timedelta(milliseconds=60)).tz_convert(zone).date()
    beyond, days = (end_day - last).days, (end_day - begin_day).days + 1
    return (days - beyond, days) if beyond > 0 else None


def _check_pieces(
    facts: dict[str, Any], records: Records, checked: Checked | None, faults: Faults
) -> tuple[int, int]:
    """Pseudonyms and periods are counted; people published, and people left out, are returned.

    Where it is not known whose the records are, any number of people that there may be.
    """
    cut, claim = faults.cut, records.claim
    assert cut is not None
    period = periods_of(claim, cut.edges)[records.kind]
    for name, value in (
        ("pseudonyms", len(records.pseudonym)), ("periods", len(np.unique(period))),
    ):  # fmt: skip
        if facts.get(name) != value or isinstance(facts.get(name), bool):
            faults.add("counts", f"The number stated for {name} is not the one found.")
    home = claim.home
    if home is None and checked is not None and checked.certain:
        home = checked.home
    if home is not None:
        people = len(np.union1d(cut.person[home >= 0], cut.person[claim.elsewhere[:, 0]]))
        return people, cut.n_people - people
    stated = facts.get("people")
    least = int(np.bincount(period).max(initial=0))
    if not isinstance(stated, int) or not least <= stated <= min(cut.n_people, len(period)):
        stated = least
    return stated, cut.n_people - stated


def _check_steps(facts: dict[str, Any], faults: Faults) -> None:
    """Where the last technique hides everyone in a crowd, its numbers are those beside it."""
    steps = facts.get("steps")
    # A technique may be anything that JSON knows, also what no set can hold.
    if not isinstance(steps, list) or not all(
        isinstance(step, dict) and isinstance(step.get("technique"), str) for step in steps
    ):
        faults.add("description", "The techniques are not stated.")
        return
    fate = facts.get("leftover")
    option = str(facts.get("option"))
    cuts = [step.get("days") for step in steps if step.get("technique") == "periods"]
    if cuts != ([] if facts.get("period_days") is None else [facts["period_days"]]):
        faults.add("description", "The techniques stated contradict the periods stated.")
    if not all(text in option for step in steps if (text := _words(step)) is not None):
        faults.add("description", "The words for what was done are not those of the techniques.")
    if not steps or steps[-1].get("technique") not in CROWDING:
        if fate is not None:
            faults.add("description", "The techniques stated contradict the leftover stated.")
        return
    if fate not in ("merge", "suppress"):
        faults.add("description", "The techniques stated contradict the leftover stated.")
    if not option.endswith(_words(steps[-1]) or "?"):
        faults.add("description", "The words for what was done are not those of the techniques.")
    if not {step.get("technique") for step in steps} & {"generalize", "add_noise", "permute"}:
        fs = faults.original
        for name, own in (("granularity_m", fs.granularity_m),
                          ("granularity_min", fs.granularity_min)):  # fmt: skip
            value = _number(facts.get(name))
            if value is None or not math.isclose(value, own, rel_tol=1e-9):
                faults.add("granularity", "The granularity stated is not the original's.")
    for name in ("k", "suppress_space_m", "suppress_time_min", "leftover"):
        if name in steps[-1] and steps[-1][name] != facts.get(name):
            faults.add("description", f"The techniques stated contradict the {name} stated.")


def _words(step: dict[str, Any]) -> str | None:
    """A technique in words, where a number of it is a promise; None for others."""
    technique = step.get("technique")
    if technique in CROWDING:
        width, length = (
            _number(step.get("suppress_space_m")),
            _number(step.get("suppress_time_min")),
        )
        limits = [] if width is None else [side(width)]
        limits += [] if length is None else [window(length)]
        within = f", within {' and '.join(limits)}" if limits else ""
        share = _number(step.get("leave_out")) or 0.0
        without = f", up to {share * 100:g} % left out" if share else ""
        return f"{CROWDING[technique]}, k = {step.get('k')}{within}{without}"
    if technique == "periods":
        days = step.get("days")
        return f"periods of {period(days)}" if isinstance(days, int) else "?"
    if technique == "sample_users":
        return f"{(_number(step.get('share')) or 0.0) * 100:g} % of the users"
    if technique == "suppress_rare":
        return f"bins of fewer than {step.get('min_users')} users left out"
    return None


def check_counts(
    facts: dict[str, Any], rows: Rows, records: Records, listed: BoolArray | None,
    checked: Checked | None, faults: Faults,
) -> None:  # fmt: skip
    """Counts and shares stated are those found."""
    if not facts:
        return
    fs = faults.original
    people = len(records.pseudonym)
    absent = fs.n_users - people
    if faults.cut is not None:
        people, absent = _check_pieces(facts, records, checked, faults)
    found: dict[str, int | None] = {
        "people": people,
        "rows": rows.number,
        "groups": len(set(records.claim.label.tolist())) if "group" in rows.columns else None,
        "samples_in": fs.n_samples,
        "people_left_out": absent,
        "people_alone": int((np.bincount(records.claim.content[records.kind]) == 1).sum()),
    }
    if listed is not None:
        found["samples_left_out"] = int(listed.sum())
    elif checked is not None and checked.certain:
        found["samples_left_out"] = int(checked.held.gone.sum())
    for name, value in found.items():
        if facts.get(name) != value or isinstance(facts.get(name), bool):
            faults.add("counts", f"The number stated for {name} is not the one found.")
    lost = facts.get("samples_left_out")
    if not isinstance(lost, int) or isinstance(lost, bool) or not 0 <= lost <= fs.n_samples:
        faults.add("counts", "The number stated for samples_left_out cannot be.")
    if faults.cut is None:
        _check_left_out(facts, people, faults)
    else:
        _check_pieces_left_out(facts, records, faults)
    stated = _number(facts.get("phantom_share"))
    # A cell of GLOVE is true of one person at least; where samples are moved, perhaps of nobody.
    possible = stated is not None and 0 <= stated <= 1 and not (stated == 1 and faults.k)
    if not possible and (rows.number or facts.get("phantom_share") is not None):
        faults.add("phantom share", "The phantom share stated cannot be.")
    if checked is None:
        return
    share = checked.held.phantom_share
    too_few = stated is not None and checked.closest and stated < share - _SLACK_SHARE
    too_many = stated is not None and checked.certain and stated > share + _SLACK_SHARE
    if stated is None or too_few or too_many:
        faults.add("phantom share", "The phantom share stated is not the one found.")


def _check_left_out(facts: dict[str, Any], people: int, faults: Faults) -> None:
    """Where nothing but a crowd is stated, nobody is left out but the last and the share stated."""
    steps = facts.get("steps")
    if not isinstance(steps, list) or len(steps) != 1 or not isinstance(steps[0], dict):
        return
    step = steps[0]
    if str(step.get("technique")) not in CROWDING:
        return
    if any(step.get(name) is not None for name in ("suppress_space_m", "suppress_time_min")):
        return
    users, gone = int(faults.original.weight.sum()), faults.original.n_users - people
    share, k = _number(step.get("leave_out")) or 0.0, _number(step.get("k")) or 0.0
    last = k - 1 if facts.get("leftover") == "suppress" else 0
    if not 0 <= share <= MOST_LEFT_OUT or gone > share * users + last + 1e-6:
        faults.add("counts", "More people are left out than the techniques stated leave out.")


def _check_pieces_left_out(facts: dict[str, Any], records: Records, faults: Faults) -> None:
    """Likewise in each period; and nobody is missing from one but where there are too few."""
    steps, cut = facts.get("steps"), faults.cut
    assert cut is not None
    if not isinstance(steps, list) or len(steps) != 2 or not isinstance(steps[1], dict):
        return
    step = steps[1]
    if str(step.get("technique")) not in CROWDING:
        return
    if any(step.get(name) is not None for name in ("suppress_space_m", "suppress_time_min")):
        return
    share, k = _number(step.get("leave_out")) or 0.0, _number(step.get("k")) or 0.0
    last = k - 1 if facts.get("leftover") == "suppress" else 0
    people = np.bincount(cut.period, faults.original.weight)
    pieces = np.bincount(cut.period)
    there = np.bincount(periods_of(records.claim, cut.edges)[records.kind], minlength=len(people))[
        : len(people)
    ]
    gone = pieces - there
    allowed = np.where(people < k, pieces, share * people + last + 1e-6)
    if not 0 <= share <= MOST_LEFT_OUT or (gone > allowed).any() or (there[people < k] > 0).any():
        text = "More people are left out of a period than the techniques stated leave out."
        faults.add("counts", text)
