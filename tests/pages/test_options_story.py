"""What the Options page says: every sentence against figures by hand; no browser, no Streamlit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fpanon_core import KnowledgeConfig, permute, read_cdr
from fpanon_core.io.samples import sample
from fpanon_core.model.disclosure import RISKS as USUAL
from fpanon_core.model.options import AddNoise, Glove, Permute, ReleaseOption, SuppressRare
from fpanon_core.model.utility import COMPONENTS
from fpanon_core.studies.option_result import OptionResult, UtilityChoice, utility_choice
from fpanon_core.studies.options_table import OptionsTable
from pages.options import story, tables, verdict
from pages.options.criteria import Criteria
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
    usual = {name: each.limit for name, each in USUAL.items()}
    return Criteria(risk, usual | limits, utility_choice("transport"), "", "", "utility")


def told(found: OptionsTable, by: Criteria) -> str:
    return " ".join(story.told(found, story.dots(found, by, []), by))


def test_no_advice_by_one_measure_alone() -> None:
    """By unicity pairs are best; by k .5 of a limit of .05, by EM 45 of 8 and by KL 230 of 10."""
    text = told(table(PAIRS, TENS, RAW), criteria(em=8.0, kl=10.0))
    assert text.startswith("Within all limits, “GLOVE, k = 10” is the most useful: utility 0.20")
    assert "nobody is alone in it." in text
    assert "alone, “GLOVE" not in text  # no other option is named by one measure
    # By unicity the pairs dominate the tens; by k-disclosure they are the riskier.
    assert (
        "The ranking turns with the measure: by unicity “GLOVE, k = 2” dominates “GLOVE, k = 10”; "
        "by k-disclosure it is the riskier of the two (50 % against 4.0 % (up to 4.9 %))." in text
    )
    # Where nothing is broken and nothing turns, nothing of the kind is said.
    calm = told(table(TENS, RAW), criteria())
    assert "turns with" not in calm
    # 230 nats are 23 times 10, 45 bins are 5.6 times 8; raw data are worse.
    none = told(table(PAIRS, RAW), criteria(em=8.0, kl=10.0))
    assert none.startswith("No option is within all limits. The nearest is “GLOVE, k = 2” (utility")
    assert "the limit is 10 nats, which it is above (up to 23 times)" in none
    assert "the limit is 8 bins, which it is above (up to 5.6 times)" in none


def test_where_a_crowd_shares_a_record_it_is_no_risk_of_0() -> None:
    by = criteria()
    text = told(table(TENS, RAW), by)
    assert "risk 0 %" not in text
    assert (
        "at least 10 people share each record. That is no risk of 0: whoever knows points of it "
        "names the right person with a chance of 4 % on average, at most 1 in 10, and learns "
        "everything that is published of the group all the same." in text.replace("4.0 %", "4 %")
    )
    # In the figure for the mouse, in the table, and in the choice, too.
    pair, raw = story.dots(table(PAIRS, RAW), by, [])
    assert "chance of naming by published points 50 % on average, at most 1/2: so many" in pair.told
    assert "chance of naming by published points 100 % on average" in raw.told
    rows = tables.shown(table(PAIRS, RAW), [pair, raw], by)
    assert rows["k-disclosure"].tolist() == ["50 %", "100 %"]
    rows = tables.whole(table(PAIRS, RAW), [pair, raw], by)
    assert rows["Share a record"].tolist() == ["2 or more", "1 or more"]
    chosen, unopposed = story.chosen_told(PAIRS, "why", table(PAIRS, RAW), by)
    assert "That is no risk of 0" in chosen
    assert not unopposed
    # EM and KL are advisory: they count where somebody sets a threshold for them.
    assert "is above the limit of k-disclosure, even" in chosen
    own, _ = story.chosen_told(PAIRS, "why", table(PAIRS, RAW), criteria(em=8.0, kl=10.0))
    assert "is above the limit of k-disclosure, EM-disclosure and KL-disclosure" in own
    assert story.chosen_told(TENS, "", table(TENS, RAW), by)[1]


def test_a_limit_is_held_by_the_upper_end() -> None:
    """4 % is below 5 %, but may be 6 %."""
    by = criteria(outsider=None, em=None, kl=None)
    (dot,) = story.dots(table(FINE), by, [])
    assert dot.unsafe
    assert "may be above the limit" in dot.told
    assert "No option is within all limits. The nearest is “fine" in told(table(FINE), by)
    wider = criteria(unicity=0.06, outsider=None, em=None, kl=None)
    assert not story.dots(table(FINE), wider, [])[0].unsafe
    assert "“fine (bins of fewer than 4 users left out)” is the most useful" in told(
        table(FINE), wider
    ).replace("\\", "")


def test_what_is_surely_above_a_limit_is_said_to_be_above_it() -> None:
    """3 to 6 % leave 5 % open; 99 to 100 % do not."""
    by = criteria(outsider=None, em=None, kl=None)
    found = table(FINE, RAW)
    fine, raw = story.dots(found, by, [])
    assert "may be above the limit" in fine.told
    assert "is above the limit" in raw.told
    assert "may be" not in raw.told
    rows = tables.whole(found, [fine, raw], by)
    assert rows["Within the limit"].tolist() == ["perhaps not", "no"]
    assert (
        "Its risk may be above the limit of unicity: the upper end"
        in story.chosen_told(FINE, "", found, by)[0]
    )
    said = story.chosen_told(RAW, "", found, by)[0]
    assert "It is above the limit of unicity, even by the lower end" in said
    assert "may be" not in said


def test_who_is_alone_with_a_whole_record_is_told_first_and_has_a_limit() -> None:
    """22 of 100 are alone, against a limit of 5 %, however rarely four points find anybody."""
    weekly = option("weekly", 0.7, alone=22, unicity=(0.007, 0.002, 0.015))
    rare = option("rare", 0.5, alone=4)
    by = criteria()
    found = table(weekly, rare)
    text = told(found, by)
    share = "**22 of the 100 users (22 %) have a record of their own in it**"
    assert share not in text
    assert "The most useful that breaks no limit is “rare" in text
    assert (
        "utility 0.50, and yet 4 of the 100 users (4 %) are alone with a record of their own in it "
        "(the limit of 5 % would let 5 be so). Whether anybody may be is yours to decide. No "
        "option is within all limits with nobody alone." in text
    )
    assert text.count("like nobody else's") == 1  # what it means is said once
    assert "ithin all limits," not in text
    dots = story.dots(found, by, [])
    rows = tables.shown(found, dots, by)
    assert rows["Alone"].tolist() == ["22 (22 %)", "4 (4 %)"]
    assert rows["Over limits"].tolist() == ["1 of 5", "none of 5"]
    every = tables.whole(found, dots, by)
    assert every["Over the limit of"].tolist() == ["people alone", ""]
    compared = tables.compared(found, [0, 1]).loc["Alone with their record"]
    assert compared.tolist() == rows["Alone"].tolist()
    chosen, unopposed = story.chosen_told(weekly, "why", found, by)
    assert share in chosen
    assert (
        "It is above the limit of people with a record of their own, even by the lower end"
        in chosen
    )
    assert not unopposed
    assert "(4 %) have a record" in story.chosen_told(rare, "why", table(rare), by)[0]
    assert (
        story.gaps_told("x", np.array([0.0, 0.1, 0.2]))
    ) == "In “x”, 2 of the 3 users (67 %) have a record that nobody else has."
    assert (
        story.gaps_told("x", np.array([0.0, 0.0, 0.2]), periods=True)
    ) == "In “x”, 1 of the 3 records (33 %), each a person's of one period, is like nobody else's."
    # What is not known is not taken for nobody.
    unknown = replace(rare, alone_share=math.nan)
    assert verdict.broken(unknown, by) == ["people with a record of their own"]
    assert verdict.broken(TENS, by) == []


def test_the_draw_that_risks_are_of_is_said_as_it_is() -> None:
    said = {
        strategy: story.outsider_told(KnowledgeConfig(strategy=strategy))
        for strategy in ("random", "uniform", "top", "consecutive")
    }
    assert (
        "drawn from the interactions, so that busy places and times are likelier"
        in (said["random"])
    )
    assert "any of the person's rows alike" in said["uniform"]
    assert "the most visited places" in said["top"]
    assert "follow one another" in said["consecutive"]


def test_options_that_intervals_do_not_separate_are_level() -> None:
    a = option("a", 0.80, unicity=(0.9995, 0.996, 1.0))
    b = option("bb", 0.81, unicity=(0.998, 0.994, 0.9995))
    found, by = table(a, b), criteria()
    dots = story.dots(found, by, [])
    assert [(d.front, d.behind) for d in dots] == [(True, True), (True, False)]
    assert "level with “bb”" in dots[0].told
    text = told(found, by)
    assert "None of the 2 options can be told to be worse than another" in text
    assert "1 of them is level with another" in text
    assert "No option is dominated." in text
    rows = tables.shown(found, dots, by)
    assert rows["On the front"].tolist() == ["level", "yes"]
    assert tables.whole(found, dots, by)["Level with"].tolist() == ["2", "1"]


def test_a_name_hides_no_recipe() -> None:
    mine = option("ours", 0.5, (AddNoise(300.0),))
    found, by = table(mine), criteria()
    (dot,) = story.dots(found, by, [])
    assert dot.name == "ours (noise of 300 m (planar Laplace))"
    assert tables.whole(found, [dot], by)["What is done"].tolist() == [mine.option.text]
    assert tables.compared(found, [0]).loc["What is done"].tolist() == [mine.option.text]
    assert "noise of 300 m" in told(found, by)
    assert "noise of 300 m" in story.chosen_told(mine, "", found, by)[0]


def test_of_moved_points_no_claim_is_made() -> None:
    noisy, mixed = option("", 0.5, (AddNoise(300.0),)), option("", 0.4, (Permute("times"),))
    (text,) = verdict.moved_told([noisy.option, mixed.option, RAW.option])
    assert text.replace("\\", "") == (
        "In “noise of 300 m (planar Laplace)” and “times exchanged within 5 km” points are moved "
        "by noise or exchange. Unicity, k-, EM- and KL-disclosure are of an outsider who knows "
        "points as they are published, and say nothing of one who knows where somebody truly was; "
        "of that one linkage tells."
    )
    assert verdict.moved_told([RAW.option]) == []
    outsider = story.outsider_told(KNOWN)
    assert "cautious" not in outsider
    assert "For linkage they are true points" in outsider
    assert "promises nothing to a person" in definitions.NOISE
    assert "geo-indist" not in definitions.NOISE.lower()


def test_what_was_left_out_and_who_had_too_few_points_is_in_the_table() -> None:
    found, by = table(RAW), criteria()
    rows = tables.whole(found, story.dots(found, by, []), by)
    assert rows["Samples left out"].tolist() == ["25 %"]
    assert rows["Fewer than 4 points"].tolist() == ["7 of 100"]


def test_sums_not_means_are_what_the_axes_say() -> None:
    text = told(table(RAW, PAIRS, risk="em"), criteria("em", em=8.0))
    assert "means over all bins" not in text
    assert "EM-disclosure: 40 bins (95 %: 35 to 45 bins" in text


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
    assert "each place keeps its number of events in each window, and each user their times" in said
    assert "how many events a place has in an hour changes" in said
    assert "stay as they are" not in said


def test_the_outsiders_risk_is_judged_with_homes_and_people_alone_together() -> None:
    """Noise: by published points 4 %, by true ones 99 %. And a grid that names few, and homes."""
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
    assert text.startswith("Within all limits, “good")
    assert "homely" not in story.conclusion(found, story.dots(found, by, []), by)[0]
    assert (
        "Who knows 4 true points of a person picks out the record of 0 % (guessing 1.0 %) of the "
        "people in it." in text
    )
    assert "finds the home within 1 km of 12 % (up to 15 %; guessing 10 %)." in text
    # The limit of homes is for what is beyond guessing: 10 % and 5 more; 45 % is 3 times that.
    nearest = told(table(noisy, homely, risk="outsider"), by)
    assert nearest.startswith("No option is within all limits. The nearest is “homely")
    assert "the limit is 5 of 100 more than guessing, which it is above (up to 3.0 t" in nearest
    assert verdict.broken(good, by) == []
    assert verdict.broken(replace(good, guessing={"home": 0.09}), by) == [
        "the share of homes found"
    ]
    assert verdict.broken(noisy, by) == ["re-identification risk"]
    assert verdict.broken(noisy, criteria("k")) == ["linkage"]
    # In the table what finds people stands beside what is chosen, whatever is.
    rows = tables.shown(found, story.dots(found, by, []), by)
    assert rows["Re-identified"].tolist() == ["99.0 %", "3.0 %", "0 %"]
    assert rows["Over limits"].tolist() == ["1 of 4", "1 of 4", "none of 4"]
    assert rows["Home (guessing)"].tolist() == ["0 % (10 %)", "40 % (10 %)", "12 % (10 %)"]
    every = tables.whole(found, story.dots(found, by, []), by)
    assert every["Over the limit of"].tolist() == ["re-identification risk", "homes", ""]
    # Another measure takes the place of the larger one; its parts stay.
    of_em = tables.shown(replace(found, risk_name="em"), story.dots(found, by, []), criteria("em"))
    assert {"EM-disclosure", "Linkage", "k-disclosure"} < set(of_em.columns)
    assert "Re-identified" not in of_em.columns
    assert tables.compared(found, [1]).loc["Home found"].tolist() == [
        "40 % (35 % – 45 %), guessing 10 %"
    ]
    # What is said of the choice is said of all three, too.
    chosen, unopposed = story.chosen_told(noisy, "", found, by)
    assert "picks out the record of 99.0 %" in chosen
    assert "It is above the limit of re-identification risk, even by the lower end" in chosen
    assert not unopposed
    assert story.chosen_told(good, "", found, by)[1]
    # Somebody alone, though the limit would allow it, is no green light.
    assert not story.chosen_told(option("rare", 0.5, alone=1), "", found, by)[1]


def test_the_line_of_the_limit_is_where_the_limit_is() -> None:
    by = criteria("home")
    alike = table(TENS, RAW, risk="home")
    assert story.drawn_limit(alike, by) == pytest.approx(0.15)
    assert story.not_drawn_told(alike, by) == ""
    other = table(TENS, replace(RAW, guessing={"home": 0.3}), risk="home")
    assert story.drawn_limit(other, by) is None
    assert "what guessing finds is not the same for all options" in story.not_drawn_told(other, by)
    assert story.drawn_limit(alike, criteria("home", home=None)) is None


def test_what_cannot_be_asked_is_said_and_is_within_no_limit() -> None:
    nothing = (math.nan, math.nan, math.nan)
    dark = replace(
        option("dark", 0.5, (), 30, home=nothing),
        guessing={"linkage": 0.01},
        unasked={"home": "Nobody in the release was recorded in 1 night."},
    )
    found, by = table(dark, risk="outsider"), criteria("outsider")
    text = told(found, by)
    assert text.startswith("No option is within all limits, and how near any comes is not known.")
    assert "Nobody in the release was recorded in 1 night." in text
    rows = tables.whole(found, story.dots(found, by, []), by)
    assert "recorded in 1 night" in rows["Not known, and why"][0]
    of_homes = replace(found, risk_name="home")
    by_home = criteria("home")
    assert told(of_homes, by_home).startswith("The share of homes found is not known")
    assert "is not known" in story.dots(of_homes, by_home, [])[0].told
    assert "Without a dot" in story.not_drawn_told(of_homes, by_home)
    assert of_homes.unsafe(0.05).tolist() == [True]


def test_unscored_options_do_no_harm() -> None:
    found = OptionsTable((RAW,), "unicity", UtilityChoice("asked: x", asked={}), KNOWN, "digest")
    dots = story.dots(found, criteria(), [])
    assert told(found, criteria()).startswith("Nobody scored any of the options")
    assert dots[0].told.startswith("nobody scored it")
    assert tables.shown(found, dots, criteria())["On the front"].tolist() == ["not scored"]
