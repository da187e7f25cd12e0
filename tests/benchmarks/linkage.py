"""An attacker who knows true points, on generated people: linkage, homes, expected error.

Processor time of each call is told, over all cores, beside the seconds by the clock.
"""

import resource
import time
from functools import partial

import fpanon_core as fp

BINS = fp.Generalize(fp.GeneralizationProfile(fp.Grid(1_000), 60))
OPTIONS = {
    "noise": [fp.AddNoise(1_000)],
    "bins": [BINS],
    "bins_noise": [BINS, fp.AddNoise(1_000)],
    "both": [fp.AddNoise(1_000, 60)],
    "exchange": [BINS, fp.Permute()],
}


def _one(n_users, name):
    small, _ = fp.read_cdr(fp.generate_cdr(100, seed=1))
    made = fp.release(small, OPTIONS[name], seed=0)  # compiles
    fp.link(small, made)
    fp.home_found(small, made)
    fp.expected_error(small, made)
    fs, _ = fp.read_cdr(fp.generate_cdr(n_users, seed=1))
    made = fp.release(fs, OPTIONS[name], seed=0)
    before = _peak_gb()
    found, link_s, link_cpu = _timed(fp.link, fs, made)
    homes, home_s, _ = _timed(fp.home_found, fs, made, nights=3)
    error, error_s, _ = _timed(fp.expected_error, fs, made)
    return {
        "users": fs.n_users,
        "samples a user": round(fs.n_samples / fs.n_users, 1),
        "targets": found.n_present,
        "link, s": round(link_s, 2),
        "link, processor s": round(link_cpu, 2),
        "first": round(found.first, 3),
        **found.by_attacker.set_index("attacker")["first"].round(3).to_dict(),
        "homes, s": round(home_s, 2),
        "home within 1 km": round(float(homes["found"][1]), 3),
        "error, s": round(error_s, 2),
        "error, m": round(error.metres),
        "peak before, GB": round(before, 2),
        "peak, GB": round(_peak_gb(), 2),
    }


def _timed(what, *given, **named):
    started, cpu = time.perf_counter(), time.process_time()
    found = what(*given, **named)
    return found, time.perf_counter() - started, time.process_time() - cpu


def _peak_gb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


CASES = {f"link_{n}_{name}": partial(_one, n, name) for n in (20_000, 82_000) for name in OPTIONS}
