"""What the cases share: generated people and samples, seconds, peak memory, the machine."""

import os
import resource
import time

from fpanon_core.engines.limits import memory_of
from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.samples import sample
from fpanon_core.synthetic.generate import generate_cdr


def people(n, seed=1):
    """So many generated people."""
    return read_cdr(generate_cdr(n, seed=seed), timezone="UTC")[0]


def shipped(key):
    """A sample that comes with the package."""
    of = sample(key)
    return read_cdr(of.path, antennas=of.antennas_path, timezone=of.timezone)[0]


def timed(call, *given, **named):
    """What a call returns, seconds by the clock, and processor seconds over all cores."""
    started, cpu = time.perf_counter(), time.process_time()
    found = call(*given, **named)
    return found, time.perf_counter() - started, time.process_time() - cpu


def peak_gb():
    """Most memory that this process has had so far."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, 2)


def machine():
    """Cores, and what else they do."""
    return {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}


def most_bytes(runner, job):
    """A job of a child process is over: what the child held of its own at most."""
    most = 0
    while job.active:
        most = max(most, memory_of(runner.process_id) if runner.process_id else 0)
        time.sleep(0.005)
    return most
