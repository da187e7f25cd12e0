"""Options explored: the figures are those of the parts, failures cost nobody else, work resumes."""

import json
import math
import pickle
from dataclasses import replace
from datetime import date
from functools import partial

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.anonymize import chain
from fpanon_core.model.disclosure import RISKS
from fpanon_core.model.utility import COMPONENTS
from fpanon_core.studies import count_tables, releases
from fpanon_core.studies import options as module
from fpanon_core.studies.framing import stated_of_data
from fpanon_core.studies.option_result import utility_choice
from fpanon_core.studies.presets import PRESETS, purpose_areas
from tests.oracles.crowds import sharing
from tests.studies import test_report as by_hand
from tests.support.fingerprint_sets import as_lists
from tests.support.refusals import check_refused

WIDE = fp.GeneralizationProfile(fp.Grid(10_000), 360)
SUMS = {"unicity": "unicity", "k": "k", "em": "em_sum", "kl": "kl_sum"}


@pytest.fixture(scope="module")
def fs():
    return fp.read_cdr(fp.generate_cdr(80, days=3))[0]


@pytest.fixture(scope="module")
def options():
    return [
        ("raw", []),
        WIDE,
        [fp.SampleUsers(0.5), WIDE],
        [fp.SampleUsers(0.5), WIDE, fp.SuppressRare(2)],
        fp.ReleaseOption("noisy", [fp.AddNoise(2_000, 30)]),
        fp.SuppressRare(10_000),
        fp.Glove(2),
    ]


@pytest.fixture(scope="module")
def table(fs, options):
    return fp.explore_options(fs, options, p=2, seed=3)


def same(a, b):
    return a.to_frame().drop(columns="seconds").equals(b.to_frame().drop(columns="seconds"))


def test_every_figure_is_that_of_the_parts(fs, options, table):
    for option, result in zip(table.options, table.results, strict=True):
        if result.fault is not None:
            continue
        released = fp.release(fs, option, seed=3)
        found = fp.disclosure(released, fp.draw_knowledge(released, 2, seed=3))
        weight = released.weight.tolist()
        shared = sharing(as_lists(released), weight)  # who knows all finds no fewer
        pairs = list(zip(weight, shared, strict=True))
        possible = {
            "unicity": sum(w for w, size in pairs if size == 1) / sum(weight),
            "k": sum(w / size for w, size in pairs) / sum(weight),
        }
        assert result.crowd_least == min(shared)
        assert (result.alone_share, result.naming_most) == pytest.approx((*possible.values(),))
        for name, measure in SUMS.items():
            value, low, high = result.risks[name]
            assert (value, low) == (found.measure(measure), found.interval(measure)[0])
            most = possible.get(name, math.inf)
            assert high == pytest.approx(max(value, min(found.interval(measure)[1], most)))
        linked = fp.link(fs, released, 2, seed=3)
        value, low, high = result.risks["linkage"]
        assert (value, low) == (linked.first, linked.first_low)
        assert high == pytest.approx(max(value, min(linked.first_high, possible["k"])))
        homes = fp.home_found(fs, released, [1_000]).iloc[0]
        assert result.risks["home"] == (homes["found"], homes["low"], homes["high"])
        guessing = {"linkage": linked.guessing, "home": homes["guessing"]}
        assert result.guessing == guessing | fp.Reference.of(fs).even
        risk = fp.reidentification(fs, released, 2, seed=3)
        assert result.risks["outsider"] == (risk.value, risk.low, risk.high)
        assert (result.attacker, result.risks["linkage"]) == (risk.attacker, risk.by_true_points)
        assert result.unasked == {}
        one = fp.unicity(released, 2, seed=3)
        assert result.risks["unicity"][:2] == (one.value, one.low)
        useful = fp.utility(fs, released)
        assert result.components == useful.components
        assert (result.n_users, result.n_samples) == (released.n_users, released.n_samples)
    assert table.options[0].name == "raw"
    # Nothing is lost but what cells of 100 m and 1 min do not tell.
    assert table.utility[0] == pytest.approx(1 - 0.15 * 100 / 20_000 - 0.2 / 1_440)
    assert table.risk_name == "unicity"
    assert table.digest == fs.digest
    assert np.array_equal(table.estimated_front, fp.pareto_front(table.risk, table.utility))
    fewer = table.results[3]
    before = fp.release(fs, options[2], seed=3).n_samples
    assert fewer.suppressed_share == pytest.approx(1 - fewer.n_samples / before)
    assert fewer.users_share == fewer.n_users / 80


