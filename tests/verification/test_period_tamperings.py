"""Releases in periods, tampered with so that a person's records are linked or a crowd is none."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.anonymize.chain import release
from fpanon_core.studies.publishing import publish
from fpanon_core.verification.release import verify_release
from tests.support.releases import LETTERS, members_of, restated, zipped

K = 3


@pytest.fixture(scope="module")
def made(fs, tmp_path_factory):
    """A release in days, with limits, so that something is left out; its key and its list."""
    cut = fp.into_periods(fs, 1)
    result = fp.glove(cut, K, suppress_space_m=25_000.0, suppress_time_min=720.0)
    folder = tmp_path_factory.mktemp("made")
    path = publish(
        result, folder / "out", key=folder / "key.csv", left_out=folder / "left.csv", original=fs
    )
    key, left = pd.read_csv(folder / "key.csv"), pd.read_csv(folder / "left.csv")
    return members_of(path), key, left


def found(fs, made, alter=None, facts=None, **more):
    """What is found of a release with other rows, under the right hash; its counts fit them."""
    members, key, left = made
    return verdict_of(fs, members, alter, facts, **({"key": key, "left_out": left} | more)).counts


def verdict_of(fs, members, alter=None, facts=None, k=K, **options):
    rows = pd.read_csv(io.BytesIO(members["data.csv"]), dtype=str)
    data = (alter(rows) if alter else rows).to_csv(index=False, lineterminator="\n").encode()
    return verify_release(zipped(restated(members, data, facts)), fs, k, **options)


def in_order_of(rows, names):
    """The records, rows together, in the order of their names in a list."""
    at = {name: i for i, name in enumerate(names)}
    return rows.iloc[np.argsort(rows["pseudonym"].map(at), kind="stable")].reset_index(drop=True)


def test_the_untouched_release_passes(fs, made):
    members, key, left = made
    plain = dict(zip(key["pseudonym"], key["user_id"], strict=True))  # read by the records
    for whose in ({"key": key}, {"key": key, "left_out": left}, {"left_out": left}):
        verdict = verdict_of(fs, members, **whose)
        assert verdict.passed, verdict.violations
        assert (verdict.users, verdict.period_days) == (fs.n_users, 1)
    assert verdict_of(fs, members, key=plain, left_out=left).passed


def test_one_pseudonym_for_two_periods(fs, made):
    _, key, _ = made
    of = key.sort_values("period").groupby("user_id")["pseudonym"].agg(list)
    one, other = of[of.map(len) > 1].iloc[0][:2]

    def alter(rows):
        rows["pseudonym"] = rows["pseudonym"].replace(other, one)
        return in_order_of(rows, list(dict.fromkeys(rows["pseudonym"])))

    assert {"period", "counts"} <= found(fs, made, alter).keys()
    assert "period" in found(fs, made, alter, key=None)


def test_one_group_number_for_two_periods(fs, made):
    """The numbers of one day's groups used again on the next."""

    def alter(rows):
        group = rows["group"].astype(int)
        day = pd.to_datetime(rows["start"].str[:10])
        rank = group.groupby(day).rank(method="dense").astype(int)
        return rows.assign(group=rank)

    assert "period" in found(fs, made, alter)


def test_an_order_kept_over_all_periods_links_a_persons_records(fs, made):
    """Of the rows, or of the names: random, and so not the input's; but the same one every day."""
    _, key, _ = made
    rng = np.random.default_rng(5)
    people = rng.permutation(key["user_id"].unique())
    at = key["user_id"].map({u: i for i, u in enumerate(people)})
    names = key.assign(at=at).sort_values(["period", "at"])["pseudonym"]
    assert found(fs, made, lambda rows: in_order_of(rows, names)) == {"order": 1}
    ends = ["".join(each) for each in rng.choice(list(LETTERS), (len(key), 12))]
    new = [f"{LETTERS[s // 32 % 32]}{LETTERS[s % 32]}QX{e}" for s, e in zip(at, ends, strict=True)]
    of = dict(zip(key["pseudonym"], new, strict=True))
    other = key.assign(pseudonym=new)
    again = found(fs, made, lambda r: r.assign(pseudonym=r["pseudonym"].map(of)), key=other)
    assert "order" in again


