"""The report: verdicts of figures written by hand, texts from outside, the recipe, its numbers."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from dataclasses import replace
from functools import reduce
from html.parser import HTMLParser
from operator import getitem
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core import FingerprintSet, GeneralizationProfile, Grid, explore_options
from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.ledger import Spent
from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.counts_frame import FrameConfig, StatedPeriod
from fpanon_core.model.errors import ConfigError, FpanonError, SchemaError
from fpanon_core.model.options import (
    AddNoise,
    Aligned,
    Generalize,
    Glove,
    Periods,
    ReleaseOption,
    Synthesize,
)
from fpanon_core.studies.exploration import Exploration, Facts, as_it_is, facts_of
from fpanon_core.studies.judgement import Limits, most_useful
from fpanon_core.studies.option_result import OptionResult, UtilityChoice, utility_choice
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.recipe import NOTHING_LEAVES, Decision, Recipe
from fpanon_core.studies.report import SessionRelease, page, report
from fpanon_core.studies.report_figures import front
from fpanon_core.studies.report_words import (
    between,
    describe_sum,
    describe_use,
    estimate,
    percent,
    shown,
)
from fpanon_core.synthetic.generate import generate_cdr
from tests.support.snapshots import check_snapshot

RAW = ReleaseOption()
COARSE = ReleaseOption("coarse", [Generalize(GeneralizationProfile(Grid(20_000), 1440))])
FINE = ReleaseOption("fine", [Generalize(GeneralizationProfile(Grid(500), 60))])
DAY = dt.date(2024, 3, 4)
NOISE = ReleaseOption("noise", [AddNoise(500)])
HIDDEN = ReleaseOption("hidden", [Glove(2)])
FACTS = Facts(100, 5_000, 14, "2024-03-04", "2024-03-17", "Africa/Dakar", 5_100, 7)


def result(
    option: ReleaseOption,
    risk: float,
    utility: float,
    *,
    alone: int = 0,
    width: float = 0.01,
    home: float = 0.1,
    least: int = 1,
) -> OptionResult:
    """An option of 100 people; all chances of naming are alike, and all components."""
    naming = (risk, max(0.0, risk - width), min(1.0, risk + width))
    return OptionResult(
        option,
        risks=dict.fromkeys(("outsider", "linkage", "k", "unicity"), naming)
        | {"home": (home, home - 0.02, home + 0.02), "em": (2.0, 1.0, 3.0), "kl": (2.0, 1.0, 3.0)},
        components=dict.fromkeys(
            ("density", "flows", "mobility", "visits", "space", "time"), utility
        ),
        n_users=100,
        n_samples=5_000,
        users_share=1.0,
        suppressed_share=0.0,
        crowd_least=least,
        alone_share=0.0 if least > 1 else alone / 100,
        naming_most=0.5,
        n_targets=50,
        guessing={"linkage": 0.01, "home": 0.09},
    )


def exploration(
    *results: OptionResult, raw: OptionResult | None = None, **more: Any
) -> Exploration:
    table = OptionsTable(
        results, "outsider", utility_choice("transport"), KnowledgeConfig(users=50), "ab" * 16
    )
    return Exploration(table, raw or result(RAW, 0.9, 1.0, alone=100), FACTS, **more)


def verdict(found: Exploration, first: int = 1, **decided: Any) -> list[str]:
    """Tone, head and sentences of each statement, and what is above a threshold.

    Without that of the data as they are, unless ``first`` is 0.
    """
    return [
        line
        for each in report(found, Decision(**decided)).verdict[first:]
        for line in (
            f"[{each.tone}] {each.head}",
            *each.text,
            *(f"- {over}" for over in each.over),
        )
    ]


# --- the verdict ---------------------------------------------------------------------------------


def test_verdicts_are_those_of_the_snapshot() -> None:
    """Nothing is in green without a reason; what is above a threshold is as loud as what is below.

    Of 50 ± 1% 49% is surely above 5%, and 51% is 10.2 times 5%. Of 4.5 ± 1% it is not sure: 5.5% is
    1.1 times. Four of 100 people are alone. Data as they are that were not weighed are not judged;
    weighed among the options they are, and are no form that was tried.
    """
    fine, coarse = result(FINE, 0.5, 0.8, alone=90), result(COARSE, 0.02, 0.3, least=3)
    two, perhaps = exploration(fine, coarse), exploration(fine, result(COARSE, 0.045, 0.3))
    alone = exploration(result(FINE, 0.02, 0.8, alone=4), result(COARSE, 0.02, 0.3, least=2))
    off = Limits(dict.fromkeys(("outsider", "home", "unicity", "membership", "em", "kl")))
    loose = Limits({"outsider": 0.9, "home": None})
    among = exploration(result(RAW, 0.9, 1.0, alone=100), coarse)
    noise, nan = result(NOISE, 0.01, 0.9), (math.nan,) * 3
    unknown = exploration(
        replace(
            noise,
            risks={**noise.risks, "linkage": nan, "outsider": nan},
            unasked={"linkage": "Nobody has 4 points."},
        ),
        coarse,
    )
    weeks = ReleaseOption("cut", [Periods(7), Aligned(2)])
    of_whom = exploration(coarse, result(weeks, 0.02, 0.3, least=2))
    asked = replace(coarse, homes_asked=11)
    failed = exploration(OptionResult(NOISE, fault="There are <too few> people."), coarse)
    hides = {"chosen": "coarse", "why": "It hides."}
    check_snapshot(
        "report",
        {
            "Within the thresholds": verdict(two, 0, **hides),
            "Signed": verdict(two, 2, **hides, signer="Ada"),
            "Without a reason": verdict(two, chosen="coarse"),
            "Nothing is released": verdict(two, chosen=NOTHING_LEAVES, why="It is refused."),
            "A search cut short": verdict(replace(two, untried=10)),
            "Above thresholds": verdict(perhaps, chosen="fine", why="It is wanted."),
            "Perhaps above": verdict(perhaps, chosen="coarse"),
            "Some alone": verdict(alone, chosen="fine", why="It is wanted."),
            "Nobody alone": verdict(alone, **hides),
            "Original data not weighed": verdict(replace(exploration(fine), raw=None), 0),
            "Weighed among the options": verdict(replace(among, raw=None), 0),
            "No threshold": verdict(exploration(fine, limits=off), 0, chosen="fine", why="x"),
            "Loose thresholds": verdict(exploration(fine, limits=loose), 0),
            "Not known": verdict(unknown, chosen="noise", why="x"),
            "Of records in periods": verdict(of_whom, chosen="cut", why="x"),
            "Homes, of how many": [
                estimate(asked, "home"),
                estimate(replace(asked, option=weeks), "home"),
                *verdict(exploration(asked), **hides),
            ],
            "One that failed": verdict(failed, **hides),
        },
    )
    assert "Not measured: linkage. Nobody has 4 points." in page(
        report(unknown, Decision(chosen="noise"))
    )
    assert "a different pseudonym in each" in page(report(of_whom, Decision(chosen="cut")))
    assert "There are &lt;too few&gt; people." in page(report(failed, Decision(chosen="coarse")))
    refused = report(two, Decision("", NOTHING_LEAVES, "As asked."))
    assert "(chosen)" not in page(refused)
    assert "Reason: As asked." in page(refused)
    assert Recipe.from_dict(refused.recipe.to_dict()).decision.refused
    # What a search had no time for is said on page one, after a file, too.
    assert "The search ended with" not in page(report(two, Decision()))
    cut = report(Exploration.from_dict(replace(two, untried=10).to_dict()), Decision())
    of_search = cut.verdict[1]
    for text in (page(cut), " ".join(of_search.text[: of_search.first])):
        assert "The search ended with 10 more options to try" in text


def test_the_epsilon_of_other_releases_adds_to_that_of_the_chosen_one() -> None:
    made_up = ReleaseOption("people", [Synthesize(FrameConfig(StatedPeriod(DAY, 9)), 0.5)])
    found = exploration(result(made_up, 0.02, 0.8), result(HIDDEN, 0.02, 0.8, least=2))
    for spent, chosen, on_the_first_page in ((2, "people", 1), (2, "hidden", 0), (0, "people", 0)):
        made = report(found, Decision(chosen=chosen), spent=Spent(spent))
        told = f"Private releases of this file have spent ε = {spent:g}. Other files"
        assert made.promise.count(told) == on_the_first_page
        assert page(made).count(told) == on_the_first_page + (spent > 0)
    unread = report(found, Decision(chosen="hidden"), spent=Spent(math.nan))
    assert page(unread).count("have spent is not known.") == 1
    # A corrected file begins a ledger: what others hold is named, and never taken for nothing.
    others = report(found, Decision(chosen="people"), spent=Spent(0.0, 2, 1.25, 0.25))
    told = (
        "Private releases of this file have spent ε = 0. 2 other ledgers here hold ε = 1.25. If "
        "they are about the same people, ε adds up to 1.25. Judging by ids, ε = 0.25 of this is "
        "about people in this file."
    )
    assert others.promise.endswith(told)
    assert page(others).count(told) == 2


def test_every_release_of_the_session_is_named() -> None:
    found = exploration(result(HIDDEN, 0.02, 0.8, least=2))
    assert "this session made" not in page(report(found, Decision()))
    made = [
        SessionRelease("small counts < blank", "2024-03-05 10:00 UTC", "9 of 10", "csv 12ab"),
        SessionRelease("aligned, k = 12", "2024-03-05 10:05 UTC", "10 of 10", "csv 34cd"),
    ]
    text = page(report(found, Decision(), session=made))
    assert "Tables of nearly the same people can be subtracted from each other" in text
    assert "so releases of files with other ids are not listed." in text
    assert '<th scope="col">First shown</th>' in text
    rows = text[text.index('id="session"') : text.index('id="kinds"')]
    first, second = rows.index("small counts &lt; blank"), rows.index("aligned, k = 12")
    assert first < rows.index("9 of 10") < rows.index("csv 12ab") < second < rows.index("csv 34cd")


def test_what_cannot_be_reported() -> None:
    found = exploration(OptionResult(NOISE, fault="Too few."), result(COARSE, 0.02, 0.3, least=2))
    for of, chosen, said in (
        (found, "noise", "could not be made"),
        (found, "nix", "There is no option 'nix'"),
        (exploration(), "", "No option was weighed"),
    ):
        with pytest.raises(ConfigError, match=said):
            report(of, Decision(chosen=chosen))


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 100), st.integers(1, 3)),
        min_size=1,
        max_size=6,
    ),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_within_the_limits_by_a_plain_loop(
    figures: list[tuple[float, float, int, int]], outsider: float, unicity: float
) -> None:
    results = [
        result(ReleaseOption(f"o{i}", [AddNoise(i + 1.0)]), risk, utility, alone=alone, least=least)
        for i, (risk, utility, alone, least) in enumerate(figures)
    ]
    limits = Limits({"outsider": outsider, "unicity": unicity})
    found = exploration(*results, limits=limits)
    expected = []
    for i, (risk, _, alone, least) in enumerate(figures):
        upper = min(1.0, risk + 0.01)
        share = 0.0 if least > 1 else alone / 100
        if upper <= outsider and upper <= unicity and share <= unicity:
            expected.append(i)
    assert [i for i, each in enumerate(results) if not limits.broken(each)] == expected
    best = max(expected, key=lambda i: figures[i][1], default=None)
    assert most_useful(found.table, expected) == best or (
        figures[most_useful(found.table, expected) or 0][1] == pytest.approx(figures[best or 0][1])
    )
    head = report(found, Decision()).verdict[1].head
    assert ("within all thresholds" in head) == (not expected)
    assert page(report(found, Decision(chosen="o0"))).count("within all</td>") == len(expected)


# --- numbers -------------------------------------------------------------------------------------


def test_no_figure_says_a_risk_of_nothing() -> None:
    none = result(COARSE, 0.0, 0.3, least=2, width=0.0)
    some = result(FINE, 0.00001, 0.4, least=1, width=0.00002, home=0.02)
    text = page(report(exploration(none, some), Decision(chosen="coarse", why="x")))
    body = re.sub(r"<svg.*?</svg>|<style>.*?</style>", "", text, flags=re.S)  # axes begin at 0%
    assert not re.search(r"(?<![\d.,])0(\.0)?%", body)
    assert "none found" in body
    assert estimate(none, "unicity").startswith("none found (every record is shared")


def test_numbers_as_people_say_them() -> None:
    told = {0.0994: "9.9%", 0.0996: "10%", 0.9996: "more than 99.9%", math.nan: "not known"}
    assert [percent(share) for share in told] == list(told.values())
    assert between(0.0001, 0.02, "unicity") == "up to 2.0%"
    assert between(0.1, 0.2, "unicity") == "10% to 20%"
    assert between(1.0, 2.5, "em") == "1 to 2.5 bins"
    assert between(252.3, 1_042.0, "kl") == "252 to 1,042 nats"
    assert between(0.00001, 1.0, "em") == "< 0.001 to 1 bins"
    assert between(0.5, 0.5, "alone") == ""
    assert shown("safe\u202egnp.exe\x00") == "safe\ufffdgnp.exe\ufffd"
    assert len(shown("x" * 9_000)) == 2_000


@pytest.fixture(scope="module")
def people() -> FingerprintSet:
    generator = np.random.default_rng(3)
    x, y = generator.integers(0, 40, (2, 600)) * 500.0
    t = generator.integers(0, 5 * 1440, 600)
    return FingerprintSet.from_samples(np.arange(600) % 30, x, y, t)


def test_the_reports_numbers_are_those_of_the_library(people: FingerprintSet) -> None:
    options = [FINE, COARSE, NOISE]
    table = explore_options(people, options, risk="outsider", p=2, seed=4)
    raw = as_it_is(people, table)
    made = report(Exploration(table, raw), Decision(chosen="coarse"))
    by_hand = explore_options(people, [RAW], risk="outsider", p=2, seed=4).results[0]
    assert raw.risks == by_hand.risks
    for row, each in zip(made.rows, table.results, strict=True):
        value, low, high = each.risk("outsider")
        assert row.risk.partition(" (")[0] == ("none found" if value == 0 else percent(value))
        assert between(low, high, "outsider") in row.risk
        assert row.alone == (percent(each.alone / each.n_users) if each.alone else "none")
    # By the recipe, through a file: the same options, knowledge and seed, and so the same report.
    recipe = Recipe.from_dict(json.loads(json.dumps(made.recipe.to_dict())))
    asked = {"risk": recipe.risk, "utility": recipe.utility, **vars(recipe.knowledge)}
    again = explore_options(people, recipe.options, **asked)
    anew = report(Exploration(again, raw, limits=recipe.limits), recipe.decision)
    assert page(anew) == page(made)
    # The data as they are are taken from what was kept, of the same data and settings alone.
    kept = Exploration(table, raw)
    assert as_it_is(people, table, kept) is raw
    other = explore_options(people, [COARSE], p=3, seed=4)
    assert as_it_is(people, other, kept) is not raw


def test_a_threshold_perhaps_exceeded_is_not_told_as_exceeded() -> None:
    # The threshold is 0.05; the intervals are 0.04 to 0.06, and 0.08 to 0.10.
    options = [result(FINE, 0.05, 0.9), result(NOISE, 0.09, 0.9), result(COARSE, 0.01, 0.9)]
    found = exploration(*options, limits=Limits({"outsider": 0.05, "home": None, "unicity": None}))
    told = [row.limits for row in report(found, Decision()).rows]
    assert told == ["may be above: re-identified", "above: re-identified", "within all"]


# --- files ---------------------------------------------------------------------------------------


def test_an_exploration_comes_back_from_its_file() -> None:
    found = exploration(result(FINE, 0.5, 0.8), limits=Limits({"home": 0.2, "em": None}))
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    back = Exploration.from_dict(plain)
    assert (back.raw, back.facts, back.limits) == (found.raw, found.facts, found.limits)
    one, other = (page(report(each, Decision(chosen="fine"))) for each in (back, found))
    assert one == other
    # An older program kept the table alone: that is enough for a report that says what is missing.
    older = Exploration.from_dict({k: plain[k] for k in plain if k not in ("as_it_is", "data")})
    assert "have not been assessed" in page(report(older, Decision()))


SCORED = {"label": "asked: x", "weights": None}
DAMAGED: dict[tuple[str | int, ...], list[Any]] = {
    **{(where,): [3, "x", [1], {"a": 1}] for where in ("results", "as_it_is", "data", "limits")},
    ("risk",): [["k"], None, 3, "fame"],
    ("utility",): [
        {"label": "own weights", "weights": {"density": 1.0}, "asked": None},
        *(SCORED | {"asked": {"fine": score}} for score in (7, "1")),
        {"label": 3, "weights": None, "asked": {}},
        {"label": "transport", "weights": [1], "asked": None},
    ],
    ("results", 0, "n_users"): ["<b>", -1],
    ("results", 0, "alone_share"): [7],
    ("results", 0, "crowd_least"): [1.5],
    ("results", 0, "guessing"): [{"home": 9}],
    ("results", 0, "fault"): [3],
    ("results", 0, "components"): [{"density": -3}],
    ("results", 0, "users_share"): [True],
    ("results", 0, "risks", "home"): [[1.5, None, None]],
    ("results", 0, "risks", "fame"): [[0.5, 0.4, 0.6]],
    ("results", 0, "risks", "k"): [
        *([1, 2], [-1, 0, 0], [0.5, 0.6, 0.4], [0.5, 0.4, 1.2], [True, 0, 1], ["0.5", 0, 1])
    ],
}


@pytest.mark.parametrize(
    ("where", "value"), [(where, value) for where in DAMAGED for value in DAMAGED[where]]
)
def test_a_damaged_exploration_is_refused_kindly(where: tuple[str | int, ...], value: Any) -> None:
    """Also with a measure, a utility or figures that no program wrote."""
    plain = json.loads(json.dumps(exploration(result(FINE, 0.5, 0.8)).to_dict()))
    *path, last = where
    reduce(getitem, path, plain)[last] = value
    with pytest.raises(SchemaError, match="damaged"):
        Exploration.from_dict(plain)


def test_a_recipe_comes_back_without_who_signs() -> None:
    found = exploration(result(FINE, 0.5, 0.8), limits=Limits({"kl": None}))
    decision = Decision("Which?", "fine", "Because.", "Ada Officer", "March")
    recipe = report(found, decision).recipe
    text = json.dumps(recipe.to_dict(), allow_nan=False)
    assert "Ada" not in text
    # Of the data the keyed digest, nothing a guess can be held against.
    assert "ab" * 16 not in text
    assert recipe.to_dict()["data"].startswith("keyed:")
    back = Recipe.from_dict(json.loads(text))
    assert back.to_dict() == recipe.to_dict()
    assert back.decision == replace(decision, signer="")
    assert back.limits.limit("kl") is None


WRONG: dict[str, list[Any]] = {
    "options": [[], [{"name": "x", "steps": [{"technique": "magic"}]}]],
    "knowledge": [{"p": 0}],
    "risk": ["custom"],
    "utility": [{"label": "x"}, {"label": "x", "weights": {"density": 2}}],
    "limits": [{"outsider": 3}, {"magic": 0.1}],
    "decision": [{"why": 3}],
    "figures": ["x"],
}


@pytest.mark.parametrize("key", WRONG)
def test_a_damaged_recipe_is_refused_kindly(key: str) -> None:
    plain = report(exploration(result(FINE, 0.5, 0.8)), Decision()).recipe.to_dict()
    without = {name: each for name, each in plain.items() if name != key}
    for damaged in (without, *(plain | {key: value} for value in WRONG[key])):
        with pytest.raises(SchemaError, match="damaged"):
            Recipe.from_dict(damaged)


@pytest.mark.parametrize("plain", [None, [], {}, 3, {"recipe": 2}, {"recipe": "<script>"}])
def test_what_is_no_recipe_is_refused_kindly(plain: Any) -> None:
    with pytest.raises(SchemaError, match=r"not a recipe|has format"):
        Recipe.from_dict(plain)


def test_limits_out_of_range_are_refused() -> None:
    for said, limits in {
        "There is no threshold for 'magic'": {"magic": 0.1},
        "from 0 to 1": {"outsider": 2.0},
        "of 0 or more": {"em": -1.0},
        "give a number": {"home": math.nan},
        "share the threshold for outsider": {"linkage": 0.1, "k": 0.2},
    }.items():
        with pytest.raises(ConfigError, match=said):
            Limits(limits)


# --- texts from outside --------------------------------------------------------------------------


class _Tags(HTMLParser):
    """What elements and attributes a page has, without its texts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Any] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [name for name, _ in attrs]))


