"""People hidden shard by shard: each as by itself, everyone one of k, and no trace of shards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.anonymize.hiding import LEAST_CROWDS, shards_of
from fpanon_core.engines import local
from fpanon_core.model.glove import REASONS

METHODS = {"glove": fp.glove, "aligned": fp.aligned}


def people(n=80, each=8, seed=0, order=None):
    """People about two towns; in another order of rows, if one is given."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, each + 1, n)
    home = rng.integers(0, 2, n) * 60_000 + rng.normal(0, 3_000, n)
    user = np.repeat(np.arange(n), lengths)
    x = home[user] + rng.normal(0, 2_000, len(user))
    y = rng.normal(0, 4_000, len(user))
    t = rng.integers(0, 4 * 1440, len(user))
    if order is not None:
        rows = np.concatenate([np.flatnonzero(user == u) for u in order])
        user, x, y, t = user[rows], x[rows], y[rows], t[rows]
    return fp.FingerprintSet.from_samples([f"ID-{u}" for u in user], x, y, t)


def records(result):
    """What is published, as a bag: each group's number of people and its cells."""
    p = result.published
    cells = np.column_stack([p.t_min, p.dt_min, p.x_m, p.dx_m, p.y_m, p.dy_m])
    return sorted((int(p.n_users[g]), cells[p.rows_of(g)].tolist()) for g in range(p.n_groups))


def crowds_of(result, rows=None):
    """Who is published together, as sets of row numbers, of a whole or of some of its rows."""
    rows = np.arange(result.n_users) if rows is None else rows
    return {frozenset(rows[result.members(g)].tolist()) for g in range(result.published.n_groups)}


# --- the cut -------------------------------------------------------------------------------------


def test_neighbours_are_in_one_shard():
    """By hand. Centres at 0, 1, 50, 51, 100 and 101 km, of three shards two each."""
    east = [100_000, 0, 51_000, 1_000, 101_000, 50_000]
    fs = fp.FingerprintSet.from_samples(range(6), east, [0] * 6, [0] * 6)
    assert [rows.tolist() for rows in shards_of(fs, 3)] == [[1, 3], [2, 5], [0, 4]]


def test_who_travels_far_is_with_others_who_do():
    """Four stay within a kilometre of one place, two are met 200 km to either side of it."""
    user = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    far = 200_000
    x = [0, 100, -far, far, 200, 300, 400, 500, -far, far, 600, 700]
    fs = fp.FingerprintSet.from_samples(user, x, [0] * 12, [0, 5] * 6)
    found = [rows.tolist() for rows in shards_of(fs, 3)]
    assert [0, 2, 3, 5] in found or [1, 4] in found


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 2**32 - 1), st.booleans())
def test_everybody_is_in_one_shard_and_all_are_as_large(n, shards, seed, one_place):
    shards = min(shards, n)
    rng = np.random.default_rng(seed)
    x, y = np.zeros((2, n)) if one_place else rng.integers(0, 50, (2, n)) * 100.0
    fs = fp.FingerprintSet.from_samples(np.arange(n), x, y, rng.integers(0, 99, n))
    found = shards_of(fs, shards)
    assert len(found) == shards
    assert sorted(np.concatenate(found).tolist()) == list(range(n))
    assert all((np.diff(rows) > 0).all() for rows in found)
    sizes = [len(rows) for rows in found]
    assert min(sizes) >= n // shards - 1
    assert max(sizes) <= -(-n // shards) + 1


# --- hiding --------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(sorted(METHODS)),
    st.integers(2, 3),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["merge", "suppress"]),
    st.sampled_from([0.0, 0.1]),
    st.booleans(),
)
def test_each_shard_is_as_by_itself(method, k, shards, seed, leftover, leave_out, limited):
    """The oracle hides every shard as data of its own, and puts the results together by hand."""
    hide = METHODS[method]
    fs = people(n=LEAST_CROWDS * k * shards + seed % 7, seed=seed)
    limits = (12_000.0, 900.0) if limited else (None, None)
    names = ("suppress_space_m", "suppress_time_min")
    if method == "aligned":
        names = ("max_side_m", "max_span_min")
    given_ = {"leftover": leftover, "leave_out": leave_out, **dict(zip(names, limits, strict=True))}
    whole = hide(fs, k, shards=shards, **given_)
    made = [(rows, hide(fs.subset(rows), k, **given_)) for rows in shards_of(fs, shards)]
    last = np.sort(np.concatenate([rows[alone.left_over] for rows, alone in made]))
    if leftover == "suppress" and len(last) >= k:
        # The last of all shards, k or more together, are hidden as one more shard.
        made.append((last, hide(fs.subset(last), k, **given_ | {"leave_out": 0.0})))
        last = last[made[-1][1].left_over]
    crowds, bag, gone, left_out = set(), [], {}, []
    for rows, alone in made:
        crowds |= crowds_of(alone, rows)
        bag += records(alone)
        left_out += rows[alone.left_out].tolist()
        samples = np.concatenate([np.arange(*fs.offsets[u : u + 2]) for u in rows])
        gone = {s: why for s, why in gone.items() if s not in samples}  # the last may be published
        gone |= zip(samples[alone.suppressed["sample"]], alone.suppressed["reason"], strict=True)
    assert whole.left_over.tolist() == last.tolist()
    assert crowds_of(whole) == crowds
    assert records(whole) == sorted(bag)
    assert dict(zip(whole.suppressed["sample"], whole.suppressed["reason"], strict=True)) == gone
    assert set(gone.values()) <= set(REASONS)
    # What must always hold, by whoever shares no code with it.
    assert fp.verify_k_anonymity(fs, whole, k).passed
    assert whole.published.n_users.min(initial=k) >= k
    assert len(whole.left_out) <= leave_out * fs.n_users
    assert whole.left_out.tolist() == sorted(left_out)
    assert (whole.k, whole.method, whole.digest) == (k, method, fs.digest)
    assert (whole.suppress_space_m, whole.suppress_time_min) == limits


