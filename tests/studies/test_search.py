"""Purpose, recipient, the search over all kinds of release, and what is advised."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import fpanon_core as fp
from fpanon_core.model.counts_frame import FrameConfig, StatedArea, StatedPeriod
from fpanon_core.model.options import Generalize, ReleaseOption, Synthesize
from fpanon_core.model.purpose import RECIPIENTS, THRESHOLDS
from fpanon_core.studies.advice import ADVICE, describe_advice, ladder, ladder_table
from fpanon_core.studies.judgement import (
    KINDS,
    Limits,
    best_option,
    beyond,
    kind_of,
    limit_key,
    revealing,
    serves,
    within_limits,
)
from fpanon_core.studies.option_result import UtilityChoice, utility_choice
from fpanon_core.studies.options_table import OptionsTable, merged
from fpanon_core.studies.report_verdict import describe_nearest, describe_tried
from fpanon_core.studies.report_words import keeps
from fpanon_core.studies.search import KNOWLEDGE, Search, SearchedTable, most_worth
from tests.studies.test_report import COARSE, FINE, HIDDEN, NOISE, exploration, result

GRID = Generalize(fp.GeneralizationProfile(fp.Grid(2_000), 60))
WIDE = {"home": 0.2}
QUARTER = fp.SampleUsers(0.25)
FRAME = FrameConfig(StatedPeriod(None, 2, 60), "grid", StatedArea(0, 0, 8_000, 8_000, "metres"))


@cache
def people():
    """Sixty people of two days, each near one of four homes."""
    cdr = fp.generate_cdr(60, days=3, seed=1)
    return fp.read_cdr(cdr)[0]


@cache
def searched() -> SearchedTable:
    """Of so few people the interval of homes is wide, and so is the threshold."""
    return fp.find_release(people(), "travel", "anyone", seconds=900, thresholds=WIDE)


# --- purpose and recipient ---


@pytest.mark.parametrize(
    ("given", "threshold"),
    [
        (("anyone",), 0.05),
        (("anyone", None, None, "medium"), 0.075),
        (("anyone", None, None, "low"), 0.09),
        (("contract", "medium", "low"), 0.25),  # 0.05 / 0.2
        (("contract", "medium", "high"), 0.05 / 0.3),
        (("contract", "low", "medium"), 0.1),  # 0.05 / 0.5
        (("contract",), 0.05 / 0.6),  # the least that can be assumed
        (("contract", "high", "high"), 1 / 3),  # 0.05 / 0.15 = 1 / 3
        (("contract", "high", "low"), 1 / 3),  # 0.05 / 0.05 = 1, but never above 1 / 3
        (("secure room",), 1 / 3),
        (("named researchers under contract", "low", "low"), 0.125),
    ],
)
def test_threshold_of_a_recipient_by_hand(given, threshold):
    recipient = fp.Recipient(*given)
    assert recipient.threshold == pytest.approx(threshold, abs=1e-9)
    assert "threshold for re-identification is" in recipient.sentence
    assert Limits({"outsider": recipient.threshold}).limit("linkage") == recipient.threshold


def test_a_recipient_who_is_none():
    for words, given in {
        "anyone, contract, room": ("nobody",),
        "has no controls or motive": ("anyone", "high"),
        "controls": ("contract", "some"),
        "motive": ("contract", "low", "none"),
        "high controls": ("room", "low"),
        "sensitivity": ("anyone", None, None, "none"),
    }.items():
        with pytest.raises(fp.ConfigError, match=words):
            fp.Recipient(*given)


def test_stronger_controls_and_weaker_motive_never_lower_the_threshold():
    order = ("low", "medium", "high")
    for sensitivity in THRESHOLDS:
        table = np.array(
            [[fp.Recipient("contract", c, m, sensitivity).threshold for m in order] for c in order]
        )
        assert (np.diff(table, axis=0) >= 0).all()
        assert (np.diff(table, axis=1) <= 0).all()
    assert set(RECIPIENTS) == {"anyone", "contract", "room"}


def test_purposes_weigh_what_they_say():
    assert fp.PURPOSES["presence"].weights["density"] == 1
    assert fp.PURPOSES["travel"].weights["flows"] == pytest.approx(0.7)
    for purpose in fp.PURPOSES.values():
        assert sum(purpose.weights.values()) == pytest.approx(1)
        assert purpose.title
        assert purpose.useful.endswith(".")
    for words, name, weights in (("name", "", "flows"), ("component", "buses", "busses")):
        with pytest.raises(fp.ConfigError, match=words):
            fp.Purpose(name, {weights: 1})
    with pytest.raises(fp.ConfigError, match="Unknown purpose"):
        fp.find_release(people(), "all", "anyone")


# --- which is recommended ---


def test_the_least_revealing_that_serves_is_recommended():
    # Coarser records are the most useful; hidden ones reach 0.5 of 0.6, more than 80%.
    coarse, hidden = result(COARSE, 0.02, 0.6, least=2), result(HIDDEN, 0.02, 0.5, least=2)
    found = exploration(coarse, hidden)
    assert best_option(found.table, found.limits) == 1
    # With 0.4 of 0.6 they do not serve.
    found = exploration(coarse, result(HIDDEN, 0.02, 0.4, least=2))
    assert best_option(found.table, found.limits) == 0
    # Within a kind, the smaller risk.
    found = exploration(coarse, result(FINE, 0.01, 0.55, least=2))
    assert best_option(found.table, found.limits) == 1


def test_with_a_threshold_of_0_the_least_revealing_option_is_the_nearest():
    """Any risk is infinitely far above it."""
    found = exploration(
        result(COARSE, 0.02, 0.6), result(FINE, 0.01, 0.6), limits=Limits({"outsider": 0})
    )
    assert best_option(found.table, found.limits) == 1
    rows = ladder_table(found.table, found.limits).set_index("Kind of release")["Option"]
    assert rows["Coarser records"] == FINE.name


def test_what_the_purpose_needs_most_is_kept_where_it_can_be():
    """By transport flows weigh 0.35: with none of them, fine times make an option useless."""
    fine = result(HIDDEN, 0.02, 0.9, least=2)
    fine = replace(fine, components={**fine.components, "flows": 0.05})
    moving = result(COARSE, 0.02, 0.3, least=2)
    for order in ((fine, moving), (moving, fine)):
        found = exploration(*order)
        best = best_option(found.table, found.limits)
        assert best is not None
        assert found.table.options[best] == COARSE
        rows = ladder_table(found.table, found.limits).set_index("Kind of release")["Verdict"]
        assert rows["Hidden records"] == "within the thresholds, but too little of flows"
        assert rows["Coarser records"] == "serves the purpose"
        told = "scores higher, but keeps too little: 5% of trips agree with the data"
        assert f"{told} (too little; minimum: 10%)." in " ".join(describe_tried(found).text)
    # A component that cannot apply is not lost; where all lose it, the others decide.
    bare = replace(fine, components={**fine.components, "flows": float("nan")})
    found = exploration(bare, moving)
    assert best_option(found.table, found.limits) == 0
    lost = replace(moving, components={**moving.components, "flows": 0.0})
    found = exploration(fine, lost)
    assert best_option(found.table, found.limits) == 0


def test_the_nearest_is_that_whose_worst_measure_is_the_fewest_times_its_limit():
    # Upper ends: 0.31 of 0.05 is 6.2 times; 0.11 of 0.05 is 2.2 times; people alone, 0.4 of 0.05,
    # are 8 times.
    far, near = result(FINE, 0.3, 0.9, least=2), result(COARSE, 0.1, 0.2, least=2)
    alone = result(NOISE, 0.02, 0.9, alone=40)
    assert beyond(far, Limits()) == pytest.approx(6.2)
    assert beyond(near, Limits()) == pytest.approx(2.2)
    assert beyond(alone, Limits()) == pytest.approx(8.0)
    found = exploration(far, near, alone)
    assert best_option(found.table, found.limits) == 1
    # Which threshold it misses, and by how much.
    told = describe_nearest(found)
    assert told.startswith(f"The nearest option is “{COARSE.told}” (utility ")
    assert "Re-identification risk: 10% (" in told
    assert ". This exceeds the threshold of 5% (up to 2.2 times that)" in told
    unknown = replace(result(HIDDEN, 0.1, 0.5, least=2), risks={})
    assert math.isnan(beyond(unknown, Limits()))
    found = exploration(unknown)
    assert best_option(found.table, found.limits) is None
    assert describe_nearest(found) == ""


def test_the_best_within_the_limits_is_one_with_nobody_alone_where_there_is_one():
    alone, shared = result(FINE, 0.02, 0.8, alone=4), result(COARSE, 0.02, 0.3, least=2)
    found = exploration(alone, shared)
    assert best_option(found.table, Limits()) == 1
    assert describe_nearest(found) == ""
    assert best_option(exploration(alone).table, Limits()) == 0  # with people alone, else none
    nothing = Limits(dict.fromkeys(Limits().of))
    assert best_option(found.table, nothing) is None


def test_results_of_other_steps_and_names_are_kept_beside_the_new():
    new, old, other = result(FINE, 0.1, 0.5), result(FINE, 0.9, 0.5), result(COARSE, 0.9, 0.5)
    assert merged([new], [old, other]) == (new, other)


def test_kinds_are_told_apart_and_a_smaller_promise_reveals_less():
    options = [
        *(ReleaseOption(steps=[fp.Presence(FRAME, 24, None, e)]) for e in (0.5, 1.0)),
        ReleaseOption(steps=[Synthesize(FRAME, 1.0)]),
        ReleaseOption(steps=[fp.Presence(FRAME, 24, 15)]),  # blanks promise nothing
        HIDDEN,
        COARSE,
        ReleaseOption(steps=[fp.Presence(FRAME)]),  # exact: nothing is promised
    ]
    kinds = [kind_of(option) for option in options]
    assert kinds == [*KINDS[:1] * 2, KINDS[1], KINDS[0], *KINDS[2:], KINDS[0]]
    results = [result(option, 0.02, 0.5, least=2) for option in options]
    order = [revealing(each) for each in results]
    assert order == sorted(order)
    assert len(set(order)) == len(order)


# --- the search ---


def test_all_kinds_are_tried_and_what_is_recommended_is_within():
    table = searched()
    assert {kind_of(option) for option in table.options} == set(KINDS)
    assert not table.untried
    found, best = table.least_revealing, table.best
    assert found is not None
    assert best is not None
    good = [table.results[i] for i in within_limits(table, table.limits)]
    assert found in good
    assert best in good
    assert table.choice.of(best) == max(table.choice.of(each) for each in good)
    assert table.choice.of(found) >= 0.8 * table.choice.of(best)
    serving = [r for r in good if table.choice.of(r) >= 0.8 * table.choice.of(best)]
    assert revealing(found) == min(map(revealing, serving))
    assert table.limits == Limits({"outsider": 0.05, **WIDE})
    epsilons = [o.recordless.epsilon for o in table.options if o.recordless is not None]
    assert all(e is None or 0.125 <= e <= 1 for e in epsilons)


def test_a_search_keeps_to_its_time_and_names_what_it_left_and_can_be_cancelled():
    table = fp.find_release(people(), "travel", "anyone", seconds=0.05)
    assert {kind_of(option) for option in table.untried} == set(KINDS)
    assert not {o.steps for o in table.untried} & {o.steps for o in table.options}
    assert table.best is None
    assert table.least_revealing is None
    with pytest.raises(fp.ConfigError, match="seconds"):
        fp.find_release(people(), "travel", "anyone", seconds=0)

    def stop(_):
        raise fp.Cancelled

    with pytest.raises(fp.Cancelled):
        fp.find_release(people(), "travel", "anyone", seconds=60, progress=stop)


def test_a_stated_frame_is_that_of_all_tables():
    # Squares over the very data, and other thresholds than the usual ones.
    fs = people()
    where = Search(fs, Limits(), utility_choice("presence"))
    stated = replace(where.wanted({})[0].recordless.frame, side_m=3_000.0)
    assert stated.places == "grid"
    options = Search(fs, Limits(), utility_choice("presence"), stated).wanted({})
    frames = [o.recordless.frame for o in options if o.recordless is not None]
    assert frames
    assert all(frame.side_m == 3_000.0 for frame in frames)


def walked(search, measure):
    """The results of all that the search asks for, in order, each as ``measure`` tells it."""
    known = {}
    while wanted := search.wanted(known):
        assert search.left(known)
        for option in wanted:
            if not search.useless(option, known):
                known[option.steps] = measure(option)
    return known


@cache
def many():
    """So many that a quarter of them has five groups of 20."""
    return fp.read_cdr(fp.generate_cdr(400, days=3, seed=1))[0]


def of_travel(fs=None, **limits):
    return Search(fs or people(), Limits(limits), utility_choice("travel"))


def tried_for(option):
    """The option that an option is a trial of, and how far it is from it."""
    *before, last = option.steps
    quarter = QUARTER in before
    if quick := isinstance(last, fp.Aligned) and last.effort == "quick":
        last = replace(last, effort="default")
    return ReleaseOption(steps=[*before[quarter:], last]), quick + 2 * quarter


def measured_as(option, useful, risk):
    found = result(HIDDEN, risk, useful, least=2, width=0.0)
    risks = {**found.risks, "membership": (0.0, 0.0, 0.0)}
    return replace(found, option=option, risks=risks)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("without", [0.1, 0.3, 0.5, 0.9])
def test_what_is_skipped_would_change_nothing(seed, without):
    """Utility falls with coarser places, longer windows and periods, and rare bins left out.

    Where each line leaves the thresholds has nothing to do with it.
    """
    rng = np.random.default_rng(seed)
    rises, ends = rng.uniform(0.05, 0.3, 2), rng.integers(0, 8, 50)
    fs = many() if seed % 2 else people()
    search, patient = of_travel(fs), of_travel(fs)
    patient._useless = lambda *_: False

    def measure(option):
        if option.recordless is not None:
            return measured_as(option, without, 0.0)
        lines = [*search._lines, *search._slow]
        usual, apart = tried_for(option)
        number = next(n for n, line in enumerate(lines) if usual in line)
        at, slow = lines[number].index(usual), number - len(search._lines)
        times = 0.9**number if slow < 0 else 0.9**slow
        useful = min(0.99, rises[int(slow >= 0)] * (1 + at) * times)
        useful -= min(useful, 0.05 * apart)
        return measured_as(option, useful, 0.01 if at < ends[number] else 0.2)

    known, every = (walked(each, measure) for each in (search, patient))
    table, whole = (
        SearchedTable((*found.values(),), "outsider", search.choice, KNOWLEDGE, "", limits=Limits())
        for found in (known, every)
    )
    assert not {option.steps for option in search.skipped(known)} & known.keys()
    assert not search.left(known)
    assert table.serves == whole.serves
    for one, other in ((table.best, whole.best), (table.least_revealing, whole.least_revealing)):
        assert one.option.steps == other.option.steps
    if without == 0.9:
        assert len(known) < len(every)
    assert {kind_of(option) for option in table.options} == set(KINDS)


def test_nothing_is_skipped_where_nothing_serves():
    search = of_travel()
    known = walked(search, lambda option: measured_as(option, 0.05, 0.0))
    assert search.skipped(known) == []


def test_data_coarser_than_a_day_are_searched_without_windows():
    events = [1, 1, 2, 2], [0, 9_000, 0, 9_000], [0] * 4, [0, 6_000, 0, 6_000]
    fs = fp.FingerprintSet.from_samples(*events, granularity_min=2_880)
    search = Search(fs, Limits(), utility_choice("travel"))
    assert search.wanted({})
    assert not any(line for line in search._lines if kind_of(line[0]) == "coarser records")


def test_an_aligned_option_follows_its_quick_search_and_only_if_it_may_matter():
    """Groups of fewer than 10 take seconds anyway; a quarter of 60 people has no five groups."""

    def tried(threshold, useful):
        def measure(option):
            aligned = isinstance(option.steps[-1], fp.Aligned)
            return measured_as(option, useful if aligned else 0.5, 0.0)

        known = walked(of_travel(outsider=threshold), measure)
        return [steps[-1] for steps in known if isinstance(steps[-1], fp.Aligned)]

    assert {step.effort for step in tried(0.05, 0.3)} == {"quick"}
    efforts = [step.effort for step in tried(0.05, 0.46)]
    assert efforts == ["quick"] * 3 + ["default"] * 3
    small = tried(0.2, 0.46)
    assert {step.effort for step in small if step.k < 10} == {"default"}


def with_flows(option, kept, flows):
    """What an option keeps, and of flows: even shares keep 0.3 of these, so 0.37 is needed."""
    found = measured_as(option, kept, 0.0)
    components = found.components | {"flows": flows}
    return replace(found, guessing={**found.guessing, "flows": 0.3}, components=components)


@pytest.mark.parametrize(("flows", "efforts"), [(0.2, {"quick"}), (0.3, {"quick", "default"})])
def test_options_that_must_keep_too_little_of_what_is_needed_are_skipped(flows, efforts):
    """From a finer option, 0.1 may be won."""

    def measure(option):
        aligned = isinstance(option.steps[-1], fp.Aligned)
        return with_flows(option, *((0.9, flows) if aligned else (0.5, 0.5)))

    search = of_travel()
    known = walked(search, measure)
    tried = [steps[-1] for steps in known if isinstance(steps[-1], fp.Aligned)]
    assert {step.effort for step in tried} == efforts
    assert (len(tried) == 1) == bool(search.skipped(known))


@pytest.mark.parametrize(("flows", "apart"), [(0.2, {2, 3}), (0.25, {0, 1, 2, 3})])
def test_hiding_is_tried_on_a_quarter_of_the_people_and_goes_on_only_if_it_may_serve(flows, apart):
    """From a quarter, 0.15 may be won; what else it keeps too little of says nothing about all."""

    def measure(option):
        hidden = kind_of(option) == "hidden records"
        if QUARTER in option.steps and hidden:
            return with_flows(option, 0.0, flows)
        return with_flows(option, *((0.9, 0.9) if hidden else (0.5, 0.5)))

    search = of_travel(many())
    known = walked(search, measure)
    hidden = [tried_for(o) for s in known if kind_of(o := ReleaseOption(steps=s)) == KINDS[2]]
    ways = {type(option.steps[-1]) for option, _ in hidden}
    assert ways == {fp.Glove, fp.Aligned}
    assert {each for _, each in hidden} == apart
    assert apart == {2, 3} or {each for o, each in hidden if o == hidden[0][0]} == {0, 2}


def test_a_purpose_by_hour_is_served_only_with_differences_between_hours():
    """Synthetic people have learnt hours from 2,000 people times ε on."""
    day = Generalize(fp.GeneralizationProfile(fp.Grid(2_000), 1_440))
    cases = [
        (fp.Presence(FRAME, 12, None, 1.0), {}, True),
        (fp.Presence(FRAME, 12, None, 1.0), {"hours_hidden": True}, False),
        (fp.Presence(FRAME, 1, 15), {}, False),
        (fp.Flows(FRAME, 24, 15), {}, False),
        (Synthesize(FRAME, 0.5), {"n_users": 4_000}, True),
        (Synthesize(FRAME, 0.5), {"n_users": 3_999}, False),
        (GRID, {}, True),
        (day, {}, False),
        (fp.Glove(2), {}, True),
    ]
    by_hour, travel = utility_choice("presence"), utility_choice("travel")
    for step, more, shows in cases:
        option = ReleaseOption(steps=[step])
        found = replace(result(option, 0.01, 0.9, least=2), **more)
        assert (not by_hour.too_little(found)) == shows, (step, more)
        assert not travel.too_little(found)
    hidden, shown = ReleaseOption(steps=[cases[2][0]]), ReleaseOption(steps=[cases[0][0]])
    table = OptionsTable(
        tuple(result(option, 0.01, 0.9, least=2) for option in (hidden, shown)),
        "outsider",
        by_hour,
        KNOWLEDGE,
        "",
    )
    assert serves(table, [0, 1]) == [1]


def test_with_noise_the_draw_that_keeps_least_decides_whether_an_option_serves():
    """By hand: even shares keep 0.1, so the minimum is 0.1 + 0.1 · 0.9 = 0.19."""
    found = result(ReleaseOption(steps=[Synthesize(FRAME, 0.5)]), 0.01, 0.9, least=2)
    kept = found.components | {"flows": 0.3}
    found = replace(found, components=kept, guessing={"flows": 0.1})
    for low, lost in ((0.2, []), (0.18, ["flows"])):
        drawn = replace(found, least={"flows": low})
        assert utility_choice("travel").too_little(drawn) == lost
    told = "too little in some draws of noise: 18%; minimum: 19%; guessing: 10%"
    assert keeps(drawn, "flows") == f"30% of trips agree with the data ({told})"


def test_an_option_that_noise_protects_is_recommended_before_more_useful_blanks():
    noisy, blank = (
        replace(found, risks=found.risks | {"membership": (0.01, 0.0, 0.05)})
        for found in (
            result(ReleaseOption(steps=[Synthesize(FRAME, 0.5)]), 0.0, 0.6),
            result(ReleaseOption(steps=[fp.Presence(FRAME, 24, 15)]), 0.0, 0.7),
        )
    )
    found = exploration(noisy, blank)
    assert best_option(found.table, Limits()) == 0
    told = " ".join(describe_tried(found).text)
    assert "none that noise protects reveals less" in told
    assert "is more useful, but no noise protects it." in told
    assert best_option(exploration(blank).table, Limits()) == 0, "where nothing else serves"


def test_a_finer_option_bounds_what_a_coarser_one_is_worth():
    weights = {"flows": 0.5, "mobility": 0.2, "space": 0.3}
    parts = {"flows": 0.1, "mobility": 0.4, "space": 0.2}
    finer = replace(result(COARSE, 0.0, 0.0), components=parts)
    sums = 0.5 * 0.1 + 0.2 * 0.4 + 0.3 * 0.2
    coarser = ReleaseOption(steps=[GRID])
    assert most_worth(coarser, finer, weights) == pytest.approx(sums + 0.02)
    rare = ReleaseOption(steps=[GRID, fp.SuppressRare(5)])
    assert most_worth(rare, finer, weights) == pytest.approx(sums + 0.06)
    # Longer periods show more of how far people move: this may rise to 1, and flows hardly rise.
    days = replace(finer, option=ReleaseOption(steps=[fp.Periods(1), fp.Glove(2)]))
    weeks = ReleaseOption(steps=[fp.Periods(7), fp.Glove(2)])
    assert most_worth(weeks, days, weights) == pytest.approx(0.5 * 0.1 + 0.2 + 0.06 + 0.06)
    unknown = replace(finer, components=parts | {"space": math.nan})
    assert most_worth(coarser, unknown, weights) == pytest.approx(0.05 + 0.08 + 0.3 + 0.02)


def test_regions_of_one_column_say_nothing_about_another():
    """Columns are ordered by their number of regions, but need not lie within each other."""
    search = of_travel()
    profiles = [
        [fp.GeneralizationProfile(fp.Regions(name), minutes) for name in ("district", "vendor")]
        for minutes in (60, 360)
    ]
    lines = [tuple(ReleaseOption(steps=[Generalize(p)]) for p in line) for line in profiles]
    search._note(lines)
    noted = search._finer[lines[1][0].steps]
    assert noted == [lines[0][0].steps, lines[1][0].steps]


# --- advice ---


def advised(table, thresholds=None):
    limits = thresholds or Limits()
    advice = fp.advise(table, thresholds=limits)
    assert tuple(advice.columns) == ADVICE
    for name, needed, option, useful, *_ in advice.itertuples(index=False):
        row = [o.name for o in table.options].index(option)
        each = table.results[row]
        assert {limit_key(risk) for risk in limits.broken(each)} == {name}
        assert not Limits({**limits.of, name: needed}).broken(each)
        assert Limits({**limits.of, name: needed - 0.001}).broken(each)
        assert useful == table.utility[row]
    return advice


def test_each_advice_holds_when_its_threshold_is_set():
    one, two = (
        replace(each, risks={**each.risks, "unicity": (0.0, 0.0, 0.01)})
        for each in (result(COARSE, 0.071, 0.6, least=2), result(FINE, 0.2, 0.9, least=2))
    )
    # Upper ends are 0.01 above: 0.081 and 0.21.
    advice = advised(exploration(one, two).table)
    assert advice["threshold"].tolist() == ["outsider"]
    assert advice["would have to be"].tolist() == pytest.approx([0.081])  # the nearest first
    (sentence,) = describe_advice(advice)
    assert "re-identification risk were 8.1%" in sentence
    assert COARSE.name in sentence
    # What passes already is as useful: nothing to look at.
    better = result(HIDDEN, 0.02, 0.95, least=2)
    assert advised(exploration(one, two, better).table).empty
    advised(searched(), searched().limits)
    advised(searched().with_choice(utility={"space": 1}))


def test_every_kind_has_its_rung():
    table = searched()
    rungs = ladder(table, table.limits)
    assert [rung.kind for rung in rungs] == list(KINDS)
    best = best_option(table, table.limits)
    assert any(rung.row == best for rung in rungs)
    for rung in rungs:
        assert rung.row is None or kind_of(table.options[rung.row]) == rung.kind
        assert rung.within or not rung.serves
    empty = SearchedTable((), "outsider", UtilityChoice("x", {"flows": 1.0}), KNOWLEDGE, "")
    assert all(rung.row is None for rung in ladder(empty, Limits()))


def test_what_has_no_records_is_tried_to_its_end_first():
    """It takes seconds and reveals least: short of time, its smaller ε must not be missing."""
    order = []

    def measure(option):
        order.append(kind_of(option) in ("tables", "synthetic people"))
        return replace(result(HIDDEN, 0.0, 0.5), option=option)

    walked(of_travel(), measure)
    assert order == sorted(order, reverse=True)
    assert 4 < sum(order) < len(order)


def test_a_looser_recipient_is_offered_every_crowd_that_homes_may_need():
    """Of re-identification groups of 3 do; of homes they may not: larger ones are tried then."""

    def asked(threshold, within):
        """The k of GLOVE that are asked for, one after another, where those of so many are in."""
        ks = []

        def measure(option):
            step = option.steps[0]
            k = step.k if type(step) is fp.Glove else 0
            ks.extend([k] if k else [])
            measured = result(HIDDEN, 0.0, 0.5)
            risks = dict.fromkeys(measured.risks, (float(k < within),) * 3)
            return replace(measured, option=option, risks=risks)

        walked(of_travel(outsider=threshold), measure)
        return ks

    assert asked(1 / 3, within=3) == [3]
    assert asked(1 / 3, within=20) == [3, 6, 10, 20]
    assert asked(1 / 3, within=6) == [3, 6, 4]
    assert 20 in asked(0.05, within=20)
