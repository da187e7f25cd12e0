"""k-gap against the plain compiled double loop (plain.py), on the same data in the same run.

The pair rate of the plain loop is measured on a random part of the users, on one core and on all;
ours is all pairs of a measured user over the time of the whole run. Both count a pair once.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from fpanon_core import k_gap, read_cdr
from tests.benchmarks import plain
from tests.benchmarks.measured import costs, people, timed

_SHARED = Path(__file__).parents[3] / "shared" / "data"


def _dense():
    return read_cdr(_SHARED / "sf_cabs_20080608.csv.gz", timezone="America/Los_Angeles")[0]


def _case(load, k, share=1.0, plain_pairs=400_000):
    fs = load()
    n, rng = fs.n_users, np.random.default_rng(0)
    k_gap(fs.subset(np.arange(min(n, 100))), 2)  # compiles
    asked = np.sort(rng.permutation(n)[: int(share * n)])
    result, took = costs(k_gap, fs, k, users=asked)

    arrays = [np.array(a) for a in (fs.t_min, fs.x_m, fs.y_m, fs.offsets)]
    plain.k_gap(*arrays, k, [0])  # compiles
    some = rng.choice(len(asked), min(len(asked), max(8, plain_pairs // n)), replace=False)
    expected, one_core_s, _ = timed(plain.k_gap, *arrays, k, asked[some])
    cores = os.cpu_count() or 1
    parts = np.array_split(asked[some], cores)
    with ThreadPoolExecutor(cores) as pool:
        all_cores_s = timed(lambda: list(pool.map(partial(plain.k_gap, *arrays, k), parts)))[1]

    rate = len(asked) * (n - (len(asked) + 1) / 2) / took["s"]
    # The plain loop computes each ordered pair; a pair counted once costs it once.
    one_core, all_cores = (len(some) * (n - 1) / s for s in (one_core_s, all_cores_s))
    return took | {
        "users": n,
        "samples a user": round(fs.n_samples / n, 1),
        "k": k,
        "asked": len(asked),
        "pairs/s": f"{rate:.3g}",
        "plain on one core, pairs/s": f"{one_core:.3g}",
        f"plain on {cores} cores, pairs/s": f"{all_cores:.3g}",
        "ratio to one core": round(rate / one_core, 1),
        f"ratio to {cores} cores": round(rate / all_cores, 1),
        "largest difference": f"{np.abs(expected - result.values[some]).max():.1e}",
        "median gap": round(float(np.median(result.values)), 3),
    }


CASES = {
    f"kgap_{n}_k{k}": partial(_case, partial(people, n), k)
    for n, k in ((5_000, 10), (10_000, 2), (20_000, 2), (20_000, 100), (40_000, 2), (82_000, 2))
} | {
    "kgap_dense": partial(_case, _dense, 2),
    "scale_kgap_300000": partial(_case, partial(people, 300_000), 2),
    "scale_kgap_1000000": partial(_case, partial(people, 1_000_000), 2, 0.01),
}