def tags(text: str) -> list[Any]:
    parser = _Tags()
    parser.feed(text)
    return parser.found


NASTY = ("<script>x</script>", '"><svg onload=x>', "{{ 7*7 }}", "&lt;b&gt;", "' onx='")


@given(st.text(min_size=1, max_size=60), st.sampled_from(NASTY))
def test_no_text_from_outside_becomes_markup(text: str, nasty: str) -> None:
    said = f"a{nasty}{text}b"

    def made(text: str) -> list[Any]:
        option = ReleaseOption(text, FINE.steps)
        found = exploration(result(option, 0.5, 0.8))
        facts = replace(FACTS, label=text, timezone=text, note=text)
        asked = UtilityChoice(f"asked: {text}", asked={" ".join(text.split()).casefold(): 0.5})
        found = replace(found, facts=facts, table=replace(found.table, choice=asked))
        decision = Decision(text, option.name, text, text, text)
        return tags(page(report(found, decision, made_on=text)))

    assert made(said) == made("a")
    head = page(report(exploration(result(FINE, 0.5, 0.8)), Decision("{{ 7*7 }}")))
    assert "49" not in head.split("Verdict")[0].split("<body>")[1]


def test_none_of_fifty_ids_and_no_path_is_in_it() -> None:
    ids = [f"MARKED-{i:04d}" for i in range(50)]
    frame = generate_cdr(50, days=3, seed=5)
    user = next(name for name in frame.columns if frame[name].nunique() == 50)
    codes = frame[user].astype("category").cat.codes
    frame = frame.assign(**{user: [ids[code] for code in codes]})
    fs, account = read_cdr(frame)
    table = explore_options(fs, [COARSE, HIDDEN], risk="outsider")
    found = Exploration(table, as_it_is(fs, table), facts_of(account))
    made = report(found, Decision(chosen="hidden", why="It hides everyone."))
    text = page(made) + json.dumps(made.recipe.to_dict()) + json.dumps(found.to_dict())
    assert not [each for each in ids if each in text]
    assert not re.search(r"u00\d\d", text)  # nor a pseudonym of the screen
    assert fs.digest not in text