@pytest.mark.parametrize("method", METHODS)
def test_numbers_of_groups_tell_of_no_shard(method):
    """They follow the smallest row number, as of all at once."""
    whole = METHODS[method](people(), 2, shards=4)
    first = [int(whole.members(g)[0]) for g in range(whole.published.n_groups)]
    assert first == sorted(first)


def test_who_is_in_a_shard_does_not_depend_on_the_order_of_rows():
    fs = people(seed=3)
    order = np.random.default_rng(4).permutation(fs.n_users)
    other = people(seed=3, order=order)
    ids = {frozenset(fs.user_ids[rows].tolist()) for rows in shards_of(fs, 7)}
    assert {frozenset(other.user_ids[rows].tolist()) for rows in shards_of(other, 7)} == ids


@pytest.mark.parametrize("method", METHODS)
def test_shards_of_periods_are_as_many_as_their_people_suffice_for(method):
    fs = people(n=120, each=5)
    cut = fp.into_periods(fs, 2, seed=0)
    result = METHODS[method](cut, 2, shards=3)
    assert fp.verify_k_anonymity(cut, result, 2).passed
    assert result.period_days == 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("workers", [1, 2, 50])
def test_short_periods_are_hidden_beside_each_other_as_one_by_one(method, workers):
    cut = fp.into_periods(people(n=60, each=6), 1, seed=0)
    assert len(set(cut.period.tolist())) > 2
    one_by_one = METHODS[method](cut, 2, shards=1)  # the number of shards is asked of each
    found = METHODS[method](cut, 2, engine=fp.LocalEngine(workers))
    assert found.group.tolist() == one_by_one.group.tolist()
    assert found.accuracy.equals(one_by_one.accuracy)
    assert found.shards == one_by_one.shards == 1


@pytest.mark.parametrize("method", METHODS)
def test_periods_beside_each_other_can_be_cancelled(method, monkeypatch):
    """Those at work end at their next step: none waits for the last."""
    monkeypatch.setattr(local, "_REPORT_S", 0.001)
    told = []

    def stop(share):
        told.append(share)
        if len(told) > 1:
            raise fp.Cancelled

    cut = fp.into_periods(people(n=60, each=6), 1, seed=0)
    with pytest.raises(fp.Cancelled):
        METHODS[method](cut, 2, engine=fp.LocalEngine(2), progress=stop)
    assert len(told) == 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shards", [0, -1, 2.5, True, 5])
def test_shards_too_small_or_none_at_all_are_refused(method, shards):
    with pytest.raises(fp.ConfigError, match="shards"):
        METHODS[method](people(n=80), 2, shards=shards)


def test_the_loss_hardly_rises():
    """1,200 generated people in 3 shards: the price of borders, measured, is a few percent."""
    fs, _ = fp.read_cdr(fp.generate_cdr(1_200, days=3, seed=1), timezone="UTC")
    whole, parts = fp.mean_loss(fp.aligned(fs, 2)), fp.mean_loss(fp.aligned(fs, 2, shards=3))
    assert whole <= parts * 1.02
    assert parts <= whole * 1.1
