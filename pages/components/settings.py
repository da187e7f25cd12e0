"""The settings of the analysis: which k, which profiles, which stretch effort; kept and undone.

Nothing in them is personal, so they travel in the URL; whom one looks at does not.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field, replace

import streamlit as st

from fpanon_core.model.configs import StretchConfig
from fpanon_core.model.errors import ConfigError, FpanonError
from fpanon_core.model.profiles import GeneralizationProfile, Grid

from . import address, overtaken

_CURRENT, _BEFORE = "fp_settings", "fp_settings_before"
# How often the form, and the crowds beside it, were overtaken by a change made elsewhere.
_FORM, _CROWDS = "fp_settings_form", "fp_settings_crowds"
_MAX_K, _MAX_PROFILES = 100, 8
_MINUTES = {"min": 1, "h": 60, "day": 1_440, "week": 10_080}
K_PRESETS = (2, 5, 10, 25, 50, 100)
# The levels of ANON fig. 4, from the finest its data allow to a citywide, 8-hour aggregation.
PROFILE_PRESETS = tuple(
    GeneralizationProfile(Grid(metres), minutes)
    for metres, minutes in (
        (100, 1),
        (1_000, 30),
        (2_500, 60),
        (5_000, 120),
        (10_000, 240),
        (20_000, 480),
    )
)


@dataclass(frozen=True)
class Settings:
    """What is measured; ``ks`` ascending, ``profiles`` fine to coarse."""

    ks: tuple[int, ...] = (2, 5, 10)
    profiles: tuple[GeneralizationProfile, ...] = PROFILE_PRESETS
    config: StretchConfig = field(default_factory=StretchConfig)

    def limited_to(self, n_users: int) -> Settings:
        """Our own choice of k, cut to what the data can answer; a choice of the user's is kept."""
        if self != Settings() or n_users >= self.ks[-1]:
            return self
        return replace(self, ks=tuple(k for k in self.ks if k <= n_users) or self.ks[:1])

    def offered(self, n_users: int) -> tuple[int, ...]:
        """Every k that is a click away: those chosen, and the usual ones the data can answer."""
        return tuple(sorted({k for k in K_PRESETS if k <= n_users} | set(self.ks)))


def current() -> Settings:
    """The settings in use; those of the URL when the session begins."""
    if _CURRENT not in st.session_state:
        st.session_state[_CURRENT] = _from_url()
    return st.session_state[_CURRENT]


def form(n_users: int) -> bool:
    """The form; True when it was just submitted with settings that make sense."""
    settings = current()
    box = st.expander("Settings: k, profiles, stretch effort", key="anon_settings")
    with box.form("anon_form", border=False):
        left, right = st.columns([2, 3], gap="large")
        ks = left.multiselect(
            "Values of k",
            sorted({*K_PRESETS, *settings.ks}),
            default=list(settings.ks),
            key=_key("anon_ks"),
            accept_new_options=True,
            help="A user is k-anonymous when at least k − 1 other users have exactly the same "
            f"record. Choose or type whole numbers from 2 to {min(_MAX_K, max(n_users, 2))}.",
        )
        profiles = right.multiselect(
            "Generalization profiles",
            [str(p) for p in sorted({*PROFILE_PRESETS, *settings.profiles}, key=fine_to_coarse)],
            default=[str(p) for p in settings.profiles],
            key=_key("anon_profiles"),
            accept_new_options=True,
            help="How coarse places and times are made: a square grid and a time window. "
            "Choose, or type your own, such as “3 km · 45 min”.",
        )
        st.markdown("**Stretch effort** – what counts as far, and what weighs more")
        cells = st.columns(3, gap="large")
        weight = cells[0].number_input(
            "Weight of space (time has the rest)",
            0.0,
            1.0,
            settings.config.w_space,
            step=0.05,
            key=_key("anon_weight"),
            help="In the papers 0.5: half the effort is space, half is time.",
        )
        max_km = cells[1].number_input(
            "Full effort in space (km)",
            0.1,
            1000.0,
            settings.config.max_space_m / 1000,
            step=1.0,
            key=_key("anon_max_km"),
            help="Moving a sample this far, or farther, is the whole of the effort in space.",
        )
        max_min = cells[2].number_input(
            "Full effort in time (minutes)",
            1.0,
            100_000.0,
            settings.config.max_time_min,
            step=30.0,
            key=_key("anon_max_min"),
            help="Moving a sample by this much time, or more, is the whole effort in time.",
        )
        pressed = st.form_submit_button("Measure", type="primary", key="anon_measure")
    if not pressed:
        return False
    try:
        wanted = Settings(
            _ks(ks),
            profiles_of(profiles),
            StretchConfig(weight, 1 - weight, 1000 * max_km, max_min),
        )
    except FpanonError as error:
        st.error(str(error))
        return False
    if _apply(wanted):
        overtaken.overtake(_CROWDS)
    return True


def crowds(wanted: Settings, n_users: int) -> None:
    """Which k are drawn; a change holds at once, as everything that is offered is one run."""
    key = overtaken.key("anon_crowds", _CROWDS)
    st.pills(
        "Crowds to hide in (k)",
        wanted.offered(n_users),
        selection_mode="multi",
        default=list(wanted.ks),
        key=key,
        on_change=_take_crowds,
        args=(key,),
        help="A user is k-anonymous when at least k − 1 other users have exactly the same record.",
    )
    if n_users < K_PRESETS[-1]:
        st.caption(
            f"Larger crowds are not offered: {n_users} users are loaded, and nobody can hide among "
            "more than there are."
        )


