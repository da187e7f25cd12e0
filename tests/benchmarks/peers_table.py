"""Our synthetic people beside two peers, fresh people, people drawn again, and no noise.

Noise and people are drawn from stated seeds: a study, nothing that is published.
"""

import datetime as dt
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import fpanon_core as fp
from fpanon_core.aggregates.contributions import table_frame
from fpanon_core.aggregates.smoothing import seeded
from fpanon_core.io.samples import sample
from fpanon_core.measures.utility import Reference
from fpanon_core.model.arrays import CELL, offsets_of, rows_of
from fpanon_core.model.synthetic_people import SyntheticPeople
from fpanon_core.synthesis.generation import lives_of, placing_of
from fpanon_core.synthesis.statistics import Ground, exact_statistics, noisy_statistics
from fpanon_core.synthetic.region import generate_region
from tests.benchmarks import likeness, peers

_FILE = Path("shared", "data", "gowalla_nyc.csv.gz")  # beside the project, or not there
GOWALLA = next((p / _FILE for p in Path(__file__).parents if (p / _FILE).exists()), _FILE)
CITY = fp.StatedArea(40.48, -74.26, 40.92, -73.70)
EPSILONS, MONDAY = (0.5, 1, 2, 5, 10), dt.date(2024, 3, 4)
_WITHOUT = {"density": 0.2, "flows": 0.35, "mobility": 0.1}  # transport less the resolutions


def _read(cdr, antennas, **more):
    centre = float(antennas["lat"].mean()), float(antennas["lon"].mean())
    return fp.read_cdr(cdr, antennas=antennas, centre=centre, **more)[0]


def data(name):
    """A data set, its stated frame, and the side of analysis squares (None: as usual)."""
    if name == "gowalla":  # of the last 180 of its days, squares of a kilometre over the city
        first = dt.date(2010, 4, 26)
        table = pd.read_csv(GOWALLA, dtype={"user_id": str})
        table = table[table["timestamp"] >= f"{first}T04:00:00Z"]
        fs = fp.read_cdr(table, timezone="America/New_York", centre=(40.7, -73.98))[0]
        return fs, fp.FrameConfig(fp.StatedPeriod(first, 180), "grid", CITY, 1_000), 1_000.0
    if name.isdecimal():
        return *generated(int(name), 0), None
    shipped = sample(name)
    table = pd.read_csv(shipped.path, dtype={"user_id": str, "antenna_id": str})
    antennas = pd.read_csv(shipped.antennas_path, dtype={"antenna_id": str})
    period = (MONDAY, 14) if name == "synthetic" else (dt.date(2008, 6, 7), 2)
    fs = _read(table, antennas, timezone=shipped.timezone)
    return fs, fp.FrameConfig(fp.StatedPeriod(*period)), None


def generated(n, seed):
    """So many people of the generator, of the region of seed 0."""
    cdr = fp.generate_cdr(n, seed=seed, region=generate_region(0))
    frame = fp.FrameConfig(fp.StatedPeriod(MONDAY, 14))
    return _read(cdr, pd.DataFrame(cdr.attrs["antennas"])), frame


def again(fs, seed):
    """As many people, drawn with replacement, each under an id of their own."""
    drawn = np.sort(np.random.default_rng(seed).integers(0, fs.n_users, fs.n_users))
    many = np.diff(fs.offsets)[drawn]
    rows = rows_of(fs.offsets[drawn], many)
    columns = {name: getattr(fs, name)[rows] for name in (*CELL, "count")}
    ids = np.arange(fs.n_users)
    return replace(fs, user_ids=ids, number=ids, offsets=offsets_of(many), **columns)


def on_map(lives, frame, fs):
    """Lives on the projection and the clock of the data, whoever made them."""
    return SyntheticPeople(*lives, None, frame, None, placing_of(fs, frame)).people


def made_by(maker, fs, frame, ground, epsilon, seed):
    """The people that a maker makes of the data."""
    noise = seeded(seed, 0)
    if maker in PEERS:
        rng = np.random.default_rng(seed)
        return on_map(PEERS[maker](fs, ground, epsilon, noise, rng), ground.frame, fs)
    exact = exact_statistics(fs, ground)
    if maker == "no noise":
        noise = lambda values, *_: values  # noqa: E731
    found = noisy_statistics(exact, ground, epsilon, noise)
    many = round(found.n_people) * (5 if maker == "ours, scale 5" else 1)
    option = fp.Synthesize(frame, epsilon, many)
    return on_map(lives_of(found, ground, option, seed=seed), ground.frame, fs)


PEERS = {
    "AdaTrace": peers.adatrace,
    "AdaTrace by day": partial(peers.adatrace, by_day=True),
    "DP-WHERE": peers.dp_where,
}
PRIVATE = ("ours", "ours, scale 5", *PEERS)


def rows(name, epsilon, seed=0):
    """Of each maker, utility and likeness; ``epsilon`` None: those that promise nothing."""
    fs, frame, areas = data(name)
    ground = Ground.of(table_frame(fs, frame))
    real, reference = likeness.Events.of(fs, ground), Reference.of(fs, areas=areas)
    makers = PRIVATE if epsilon else ("no noise", "drawn again", "fresh people")
    for maker in makers:
        if maker == "AdaTrace by day" and epsilon != 1:
            continue
        if maker == "drawn again":
            made = again(fs, seed)
        elif maker == "fresh people":
            if not (name == "synthetic" or name.isdecimal()):
                continue
            made = generated(fs.n_users, seed + 1)[0]
        else:
            made = made_by(maker, fs, frame, ground, epsilon or 100.0, seed)
        found = fp.utility(fs, made, reference=reference)
        parts = {key: round(found.components[key], 3) for key in SHOWN}
        less = sum(found.components[k] * w for k, w in _WITHOUT.items()) / sum(_WITHOUT.values())
        counted = {"people": made.n_users, "transport": round(found.score, 3)}
        alike = likeness.figures(real, likeness.Events.of(made, ground), ground)
        yield maker, parts | counted | {"without resolution": round(less, 3)} | alike


def _case(name, epsilon):
    return dict(rows(name, epsilon))


SHOWN = ("density", "flows", "mobility", "visits")
SETS = ("synthetic", "sf_cabs", "gowalla", "20000", "100000")
CASES = {
    f"peers_{name}_{'beside' if epsilon is None else f'{epsilon:g}'}": partial(_case, name, epsilon)
    for name in SETS
    for epsilon in (None, *EPSILONS)
}
