"""A report's recipe, opened again: its options, knowledge, limits and weights as the settings."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from fpanon_core.model.errors import SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies.exploration import same_data
from fpanon_core.studies.recipe import Recipe
from pages.charts.plain import plain
from pages.options import criteria_form, form, own_option
from pages.shell import layout, limits
from pages.shell.exploration import USUAL
from pages.shell.guard import act

_TOLD = "fp_recipe_told"
_MOST_BYTES, _MOST_OPTIONS = 1_000_000, 200


def section(fs: FingerprintSet) -> None:
    """Where a recipe is opened, and what came of the last one."""
    with st.expander("Open a report's recipe", key="options_recipe"):
        file = st.file_uploader("Recipe (JSON)", key="options_recipe_file", type=["json"])
        st.button(
            "Use this recipe",
            key="options_recipe_use",
            on_click=act(_use),
            args=(fs, file),
            disabled=file is None,
            help="Takes the place of the sets of options, of options of your own, and of the "
            "settings below; its limits hold on every page.",
        )
        for told in st.session_state.pop(_TOLD, ()):
            if isinstance(told, SchemaError):
                layout.say(told)
            else:
                st.info(told)


def _use(fs: FingerprintSet, file: Any) -> None:
    """The settings of a recipe, before any of their widgets is drawn."""
    try:
        recipe = read(file.getvalue())
    except SchemaError as fault:
        st.session_state[_TOLD] = [fault]
        return
    own_option.replace(fs, recipe.options)
    form.take(recipe.knowledge, [option.name for option in recipe.options])
    criteria_form.take(recipe.risk, recipe.utility)
    limits.take(recipe.limits)
    if recipe.decision.chosen:
        st.session_state[f"options_choice_why_{recipe.decision.chosen}"] = recipe.decision.why
    st.session_state[_TOLD] = told(recipe, fs.digest)


def read(content: bytes) -> Recipe:
    """The recipe in a file's bytes.

    Raises
    ------
    SchemaError
        It is none, or larger than any.
    """
    if len(content) > _MOST_BYTES:
        raise SchemaError("The file is larger than any recipe; take the one beside a report.")
    try:
        plain_values = json.loads(content)
    except (ValueError, RecursionError):
        raise SchemaError("The file is no JSON; take the recipe beside a report.") from None
    recipe = Recipe.from_dict(plain_values)
    if len(recipe.options) > _MOST_OPTIONS:
        raise SchemaError(
            f"The recipe has {len(recipe.options):,} options, more than the {_MOST_OPTIONS} that "
            "this page weighs; use the command options with --recipe."
        )
    return recipe


def told(recipe: Recipe, digest: str) -> list[str]:
    """What was taken over, and what makes figures differ."""
    count = len(recipe.options)
    said = [f"The recipe's settings are in use: {count} option{'' if count == 1 else 's'}."]
    if not same_data(recipe.digest, digest):
        said.append(
            "These are other data than the recipe's, or read otherwise, or the recipe is from "
            "another machine: figures may differ."
        )
    if recipe.knowledge.users != USUAL.users:
        said.append(
            f"The recipe asks about {recipe.knowledge.users:,} people, this page about "
            f"{USUAL.users:,}: figures differ. The command options, with `--recipe`, gives "
            "those of the report."
        )
    if recipe.utility.weights is None:
        said.append("Its utility was asked of experts; open their answers under Utility.")
    if recipe.decision.refused:
        said.append("It was decided then that nothing leaves; decide anew under Your choice.")
    elif recipe.decision.chosen is not None:
        said.append(
            f"Chosen was {plain(recipe.decision.chosen)}: select and keep it under Your choice, "
            "where its reason stands already."
        )
    return said
