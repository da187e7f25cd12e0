"""Trajectory recovery from presence tables of single days: by hand, by plain loops, refused."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.studies import count_tables
from tests.oracles import recovery as oracle

KM = 1_000.0
A, B = 0.0, 9 * KM


def frame(days=1, areas=2):
    """Squares of 9 km in a row."""
    area = fp.StatedArea(0, 0, 9 * KM, areas * 9 * KM, "metres")
    return fp.FrameConfig(fp.StatedPeriod(None, days), "grid", area, 9 * KM)


def people(*lives, first=0):
    """One sample in each half of a day; None: none."""
    rows = [
        (user, x, 720.0 * (first + half) + 60)
        for user, life in enumerate(lives)
        for half, x in enumerate(life)
        if x is not None
    ]
    user, x, t = zip(*rows, strict=True)
    return fp.FingerprintSet.from_samples(user, x, [0.0] * len(x), t)


def test_one_who_moves_and_four_who_stay() -> None:
    """By hand; 1, 2, 3 stay at A, 4 stays at B, 5 goes from A to B.

    Exact, A 4, 3 and B 1, 2: three stay, one of A goes, one stays at B: all 10 of 10 are right.
    Below 2 is blank: B's 1. Read as 0, all five begin at A; two of them go to B: 3 of AA and two
    of AB, of which one is paired with 5 and the other with 4: 9 of 10. Read as half of 2, B has
    its 1 again: 10 of 10. No count at all: 3 everywhere, which is 3 and 2 people who stay; of AA,
    AA, AA, BB, BB the last is paired with 5: 9 of 10.
    """
    fs = people((A, A), (A, A), (A, A), (B, B), (A, B))
    found = fp.table_recovery(fs, fp.Presence(frame(), 2, 2))
    assert found.table["blanks"].tolist() == ["none", "0", "half", "all"]
    assert found.table["recovered"].tolist() == pytest.approx([1.0, 0.9, 1.0, 0.9])
    assert (found.recovered, found.exact, found.n_users, found.n_slots) == (1.0, 1.0, 5, 2)
    assert found.guessing >= 0.9
    assert found.low < 1.0
    assert found.high == 1.0
    exact = fp.table_recovery(fs, fp.Presence(frame(), 2))
    assert exact.table["blanks"].tolist() == ["none", "all"]
    assert exact.recovered == exact.exact == 1.0


def test_all_blank_is_no_better_than_no_count_at_all() -> None:
    fs = people((A, A), (A, A), (A, A), (B, B), (A, B))
    found = fp.table_recovery(fs, fp.Tables(frame(), 2, 15))
    assert found.recovered <= found.guessing


LIVES = st.lists(
    st.lists(st.sampled_from([None, 0.0, 9 * KM, 18 * KM]), min_size=2, max_size=2).filter(
        lambda life: life != [None, None]
    ),
    min_size=2,
    max_size=12,
)


@given(lives=LIVES, threshold=st.integers(2, 5))
def test_it_is_the_attack_on_the_counts_of_plain_loops(lives, threshold) -> None:
    """Counted, blanked, paired and judged by loops; only the attack itself is the package's."""
    fs = people(*lives)
    found = fp.table_recovery(fs, fp.Presence(frame(areas=3), 2, threshold)).table
    places = [[None if x is None else int(x // (9 * KM)) for x in life] for life in lives]
    truth = [[p if p is not None else life[1 - at] for at, p in enumerate(life)] for life in places]
    exact = [[sum(life[s] == p for life in places) for p in range(3)] for s in range(2)]
    for blanks, value in (("none", None), ("0", 0), ("half", threshold // 2)):
        seen = [
            [c if value is None or c >= threshold else value for c in in_slot] for in_slot in exact
        ]
        counts = fp.AggregateCounts(
            np.array(seen),
            x_m=np.arange(3) * 9 * KM,
            y_m=np.zeros(3),
            slot_start_min=np.array([0.0, 720.0]),
        )
        made = fp.recover_trajectories(counts, n_trajectories=len(lives)).places.tolist()
        right = sum(
            made[i][s] == truth[j][s]
            for i, j in enumerate(oracle.greedy(made, truth))
            for s in range(2)
            if places[j][s] is not None
        )
        asked = sum(p is not None for life in places for p in life)
        row = found.set_index("blanks").loc[blanks]
        assert row["recovered"] == pytest.approx(right / asked)
        assert row["low"] <= row["recovered"] <= row["high"]


def test_a_weekday_and_a_weekend_day_are_two_days_of_slots() -> None:
    """Friday and Saturday: each mean is of one day, and the days are linked by habit."""
    clock = fp.LocalClock(dt.datetime(2024, 3, 8, tzinfo=dt.UTC), "UTC")
    lives = [(A, A, A, A)] * 3 + [(B, B, B, B)] * 2
    fs = replace(people(*lives), clock=clock)
    stated = fp.FrameConfig(fp.StatedPeriod(dt.date(2024, 3, 8), 2), "grid", frame().area, 9 * KM)
    found = fp.table_recovery(fs, fp.Presence(stated, 2))
    assert (found.n_slots, found.recovered) == (4, 1.0)


def test_where_it_applies_it_is_told_in_words(monkeypatch) -> None:
    """Asked of single days without noise, of people who are not too many; else nothing is said."""
    fs = people((A, A), (A, A), (A, A), (B, B), (A, B))

    def asked(option, who=fs):
        cluster = object()  # counts are linked here all the same
        return count_tables.recovery_of(who, fp.release(who, option), engine=cluster)

    option = fp.Tables(frame(), 2, 2)
    found = asked(option)
    assert found is not None
    assert count_tables.describe_recovery(replace(found, guessing=0.9), option) == (
        "These are counts of single days, so an attacker can link them into trajectories. Linking "
        "finds where people were in 100% of their recorded 12-hour parts of a day (95% interval "
        "40%–100%; without blanks 100%, guessing 90%)."
    )
    # What guessing gets right as often gives nothing away.
    told = count_tables.describe_recovery(replace(found, guessing=1.0), fp.Tables(frame(), 1))
    assert told.endswith(
        "Linking does no better than guessing: it is right about where people were in 100% of "
        "their recorded days (95% interval 40%–100%; guessing 100%)."
    )
    assert "without blanks" not in count_tables.describe_recovery(found, fp.Tables(frame(), 2))
    for other in (fp.Flows(frame()), fp.Presence(frame(), 2, None, 1.0), fp.Presence(frame(7), 2)):
        assert asked(other) is None
    assert asked(option, people((A, A), (B, B), first=9)) is None
    monkeypatch.setattr(count_tables, "MOST_LINKED", 4)
    assert asked(option) is None


def test_means_private_tables_and_empty_ones_are_refused() -> None:
    fs = people((A, A), (B, B))
    with pytest.raises(fp.ConfigError, match="a mean over up to 5 days"):
        fp.table_recovery(fs, fp.Presence(frame(days=7), 2))
    with pytest.raises(fp.ConfigError, match="presence table without noise"):
        fp.table_recovery(fs, fp.Presence(frame(), 2, None, 1.0))
    with pytest.raises(fp.ConfigError, match="presence table without noise"):
        fp.table_recovery(fs, fp.Flows(frame()))
    with pytest.raises(fp.InfeasibleError, match="Nobody has a sample"):
        fp.table_recovery(people((A, A), first=9), fp.Presence(frame(), 2))
