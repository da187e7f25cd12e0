"""Which release options are weighed, and against what an outsider knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.model.configs import KnowledgeConfig, Strategy
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.limits import OPTION_POINTS, SEED
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies.presets import PRESETS
from pages.options import own_option
from pages.shell import address, definitions, workspace
from pages.shell.exploration import USUAL

_STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
_PRESETS_MADE = "fp_presets"
_FOUND, _SEEN = "Tried on Overview", "fp_tried_seen"
_TITLES = {
    "trade": "Places × windows, 3 × 4",
    "fine": "Finer grid",
    "hexagons": "Hexagons",
    "glove": "GLOVE, k = 2, 5, 10",
    "hide": "Aligned, k = 2, 5, 10, by periods",
    "asis": "As it is",
}
_NAMES = {title: name for name, title in _TITLES.items()}


def options(fs: FingerprintSet, own_place: DeltaGenerator) -> tuple[ReleaseOption, ...]:
    """The options chosen, without repetition, in the order of the list of presets.

    Those of one's own are put together in a place of their own.
    """
    presets = {title: _made(fs, name) for title, name in _NAMES.items()}
    put: list[str] | None = None
    if (found_there := workspace.of(fs.digest).tried) is not None:
        presets = {_FOUND: list(found_there.options)} | presets
        if st.session_state.get(_SEEN) is not found_there:  # what was just found is shown first
            st.session_state[_SEEN] = found_there
            put = [_FOUND]
    elif _FOUND in (st.session_state.get("options_presets") or []):  # it was of other data
        put = list(_NAMES)[:1]
    if put is not None:
        st.session_state["options_presets"] = put
    chosen = st.pills(
        "Sets of options",
        list(presets),
        selection_mode="multi",
        # Streamlit takes a value from one place only.
        default=None if put else address.asked("sets", _titles_of, list(_NAMES)[:1]),
        key="options_presets",
        persist_state="session",
        help="The first is the grid of Noriega Campero 2015: three kinds of places by four time "
        "windows. The finer one halves and doubles in smaller steps. Hexagons are those of H3, "
        "resolutions 9 to 5, by three windows; they need data with latitudes and longitudes. "
        "Aligned hides everyone in whole records, in weeks and in days.",
    )
    found = [option for title in presets if title in chosen for option in presets[title]]
    with own_place, st.expander("Add an option of your own", key="options_own"):
        own_option.form(fs, [option for made in presets.values() for option in made])
    own = own_option.added(fs)
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


def knowledge() -> KnowledgeConfig:
    """What the outsider knows of a release, and the seed of all draws."""
    usual = USUAL
    p = st.number_input(
        "Points an outsider knows (p)",
        OPTION_POINTS.low,
        OPTION_POINTS.high,
        address.asked("p", OPTION_POINTS.read, usual.p),
        key="options_p",
        persist_state="session",
        width=240,
        help=definitions.UNICITY,
    )
    strategy = st.selectbox(
        "Which points",
        _STRATEGIES,
        index=address.asked("points", _STRATEGIES.index, _STRATEGIES.index(usual.strategy)),
        key="options_strategy",
        persist_state="session",
        width=180,
        help=definitions.STRATEGY,
    )
    seed = st.number_input(
        "Seed of the draws",
        SEED.low,
        SEED.high,
        address.asked("seed", SEED.read, usual.seed),
        key="options_seed",
        persist_state="session",
        width=180,
        help="For these studies: the same seed draws the same people, the same points and the "
        "same noise. A release that you produce has no seed: it draws from the operating "
        "system, so that nobody can draw its noise again and take it off.",
    )
    return KnowledgeConfig(int(p), strategy, seed=int(seed))


def take(known: KnowledgeConfig, names: Sequence[str]) -> None:
    """Settings from elsewhere, before their widgets are drawn: knowledge, and own options alone."""
    st.session_state["options_presets"] = []
    st.session_state[f"options_kept_{len(names)}"] = [*names]
    st.session_state["options_p"] = known.p
    st.session_state["options_strategy"] = known.strategy
    st.session_state["options_seed"] = known.seed


def in_address(known: KnowledgeConfig) -> dict[str, str]:
    """The sets chosen and the knowledge; options of one's own stay out of it."""
    chosen = st.session_state.get("options_presets") or []
    sets = ",".join(name for name, title in _TITLES.items() if title in chosen)
    usual = next(iter(_TITLES))
    named = address.named(known, {"p": "p", "strategy": "points", "seed": "seed"}, USUAL)
    return named if sets == usual else {"sets": sets} | named


def _titles_of(text: str) -> list[str]:
    return [_TITLES[name] for name in text.split(",") if name]


def _made(fs: FingerprintSet, name: str) -> list[ReleaseOption]:
    """A preset's options for these data, made once."""
    digest, made = st.session_state.get(_PRESETS_MADE, ("", {}))
    if digest != fs.digest:
        made = {}
    if name not in made:
        made = {**made, name: PRESETS[name](fs)}
        st.session_state[_PRESETS_MADE] = fs.digest, made
    options: list[ReleaseOption] = made[name]
    return options
