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
from fpanon_core.model.profiles import GeneralizationProfile, Grid
from fpanon_core.studies import comparison, hiding, production
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.release_facts import typical_side_m
from pages.charts import style
from pages.charts.maps import Shades
from pages.charts.record import group_legend, group_map
from pages.hiding import figures, groups, story
from pages.hiding.moment import busiest, hours, moment, played
from pages.hiding.moment import groups as groups_of
from pages.shell import release, widgets
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
            "The truth of what is written": release.describe_truth(written, missed).splitlines(),
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
            "Squares and hours of the maps": [
                groups.square(0.01),
                groups.square(0.26),
                groups.square(12.4),
                groups.hour_named(26, ["4 Mar", "5 Mar"]),
                groups.hour_named(50, ["4 Mar", "5 Mar"]),
                groups.at_one_moment("4 Mar, 00:00", 1, 12),
            ],
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
    parts["to begin, nothing is accepted"] = [story.to_begin(Limits({"outsider": 0.0}), 500)]
    parts["to begin, k above 100"] = [story.to_begin(Limits({"outsider": 0.002}), 5_000)]
    assert "threshold" not in story.to_begin(none, 500)
    parts["not verified"] = [": ".join(story.verdict(failed, fine, none))]
    parts["groups are too small"] = [": ".join(story.verdict(result, fine, Limits()))]
    assert story.verdict(result, fine, Limits({"outsider": 1 / result.config.k}))[0] == "success"
    kind, text = story.verdict(result, fine, Limits({"outsider": 0.0}))
    assert kind == "warning"
    assert "no group can be large enough" in text
    for name in ("too wide", "too long", "both", "most left out"):
        parts[name].append(story.to_try(result.config, cases[name]))
        table = figures.releases({result.config: result}, {result.config: cases[name]})
        assert table["Verified"].tolist() == ["yes; of little use"]
    parts["what may help of days within limits"] = [story.to_try(three, worth(36_000, 120))]
    parts["where the thresholds allow no smaller k"] = [
        story.to_try(three, worth(36_000, 120), least=3)
    ]
    check_snapshot("hiding_verdicts", parts)


def test_the_comparison_says_what_the_snapshot_says() -> None:
    """A grid of 1 km and windows of 30 min hide both pairs; with GLOVE 325 m and 3.5 min do.

    Four times on both sides of the first midnight are in two windows, however long: 2, not 4.
    """
    midnight = FingerprintSet.from_samples([*"abcd"], [0] * 4, [0] * 4, [-9, -8, 1, 2])

    def told(fs: FingerprintSet, k: int, *ladder: GeneralizationProfile) -> list[str]:
        config = comparison.Config(ks=(k,), **({"ladder": ladder} if ladder else {}))
        return figures.compared(comparison.study(fs, config))

    ladder = (GeneralizationProfile(Grid(1000), 30),)
    shown = figures.ways_table(comparison.study(town(), comparison.Config(ks=(2,), ladder=ladder)))
    assert shown["Mean span (min)"].tolist() == [30.0, 3.5, 3.5]
    check_snapshot(
        "hiding_compared",
        {
            "A grid hides all": told(town(), 2, *ladder),
            "One cell alone does": told(town(), 2, GeneralizationProfile(Grid(100), 30)),
            "Its origin was given": told(town(), 2, GeneralizationProfile(Grid(100, (0, 0)), 30)),
            "Nothing does": told(midnight, 4),
            "Ways": shown["Way"],
        },
    )


@pytest.mark.parametrize("limit_m", [None, 250.0])
def test_what_is_left_out_is_listed_where_anything_is(limit_m: float | None) -> None:
    """Two people 100 m apart, then 900 m: within 250 m the later samples are left out."""
    fs = FingerprintSet.from_samples([1, 2, 1, 2], [0, 100, 0, 900], [0] * 4, [5, 6, 505, 506])
    made = production.study(fs, production.Config(hidden=hiding.Config(2, limit_m)))
    told = release.describe_secret(made) + release.describe_again(made)
    told += release.describe_truth(made, fs)
    for said in ("The left-out samples are listed", "--left-out LIST`", "2 samples of the 4"):
        assert (said in told) == (limit_m is not None)


