"""How much memory will a question take? From the size of the data, before it is asked.

Measured on generated call records of 500 to 8,000 people over 14 days, 33,000 to 480,000 samples,
in a child process by what it holds of its own at its peak, at k = 2 (22 November 2026): a start,
and so many bytes for each sample, which is from a tenth less to half more than what was measured.
Of an attack, which takes more where people are hidden in periods than of noise, the same number is
from a fifth less to half more.
Data beyond that range are taken to need memory in proportion, which nobody measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..model.fingerprints import FingerprintSet

START_BYTES = 180_000_000
"""Of a child before the data: Python, the libraries' own and the compiled kernels."""

BYTES_A_SAMPLE = {
    "anonymizability": 360,
    "attack": 700,
    "comparison": 450,  # GLOVE, several times in a row
    "disclosure": 350,
    "followed": 600,
    "hiding": 450,
    "options": 1_400,  # 16 of them one after another, whose releases are kept
    "unicity": 275,
}
"""By study: the data on their way and in place, and what is made of them at the peak."""


def needed_bytes(study: Callable[..., Any], fs: FingerprintSet | None) -> int | None:
    """Memory that a study's process is likely to take on some data; None where nobody measured it.

    Parameters
    ----------
    study : callable
        The study, of a module of this package.
    fs : FingerprintSet or None
        Its data.

    Examples
    --------
    >>> from fpanon_core.studies import hiding
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 9, 4])
    >>> needed_bytes(hiding.study, fs) - START_BYTES
    1350
    """
    each = BYTES_A_SAMPLE.get(study.__module__.rpartition(".")[2])
    return None if fs is None or each is None else START_BYTES + each * fs.n_samples