def test_a_failure_is_said_and_costs_nobody_else(table):
    faults = [result.fault for result in table.results]
    assert [fault is None for fault in faults] == [True] * 5 + [False, True]
    assert "10000 people" in faults[5]
    assert np.isnan([table.risk[5], table.utility[5]]).all()
    assert not table.front[5]
    assert len(table.dominated_by[5]) == 0
    assert not table.unsafe(0.0)[5]
    assert table.to_frame()["fault"][5] == faults[5]


def test_memory_that_runs_out_is_a_failure_and_what_options_share_is_made_once(fs, monkeypatch):
    releases.forget()
    count, homes, true = [], releases.true_homes, chain.apply

    def hungry(data, step, *args, **kwargs):
        if isinstance(step, fp.Permute):
            raise MemoryError
        return true(data, step, *args, **kwargs)

    monkeypatch.setattr(chain, "apply", hungry)
    monkeypatch.setattr(releases, "true_homes", lambda some: count.append(1) or homes(some))
    named = {"mixed": fp.Permute(), "raw": [], "wide": WIDE}
    table = fp.explore_options(fs, named, risk="k", p=2)
    assert [option.name for option in table.options] == list(named)
    assert table.risk_name == "k"
    assert "Memory" in table.results[0].fault
    assert [result.fault for result in table.results[1:]] == [None, None]
    assert count == [1]


def test_another_measure_or_utility_without_computing(table, monkeypatch):
    monkeypatch.setattr(module, "disclosure", None)  # anything computed anew would fail
    by_em, done = table.with_choice("em", {"flows": 1}), table.results[:5]
    assert by_em.risk.tolist()[:5] == [r.risks["em"][0] for r in done]
    assert by_em.utility[:5] == pytest.approx([r.components["flows"] for r in done], abs=1e-12)
    ends = [(min(r.corners["flows"]), max(r.corners["flows"])) for r in done]
    assert by_em.utility_ends[:5] == pytest.approx(np.array(ends), abs=1e-12)
    frame = by_em.to_frame()
    assert frame["utility_high"].tolist()[:5] == by_em.utility_ends[:5, 1].tolist()
    assert set(frame["areas"][:5]) == {"squares of 1 km"}
    assert by_em.results is table.results
    assert same(by_em.with_choice("unicity", "transport"), table)
    check_refused(table.with_choice, risk=["custom", "x"], utility=["x", len])


def test_what_was_done_is_not_done_again(fs, options, table, monkeypatch):
    count = []
    true = module.disclosure
    monkeypatch.setattr(module, "disclosure", lambda *a, **k: count.append(1) or true(*a, **k))
    again = fp.explore_options(fs, options, p=2, seed=3, previous=table)
    assert same(again, table)
    assert count == []  # the failed one is tried again, and fails before any measure
    more = fp.explore_options(fs, [*options, fp.Permute()], p=2, seed=3, previous=table)
    assert len(count) == 1
    assert len(more.results) == len(options) + 1
    # Under another name, the same steps are the same work.
    renamed = fp.explore_options(fs, [("new name", WIDE)], p=2, seed=3, previous=table)
    assert (len(count), renamed.options[0].name) == (1, "new name")
    # Not for other data, knowledge or seed.
    for other, kwargs in ((fs, {"seed": 4}), (fs, {"p": 3}), (fs.subset(np.arange(50)), {})):
        count.clear()
        fp.explore_options(other, [WIDE], **{"p": 2, "seed": 3, **kwargs}, previous=table)
        assert count == [1]


