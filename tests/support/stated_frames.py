"""People in and around nine stated squares of a kilometre, for tables and synthetic people."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import fpanon_core as fp

AREA = fp.StatedArea(0, 0, 3_000, 3_000, "metres")
FRAME = fp.FrameConfig(fp.StatedPeriod(None, 9), "grid", AREA, 1_000)
SAMPLES = st.lists(
    st.tuples(
        st.integers(1, 6), st.integers(-5, 34), st.integers(-5, 34), st.integers(-600, 14_000)
    ),
    min_size=1,
    max_size=60,
)


def people(rows: list[tuple[int, int, int, int]]) -> fp.FingerprintSet:
    user, x, y, t = np.array(rows).T
    return fp.FingerprintSet.from_samples(user, x * 100.0, y * 100.0, t.astype(float))


def crowd(n: int = 400, seed: int = 0) -> fp.FingerprintSet:
    rng = np.random.default_rng(seed)
    home = rng.integers(0, 30, (n, 2))
    user = np.repeat(np.arange(n), 30)
    at = np.where(rng.random((len(user), 1)) < 0.6, home[user], rng.integers(0, 30, (len(user), 2)))
    t = rng.integers(0, 9 * 1440, len(user))
    return fp.FingerprintSet.from_samples(user, at[:, 0] * 100.0, at[:, 1] * 100.0, t.astype(float))


KINDS = [0, 0, 0, 0, 0, 1, 1, 0, 0]  # nine days from a Monday


def area_of(x: float, y: float) -> int | None:
    """Of a point, in nine squares of a kilometre."""
    return int(y // 1000) * 3 + int(x // 1000) if 0 <= x < 3000 and 0 <= y < 3000 else None


def plain(fs: fp.FingerprintSet) -> list[list[tuple[float, float, float, int]]]:
    """People as the oracle takes them: middles of cells."""
    columns = (fs.x_m + 50).tolist(), (fs.y_m + 50).tolist(), fs.t_min.tolist(), fs.count.tolist()
    rows = list(zip(*columns, strict=True))
    return [rows[fs.offsets[user] : fs.offsets[user + 1]] for user in range(fs.n_users)]
