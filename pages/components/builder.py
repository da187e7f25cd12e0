"""Which release options are to be explored: sets of them, and one's own, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from fpanon_core.anonymize.presets import fine_grid, glove_ladder, trade_grid
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import ReleaseOption
from fpanon_core.model.profiles import AntennaClusters, GeneralizationProfile, Grid, Regions, Space
from fpanon_core.model.techniques import (
    AddNoise,
    Generalize,
    Glove,
    Permute,
    SampleUsers,
    Step,
    SuppressRare,
    What,
)

from . import address, definitions
from .dataset import Dataset

_OWN = "fp_own_options"
_AS_READ, _GRID, _CLUSTERS = "as they are", "a square grid", "antenna clusters"
_SHORT = ("trade", "fine", "glove", "asis")  # names in the address
PRESETS: dict[str, Callable[[FingerprintSet], list[ReleaseOption]]] = {
    "Places × windows, 3 × 4": trade_grid,
    "Finer grid": fine_grid,
    "GLOVE, k = 2, 5, 10": lambda fs: glove_ladder(tuple(k for k in (2, 5, 10) if k <= fs.n_users)),
    "As it is": lambda _: [ReleaseOption("as it is", ())],
}


def options(data: Dataset) -> tuple[ReleaseOption, ...]:
    """The options chosen, without repetition, in the order of the list of presets."""
    chosen = st.pills(
        "Sets of options",
        list(PRESETS),
        selection_mode="multi",
        default=address.asked("sets", _presets_named, list(PRESETS)[:1]),
        key="options_presets",
        persist_state="session",
        help="The first is the grid of the TRADE thesis: three kinds of places by four time "
        "windows. The finer one halves and doubles in smaller steps.",
    )
    found = [option for name in PRESETS if name in (chosen or ()) for option in _made(data, name)]
    with st.expander("Add an option of your own", key="options_own"):
        _form(data)
    own = _own(data)
    if own:
        kept = st.multiselect(
            "Your own options",
            [option.name for option in own],
            default=[option.name for option in own],
            key=f"options_kept_{len(own)}",
            persist_state="session",
        )
        found += [option for option in own if option.name in kept]
    # Two ways to the same steps are one option; a preset's comes first and keeps its name.
    return tuple({option.steps: option for option in reversed(found)}.values())[::-1]


def in_address() -> dict[str, str]:
    """The sets chosen, as the address names them; those of one's own stay out of it."""
    chosen = st.session_state.get("options_presets") or []
    named = ",".join(short for short, name in _names().items() if name in chosen)
    return {} if named == _SHORT[0] else {"sets": named}


def _names() -> dict[str, str]:
    return dict(zip(_SHORT, PRESETS, strict=True))


def _presets_named(text: str) -> list[str]:
    return [_names()[short] for short in text.split(",") if short]


def _made(data: Dataset, name: str) -> list[ReleaseOption]:
    """A preset's options for these data, made once."""
    key = ("fp_preset", name, data.digest)
    if st.session_state.get("fp_presets_of") != data.digest:
        st.session_state["fp_presets_of"], st.session_state["fp_presets"] = data.digest, {}
    kept: dict[Any, list[ReleaseOption]] = st.session_state["fp_presets"]
    if key not in kept:
        kept[key] = PRESETS[name](data.fs)
    return kept[key]


def _own(data: Dataset) -> list[ReleaseOption]:
    found: list[ReleaseOption] = st.session_state.get(_OWN, {}).get(data.digest, [])
    return found


