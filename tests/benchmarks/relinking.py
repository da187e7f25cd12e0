"""The re-linking attack on a release in periods, of generated people.

Processor time of the attack is told, over all cores, beside the seconds by the clock.
"""

import resource
import time
from functools import partial

import fpanon_core as fp

OPTIONS = {
    "days": [fp.Periods(1)],
    "weeks": [fp.Periods(7)],
    "weeks_noise": [fp.AddNoise(1_000), fp.Periods(7)],
    "weeks_aligned_k2": [fp.Periods(7), fp.Aligned(2)],
}


def _one(n_users, name, candidates=512):
    small, _ = fp.read_cdr(fp.generate_cdr(100, seed=1))
    fp.relink_periods(fp.release(small, OPTIONS[name], seed=0))  # compiles
    fs, _ = fp.read_cdr(fp.generate_cdr(n_users, seed=1))
    made = fp.release(fs, OPTIONS[name], seed=0)
    before = _peak_gb()
    started, cpu = time.perf_counter(), time.process_time()
    found = fp.relink_periods(made, candidates=candidates)
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
