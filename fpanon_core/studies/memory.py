"""How much memory will a question take? From the size of the data, before it is asked.

Measured on generated call records of 2,000 to 32,000 people over 14 days, 123,000 to 2 million
samples, in a child process by what it holds of its own at its peak, at k = 2 (23 November 2026,
tests/benchmarks/foretold.py): a start, and so many bytes for each sample, which is within a factor
of 1.5 of what was measured. An attack takes more where people are hidden in periods than of noise.
Data beyond that range are taken to need memory in proportion; a million people in shards, and the
recovery attack on 100,000, were measured beside it (RESULTS.md).
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, radians
from typing import Any

from ..engines.local import Engine, LocalEngine
from ..model.counts_frame import FrameConfig
from ..model.fingerprints import FingerprintSet

START_BYTES = 180_000_000
"""Of a child before the data: Python, the libraries' own and the compiled kernels."""

BYTES_A_SAMPLE = {
    "anonymizability": 360,
    "attack": 700,
    "comparison": 520,  # GLOVE, several times in a row
    "counts_release": 130,
    "disclosure": 350,
    "followed": 600,
    "hiding": 450,
    "look": 450,
    "options": 1_110,  # 16 of them one after another, whose releases are kept
    "production": 430,
    "relinking": 900,
    "unicity": 275,
}
"""By study: the data on their way and in place, and what is made of them at the peak."""


OPTIONS_BYTES_A_SAMPLE, OPTION_BYTES_A_SAMPLE = 150, 60
"""Of an exploration: the data, and each option more, whose release is kept."""
COUNTS_BYTES_A_SAMPLE, CELL_BYTES = 100, 50
"""Of the recovery attack, and what is asked of it besides: a sample, and a person in a slot."""
COUNT_BYTES = 24
"""Of counts to be published, each, beside the samples."""
WRITING_BYTES = 220_000_000
"""Of a release that is written, read back and checked, some hundred thousand rows at a time."""
MITIGATIONS_BYTES = 100_000_000
"""Of attacks on forms of the data, one after another."""
_ANTENNAS, _DEGREE_M = 1_000, 111_000
_OF_RECOVERY = ("recovery", "recovery_factors", "recovery_mitigations")
SHARDED_BYTES_A_SAMPLE = 150
"""Of hiding by shards, beside what the shards under way take: the data, and what is published."""


def needed_bytes(
    study: Callable[..., Any],
    fs: FingerprintSet | None,
    config: Any = None,
    engine: Engine | None = None,
) -> int | None:
    """Memory that a study's process is likely to take on some data; None where nobody measured it.

    Parameters
    ----------
    study : callable
        The study, of a module of this package.
    fs : FingerprintSet or None
        Its data.
    config : Config, optional
        Of its module; who is hidden by shards needs less.
    engine : LocalEngine, optional
        That many shards are under way at once as it has cores.

    Examples
    --------
    >>> from fpanon_core.studies import hiding
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 9, 4])
    >>> needed_bytes(hiding.study, fs) - START_BYTES
    1350
    """
    each = None if fs is None else _bytes_a_sample(study, fs, config, engine)
    if fs is None or each is None:
        return None
    return START_BYTES + int(each * fs.n_samples) + _beside(study, config)


def people_that_fit(
    study: Callable[..., Any],
    fs: FingerprintSet,
    config: Any,
    limit_bytes: int,
    engine: Engine | None = None,
) -> int:
    """How many of the people, drawn by chance, would fit into so much memory."""
    each = _bytes_a_sample(study, fs, config, engine)
    if each is None:
        return fs.n_users
    samples = max(limit_bytes - START_BYTES - _beside(study, config), 0) / each
    people = min(int(samples / fs.n_samples * fs.n_users), fs.n_users)
    return people if people < 100 else people // 10 * 10


def _bytes_a_sample(
    study: Callable[..., Any], fs: FingerprintSet, config: Any, engine: Engine | None
) -> float | None:
    name = study.__module__.rpartition(".")[2]
    if name in _OF_RECOVERY and config is not None:
        return _of_recovery(fs, config) / max(fs.n_samples, 1)
    each: float | None = BYTES_A_SAMPLE.get(name)
    if name == "options" and config is not None:
        each = OPTIONS_BYTES_A_SAMPLE + OPTION_BYTES_A_SAMPLE * len(config.options)
    shards: int | None = getattr(config, "shards", None)
    if each is None or shards is None:
        return each
    at_once = min((engine or LocalEngine()).workers, shards)
    return min(each, SHARDED_BYTES_A_SAMPLE + each * at_once / shards)


def _beside(study: Callable[..., Any], config: Any) -> int:
    """What does not grow with the data."""
    name = study.__module__.rpartition(".")[2]
    if name == "production":
        return WRITING_BYTES
    if name == "recovery_mitigations":
        return MITIGATIONS_BYTES
    if name == "counts_release" and config is not None:
        return COUNT_BYTES * _counts(config.frame)
    return 0


def _counts(frame: FrameConfig) -> int:
    """How many counts are stated, about; of antennas, not how many there are, some."""
    slots = frame.period.days * 1_440 / frame.period.slot_min
    area = frame.area
    if area is None:
        return int(slots * _ANTENNAS)
    high, wide = area.north - area.south, area.east - area.west
    if area.unit == "degrees":
        high, wide = (
            high * _DEGREE_M,
            wide * _DEGREE_M * cos(radians((area.north + area.south) / 2)),
        )
    return int(slots * (high / frame.side_m + 1) * (wide / frame.side_m + 1))


def _of_recovery(fs: FingerprintSet, config: Any) -> float:
    """People by slots: where everyone was, is said to have been, and was paired with."""
    people = int(fs.weight.sum())
    if config.users is not None:
        people = min(people, config.users)
    end, begin = float((fs.t_min + fs.dt_min).max()), float(fs.t_min.min())
    slots = (end - begin) / float(config.slot_min)
    return COUNTS_BYTES_A_SAMPLE * fs.n_samples + CELL_BYTES * people * slots
