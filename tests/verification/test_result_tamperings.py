"""Tamperings with a result: each is caught, by its kind; the untouched result passes."""

# ruff: noqa: ARG001 – every tampering is called alike, whatever it needs

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fpanon_core.anonymize.glove import glove
from fpanon_core.model.clock import LocalClock
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.verification.anonymity import verify_k_anonymity

CELL = ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")
TAMPERINGS = []


def tampering(kind, **how):
    """Registers ``alter(fs, result) -> result`` with the kind of fault it must lead to."""

    def register(alter):
        name = alter.__name__.replace("_", " ")
        TAMPERINGS.append(pytest.param(alter, kind, how, id=name))
        return alter

    return register


def published(result, **arrays):
    return replace(result, published=replace(result.published, **arrays))


def moved(result, name, by):
    values = np.array(getattr(result.published, name))
    values[result.published.offsets[1]] += by
    return published(result, **{name: values})


def largest(result):
    """A group of most published samples."""
    return int(np.argmax(result.published.lengths))


@tampering("uncovered sample")
def one_published_sample_removed(fs, result):
    p = result.published
    keep = np.ones(p.n_samples, bool)
    keep[p.offsets[largest(result)]] = False
    offsets = np.array(p.offsets)
    offsets[largest(result) + 1 :] -= 1
    return published(result, offsets=offsets, **{n: getattr(p, n)[keep] for n in CELL})


@tampering("uncovered sample")
def a_published_sample_moved_east(fs, result):
    return moved(result, "x_m", 30_000.0)


@tampering("uncovered sample")
def a_published_sample_moved_south(fs, result):
    return moved(result, "y_m", -30_000.0)


@tampering("uncovered sample")
def a_published_sample_moved_by_a_quarter_of_a_minute(fs, result):
    return moved(result, "t_min", 0.25)


@tampering("uncovered sample")
def two_people_exchanged(fs, result):
    group = np.array(result.group)
    a, b = result.members(0)[0], result.members(1)[0]
    group[[a, b]] = group[[b, a]]
    return replace(result, group=group)


@tampering("group size")
def a_group_of_k_minus_1(fs, result):
    group = np.array(result.group)
    group[result.members(0)[0]] = -1
    return replace(result, group=group)


@tampering("missing user")
def a_person_who_is_missing(fs, result):
    group = np.array(result.group)
    group[result.members(0)[0]] = -1
    return replace(result, group=group)


@tampering("missing user")
def fewer_people_than_the_original_has(fs, result):
    return replace(result, group=result.group[:-1])


@tampering("unknown group")
def a_group_of_which_nothing_is_published(fs, result):
    group = np.array(result.group)
    group[0] = 10_000
    return replace(result, group=group)


@tampering("group size")
def users_stated_that_are_not_there(fs, result):
    return published(result, n_users=result.published.n_users + 1)


@tampering("overlap")
def samples_that_overlap_in_time(fs, result):
    p, g = result.published, largest(result)
    longer = np.array(p.dt_min)
    at = p.offsets[g]
    longer[at] = p.t_min[at + 1] - p.t_min[at] + 0.5
    return published(result, dt_min=longer)


@tampering("negative extent")
def a_sample_that_ends_before_it_begins(fs, result):
    values = np.array(result.published.dt_min)
    values[0] = -1.0
    return published(result, dt_min=values)


@tampering("negative extent")
def a_sample_of_negative_width(fs, result):
    values = np.array(result.published.dx_m)
    values[0] = -1.0
    return published(result, dx_m=values)


@tampering("not a number")
def a_bound_that_is_no_number(fs, result):
    values = np.array(result.published.x_m)
    values[0] = np.nan
    return published(result, x_m=values)


@tampering("uncovered sample")
def left_out_and_not_listed(fs, result):
    return replace(result, suppressed=result.suppressed.iloc[1:])


@tampering("left out though published")
def listed_as_left_out_though_published(fs, result):
    row = {"user": [int(fs.sample_user[kept(fs, result)])], "sample": [kept(fs, result)]}
    extra = pd.DataFrame(row | {"reason": ["space"]})
    return replace(result, suppressed=pd.concat([result.suppressed, extra], ignore_index=True))


