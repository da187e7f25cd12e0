"""By what is the risk of a release judged, and how much of it is too much? Measures and limits.

What is asked first is the re-identification risk: the share of people whose record the strongest of
three attackers picks out. EM and KL are sums over a person's bins, for their means cannot compare
forms of different fineness. No authority has set a limit for mobility data; each says where it is
from.
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
    measure : str or None
        Of :class:`DisclosureResult`; None of what true points find.
    limit : float or None
        An option whose risk may be above it is marked, unless another limit is given. None for no
        limit: the measure is advisory, and no verdict rests on it until somebody sets one.
    most : float
        No limit is above it; infinite for a sum.
    source : str
        Where the limit is from: works by authors and year, or that it is ours.
    beside_guessing : bool
        Whether the limit is for what is found beyond what guessing finds.
    """

    measure: Measure | Sum | None
    limit: float | None
    most: float
    source: str
    beside_guessing: bool = False


HOME_WITHIN_M = 1_000.0
"""How near a guess of somebody's home must be, metres, for the home to be found."""

NAMING = ("outsider", "linkage", "k")
"""Chances of naming somebody: by whichever points are the worse, by true ones, by those published.
They have one limit."""

_NAMING = (
    "5 %: the probability of naming a record that El Emam et al. 2011 accept in a file for "
    "everybody's use, 0.04 to 0.05; theirs is of health data and of any one record, this is a mean "
    "over people"
)
_ADVISORY = "none: it compares options, and nobody has proposed a value to accept"


RISKS: Mapping[str, Risk] = MappingProxyType(
    {
        "outsider": Risk(None, 0.05, 1.0, _NAMING),
        "linkage": Risk(None, 0.05, 1.0, _NAMING),
        "k": Risk("k", 0.05, 1.0, _NAMING),
        "home": Risk(
            None, 0.05, 1.0,
            "5 of 100 people more than guessing finds: our default, not a norm; where many live "
            "near each other guessing finds many, and no release is to blame for that",
            beside_guessing=True,
        ),
        "unicity": Risk(
            "unicity", 0.05, 1.0,
            "5 %: one of the shares of unique people proposed for health data, which are 0, 5 and "
            "20 % (El Emam et al. 2010); for mobility data there is no norm",
        ),
        "em": Risk(
            "em_sum", None, float("inf"), _ADVISORY,
        ),
        "kl": Risk(
            "kl_sum", None, float("inf"), _ADVISORY,
        ),
    }
)  # fmt: skip
"""The measures of risk by name.

``"linkage"``: share of people whose record an outsider picks out who knows p true points of each
(:func:`fpanon_core.link`, tolerant reading). ``"k"``: the same chance by p points as they are
published. ``"outsider"``: of the two, that with the larger upper end of its interval. ``"home"``:
share of people whose home is found within 1 km by who has their record, and may know where all
others live (:func:`fpanon_core.home_found`). ``"unicity"``, ``"em"``, ``"kl"``: by points as
published.
"""


ALONE = "alone"
"""People whose whole record is like nobody else's: no measure of a few known points, but what
whoever knows more finds. Judged by the limit of ``"unicity"``, which is one for shares of unique
people: El Emam et al. 2010 ask who is unique by all that is published."""


def usual_limit(risk: str) -> float | None:
    """The limit of a measure of risk where none is given; None for an advisory measure.

    Raises
    ------
    ConfigError
        There is no such measure.

    Examples
    --------
    >>> usual_limit("outsider"), usual_limit("em")
    (0.05, None)
    """
    if risk not in RISKS:
        raise ConfigError(f"Unknown measure of risk {risk!r}; give one of {', '.join(RISKS)}.")
    return RISKS[risk].limit
