"""What was made of some of the people, who were hidden by themselves."""

from __future__ import annotations

from dataclasses import dataclass

from .arrays import Codes, FloatArray, IntArray
from .published import GeneralizedFingerprintSet


@dataclass(frozen=True, eq=False)
class Part:
    """What was made of some of the people; row numbers are those within the part.

    Attributes
    ----------
    group : int64 ndarray (n_users,)
        As of :attr:`GloveResult.group`.
    published : GeneralizedFingerprintSet
    code : int8 ndarray (n_samples,)
        Why a sample is not published, as a row of :data:`fpanon_core.model.glove.REASONS`;
        −1 where it is.
    space_m, time_min : float64 ndarray (n_samples,)
        As of :attr:`GloveResult.accuracy`.
    left_over, left_out : int64 ndarray
    phantom_share : float
    """

    group: IntArray
    published: GeneralizedFingerprintSet
    code: Codes
    space_m: FloatArray
    time_min: FloatArray
    left_over: IntArray
    left_out: IntArray
    phantom_share: float
