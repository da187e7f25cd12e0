"""Release options: chains of privacy-preserving techniques, with a name.

An option can be written down (:meth:`ReleaseOption.to_dict`) and read back equal, in a recipe or on
its way to another process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import ConfigError
from .profiles import GeneralizationProfile
from .spaces import Grid, Hexagons
from .techniques import (
    KINDS,
    AddNoise,
    Generalize,
    Periods,
    Permute,
    SampleUsers,
    Step,
    SuppressRare,
    check_chain,
    step_from_dict,
    step_to_dict,
)


@dataclass(frozen=True, init=False)
class ReleaseOption:
    """A named chain of techniques; the empty chain is the data as they are.

    Attributes
    ----------
    name : str
        What the steps say, if none is given.
    steps : tuple of Generalize, SampleUsers, AddNoise, Permute, SuppressRare, Periods, Glove
        Applied in this order.

    Raises
    ------
    ConfigError
        A step is none of these, they do not keep periods apart, or the name is no text.

    Examples
    --------
    >>> from fpanon_core import Glove, Grid
    >>> option = ReleaseOption(steps=[Generalize(GeneralizationProfile(Grid(1000), 60)), Glove(2)])
    >>> option.name
    '1 km · 1 h, then GLOVE, k = 2'
    >>> ReleaseOption.from_dict(option.to_dict()) == option
    True
    >>> ReleaseOption().name
    'as it is'
    """

    name: str
    steps: tuple[Step, ...]

    def __init__(self, name: str | None = None, steps: Sequence[Step] = ()) -> None:
        if not isinstance(steps, (list, tuple)):
            raise ConfigError("The steps of a release option are a list of techniques.")
        for step in steps:
            if not isinstance(step, tuple(KINDS.values())):
                raise ConfigError(
                    f"{type(step).__name__} is no technique; give one of "
                    f"{', '.join(kind.__name__ for kind in KINDS.values())}."
                )
        check_chain(steps)
        if name is not None and not isinstance(name, str):
            raise ConfigError("The name of a release option is a text.")
        object.__setattr__(self, "steps", tuple(steps))
        given = (name or "").strip()
        object.__setattr__(self, "name", given or self.text)

    @property
    def text(self) -> str:
        """What is done, in words."""
        return ", then ".join(map(str, self.steps)) or "as it is"

    @property
    def told(self) -> str:
        """The name, what is done where it does not say it, and how large hexagons are.

        Examples
        --------
        >>> from fpanon_core.model.profiles import GeneralizationProfile
        >>> ReleaseOption(None, [Generalize(GeneralizationProfile(Hexagons(7), 60))]).told
        'hexagons of H3 resolution 7 · 1 h, edges of about 1.4 km'
        """
        told = self.name if self.name == self.text else f"{self.name} ({self.text})"
        edges = [
            step.profile.space.edge_m
            for step in self.steps
            if isinstance(step, Generalize) and isinstance(step.profile.space, Hexagons)
        ]
        return f"{told}, edges of about {edges[-1] / 1000:.2g} km" if edges else told

    @property
    def moved(self) -> bool:
        """Whether noise or exchange moves points, so that what is published need not be true."""
        return any(isinstance(step, (AddNoise, Permute)) for step in self.steps)

    def holds(self, granularity_m: float, granularity_min: float) -> bool:
        """Whether what the last step is given still holds the raw samples whole.

        Each step before it leaves samples out, cuts them into periods, or puts them into grid
        cells and windows of a whole number of those before.

        Parameters
        ----------
        granularity_m, granularity_min : float
            Of the raw samples.

        Examples
        --------
        >>> from .techniques import AddNoise, Glove
        >>> ReleaseOption(None, [Glove(2)]).holds(100, 1)
        True
        >>> ReleaseOption(None, [AddNoise(500), Glove(2)]).holds(100, 1)
        False
        """
        side, window, corner = granularity_m, granularity_min, (0.0, 0.0)
        for step in self.steps[:-1]:
            if isinstance(step, Generalize):
                space, minutes = step.profile.space, step.profile.minutes
                if not isinstance(space, Grid):
                    return False
                origin = corner if space.origin is None else space.origin
                shifts = ((a - b) / side for a, b in zip(origin, corner, strict=True))
                ratios = (space.metres / side, minutes / window, *shifts)
                if any(ratio != round(ratio) for ratio in ratios):
                    return False
                side, window, corner = space.metres, minutes, origin
            elif not isinstance(step, SampleUsers | SuppressRare | Periods):
                return False
        return True

    def __str__(self) -> str:
        return self.name

    def to_dict(self) -> dict[str, Any]:
        """As plain values that JSON keeps."""
        return {"name": self.name, "steps": [step_to_dict(step) for step in self.steps]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ReleaseOption:
        """Back from :meth:`to_dict`.

        Raises
        ------
        ConfigError
            It describes no release option.
        """
        if not isinstance(plain, Mapping) or set(plain) - {"name", "steps"}:
            raise ConfigError('A release option is written as {"name": …, "steps": […]}.')
        steps = plain.get("steps", [])
        if not isinstance(steps, (list, tuple)):
            raise ConfigError("The steps of a release option are a list of techniques.")
        return cls(plain.get("name"), [step_from_dict(step) for step in steps])


def as_option(thing: Any) -> ReleaseOption:
    """A release option from whatever says one.

    Parameters
    ----------
    thing : ReleaseOption, GeneralizationProfile, technique, sequence of these, or (name, such)

    Raises
    ------
    ConfigError
        It says none.

    Examples
    --------
    >>> from fpanon_core import SampleUsers
    >>> as_option(("half", [SampleUsers(0.5)])).name, as_option(SampleUsers(0.5)).name
    ('half', '50 % of the users')
    """
    if isinstance(thing, ReleaseOption):
        return thing
    if isinstance(thing, Mapping):
        return ReleaseOption.from_dict(thing)
    if isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], str):
        return ReleaseOption(thing[0], as_option(thing[1]).steps)
    if isinstance(thing, GeneralizationProfile):
        return ReleaseOption(steps=(Generalize(thing),))
    if isinstance(thing, (list, tuple)):
        return ReleaseOption(steps=[step for part in thing for step in as_option(part).steps])
    return ReleaseOption(steps=(thing,))


def name_key(text: object) -> str:
    """By which names of options and domains are compared: no case, no superfluous spaces."""
    return " ".join(str(text).split()).casefold()
