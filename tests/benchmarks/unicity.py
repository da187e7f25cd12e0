"""Unicity of a million people. Fingerprints are made as arrays.

A person has a home, a workplace and a third place among the antennas of a square region; the time
is uniform over a fortnight. That is enough to give bins a realistic spread of popularity.
"""

from functools import partial

import numpy as np

import fpanon_core as fp
from tests.benchmarks.measured import costs, timed

_MINUTES = 14 * 1440
_AT_ONCE = 50_000  # users made at a time: the arrays of all are large enough


def made(n_users, bins):
    """Exactly ``bins`` samples each: distinct minutes, sorted, by steps that are never 0."""
    size = n_users * bins
    x, y, t = (np.empty(size) for _ in range(3))
    for first in range(0, n_users, _AT_ONCE):
        rng = np.random.default_rng(first)
        many = min(_AT_ONCE, n_users - first)
        part = slice(first * bins, (first + many) * bins)
        places = np.sqrt(rng.random((many, 3, 2)) * rng.random((many, 3, 2)))  # denser inside
        which = rng.choice(3, (many, bins), p=[0.5, 0.35, 0.15])
        at = np.floor(places[np.arange(many)[:, None], which] * 500) * 100
        x[part], y[part] = at[..., 0].ravel(), at[..., 1].ravel()
        steps = rng.integers(1, 2 * _MINUTES // bins - 1, (many, bins), dtype=np.int32)
        t[part] = np.cumsum(steps, axis=1).ravel()
    return fp.FingerprintSet(
        user_ids=np.arange(n_users),
        offsets=np.arange(n_users + 1) * bins,
        x_m=x,
        y_m=y,
        t_min=t,
        dx_m=np.full(size, 100.0),
        dy_m=np.full(size, 100.0),
        dt_min=np.ones(size),
        count=np.ones(size, np.int64),
    )


def _one(n_users, bins=100, p=4):
    fp.unicity(made(100, bins), p)  # compiles
    fs = made(n_users, bins)
    result, took = costs(fp.unicity, fs, p)
    again = fp.unicity(fs, p, seed=1)
    return took | {
        "users": n_users,
        "samples a user": bins,
        "p": p,
        "targets": result.n_targets,
        "of it draws, s": round(timed(fp.draw_knowledge, fs, p)[1], 2),
        "unicity": round(result.value, 3),
        "with another seed": round(again.value, 3),
    }


CASES = {f"unicity_{n}": partial(_one, n) for n in (100_000, 1_000_000)}