def test_results_of_another_version_are_not_used_again(fs, table):
    assert len(table.reusable(fs.digest, table.config)) == 6
    saved = table.to_dict()
    assert fp.OptionsTable.from_dict(saved).version == table.version
    # Nor where the same version had other figures; nor as programs wrote it that did not say.
    others = [replace(table, version="0.0.1"), replace(table, figures=table.figures - 1)]
    for name in ("version", "figures"):
        unsaid = {key: value for key, value in saved.items() if key != name}
        others.append(fp.OptionsTable.from_dict(unsaid))
    for other in others:
        assert other.reusable(fs.digest, table.config) == {}
    # As it was saved before anybody asked for true points: what is there is read, the rest unknown.
    for each in saved["results"]:
        for name in ("crowd_least", "alone_share", "naming_most", "guessing", "unasked"):
            del each[name]
        each["risks"] = {n: r for n, r in each["risks"].items() if n in SUMS}
    older = fp.OptionsTable.from_dict(saved)
    assert math.isnan(older.results[0].naming_most)
    assert older.risk.tolist()[:5] == table.risk.tolist()[:5]
    for name in ("outsider", "linkage", "home"):
        unknown = older.with_choice(name)
        assert np.isnan(unknown.risk).all()
        assert not unknown.front.any()
        # What is not known may be above any limit; only what failed has nothing to judge.
        assert unknown.unsafe(1.0).tolist() == [r.fault is None for r in table.results]


def test_a_release_in_periods_and_crowds_is_asked_as_the_library_asks_it():
    fs = fp.read_cdr(fp.generate_cdr(60, days=4, seed=2))[0]
    options = [
        fp.as_option(o)
        for o in ([fp.Periods(1), WIDE], [fp.Periods(2), fp.Aligned(3)], [fp.Glove(3)])
    ]
    table = fp.explore_options(
        fs, options, risk="outsider", p=3, strategy="uniform", users=40, seed=1
    )
    for option, result in zip(options, table.results, strict=True):
        made = fp.release(fs, option, seed=1)
        homes = fp.home_found(fs, made, [1_000]).iloc[0]
        risk = fp.reidentification(fs, made, 3, strategy="uniform", users=40, seed=1)
        assert result.risks["outsider"] == (risk.value, risk.low, risk.high)
        assert result.risks["linkage"] == risk.by_true_points
        assert result.risks["home"][0] == homes["found"]
    for result in table.results[1:]:
        assert result.risks["linkage"][2] <= 1 / 3
        assert result.risks["outsider"][2] <= 1 / 3


def test_what_an_option_cannot_be_asked_it_says_for_itself():
    """By day only: no home is known; one point each, of three asked for: all that there is."""
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [0, 0, 9_000], [0] * 3, [720, 720, 725])
    (result,) = fp.explore_options(fs, [[]], risk="home", p=3).results
    assert result.fault is None
    assert "Nobody in the release was recorded on at least 1 night" in result.unasked["home"]
    assert result.risks["linkage"][0] == pytest.approx(2 / 3)
    assert math.isnan(result.risks["home"][0])
    table = fp.explore_options(fs, [[]], risk="home", p=3)
    assert table.unsafe(0.9).tolist() == [True]
    assert table.to_frame()["not_asked"][0].startswith("home: Nobody")
    back = fp.OptionsTable.from_dict(json.loads(json.dumps(table.to_dict(), allow_nan=False)))
    assert back.results[0].unasked == result.unasked


def test_the_limit_of_homes_is_beside_guessing(table):
    """12% of homes found are 2 more than 10% guessed, and 9 more than 3%."""
    some = [
        replace(
            by_hand.result(named(name), 0.5, 0.5),
            guessing={"home": guessed},
            risks={"home": (0.12, 0.11, 0.13)},
        )
        for name, guessed in (("a", 0.1), ("bb", 0.03))
    ]
    homes = replace(table, results=tuple(some), risk_name="home")
    assert homes.allowed(0.05).tolist() == pytest.approx([0.15, 0.08])
    assert homes.unsafe(0.05).tolist() == [False, True]


def named(name):
    return fp.ReleaseOption(name, [fp.SuppressRare(len(name))])


