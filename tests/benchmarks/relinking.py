"""The re-linking attack on a release in periods, of generated people.

Processor time of the attack is told, over all cores, beside the seconds by the clock.
"""

import resource
import time
from functools import partial

from fpanon_core import (
    AddNoise,
    Aligned,
    Periods,
    generate_cdr,
    read_cdr,
    release,
    relink_periods,
)

OPTIONS = {
    "days": [Periods(1)],
    "weeks": [Periods(7)],
    "weeks_noise": [AddNoise(1_000), Periods(7)],
    "weeks_aligned_k2": [Periods(7), Aligned(2)],
}


def _one(n_users, name, candidates=512):
    small, _ = read_cdr(generate_cdr(100, seed=1))
    relink_periods(release(small, OPTIONS[name], seed=0))  # compiles
    fs, _ = read_cdr(generate_cdr(n_users, seed=1))
    made = release(fs, OPTIONS[name], seed=0)
    before = _peak_gb()
    started, cpu = time.perf_counter(), time.process_time()
    found = relink_periods(made, candidates=candidates)
    return {
        "users": fs.n_users,
        "records": made.n_users,
        "candidates": candidates,
        "s": round(time.perf_counter() - started, 1),
        "processor s": round(time.process_time() - cpu, 1),
        "share": round(found.share, 4),
        "chance": round(found.chance, 5),
        "chained": round(found.chained, 3),
        "by chance": round(found.chained_chance, 3),
        "peak before, GB": round(before, 2),
        "peak, GB": round(_peak_gb(), 2),
    }


def _peak_gb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


CASES = {f"relink_{n}_{name}": partial(_one, n, name) for n in (2_000, 20_000) for name in OPTIONS}
CASES |= {
    f"relink_20000_weeks_of_{c}": partial(_one, 20_000, "weeks", c) for c in (256, 1_024, 2_048)
}
