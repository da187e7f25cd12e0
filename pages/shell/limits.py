"""The limits of risk, set once and in force on every page: what each is, and where it is from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from fpanon_core.model.risk import ALONE, RISKS
from fpanon_core.studies.judgement import Limits
from pages.charts import words

from . import overtaken, session
from .guard import act

_KEPT, _SEEN = "fp_limits", "fp_limits_seen"
_FORM = "fp_limits_form"  # how often its fields were overtaken by thresholds from elsewhere


@dataclass(frozen=True)
class _Spoken:
    """How a limit is asked for and told; a share is written in per cent."""

    asked: str
    short: str
    unit: str
    help: str
    share: bool = True


_SPOKEN = {
    "outsider": _Spoken(
        "Chance of naming somebody (%)", "named", " %",
        "Holds for outsider risk, linkage and k-disclosure, each a mean over the people asked "
        "about.",
    ),
    "home": _Spoken(
        "Homes found, beyond guessing (points)", "home", " points over guessing",
        "Of 100 people, how many more have their home found within 1 km than guessing finds.",
    ),
    "unicity": _Spoken(
        "People found alone (%)", "alone", " %",
        "Holds for unicity, the share found by the known points, and for the share of people whose "
        "whole record is like nobody else's.",
    ),
    "em": _Spoken(
        "EM-disclosure (bins)", "EM", " bins",
        "How far what is believed of a person moves, in all.", share=False,
    ),
    "kl": _Spoken(
        "KL-disclosure (nats)", "KL", " nats",
        "How much is learnt of a person, in all.", share=False,
    ),
}  # fmt: skip
_COUNTED = {
    "outsider": "chance of naming (the larger of linkage and k-disclosure)",
    "home": "homes found",
    "unicity": "people found alone by the known points (unicity)",
    ALONE: "people alone with their whole record, with the limit of unicity",
    "em": "EM-disclosure",
    "kl": "KL-disclosure",
}
_ALWAYS = ("outsider", "home", "unicity")
RULE = (
    "A form is within the limits when no risk of it may be above its limit. **May be above**: the "
    "upper end of its 95 % interval is, or it is not known. **Above**: even the lower end is. The "
    "limits hold on every page, in the report and in what is downloaded. Empty: no limit. No "
    "authority has set any for mobility data."
)


def in_force() -> Limits:
    """The limits of this session: the usual ones until others are given."""
    found = st.session_state.get(_KEPT)
    return found if isinstance(found, Limits) else Limits()  # a study may be of anybody's making


def popover() -> None:
    """The thresholds in one line; a press opens the form. Draw it once a run, before the page.

    A browser makes the fields of a popover when it is opened, with the value that it was sent
    last. So each is sent its threshold in every run, and only a change of the field writes one:
    to draw, open or close the form changes nothing.
    """
    of = in_force()
    if _SEEN in st.session_state and st.session_state[_SEEN] is not of:  # they are from elsewhere
        overtaken.overtake(_FORM)
    _hold(of)
    with st.popover(line(of), type="tertiary", icon=":material/rule:", key="limits"):
        st.markdown(RULE)
        st.markdown(counted(of))
        for name, spoken in _SPOKEN.items():
            most, key = RISKS[name].most, overtaken.key(_field(name), _FORM)
            st.number_input(
                spoken.asked, min_value=0.0, value=_shown(of, name), step=1.0, format="%g",
                max_value=None if math.isinf(most) else _scale(name) * most, key=key,
                placeholder="no threshold", help=spoken.help, on_change=act(_changed),
                args=(name, key),
            )  # fmt: skip
            st.caption(source_told(of, name))
        st.button(
            "Restore the usual thresholds", key="limits_usual", on_click=act(take),
            args=(Limits(),), disabled=of == Limits(),
        )  # fmt: skip


def take(limits: Limits) -> None:
    """Thresholds from elsewhere, before the form is drawn."""
    overtaken.overtake(_FORM)
    _hold(limits)


def _changed(name: str, key: str) -> None:
    """Somebody gave a threshold, or took it away."""
    if overtaken.is_current(key, _field(name), _FORM):
        value: float | None = st.session_state[key]
        limit = None if value is None else value / _scale(name)
        _hold(Limits({**in_force().of, name: limit}))


def _hold(limits: Limits) -> None:
    session.keep(_KEPT, limits)
    st.session_state[_SEEN] = limits


def line(of: Limits) -> str:
    """All that is in force in a line: how many limits, and those that are asked for most."""
    many = len(of.judged)
    if not many:
        return "No limit is set"
    # Short, so that the bar stays one line: the popover says of each what it is of.
    return f"{words.count(many, 'limit')}: {told(of).replace(' points over guessing', ' points')}"


def counted(of: Limits) -> str:
    """Which limits are counted where a page says how many a form is above."""
    parts = [_COUNTED[risk] for risk in of.judged]
    return f"In force, {len(parts)}: {'; '.join(parts)}." if parts else "None is in force."


def told(limits: Limits | None = None) -> str:
    """The limits in a line: naming, home and people alone always, the others where not usual."""
    of = in_force() if limits is None else limits
    usual = Limits()
    named = [n for n in _SPOKEN if n in _ALWAYS or of.limit(n) != usual.limit(n)]
    return " · ".join(_told(of, name) for name in named)


def source_told(limits: Limits, name: str) -> str:
    """Where a limit is from."""
    limit, usual = limits.limit(name), Limits().limit(name)
    if limit == usual:
        return f"Limit of {RISKS[name].source}."
    if limit is None:
        return "No limit is set: nothing is refused by it."
    looser = usual is not None and limit > usual
    return f"Your own limit, {'looser' if looser else 'stricter'} than the usual one."


def _told(of: Limits, name: str) -> str:
    spoken, value = _SPOKEN[name], _shown(of, name)
    return (
        f"{spoken.short}: no limit" if value is None else f"{spoken.short} ≤ {value:g}{spoken.unit}"
    )


def _shown(of: Limits, name: str) -> float | None:
    limit = of.limit(name)
    # 100 times .07 is 7.000000000000001.
    return None if limit is None else round(_scale(name) * limit, 10)


def _scale(name: str) -> float:
    return 100.0 if _SPOKEN[name].share else 1.0


def _field(name: str) -> str:
    return f"limit_{name}"
