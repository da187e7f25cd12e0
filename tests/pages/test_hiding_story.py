"""What the view that hides everyone says and draws, of four people by hand; no browser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from fpanon_core import verify_k_anonymity
from fpanon_core.model import limits, projection
from fpanon_core.model.errors import ConfigError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.studies import hiding, production
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.release_facts import typical_side_m
from pages.charts import style
from pages.charts.maps import Shades
from pages.charts.record import group_legend, group_map
from pages.hiding import figures, groups, story
from pages.hiding.groups import played
from pages.shell import release, widgets
from tests.support.drawings import figure_lines, map_lines
from tests.support.snapshots import check_snapshot


def town() -> FingerprintSet:
    """One sample each: minutes 0 and 2, 900 m apart; minutes 600 and 603, at one place."""
    return FingerprintSet.from_samples([*"abcd"], [0, 900, 0, 0], [0] * 4, [0, 2, 600, 603])


Made = dict[hiding.Config, hiding.Result]


@pytest.fixture(scope="module")
def made() -> Made:
    configs = (
        hiding.Config(method="glove"),
        hiding.Config(2, suppress_space_m=300, leftover="suppress", method="glove"),
    )
    return {config: hiding.study(town(), config) for config in configs}


InDays = tuple[FingerprintSet, hiding.Result]


@pytest.fixture(scope="module")
def in_days() -> InDays:
    """Two people on two days, both alike: hidden day by day, and not over both."""
    fs = FingerprintSet.from_samples([*"aabb"], [0, 0, 100, 100], [0] * 4, [5, 1_500, 6, 1_501])
    return fs, hiding.study(fs, hiding.Config(2, method="aligned", period_days=1))


@pytest.fixture(scope="module")
def both() -> Made:
    """Nine alike and one far away, all in it; and the tenth left out, by which all others gain."""
    x = [0.0] * 9 + [50_000.0]
    fs = FingerprintSet.from_samples(np.arange(10), x, [0] * 10, np.arange(10) * 10)
    whole = hiding.Config(3, method="aligned")
    configs = whole, replace(whole, leave_out=0.1)
    return {config: hiding.study(fs, config) for config in configs}


def test_names_and_what_a_release_means_are_those_of_the_snapshot(
    made: Made, in_days: InDays, both: Made
) -> None:
    """Pairs of span 550 m and 3 min, and of 100 m and 4 min; all within 2 km and 2 hours.

    Within 300 m the first pair cannot be: both samples go, of four in all.
    """
    plain, limited = made.values()
    named = (
        hiding.Config(5, method="glove"),
        hiding.Config(2, 1_500, 90, "suppress", method="aligned", period_days=7),
        hiding.Config(10, method="aligned", period_days=14, leave_out=0.05),
    )
    worths = {config: hiding.worth(town(), each.release) for config, each in made.items()}
    table = figures.releases(made, worths)
    assert "Limits" not in figures.releases({plain.config: plain}, worths)  # there are none
    # Three people on day one, two on day two: of k = 3 the second day is not published.
    missed = FingerprintSet.from_samples(
        [1, 2, 3, 1, 2], [0, 100, 200, 0, 100], [0] * 5, [5, 6, 7, 1445, 1446]
    )
    days = hiding.Config(3, period_days=1)
    written = production.study(missed, production.Config(hidden=days))
    (whole, _), (tail, left) = both.items()
    gain = hiding.gain(both[whole].release, left.release)
    losses = [hiding.groups_by_loss(each.release) for each in (plain, limited, in_days[1])]
    check_snapshot(
        "hiding",
        {
            "Names": map(story.name_of, named),
            "Everyone in pairs": [*story.promised(plain), *story.accurate(plain)],
            "Left out of pairs": story.left_out(plain),
            "Pairs of at most 300 m": [*story.accurate(limited), *story.left_out(limited)],
            "Both in a table": table.to_csv(index=False, sep="|").splitlines(),
            "Whoever misses a period": story.left_out(hiding.study(missed, days)),
            "Whether the written rows are true": release.describe_truth(
                written, missed
            ).splitlines(),
            "Too large a k": [
                story.k_refused(5_000, 42, limits.K.at_most(42)),
                story.k_refused(150, 900, limits.K),
            ],
            "In periods": story.promised(in_days[1]),
            "A tail left out": [*story.left_out(left), story.gained(gain, tail)],
            "One group": [
                *groups.told_group(losses[0], 1, plain.release, town()),
                *groups.told_group(losses[1], 1, limited.release, town()),
                *groups.told_group(losses[2], 1, in_days[1].release, in_days[0]),
            ],
            "How long": story.expected("aligned", {2: 8.0, 5: 125.0}),
            "Shards": [story.in_shards(1_000_000), story.in_shards(10_000)],
        },
    )


def test_verdicts_are_those_of_the_snapshot_and_verified_never_stands_alone(made: Made) -> None:
    """Of data 10 km wide: areas of half as much and more, and days, are of little use."""
    result = made[hiding.Config(method="glove")]
    failed = replace(result, verdict=verify_k_anonymity(town(), result.release, 9))
    three = hiding.Config(3, suppress_time_min=60, method="aligned", period_days=1, leave_out=0.1)
    cases = {
        "fine": worth(4_000, 120),
        "too wide": worth(5_100, 120),
        "too long": worth(4_000, 1_441),
        "both": worth(36_000, 288 * 1_440),
        "some left out": worth(4_000, 120, samples=60, people=7),
        "most left out": worth(4_000, 120, samples=100, people=7),
        "empty": worth(np.nan, np.nan, 0),
    }
    none, fine = Limits({"outsider": None}), cases["fine"]
    parts = {name: [": ".join(story.verdict(result, each, none))] for name, each in cases.items()}
    parts["to begin"] = [story.to_begin(Limits(), 20)]
    parts["to begin, too few people"] = [story.to_begin(Limits(), 19)]
    parts["to begin, no risk is accepted"] = [story.to_begin(Limits({"outsider": 0.0}), 500)]
    parts["to begin, k above 100"] = [story.to_begin(Limits({"outsider": 0.002}), 5_000)]
    assert "threshold" not in story.to_begin(none, 500)
    assert "threshold of 9% needs k = 12" in story.to_begin(Limits({"outsider": 0.09}), 500)
    parts["not verified"] = [": ".join(story.verdict(failed, fine, none))]
    parts["groups are too small"] = [": ".join(story.verdict(result, fine, Limits()))]
    assert story.verdict(result, fine, Limits({"outsider": 1 / result.config.k}))[0] == "success"
    kind, text = story.verdict(result, fine, Limits({"outsider": 0.0}))
    assert kind == "warning"
    assert "No group of these people is large enough" in text
    for name in ("too wide", "too long", "both", "most left out"):
        parts[name].append(story.to_try(result.config, cases[name]))
        table = figures.releases({result.config: result}, {result.config: cases[name]})
        assert table["Verified"].tolist() == ["yes; of little use"]
    parts["what may help, with periods and limits"] = [story.to_try(three, worth(36_000, 120))]
    parts["what may help if the thresholds allow no smaller k"] = [
        story.to_try(three, worth(36_000, 120), least=3)
    ]
    check_snapshot("hiding_verdicts", parts)


@pytest.mark.parametrize("limit_m", [None, 250.0])
def test_what_is_left_out_is_listed_where_anything_is(limit_m: float | None) -> None:
    """Two people 100 m apart, then 900 m: within 250 m the later samples are left out."""
    fs = FingerprintSet.from_samples([1, 2, 1, 2], [0, 100, 0, 900], [0] * 4, [5, 6, 505, 506])
    made = production.study(fs, production.Config(hidden=hiding.Config(2, limit_m)))
    told = release.describe_secret(made) + release.describe_again(made)
    told += release.describe_truth(made, fs)
    for said in ("The left-out samples are listed", "--left-out LIST`", "2 of the 4 recorded"):
        assert (said in told) == (limit_m is not None)


def test_periods_are_chosen_or_typed() -> None:
    assert {text: widgets.days_of(text) for text in widgets.PERIODS} == dict(widgets.PERIODS)
    assert [widgets.days_of(text) for text in ("1", " 14 days", "30d")] == [1, 14, 30]
    called = [widgets.called(days) for days in (None, 1, 7, 10)]
    assert called == ["whole", "days", "weeks", "10 days"]
    for text in ("0", "fortnight", "-3", "1.5", "99999", ""):
        with pytest.raises(ConfigError, match="such as 14"):
            widgets.days_of(text)


def test_others_gain_by_who_is_left_out(both: Made) -> None:
    whole, tail = both
    assert story.pair(both, tail) == story.pair(both, whole) == (whole, tail)
    assert story.pair({tail: both[tail]}, tail) is None
    assert story.pair({whole: both[whole]}, whole) is None
    gain = hiding.gain(both[whole].release, both[tail].release)
    assert gain.samples == 9
    assert gain.side_m == 100
    assert gain.whole_side_m > 5_000


def worth(
    side_m: float, span_min: float, rows: int = 12, samples: int = 48, people: int = 6
) -> hiding.Worth:
    """Beside data of 10 km, read in cells of 100 m."""
    left = {"rows": rows, "people": 6, "samples": 48}
    size = side_m, span_min, 10_000.0, 100.0
    return hiding.Worth(*size, **left, all_samples=samples, all_people=people)


def test_what_a_release_is_worth(made: Made) -> None:
    """Two pairs, two cells each: four rows, of four samples. Median side 325 m, span 3.5 min.

    The data reach from 0 to 1,000 m and are 100 m deep, 550 m; half of that is 275.
    """
    plain, limited = (hiding.worth(town(), each.release) for each in made.values())
    assert (plain.rows, plain.people, plain.samples) == (4, 4, 4)
    assert (plain.side_m, plain.span_min, plain.data_side_m) == (325, 3.5, 550)
    assert plain.wide
    assert not plain.long
    assert limited.samples == 2
    # Everyone in one raw cell: as wide as the data, and yet exact.
    one = FingerprintSet.from_samples([*"ab"], [0, 0], [0, 0], [0, 0])
    assert not hiding.worth(one, hiding.study(one, hiding.Config()).release).wide


def test_a_single_far_journey_does_not_make_the_data_wide() -> None:
    near = np.linspace(0, 9_900, 100)
    fs = FingerprintSet.from_samples(np.arange(101) % 7, [*near, 5e6], [0] * 101, range(101))
    # From the 3rd of 101 positions (200 m) to the end of the 99th (9,900 m), and 100 m deep.
    assert typical_side_m(fs) == pytest.approx((9_700 + 100) / 2)


def test_curves_of_accuracy_and_no_two_look_alike(made: Made) -> None:
    theme = style.theme("dark")
    space, time = figures.ACCURACIES
    curves, ends = figures.accuracy_curves(made, space, theme)
    assert [curve.name for curve in curves] == [story.name_of(config) for config in made]
    assert sorted(curves[0].values) == [0.1, 0.1, 0.55, 0.55]
    assert ends == pytest.approx((0.08, 1.25 * 0.55))
    curves, _ = figures.accuracy_curves(made, time, theme)
    assert curves[0].values == pytest.approx([3 / 60, 3 / 60, 4 / 60, 4 / 60])
    result = next(iter(made.values()))
    many = {hiding.Config(k): result for k in range(2, 2 + limits.KEPT_RELEASES)}
    curves, _ = figures.accuracy_curves(many, space, theme)
    looks = {(c.colour, style.DASHES[c.style % len(style.DASHES)]) for c in curves}
    assert len(looks) == limits.KEPT_RELEASES > len(style.DASHES)


def test_groups_are_those_of_the_snapshot(made: Made, in_days: InDays) -> None:
    """Two people 900 m and 2 min apart: an area of 1,000 × 100 m, for 3 min. So they lose most.

    Groups of periods are played on their own days.
    """
    crs = projection.equal_area_around(14.7, -17.4)
    fs, release = replace(town(), crs=crs), next(iter(made.values())).release
    of_days, days = in_days[1].release, replace(in_days[0], crs=crs)
    by_day = np.argsort(of_days.group_period)  # groups are numbered in any order
    shown = {
        "The first group": played(release, fs, 0, 1),
        **{f"Group of day {d}": played(of_days, days, int(n), 5) for d, n in enumerate(by_day)},
    }
    parts = {
        name: [
            f"{part}: {held if part == 'names' else np.round(held, 4).tolist()}"
            for part, held in vars(each).items()
        ]
        for name, each in shown.items()
    }
    units = [groups.time_unit(at)[0] for at in (119, 120, 2_880, 2_881)]
    check_snapshot("hiding_groups", parts | {"Units around 2 hours and 2 days": units})


def test_the_map_of_a_group_at_two_moments_is_that_of_the_snapshot(made: Made) -> None:
    """At minute 1 one of two is recorded; at minute 3 the other, and the area is of earlier then.

    Whoever has no name has the colour of all others, and a record before the step is small.
    """
    fs = replace(town(), crs=projection.equal_area_around(14.7, -17.4))
    seen, of = played(next(iter(made.values())).release, fs, 0, 1), style.theme("light")
    by = Shades(1.0, 3.0, ["#440154"])
    moments = ((-np.inf, -1), (-np.inf, 1), (1, 3), (3, 9))
    maps = {
        f"From {before} to {now}": map_lines(
            group_map(seen, before, now, by, of), "recorded", "published"
        )
        for before, now in moments
    }
    check_snapshot("hiding_map", maps | {"Legend": figure_lines(group_legend(seen, of))})


@pytest.mark.parametrize("limit_min", [None, 100.0])
@pytest.mark.parametrize("method", hiding.METHODS)
def test_what_groups_lose_is_what_their_own_samples_lose(
    method: str, limit_min: float | None
) -> None:
    """Plainly: of every sample that is published, the one area of its group that holds it."""
    rng = np.random.default_rng(4)
    user = np.repeat(np.arange(15), 6)
    fs = FingerprintSet.from_samples(
        user, *rng.uniform(0, 9_000, (2, len(user))), range(0, 900, 10)
    )
    result = hiding.study(fs, hiding.Config(3, suppress_time_min=limit_min, method=method))
    release, cells = result.release, result.release.published
    costs, rows = hiding.groups_by_loss(release), []
    lost = set(release.suppressed["sample"].tolist())
    assert bool(lost) == (limit_min is not None)
    of_group = np.repeat(np.arange(cells.n_groups), np.diff(cells.offsets))
    for i in set(range(fs.n_samples)) - lost:
        group = release.group[fs.sample_user[i]]
        holds = of_group == group
        for at, low, size in (
            (fs.x_m[i] + 50, cells.x_m, cells.dx_m),
            (fs.y_m[i] + 50, cells.y_m, cells.dy_m),
            (fs.t_min[i] + 0.5, cells.t_min, cells.dt_min),
        ):
            holds = holds & (low < at) & (at < low + size)
        (cell,) = np.flatnonzero(holds)
        side, span = (cells.dx_m[cell] + cells.dy_m[cell]) / 2, cells.dt_min[cell]
        rows.append((group, side, span, 0.5 * side / 20_000 + 0.5 * span / 480))
    every = pd.DataFrame(rows, columns=["group", "side_m", "span_min", "loss"])
    plain = every.groupby("group", as_index=False).mean()
    plain = plain.sort_values("loss", ascending=False, kind="stable")
    assert costs[list(plain)].to_numpy() == pytest.approx(plain.to_numpy())
    assert result.mean_loss == pytest.approx(every["loss"].mean())
    # The scatter draws them, the one looked at in a trace of its own.
    figure = figures.groups(costs, 2, style.theme("light"))
    go.Figure(figure.to_dict())  # with plotly's own checks
    others, chosen = figure.data
    assert list(chosen.customdata) == [2]
    ranks = np.argsort([*others.customdata, *chosen.customdata])
    drawn = np.array([[*others.x, *chosen.x], [*others.y, *chosen.y]])[:, ranks]
    assert drawn == pytest.approx(np.array([plain["side_m"] / 1_000, plain["span_min"] / 60]))


def test_of_very_many_groups_an_even_share_is_drawn() -> None:
    """The first, the last, and the one looked at among them."""
    costs = pd.DataFrame({"side_m": np.linspace(9_000, 100, 5_000), "span_min": 60.0})
    others, chosen = figures.groups(costs, 1_234, style.theme("dark")).data
    ranks = list(others.customdata)
    assert (ranks[0], ranks[-1]) == (1, 5_000)
    assert len(ranks) in (figures.MOST_GROUPS, figures.MOST_GROUPS - 1)
    assert list(chosen.customdata) == [1_234]
