"""Hypothesis strategies for fingerprint sets, and their form for the oracles."""

import numpy as np
from hypothesis import strategies as st

from fpanon_core.anonymize.crowding import boxes_of
from fpanon_core.kernels.aligned_blocks import bench_for, loss_of
from fpanon_core.model.fingerprints import FingerprintSet

_FIELDS = ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")


def of_cells(user, x, y, t, dx=100.0, dy=100.0, dt=1.0, **more):
    """Samples as they are given, of users 0, 1, …; in the order given within each."""
    user = np.asarray(user)
    columns = np.broadcast_arrays(user, x, y, t, dx, dy, dt)
    order = np.argsort(user, kind="stable")
    cells = (np.array(column, float)[order] for column in columns[1:])
    n = int(user.max()) + 1
    return FingerprintSet(
        user_ids=np.arange(n),
        offsets=np.searchsorted(user[order], np.arange(n + 1)),
        count=np.ones(len(user), np.int64),
        **dict(zip(_FIELDS, cells, strict=True)),
        **more,
    )


def losses_of(fs, groups, config):
    """The loss of hiding each group in its optimal blocks, summed over its samples."""
    rows = boxes_of(fs, config)
    return np.array(
        [loss_of(rows, g, len(g), np.inf, bench_for(rows, len(g))) for g in map(np.asarray, groups)]
    )


def as_lists(fs):
    """Each fingerprint as a list of (x, y, t, dx, dy, dt)."""
    rows = np.column_stack([getattr(fs, name) for name in _FIELDS])
    return [
        [tuple(map(float, row)) for row in rows[fs.offsets[u] : fs.offsets[u + 1]]]
        for u in range(fs.n_users)
    ]


def check_bins(fs, out, x, y, minutes):
    """Of each user one sample for each distinct (window, x, y), in order, with all the events."""
    bins = list(zip(fs.t_min // minutes * minutes, x, y, strict=True))
    for u in range(fs.n_users):
        mine, new = fs.rows_of(u), out.rows_of(u)
        published = list(zip(out.t_min[new], out.x_m[new], out.y_m[new], strict=True))
        assert published == sorted(set(bins[mine]))
        assert out.count[new].sum() == fs.count[mine].sum()


@st.composite
def events(draw, min_users=2, max_users=14, max_samples=60):
    """From a seed: lengths equal or mixed, near or far, minutes or a year, some users copied."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(min_users, max_users))
    longest = draw(st.sampled_from([1, 2, 8, max_samples]))
    lengths = rng.integers(1, longest + 1, n)
    if draw(st.booleans()):
        lengths[:] = longest
    user = np.repeat(np.arange(n), lengths)
    size = len(user)
    span_m = draw(st.sampled_from([1.0, 500.0, 20_000.0, 300_000.0]))
    span_min = draw(st.sampled_from([1.0, 600.0, 20_160.0, 525_600.0]))
    x, y = rng.uniform(-span_m, span_m, (2, size))
    t = rng.uniform(0, span_min, size)
    copies = draw(st.integers(0, n - 1))
    for source, target in zip(rng.integers(0, n, copies), rng.integers(0, n, copies), strict=True):
        keep = user != target
        rows = np.flatnonzero(user == source)
        if source == target:
            continue
        user = np.concatenate([user[keep], np.full(len(rows), target)])
        x, y, t = (np.concatenate([v[keep], v[rows]]) for v in (x, y, t))
    return FingerprintSet.from_samples(user, x, y, t)


@st.composite
def boxes(draw, max_users=10, max_samples=20):
    """Cells of unequal extents, fingerprints that stand for several users."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, max_users))
    lengths = rng.integers(1, draw(st.sampled_from([1, 5, max_samples])) + 1, n)
    size = int(lengths.sum())
    user = np.repeat(np.arange(n), lengths)
    span_m = draw(st.sampled_from([500.0, 30_000.0]))
    span_min = draw(st.sampled_from([200.0, 20_160.0]))
    x, y = np.floor(rng.uniform(0, span_m, (2, size)) / 100) * 100
    t = np.floor(rng.uniform(0, span_min, size))
    dx, dy = rng.integers(1, 80, (2, size)) * 100.0
    dt = rng.integers(1, 300, size).astype(float)
    order = np.lexsort((dt, dy, dx, y, x, t, user))  # as the program orders cells of one corner
    cells = (column[order] for column in (x, y, t, dx, dy, dt))
    return of_cells(user, *cells, weight=rng.integers(1, 5, n))


@st.composite
def crowds(draw, max_users=150):
    """Many users with few samples: dense or sparse, some or most identical, some of one sample."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, max_users))
    lengths = rng.integers(1, draw(st.sampled_from([1, 2, 6, 12])) + 1, n)
    user = np.repeat(np.arange(n), lengths)
    span_m = draw(st.sampled_from([300.0, 3_000.0, 60_000.0]))
    span_min = draw(st.sampled_from([5.0, 300.0, 10_080.0]))
    x, y = rng.uniform(0, span_m, (2, len(user)))
    t = rng.uniform(0, span_min, len(user))
    # Copies of users at random: "source" stands in for whoever drew them.
    share = draw(st.sampled_from([0.0, 0.3, 0.9]))
    source = np.where(rng.random(n) < share, rng.integers(0, max(1, n // 4), n), np.arange(n))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    rows = [np.arange(starts[s], starts[s + 1]) for s in source]
    user = np.repeat(np.arange(n), [len(r) for r in rows])
    rows = np.concatenate(rows)
    return FingerprintSet.from_samples(user, x[rows], y[rows], t[rows])
