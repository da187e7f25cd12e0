"""The officer's own release options, put together step by step or taken from a report's recipe."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from fpanon_core.model import limits, options
from fpanon_core.model.errors import FpanonError, SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.options import ReleaseOption, Step
from fpanon_core.model.profiles import Grid
from fpanon_core.studies.exploration import same_data
from fpanon_core.studies.recipe import Recipe
from fpanon_core.studies.search import KNOWLEDGE
from fpanon_core.studies.under_profiles import as_read, check_profiles
from pages.charts import words
from pages.charts.plain import plain
from pages.shell import definitions, layout, widgets
from pages.shell import limits as thresholds
from pages.shell.guard import act
from pages.shell.widgets import number

_OWN, _TOLD = "fp_own_options", "fp_recipe_told"
_AS_READ = "as they are"
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
        points, hiding = _points(fs), _hiding(fs)
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
        option = ReleaseOption(name.strip(), (*points(), *hiding()))
    except FpanonError as error:
        layout.say(error)
        return
    own, key = added(fs), option.name.casefold()
    if any(o.name.casefold() == key or o.steps == option.steps for o in (*own, *presets)):
        st.error("An option with that name or these steps already exists, here or in a set.")
        return
    st.session_state[_OWN] = {fs.digest: [*own, option]}


def _points(fs: FingerprintSet) -> Callable[[], list[Step]]:
    """Draw the fields for people and points; return a function that returns the chosen steps."""
    left, middle, right = st.columns(3, gap="large")
    coarse = left.selectbox(
        "Places and times",
        [_AS_READ, *widgets.offered(fs)],
        key="options_profile",
        accept_new_options=True,
        help=f"{definitions.PROFILE}  \n{widgets.TYPED}  \nThe data were read at {as_read(fs)}: "
        "keep one of these two to coarsen only the other.",
    )
    how: dict[str, Any] = {"key": "options_permuted", "help": definitions.PERMUTATION}
    exchanged = _EXCHANGED[left.selectbox("Exchanged among people", list(_EXCHANGED), **how)]
    how = {"at": middle, "key": "options_share", "help": definitions.SAMPLING}
    percent = number("People kept (%)", limits.USERS_KEPT_PERCENT, 100.0, **how)
    how = {"at": middle, "key": "options_rare", "help": definitions.RARE}
    few = limits.Limit(0, fs.n_users)
    rare = number("Leave out bins of fewer than … people", few, 0, **how)
    how = {"at": right, "key": "options_noise_m", "help": definitions.NOISE, "step": 100.0}
    noise_m = number("Noise in space (m)", limits.NOISE_M, 0.0, **how)
    how = {"at": right, "key": "options_noise_min", "step": 5.0}
    noise_min = number("Noise in time (min)", limits.NOISE_MIN, 0.0, **how)

    def steps() -> list[Step]:
        profiles = () if coarse == _AS_READ else widgets.profiles_of([coarse])
        check_profiles(fs, profiles)
        found: list[Step] = [options.SampleUsers(percent / 100)] if percent < 100 else []
        found += [options.AddNoise(noise_m, noise_min)] if noise_m or noise_min else []
        found += map(options.Generalize, profiles)
        found += [] if exchanged is None else [_exchange(exchanged, fs, found)]
        return found + ([options.SuppressRare(int(rare))] if rare > 1 else [])

    return steps


def _hiding(fs: FingerprintSet) -> Callable[[], list[Step]]:
    """Draw the fields for k and periods; return a function that returns the chosen steps."""
    cells = st.columns(4, gap="medium", vertical_alignment="bottom")
    k = number(
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


def _exchange(what: options.What, fs: FingerprintSet, steps: Sequence[Step]) -> options.Permute:
    """Return an exchange of positions within an hour, or of times within 5 km.

    If the option's time window or grid side is larger, it replaces the hour or the 5 km.
    """
    window_min, region_m = fs.granularity_min, fs.granularity_m
    for step in steps:
        if isinstance(step, options.Generalize):
            window_min = step.profile.minutes
            region_m = step.profile.grid_m if isinstance(step.profile.space, Grid) else region_m
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
