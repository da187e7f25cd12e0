"""What does differential privacy promise? As :func:`fpanon_core.privacy_guarantee` gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Unit = Literal["user-slot", "user"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True)
class PrivacyGuarantee:
    """What differential privacy promises.

    Attributes
    ----------
    epsilon : float
    unit : str
    sensitivity : int
        Largest change of all counts together when one unit changes.
    scale : float
        Of the discrete Laplace noise on each count; its standard deviation is about √2 times this.
    """

    epsilon: float
    unit: Unit
    sensitivity: int
    scale: float
