"""Aligned publishing beside GLOVE on the same data in the same run."""

from functools import partial

import numpy as np

import fpanon_core as fp
from tests.benchmarks.measured import peak_gb, people, shipped, timed


def _case(data, k, effort="default", beside=True):
    fs = data()
    few = fs.subset(np.arange(60))
    fp.verify_k_anonymity(few, fp.aligned(few, k), k)  # compiles
    made, ours_s, ours_cpu_s = timed(fp.aligned, fs, k, effort=effort)
    peak = peak_gb()
    figures = made.summary()
    out = {
        "users": fs.n_users,
        "k": k,
        "effort": effort,
        "aligned, s": round(ours_s, 1),
        "its processor time, s": round(ours_cpu_s, 1),
        "peak memory, GB": peak,
        # Of weights 1 and 1, as in docs/science.md: twice that of the usual halves.
        "mean loss": round(2 * fp.mean_loss(made), 4),
        "median side, m": figures["median_space_m"],
        "median span, min": figures["median_time_min"],
        "phantom share": figures["phantom_share"],
        "verified": fp.verify_k_anonymity(fs, made, k).passed,
    }
    if beside:
        fp.glove(few, k)  # compiles
        other, glove_s, glove_cpu_s = timed(fp.glove, fs, k)
        out |= {
            "GLOVE, s": round(glove_s, 1),
            "its processor time, s ": round(glove_cpu_s, 1),
            "ratio of processor time": round(ours_cpu_s / glove_cpu_s, 2),
            "GLOVE's mean loss": round(2 * fp.mean_loss(other), 4),
        }
    return out


def _in_periods(method, days):
    """The synthetic sample, k = 5, in periods."""
    fs = shipped("synthetic")
    few = fp.into_periods(fs.subset(np.arange(60)), 7)
    fp.verify_k_anonymity(few, method(few, 5), 5)  # compiles
    cut, _, cut_cpu_s = timed(fp.into_periods, fs, days)
    made, _, cpu_s = timed(method, cut, 5)
    verdict, _, verify_cpu_s = timed(fp.verify_k_anonymity, fs, made, 5)
    figures = made.summary()
    return {
        "days": days,
        "pieces": figures["pieces"],
        "periods": figures["periods"],
        "mean loss": round(2 * fp.mean_loss(made), 4),
        "median side, m": figures["median_space_m"],
        "median span, min": figures["median_time_min"],
        "phantom share": round(figures["phantom_share"], 3),
        "processor time, s: cutting": round(cut_cpu_s, 1),
        "hiding": round(cpu_s, 1),
        "verifying": round(verify_cpu_s, 1),
        "verified": verdict.passed,
    }


CASES = (
    {
        f"aligned_{key}_k{k}_{effort}": partial(_case, partial(shipped, key), k, effort)
        for key in ("synthetic", "sf_cabs")
        for k in (2, 5)
        for effort in ("default", "thorough")
    }
    | {
        f"periods_{method.__name__}_{days}": partial(_in_periods, method, days)
        for method in (fp.aligned, fp.glove)
        for days in (1, 7)
    }
    | {
        "aligned_20000_k5": partial(_case, partial(people, 20_000), 5),
        "aligned_82000_k2": partial(_case, partial(people, 82_000), 2, beside=False),
        "aligned_82000_k5": partial(_case, partial(people, 82_000), 5, beside=False),
    }
)
