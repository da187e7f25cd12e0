"""Tables of a million people: presence and flows at ε = 1, of antennas in groups and of a grid.

People are drawn cheaply: a home, few other places, times at random; only the size matters.
"""

from functools import partial

import numpy as np

from fpanon_core import (
    Antennas,
    FingerprintSet,
    FrameConfig,
    StatedArea,
    StatedPeriod,
    flows,
    presence,
)
from tests.benchmarks.measured import peak_gb, timed

SAMPLES, DAYS, SIDE_M = 60, 14, 50_000
ANTENNAS, AT_ONCE = 4_000, 2_000


def people(n):
    """So many people of 60 samples each, at 4,000 antennas in a square of 50 km."""
    rng = np.random.default_rng(0)
    at = np.floor(rng.random((ANTENNAS, 2)) * SIDE_M / 100) * 100
    many, step = n * SAMPLES, DAYS * 1440 // SAMPLES
    x, y, t = (np.empty(many) for _ in range(3))
    for first in range(0, n, AT_ONCE):  # the data themselves are 3.4 GB of a million people
        some = min(AT_ONCE, n - first)
        rows = slice(first * SAMPLES, (first + some) * SAMPLES)
        own = rng.integers(0, ANTENNAS, (some, 1)) + rng.integers(0, 40, (some, 4))
        chosen = rng.integers(0, 4, (some, SAMPLES))
        place = np.take_along_axis(own, chosen, axis=1).ravel() % ANTENNAS
        x[rows], y[rows] = at[place].T
        t[rows] = (rng.integers(0, step, (some, SAMPLES)) + np.arange(SAMPLES) * step).ravel()
    return FingerprintSet(
        x_m=x,
        y_m=y,
        t_min=t,
        dx_m=np.full(many, 100.0),
        dy_m=np.full(many, 100.0),
        dt_min=np.ones(many),
        count=np.ones(many, np.int64),
        user_ids=np.arange(n),
        offsets=np.arange(n + 1) * SAMPLES,
        antennas=Antennas(at[:, 0], at[:, 1]),
    )


def _made(n, places):
    period = StatedPeriod(None, DAYS)
    area = StatedArea(0, 0, SIDE_M, SIDE_M, "metres")
    frame = FrameConfig(period, antennas_an_area=4)
    if places == "grid":
        frame = FrameConfig(period, "grid", area, SIDE_M / 32)
    few = people(50)
    for make in (presence, flows):
        make(few, frame, epsilon=1)  # compiles
    fs = people(n)
    fs.digest  # noqa: B018 - reading has it already
    figures = {"people": n, "before, GB": peak_gb()}
    for name, make in (("presence", presence), ("flows", flows)):
        made, took, cpu = timed(make, fs, frame, epsilon=1)
        figures |= {"areas": made.frame.n_areas, f"{name}, s": round(took, 1)}
        figures[f"{name}, processor s"] = round(cpu, 1)
        figures[f"peak with {name}, GB"] = peak_gb()
    return figures


CASES = {
    f"tables_{n}_{places}": partial(_made, n, places)
    for n in (250_000, 1_000_000)
    for places in ("antennas", "grid")
}
