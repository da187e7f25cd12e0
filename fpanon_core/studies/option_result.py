"""What one release option risks and is worth, and by which utility it is judged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd

from ..measures.pareto import asked_utility
from ..measures.utility import score, score_range
from ..model.disclosure import RISKS
from ..model.errors import ConfigError, SchemaError
from ..model.options import Generalize, ReleaseOption, name_key
from ..model.profiles import Grid, Origin
from ..model.utility import COMPONENTS as COMPONENTS
from ..model.utility import WEIGHTINGS as WEIGHTINGS
from ..model.utility import weighting

Interval = tuple[float, float, float]
LOST = 0.1
"""A component of which less than this is kept is all but lost."""
_WEIGHTY = 0.2

CUSTOM = "custom"
"""Name of a risk or utility given as a function."""

FIGURES = 4
"""Raised whenever an option's figures change for the same data, settings and seed: what was saved
by a program of another number is not used again. 2: EM and KL are sums, intervals hold for few
targets, the resolution is the release's own. 3: linkage, homes found, and the worse of linkage and
k are among the risks. 4: risks are those of the strongest attacker of a battery, density and flows
are means over nine corners of the areas."""


@dataclass(frozen=True)
class OptionResult:
    """What one option would release, and what that risks and is worth.

    Attributes
    ----------
    option : ReleaseOption
    risks : dict of str to (value, low, high)
        Those of :data:`fpanon_core.model.disclosure.RISKS` with their 95% intervals, NaN where one
        cannot be asked; ``"custom"`` if given. EM and KL are sums over the bins of a person, in
        bins and nats. No interval of unicity, k and linkage reaches above what the people who share
        a record leave possible.
    components : dict of str to float
        Of the computed utility, in [0, 1]; NaN where one is not applicable.
    corners : dict of str to tuple of float
        Components that hang on where squares have their corners, at each; empty where not known.
    areas : str
        On what density and flows were compared; empty where it is not known.
    n_users, n_samples : int
        Subscribers and samples released.
    users_share : float
        Share of the original's subscribers that are in the release.
    suppressed_share : float
        Share of samples that suppression left out, of those it was given; 0 without suppression.
    crowd_least : int
        People who share the record that fewest do: 1 where somebody's is like nobody else's.
    alone_share : float
        Share of the people whose record is like nobody else's.
    naming_most : float
        Mean over people of 1 / those who share the record: what whoever knows a whole record has
        for a chance of naming the person.
    too_few, n_targets : int
        Targets with fewer than p bins in the release, of how many.
    seconds : float
        Taken; less where the process had made the release before.
    fault : str or None
        Why there is no result; then the figures are empty.
    origin : (x_m, y_m) or None
        A corner of the square grid that places were last generalized to; None without one.
    attacker : str
        The strongest attacker, whose re-identification risk this is
        (:attr:`fpanon_core.RiskResult.attacker`); empty where it is not known.
    guessing : dict of str to float
        ``"linkage"`` and ``"home"``: the share that guessing would find, who has no record.
    unasked : dict of str to str
        Of the measures that cannot be asked of this option, why.
    homes_asked : int
        Of how many people, with periods of how many records, the share of homes is: those in the
        release whose nights are recorded. 0 where no home can be asked, or it is not known.
    size : dict of str to float
        How coarse the typical published sample is, beside the data, by the names of
        :class:`fpanon_core.studies.release_facts.Size`; empty where it is not known.
    """

    option: ReleaseOption
    risks: dict[str, Interval] = field(default_factory=dict)
    components: dict[str, float] = field(default_factory=dict)
    corners: dict[str, tuple[float, ...]] = field(default_factory=dict)
    areas: str = ""
    n_users: int = 0
    n_samples: int = 0
    users_share: float = math.nan
    suppressed_share: float = math.nan
    crowd_least: int = 0
    alone_share: float = math.nan
    naming_most: float = math.nan
    too_few: int = 0
    n_targets: int = 0
    seconds: float = 0.0
    fault: str | None = None
    origin: Origin | None = None
    attacker: str = ""
    guessing: dict[str, float] = field(default_factory=dict)
    unasked: dict[str, str] = field(default_factory=dict)
    homes_asked: int = 0
    size: dict[str, float] = field(default_factory=dict)

    @property
    def grid(self) -> Grid | None:
        """The square grid that places were last generalized to, with its origin; None without."""
        spaces = [s.profile.space for s in self.option.steps if isinstance(s, Generalize)]
        if not spaces or not isinstance(spaces[-1], Grid):
            return None
        return Grid(spaces[-1].metres, self.origin)

    def risk(self, name: str) -> Interval:
        """A risk and its interval; NaN where it is not known."""
        return self.risks.get(name, (math.nan, math.nan, math.nan))

    def allowed(self, name: str, limit: float) -> float:
        """The largest risk within a limit: beside what guessing finds, where the limit is so.

        NaN, which nothing is within, where what guessing finds is not known.
        """
        if name in RISKS and RISKS[name].beside_guessing:
            return limit + self.guessing.get(name, math.nan)
        return limit

    @property
    def alone(self) -> int:
        """People whose record is like nobody else's."""
        return 0 if math.isnan(self.alone_share) else round(self.alone_share * self.n_users)

    def to_dict(self) -> dict[str, Any]:
        """As plain values that JSON keeps; None for what is not known."""
        values = {**asdict(self), "option": self.option.to_dict()}
        return {name: _plain(value) for name, value in values.items()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> OptionResult:
        """Back from :meth:`to_dict`; SchemaError if it is none."""
        try:
            # Programs before figure 4 did not write all of them.
            values = {"corners": {}, "guessing": {}, "unasked": {}, "size": {}} | dict(plain)
            values["option"] = ReleaseOption.from_dict(values["option"])
            for name in ("risks", "corners"):
                values[name] = {str(n): tuple(map(_number, v)) for n, v in values[name].items()}
            for name in ("components", "guessing", "size"):
                values[name] = {str(n): _number(v) for n, v in values[name].items()}
            for name in ("users_share", "suppressed_share", "alone_share", "naming_most"):
                values[name] = _number(values.get(name))
            if values.get("origin") is not None:
                x, y = values["origin"]
                values["origin"] = float(x), float(y)
            values["attacker"] = str(values.get("attacker", ""))
            values["unasked"] = {str(n): str(v) for n, v in values["unasked"].items()}
            return cls(**values)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise SchemaError(
                "A saved result of an option is damaged; explore the options anew."
            ) from None


@dataclass(frozen=True, eq=False)
class Asked:
    """Utility as the experts of one ``domain`` scored it in a questionnaire ``frame``."""

    frame: pd.DataFrame
    domain: str


@dataclass(frozen=True)
class UtilityChoice:
    """Which utility a table shows.

    Attributes
    ----------
    label : str
        ``"transport"``, ``"epidemics"``, ``"own weights"``, ``"asked: DOMAIN"`` or ``"custom"``.
    weights : dict of str to float, or None
        Of the computed components, adding up to 1.
    asked : dict of str to float, or None
        Mean score of each option, by its name in lower case, in [0, 1].
    """

    label: str
    weights: dict[str, float] | None = None
    asked: dict[str, float] | None = None

    def of(self, result: OptionResult) -> float:
        """The utility of one option; NaN where it is not known."""
        if self.asked is not None:
            names = (result.option.name, result.option.text)
            return next(
                (self.asked[name_key(n)] for n in names if name_key(n) in self.asked), math.nan
            )
        if result.fault is not None or not result.components:
            return math.nan
        if self.weights is None:
            return result.components.get(CUSTOM, math.nan)
        return score(result.components, self.weights)

    def ends(self, result: OptionResult) -> tuple[float, float]:
        """Least and greatest utility of a corner of the areas; NaN where there is no such."""
        if self.weights is None or result.fault is not None or not result.components:
            return math.nan, math.nan
        return score_range(result.components, result.corners, self.weights)

    def lost(self, result: OptionResult) -> tuple[str, ...]:
        """Components that weigh 0.2 or more of 1, and of which less than 0.1 is kept; or none."""
        return tuple(
            name
            for name, weight in (self.weights or {}).items()
            if weight >= _WEIGHTY and not result.components.get(name, 1.0) >= LOST
        )


def utility_choice(utility: Any) -> UtilityChoice:
    """Which utility is meant; see :func:`fpanon_core.explore_options`.

    Raises
    ------
    ConfigError
        None that is known.
    """
    match utility:
        case UtilityChoice():
            return utility
        case Asked(frame=frame, domain=domain) | ("asked", frame, domain):
            means = asked_utility(frame, domain)
            pairs = zip(means["option"], means["mean"], strict=True)
            return UtilityChoice(
                f"asked: {domain}", asked={name_key(o): float(m) for o, m in pairs}
            )
        case str():
            return UtilityChoice(utility, weights=weighting(utility))
        case Mapping():
            return UtilityChoice("own weights", weights=weighting(utility))
    if callable(utility):
        return UtilityChoice(CUSTOM)
    raise ConfigError(
        "Utility is a named weighting, weights by component, answers of a questionnaire, or a "
        "function of the original and the released data."
    )


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _number(value: Any) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)
