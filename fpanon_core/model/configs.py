"""Parameters of the measures; each class checks its values when an instance is made."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, get_args

from .checks import AT_LEAST_0, AT_LEAST_1, Checked, number, share
from .errors import ConfigError

Strategy = Literal["random", "uniform", "top", "consecutive"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)


@dataclass(frozen=True)
class StretchConfig:
    """Parameters of the sample stretch effort (Gramaglia & Fiore 2015, eq. 1–3).

    Attributes
    ----------
    w_space, w_time : float
        Weights of space and time, not negative, with a sum of 1. A loss
        (:func:`fpanon_core.mean_loss`, :func:`fpanon_core.aligned`) need not lie in [0, 1], so it
        also accepts weights of 1 and 1, for unweighted sums. Such weights are refused for an
        effort, which must lie in [0, 1].
    max_space_m : float
        Stretch in space (metres) at which the effort in space reaches its maximum.
    max_time_min : float
        Stretch in time (minutes) at which the effort in time reaches its maximum.
    """

    w_space: float = 0.5
    w_time: float = 0.5
    max_space_m: float = 20_000.0
    max_time_min: float = 480.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            number(name, value)
        apart = abs(self.w_space + self.w_time - 1) > 1e-9
        if self.w_space < 0 or self.w_time < 0 or (apart and not self.unweighted):
            raise ConfigError(
                f"w_space = {self.w_space:g} and w_time = {self.w_time:g}; the weights must not be "
                "negative and must add up to 1 (or be 1 and 1, for a loss)."
            )
        if self.max_space_m <= 0 or self.max_time_min <= 0:
            raise ConfigError(
                f"max_space_m = {self.max_space_m:g} and max_time_min = {self.max_time_min:g}; "
                "both must be positive."
            )

    @property
    def unweighted(self) -> bool:
        """Whether the weights are 1 and 1, which only a loss accepts."""
        return self.w_space == self.w_time == 1

    @property
    def of_effort(self) -> StretchConfig:
        """Parameters for an effort: weights of 1/2 in place of 1 and 1, otherwise unchanged."""
        return replace(self, w_space=0.5, w_time=0.5) if self.unweighted else self


@dataclass(frozen=True)
class Screening(Checked):
    """Conditions for keeping users (Gramaglia & Fiore 2015, §3); all that are given must hold.

    Attributes
    ----------
    every_day : bool
        At least one sample on every local day of the data set's span ("civ").
    active_days_share : float or None
        Active on *more than* this share of the days; "sen" is 0.75.
    min_samples : int or None
        At least this many samples.
    people_only : bool
        Not recorded day and night alike, as machines and test phones are ("people").
    """

    every_day: bool = False
    active_days_share: Annotated[float | None, partial(share, below_1=True)] = None
    min_samples: Annotated[int | None, AT_LEAST_1] = None
    people_only: bool = False

    @property
    def by_span(self) -> bool:
        """Whether a condition depends on the days from the data set's first record to its last."""
        return self.every_day or self.active_days_share is not None

    @classmethod
    def of(cls, rule: Any) -> Screening:
        """Make a Screening from None, a name, an integer, a dict or a Screening.

        The names are ``"civ"``, ``"sen"`` and ``"people"``; an integer is the least number of
        samples.

        Raises
        ------
        ConfigError
            The rule is none of these, or a value in it is not valid.
        """
        match rule:
            case None:
                return cls()
            case Screening():
                return rule
            case "civ":
                return cls(every_day=True)
            case "sen":
                return cls(active_days_share=0.75)
            case "people":
                return cls(people_only=True)
            case bool():
                pass
            case int():
                return cls(min_samples=rule)
            case dict():
                try:
                    return cls(**rule)
                except TypeError as fault:
                    raise ConfigError(
                        "A screening rule has only every_day, active_days_share, min_samples and "
                        "people_only."
                    ) from fault
        raise ConfigError(
            f"Unknown screening rule {rule!r}; give 'civ' (a sample on every day), 'sen' (active "
            "on more than 75% of days), 'people' (not recorded day and night alike), or a minimum "
            "number of samples."
        )

    @property
    def active(self) -> bool:
        """Whether any condition is set."""
        return self != Screening()


@dataclass(frozen=True)
class KnowledgeConfig(Checked):
    """Parameters of the attacker's knowledge: the points known, and the targets.

    Attributes
    ----------
    p : int
        Number of points known of each target, 1 or more.
    strategy : str
        ``"random"``: distinct bins drawn without replacement, with probability proportional to
        their counts; ``"uniform"``: the same with equal probabilities; ``"top"``: the most visited
        places, without time; ``"consecutive"``: samples that follow one another.
    users : int
        Number of targets drawn at random; everybody if the data have no more people than this.
    seed : int
        Seed of all draws.
    """

    p: Annotated[int, AT_LEAST_1] = 4
    strategy: Strategy = "random"
    users: Annotated[int, AT_LEAST_1] = 2500
    seed: Annotated[int, AT_LEAST_0] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.strategy not in STRATEGIES:
            raise ConfigError(
                f"Unknown strategy {self.strategy!r}; give one of {', '.join(STRATEGIES)}."
            )


@dataclass(frozen=True)
class UnicityConfig(KnowledgeConfig):
    """Parameters of :class:`KnowledgeConfig`, and what counts as singled out.

    Attributes
    ----------
    out_of : int
        Largest number of users in the anonymity set of a user who counts as singled out;
        with 1, only unique users count.
    """

    out_of: Annotated[int, AT_LEAST_1] = 1