def test_periods_are_chosen_or_typed() -> None:
    assert {text: widgets.days_of(text) for text in widgets.PERIODS} == dict(widgets.PERIODS)
    assert [widgets.days_of(text) for text in ("1", " 14 days", "30d")] == [1, 14, 30]
    assert [widgets.called(days) for days in (None, 1, 7, 10)] == [
        "whole",
        "days",
        "weeks",
        "10 days",
    ]
    for text in ("0", "fortnight", "-3", "1.5", "99999", ""):
        with pytest.raises(ConfigError, match="such as 14"):
            widgets.days_of(text)


def test_groups_of_periods_are_played_on_their_own_days(in_days: InDays) -> None:
    fs, result = in_days
    release = result.release
    assert release.published.n_groups == 2
    placed = replace(fs, crs=projection.equal_area_around(14.7, -17.4))
    costs = hiding.groups_by_loss(release)
    for rank in (1, 2):
        seen = played(release, placed, int(costs["group"][rank - 1]), 5)
        assert seen.names == ["u0001", "u0002"]
        assert seen.whose.tolist() == [0, 1]
        day = int(release.group_period[int(costs["group"][rank - 1])])
        at = (5.5, 6.5) if day == 0 else (60.5, 61.5)
        assert seen.minute.tolist() == [1_440 * day + minute for minute in at]


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


def test_curves_of_accuracy(made: Made) -> None:
    theme = style.theme("light")
    space, time = figures.ACCURACIES
    curves, ends = figures.accuracy_curves(made, space, theme)
    assert [curve.name for curve in curves] == [story.name_of(config) for config in made]
    assert sorted(curves[0].values) == [0.1, 0.1, 0.55, 0.55]
    assert ends == pytest.approx((0.08, 1.25 * 0.55))
    assert figures._height(curves) > figures._height(curves[:1])
    curves, _ = figures.accuracy_curves(made, time, theme)
    assert curves[0].values == pytest.approx([3 / 60, 3 / 60, 4 / 60, 4 / 60])


def test_no_two_of_the_releases_kept_look_alike(made: Made) -> None:
    result = next(iter(made.values()))
    many = {hiding.Config(k): result for k in range(2, 2 + limits.KEPT_RELEASES)}
    curves, _ = figures.accuracy_curves(many, figures.ACCURACIES[0], style.theme("dark"))
    looks = {(c.colour, style.DASHES[c.style % len(style.DASHES)]) for c in curves}
    assert len(looks) == limits.KEPT_RELEASES > len(style.DASHES)


