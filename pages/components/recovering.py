"""The recovery attack on a data set's own counts: how it is run, whom one looks at, its files.

Whom one looks at stays out of the address; how the attack is run is in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st

from fpanon_core.attacks.scoring import Pairing
from fpanon_core.measures.places import lon_lat
from pages.charts import words
from pages.charts.recovery import Panel, Remedy

from . import address, definitions, overtaken, settled, tasks
from .answers import Question
from .dataset import Dataset
from .person import days
from .tasks import Attacked

_MANY_CELLS = 5_000_000  # people × slots; above, the run waits to be asked for
_MOST_USERS, _MOST_SEED = 1_000_000, 999_999
_LIST_UP_TO = 5_000
_PLAN, _PICKED, _WHO = "fp_recovery_plan", "fp_recovered_picked", "fp_recovered_who"
_PAIRINGS = {"greedy": "one after the other", "optimal": "the best together"}
SLOTS_MIN = (15, 30, 60, 90, 180)
STEPS = ("nights", "days", "across days")


@dataclass(frozen=True)
class Plan:
    """How counts are made, and the attack on them scored."""

    slot_min: float = 30.0
    users: int = 2_000
    pairing: Pairing = "greedy"
    seed: int = 0


def form(data: Dataset) -> Plan:
    """The form; the plan as it was last submitted, with no more people than there are."""
    plan = wanted()
    pairings = list(_PAIRINGS)
    with st.form("aggregates_form"):
        cells = st.columns([2, 2, 2, 1.4, 1.2], gap="medium", vertical_alignment="bottom")
        slot = cells[0].selectbox(
            "Length of a slot",
            SLOTS_MIN,
            index=SLOTS_MIN.index(int(plan.slot_min)),
            format_func=words.duration,
            key="aggregates_slot",
            help=definitions.AGGREGATES,
        )
        users = cells[1].number_input(
            "People counted, at most",
            2,
            _MOST_USERS,
            plan.users,
            step=500,
            key="aggregates_users",
            help="Of more people in the data, as many are drawn at random.",
        )
        pairing = cells[2].selectbox(
            "Pairing with the truth",
            pairings,
            index=pairings.index(plan.pairing),
            format_func=_PAIRINGS.__getitem__,
            key="aggregates_pairing",
            help="To score the attack, each recovered trajectory is paired with a true one: in "
            "order, with the most alike that is left (as published), or so that all pairs "
            "together have most in common, which takes longer.",
        )
        seed = cells[3].number_input(
            "Seed",
            0,
            _MOST_SEED,
            plan.seed,
            key="aggregates_seed",
            help="Of random linking, and of whom is drawn.",
        )
        cells[4].form_submit_button("Attack", type="primary", key="aggregates_run")
    plan = Plan(float(slot), int(users), cast(Pairing, pairing), int(seed))
    st.session_state[_PLAN] = plan
    _write_url(plan)
    return replace(plan, users=min(plan.users, data.fs.n_users))


def wanted() -> Plan:
    """The plan in use; that of the address when the session begins."""
    if _PLAN not in st.session_state:
        st.session_state[_PLAN] = _from_url()
    found: Plan = st.session_state[_PLAN]
    return found


def _from_url() -> Plan:
    """What the address names; a part that makes no sense is left out."""
    plan = Plan()
    slots = {str(minutes): float(minutes) for minutes in SLOTS_MIN}
    pairings: dict[str, Pairing] = {name: cast(Pairing, name) for name in _PAIRINGS}
    return Plan(
        address.asked("slot", address.one_of(slots), plan.slot_min),
        address.asked("people", address.within(2, _MOST_USERS), plan.users),
        address.asked("pairing", address.one_of(pairings), plan.pairing),
        address.asked("seed", address.within(0, _MOST_SEED), plan.seed),
    )


def _write_url(plan: Plan) -> None:
    """Put the plan in the address, so that it can be kept or passed on."""
    usual, named = Plan(), {}
    for name, ours, theirs in (
        ("slot", f"{plan.slot_min:g}", f"{usual.slot_min:g}"),
        ("people", str(plan.users), str(usual.users)),
        ("pairing", plan.pairing, usual.pairing),
        ("seed", str(plan.seed), str(usual.seed)),
    ):
        if ours != theirs:
            named[name] = ours
    address.write(named)


def attacked(data: Dataset, plan: Plan) -> Attacked | None:
    """The attack's result; of ordinary data it is asked for by itself."""
    minutes = float(data.fs.t_min.max() - data.fs.t_min.min())
    ordinary = plan.users * minutes / plan.slot_min <= _MANY_CELLS and plan.pairing == "greedy"
    found: Attacked | None = settled.settled(
        _question("recovery", "Recovering people's paths from counts", tasks.attack_counts, data,
                  plan),
        alone=ordinary,
        button="Attack the counts",
    )  # fmt: skip
    return found


