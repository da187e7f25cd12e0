"""What does differential privacy promise? As :func:`fpanon_core.privacy_guarantee` gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Unit = Literal["user-slot", "user"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True)
class PrivacyGuarantee:
    """What differential privacy promises of counts over a stated frame.

    The ε of several publications about the same people add up, each of these figures for itself.

    Attributes
    ----------
    epsilon : float
        For one unit.
    unit : {"user-slot", "user"}
        What may differ between two data sets that nobody can tell apart: one person's records
        within one slot, or all of one person's records.
    sensitivity : int
        Largest change of all counts together when one unit changes (L1).
    scale : float
        Of the discrete Laplace noise on each count; its standard deviation is about √2 times this.
    n_slots : int
        Slots published.
    """

    epsilon: float
    unit: Unit
    sensitivity: int
    scale: float
    n_slots: int

    @property
    def epsilon_all(self) -> float:
        """ε for all of a person's records in the period together."""
        return self.epsilon * (1 if self.unit == "user" else self.n_slots)

    @property
    def epsilon_slot(self) -> float:
        """ε for the person's place in one slot, as it is counted.

        Where gaps are filled in, one record decides many slots: then no less than all of them, that
        is :attr:`epsilon_all`, bounds what one record gives away.
        """
        return self.epsilon / (self.n_slots if self.unit == "user" else 1)
