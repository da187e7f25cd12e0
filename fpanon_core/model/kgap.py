"""How far is everyone from hiding? The answer, as :func:`fpanon_core.k_gap` gives it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .arrays import FloatArray, IntArray
from .checks import is_whole
from .configs import StretchConfig
from .errors import ConfigError


@dataclass(frozen=True, eq=False)
class KGapResult:
    """Everyone's k-gap (Gramaglia & Fiore 2015, eq. 5).

    Attributes
    ----------
    values : float64 ndarray (n_measured,)
        Mean stretch effort to the k − 1 nearest fingerprints, in [0, 1]; 0 = already k-anonymous.
    neighbours : int64 ndarray (n_measured, k − 1)
        Row numbers of those fingerprints, nearest first; ties: lower row number first.
    stretch : float64 ndarray (n_measured, k − 1)
        Their fingerprint stretch efforts.
    k : int
    users : int64 ndarray (n_measured,)
        Row numbers of the users measured.
    config : StretchConfig
    digest : str
        Digest of the fingerprints measured.
    """

    values: FloatArray
    neighbours: IntArray
    stretch: FloatArray
    k: int
    users: IntArray
    config: StretchConfig
    digest: str

    def at(self, k: int) -> KGapResult:
        """The result for a smaller k, without a new run.

        Raises
        ------
        ConfigError
            If k is not an integer in 2 … self.k.
        """
        if not (is_whole(k) and 2 <= k <= self.k):
            raise ConfigError(
                f"k = {k!r}; this result serves 2 … {self.k}. Run again for a larger k."
            )
        if k == self.k:
            return self
        stretch = self.stretch[:, : k - 1]
        return replace(
            self,
            k=int(k),
            stretch=stretch,
            neighbours=self.neighbours[:, : k - 1],
            values=stretch.mean(axis=1),
        )
