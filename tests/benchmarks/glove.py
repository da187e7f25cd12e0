"""GLOVE beside ``k_gap(fs, 2)`` on the same data in the same run; and the verifier's time."""

from functools import partial

import numpy as np

from fpanon_core import glove, k_gap, verify_k_anonymity
from tests.benchmarks.measured import peak_gb, people, timed


def _case(n_users, k, compare=True):
    fs = people(n_users)
    few = fs.subset(np.arange(120))
    k_gap(few, 2)  # compiles
    verify_k_anonymity(few, glove(few, k), k)
    before = peak_gb()
    gap_s, gap_cpu_s = timed(k_gap, fs, 2)[1:] if compare else (np.nan, np.nan)
    result, ours_s, ours_cpu_s = timed(glove, fs, k)
    peak = peak_gb()
    verdict, verified_s, _ = timed(verify_k_anonymity, fs, result, k)
    figures = result.summary()
    return {
        "users": n_users,
        "k": k,
        "k_gap(2), s": round(gap_s, 1),
        "its processor time, s": round(gap_cpu_s, 1),
        "GLOVE, s": round(ours_s, 1),
        "its processor time, s ": round(ours_cpu_s, 1),
        "ratio": round(ours_s / gap_s, 2),
        "ratio of processor time": round(ours_cpu_s / gap_cpu_s, 2),
        "peak memory, GB": peak,
        "of it before the run": before,
        "verified": verdict.passed,
        "verifier, s": round(verified_s, 1),
        "groups": figures["groups"],
        "median span, m": figures["median_space_m"],
        "median span, min": figures["median_time_min"],
        "phantom share": round(figures["phantom_share"], 3),
    }


CASES = {
    "glove_5000_k5": partial(_case, 5_000, 5),
    "glove_20000_k2": partial(_case, 20_000, 2),
    "glove_20000_k5": partial(_case, 20_000, 5),
    "glove_82000_k2": partial(_case, 82_000, 2, compare=False),
}