# --- figures -------------------------------------------------------------------------------------


def test_risks_in_the_figure_lie_at_their_roots_and_so_does_the_threshold() -> None:
    options = [
        result(ReleaseOption(f"o{i}", [AddNoise(i + 1.0)]), risk, 0.5, width=0)
        for i, risk in enumerate((0.05, 0.2))
    ]
    made = front(exploration(*options), None)
    assert made is not None
    low, high = sorted((mark.y for mark in made.marks), reverse=True)
    at = {text: y for y, text in made.y_ticks}
    assert low == made.limit_y == at["5%"]
    assert at["0%"] - high == pytest.approx(2 * (at["0%"] - low), abs=0.2)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40))
def test_every_option_is_within_the_figure(points: list[tuple[float, float]]) -> None:
    results = [
        result(ReleaseOption(f"o{i}", [AddNoise(i + 1.0)]), risk, utility, width=0)
        for i, (risk, utility) in enumerate(points)
    ]
    made = front(exploration(*results), 0)
    assert made is not None
    for mark in made.marks:
        assert made.left - 1 <= mark.x <= made.right + 1
        assert made.top - 1 <= mark.y <= made.bottom + 1
    assert made.limit_text == "threshold 5%"
    assert sorted(m.number for m in made.marks) == [i + 1 for i in range(len(points))]


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x, max_size=3),
    )
)
def test_any_json_is_an_exploration_or_refused(plain: Any) -> None:
    for reader in (Exploration.from_dict, Recipe.from_dict):
        with pytest.raises(FpanonError):
            reader(plain)


