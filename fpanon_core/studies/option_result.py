"""Risks and utility of one release option, and the choice of a measure of utility."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd

from ..measures.pareto import asked_utility
from ..measures.utility import score, score_range
from ..model.disclosure import RISKS
from ..model.errors import ConfigError, SchemaError
from ..model.options import Generalize, ReleaseOption, Synthesize, Tables, name_key
from ..model.profiles import Grid, Origin
from ..model.purpose import PURPOSES
from ..model.utility import COMPONENTS as COMPONENTS
from ..model.utility import WEIGHTINGS as WEIGHTINGS
from ..model.utility import weighting

Interval = tuple[float, float, float]
LOST = 0.1
"""Share of the way from what even shares keep to 1; below it, too little of a component is kept."""
HOURS = "hours"
"""Name of what a purpose by hour needs besides components of utility: differences between hours."""
MOSTLY_STATED = 2_000
"""Number of people times ε below which noise hides the hours of the day of synthetic people."""
_DAY_MIN = 1_440.0
_WEIGHTY = 0.2

FIGURES = 8
"""Version of the figures, raised whenever they change for the same data, settings and seed.

Results saved with another number are not reused. The versions changed the following.

* 2: EM and KL are sums. Intervals are valid for few targets, too. The resolution is that of the
  release.
* 3: Linkage, homes found, and the worse of linkage and k are among the risks.
* 4: Risks are those of the strongest attacker of a stated set. Density and flows are means over
  nine origins of the grid of squares.
* 5: Results of tables state whether differences between hours show.
* 6: Utility with noise is a mean over draws. Density and flows are compared with even shares.
* 7: Results of tables state whether all areas have the same profile over the week.
* 8: Results with noise state what the draw that keeps least keeps, and whether any draw hides the
  hours.