def test_the_study_is_the_exploration(fs, options, table):
    asked = tuple(fp.as_option(option) for option in options)
    config = module.Config(asked, fp.KnowledgeConfig(2, seed=3))
    found = module.study(fs, config)
    assert same(found, table)
    assert found.tables().keys() == {"options"}
    saved = []
    again = module.study(fs, config, found, saved.append)
    assert again.results[:5] == found.results[:5]
    assert len(saved) == len(options)


def test_goes_on_after_a_cancel(fs, options, table):
    saved = []

    def stop(share):
        if share > 0.5:
            raise fp.Cancelled

    with pytest.raises(fp.Cancelled):
        fp.explore_options(fs, options, p=2, seed=3, progress=stop, on_option=saved.append)
    assert 0 < len(saved) < len(options)
    half = fp.OptionsTable(tuple(saved), "unicity", table.choice, table.config, fs.digest)
    shares = []
    how = {"engine": fp.LocalEngine(1), "progress": shares.append}
    assert same(fp.explore_options(fs, options, p=2, seed=3, previous=half, **how), table)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_without_records_a_larger_epsilon_dominates_no_smaller_one():
    # No risk of re-identification in any: by the definition the most useful would be alone on it.
    frame = fp.FrameConfig(fp.StatedPeriod(date(2024, 3, 4), 7))
    steps = [fp.Presence(frame, 4, None, epsilon) for epsilon in (0.25, 1.0, 0.5)]
    keeps = partial(dict.fromkeys, COMPONENTS)
    steps.append(fp.Presence(frame, 4, 15))  # without ε: no bound at all
    kept, none = map(keeps, (0.5, 0.8, 0.4, 0.9)), {"outsider": (0, 0, 0)}
    options = [fp.ReleaseOption(steps=[step]) for step in steps]
    results = [fp.OptionResult(o, none, k) for o, k in zip(options, kept, strict=True)]
    records = fp.OptionResult(fp.ReleaseOption(), {"outsider": (0.9, 0.8, 1)}, keeps(0.6))
    choice = utility_choice("presence")
    table = fp.OptionsTable((*results, records), "outsider", choice, fp.KnowledgeConfig(), "")
    # ε = 1/4 is below all others; 1/2 reveals more than 1/4 and keeps less.
    assert [rows.tolist() for rows in table.dominated_by] == [[], [], [0], [], [1, 3]]
    assert table.front.tolist() == [True, True, False, True, False]
    assert table.estimated_front.tolist() == table.front.tolist()  # no interval is the reason


def test_utility_with_noise_is_a_mean_over_draws():
    """And its range holds them: a release is one draw, which may keep less."""
    users, step = np.repeat(np.arange(40), 6), np.tile(np.arange(6), 40)
    fs = fp.FingerprintSet.from_samples(users, 900.0 * (users % 7), 700.0 * step, 200.0 * step)
    frame = stated_of_data(fs, side_m=1_000.0)
    exact, noisy = fp.explore_options(
        fs, [fp.ReleaseOption(steps=[fp.Presence(frame, 4, None, e)]) for e in (None, 0.5)]
    ).results
    nine = len(fp.Reference.of(fs).corners)
    assert len(exact.corners["density"]) == nine
    assert len(noisy.corners["density"]) == 5 * nine
    assert noisy.components["density"] == pytest.approx(np.mean(noisy.corners["density"]))
    assert np.ptp(np.reshape(noisy.corners["density"], (5, nine)).mean(axis=1)) > 0
    choice = utility_choice("presence")
    low, high = choice.ends(noisy)
    assert low < choice.of(noisy) < high
    # A file is measured as its option is, and without noise equal to it.
    made = count_tables.study(fs, fp.Presence(frame, 4, None))
    assert made.kept == pytest.approx(exact.components, nan_ok=True)
    assert made.compared_in == exact.areas


def test_what_even_shares_keep_is_not_kept_by_an_option():
    result = fp.OptionResult(fp.ReleaseOption(), components={"density": 0.6, "flows": 0.3})
    choice = utility_choice({"density": 0.5, "flows": 0.5})
    assert choice.lost(result) == ()
    known = replace(result, guessing={"density": 0.5, "flows": 0.25})
    assert known.needed("density") == pytest.approx(0.55)
    assert choice.lost(known) == ("flows",)


