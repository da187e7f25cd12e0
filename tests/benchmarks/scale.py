"""Past what fits at once: people hidden shard by shard, up to a million, verified.

A million people are regions of 82,000 beside each other, each with a seed of its own, so that they
live as densely as in one; but for the last, which has the 16,000 that are missing.
"""

from functools import partial

import numpy as np

import fpanon_core as fp
from fpanon_core.model.arrays import CELL
from tests.benchmarks.measured import peak_gb, people, timed

REGION_USERS = 82_000
APART_M = 200_000.0  # regions are 120 km wide


def regions(n_users):
    """Fingerprints of so many people, region by region from west to east."""
    parts = []
    for number, first in enumerate(range(0, n_users, REGION_USERS)):
        parts.append(people(min(REGION_USERS, n_users - first), seed=1 + number))
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    moved = {
        "x_m": np.concatenate([p.x_m + number * APART_M for number, p in enumerate(parts)]),
        "offsets": np.cumsum(np.concatenate([[0], *(p.lengths for p in parts)])),
        "user_ids": np.arange(n_users),
        "weight": np.ones(n_users, np.int64),
        "number": np.arange(1, n_users + 1),
    }
    for name in (*CELL, "count"):
        if name != "x_m":
            moved[name] = np.concatenate([getattr(p, name) for p in parts])
    for name in ("granularity_m", "granularity_min", "clock", "crs"):
        moved[name] = getattr(first, name)
    return fp.FingerprintSet(**moved)


def _hidden(hide, n_users, shards, workers):
    few = people(120)
    fp.verify_k_anonymity(few, hide(few, 2), 2)  # compiles
    fs = regions(n_users)
    before = peak_gb()
    engine = fp.LocalEngine(workers)
    result, took, cpu_took = timed(hide, fs, 2, shards=shards, engine=engine)
    peak = peak_gb()
    figures = {
        "people": fs.n_users,
        "samples": fs.n_samples,
        "shards": shards or 1,
        "threads": workers or engine.workers,
        "clock, s": round(took, 1),
        "processor, s": round(cpu_took, 1),
        "before, GB": before,
        "peak, GB": peak,
        "loss (halves)": round(fp.mean_loss(result), 4),
        "smallest group": int(result.published.n_users.min()),
    }
    verdict, took, _ = timed(fp.verify_k_anonymity, fs, result, 2)
    figures |= {"verified": verdict.passed, "verifier, s": round(took, 1)}
    return figures | {"peak with it, GB": peak_gb()}


def _gap(n_users, share, workers):
    fs = regions(n_users)
    few = fs.subset(np.arange(120))
    fp.k_gap(few, 2)
    users = None
    if share < 1:
        users = np.sort(np.random.default_rng(0).permutation(n_users)[: int(share * n_users)])
    gap, took, cpu = timed(fp.k_gap, fs, 2, users=users, engine=fp.LocalEngine(workers))
    return {
        "people": n_users,
        "asked": len(gap.values),
        "clock, s": round(took, 1),
        "processor, s": round(cpu, 1),
        "peak, GB": peak_gb(),
        "median 2-gap": round(float(np.median(gap.values)), 5),
    }


CASES = (
    {
        f"scale_{hide.__name__}_{n}_{shards}": partial(_hidden, hide, n, shards, 2)
        for hide in (fp.aligned, fp.glove)
        for n, shards in ((82_000, 1), (82_000, 8), (82_000, 16), (82_000, 41), (1_000_000, 200))
    }
    | {"scale_kgap_300000": partial(_gap, 300_000, 1, 2)}
    | {"scale_kgap_1000000": partial(_gap, 1_000_000, 0.01, 2)}
)
