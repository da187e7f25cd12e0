"""The officer's own release options, put together step by step or taken from a report's recipe."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from fpanon_core.model import limits, options, profiles
from fpanon_core.model.errors import ConfigError, FpanonError, SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import ReleaseOption, Step
from fpanon_core.studies.exploration import same_data
from fpanon_core.studies.recipe import Recipe
from fpanon_core.studies.search import KNOWLEDGE
from pages.charts import words
from pages.charts.plain import plain
from pages.shell import definitions, layout, widgets
from pages.shell import limits as thresholds
from pages.shell.guard import act
from pages.shell.widgets import number

_OWN, _TOLD = "fp_own_options", "fp_recipe_told"
_AS_READ = "as they are"
_GRID, _HEXAGONS, _CLUSTERS = "a square grid", "hexagons (H3)", "antenna clusters"
# For each kind of places: the number that must be given, and how the places are made from it.
_PLACES: dict[str, tuple[str, Callable[[Any], profiles.Space]]] = {
    _GRID: ("the side of the grid", lambda km: profiles.Grid(round(1000 * km, 3))),
    _HEXAGONS: ("the resolution of the hexagons", profiles.Hexagons),
    _CLUSTERS: ("the number of antennas", lambda antennas: profiles.AntennaClusters(int(antennas))),
}
_HIDING: dict[str, type[options.Glove]] = {"aligned": options.Aligned, "GLOVE": options.Glove}
_EXCHANGED: dict[str, options.What | None] = {
    "nothing": None,
    "positions": "positions",
    "times": "times",
}
_MOST_BYTES, _MOST_OPTIONS = 1_000_000, 200


def added(fs: FingerprintSet) -> list[ReleaseOption]:
    """Return the officer's own options added so far for these data."""
    found: list[ReleaseOption] = st.session_state.get(_OWN, {}).get(fs.digest, [])
    return found


def form(fs: FingerprintSet, presets: Sequence[ReleaseOption]) -> None:
    """Draw the form; add the submitted option, unless it exists already."""
    with st.form("options_form", border=False, clear_on_submit=False):
        left, middle, right = st.columns(3, gap="large")
        with left:
            places = _space(fs)
        with middle:
            minutes, share, rare = _window_and_users(fs)
        with right:
            noise, exchanged = _noise_and_exchange()
        hiding = _hiding(fs)
        name = st.text_input(
            "Name (optional)",
            key="options_name",
            max_chars=limits.OPTION_NAME_CHARS,
            placeholder="named by its steps",
        )
        pressed = st.form_submit_button("Add", key="options_add")
    if not pressed:
        return
    try:
        space = places()
        steps: list[Step] = [options.SampleUsers(share)] if share < 1 else []
        if any(noise):
            steps.append(options.AddNoise(*noise))
        if space is not None or minutes is not None:
            profile = profiles.GeneralizationProfile(
                space or profiles.Grid(fs.granularity_m), minutes or fs.granularity_min
            )
            steps.append(options.Generalize(profile))
        if exchanged is not None:
            steps.append(_exchange(exchanged, fs, steps))
        if rare > 1:
            steps.append(options.SuppressRare(rare))
        option = ReleaseOption(name.strip(), (*steps, *hiding()))
    except FpanonError as error:
        layout.say(error)
        return
    own, key = added(fs), option.name.casefold()
    if any(o.name.casefold() == key or o.steps == option.steps for o in (*own, *presets)):
        st.error("An option with that name or these steps already exists, here or in a set.")
        return
    st.session_state[_OWN] = {fs.digest: [*own, option]}


def _space(fs: FingerprintSet) -> Callable[[], profiles.Space | None]:
    """Draw the fields for places; return a function that gets the places (None: unchanged)."""
    table = {} if fs.antennas is None else fs.antennas.columns
    columns = [name for name in table if name.strip()]
    kinds = [kind for kind in _PLACES if kind != _HEXAGONS or fs.crs is not None]
    places: str = st.selectbox(
        "Places are",
        [_AS_READ, *kinds, *columns],
        format_func=lambda p: f"regions by “{p}”" if p in columns else p,
        key="options_places",
        help=definitions.PROFILE,
    )
    given: dict[str, float | None] = {
        _GRID: st.number_input(
            "Side of the grid (km)",
            fs.granularity_m / 1000,
            limits.GRID_KM.high,
            None,
            key="options_side",
            placeholder="for a square grid",
        ),
        _HEXAGONS: _resolution(fs) if fs.crs is not None else None,
        _CLUSTERS: st.number_input(
            "Antennas in a cluster, about",
            limits.CLUSTER_ANTENNAS.low,
            limits.CLUSTER_ANTENNAS.high,
            None,
            key="options_antennas",
            placeholder="for clusters",
        ),
    }
    return lambda: _chosen(places, given)