def factors(data: Dataset, plan: Plan) -> pd.DataFrame | None:
    """The attack over resolutions and numbers of people; waits to be asked for."""
    question = _question(
        "recovery_factors", "Varying places, slots and people", tasks.vary_counts, data, plan
    )
    return settled.settled(question, alone=False, button="Vary places, slots and people")


def remedies(data: Dataset, plan: Plan) -> pd.DataFrame | None:
    """The attack after each mitigation; waits to be asked for."""
    question = _question(
        "recovery_remedies", "Attacking after each mitigation", tasks.mitigate_counts, data, plan
    )
    return settled.settled(question, alone=False, button="Try the mitigations")


def _question(
    kind: str, label: str, function: Callable[..., Any], data: Dataset, plan: Plan
) -> Question:
    arguments = (plan.slot_min, plan.users, plan.pairing, plan.seed)
    return Question(kind, (data.digest, plan), label, function, (data.fs, *arguments))


def moment(data: Dataset, found: Attacked) -> int:
    """The slot looked at on the map; the middle of the first whole day until one is chosen."""
    wall, names = found.counts.wall_start_min, days(data.fs)
    if len(wall) == 1:
        return 0
    noon = int(np.argmin(np.abs(wall - (1440 * np.ceil(wall[0] / 1440) + 720))))
    return int(
        st.select_slider(
            "Local time",
            range(len(wall)),
            value=noon,
            format_func=lambda s: told(float(wall[s]), names),
            key=f"aggregates_slot_{found.counts.slot_min:g}_{len(wall)}_{wall[0]:g}",
        )
    )