def test_asked_utility_by_name(fs):
    scores = {"A": {"RAW": 9, "10 km · 6 h": 4}, "B": {"raw": 7}}
    rows = [(who, "transport", o, s) for who, said in scores.items() for o, s in said.items()]
    frame = pd.DataFrame(rows, columns=["expert", "domain", "option", "score"])
    options = [("raw", []), ("wide", WIDE), fp.Permute()]
    for chosen in (fp.Asked(frame, "transport"), ("asked", frame, "transport")):
        table = fp.explore_options(fs, options, p=2, utility=chosen)
        assert table.utility[:2].tolist() == [0.8, 0.4]  # the second found by its steps' text
        assert math.isnan(table.utility[2])
        assert not table.front[2]
        assert table.choice.label == "asked: transport"
        assert table.choice.title == "transport, by experts"


def test_comes_back_from_json_and_pickle(table):
    plain = table.to_dict()
    back = fp.OptionsTable.from_dict(json.loads(json.dumps(plain, allow_nan=False)))
    assert back.to_frame().equals(table.to_frame())
    assert back.config == table.config
    assert pickle.loads(pickle.dumps(table)).to_frame().equals(table.to_frame())
    for wrong in (None, [], {}, plain | {"results": [{}]}, plain | {"config": {"p": 0}}):
        with pytest.raises(fp.SchemaError):
            fp.OptionsTable.from_dict(wrong)


def test_table_says_by_whom(table):
    frame, names = table.to_frame(), [option.name for option in table.options]
    assert frame["option"].tolist() == names
    for column in ("dominated_by", "level_with"):
        told = ["; ".join(names[j] for j in rows) for rows in getattr(table, column)]
        assert frame[column].tolist() == told
    assert frame.attrs["config"] == {"p": 2, "strategy": "random", "users": 2500, "seed": 3}


def test_the_front_and_the_limit_are_judged_by_intervals(table):
    """b seems to dominate a, 99.8 against 99.95%, which of 1,083 people nobody can tell apart.

    c's interval ends below a's and b's begin, at as much use. d's estimate is within a limit of
    10%, the upper end of its interval is not.
    """
    some = [
        replace(by_hand.result(named(name), value, useful), risks={"unicity": (value, low, high)})
        for name, value, low, high, useful in (
            ("a", 0.9995, 0.996, 1.0, 0.80),
            ("bb", 0.998, 0.994, 0.9995, 0.81),
            ("ccc", 0.97, 0.96, 0.98, 0.81),
            ("dddd", 0.08, 0.05, 0.12, 0.3),
        )
    ]
    first = replace(table, results=tuple(some[:2]), risk_name="unicity")
    assert first.front.tolist() == [True, True]
    assert first.estimated_front.tolist() == [False, True]
    assert [rows.tolist() for rows in first.level_with] == [[1], [0]]
    every = replace(first, results=tuple(some))
    assert every.front.tolist() == [False, False, True, True]
    assert [rows.tolist() for rows in every.dominated_by] == [[2], [2], [], []]
    assert every.unsafe(0.1).tolist() == [True] * 4
    assert every.unsafe(0.12).tolist() == [True] * 3 + [False]


def test_risks_of_the_measures_have_limits():
    assert set(RISKS) == {*SUMS, "outsider", "linkage", "home", "membership"}
    assert {n: r.measure for n, r in RISKS.items() if r.measure is not None} == SUMS
    for name, risk in RISKS.items():
        if name in ("em", "kl"):  # advisory: no verdict rests on them
            assert risk.limit is None
            assert "nobody has proposed" in risk.source
            continue
        assert risk.limit is not None
        assert 0 < risk.limit < risk.most
        # Each says where it is from: a work that the references have, or that it is ours.
        assert "our default, not a norm" in risk.source or "El Emam et al." in risk.source


