"""The thresholds of risk, set once for every page: the value of each, and its source."""

from __future__ import annotations

import math

import streamlit as st

from fpanon_core.model.definitions import of_risks
from fpanon_core.model.disclosure import RISKS
from fpanon_core.studies.judgement import Limits
from pages.charts.plain import plain

from . import guard, layout, session
from .guard import act

_KEPT, _SEEN = "fp_limits", "fp_limits_seen"
_FORM = "fp_limits_form"  # how often its fields were overtaken by thresholds from elsewhere


_ASKED = ("outsider", "home", "unicity", "membership", "em", "kl")
RULE = (
    "An option is within the thresholds when none of its risks is, or may be, above its threshold. "
    "**May be above** means that the upper end of the 95% interval is above the threshold, or that "
    "the risk is not known. **Above** means that even the lower end of the interval is above the "
    "threshold. Thresholds apply on every page, in the report and in downloads. Leave a field "
    "empty for no threshold. No authority has set thresholds for mobility data. The purpose and "
    "the recipient are set on *Overview*."
)


def in_force() -> Limits:
    """Return the thresholds of this session: the usual ones until others are given."""
    found = st.session_state.get(_KEPT)
    return found if isinstance(found, Limits) else Limits()  # anybody may have made a study


def draw(label: str, usual: Limits) -> None:
    """Draw the thresholds in a form that the label opens; call once a run, before the page.

    The source of each threshold is drawn beside it; ``usual`` are the usual thresholds for the
    recipient.

    A browser makes the fields of a popover when the popover is opened, with the values that the
    last run sent. A value put into the session's state is sent in one run only. If the field
    persists, every run sends the value until the browser has the field. The content of a field is
    never read: only its change writes a threshold. Drawing, opening or closing the form changes
    nothing.
    """
    of = in_force()
    if _SEEN in st.session_state and st.session_state[_SEEN] is not of:  # they are from elsewhere
        layout.overtake(_FORM)
    _hold(of)
    with st.popover(plain(label), type="tertiary", icon=":material/rule:", key="limits"):
        st.markdown(RULE)
        st.markdown(counted(of))
        for name in _ASKED:
            spoken = of_risks()[name]
            most, key = RISKS[name].most, layout.key(f"limit_{name}", _FORM)
            if key not in st.session_state:
                st.session_state[key] = _shown(of, name)
            st.number_input(
                # Only a field whose own value is None can be emptied.
                spoken.asked,
                min_value=0.0,
                value=None,
                persist_state="session",
                step=1.0,
                format="%g",
                max_value=None if math.isinf(most) else _scale(name) * most,
                key=key,
                placeholder="no threshold",
                help=spoken.help,
                on_change=act(_changed),
                args=(name, key),
            )
            st.caption(describe_source(of, name, usual))
        again = "Restore the usual thresholds"
        guard.button(again, take, usual, key="limits_usual", disabled=of == usual)


def take(limits: Limits) -> None:
    """Set thresholds that were not entered in the form; call before the form is drawn."""
    layout.overtake(_FORM)
    _hold(limits)


def _changed(name: str, key: str) -> None:
    """Record that a threshold was entered or removed."""
    if layout.is_current(key, f"limit_{name}", _FORM):
        value: float | None = st.session_state[key]
        limit = None if value is None else value / _scale(name)
        _hold(Limits({**in_force().of, name: limit}))


def _hold(limits: Limits) -> None:
    session.keep(_KEPT, limits)
    st.session_state[_SEEN] = limits


def counted(of: Limits) -> str:
    """Say how many measures have a threshold, and which measures these are."""
    parts = [of_risks()[risk].counted for risk in of.judged]
    if not parts:
        return "No threshold is in force."
    have = "measure has" if len(parts) == 1 else "measures have"
    return f"{len(parts)} {have} a threshold: {'; '.join(parts)}."


def describe_source(limits: Limits, name: str, of_recipient: Limits) -> str:
    """Say where a threshold comes from."""
    limit, usual = limits.limit(name), of_recipient.limit(name)
    if limit == usual != Limits().limit(name):
        return "This threshold depends on who gets the release."
    if limit == usual:
        return f"Threshold: {RISKS[name].source}."
    if limit is None:
        return "No threshold: this measure rules out no option."
    if usual is None:
        return "Your own threshold. Usually there is none."
    return f"Your own threshold, {'looser' if limit > usual else 'stricter'} than the usual one."


def _shown(of: Limits, name: str) -> float | None:
    limit = of.limit(name)
    # 100 times .07 is 7.000000000000001.
    return None if limit is None else round(_scale(name) * limit, 10)


def _scale(name: str) -> float:
    return 1.0 if math.isinf(RISKS[name].most) else 100.0  # a share is written in per cent
