"""Settings of the analysis: values of k, profiles and stretch effort, with a way to undo changes.

The settings are not personal, so the URL holds them; the selected person stays out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.errors import ConfigError, FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.profiles import GeneralizationProfile
from pages.shell import address, definitions, layout, widgets
from pages.shell.guard import act
from pages.shell.widgets import PRESETS, TYPED, in_order, number, offered, profiles_of, selectbox

_CURRENT, _BEFORE = "fp_settings", "fp_settings_before"
# How often a change made elsewhere overtook the form, and the choice of k next to it.
_FORM, _CROWDS = "fp_settings_form", "fp_settings_crowds"
_NAMES = {"ks": "k", "profiles": "profiles", "config": widgets.NAME}
K_PRESETS = (2, 5, 10, 25, 50, 100)


@dataclass(frozen=True)
class Settings:
    """Settings of the measurement: ``ks`` in ascending order, ``profiles`` from fine to coarse."""

    ks: tuple[int, ...] = (2, 5, 10)
    profiles: tuple[GeneralizationProfile, ...] = PRESETS
    config: StretchConfig = field(default_factory=StretchConfig)

    def __post_init__(self) -> None:
        ks = tuple(sorted(set(self.ks)))
        if not ks or not all(k in limits.K for k in ks):
            raise ConfigError(
                f"Choose at least one k, each from {limits.K.low} to {limits.K.high}."
            )
        object.__setattr__(self, "ks", ks)
        object.__setattr__(self, "profiles", in_order(self.profiles))

    def limited_to(self, n_users: int) -> Settings:
        """Return the settings; if they are the defaults, drop each k above the number of users."""
        if self != Settings() or n_users >= self.ks[-1]:
            return self
        return replace(self, ks=tuple(k for k in self.ks if k <= n_users) or self.ks[:1])

    def offered(self, n_users: int) -> tuple[int, ...]:
        """Return every k on offer: those chosen, and the usual ones up to ``n_users``."""
        return tuple(sorted({k for k in K_PRESETS if k <= n_users} | set(self.ks)))


def current() -> Settings:
    """Return the settings in use; when the session begins, those in the URL."""
    if _CURRENT not in st.session_state:
        asked = address.settings_asked(_NAMES, Settings())  # an invalid part is ignored
        st.session_state[_CURRENT] = replace(asked, config=widgets.in_force())
    settings: Settings = st.session_state[_CURRENT]
    return settings


def form(fs: FingerprintSet) -> bool:
    """Draw the form; return True if it was just submitted with valid settings."""
    settings, possible = current(), limits.K.at_most(fs.n_users)
    with st.form("anon_form", border=False):
        left, right = st.columns([2, 3], gap="large")
        ks = left.multiselect(
            "Values of k",
            sorted({*K_PRESETS, *settings.ks}),
            default=list(settings.ks),
            key=_key("anon_ks"),
            accept_new_options=True,
            help="A person is k-anonymous when at least k − 1 other people have exactly the same "
            f"record. Choose or type whole numbers from {possible.low} to {possible.high}.",
        )
        profiles = right.multiselect(
            "Generalization profiles",
            offered(fs, settings.profiles),
            default=[str(p) for p in settings.profiles],
            key=_key("anon_profiles"),
            accept_new_options=True,
            help="A profile says how coarse places and times are made. " + TYPED,
        )
        effort = _effort(settings.config)
        pressed = st.form_submit_button("Measure", type="primary", key="anon_measure")
    if not pressed:
        return False
    try:
        wanted = Settings(_whole_numbers(ks), profiles_of(profiles), StretchConfig(*effort))
    except FpanonError as error:
        layout.say(error)
        return False
    if _apply(wanted):
        layout.overtake(_CROWDS)
    return True


def _effort(now: StretchConfig) -> tuple[float, float, float, float]:
    """Draw the fields of the stretch effort; return the arguments of :class:`StretchConfig`."""
    st.markdown("**Stretch effort** – what counts as far, and what weighs more")
    cells = st.columns(3, gap="large")
    weight = number(
        "Weight of space (time has the rest)",
        limits.W_SPACE,
        now.w_space,
        at=cells[0],
        step=0.05,
        key=_key("anon_weight"),
        help="In the papers, this weight is 0.5: space and time count equally.",
    )
    max_km = number(
        "Full effort in space (km)",
        limits.MAX_SPACE_KM,
        now.max_space_m / 1000,
        at=cells[1],
        step=1.0,
        key=_key("anon_max_km"),
        help="Moving a sample this far, or farther, counts as the full effort in space.",
    )
    max_min = number(
        "Full effort in time (minutes)",
        limits.MAX_TIME_MIN,
        now.max_time_min,
        at=cells[2],
        step=30.0,
        key=_key("anon_max_min"),
        help="Moving a sample by this much time, or more, counts as the full effort in time.",
    )
    return weight, 1 - weight, 1000 * max_km, max_min


def crowds(wanted: Settings, n_users: int) -> None:
    """Draw the choice of k; a change applies at once, since one run measures every k on offer."""
    key = layout.key("anon_crowds", _CROWDS)
    st.pills(
        "Groups to hide in (k)",
        wanted.offered(n_users),
        selection_mode="multi",
        default=list(wanted.ks),
        key=key,
        width="content",
        on_change=act(_take_crowds),
        args=(key,),
        help="A person is k-anonymous when at least k − 1 others have exactly the same record.",
    )


def largest_crowd(n_users: int) -> None:
    """Draw a note on why larger groups are not offered, if there are too few people."""
    if n_users < K_PRESETS[-1]:
        st.caption(
            "Larger groups are not offered: nobody can hide among more people than the data hold "
            f"({n_users})."
        )


def profile_looked_at(profiles: Sequence[GeneralizationProfile]) -> GeneralizationProfile:
    """Draw a list of profiles; return the selected one."""
    return selectbox(
        "Profile shown",
        profiles,
        format_func=str,
        key="anon_profile",
        width=200,
        help=definitions.PROFILE,
    )


def k_looked_at(ks: Sequence[int]) -> int:
    """Draw a list of the values of k; return the selected one, whose curve is drawn, too."""
    found = selectbox(
        "k shown",
        ks,
        key="anon_k",
        width=100,
        on_change=act(_take_k),
        help="k is the size of the group to hide in. A person is k-anonymous when at least k − 1 "
        "others have exactly the same record.",
    )
    return int(found)


def undo_button() -> None:
    """Draw a button that undoes the last change, if there was one."""
    # In a container that is always there: if it came and went, everything below would be redrawn.
    with st.container(key="anon_last_change", width="content"):
        if st.session_state.get(_BEFORE):
            st.button(
                "Undo",
                key="anon_undo",
                icon=":material/undo:",
                on_click=act(_undo),
                help="Undo the last change to the settings.",
            )


def write_url() -> None:
    """Put the settings in the address, so that it can be kept or passed on."""
    address.write(address.named(current(), _NAMES, Settings()))


def _apply(wanted: Settings) -> bool:
    """Make ``wanted`` the settings in use; return True if this changes the settings."""
    settings = current()
    if wanted == settings:
        return False
    st.session_state.setdefault(_BEFORE, []).append(settings)
    _use(wanted)
    return True


def _use(wanted: Settings) -> None:
    st.session_state[_CURRENT] = wanted
    widgets.put(wanted.config)


def _take_k() -> None:
    """Add the k that was just selected to the values of k whose curves are drawn."""
    settings, k = current(), st.session_state["anon_k"]
    if k not in settings.ks and _apply(replace(settings, ks=tuple(sorted({*settings.ks, k})))):
        layout.overtake(_FORM, _CROWDS)


def _take_crowds(key: str) -> None:
    if not layout.is_current(key, "anon_crowds", _CROWDS):
        return
    chosen = tuple(sorted(st.session_state[key] or ()))
    if not chosen:
        layout.overtake(_CROWDS)  # the last one cannot be taken away
    elif _apply(replace(current(), ks=chosen)):
        layout.overtake(_FORM)


def _undo() -> None:
    _use(st.session_state[_BEFORE].pop())
    layout.overtake(_FORM, _CROWDS)


def _key(name: str) -> str:
    """Return the key of a widget of the form.

    The settings are given to the widgets as defaults, not through the session's state. A value set
    in that state is sent to the browser only once, and is lost if the expander around the form is
    closed at that moment.
    """
    return layout.key(name, _FORM)


def _whole_numbers(chosen: Sequence[object]) -> tuple[int, ...]:
    try:
        return tuple(int(str(k)) for k in chosen)
    except ValueError:
        raise ConfigError("Every value of k must be a whole number, such as 8.") from None