"""


@dataclass(frozen=True)
class OptionResult:
    """Size, risks and utility of the release that one option would make.

    Attributes
    ----------
    option : ReleaseOption
    risks : dict of str to (value, low, high)
        The measures of :data:`fpanon_core.model.disclosure.RISKS` with their 95% intervals, NaN
        where one cannot be measured. EM and KL are sums over the bins of a person, in bins and
        nats. The number of people who share a record bounds re-identification risk, linkage,
        unicity and k. The intervals of these measures end at the bound, or at the value if that is
        larger.
    components : dict of str to float
        Components of the computed utility, in [0, 1]; NaN where one is not applicable.
    corners : dict of str to tuple of float
        Components with a value for each origin of the grid of squares; with noise, for each draw
        and origin. Empty where not known.
    areas : str
        Areas in which density and flows were compared; empty where not known.
    n_users, n_samples : int
        Numbers of people and samples released.
    users_share : float
        Share of the people in the original who are in the release.
    suppressed_share : float
        Of the samples given to suppression, the share that it left out; 0 without suppression.
    crowd_least : int
        Smallest number of people who share a record: 1 with a unique record, 0 without records.
    alone_share : float
        Share of people whose record is unique.
    naming_most : float
        Mean over people of 1 / the number of people who share their record: the chance that an
        attacker who knows a whole record picks the right person.
    too_few, n_targets : int
        Number of targets with fewer than p bins in the release, and of all targets.
    seconds : float
        Time taken; less where the process had made the release before.
    fault : str or None
        Why there is no result; then the figures are empty.
    origin : (x_m, y_m) or None
        A corner of the square grid that places were last generalized to; None without one.
    attacker : str
        The strongest attacker, who sets the re-identification risk
        (:attr:`fpanon_core.RiskResult.attacker`); empty where it is not known.
    guessing : dict of str to float
        ``"linkage"`` and ``"home"``: the share that guessing without a record would find.
        ``"density"`` and ``"flows"``: these components for a release of even shares, which shows
        nothing of where people are (:attr:`fpanon_core.measures.utility.Reference.even`).
    unasked : dict of str to str
        Reason why a measure cannot be measured for this option, by the measure's name.
    homes_asked : int
        Denominator of the home-inference rate: people (with periods, records) in the release whose
        nights are recorded. 0 where no home can be measured, or the number is not known.
    size : dict of str to float
        Size of the typical published sample and of the data, by the names of
        :class:`fpanon_core.studies.release_facts.Size`; empty where not known.
    hours_hidden : bool
        Whether a private table of people shows no difference between hours, in any draw.
    one_profile : bool
        Whether all areas of such a table have the same profile over the week, in most draws.
    least : dict of str to float
        Each component in the draw of noise that keeps least of it; empty without noise.
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
    hours_hidden: bool = False
    one_profile: bool = False
    least: dict[str, float] = field(default_factory=dict)

    @property
    def grid(self) -> Grid | None:
        """The square grid of the last generalization, with its origin; None without one."""
        spaces = [s.profile.space for s in self.option.steps if isinstance(s, Generalize)]
        if not spaces or not isinstance(spaces[-1], Grid):
            return None
        return Grid(spaces[-1].metres, self.origin)

    def risk(self, name: str) -> Interval:
        """Return a risk and its interval; NaN where it is not known."""
        return self.risks.get(name, (math.nan, math.nan, math.nan))

    def allowed(self, name: str, limit: float) -> float:
        """Return the largest risk that a threshold accepts.

        If the threshold applies to the excess over guessing, the share that guessing finds is
        added. If that share is not known, return NaN, and no risk is accepted.
        """
        if name in RISKS and RISKS[name].beside_guessing:
            return limit + self.guessing.get(name, math.nan)
        return limit

    def needed(self, component: str) -> float:
        """Return the least value of a component of utility that a purpose can use.

        It lies a tenth of the way from the value for a release of even shares to 1. Such a release
        shows nothing of where people are.
        """
        even = self.guessing.get(component, 0.0)
        return even + LOST * (1 - even)

    @property
    def hourless(self) -> bool:
        """Whether the release shows no differences between hours, or only stated ones.

        This is so for time windows of a day or more, tables without people by time of day, and
        noise that exceeds the differences. It is also so for synthetic people where ε times the
        number of people is below :data:`MOSTLY_STATED`: their hours follow a fixed profile.
        """
        step = self.option.recordless
        if isinstance(step, Tables):
            return self.hours_hidden or step.bands == 1 or "presence" not in step.CONTENTS
        if isinstance(step, Synthesize):
            return self.n_users * step.epsilon < MOSTLY_STATED
        wide = [s.profile.minutes for s in self.option.steps if isinstance(s, Generalize)]
        return max(wide, default=0.0) >= _DAY_MIN

    @property
    def alone(self) -> int:
        """Number of people with a unique record; 0 where the share is not known."""
        return 0 if math.isnan(self.alone_share) else round(self.alone_share * self.n_users)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can store; None for what is not known."""
        values = {**asdict(self), "option": self.option.to_dict()}
        plain: dict[str, Any] = json.loads(json.dumps(values), parse_constant=lambda _: None)
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> OptionResult:
        """Read the result of :meth:`to_dict`; raise SchemaError if it is damaged."""
        try:
            # Programs before version 4 of the figures did not write all of these.
            later = ("corners", "guessing", "unasked", "size", "least")
            values = {key: {} for key in later} | dict(plain)
            values["option"] = ReleaseOption.from_dict(values["option"])
            for name in ("risks", "corners"):
                values[name] = {str(n): tuple(map(_number, v)) for n, v in values[name].items()}
            for name in ("components", "guessing", "size", "least"):
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
                "A saved result of an option is damaged; explore the options again."
            ) from None


@dataclass(frozen=True, eq=False)
class Asked:
    """Answers to a questionnaire on utility, in ``frame``; only experts in ``domain`` count."""

    frame: pd.DataFrame
    domain: str


@dataclass(frozen=True)
class UtilityChoice:
    """The utility that a table shows.

    Attributes
    ----------
    label : str
        Name of a weighting or purpose, such as ``"transport"``; ``"own weights"``; or
        ``"asked: DOMAIN"`` for experts in a domain.
    weights : dict of str to float, or None
        Weights of the computed components, adding up to 1.
    asked : dict of str to float, or None
        Mean score of each option, by its name in lower case, in [0, 1].
    """

    label: str
    weights: dict[str, float] | None = None
    asked: dict[str, float] | None = None

    @property
    def title(self) -> str:
        """The label in words, such as "transport, by experts"."""
        if self.asked is None:
            return self.label
        return f"{self.label.removeprefix('asked: ')}, by experts"

    def of(self, result: OptionResult) -> float:
        """Return the utility of one option; NaN where it is not known."""
        if self.asked is not None:
            names = (name_key(result.option.name), name_key(result.option.text))
            return next((self.asked[name] for name in names if name in self.asked), math.nan)
        if self.weights is None or result.fault is not None or not result.components:
            return math.nan
        return score(result.components, self.weights)

    def ends(self, result: OptionResult) -> tuple[float, float]:
        """Return the least and greatest utility over origins of the areas' grid, and over draws.

        Both are NaN if unknown.
        """
        if self.weights is None or result.fault is not None or not result.components:
            return math.nan, math.nan
        return score_range(result.components, result.corners, self.weights)

    @property
    def weighty(self) -> tuple[str, ...]:
        """Components with a weight of 0.2 or more; none where the utility is not a weighted sum."""
        return tuple(n for n, weight in (self.weights or {}).items() if weight >= _WEIGHTY)

    def lost(self, result: OptionResult) -> tuple[str, ...]:
        """Return the components with a weight of 0.2 or more whose value is too low.

        With noise, the draw that keeps least decides, because the release is yet another draw. A
        component that is not applicable (NaN) is among them.
        """
        kept = result.components | result.least
        return tuple(n for n in self.weighty if not kept.get(n, 1.0) >= result.needed(n))

    def too_little(self, result: OptionResult) -> list[str]:
        """Return the components of :meth:`lost` that apply, and "hours" if needed and missing."""
        kept, purpose = result.components, PURPOSES.get(self.label)
        told = [n for n in self.lost(result) if not math.isnan(kept.get(n, math.nan))]
        by_hour = purpose is not None and purpose.by_hour and self.weights is not None
        return told + [HOURS] * (by_hour and result.hourless)


def utility_choice(utility: Any) -> UtilityChoice:
    """Return the :class:`UtilityChoice` of a utility; see :func:`fpanon_core.explore_options`.

    Raises
    ------
    ConfigError
        The utility is of no known kind, or its weights or answers are not valid.
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
    raise ConfigError(
        "This is not a utility. Give a named weighting, weights by component, or answers to a "
        "questionnaire."
    )


def _number(value: Any) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)