def kept(fs, result):
    """A sample that is published."""
    return int(np.flatnonzero(~np.isin(np.arange(fs.n_samples), result.suppressed["sample"]))[0])


def everything(fs):
    rows = {"user": fs.sample_user, "sample": np.arange(fs.n_samples)}
    return pd.DataFrame(rows | {"reason": "space"})


@tampering("left out though published")
def everything_listed_as_left_out(fs, result):
    return replace(result, suppressed=everything(fs))


@tampering("people with a sample")
def people_without_a_sample_counted(fs, result):
    return replace(result, suppressed=everything(fs))


@tampering("unknown suppressed sample")
def a_sample_listed_that_there_is_not(fs, result):
    extra = pd.DataFrame({"user": [0], "sample": [fs.n_samples], "reason": ["space"]})
    return replace(result, suppressed=pd.concat([result.suppressed, extra], ignore_index=True))


@tampering("unknown suppressed sample")
def a_sample_listed_as_somebody_elses(fs, result):
    listed = result.suppressed.copy()
    listed["user"] = (listed["user"] + 1) % fs.n_users
    return replace(result, suppressed=listed)


@tampering("listed twice")
def a_sample_listed_twice(fs, result):
    listed = pd.concat([result.suppressed, result.suppressed.iloc[:1]], ignore_index=True)
    return replace(result, suppressed=listed)


@tampering("reason")
def a_reason_that_is_none(fs, result):
    return replace(result, suppressed=result.suppressed.assign(reason="at random"))


@tampering("pseudonym")
def pseudonyms_reversed(fs, result):
    return replace(result, number=result.number[::-1])


@tampering("pseudonym")
def two_pseudonyms_swapped(fs, result):
    number = np.array(result.number)
    number[[3, 4]] = number[[4, 3]]
    return replace(result, number=number)


@tampering("digest")
def another_data_sets_digest(fs, result):
    return replace(result, digest=fs.subset(np.arange(30)).digest)


@tampering("projection")
def another_projection(fs, result):
    return published(result, crs=fs.crs.replace("lat_0=", "lat_0=1"))


@tampering("projection")
def the_projection_lost(fs, result):
    return published(result, crs=None)


@tampering("clock")
def the_clock_lost(fs, result):
    return published(result, clock=None)


@tampering("clock")
def another_time_zone(fs, result):
    return published(result, clock=LocalClock(fs.clock.epoch, "Asia/Tokyo"))


@tampering("clock")
def another_first_day(fs, result):
    return published(
        result, clock=LocalClock(fs.clock.epoch + pd.Timedelta(days=1), fs.clock.timezone)
    )


@tampering("limit")
def samples_wider_than_the_limit_stated(fs, result):
    return replace(result, suppress_space_m=5_000.0)


@tampering("limit")
def samples_longer_than_the_limit_stated(fs, result):
    return replace(result, suppress_time_min=30.0)


@tampering("sample of too few", of="whole")
def samples_of_one_person_under_limits(fs, result):
    """What GLOVE publishes without limits, said to keep wide ones."""
    return replace(result, suppress_space_m=1e7)


@tampering("phantom share", of="whole")
def a_smaller_phantom_share_stated(fs, result):
    assert result.phantom_share > 0.001
    return replace(result, phantom_share=result.phantom_share - 0.001)


@tampering("accuracy")
def a_better_accuracy_stated(fs, result):
    return replace(result, accuracy=result.accuracy.assign(space_m=100.0))


@tampering("accuracy")
def no_accuracy_stated(fs, result):
    return replace(result, accuracy=result.accuracy.iloc[:10])


@tampering("weight")
def heavier_people(fs, result):
    return replace(result, weight=result.weight * 2)


@tampering("granularity")
def another_granularity(fs, result):
    return published(result, granularity_min=60.0)


@tampering("stated k")
def made_for_a_smaller_k(fs, result):
    return replace(result, k=1)


@tampering("reason")
def limits_no_longer_stated(fs, result):
    return replace(result, suppress_space_m=None, suppress_time_min=None)


@tampering("reason")
def limits_stated_far_wider(fs, result):
    return replace(result, suppress_space_m=1e9, suppress_time_min=1e9)