# --- of how many, and of what use ----------------------------------------------------------------


def test_of_what_use_a_form_is_is_that_of_the_snapshot() -> None:
    """A rectangle of a country and a year hides everyone, and tells nothing.

    Half as wide as the data, and a day, are of use still; a minute more is not, nor is less than
    half of the people left. Flows of .02 are almost no movement.
    """
    box = {"side_m": 1_578_000.0, "span_min": 493 * 1_440.0}
    box |= {"data_side_m": 60_000.0, "granularity_m": 100.0}
    wide = replace(result(HIDDEN, 0.01, 0.1, least=28), size=box)
    still = wide.components | {"flows": 0.02}
    fine = replace(wide, size=box | {"side_m": 500.0, "span_min": 60.0}, components=still)
    edge = replace(fine, size=box | {"side_m": 30_000.0, "span_min": 1_440.0})
    over = replace(edge, size=edge.size | {"span_min": 1_441.0})
    check_snapshot(
        "report_use",
        {
            "Wide": verdict(exploration(wide), chosen="hidden", why="It hides."),
            "Fine": describe_use(fine),
            "Areas half as wide as the data, windows of a day": describe_use(edge),
            "A minute more": describe_use(over),
            "Less than half left": describe_use(replace(edge, suppressed_share=0.51)),
            "Of no size": describe_use(result(FINE, 0.5, 0.8)),
        },
    )
    # It stays with what is saved; a size that cannot be is refused.
    kept = OptionResult.from_dict(json.loads(json.dumps(over.to_dict())))
    assert (kept.size, kept.homes_asked) == (over.size, over.homes_asked)