def take_k(key: str) -> None:
    """Draw the k that was just chosen to be looked at, too."""
    settings, k = current(), st.session_state[key]
    if k not in settings.ks and _apply(replace(settings, ks=tuple(sorted({*settings.ks, k})))):
        overtaken.overtake(_FORM, _CROWDS)


def undo_button() -> None:
    """Takes the last change back; shown when there was one."""
    # In a container that is always there: what comes and goes moves, and redraws, all below it.
    with st.container(key="anon_last_change"):
        if st.session_state.get(_BEFORE):
            st.button("Undo last change", key="anon_undo", icon="↩️", on_click=_undo)


def write_url() -> None:
    """Put the settings in the address, so that it can be kept or passed on."""
    settings, plain = current(), Settings()
    wanted = {}
    if settings.ks != plain.ks:
        wanted["k"] = ",".join(map(str, settings.ks))
    if settings.profiles != plain.profiles:
        wanted["profiles"] = ",".join(
            f"{p.grid_m:.15g}x{p.minutes:.15g}" for p in settings.profiles
        )
    if settings.config != plain.config:
        c = settings.config
        wanted["stretch"] = f"{c.w_space:g},{c.max_space_m:g},{c.max_time_min:g}"
    address.write(wanted)


def _apply(wanted: Settings) -> bool:
    """Make these the settings in use; True when they differ from those before."""
    settings = current()
    if wanted == settings:
        return False
    st.session_state.setdefault(_BEFORE, []).append(settings)
    st.session_state[_CURRENT] = wanted
    return True


def _take_crowds(key: str) -> None:
    if not overtaken.is_current(key, "anon_crowds", _CROWDS):
        return
    chosen = tuple(sorted(st.session_state[key] or ()))
    if not chosen:
        overtaken.overtake(_CROWDS)  # the last one cannot be taken away
    elif _apply(replace(current(), ks=chosen)):
        overtaken.overtake(_FORM)


def _undo() -> None:
    st.session_state[_CURRENT] = st.session_state[_BEFORE].pop()
    overtaken.overtake(_FORM, _CROWDS)


def _key(name: str) -> str:
    """Key of a widget of the form.

    The settings are given to the widgets as defaults, not through the session's state: a value set
    there is sent once, and lost when the expander around the form is closed at that moment.
    """
    return overtaken.key(name, _FORM)


def _ks(chosen: list[object]) -> tuple[int, ...]:
    try:
        ks = tuple(sorted({int(str(k)) for k in chosen}))
    except ValueError:
        raise ConfigError("A value of k is no whole number; type one such as 8.") from None
    if not ks or ks[0] < 2 or ks[-1] > _MAX_K:
        raise ConfigError(f"Choose at least one k, each from 2 to {_MAX_K}.")
    return ks


def profiles_of(chosen: list[str]) -> tuple[GeneralizationProfile, ...]:
    """From texts as profiles are shown, fine to coarse.

    Raises
    ------
    ConfigError
        A text could not be read, or there are none or too many.
    """
    if not 1 <= len(chosen) <= _MAX_PROFILES:
        raise ConfigError(
            f"{len(chosen)} profiles are chosen; choose from 1 to {_MAX_PROFILES} of them."
        )
    return tuple(sorted({_profile(text) for text in chosen}, key=fine_to_coarse))


def _profile(text: str) -> GeneralizationProfile:
    """From "2.5 km · 1 h", as profiles are shown; the dot may be a comma, an x or a blank."""
    found = re.fullmatch(
        r"\s*([\d.]+)\s*(k?m)\s*[·,x ]\s*([\d.]+)\s*(min|h|days?|weeks?)\s*", text, re.IGNORECASE
    )
    with contextlib.suppress(ValueError, ConfigError):
        if found:
            space, unit, time, clock = found.groups()
            metres = float(space) * (1000 if unit.lower() == "km" else 1)
            minutes = float(time) * _MINUTES[clock.lower().rstrip("s")]
            return GeneralizationProfile(Grid(metres), minutes)
    raise ConfigError("A profile could not be read; write it like “2.5 km · 60 min”.")


def fine_to_coarse(profile: GeneralizationProfile) -> tuple[float, float]:
    """Sorts profiles by the side of their grid, then by their time window."""
    return profile.grid_m, profile.minutes


def _from_url() -> Settings:
    """Settings named in the address; a part that makes no sense is left out."""
    settings, asked = Settings(), st.query_params
    with contextlib.suppress(FpanonError, ValueError):
        settings = (
            replace(settings, ks=_ks(list(asked["k"].split(",")))) if "k" in asked else settings
        )
    with contextlib.suppress(FpanonError, ValueError):
        if "profiles" in asked:
            pairs = [part.split("x") for part in asked["profiles"].split(",")]
            profiles = [f"{float(m):.15g} m · {float(t):.15g} min" for m, t in pairs]
            settings = replace(settings, profiles=profiles_of(profiles))
    with contextlib.suppress(FpanonError, ValueError):
        if "stretch" in asked:
            weight, metres, minutes = map(float, asked["stretch"].split(","))
            config = StretchConfig(weight, 1 - weight, metres, minutes)
            settings = replace(settings, config=config)
    return settings
