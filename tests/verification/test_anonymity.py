"""The verifier passes what is right, and fails on each kind of tampering."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fpanon_core.anonymize.glove import glove
from fpanon_core.io.cdr import read_cdr
from fpanon_core.model.errors import ConfigError, SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.synthetic.generate import generate_cdr
from fpanon_core.verification.anonymity import verify_k_anonymity

K = 3


@pytest.fixture(scope="module")
def fs():
    return read_cdr(generate_cdr(40, days=3), timezone="Africa/Algiers")[0]


@pytest.fixture(scope="module")
def result(fs):
    return glove(fs, K, suppress_space_m=15_000, suppress_time_min=360)


@pytest.fixture
def table(result):
    return result.to_frame()


def kinds(fs, release, k=K, **options):
    verdict = verify_k_anonymity(fs, release, k, **options)
    assert verdict.passed == (len(verdict.violations) == 0) == (not verdict.counts)
    assert ("NOT" in str(verdict)) == (not verdict.passed)
    return set(verdict.violations["kind"])


def with_published(result, **arrays):
    return replace(result, published=replace(result.published, **arrays))


def without_row(published, group, row):
    keep = np.ones(published.n_samples, bool)
    keep[published.offsets[group] + row] = False
    offsets = np.array(published.offsets)
    offsets[group + 1 :] -= 1
    names = ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")
    return {"offsets": offsets} | {name: getattr(published, name)[keep] for name in names}


def test_what_is_right_passes(fs, result, table):
    assert kinds(fs, result) == set()
    assert kinds(fs, table, suppressed=result.suppressed_frame()) == set()
    assert kinds(fs, table, suppressed=result.suppressed) == set()
    assert kinds(fs, table.sample(frac=1, random_state=0), suppressed=result.suppressed) == set()
    assert kinds(fs, glove(fs, K, leftover="suppress")) == set()
    verdict = verify_k_anonymity(fs, result, K)
    assert (verdict.users, verdict.groups) == (40, result.published.n_groups)
    assert verdict.samples == fs.n_samples


# --- of a result ---------------------------------------------------------------------------------


def test_one_sample_removed(fs, result):
    found = kinds(fs, with_published(result, **without_row(result.published, 0, 2)))
    assert found == {"uncovered sample"}


def test_one_sample_moved(fs, result):
    for name, by in (("x_m", 30_000.0), ("y_m", -30_000.0), ("t_min", 0.25)):
        values = np.array(getattr(result.published, name))
        values[result.published.offsets[1]] += by
        assert "uncovered sample" in kinds(fs, with_published(result, **{name: values})), name


def test_two_users_swapped(fs, result):
    group = np.array(result.group)
    a, b = result.members(0)[0], result.members(1)[0]
    group[[a, b]] = group[[b, a]]
    assert "uncovered sample" in kinds(fs, replace(result, group=group))


def test_a_group_of_k_minus_1(fs, result):
    group = np.array(result.group)
    members = [g for g in range(result.published.n_groups) if len(result.members(g)) == K]
    group[result.members(members[0])[-1]] = -1
    assert {"group size", "missing user", "k-gap"} <= kinds(fs, replace(result, group=group))
    assert kinds(fs, result, K + 1) == {"group size", "k-gap"}


def test_cells_that_overlap_or_end_before_they_begin(fs, result):
    p = result.published
    longer = np.array(p.dt_min)
    longer[p.offsets[0]] = p.t_min[p.offsets[0] + 1] - p.t_min[p.offsets[0]] + 0.5
    assert kinds(fs, with_published(result, dt_min=longer)) == {"overlap"}
    for name in ("dx_m", "dy_m", "dt_min"):
        values = np.array(getattr(p, name))
        values[p.offsets[0]] = -1.0
        assert "negative extent" in kinds(fs, with_published(result, **{name: values}))


def test_a_suppressed_sample_that_is_not_listed(fs, result):
    assert len(result.suppressed) > 0
    found = kinds(fs, replace(result, suppressed=result.suppressed.iloc[1:]))
    # It may lie inside a published cell by chance; take one that does not.
    every = kinds(fs, replace(result, suppressed=result.suppressed.iloc[:0]))
    assert found <= {"uncovered sample"}
    assert every == {"uncovered sample"}


def test_a_user_who_is_missing(fs, result):
    group = np.array(result.group)
    group[result.members(0)[0]] = -1
    assert "missing user" in kinds(fs, replace(result, group=group))
    assert kinds(fs, replace(result, group=group[:-1])) == {"missing user"}
    group[0] = 10_000
    assert kinds(fs, replace(result, group=group)) == {"unknown group"}


def test_suppressed_samples_that_are_not_there(fs, result):
    stranger = pd.DataFrame({"user": [0], "sample": [fs.n_samples], "reason": ["space"]})
    swapped = pd.DataFrame({"user": [1], "sample": [0], "reason": ["space"]})
    for extra in (stranger, swapped):
        listed = pd.concat([result.suppressed, extra])
        assert kinds(fs, replace(result, suppressed=listed)) == {"unknown suppressed sample"}


# --- of a table ----------------------------------------------------------------------------------


def tampered(fs, result, table):
    return kinds(fs, table, suppressed=result.suppressed)


def test_one_members_copy_altered(fs, result, table):
    for name, by in (("x_max_m", 100.0), ("y_min_m", -100.0), ("end", pd.Timedelta("1min"))):
        altered = table.copy()
        altered.loc[0, name] = altered.loc[0, name] + by
        assert {"unlike copies", "k-gap"} <= tampered(fs, result, altered), name


def test_one_members_sample_removed(fs, result, table):
    assert {"unlike copies", "k-gap"} <= tampered(fs, result, table.drop(index=3))


def test_a_pseudonym_exchanged(fs, result, table):
    a, b = (fs.pseudonyms[result.members(g)[0]] for g in (0, 1))
    swapped = table.assign(pseudonym=table["pseudonym"].replace({a: b, b: a}))
    assert "uncovered sample" in tampered(fs, result, swapped)


def test_a_user_in_two_groups_or_none(fs, result, table):
    two = table.copy()
    two.loc[0, "group"] += 1
    assert "several groups" in tampered(fs, result, two)
    assert "missing user" in tampered(fs, result, table[table["pseudonym"] != "u0001"])
    stranger = table.assign(pseudonym=table["pseudonym"].replace({"u0001": "u9999"}))
    assert {"unknown user", "missing user"} <= tampered(fs, result, stranger)


def test_degrees_that_are_not_those_of_the_metres(fs, result, table):
    moved = table.copy()
    moved.loc[0, "lat_max"] += 0.01
    assert tampered(fs, result, moved) == {"degrees"}


def test_bounds_that_are_no_numbers(fs, result, table):
    broken = table.copy()
    broken.loc[0, "x_min_m"] = np.nan
    assert "not a number" in tampered(fs, result, broken)


def test_a_table_of_another_kind(fs, table):
    with pytest.raises(SchemaError, match="lacks group"):
        verify_k_anonymity(fs, table.drop(columns="group"), K)
    with pytest.raises(SchemaError, match="times with their zone"):
        verify_k_anonymity(fs, table.assign(start=0.0), K)


@pytest.mark.parametrize("k", [1, 0, 2.0, True, "2"])
def test_a_k_that_is_none(fs, result, k):
    with pytest.raises(ConfigError, match="integer of 2 or more"):
        verify_k_anonymity(fs, result, k)


def test_without_clock_and_projection():
    fs = FingerprintSet.from_samples([1, 1, 2, 3], [0, 5, 0, 900], [0] * 4, [0, 9, 3, 483])
    result = glove(fs, 2)
    assert kinds(fs, result, 2) == set()
    assert kinds(fs, result.to_frame(), 2) == set()


def test_samples_cut_within_are_held_by_all_their_pieces():
    """[0, 60) and [30, 90) of two users: pieces 0–30, 30–60 and 60–90, the middle one wide."""
    fs = FingerprintSet(
        user_ids=np.arange(4),
        offsets=np.array([0, 2, 4, 5, 6]),
        x_m=np.array([0, 0, 0, 0, 0, 0.0]),
        y_m=np.zeros(6),
        t_min=np.array([0, 500, 30, 530, 2_000, 2_000.0]),
        dx_m=np.full(6, 100.0),
        dy_m=np.full(6, 100.0),
        dt_min=np.array([60, 60, 60, 60, 1, 1.0]),
        count=np.ones(6, np.int64),
    )
    assert kinds(fs, glove(fs, 2), 2) == set()
