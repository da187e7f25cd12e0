"""A release option of one's own, put together step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from fpanon_core.model.errors import ConfigError, FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.limits import (
    CLUSTER_ANTENNAS,
    GRID_KM,
    HEXAGON_RESOLUTION,
    NOISE_M,
    NOISE_MIN,
    OPTION_NAME_CHARS,
    USERS_KEPT_PERCENT,
    WINDOW_H,
    K,
)
from fpanon_core.model.options import (
    MOST_LEFT_OUT,
    AddNoise,
    Aligned,
    Generalize,
    Glove,
    Periods,
    Permute,
    ReleaseOption,
    SampleUsers,
    Step,
    SuppressRare,
    What,
)
from fpanon_core.model.profiles import (
    AntennaClusters,
    GeneralizationProfile,
    Grid,
    Hexagons,
    Regions,
    Space,
)
from pages.charts import words
from pages.shell import definitions, layout, widgets

_OWN = "fp_own_options"
_AS_READ, _GRID, _CLUSTERS = "as they are", "a square grid", "antenna clusters"
_HEXAGONS = "hexagons (H3)"
_HIDING: dict[str, type[Glove]] = {"aligned": Aligned, "GLOVE": Glove}


def added(fs: FingerprintSet) -> list[ReleaseOption]:
    """Those added so far for these data."""
    found: list[ReleaseOption] = st.session_state.get(_OWN, {}).get(fs.digest, [])
    return found


def replace(fs: FingerprintSet, options: Sequence[ReleaseOption]) -> None:
    """Others in the place of those added so far."""
    st.session_state[_OWN] = {fs.digest: [*options]}


def form(fs: FingerprintSet, presets: Sequence[ReleaseOption]) -> None:
    """The form; adds what was submitted, unless there is such an option already."""
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
            max_chars=OPTION_NAME_CHARS,
            placeholder="told by its steps",
        )
        pressed = st.form_submit_button("Add", key="options_add")
    if not pressed:
        return
    try:
        space = places()
        steps: list[Step] = [SampleUsers(share)] if share < 1 else []
        if any(noise):
            steps.append(AddNoise(*noise))
        if space is not None or minutes is not None:
            profile = GeneralizationProfile(
                space or Grid(fs.granularity_m), minutes or fs.granularity_min
            )
            steps.append(Generalize(profile))
        if exchanged is not None:
            steps.append(_exchange(exchanged, fs, steps))
        if rare > 1:
            steps.append(SuppressRare(rare))
        steps += hiding()
        option = ReleaseOption(name.strip(), tuple(steps))
    except FpanonError as error:
        layout.say(error)
        return
    own = added(fs)
    name_key = option.name.casefold()
    if any(o.name.casefold() == name_key or o.steps == option.steps for o in (*own, *presets)):
        st.error("There is an option of that name or with these steps already, here or in a set.")
        return
    st.session_state[_OWN] = {fs.digest: [*own, option]}


def _space(fs: FingerprintSet) -> Callable[[], Space | None]:
    """The places, to be asked for when the form is submitted; None where left as they are."""
    table = {} if fs.antennas is None else fs.antennas.columns
    columns = [name for name in table if name.strip()]
    hexagons = [] if fs.crs is None else [_HEXAGONS]
    places = st.selectbox(
        "Places are",
        [_AS_READ, _GRID, *hexagons, _CLUSTERS, *columns],
        format_func=lambda p: f"regions by “{p}”" if p in columns else p,
        key="options_places",
        help=definitions.PROFILE,
    )
    least_km = fs.granularity_m / 1000
    side_km = st.number_input(
        "Side of the grid (km)",
        least_km,
        GRID_KM.high,
        None,
        key="options_side",
        placeholder="for a square grid",
    )
    resolution = _resolution(fs) if hexagons else None
    antennas = st.number_input(
        "Antennas in a cluster, about",
        CLUSTER_ANTENNAS.low,
        CLUSTER_ANTENNAS.high,
        None,
        key="options_antennas",
        placeholder="for clusters",
    )
    return lambda: _chosen(places, side_km, resolution, antennas)


def _chosen(
    places: str, side_km: float | None, resolution: int | None, antennas: int | None
) -> Space | None:
    """The places; ConfigError where a number is missing, or given and not made use of."""
    for kind, given, what in (
        (_GRID, side_km, "a side of the grid"),
        (_HEXAGONS, resolution, "a resolution of the hexagons"),
        (_CLUSTERS, antennas, "a number of antennas"),
    ):
        if places == kind and given is None:
            raise ConfigError(f"Places are to be {kind}; give {what}, too.")
        if places != kind and given is not None:
            raise ConfigError(
                f"There is {what}, but places are to be “{places}”: choose {kind}, or empty the "
                "field."
            )
    if side_km is not None:
        return Grid(round(1000 * side_km, 3))
    if resolution is not None:
        return Hexagons(resolution)
    if antennas is not None:
        return AntennaClusters(int(antennas))
    return None if places == _AS_READ else Regions(places)


def _resolution(fs: FingerprintSet) -> int | None:
    """Of the hexagons, none finer than the data."""
    every = range(HEXAGON_RESOLUTION.low, HEXAGON_RESOLUTION.high + 1)
    possible = [r for r in every if Hexagons(r).area_m2 >= fs.granularity_m**2][::-1]
    found: int | None = st.selectbox(
        "Resolution of the hexagons",
        possible,
        index=None,
        placeholder="for hexagons",
        format_func=lambda r: f"{r}: edges of about {words.distance(Hexagons(r).edge_m)}",
        key="options_resolution",
    )
    return found


def _window_and_users(fs: FingerprintSet) -> tuple[float | None, float, int]:
    """Minutes of the time window (None: as they are), share of users kept, users in a bin."""
    hours = st.number_input(
        "Time window (hours)",
        min_value=fs.granularity_min / 60,
        max_value=WINDOW_H.high,
        value=None,
        key="options_window",
        placeholder=_AS_READ,
        help="Counted from local midnight. Empty: times are left as they are.",
    )
    percent = st.number_input(
        "Users kept (%)",
        USERS_KEPT_PERCENT.low,
        USERS_KEPT_PERCENT.high,
        100.0,
        key="options_share",
        help=definitions.SAMPLING,
    )
    rare = st.number_input(
        "Leave out bins of fewer than … users",
        0,
        fs.n_users,
        0,
        key="options_rare",
        help=definitions.RARE,
    )
    return None if hours is None else round(60 * hours, 3), percent / 100, int(rare)


def _noise_and_exchange() -> tuple[tuple[float, float], What | None]:
    """Noise in metres and minutes, and what is exchanged."""
    noise_m = st.number_input(
        "Noise in space (m)",
        NOISE_M.low,
        NOISE_M.high,
        0.0,
        step=100.0,
        key="options_noise_m",
        help=definitions.NOISE,
    )
    noise_min = st.number_input(
        "Noise in time (min)",
        NOISE_MIN.low,
        NOISE_MIN.high,
        0.0,
        step=5.0,
        key="options_noise_min",
    )
    choices: dict[str, What | None] = {
        "nothing": None,
        "positions": "positions",
        "times": "times",
    }
    exchanged = st.selectbox(
        "Exchanged among users", list(choices), key="options_permuted", help=definitions.PERMUTATION
    )
    return (noise_m, noise_min), choices[exchanged]


def _hiding(fs: FingerprintSet) -> Callable[[], list[Step]]:
    """Everyone in a crowd of k, and periods: the last steps, to be asked for at the end."""
    cells = st.columns(4, gap="medium", vertical_alignment="bottom")
    k = cells[0].number_input(
        "Crowds of k (0: no)",
        0,
        min(K.high, fs.n_users),
        0,
        key="options_k",
        help="Everyone is published with exactly the same record as at least k − 1 others.",
    )
    kind = cells[1].selectbox("Crowds by", list(_HIDING), key="options_method")
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
        round(100 * MOST_LEFT_OUT),
        0,
        key="options_leave_out",
        help="Of crowds: up to this share of the people, those whom it costs most to hide, are not "
        "published.",
    )
    return lambda: _last_steps(int(k), kind, period, percent / 100)


def _last_steps(k: int, kind: str, period: str, leave_out: float) -> list[Step]:
    """Where they are asked for; ConfigError where the period makes no sense."""
    days = widgets.days_of(period)
    steps: list[Step] = [] if days is None else [Periods(days)]
    return steps if k < 2 else [*steps, _HIDING[kind](k, leave_out=leave_out)]


def _exchange(what: What, fs: FingerprintSet, steps: Sequence[Step]) -> Permute:
    """Within an hour, or 5 km; within the cells of the form so far, where those are larger."""
    window_min, region_m = fs.granularity_min, fs.granularity_m
    for step in steps:
        if isinstance(step, Generalize):
            window_min = step.profile.minutes
            region_m = step.profile.grid_m if isinstance(step.profile.space, Grid) else region_m
    usual = Permute(what)
    return Permute(what, max(usual.window_min, window_min), max(usual.region_m, region_m))