@tampering("limit")
def a_limit_that_is_no_number(fs, result):
    return replace(result, suppress_space_m=np.nan)


@tampering("reason")
def every_reason_made_left_over(fs, result):
    return replace(result, suppressed=result.suppressed.assign(reason="left over"))


@tampering("reason")
def reasons_without_limits(fs, result):
    plain = replace(result, suppress_space_m=None, suppress_time_min=None)
    return replace(plain, suppressed=result.suppressed.assign(reason="fewer than k"))


@tampering("reason")
def reasons_left_out(fs, result):
    return replace(result, suppressed=result.suppressed.drop(columns="reason"))


@tampering("left over")
def left_over_users_in_another_way(fs, result):
    return replace(result, leftover="forgotten")


@tampering("left over")
def a_stranger_left_over(fs, result):
    return replace(result, left_over=np.array([9_999]))


@tampering("group size")
def stated_for_a_larger_k(fs, result):
    return replace(result, k=50)


@tampering("people with a sample")
def a_record_for_someone_with_nothing_left(fs, result):
    someone = int(result.members(0)[0])
    rows = np.arange(*fs.offsets[someone : someone + 2])
    theirs = pd.DataFrame({"user": someone, "sample": rows, "reason": "fewer than k"})
    listed = pd.concat([result.suppressed, theirs]).drop_duplicates("sample")
    return replace(result, suppressed=listed)


@pytest.mark.parametrize(("alter", "kind", "how"), TAMPERINGS)
def test_tampering_is_caught(fs, result, whole, alter, kind, how):
    given = whole if how.get("of") == "whole" else result
    altered = alter(fs, given)
    verdict = verify_k_anonymity(fs, altered, 2)
    assert not verdict.passed
    assert kind in verdict.counts
    assert kind in set(verdict.violations["kind"])
    assert str(verdict).startswith("NOT verified")


@pytest.mark.parametrize(
    ("k", "options"),
    [
        (2, {}),
        (5, {}),
        (2, {"suppress_space_m": 15_000.0, "suppress_time_min": 360.0}),
        (5, {"suppress_space_m": 15_000.0, "suppress_time_min": 360.0}),
        (2, {"suppress_time_min": 60.0}),
        (3, {"suppress_space_m": 5_000.0}),
        (7, {"leftover": "suppress"}),
        (7, {"leftover": "suppress", "suppress_space_m": 20_000.0}),
    ],
)
def test_the_untouched_result_passes(fs, k, options):
    result = glove(fs, k, **options)
    verdict = verify_k_anonymity(fs, result, k)
    assert verdict.passed, verdict.counts
    assert (verdict.users, verdict.samples) == (fs.n_users, fs.n_samples)
    assert verdict.groups == result.published.n_groups
    assert verify_k_anonymity(fs, result, k + 20).passed is False


def test_a_person_without_a_sample_does_not_count():
    """Two people at one minute, 9 km apart. What was published until now: the cell of one of them.

    The cell holds one person's sample; the other's is listed; the group has one person with one.
    """
    fs = FingerprintSet.from_samples([0, 1], [0, 9_000], [0, 0], [0, 0])
    result = glove(fs, 2)
    narrow = replace(
        result,
        published=replace(result.published, x_m=np.array([9_000.0]), dx_m=np.array([100.0])),
        suppressed=pd.DataFrame({"user": [0], "sample": [0], "reason": ["space"]}),
        suppress_space_m=1_000.0,
    )
    found = set(verify_k_anonymity(fs, narrow, 2).counts)
    assert {"people with a sample", "sample of too few"} <= found
    assert not found & {"group size", "k-gap", "uncovered sample", "limit"}


def test_a_table_that_names_people_is_refused(fs, result):
    table = result.to_frame()
    assert verify_k_anonymity(fs, table, 2, suppressed=result.suppressed).passed
    names = dict(zip(table["pseudonym"].unique(), map(str, fs.user_ids), strict=False))
    for named, kind in (
        (table.assign(pseudonym=table["pseudonym"].map(names)), "pseudonym"),
        (table.assign(user_id="somebody"), "columns"),
    ):
        assert kind in verify_k_anonymity(fs, named, 2, suppressed=result.suppressed).counts
