"""Aligned publishing beside GLOVE on the same data in the same run."""

from functools import partial

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

import fpanon_core as fp
from fpanon_core.anonymize.crowding import boxes_of
from fpanon_core.kernels.aligned_blocks import pair_losses
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


def _no_pairs_lose_less(data):
    """What groups of 2 or more must lose at least: a linear programme over all pairs.

    Every pair has a share from 0 to 1, everybody's shares add up to 1. A group of three costs at
    least half the sum of its three pairs, which is such a solution; larger ones likewise.
    """
    fs = data()
    everybody = np.arange(fs.n_users)
    others = np.tile(everybody, (fs.n_users, 1))
    others[everybody, everybody] = -1
    loss = np.empty(others.shape)
    pair_losses(boxes_of(fs, fp.StretchConfig(1, 1)), everybody, others, loss)
    a, b = np.triu_indices(fs.n_users, 1)
    ends = np.concatenate([a, b]), np.tile(np.arange(len(a)), 2)
    shares = csr_matrix((np.ones(2 * len(a)), ends), shape=(fs.n_users, len(a)))
    found = linprog(loss[a, b], A_eq=shares, b_eq=np.ones(fs.n_users), bounds=(0, 1))
    return {"users": fs.n_users, "mean loss at k = 2, at least": round(found.fun / fs.n_samples, 5)}


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
        "aligned_bound_sf_cabs_k2": partial(_no_pairs_lose_less, partial(shipped, "sf_cabs")),
    }
    | {
        "aligned_20000_k5": partial(_case, partial(people, 20_000), 5),
        "aligned_82000_k2": partial(_case, partial(people, 82_000), 2, beside=False),
        "aligned_82000_k5": partial(_case, partial(people, 82_000), 5, beside=False),
    }
)
