"""k-gap against the plain compiled double loop (plain.py), on the same data in the same run.

The pair rate of the plain loop is measured on a random part of the users, on one core and on all;
ours is all unordered pairs over the time of the whole run. Both count a pair once.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from fpanon_core import k_gap, read_cdr
from tests.benchmarks import plain
from tests.benchmarks.measured import peak_gb, people, timed

_SHARED = Path(__file__).parents[3] / "shared" / "data"


def _dense():
    fs, _ = read_cdr(_SHARED / "sf_cabs_20080608.csv.gz", timezone="America/Los_Angeles")
    return fs


def _case(load, k, plain_pairs=400_000):
    fs = load()
    k_gap(fs.subset(np.arange(min(fs.n_users, 100))), 2)  # compiles
    before = peak_gb()
    result, ours_s, _ = timed(k_gap, fs, k)
    peak = peak_gb()

    arrays = [np.array(a) for a in (fs.t_min, fs.x_m, fs.y_m, fs.offsets)]
    plain.k_gap(*arrays, k, [0])  # compiles
    n = fs.n_users
    many = min(n, max(8, plain_pairs // n))
    users = np.random.default_rng(0).choice(n, many, replace=False)
    expected, one_core_s, _ = timed(plain.k_gap, *arrays, k, users)
    cores = os.cpu_count() or 1
    parts = np.array_split(users, cores)
    with ThreadPoolExecutor(cores) as pool:
        all_cores_s = timed(lambda: list(pool.map(partial(plain.k_gap, *arrays, k), parts)))[1]

    rate = n * (n - 1) / 2 / ours_s
    # The plain loop computes each ordered pair; a pair counted once costs it once.
    one_core, all_cores = (len(users) * (n - 1) / s for s in (one_core_s, all_cores_s))
    return {
        "users": n,
        "samples a user": round(fs.n_samples / n, 1),
        "k": k,
        "ours, s": round(ours_s, 2),
        "pairs/s": f"{rate:.3g}",
        "plain on one core, pairs/s": f"{one_core:.3g}",
        f"plain on {cores} cores, pairs/s": f"{all_cores:.3g}",
        "ratio to one core": round(rate / one_core, 1),
        f"ratio to {cores} cores": round(rate / all_cores, 1),
        "largest difference": f"{np.abs(expected - result.values[users]).max():.1e}",
        "peak memory, GB": peak,
        "of it before the run": before,
        "median gap": round(float(np.median(result.values)), 3),
    }


CASES = {
    "kgap_5000_k10": partial(_case, partial(people, 5_000), 10),
    "kgap_10000_k2": partial(_case, partial(people, 10_000), 2),
    "kgap_20000_k2": partial(_case, partial(people, 20_000), 2),
    "kgap_20000_k100": partial(_case, partial(people, 20_000), 100),
    "kgap_40000_k2": partial(_case, partial(people, 40_000), 2),
    "kgap_82000_k2": partial(_case, partial(people, 82_000), 2),
    "kgap_dense": partial(_case, _dense, 2),
}