def told(wall_min: float, names: list[str]) -> str:
    """A local time in words, such as "4 Mar, 08:30"."""
    day = int(wall_min // 1440)
    name = names[day] if day < len(names) else f"day {day + 1}"
    return f"{name}, {int(wall_min % 1440 // 60):02d}:{int(wall_min % 60):02d}"


def person(data: Dataset, found: Attacked) -> int:
    """The row, among those counted, to look at; one in the middle until another is chosen."""
    right = (found.recovered == found.truth).mean(axis=1)
    order = np.argsort(right, kind="stable")
    names = np.array(data.fs.pseudonyms)[found.users]
    numbers = data.fs.number[found.users]
    if st.session_state.get(_WHO) not in numbers:
        _look_at(int(numbers[order[len(order) // 2]]))
    number = int(st.session_state[_WHO])
    row = int(np.flatnonzero(numbers == number)[0])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(names) <= _LIST_UP_TO:
            key = overtaken.key("aggregates_person", _PICKED)
            st.selectbox(
                "Person", numbers.tolist(), index=row, key=key, on_change=_take, args=(key,),
                format_func=dict(zip(numbers.tolist(), names.tolist(), strict=True)).__getitem__,
                help="Choose by pseudonym, among those counted.", width=220,
            )  # fmt: skip
        else:
            key = overtaken.key("aggregates_person", _PICKED)
            asked = st.number_input(
                "Person (number of the pseudonym)", 1, int(data.fs.number.max()), number, key=key,
                on_change=_take, args=(key,), width=260,
            )  # fmt: skip
            if asked not in numbers:
                st.warning("Nobody counted has this number.")
        for label, at in (
            ("Best recovered", -1),
            ("In the middle", len(order) // 2),
            ("Least recovered", 0),
        ):
            st.button(
                label,
                key=f"aggregates_{label.split()[0].lower()}",
                on_click=_look_at,
                args=(int(numbers[order[at]]),),
            )
    return row


def _look_at(number: int) -> None:
    overtaken.overtake(_PICKED)
    st.session_state[_WHO] = number


def _take(key: str) -> None:
    if overtaken.is_current(key, "aggregates_person", _PICKED):
        st.session_state[_WHO] = int(st.session_state[key])


@dataclass(frozen=True, eq=False)
class Path:
    """Somebody's true and recovered positions by slot; degrees empty without a projection."""

    true: tuple[np.ndarray, np.ndarray]
    recovered: tuple[np.ndarray, np.ndarray]
    km: np.ndarray
    right: float


def path(data: Dataset, found: Attacked, row: int) -> Path:
    """Of one of those counted."""
    c, true, ours = found.counts, found.truth[row], found.recovered[row]
    lon, lat = lon_lat(data.fs, *c.centres.T)
    at = [(lon[p], lat[p]) if len(lon) else (lon, lat) for p in (true, ours)]
    km = np.hypot(*(c.centres[true] - c.centres[ours]).T) / 1000
    return Path(at[0], at[1], km, float((true == ours).mean()))


def panels(table: pd.DataFrame) -> tuple[list[Panel], list[Panel]]:
    """Accuracy and uniqueness over each factor."""
    accuracy, unique = [], []
    for factor, title, level in (
        ("space", "Side of a place", _side),
        ("time", "Length of a slot", _span),
        ("users", "People counted", lambda n: f"{n:,.0f}"),
    ):
        rows = table[table["factor"] == factor].drop_duplicates("level")
        levels = [level(v) for v in rows["level"]]
        names = {"night": "nights", "day": "days", "whole": "across days", "whole_random":
                 "across days, at random"}  # fmt: skip
        # The last step first: it has the first colour in every figure.
        order = ("whole", "day", "night", "whole_random")
        accuracy.append(Panel(title, levels, [(names[c], rows[c].tolist()) for c in order]))
        tops = [(f"by {k} places" if k > 1 else "by 1 place", rows[f"top{k}"].tolist())
                for k in (2, 3, 5, 1)]  # fmt: skip
        unique.append(Panel(title, levels, tops))
    return accuracy, unique


def _side(metres: float) -> str:
    return "as it is" if metres == 0 else words.distance(metres).replace(".0 km", " km")


def _span(minutes: float) -> str:
    return f"{minutes:g} min" if minutes < 120 else f"{minutes / 60:g} h"


def named(row: Any) -> str:
    """A mitigation in words."""
    setting = row["setting"]
    match row["mitigation"]:
        case "none":
            return "as they are"
        case "longer slots":
            return f"slots of {_span(setting)}"
        case "coarser places":
            return f"places of {setting / 1000:g} km"
        case "small counts suppressed":
            return f"counts below {setting:g} left out"
        case "noise at frequent places":
            return f"{setting:.0%} of points moved".replace("%", " %")
        case _:
            unit = "one slot" if row["unit"] == "user-slot" else "person"
            return f"private, {unit}, ε = {setting:g}"


def times(share: float) -> str:
    """An error against what was counted, such as "31 % of" or "45 times"."""
    return f"{words.percent(share)} of" if share < 2 else f"{share:,.0f} times"


def tried(table: pd.DataFrame) -> list[Remedy]:
    """The mitigations, for the figure."""
    return [
        Remedy(
            named(row),
            float(row["whole"]),
            float(row["whole_random"]),
            float(row["count_error_share"]),
        )
        for row in table.to_dict("records")
    ]


# --- files ---


def counts_csv(data: Dataset, found: Attacked) -> bytes:
    """The counts under attack: one row per slot and place with anybody."""
    c = found.counts
    slot, place = np.nonzero(c.counts)
    rows = {
        "slot_start_min": c.slot_start_min[slot],
        "slot_min": c.slot_min,
        "x_m": c.x_m[place],
        "y_m": c.y_m[place],
        "people": c.counts[slot, place],
    }
    return _csv(data, pd.DataFrame(rows))


def scores_csv(data: Dataset, found: Attacked) -> bytes:
    """Accuracy after each step, beside linking at random."""
    s = found.score
    rows = {"step": STEPS, "accuracy": s.accuracy_by_step, "at_random": s.baseline_by_step,
            "users": s.n_users, "slots": s.n_slots, "slot_min": found.counts.slot_min,
            "pairing": s.pairing, "seed": s.seed}  # fmt: skip
    return _csv(data, pd.DataFrame(rows))


def errors_csv(data: Dataset, found: Attacked) -> bytes:
    """Quantiles of the recovery error."""
    error = found.score.error_m
    share = np.linspace(0, 1, len(error))
    return _csv(data, pd.DataFrame({"share_of_points": share, "error_m": error}))


def uniqueness_csv(data: Dataset, found: Attacked) -> bytes:
    """Uniqueness of recovered trajectories by their most visited places."""
    unique = found.score.uniqueness
    return _csv(data, pd.DataFrame({"places": np.arange(1, len(unique) + 1), "unique": unique}))


def path_csv(data: Dataset, found: Attacked, row: int) -> bytes:
    """One person's true and recovered places, under the pseudonym; not for release."""
    c, true, ours = found.counts, found.truth[row], found.recovered[row]
    rows = {
        "pseudonym": data.fs.pseudonyms[found.users[row]],
        "slot_start_min": c.slot_start_min,
        "true_x_m": c.x_m[true],
        "true_y_m": c.y_m[true],
        "recovered_x_m": c.x_m[ours],
        "recovered_y_m": c.y_m[ours],
    }
    return _csv(data, pd.DataFrame(rows))


def table_csv(data: Dataset, table: pd.DataFrame) -> bytes:
    """Factors or mitigations."""
    return _csv(data, table)


def _csv(data: Dataset, table: pd.DataFrame) -> bytes:
    whose = {"data_digest": data.digest, "synthetic": data.source.synthetic}
    return table.assign(**whose).to_csv(index=False).encode()