def _chosen(places: str, given: dict[str, float | None]) -> profiles.Space | None:
    """Return the places chosen; raise ConfigError if a number is missing, or given but unused."""
    for kind, (what, _) in _PLACES.items():
        if places == kind and given[kind] is None:
            raise ConfigError(f"You chose “{kind}” for places. Give {what}, too.")
        if places != kind and given[kind] is not None:
            raise ConfigError(
                f"You gave {what}, but chose “{places}” for places: choose {kind}, or empty "
                "the field."
            )
    if places in _PLACES:
        return _PLACES[places][1](given[places])
    return None if places == _AS_READ else profiles.Regions(places)


def _resolution(fs: FingerprintSet) -> int | None:
    """Draw the choice of the hexagons' resolution, never finer than the data; return it."""
    every = range(limits.HEXAGON_RESOLUTION.low, limits.HEXAGON_RESOLUTION.high + 1)
    found: int | None = st.selectbox(
        "Resolution of the hexagons",
        [r for r in every if profiles.Hexagons(r).area_m2 >= fs.granularity_m**2][::-1],
        index=None,
        placeholder="for hexagons",
        format_func=lambda r: f"{r}: edges of about {words.distance(profiles.Hexagons(r).edge_m)}",
        key="options_resolution",
    )
    return found


def _window_and_users(fs: FingerprintSet) -> tuple[float | None, float, int]:
    """Draw three fields; return the time window, share of users kept, and fewest users in a bin.

    The time window is in minutes, or None if times are left as they are.
    """
    hours = st.number_input(
        "Time window (hours)",
        fs.granularity_min / 60,
        limits.WINDOW_H.high,
        None,
        key="options_window",
        placeholder=_AS_READ,
        help="Windows are counted from local midnight. If the field is empty, times are left as "
        "they are.",
    )
    percent = _number(
        "People kept (%)",
        limits.USERS_KEPT_PERCENT,
        100.0,
        key="options_share",
        help=definitions.SAMPLING,
    )
    few = limits.Limit(0, fs.n_users)
    rare = _number(
        "Leave out bins of fewer than … people", few, 0, key="options_rare", help=definitions.RARE
    )
    return None if hours is None else round(60 * hours, 3), percent / 100, int(rare)


def _noise_and_exchange() -> tuple[tuple[float, float], options.What | None]:
    """Draw the fields; return the noise, in metres and minutes, and what is exchanged."""
    noise_m = _number(
        "Noise in space (m)",
        limits.NOISE_M,
        0.0,
        step=100.0,
        key="options_noise_m",
        help=definitions.NOISE,
    )
    noise_min = _number(
        "Noise in time (min)", limits.NOISE_MIN, 0.0, step=5.0, key="options_noise_min"
    )
    exchanged = st.selectbox(
        "Exchanged among people",
        list(_EXCHANGED),
        key="options_permuted",
        help=definitions.PERMUTATION,
    )
    return (noise_m, noise_min), _EXCHANGED[exchanged]


def _hiding(fs: FingerprintSet) -> Callable[[], list[Step]]:
    """Draw the fields for k and periods; return a function that returns the chosen steps."""
    cells = st.columns(4, gap="medium", vertical_alignment="bottom")
    k = _number(
        "Groups of k (0: no)",
        limits.Limit(0, min(limits.K.high, fs.n_users)),
        0,
        at=cells[0],
        key="options_k",
        help="Everyone is published with exactly the same record as at least k − 1 others.",
    )
    kind = cells[1].selectbox("Groups by", list(_HIDING), key="options_method")
    period = cells[2].selectbox(
        "Period",
        list(widgets.PERIODS),
        key="options_period",
        accept_new_options=True,
        help=widgets.HELP,
    )
    percent = cells[3].slider(
        "Left out, at most (%)",
        0,
        round(100 * options.MOST_LEFT_OUT),
        0,
        key="options_leave_out",
        help="With groups: up to this share of people, those hardest to hide, are not published.",
    )

    def steps() -> list[Step]:
        days = widgets.days_of(period)
        found: list[Step] = [] if days is None else [options.Periods(days)]
        return found if k < 2 else [*found, _HIDING[kind](int(k), leave_out=percent / 100)]

    return steps


