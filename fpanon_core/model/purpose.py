"""Purpose and recipient of a release, which determine all its weights and thresholds.

Thresholds of re-identification: De-Identification Guidelines for Structured Data (Information and
Privacy Commissioner of Ontario, 2025). Chances of an attempt by a recipient under contract: El Emam
2013, Guide to the De-Identification of Personal Health Information.

Source: docs/science.md, “Purpose, recipient and advice”.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from .checks import one_of
from .errors import ConfigError
from .profiles import Hexagons, Regions
from .utility import WEIGHTINGS, Weights, weighting


@dataclass(frozen=True)
class Purpose:
    """Purpose of a release, with its weights of utility.

    Attributes
    ----------
    name : str
    weights : str or mapping of str to float
        Weights of utility: the name of a weighting, or weights of its components.
    areas : float, Hexagons, Regions or None
        Areas for comparing density and flows: the side of squares, metres; hexagons; or regions of
        the antenna table. The usual squares if None.
    title : str
        Name on screen; ``name`` if not given.
    useful : str
        What a useful release shows, in one sentence.
    by_hour : bool
        Whether a release without differences between hours is of no use.

    Raises
    ------
    ConfigError
        The name is missing, or the weights are not valid.

    Examples
    --------
    >>> PURPOSES["travel"].title, Purpose("buses", {"flows": 1}).title
    ('Travel between areas', 'buses')
    """

    name: str
    weights: Weights
    areas: float | Hexagons | Regions | None = None
    title: str = ""
    useful: str = ""
    by_hour: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ConfigError("A purpose needs a name, such as 'travel'.")
        object.__setattr__(self, "weights", MappingProxyType(weighting(self.weights)))
        object.__setattr__(self, "title", self.title or self.name)


_TABLE = Path(__file__).with_suffix(".toml")
PURPOSES: Mapping[str, Purpose] = MappingProxyType(
    {
        name: Purpose(name, WEIGHTINGS[name], **said)
        for name, said in tomllib.loads(_TABLE.read_text(encoding="utf-8")).items()
    }
)
"""Purposes that are offered, by name."""


def as_purpose(purpose: Purpose | str) -> Purpose:
    """Return a purpose unchanged, or the offered purpose with the given name.

    Raises
    ------
    ConfigError
        There is no purpose of that name.
    """
    if isinstance(purpose, Purpose):
        return purpose
    if purpose not in PURPOSES:
        raise ConfigError(f"Unknown purpose {purpose!r}; give one of {', '.join(PURPOSES)}.")
    return PURPOSES[purpose]


LEVELS = ("low", "medium", "high")
RECIPIENTS: Mapping[str, str] = MappingProxyType(
    {"anyone": "Anyone", "contract": "Recipients under contract", "room": "A secure room"}
)
"""Kinds of recipient, and their names on screen."""

THRESHOLDS: Mapping[str, float] = MappingProxyType({"low": 0.09, "medium": 0.075, "high": 0.05})
"""Largest accepted re-identification risk if an attack is certain, by sensitivity of the data."""

ATTEMPTS: Mapping[str, tuple[float, float, float]] = MappingProxyType(
    {"high": (0.05, 0.1, 0.15), "medium": (0.2, 0.25, 0.3), "low": (0.4, 0.5, 0.6)}
)
"""Chances of an attack by recipients other than "anyone": by controls, for low, medium and high
motive."""

_MOST = 1 / 3  # the risk in groups of three, for any recipient
_SENSITIVE = {"low": "less", "medium": "moderately", "high": "highly"}


@dataclass(frozen=True)
class Recipient:
    """Recipient of a release, who determines the largest accepted re-identification risk.

    Attributes
    ----------
    kind : {"anyone", "contract", "room"}
        Anyone at all; named people under contract; people in a secure room.
    controls : {"low", "medium", "high"}
        How well the recipient guards the data. Default: low; high in a secure room. None for
        "anyone".
    motive : {"low", "medium", "high"}
        How willing and able the recipient may be to attack. Default: high. None for "anyone".
    sensitivity : {"low", "medium", "high"}
        Sensitivity of the data. Records of people's locations are highly sensitive.

    Raises
    ------
    ConfigError
        A value is not accepted, controls or motive are given for the kind "anyone", or the
        controls of a secure room are not high.

    Examples
    --------
    >>> Recipient("anyone").threshold
    0.05
    >>> Recipient("contract", "medium", "medium").threshold
    0.2
    >>> Recipient("contract").threshold >= 1 / 12
    True
    >>> round(Recipient("room").threshold, 3)
    0.333
    """

    kind: str
    controls: str | None = None
    motive: str | None = None
    sensitivity: str = "high"

    def __post_init__(self) -> None:
        if self.kind not in tuple(RECIPIENTS):
            raise ConfigError(
                f"Unknown recipient {self.kind!r}; give one of {', '.join(RECIPIENTS)}."
            )
        one_of("sensitivity", self.sensitivity, LEVELS)
        if self.kind == "anyone":
            if self.controls is not None or self.motive is not None:
                raise ConfigError("'anyone' has no controls or motive; leave them out.")
        else:
            controls = self.controls or ("high" if self.kind == "room" else "low")
            object.__setattr__(self, "controls", controls)
            object.__setattr__(self, "motive", self.motive or "high")
            one_of("The level of controls", controls, LEVELS)
            one_of("motive", self.motive, LEVELS)
        if self.kind == "room" and self.controls != "high":
            raise ConfigError("A secure room has high controls; with weaker ones, choose contract.")

    @property
    def attempt(self) -> float:
        """Assumed chance that the recipient attacks, in (0, 1]."""
        if self.controls is None or self.motive is None:
            return 1.0
        return ATTEMPTS[self.controls][LEVELS.index(self.motive)]

    @property
    def threshold(self) -> float:
        """Largest accepted re-identification risk if an attack happens, at most 1/3."""
        # Rounded up; otherwise groups of 12 would be above the threshold of 1 in 12.
        most = THRESHOLDS[self.sensitivity] / self.attempt
        return min(_MOST, math.ceil(1e10 * most - 1e-3) / 1e10)

    @property
    def title(self) -> str:
        """Name of the recipient on screen."""
        return RECIPIENTS[self.kind]

    @property
    def because(self) -> str:
        """Source of the threshold for re-identification, in one short sentence.

        Examples
        --------
        >>> print(Recipient("anyone").because)
        Ontario's privacy commissioner accepts 5% for highly sensitive data.
        >>> print(Recipient("contract").because)
        Ontario's privacy commissioner accepts 5% if an attack is certain; here it is 60% likely \
(El Emam 2013).
        """
        if self.threshold == _MOST:
            return "No more than 1 in 3 is accepted for any recipient."
        accepted = f"{100 * THRESHOLDS[self.sensitivity]:g}%"
        how = f"for {_SENSITIVE[self.sensitivity]} sensitive data"
        if self.attempt < 1:
            likely = f"{100 * self.attempt:g}% likely (El Emam 2013)"
            how = f"if an attack is certain; here it is {likely}"
        return f"Ontario's privacy commissioner accepts {accepted} {how}."

    @property
    def sentence(self) -> str:
        """Assumptions about the recipient, and the resulting threshold with its source.

        Examples
        --------
        >>> print(Recipient("anyone").sentence)
        Anyone may get the release, so an attack is certain. The threshold for re-identification \
is 5%, for highly sensitive data (IPC Ontario 2025).
        """
        accepted = f"{100 * THRESHOLDS[self.sensitivity]:g}%"
        source = f"for {_SENSITIVE[self.sensitivity]} sensitive data (IPC Ontario 2025)"
        if self.kind == "anyone":
            return (
                "Anyone may get the release, so an attack is certain. The threshold for "
                f"re-identification is {accepted}, {source}."
            )
        who = "People in a secure room" if self.kind == "room" else "Recipients under contract"
        capped = THRESHOLDS[self.sensitivity] / self.attempt > _MOST + 1e-9
        return (
            f"{who} get the release. We assume {self.controls} controls and {self.motive} motive, "
            f"and so a chance of {100 * self.attempt:g}% that the recipients attempt "
            "re-identification (El Emam 2013). The threshold for re-identification is "
            + (
                "1 in 3, the most that is ever accepted."
                if capped
                else f"{accepted} / {self.attempt:g} = {100 * self.threshold:.3g}%, {source}."
            )
        )
