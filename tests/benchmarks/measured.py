"""What the cases share: generated people and samples, seconds, peak memory, the machine."""

import os
import resource
import time

import numpy as np

from fpanon_core import FingerprintSet
from fpanon_core.engines.limits import memory_of
from fpanon_core.engines.process import ProcessRunner
from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.samples import sample
from fpanon_core.model.arrays import CELL
from fpanon_core.synthetic.generate import generate_cdr

REGION_USERS = 82_000
APART_M = 200_000.0  # regions are 120 km wide


def people(n, seed=1):
    """So many generated people.

    More than 82,000 are regions beside each other, from west to east, each with a seed of its own,
    so that they live as densely as in one; the last has those that are missing.
    """
    parts = [
        read_cdr(generate_cdr(min(REGION_USERS, n - at), seed=seed + nth), timezone="UTC")[0]
        for nth, at in enumerate(range(0, n, REGION_USERS))
    ]
    if len(parts) == 1:
        return parts[0]
    joined = {name: np.concatenate([getattr(p, name) for p in parts]) for name in (*CELL, "count")}
    east = np.repeat(np.arange(len(parts)), [p.n_samples for p in parts])
    return FingerprintSet(
        **joined | {"x_m": joined["x_m"] + east * APART_M},
        offsets=np.cumsum(np.concatenate([[0], *(p.lengths for p in parts)])),
        user_ids=np.arange(n),
        weight=np.ones(n, np.int64),
        number=np.arange(1, n + 1),
        granularity_m=parts[0].granularity_m,
        granularity_min=parts[0].granularity_min,
        clock=parts[0].clock,
        crs=parts[0].crs,
    )


def shipped(key):
    """A sample that comes with the package."""
    of = sample(key)
    return read_cdr(of.path, antennas=of.antennas_path, timezone=of.timezone)[0]


def timed(call, *given, **named):
    """What a call returns, seconds by the clock, and processor seconds over all cores."""
    started, cpu = time.perf_counter(), time.process_time()
    found = call(*given, **named)
    return found, time.perf_counter() - started, time.process_time() - cpu


def costs(call, *given, **named):
    """What a call returns, and what it took: seconds, and the process's peak memory around it."""
    before = peak_gb()
    found, took, cpu = timed(call, *given, **named)
    took, cpu = round(took, 2), round(cpu, 2)
    memory = {"peak before, GB": before, "peak, GB": peak_gb()}
    return found, {"s": took, "processor s": cpu} | memory | machine()


def peak_gb():
    """Most memory that this process has had so far."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, 2)


def machine():
    """Cores, and what else they do."""
    return {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}


def in_child(told, *jobs):
    """Seconds and memory as estimated, beside those of the last of some jobs in one child process.

    Memory is what the child holds of its own at its peak, seen every 5 ms.
    """
    runner = ProcessRunner()
    try:
        for work, *given in jobs:
            job, most = runner.submit(work, *given, label="measure"), 0
            while job.active:
                most = max(most, memory_of(runner.process_id) if runner.process_id else 0)
                time.sleep(0.005)
        assert job.status == "done", job.error
    finally:
        runner.close()
    return {
        "seconds estimated": None if told.seconds is None else round(told.seconds, 1),
        "seconds": round(job.elapsed_s, 1),
        "MB estimated": None if told.needs_bytes is None else round(told.needs_bytes / 1e6),
        "MB": round(most / 1e6),
    }