def test_parameters_are_checked(fs):
    known = [fp.KnowledgeConfig(21), fp.KnowledgeConfig(users=1_000_001)]
    known.append(fp.KnowledgeConfig(seed=2**53))
    check_refused(module.Config, options=[(), (fp.as_option(WIDE),) * 2], knowledge=known)
    check_refused(partial(fp.explore_options, fs), options=[[], [WIDE, WIDE], [3]])
    explore = partial(fp.explore_options, fs, [WIDE])
    check_refused(explore, risk=["danger"], utility=["fun", 3], p=[0], strategy=["all"])


# --- presets -------------------------------------------------------------------------------------


def test_trades_grid_by_what_the_data_have():
    plain = fp.FingerprintSet.from_samples([1, 2], [0, 90_000], [0, 0], [0, 0])
    columns = {"city": "aabbccdd", "county": "aaaabbbb", "cells": "12345678", "id": "abcdefgh"}
    of_city = ["single antennas · 1 h", "regions by city · 1 h", "regions by county · 1 h"]

    def places(**some):
        columns = {name: np.array([*each], object) for name, each in some.items()}
        table = fp.Antennas(900 * np.arange(8), np.zeros(8), columns=columns)
        return [o.name for o in fp.trade_grid(replace(plain, antennas=table))[::4]]

    squares = [option.name for option in fp.trade_grid(plain)]
    assert squares[::4] == ["1 km · 1 h", "5 km · 1 h", "20 km · 1 h"]
    assert len(squares) == 12
    assert places(gap=["", *"bbbbbbb"], **columns) == of_city
    by_zip = ["regions by zip · 1 h", *of_city[1:]]
    assert places(zip="aabbccde", gap=["", *"bbbbbbb"], **columns) == by_zip
    assert places(county="aaaabbbb") == ["single antennas · 1 h", "about 2 antennas · 1 h"]


def test_other_presets(fs):
    assert len(fp.fine_grid(fs)) == 36
    coarse = fp.fine_grid(fp.release(fs, fp.GeneralizationProfile(fp.Grid(2_000), 720)))
    assert {option.steps[0].profile.minutes for option in coarse} == {720, 1440, 10080}
    assert len(coarse) == 4 * 3
    assert [option.steps[0].k for option in fp.glove_ladder((3, 4))] == [3, 4]
    assert list(PRESETS) == ["trade", "fine", "hexagons", "glove", "hide", "tables", "asis"]
    assert [option.name for option in PRESETS["asis"](fs)] == ["as it is"]
    # No k above the users.
    seven = fs.subset(range(7))
    assert [option.steps[0].k for option in PRESETS["glove"](fs)] == [2, 5, 10]
    assert [option.steps[0].k for option in PRESETS["glove"](seven)] == [2, 5]
    assert {option.steps[-1].k for option in PRESETS["hide"](seven)} == {2, 5}
    # Table 5.2 of the thesis: each figure is what its text says.
    for figure in fp.PUBLISHED_TRADE:
        assert figure.unicity == pytest.approx(float(figure.text.strip("<% ")) / 100)


@pytest.mark.parametrize(
    ("wide_m", "high_m", "travel", "presence"),
    [
        (50_000, 45_000, 5_000, 1_000),  # squares of 900 m fit 50 times: 1 km is coarser
        (60_000, 51_000, 5_000, None),  # squares of 1 km fit 50 times already
        (9_999, 9_999, 1_000, 1_000),  # 5 km are more than half of it
        (1_999, 1_000, None, None),  # a village
        (900_000, 600_000, None, None),  # a country: squares of 10 km fit
    ],
)
def test_purposes_are_compared_on_squares_that_suit_them_and_the_data(
    wide_m: float, high_m: float, travel: float | None, presence: float | None
) -> None:
    x, y = [0, wide_m, 0, wide_m], [0, 0, high_m, high_m]
    fs = fp.FingerprintSet.from_samples([1, 1, 2, 2], x, y, [0, 60, 0, 60])
    assert purpose_areas(fs, "travel") == travel
    assert purpose_areas(fs, "presence") == presence
    assert purpose_areas(fs, "transport") == presence