@pytest.mark.parametrize("keyed", [True, False])
def test_group_numbers_that_follow_from_period_to_period(tmp_path, keyed):
    """Forty families of three, two days: each has, on both, its place in one random list."""
    user = np.tile(np.arange(120), 2)
    family, day = user // 3, np.repeat([0, 1], 120)
    fs = fp.FingerprintSet.from_samples(
        user + 1_000, family * 2_000.0, user * 0.0, 600.0 + 1_440 * day + user % 3
    )
    result = fp.aligned(fp.into_periods(fs, 1), K)
    path = publish(result, tmp_path / "made", key=tmp_path / "key.csv")
    members = members_of(path)
    rows = pd.read_csv(path / "data.csv", dtype=str)
    place = np.random.default_rng(7).permutation(40)
    at = pd.to_numeric(rows["x_min_m"]).div(2_000).astype(int).map(lambda f: place[f])
    number = at + 1 + 40 * (pd.to_numeric(rows["start"]) > 1_440)
    more = {"key": tmp_path / "key.csv"} if keyed else {}
    assert verify_release(path, fs, K, **more).passed
    again = verdict_of(fs, members, lambda rows: rows.assign(group=number), **more)
    assert set(again.counts) == {"order"}


@pytest.mark.parametrize(
    "facts",
    [
        *({"period_days": days} for days in (2, None, 0, True, "1", 10**9)),
        *({"periods": 1}, {"pseudonyms": 5}, {"people": 1}, {"people_left_out": 3}),
    ],
    ids=str,
)
def test_other_periods_stated(fs, made, facts):
    assert found(fs, made, facts=facts)


def test_more_left_out_of_a_period_than_is_stated(fs, tmp_path):
    result = fp.aligned(fp.into_periods(fs, 1), K, leave_out=0.1)
    key, lost = tmp_path / "key.csv", tmp_path / "lost.csv"
    path = publish(result, tmp_path / "made", key=key, left_out=lost, original=fs)
    assert verify_release(path, fs, K, key=key, left_out=lost).passed
    assert verify_release(path, fs, K).passed
    beyond = verify_release(path, fs, K + 1)
    assert not beyond.passed
    assert beyond.violations["user"].max() < fs.n_users
    page = " ".join((path / "README.md").read_text().split())
    assert "10% of the people, those hardest to hide, are left out of each period" in page
    members = members_of(path)
    steps = json.loads(members["datapackage.json"])["fpanon"]["steps"]
    for share in (0.0, 0.05):
        less = {"steps": [*steps[:-1], steps[-1] | {"leave_out": share}]}
        verdict = verdict_of(fs, members, facts=less, key=key, left_out=lost)
        told = "More people are left out of a period than the stated techniques leave out."
        assert told in set(verdict.violations["text"])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda key: key.assign(period=key["period"].map({0: 1, 1: 0}).fillna(key["period"])),
        lambda key: key.assign(user_id=key["user_id"].to_numpy()[::-1]),
        lambda key: key.assign(pseudonym=[key["pseudonym"][1], *key["pseudonym"][1:]]),
    ],
    ids=["period", "swapped", "twice"],
)
def test_wrong_keys(fs, made, wrong):
    assert found(fs, made, key=wrong(made[1]))


def test_periods_alone_promise_no_crowd_and_are_checked(fs, tmp_path):
    made = release(fs, [fp.Periods(1)])
    path = publish(made, tmp_path / "out", key=tmp_path / "key.csv")
    assert verify_release(path, fs, None, key=tmp_path / "key.csv").passed
    assert not verify_release(path, fs, 2).passed
    key = pd.read_csv(tmp_path / "key.csv").sort_values(["period", "user_id"])
    again = verdict_of(
        fs, members_of(path), lambda rows: in_order_of(rows, key["pseudonym"]), k=None, key=key
    )
    assert "order" in again.counts
    said = " ".join([str(again), *again.violations["text"]])
    assert not any(str(user_id) in said for user_id in fs.user_ids)  # it names nobody
