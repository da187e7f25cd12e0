"""Tamperings with a result: each is caught, by its kind; the untouched result passes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fpanon_core.anonymize.glove import glove
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.verification.anonymity import verify_k_anonymity


def put(values, at, value):
    """The values with another at one place, or at some."""
    values = np.array(values)
    values[at] = value
    return values


def two_exchanged(result):
    a, b = result.members(0)[0], result.members(1)[0]
    return put(result.group, [a, b], result.group[[b, a]])


def one_without_group(result):
    return put(result.group, result.members(0)[0], -1)


def listed(result, user, sample, reason="space"):
    """One more sample that is listed as left out."""
    extra = pd.DataFrame({"user": [user], "sample": [sample], "reason": [reason]})
    return pd.concat([result.suppressed, extra], ignore_index=True)


def a_published_one_listed(result):
    samples = result.accuracy
    kept = samples[~samples["sample"].isin(result.suppressed["sample"])].iloc[0]
    return listed(result, int(kept["user"]), int(kept["sample"]))


def all_of_one_listed(result):
    theirs = result.accuracy.query("user == @result.members(0)[0]")[["user", "sample"]]
    more = pd.concat([result.suppressed, theirs.assign(reason="fewer than k")])
    return more.drop_duplicates("sample")


def everything(result):
    return result.accuracy[["user", "sample"]].assign(reason="space")


def as_somebody_elses(result):
    other = (result.suppressed["user"] + 1) % result.n_users
    return result.suppressed.assign(user=other)


def left_out(make):
    return {"suppressed": make}


def reasons(reason):
    return left_out(lambda r: r.suppressed.assign(reason=reason))


def elsewhere(result):
    return result.published.crs.replace("lat_0=", "lat_0=1")


def clock(other):
    return {"published.clock": lambda r: replace(r.published.clock, **other(r.published.clock))}


NO_LIMITS = {"suppress_space_m": None, "suppress_time_min": None}
# What is altered, the kind of fault that it must lead to, and what is said instead. Records that
# do not hold are in test_release_tamperings.
TAMPERINGS = [
    ("two people exchanged", "uncovered sample", {"group": two_exchanged}),
    ("a group of k − 1", "group size", {"group": one_without_group}),
    ("a person who is missing", "missing user", {"group": one_without_group}),
    ("fewer people than the original", "missing user", {"group": lambda r: r.group[:-1]}),
    ("a group without a record", "unknown group", {"group": lambda r: put(r.group, 0, 10_000)}),
    ("users not there", "group size", {"published.n_users": lambda r: r.published.n_users + 1}),
    ("left out and not listed", "uncovered sample", left_out(lambda r: r.suppressed.iloc[1:])),
    ("one listed though published", "left out though published", left_out(a_published_one_listed)),
    ("nobody with a sample", "people with a sample", left_out(everything)),
    ("no such sample", "unknown suppressed sample", left_out(lambda r: listed(r, 0, 10**6))),
    ("samples of others listed", "unknown suppressed sample", left_out(as_somebody_elses)),
    ("one listed twice", "listed twice", left_out(lambda r: listed(r, *r.suppressed.iloc[0]))),
    ("a reason that is none", "reason", reasons("at random")),
    ("pseudonyms reversed", "pseudonym", {"number": lambda r: r.number[::-1]}),
    ("another data set's digest", "digest", {"digest": lambda r: r.digest[::-1]}),
    ("another projection", "projection", {"published.crs": elsewhere}),
    ("another time zone", "clock", clock(lambda _: {"timezone": "Asia/Tokyo"})),
    ("another first day", "clock", clock(lambda c: {"epoch": c.epoch + pd.Timedelta(days=1)})),
    ("samples wider than the limit", "limit", {"suppress_space_m": 5_000.0}),
    ("samples longer than the limit", "limit", {"suppress_time_min": 30.0}),
    ("a better accuracy", "accuracy", {"accuracy": lambda r: r.accuracy.assign(space_m=100.0)}),
    ("no accuracy", "accuracy", {"accuracy": lambda r: r.accuracy.iloc[:10]}),
    ("heavier people", "weight", {"weight": lambda r: r.weight * 2}),
    ("another granularity", "granularity", {"published.granularity_min": 60.0}),
    ("made for a smaller k", "stated k", {"k": 1}),
    ("limits no longer stated", "reason", NO_LIMITS),
    ("limits far wider", "reason", {"suppress_space_m": 1e9, "suppress_time_min": 1e9}),
    ("a limit that is no number", "limit", {"suppress_space_m": np.nan}),
    ("every reason made left over", "reason", reasons("left over")),
    ("reasons without limits", "reason", NO_LIMITS | reasons("fewer than k")),
    ("reasons left out", "reason", left_out(lambda r: r.suppressed.drop(columns="reason"))),
    ("left over in another way", "left over", {"leftover": "forgotten"}),
    ("a stranger left over", "left over", {"left_over": np.array([9_999])}),
    ("stated for a larger k", "group size", {"k": 50}),
    ("a record without samples", "people with a sample", left_out(all_of_one_listed)),
]
OF_WHOLE = [
    # What GLOVE publishes without limits, said to keep wide ones.
    ("samples of one person under limits", "sample of too few", {"suppress_space_m": 1e7}),
    (
        "a smaller phantom share",
        "phantom share",
        {"phantom_share": lambda r: r.phantom_share - 0.001},
    ),
]


def altered(result, changes):
    """A result in which some of what it says, or of what it publishes, is something else."""
    for name, value in changes.items():
        *inside, name = name.split(".")
        change = {name: value(result) if callable(value) else value}
        changed = replace(result.published, **change) if inside else None
        result = replace(result, published=changed) if inside else replace(result, **change)
    return result


@pytest.mark.parametrize(
    ("of", "kind", "changes"),
    [
        pytest.param(of, *case, id=name)
        for of, some in (("result", TAMPERINGS), ("whole", OF_WHOLE))
        for name, *case in some
    ],
)
def test_tampering_is_caught(fs, of, kind, changes, request):
    verdict = verify_k_anonymity(fs, altered(request.getfixturevalue(of), changes), 2)
    assert not verdict.passed
    assert kind in verdict.counts
    assert kind in set(verdict.violations["kind"])
    assert str(verdict).startswith("NOT verified")


def test_the_untouched_result_passes(fs):
    """Others are verified where they are made: tests/anonymize/test_shards.py."""
    result = glove(fs, 5, suppress_space_m=15_000.0, suppress_time_min=360.0)
    verdict = verify_k_anonymity(fs, result, 5)
    assert verdict.passed, verdict.counts
    assert (verdict.users, verdict.samples) == (fs.n_users, fs.n_samples)
    assert verdict.groups == result.published.n_groups
    assert not verify_k_anonymity(fs, result, 25).passed


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