def test_one_group(made: Made) -> None:
    """Two people 900 m and 2 min apart: an area of 1,000 × 100 m, for 3 min. So they lose most."""
    fs = replace(town(), crs=projection.equal_area_around(14.7, -17.4))
    release = next(iter(made.values())).release
    assert groups_of(release).tolist() == [0, 0, 1, 1][:: release.published.n_groups]
    seen = played(release, fs, 0, 1)
    assert (seen.names, seen.whose.tolist(), seen.minute.tolist()) == (
        ["u0001"],
        [0, 1],
        [0.5, 2.5],
    )
    assert (seen.start.tolist(), seen.end.tolist(), seen.ends) == ([0.0], [3.0], (0.0, 3.0))
    east, north = projection.project(seen.lat, seen.lon, fs.crs)
    assert np.column_stack([east, north]) == pytest.approx(np.array([[50, 50], [950, 50]]), abs=0.1)
    corners = projection.project(seen.areas[0, [1, 3]], seen.areas[0, [0, 2]], fs.crs)
    assert np.concatenate(corners) == pytest.approx(np.array([0, 1000, 0, 100]), abs=0.1)
    assert [groups.time_unit(at) for at in (119, 120, 2_880, 2_881)] == [
        ("minutes", 1),
        ("hours", 60),
        ("hours", 60),
        ("days", 1_440),
    ]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_map_of_a_group_at_two_moments(made: Made, name: str) -> None:
    """At minute 1 one of two is recorded; at minute 3 the other, and the area is of earlier then.

    Whoever has no name has the colour of all others, and a record before the step is small.
    """
    fs = replace(town(), crs=projection.equal_area_around(14.7, -17.4))
    seen, of = played(next(iter(made.values())).release, fs, 0, 1), style.theme(name)
    by = Shades(1.0, 3.0, ["#440154"])

    def drawn(before: float, now: float) -> tuple[list[tuple[str, int]], list[tuple[int, str]]]:
        layers = {each.id: each.data for each in group_map(seen, before, now, by, of).layers}
        dots = [(each["tip"], each["r"]) for each in layers["recorded"]]
        return dots, [(each["o"] > 0, each["tip"]) for each in layers["published"]]

    assert drawn(-np.inf, -1) == ([], [])
    assert drawn(-np.inf, 1) == (
        [("u0001", 6)],
        [(True, "published with a time window of 3 minutes")],
    )
    both = [("u0001", 3), ("all others", 6)]
    assert drawn(1, 3) == (both, [(True, "published with a time window of 3 minutes")])
    small = [("u0001", 3), ("all others", 3)]
    assert drawn(3, 9) == (small, [(False, "published with a time window of 3 minutes")])
    names = [trace.name for trace in group_legend(seen, of).data]
    assert names[:3] == ["u0001", "all others", "recorded earlier"]


@pytest.mark.parametrize("limit_min", [None, 100.0])
@pytest.mark.parametrize("method", hiding.METHODS)
def test_what_groups_lose_is_what_their_own_samples_lose(
    method: str, limit_min: float | None
) -> None:
    """Plainly: of every sample that is published, the areas of its group that hold it."""
    rng = np.random.default_rng(4)
    user = np.repeat(np.arange(15), 6)
    fs = FingerprintSet.from_samples(
        user, *rng.uniform(0, 9_000, (2, len(user))), range(0, 900, 10)
    )
    config = hiding.Config(3, suppress_time_min=limit_min, method=method)
    result = hiding.study(fs, config)
    release, cells = result.release, result.release.published
    costs, plain, every = hiding.groups_by_loss(release), [], []
    lost = set(release.suppressed["sample"].tolist())
    assert bool(lost) == (limit_min is not None)
    for group in range(cells.n_groups):
        sides, spans = [], []
        for i in range(fs.n_samples):
            if release.group[fs.sample_user[i]] != group or i in lost:
                continue
            at = fs.x_m[i] + 50, fs.y_m[i] + 50, fs.t_min[i] + 0.5
            held = [
                ((cells.dx_m[c] + cells.dy_m[c]) / 2, cells.dt_min[c])
                for c in range(cells.offsets[group], cells.offsets[group + 1])
                if cells.x_m[c] < at[0] < cells.x_m[c] + cells.dx_m[c]
                and cells.y_m[c] < at[1] < cells.y_m[c] + cells.dy_m[c]
                and cells.t_min[c] < at[2] < cells.t_min[c] + cells.dt_min[c]
            ]
            (side, span), *others = held
            assert not others
            sides.append(side)
            spans.append(span)
        side, span = sum(sides) / len(sides), sum(spans) / len(spans)
        plain.append((group, side, span, 0.5 * side / 20_000 + 0.5 * span / 480))
        every += [0.5 * a / 20_000 + 0.5 * b / 480 for a, b in zip(sides, spans, strict=True)]
    plain.sort(key=lambda each: -each[3])
    assert costs["group"].tolist() == [each[0] for each in plain]
    assert costs[["side_m", "span_min", "loss"]].to_numpy() == pytest.approx(
        np.array([each[1:] for each in plain])
    )
    assert result.mean_loss == pytest.approx(sum(every) / len(every))
    # The scatter draws them, the one looked at in a trace of its own.
    figure = figures.groups(costs, 2, style.theme("light"))
    assert len(go.Figure(figure.to_dict()).data) == 2  # by plotly's own checks
    others, chosen = figure.data
    by_rank = {
        rank: (x, y)
        for trace in (others, chosen)
        for rank, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }
    assert list(chosen.customdata) == [2]
    for rank, (_, side, span, _) in enumerate(plain, 1):
        assert by_rank[rank] == pytest.approx((side / 1_000, span / 60))