def _number(*args: Any, **how: Any) -> Any:
    """Draw a number field of this form; it does not keep its value for the session."""
    return number(*args, persist_state=None, **how)


def _exchange(what: options.What, fs: FingerprintSet, steps: Sequence[Step]) -> options.Permute:
    """Return an exchange of positions within an hour, or of times within 5 km.

    If the option's time window or grid side is larger, it replaces the hour or the 5 km.
    """
    window_min, region_m = fs.granularity_min, fs.granularity_m
    for step in steps:
        if isinstance(step, options.Generalize):
            window_min = step.profile.minutes
            region_m = (
                step.profile.grid_m if isinstance(step.profile.space, profiles.Grid) else region_m
            )
    usual = options.Permute(what)
    return options.Permute(what, max(usual.window_min, window_min), max(usual.region_m, region_m))


# --- a report's recipe ---


def recipe(fs: FingerprintSet, take: Callable[[Recipe], None]) -> None:
    """Draw the field that opens a report's recipe, and say what was taken over from the recipe.

    ``take`` receives the recipe, and puts in force the settings that this module does not hold.
    """
    with st.expander("Open a report's recipe", key="options_recipe"):
        file = st.file_uploader("Recipe (JSON)", key="options_recipe_file", type=["json"])
        st.button(
            "Use this recipe",
            key="options_recipe_use",
            on_click=act(_use),
            args=(fs, file, take),
            disabled=file is None,
            help="The recipe replaces the sets of options, your own options and the settings "
            "above; its thresholds apply on every page.",
        )
        for told in st.session_state.pop(_TOLD, ()):
            if isinstance(told, SchemaError):
                layout.say(told)
            else:
                st.info(told)


def _use(fs: FingerprintSet, file: Any, take: Callable[[Recipe], None]) -> None:
    """Apply the settings of a recipe, before any of their widgets is drawn."""
    try:
        found = read(file.getvalue())
    except SchemaError as fault:
        st.session_state[_TOLD] = [fault]
        return
    st.session_state[_OWN] = {fs.digest: [*found.options]}
    take(found)
    thresholds.take(found.limits)
    if found.decision.chosen:
        st.session_state[f"options_choice_why_{found.decision.chosen}"] = found.decision.why
    st.session_state[_TOLD] = told(found, fs.digest)


def read(content: bytes) -> Recipe:
    """Return the recipe in a file's bytes.

    Raises
    ------
    SchemaError
        The file is not a recipe, is larger than any recipe, or has more options than this page
        weighs.
    """
    if len(content) > _MOST_BYTES:
        raise SchemaError(
            "The file is larger than any recipe; use the recipe that comes with a report."
        )
    try:
        plain_values = json.loads(content)
    except (ValueError, RecursionError):
        raise SchemaError(
            "The file is not JSON; use the recipe that comes with a report."
        ) from None
    found = Recipe.from_dict(plain_values)
    if len(found.options) > _MOST_OPTIONS:
        raise SchemaError(
            f"The recipe has {len(found.options):,} options, more than the {_MOST_OPTIONS} that "
            "this page weighs; use the command fpanon options with --recipe."
        )
    return found


def told(recipe: Recipe, digest: str) -> list[str]:
    """Say what was taken over from a recipe, and why figures may differ."""
    decision, asked = recipe.decision, recipe.knowledge.users
    every = {
        f"The recipe's settings and {words.count(len(recipe.options), 'option')} are in use.": True,
        "These are not the recipe's data, or they are read differently, or the recipe comes from "
        "another machine. Figures may differ.": not same_data(recipe.digest, digest),
        f"The recipe draws up to {asked:,} people, and this page {KNOWLEDGE.users:,}, so figures "
        "differ. The command `fpanon options` with `--recipe` gives the figures of the report.": (
            asked != KNOWLEDGE.users
        ),
        "Experts score the recipe's utility; open the file of their answers under Utility.": (
            recipe.utility.weights is None
        ),
        "The recipe's decision was to release nothing. Decide again under “Which option do you "
        "choose?”.": decision.refused,
        f"The recipe chose {plain(decision.chosen)}. Select and keep this option under “Which "
        "option do you choose?”; the reason is already there.": decision.chosen is not None
        and not decision.refused,
    }
    return [sentence for sentence, holds in every.items() if holds]
