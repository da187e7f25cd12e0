"""What a second worker is worth: one and two of a core each, pinned, on the same work in turn.

A scheduler and the workers are processes of this machine; the caller has a core of its own where
there are enough. Each is repeated, and the best of each is compared: other work beside it can only
make one slower.
"""

import os
import subprocess
import sys
import time
from contextlib import contextmanager

import fpanon_core as fp

_REPEATS = 2
_PORT = 18786


@contextmanager
def cluster(workers):
    """An engine on so many workers, each on one of the last cores."""
    address = f"tcp://127.0.0.1:{_PORT}"
    cores = sorted(os.sched_getaffinity(0))[-workers:]
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    dask += ["--host", "127.0.0.1", "--port", str(_PORT), "--no-dashboard"]
    begun = [subprocess.Popen(dask, stderr=subprocess.DEVNULL)]
    for core in cores:
        dask = ["taskset", "-c", str(core), sys.executable, "-m", "distributed.cli.dask_worker"]
        dask += [address, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
        begun.append(subprocess.Popen(dask, stderr=subprocess.DEVNULL))
    try:
        for _ in range(60):
            try:
                engine = fp.DaskEngine(address)
                break
            except ValueError:
                time.sleep(0.5)
        while engine.workers < workers or not engine._threads():
            time.sleep(0.2)
        yield engine, [process.pid for process in begun[1:]]
        engine.close()
    finally:
        for process in begun:
            process.terminate()
            process.wait()


def _processor_s(process_id):
    with open(f"/proc/{process_id}/stat") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


CALLS = {
    "k_gap": lambda fs, e: fp.k_gap(fs, 2, engine=e),
    "aligned, 16 shards": lambda fs, e: fp.aligned(fs, 2, shards=16, engine=e),
    "unicity": lambda fs, e: fp.unicity(fs, 4, users=fs.n_users, engine=e),
    "disclosure": lambda fs, e: fp.disclosure(fs, fp.draw_knowledge(fs, 4, users=2500), engine=e),
}


def shared(n_users=20_000):
    """Wall time of one and of two workers, and the processor time of each worker, seconds."""
    few, fs = (fp.read_cdr(fp.generate_cdr(n, seed=1), timezone="UTC")[0] for n in (200, n_users))
    figures = {"users": n_users, "samples": fs.n_samples}
    best = {}
    for _ in range(_REPEATS):
        for workers in (1, 2):
            with cluster(workers) as (engine, processes):
                for name, call in CALLS.items():
                    if name.startswith("aligned"):
                        fp.aligned(few, 2, shards=workers, engine=engine)
                    else:
                        call(few, engine)
                    before = [_processor_s(pid) for pid in processes]
                    began = time.perf_counter()
                    call(fs, engine)
                    took = time.perf_counter() - began
                    used = [_processor_s(p) - b for p, b in zip(processes, before, strict=True)]
                    found = took, [round(u, 1) for u in used]
                    best[name, workers] = min(best.get((name, workers), found), found)
                    print(name, workers, found, os.getloadavg()[0], flush=True)
    for name in CALLS:
        (one, of_one), (two, of_two) = best[name, 1], best[name, 2]
        figures[name] = f"{one:.1f} s ({of_one}), {two:.1f} s ({of_two}): {two / one:.2f}"
    return figures | {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}


CASES = {"cluster_20000": shared}
