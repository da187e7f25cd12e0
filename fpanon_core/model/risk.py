"""By what is the risk of a release judged, and how much of it is too much? Measures and limits.

The measures are those of :class:`DisclosureResult`, EM and KL by their sums over a person's bins:
their means cannot compare forms of different fineness. A limit is where a form is marked when none
of one's own is given. No authority has set one for mobility data; each says where it is from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .disclosure import Measure, Sum
from .errors import ConfigError


@dataclass(frozen=True)
class Risk:
    """A measure of risk between release options, with its usual limit.

    Attributes
    ----------
    measure : str
        Of :class:`DisclosureResult`.
    limit : float
        An option whose risk may be above it is marked, unless another limit is given.
    most : float
        No limit is above it; infinite for a sum.
    source : str
        Where the limit is from: works by authors and year, or that it is ours.
    """

    measure: Measure | Sum
    limit: float
    most: float
    source: str


RISKS: Mapping[str, Risk] = MappingProxyType(
    {
        "unicity": Risk(
            "unicity", 0.05, 1.0,
            "5 %: one of the shares of unique people proposed for health data, which are 0, 5 and "
            "20 % (El Emam et al. 2010); for mobility data there is no norm",
        ),
        "k": Risk(
            "k", 0.05, 1.0,
            "0.05: the probability of naming a record that El Emam et al. 2011 accept in a file "
            "for everybody's use, 0.04 to 0.05; theirs is of health data and of any one record, "
            "this is a mean over people",
        ),
        "em": Risk(
            "em_sum", 8.0, float("inf"),
            "8 bins: our default, not a norm; twice the four points that the outsider is usually "
            "taken to know, which count themselves",
        ),
        "kl": Risk(
            "kl_sum", 10.0, float("inf"),
            "10 nats: our default, not a norm; as much as it takes to name one of 22,000 people "
            "(the natural logarithm of 22,026)",
        ),
    }
)  # fmt: skip
"""The measures of risk by name: ``"unicity"``, ``"k"``, ``"em"``, ``"kl"``."""


ALONE = "alone"
"""People whose whole record is like nobody else's: no measure of a few known points, but what
whoever knows more finds. Judged by the limit of ``"unicity"``, which is one for shares of unique
people: El Emam et al. 2010 ask who is unique by all that is published."""


def usual_limit(risk: str) -> float:
    """The limit of a measure of risk where none is given.

    Raises
    ------
    ConfigError
        There is no such measure.

    Examples
    --------
    >>> usual_limit("unicity"), usual_limit("em")
    (0.05, 8.0)
    """
    if risk not in RISKS:
        raise ConfigError(f"Unknown measure of risk {risk!r}; give one of {', '.join(RISKS)}.")
    return RISKS[risk].limit
