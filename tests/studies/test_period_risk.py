"""What an attacker finds in a release in periods, beside plain loops; and what it is worth."""

import math
from itertools import pairwise

import numpy as np
import pytest

import fpanon_core as fp
from fpanon_core.anonymize.chain import release
from fpanon_core.measures.crowds import crowds
from fpanon_core.measures.drawing import drawn
from fpanon_core.studies.presets import hiding_ladder
from fpanon_core.studies.reidentification import risk_in
from fpanon_core.studies.tabled import working
from tests.support.fingerprint_sets import as_lists
from tests.support.refusals import check_refused

WIDE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(3_000), 720))


def people(n=40, days=4, each=16, seed=0):
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(n), rng.integers(2, each + 1, n))
    x, y = rng.integers(0, 60, (2, len(user))) * 100.0
    return fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, days * 1440, len(user)))


@pytest.mark.parametrize("strategy", ["random", "uniform", "top", "consecutive"])
@pytest.mark.parametrize("users", [15, 2_500])
def test_people_are_sought_in_the_period_of_their_longest_record(strategy, users):
    """Everyone by everyone: of a target, those of its period whose record holds all points."""
    cut = fp.into_periods(release(people(), WIDE), 1)
    config = fp.KnowledgeConfig(2, strategy, users, 3)
    found = risk_in(cut, config, working(fp.LocalEngine(1)))
    records = as_lists(cut.pieces)
    longest = {}
    for r in sorted(range(len(records)), key=lambda r: (-len(records[r]), cut.period[r])):
        longest.setdefault(int(cut.person[r]), r)
    known = drawn(cut.pieces, config, among=np.array(sorted(longest.values())), beyond=True)
    assert set(known.targets.tolist()) <= set(longest.values())

    def bins(cells):
        """The places alone, where these are all that is known."""
        if strategy == "top":
            return {(x, y, dx, dy) for x, y, _, dx, dy, _ in cells}
        return set(map(tuple, cells))

    cells = np.column_stack(list(known.arrays().values())).tolist()
    sizes = []
    for target, (a, b) in zip(known.targets, pairwise(known.offsets), strict=True):
        there = [own for r, own in enumerate(records) if cut.period[r] == cut.period[target]]
        sizes.append(sum(bins(cells[a:b]) <= bins(own) for own in there))
    assert sorted(found.sizes.tolist()) == sorted(sizes)
    assert found.n_targets == min(users, 40)
    assert found.measure("k") == pytest.approx(math.fsum(1 / s for s in sizes) / len(sizes))
    for name in ("unicity", "k", "em_sum", "kl_sum"):
        low, high = found.interval(name)
        assert low <= found.measure(name) <= high


def test_a_persons_other_records_are_no_crowd():
    """One person at home on three days, known by the place alone: alone in each of the three."""
    fs = fp.FingerprintSet.from_samples(
        [1, 1, 1, 2, 3], [0, 0, 0, 900, 900], [0] * 5, [600, 2_000, 3_500, 600, 2_000]
    )
    cut = fp.into_periods(fs, 1)
    found = risk_in(cut, fp.KnowledgeConfig(1, "top", 10), working(fp.LocalEngine(1)))
    assert found.sizes.tolist() == [1, 1, 1]
    table = fp.explore_options(fs, [[], fp.Periods(1)], p=1, strategy="top")
    assert table.risk.tolist() == [1 / 3, 1.0]  # whole, persons 2 and 3 share a place


def test_whoever_is_alone_in_any_period_is_alone():
    """Persons 1 and 2 share the first day; on the second day 1 is elsewhere."""
    fs = fp.FingerprintSet.from_samples([1, 1, 2, 2], [0, 900, 0, 0], [0] * 4, [5, 2000, 5, 2000])
    cut = fp.into_periods(fs, 1)
    found = crowds(cut.pieces, cut.person)
    assert (found.least, found.alone_share, found.naming_most) == (1, 1.0, 1.0)
    assert crowds(cut.pieces).alone_share == 0.5


def test_options_in_periods_are_weighed():
    fs = people(60, 4, 30)
    days = fp.Periods(1)
    options = [*hiding_ladder(fs, (2, 5)), [days], [fp.Periods(2), WIDE], [WIDE, days]]
    table = fp.explore_options(fs, options, risk="k")
    named = [f"aligned, k = {k}{of}" for k in (2, 5) for of in ("", ", days")]
    assert [o.name for o in table.options if "left out" not in o.name][:4] == named
    assert {(r.fault, r.n_users, r.users_share) for r in table.results} == {(None, 60, 1.0)}
    by_name = dict(zip([o.name for o in table.options], table.results, strict=True))
    for k in (2, 5):
        whole, days = (by_name[f"aligned, k = {k}{of}"] for of in ("", ", days"))
        for each in (whole, days):
            assert each.crowd_least >= k
            assert each.risks["k"][2] <= 1 / k
            assert each.alone_share == 0
        assert days.components["time"] > whole.components["time"]
        assert days.components["density"] > whole.components["density"]


def test_flows_are_per_person_not_per_record():
    """Two people, two days, a trip on each: cut by days nothing but the nights is lost."""
    x = [0, 900, 900, 0] * 2
    t = [600, 660, 2_040, 2_100] * 2
    fs = fp.FingerprintSet.from_samples([1] * 4 + [2] * 4, x, [0] * 8, t)
    made = release(fs, fp.Periods(1))
    assert fp.utility(fs, made, areas=300).components["flows"] == 1.0
    assert fp.utility(fs, made, areas=300).components["visits"] == 1.0


def test_chains_that_would_not_keep_periods_apart_are_refused():
    days, week, odd = fp.Periods(1), fp.Periods(7), fp.GeneralizationProfile(fp.Grid(1_000), 500)
    over = fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000), 10_080))
    later = [week, fp.AddNoise(100), fp.Permute(), fp.SampleUsers(0.5), over]
    before = [fp.Glove(2), fp.Generalize(odd)]
    chains = [[days, step] for step in later] + [[step, days] for step in before]
    check_refused(fp.ReleaseOption, steps=chains)


def test_options_in_periods_are_written_down_and_read_back():
    option = fp.ReleaseOption(
        steps=[fp.SampleUsers(0.5), fp.Periods(7), WIDE, fp.SuppressRare(2), fp.Aligned(5)]
    )
    assert fp.ReleaseOption.from_dict(option.to_dict()) == option
    assert "periods of 1 week, then 3 km · 12 h" in option.text
    with pytest.raises(fp.ConfigError, match="days"):
        fp.Periods(0)