def test_of_very_many_groups_an_even_share_is_drawn() -> None:
    """The first, the last, and the one looked at among them."""
    costs = pd.DataFrame({"side_m": np.linspace(9_000, 100, 5_000), "span_min": 60.0})
    others, chosen = figures.groups(costs, 1_234, style.theme("dark")).data
    ranks = list(others.customdata)
    assert (ranks[0], ranks[-1]) == (1, 5_000)
    assert len(ranks) in (figures.MOST_GROUPS, figures.MOST_GROUPS - 1)
    assert list(chosen.customdata) == [1_234]


def test_both_maps_are_of_the_same_hour_and_the_same_squares() -> None:
    """Two people at 0 and at 900 m in the first hour, published as 1,000 × 100 m; two in the tenth.

    The data are 1,000 m wide: forty squares would be finer than the raw cells, so 100 m each.
    """
    fs = replace(town(), crs=projection.equal_area_around(14.7, -17.4))
    release = hiding.study(fs, hiding.Config()).release
    assert hours(release, fs) == range(11)  # until minute 603, of hour 10
    assert busiest(fs, range(11)) == 0
    assert busiest(fs, range(5, 11)) == 10
    here = moment(release, fs, 0)
    assert (here.side_m, here.recorded, here.published) == (100, 2, 2)
    assert here.before[:, 4].tolist() == [1, 1]
    assert here.after[:, 4] == pytest.approx([0.2] * 10)  # two people over ten squares
    # All lies within what is shown.
    assert (here.after[:, :2] >= here.extent[0, :2] - 1e-6).all()
    assert (here.after[:, 2:4] <= here.extent[0, 2:] + 1e-6).all()
    nobody = moment(release, fs, 5)
    assert (nobody.recorded, nobody.published, len(nobody.before)) == (0, 0, 0)
    late = moment(release, fs, 10)
    assert (late.recorded, late.before[:, 4].tolist(), late.after[:, 4].tolist()) == (2, [2], [2])


def test_nobody_is_lost_between_the_squares() -> None:
    """Everyone recorded is in a square of the first map, and as many published are told of."""
    rng = np.random.default_rng(3)
    user = np.repeat(np.arange(40), 5)
    x, y = rng.uniform(0, 30_000, (2, len(user)))
    fs = FingerprintSet.from_samples(user, x, y, rng.uniform(0, 600, len(user)))
    fs = replace(fs, crs=projection.equal_area_around(14.7, -17.4))
    release = hiding.study(fs, hiding.Config(4)).release
    for hour in hours(release, fs):
        here = moment(release, fs, hour)
        begin, end = 60 * hour, 60 * hour + 60
        recorded = {u for u, t in zip(fs.sample_user, fs.t_min, strict=True) if begin <= t < end}
        assert here.recorded == len(recorded) == pytest.approx(here.before[:, 4].sum())
        cells = release.published
        open_then = (cells.t_min < end) & (cells.t_min + cells.dt_min > begin)
        published = [
            release.published.n_users[g]
            for g in range(cells.n_groups)
            if open_then[cells.offsets[g] : cells.offsets[g + 1]].any()
        ]
        assert here.published == sum(published)
        # What is too thin to be drawn, less than a twentieth of a person in a square, is missing.
        assert here.after[:, 4].sum() <= here.published + 1e-9


def test_dots_at_one_spot_share_a_label() -> None:
    found = comparison.study(town(), comparison.Config(ks=(2, 3, 4)))
    part = found.comparison[found.comparison["method"] == "GLOVE"]
    # Nobody but all four is a crowd of 3, or of 4.
    assert figures.labels(part) == ["k = 2", "k = 3, 4", ""]
    assert figures.crowds([2, 5, 10]) == "k = 2, 5 and 10"
    assert figures.crowds([2]) == "k = 2"
