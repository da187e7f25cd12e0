"""k-gap against the plain compiled double loop (plain.py), on the same data in the same run.

The pair rate of the plain loop is measured on a random part of the users, on one core and on all;
ours is all unordered pairs over the time of the whole run. Both count a pair once.
"""

import os
import resource
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from fpanon_core import generate_cdr, k_gap, read_cdr
from tests.benchmarks import plain

_SHARED = Path(__file__).parents[3] / "shared" / "data"


def _generated(n_users):
    fs, _ = read_cdr(generate_cdr(n_users, seed=1), timezone="UTC")
    return fs


def _dense():
    fs, _ = read_cdr(_SHARED / "sf_cabs_20080608.csv.gz", timezone="America/Los_Angeles")
    return fs


def _case(load, k, plain_pairs=400_000):
    fs = load()
    k_gap(fs.subset(np.arange(min(fs.n_users, 100))), 2)  # compiles
    before = _peak_gb()
    started = time.perf_counter()
    result = k_gap(fs, k)
    ours_s = time.perf_counter() - started
    peak = _peak_gb()

    arrays = [np.array(a) for a in (fs.t_min, fs.x_m, fs.y_m, fs.offsets)]
    plain.k_gap(*arrays, k, [0])  # compiles
    n = fs.n_users
    many = min(n, max(8, plain_pairs // n))
    users = np.random.default_rng(0).choice(n, many, replace=False)
    started = time.perf_counter()
    expected = plain.k_gap(*arrays, k, users)
    one_core_s = time.perf_counter() - started
    cores = os.cpu_count() or 1
    started = time.perf_counter()
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(lambda part: plain.k_gap(*arrays, k, part), np.array_split(users, cores)))
    all_cores_s = time.perf_counter() - started

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
        "peak memory, GB": round(peak, 2),
        "of it before the run": round(before, 2),
        "median gap": round(float(np.median(result.values)), 3),
    }


def _peak_gb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


CASES = {
    "kgap_5000_k10": partial(_case, partial(_generated, 5_000), 10),
    "kgap_10000_k2": partial(_case, partial(_generated, 10_000), 2),
    "kgap_20000_k2": partial(_case, partial(_generated, 20_000), 2),
    "kgap_20000_k100": partial(_case, partial(_generated, 20_000), 100),
    "kgap_40000_k2": partial(_case, partial(_generated, 40_000), 2),
    "kgap_82000_k2": partial(_case, partial(_generated, 82_000), 2),
    "kgap_dense": partial(_case, _dense, 2),
}