def test_the_size_of_a_form_is_the_median_over_the_samples() -> None:
    """Two people, each at a place of 100 m and an hour; on squares of 2 km and days."""
    fs = FingerprintSet.from_samples([1, 1, 2, 2], [0, 50_000] * 2, [0] * 4, [60, 600, 70, 700])
    coarse = ReleaseOption("c", [Generalize(GeneralizationProfile(Grid(2_000), 1_440))])
    (found,) = explore_options(fs, [coarse], p=1).results
    assert (found.size["side_m"], found.size["span_min"]) == (2_000, 1_440)
    assert (found.size["days"], found.size["days_lost"]) == (1, 0)
    # From 0 to 50,100 m east, 100 m north.
    assert found.size["data_side_m"] == pytest.approx((50_100 + 100) / 2)


def test_days_of_which_nothing_is_published_are_counted() -> None:
    """Three people on day 0, two on day 1, nobody on day 2, three on day 3: k = 3 loses day 1."""
    minutes = [5, 6, 7, 1_445, 1_446, 4_325, 4_326, 4_327]
    fs = FingerprintSet.from_samples([1, 2, 3, 1, 2, 1, 2, 3], [0] * 8, [0] * 8, minutes)
    table = explore_options(fs, [ReleaseOption("days", [Periods(1), Glove(3)]), []], p=1)
    days, whole = table.results
    assert (days.size["days"], days.size["days_lost"]) == (3, 1)
    assert "Nothing is published for 1 of 3 days with samples." in describe_use(days)
    assert (whole.size["days"], whole.size["days_lost"]) == (3, 0)
    assert "Nothing is published" not in describe_use(whole)


def test_sums_are_told_in_plain_words() -> None:
    """EM counts visits, at most one a window; 2 ** 20 equally likely people take 20 questions."""
    assert describe_sum(12.0, "em", FINE).endswith("12 visits took place, each in a window of 1 h")
    assert describe_sum(12.0, "em", RAW).endswith("whether 12 visits took place")
    asked = "as much as the answers to 20 yes-or-no questions"
    assert describe_sum(math.log(2**20), "kl", RAW) == asked
    assert describe_sum(math.nan, "em", RAW) == describe_sum(0.5, "unicity", RAW) == ""
