"""Two files matched by their cells: against everyone with everyone, and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.attacks.overlap import BATTERY, FLOOR, Groups, found
from tests.oracles import overlap as oracle
from tests.support.fingerprint_sets import as_lists

SIDES = st.tuples(*(st.integers(0, 6), st.integers(1, 4)) * 3)
RELEASE = st.lists(st.lists(SIDES, min_size=1, max_size=4), min_size=1, max_size=5)


def cells_of(record):
    cells = [(x, x + dx, y, y + dy, t, t + dt) for x, dx, y, dy, t, dt in record]
    return sorted(cells, key=lambda cell: cell[4])


def groups_of(records, people):
    lengths = [len(record) for record in records]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    cells = np.array([cell for record in records for cell in record], np.float64)
    return Groups(cells, offsets, np.array(people, np.int64))


def by_oracle(first, second):
    """What each attacker scores, of every record of the first with every one of the second."""
    every = [cell for record in first + second for cell in record]
    whole = np.prod([max(c[i + 1] for c in every) - min(c[i] for c in every) for i in (0, 2, 4)])
    return {
        "overlap": [oracle.overlap(record, second, whole, FLOOR) for record in first],
        "edges": [oracle.edges(record, second) for record in first],
        "edges in time": [oracle.edges(record, second, (2,)) for record in first],
    }


@settings(max_examples=150, deadline=None)
@given(RELEASE, RELEASE, st.data())
def test_equals_everyone_with_everyone(first, second, data):
    first, second = ([cells_of(record) for record in side] for side in (first, second))
    people = [data.draw(st.integers(1, 4)) for _ in second]
    pairs = [(i, data.draw(st.integers(0, len(second) - 1))) for i in range(len(first))]
    scores = by_oracle(first, second)
    assert set(scores) == set(BATTERY)
    for attacker, table in scores.items():
        got = found(
            groups_of(first, [1] * len(first)),
            groups_of(second, people),
            np.array(pairs),
            attacker,
            engine=fp.LocalEngine(2),
        )
        assert got == pytest.approx([oracle.chance(table[i], people, j) for i, j in pairs])


COARSE = fp.GeneralizationProfile(fp.Grid(3_000), 360)
TECHNIQUES = {
    "as it is": [],
    "areas and windows": [fp.Generalize(COARSE)],
    "sampled": [fp.SampleUsers(0.8)],
    "without rare cells": [fp.Generalize(COARSE), fp.SuppressRare(2)],
    "in groups": [fp.Glove(2)],
    "aligned": [fp.Aligned(3)],
    "areas, then in groups": [fp.Generalize(COARSE), fp.Glove(2)],
}


def few(seed):
    """Ten people with three to six samples each, on a map of 12 km and two days."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(10), rng.integers(3, 7, 10))
    x, y = rng.integers(0, 120, (2, len(user))) * 100.0
    return fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, 2_880, len(user)))


def read(made):
    """Groups of a release, each a list of cells, and the number of each person's group."""
    if made.origin.hidden is not None:
        hidden = made.origin.hidden
        records, inside = as_lists(hidden.published.fingerprints()), hidden.group >= 0
        of = hidden.group[inside].tolist()
        records = [records[g] for g in of]
    else:
        records, of = as_lists(made), None
    cells = [[(x, x + dx, y, y + dy, t, t + dt) for x, y, t, dx, dy, dt in r] for r in records]
    keys = [(g, tuple(sorted(c))) for g, c in zip(of or [0] * len(cells), cells, strict=True)]
    groups = list(dict.fromkeys(keys))
    whose = dict(zip(made.origin.person.tolist(), map(groups.index, keys), strict=True))
    return [list(c) for _, c in groups], whose


def expected(one, other):
    """The share of each attacker, by the oracle."""
    (first, whose), (second, theirs) = read(one), read(other)
    both = sorted(set(whose) & set(theirs))
    people = [list(theirs.values()).count(g) for g in range(len(second))]
    return {
        name: np.mean([oracle.chance(table[whose[p]], people, theirs[p]) for p in both])
        for name, table in by_oracle(first, second).items()
    }


