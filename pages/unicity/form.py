"""The attacker's knowledge: the settings, and the questions that this page asks."""

from __future__ import annotations

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.studies import antenna_merging, sparsity, unicity
from pages.shell.dataset import Dataset
from pages.shell.questions import Kind, Question
from pages.shell.widgets import number
from pages.unicity import story

OUTSIDER = Kind("unicity", unicity.study, page="unicity")
REGIONS = Kind("regions", antenna_merging.study, page="unicity")


def seed() -> int:
    """Draw the field for the seed of all draws; return the seed."""
    return number(
        "Seed of the draws",
        limits.SEED,
        0,
        key="unicity_seed",
        width=180,
        help="The same seed draws the same people and the same points.",
    )


def outsider(data: Dataset, seed: int) -> Question:
    """Return the question of how many people a few known points single out."""
    config = unicity.Config(seed=seed)
    return Question(OUTSIDER, data.fs, config, "Drawing points and finding which people they fit")


def regions(data: Dataset, seed: int) -> Question:
    """Draw the field for the antennas per region; return the question of unicity in the regions."""
    noun = story.merged_noun(data.fs.antennas is not None)
    label = f"{noun.capitalize()} in a region, about (v)"
    size = number(label, limits.REGION_ANTENNAS, 7, key="unicity_v", width=240)
    config = antenna_merging.Config(size, seed=seed)
    label = f"Merging about {config.size} {noun} into one region"
    return Question(REGIONS, data.fs, config, label)


def chance(data: Dataset) -> sparsity.Config:
    """Draw the fields of the sparsity model; return its settings, by default for all users."""
    usual = max(limits.MODEL_USERS.low, data.fs.n_users)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return sparsity.Config(
            number(
                "People (n)",
                limits.MODEL_USERS,
                usual,
                key=f"unicity_n_{data.digest[:8]}",
                width=200,
            ),
            number("Bins (d)", limits.MODEL_BINS, 30, key="unicity_d", width=160),
            number(
                "Share of bins a person is in",
                limits.MODEL_DENSITY,
                0.5,
                key="unicity_density",
                width=220,
                format="%.4f",
            ),
        )
