"""What the Options page says: every sentence against figures by hand; no browser, no Streamlit."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fpanon_core import KnowledgeConfig, permute, read_cdr
from fpanon_core.io.samples import sample
from fpanon_core.model.configs import Strategy
from fpanon_core.model.disclosure import RISKS as USUAL
from fpanon_core.model.options import AddNoise, Glove, Permute, ReleaseOption, SuppressRare
from fpanon_core.model.utility import COMPONENTS
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import OptionResult, utility_choice
from fpanon_core.studies.options_table import OptionsTable
from pages.options import story, tables
from pages.options.story import Criteria
from pages.shell import definitions

KNOWN = KnowledgeConfig()


def option(
    name: str,
    useful: float,
    steps: tuple[object, ...] = (),
    crowd: int = 1,
    alone: int = 0,
    **risks: tuple[float, float, float],
) -> OptionResult:
    """A result of stated figures; risks that are not given are far below their limits."""
    low = dict.fromkeys(USUAL, (0.0, 0.0, 0.0))
    return OptionResult(
        ReleaseOption(name, steps or (SuppressRare(len(name)),)),
        risks=low | risks,
        components=dict.fromkeys(COMPONENTS, useful),
        n_users=100,
        n_samples=1_000,
        users_share=1.0,
        suppressed_share=0.25,
        crowd_least=crowd,
        alone_share=alone / 100,
        too_few=7,
        n_targets=100,
        guessing={"linkage": 0.01, "home": 0.1},
    )


PAIRS = option(
    "",
    0.6,
    (Glove(2),),
    2,
    unicity=(0.0, 0.0, 0.0),
    k=(0.5, 0.47, 0.5),
    em=(40.0, 35.0, 45.0),
    kl=(190.0, 150.0, 230.0),
)
TENS = option(
    "",
    0.2,
    (Glove(10),),
    10,
    unicity=(0.0, 0.0, 0.0),
    k=(0.04, 0.03, 0.049),
    em=(4.0, 3.0, 5.0),
    kl=(6.0, 5.0, 7.0),
)
FINE = option("fine", 0.9, unicity=(0.04, 0.03, 0.06), k=(0.3, 0.2, 0.4))
RAW = option(
    "raw",
    1.0,
    unicity=(1.0, 0.99, 1.0),
    k=(1.0, 0.99, 1.0),
    em=(120.0, 100.0, 140.0),
    kl=(500.0, 400.0, 600.0),
)


def table(*results: OptionResult, risk: str = "unicity") -> OptionsTable:
    return OptionsTable(results, risk, utility_choice("transport"), KNOWN, "digest")


def criteria(risk: str = "unicity", **limits: float | None) -> Criteria:
    return Criteria(risk, Limits(limits), utility_choice("transport"), "", "utility")


def told(found: OptionsTable, by: Criteria) -> str:
    dots = story.dots(found, by, [])
    said = [*story.conclusion(found, dots, by), *story.further(found, dots, by)]
    return " ".join(said).replace("\\", "")


def chosen(result: OptionResult, found: OptionsTable, by: Criteria) -> str:
    text, more, _ = story.chosen_told(result, "", found, by)
    return " ".join([text, *more]).replace("\\", "")


def whole(found: OptionsTable, by: Criteria) -> pd.DataFrame:
    return tables.whole(found, story.dots(found, by, []), by)


def test_no_advice_by_one_measure_alone() -> None:
    """By unicity pairs are best; by k .5 of a limit of .05, by EM 45 of 8 and by KL 230 of 10."""
    text = told(table(PAIRS, TENS, RAW), criteria(em=8.0, kl=10.0))
    assert text.startswith(
        "1 of 3 options stays within the thresholds; nobody has a unique record in it."
    )
    assert "The recommended option is “GLOVE, k = 10” (utility, transport: 0.20)." in text
    # By unicity the pairs dominate the tens; by k-disclosure they are the riskier.
    assert (
        "The ranking depends on the measure: by unicity, “GLOVE, k = 2” dominates “GLOVE, k = 10”; "
        "by k-disclosure, “GLOVE, k = 2” is the riskier of the two (50% (95% interval: 47% to 50%; "
        "guessing finds 1.0%) against 4.0% (95% interval: 3.0% to 4.9%; guessing finds 1.0%))."
        in text
    )
    # Where nothing is broken and nothing turns, nothing of the kind is said.
    calm = told(table(TENS, RAW), criteria())
    assert "The ranking depends" not in calm
    # 230 nats are 23 times 10, 45 bins are 5.6 times 8; raw data are worse.
    none = told(table(PAIRS, RAW), criteria(em=8.0, kl=10.0))
    assert none.startswith("None of 2 options is within all thresholds. The nearest: GLOVE, k = 2.")
    assert "It exceeds the threshold of 10 nats (up to 23 times the threshold)" in none
    assert "It exceeds the threshold of 8 bins (up to 5.6 times the threshold)" in none


def test_where_a_group_shares_a_record_the_risk_is_not_zero() -> None:
    by, found = criteria(), table(PAIRS, RAW)
    shared = "At least {} people share each record. The risk is not zero: an attacker still picks "
    assert shared.format(10) in told(table(TENS, RAW), by)
    # In the figure for the mouse, in the table, and in the choice, too.
    pair, raw = story.dots(found, by, [])
    assert "k-disclosure: 50% (95% interval: 47% to 50%; guessing finds 1.0%)" in pair.told
    assert "at least 2 people share each record" in pair.told
    assert "k-disclosure: 100%" in raw.told
    of_k = tables.shown(found, [pair, raw], replace(by, risk="k"))["k-disclosure"]
    assert of_k.tolist() == ["50%", "100%"]
    assert whole(found, by)["Share a record"].tolist() == ["2 or more", "1 or more"]
    assert shared.format(2) in chosen(PAIRS, found, by)
    # EM and KL are advisory: they count where somebody sets a threshold for them.
    over = "EM-disclosure: 40 bins (95% interval: 35 to 45 bins; as much as 40 visits"
    assert story.chosen_told(PAIRS, "why", found, by)[2]
    assert over not in chosen(PAIRS, found, by)
    by = criteria(em=8.0, kl=10.0)
    assert over in chosen(PAIRS, found, by)
    assert not story.chosen_told(PAIRS, "why", found, by)[2]
    assert story.chosen_told(TENS, "", table(TENS, RAW), criteria())[2]


def test_a_threshold_is_held_by_the_upper_end_and_what_is_surely_above_is_above() -> None:
    """4% is below 5%, but may be 6%: 3 to 6% leave 5% open, 99 to 100% do not."""
    by, found = criteria(outsider=None), table(FINE, RAW)
    fine, raw = story.dots(found, by, [])
    assert fine.unsafe
    assert "may be above the threshold" in fine.told
    assert "is above the threshold" in raw.told
    assert "may be" not in raw.told
    assert whole(found, by)["Within the threshold"].tolist() == ["perhaps not", "no"]
    assert "It may exceed the threshold of 5%" in chosen(FINE, found, by)
    assert ". It exceeds the threshold of 5%" in chosen(RAW, found, by)
    assert "The only option is not within all thresholds. The nearest: f" in told(table(FINE), by)
    wider = criteria(unicity=0.06, outsider=None)
    assert not story.dots(table(FINE), wider, [])[0].unsafe
    assert "The recommended option is “fine (bins of fewer than 4 people left out)”" in told(
        table(FINE), wider
    )


def test_who_is_alone_with_a_whole_record_is_told_and_has_a_threshold() -> None:
    """22 of 100 are alone, against a limit of 5%, however rarely four points find anybody."""
    weekly = option("weekly", 0.7, alone=22, unicity=(0.007, 0.002, 0.015))
    rare = option("rare", 0.5, alone=4)
    by, found = criteria(), table(weekly, rare)
    text = told(found, by)
    assert text.startswith(
        "1 of 2 options stays within the thresholds; yet some people have a unique record in it. "
        "Recommended: rare (bins of fewer than 4 people left out)."
    )
    assert "rare (bins of fewer than 4 people left out)” (utility, transport: 0.50)." in text
    assert "4 of the 100 people (4.0%) have a unique record in it. An attacker who knows" in text
    assert "No option within the thresholds is without unique records" in text
    assert text.count("finds the whole record") == 1  # what it means is said once
    rows = tables.shown(found, story.dots(found, by, []), by)
    assert rows["Unique"].tolist() == ["22 (22%)", "4 (4%)"]
    assert rows["Over"].tolist() == ["unique", "none"]
    every = whole(found, by)
    assert every["Over the threshold of"].tolist() == ["unique records", ""]
    assert every["Unique records"].tolist() == rows["Unique"].tolist()
    assert "22 of the 100 people (22%) have a unique record in it" in chosen(weekly, found, by)
    told_over = "Unique records: 22 of 100 (22%). It exceeds the threshold of 5%"
    assert told_over in chosen(weekly, found, by)
    assert not story.chosen_told(weekly, "why", found, by)[2]
    assert not story.chosen_told(rare, "why", table(rare), by)[2]
    # What is not known is not taken for nobody.
    unknown = replace(rare, alone_share=math.nan)
    assert by.limits.broken(unknown) == ("alone",)
    assert by.limits.broken(TENS) == ()


def test_how_many_do_not_hide_yet() -> None:
    assert (
        story.gaps_told("x", np.array([0.0, 0.1, 0.2]))
    ) == "In “x”, 2 of the 3 people (67%) have a record that nobody else has."
    assert (
        story.gaps_told("x", np.array([0.0, 0.0, 0.2]), periods=True)
    ) == "In “x”, 1 of the 3 records (33%), each a person's of one period, is like nobody else's."


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("random", "drawn from the interactions, so that busy places and times are likelier"),
        ("uniform", "Each row of a person is equally likely"),
        ("top", "the most visited places"),
        ("consecutive", "follow one another"),
    ],
)
def test_the_draw_that_risks_are_of_is_said_as_it_is(strategy: Strategy, words: str) -> None:
    assert words in story.outsider_told(KnowledgeConfig(strategy=strategy))


def test_options_that_intervals_do_not_separate_are_level() -> None:
    a = option("a", 0.80, unicity=(0.9995, 0.996, 1.0))
    b = option("bb", 0.81, unicity=(0.998, 0.994, 0.9995))
    found, by = table(a, b), criteria()
    dots = story.dots(found, by, [])
    assert [(d.front, d.behind) for d in dots] == [(True, True), (True, False)]
    assert "level with “bb”" in dots[0].told
    text = told(found, by)
    assert "no option is surely worse than another in both risk and utility: both are on" in text
    assert "1 of them is level with another" in text
    assert "No option is dominated." in text
    assert whole(found, by)["On the front"].tolist() == ["level", "yes"]
    assert whole(found, by)["Level with"].tolist() == ["2", "1"]


def test_a_name_hides_no_recipe() -> None:
    mine = option("ours", 0.5, (AddNoise(300.0),))
    found, by = table(mine), criteria()
    (dot,) = story.dots(found, by, [])
    assert dot.name == "ours (noise of 300 m (planar Laplace))"
    assert whole(found, by)["What is done"].tolist() == [mine.option.text]
    assert "noise of 300 m" in told(found, by)
    assert "noise of 300 m" in chosen(mine, found, by)
    # And the command line reads it as the page writes it.
    (plain,) = json.loads(story.recipe([mine.option]))
    assert ReleaseOption.from_dict(plain) == mine.option


def test_of_moved_points_no_claim_is_made() -> None:
    noisy, mixed = option("", 0.5, (AddNoise(300.0),)), option("", 0.4, (Permute("times"),))
    (text,) = story.moved_told([noisy.option, mixed.option, RAW.option])
    assert text.replace("\\", "") == (
        "In “noise of 300 m (planar Laplace)” and “times exchanged within 5 km” points are moved "
        "by noise or exchange. Unicity and k-, EM- and KL-disclosure assume an attacker who knows "
        "points as they are published. The linkage attack covers an attacker who knows true "
        "points."
    )
    assert story.moved_told([RAW.option]) == []
    assert "For linkage, they are true points" in story.outsider_told(KNOWN)
    assert "promises nothing to a person" in definitions.NOISE
    assert "geo-indist" not in definitions.NOISE.lower()


def test_what_was_left_out_and_who_had_too_few_points_is_in_the_table() -> None:
    rows = whole(table(RAW), criteria())
    assert rows["Samples left out"].tolist() == ["25%"]
    assert rows["Fewer than 4 points"].tolist() == ["7 of 100"]
    assert rows["Homes found"].tolist() == ["0% (0% – 0%), guessing 10%"]


def test_sums_not_means_are_what_the_axes_say() -> None:
    by = criteria("em", em=8.0)
    assert by.risk_title(4) == "EM-disclosure (bins), 4 known points"
    assert "EM-disclosure: 40 bins (95% interval: 35 to 45 bins" in told(
        table(RAW, PAIRS, risk="em"), by
    )


@pytest.fixture(scope="module")
def people():  # type: ignore[no-untyped-def]
    shipped = sample("synthetic")
    return read_cdr(shipped.path, antennas=shipped.antennas_path, timezone=shipped.timezone)[0]


def _counts(fs, *columns):  # type: ignore[no-untyped-def]
    rows, which = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    counts = np.bincount(which.ravel(), weights=fs.count)
    return dict(zip(map(tuple, rows.tolist()), counts.tolist(), strict=True))


def _user(fs):  # type: ignore[no-untyped-def]
    return np.repeat(np.arange(fs.n_users), np.diff(fs.offsets))


def test_the_exchange_keeps_what_its_tooltip_says_and_no_more(people) -> None:  # type: ignore[no-untyped-def]
    """Positions: events of place × hour and a user's times. Times: of square × time, a user's
    places; but not of place × hour, in which many events are elsewhere."""
    hour = np.floor(people.t_min / 60)
    by_place = _counts(people, people.x_m, people.y_m, hour)
    moved = permute(people, "positions", window_min=60)
    assert _counts(moved, moved.x_m, moved.y_m, np.floor(moved.t_min / 60)) == by_place
    assert _counts(moved, _user(moved), moved.t_min) == _counts(people, _user(people), people.t_min)
    later = permute(people, "times", region_m=5_000)
    squares = [np.floor((each + 50) / 5_000) for each in (later.x_m, later.y_m)]
    before = [np.floor((each + 50) / 5_000) for each in (people.x_m, people.y_m)]
    assert _counts(later, *squares, later.t_min) == _counts(people, *before, people.t_min)
    mine = _counts(people, _user(people), people.x_m, people.y_m)
    assert _counts(later, _user(later), later.x_m, later.y_m) == mine
    after = _counts(later, later.x_m, later.y_m, np.floor(later.t_min / 60))
    changed = sum(max(0, many - after.get(cell, 0)) for cell, many in by_place.items())
    assert 0.2 < changed / sum(by_place.values()) < 0.8
    said = definitions.PERMUTATION
    assert (
        "each place keeps its number of events in each window, and each person their times" in said
    )
    assert "the number of events at a place in an hour changes" in said
    assert "stay as they are" not in said


def test_the_outsiders_risk_is_judged_with_homes_and_people_alone_together() -> None:
    """Noise: by published points 4%, by true ones 99%. And a grid that names few, and homes."""
    noisy = option(
        "noisy",
        0.8,
        (AddNoise(300.0),),
        k=(0.04, 0.03, 0.045),
        linkage=(0.99, 0.98, 0.995),
        outsider=(0.99, 0.98, 0.995),
    )
    homely = option(
        "homely",
        0.7,
        (),
        25,
        outsider=(0.03, 0.02, 0.04),
        linkage=(0.03, 0.02, 0.04),
        k=(0.02, 0.01, 0.03),
        home=(0.4, 0.35, 0.45),
    )
    good = option("good", 0.3, (), 25, home=(0.12, 0.11, 0.15))
    by = criteria("outsider")
    found = table(noisy, homely, good, risk="outsider")
    text = told(found, by)
    assert text.startswith(
        "1 of 3 options stays within the thresholds; nobody has a unique record in it."
    )
    assert "The recommended option is “good" in text
    assert "homely" not in story.conclusion(found, story.dots(found, by, []), by)[1]
    assert "The strongest attacker, with 4 points, was asked about all 100" in text
    assert "12% (95% interval: 11% to 15%; guessing finds 10%)." in text
    # The limit of homes is for what is beyond guessing: 10% and 5 more; 45% is 3 times that.
    nearest = told(table(noisy, homely, risk="outsider"), by)
    assert "None of 2 options is within all thresholds. The nearest: homely" in nearest
    assert "The threshold asks for groups of 20 or more." in nearest
    assert "exceeds the threshold of 5 people in 100 more than guessing finds (up to 3.0" in nearest
    assert by.limits.broken(good) == ()
    assert by.limits.broken(replace(good, guessing={"home": 0.09})) == ("home",)
    assert by.limits.broken(noisy) == ("outsider",)