@pytest.mark.parametrize("name", TECHNIQUES)
def test_each_attacker_equals_the_oracle_and_the_strongest_is_reported(name):
    strongest = set()
    for seed in range(20):
        fs = few(seed)
        made = [fp.release(fs, TECHNIQUES[name], seed=1), fp.release(fs, [fp.Glove(3)], seed=2)]
        for one, other in (made, made[::-1]):
            match = fp.match_releases(one, other)
            told = dict(zip(match.by_attacker["attacker"], match.by_attacker["first"], strict=True))
            assert told == pytest.approx(expected(one, other))
            assert match.first == max(told.values()) == told[match.attacker]
            assert match.first_high == match.by_attacker["first_high"].max()
            strongest.add(match.attacker)
    assert len(strongest) > 1


def test_edges_by_hand():
    """Two records of the first, three of the second; the time edges 0, 5 | 0, 9 and so on.

    a has edges 0, 5, 7; b1 has 0, 5; b2 has 0, 9; b3 has 7, 8, 9. Of three records two have 0, and
    one 5: b1 scores (ln 3/2 + ln 3)/√2 = 1.064, b2 (ln 3/2)/√2 = 0.287, b3 (ln 3)/√3 = 0.634.
    """
    times = {"a": [(0, 5), (5, 7)], "b": [[(0, 5)], [(0, 9)], [(7, 8), (8, 9)]]}
    record = [(0, 1, 0, 1, *span) for span in times["a"]]
    others = [[(0, 1, 0, 1, *span) for span in spans] for spans in times["b"]]
    second = groups_of(others, [1, 1, 1])
    scores = np.empty(3)
    BATTERY["edges in time"](groups_of([record], [1]), second)(0, scores)
    assert scores == pytest.approx([1.064, 0.287, 0.634], abs=5e-4)


def test_worked_example():
    """Two pairs 8 km apart, in pairs again: found each time, and by guessing half the time.

    Three at one place and one far away, published as they are: of three who look the same the
    record drawn is that of one of them, who are one group.
    """
    fs = fp.FingerprintSet.from_samples([1, 2, 3, 4], [0, 300, 8000, 8300], [0] * 4, [5] * 4)
    both = fp.match_releases(fp.glove(fs, 2), fp.aligned(fs, 2))
    assert (both.first, both.guessing, both.n_targets) == (1.0, 0.5, 4)
    three = fp.FingerprintSet.from_samples([1, 2, 3, 4], [0, 0, 0, 8000], [0] * 4, [5] * 4)
    as_it_is = fp.release(three, [])
    same = fp.match_releases(as_it_is, as_it_is)
    assert (same.first, same.guessing) == (1.0, pytest.approx((3 * 3 / 4 + 1 / 4) / 4))
    assert same.first_low < 1.0 == same.first_high


def test_whoever_is_asked_about_is_drawn_by_the_seed():
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(40), 2)
    x, y, t = (rng.uniform(0, most, 80) for most in (2e4, 2e4, 2e3))
    fs = fp.FingerprintSet.from_samples(user, x, y, t)
    grids = [fp.Grid(8_000, (corner, corner)) for corner in (0, 4_000)]
    made = [fp.release(fs, fp.GeneralizationProfile(grid, 720)) for grid in grids]
    few = [fp.match_releases(*made, users=10, seed=seed).first for seed in (0, 0, 3)]
    assert few[0] == few[1] != few[2]
    every = fp.match_releases(*made)
    assert every.n_targets == 40
    assert every.guessing < every.first_low < every.first < every.first_high < 1


def test_what_cannot_be_matched_is_refused():
    fs = fp.FingerprintSet.from_samples([1, 2, 3, 4], [0, 300, 8000, 8300], [0] * 4, [5] * 4)
    with pytest.raises(fp.ConfigError, match="Noise and exchange move samples"):
        fp.match_releases(fp.release(fs, fp.AddNoise(100, 1)), fp.glove(fs, 2))
    with pytest.raises(fp.ConfigError, match="give two without periods"):
        fp.match_releases(fp.release(fs, fp.Periods(1)), fp.glove(fs, 2))
    other = fp.FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [1, 2])
    with pytest.raises(fp.ConfigError, match="made from different data"):
        fp.match_releases(fp.glove(fs, 2), fp.glove(other, 2))
    sampled = [fp.release(fs, fp.SampleUsers(0.25), seed=seed) for seed in range(20)]
    apart = next(each for each in sampled if each.origin.person[0] != sampled[0].origin.person[0])
    with pytest.raises(fp.InfeasibleError, match="Nobody is in both releases"):
        fp.match_releases(sampled[0], apart)