def _form(data: Dataset) -> None:
    fs = data.fs
    columns = [] if fs.antennas is None else list(fs.antennas.columns)
    with st.form("options_form", border=False, clear_on_submit=False):
        cells = st.columns(3, gap="large")
        least_km, least_h = fs.granularity_m / 1000, fs.granularity_min / 60
        places = cells[0].selectbox(
            "Places are",
            [_AS_READ, _GRID, _CLUSTERS, *columns],
            format_func=lambda p: f"regions by “{p}”" if p in columns else p,
            key="options_places",
            help=definitions.PROFILE,
        )
        side = cells[0].number_input(
            "Side of the grid (km)", least_km, 2_000.0, max(1.0, least_km), key="options_side"
        )
        antennas = cells[0].number_input(
            "Antennas in a cluster, about", 1, 1_000, 7, key="options_antennas"
        )
        window = cells[1].number_input(
            "Time window (hours)",
            min_value=least_h,
            max_value=8_760.0,
            value=None,
            key="options_window",
            placeholder=_AS_READ,
            help="Counted from local midnight. Empty: times are left as they are.",
        )
        share = cells[1].number_input(
            "Users kept (%)", 0.1, 100.0, 100.0, key="options_share", help=definitions.SAMPLING
        )
        rare = cells[1].number_input(
            "Leave out bins of fewer than … users", 0, fs.n_users, 0, key="options_rare",
            help=definitions.RARE,
        )  # fmt: skip
        noise_m = cells[2].number_input(
            "Noise in space (m)", 0.0, 100_000.0, 0.0, step=100.0, key="options_noise_m",
            help=definitions.NOISE,
        )  # fmt: skip
        noise_min = cells[2].number_input(
            "Noise in time (min)", 0.0, 100_000.0, 0.0, step=5.0, key="options_noise_min"
        )
        mixed = cells[2].selectbox(
            "Exchanged among users",
            ("nothing", "positions", "times"),
            key="options_permuted",
            help=definitions.PERMUTATION,
        )
        k = cells[2].number_input(
            "GLOVE's k (0: without)", 0, min(100, fs.n_users), 0, key="options_k"
        )
        name = st.text_input(
            "Name (optional)", key="options_name", max_chars=60, placeholder="told by its steps"
        )
        pressed = st.form_submit_button("Add", key="options_add")
    if not pressed:
        return
    try:
        steps: list[Step] = []
        if share < 100:
            steps.append(SampleUsers(share / 100))
        if noise_m or noise_min:
            steps.append(AddNoise(space_m=noise_m, time_min=noise_min))
        if places != _AS_READ or window is not None:
            space = _space(places, fs, 1000 * side, antennas)
            minutes = fs.granularity_min if window is None else round(60 * window, 3)
            steps.append(Generalize(GeneralizationProfile(space, minutes)))
        if mixed != "nothing":
            steps.append(_exchange(mixed, fs, steps))
        if rare > 1:
            steps.append(SuppressRare(rare))
        if k > 1:
            steps.append(Glove(k))
        option = ReleaseOption(name.strip(), tuple(steps))
    except FpanonError as error:
        st.error(str(error))
        return
    own = _own(data)
    others = [*own, *(preset for title in PRESETS for preset in _made(data, title))]
    if any(o.name.casefold() == option.name.casefold() or o.steps == option.steps for o in others):
        st.error("There is an option of that name or with these steps already, here or in a set.")
        return
    st.session_state[_OWN] = {data.digest: [*own, option]}


def _exchange(what: What, fs: FingerprintSet, steps: Sequence[Step]) -> Permute:
    """Within an hour, or 5 km; within the cells of the form so far, where those are larger."""
    window_min, region_m = fs.granularity_min, fs.granularity_m
    for step in steps:
        if isinstance(step, Generalize):
            window_min = step.profile.minutes
            region_m = step.profile.grid_m if isinstance(step.profile.space, Grid) else region_m
    usual = Permute(what)
    return Permute(what, max(usual.window_min, window_min), max(usual.region_m, region_m))


def _space(places: str, fs: FingerprintSet, side_m: float, antennas: int) -> Space:
    if places == _AS_READ:
        return Grid(fs.granularity_m)
    if places == _GRID:
        return Grid(round(side_m, 3))
    return AntennaClusters(antennas) if places == _CLUSTERS else Regions(places)
