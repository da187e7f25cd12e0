"""Privacy-preserving techniques as plain data.

Each is a small frozen description, checked when it is made; what it does is in
:mod:`fpanon_core.anonymize`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from .checks import number, one_of, positive, share, whole
from .errors import ConfigError
from .periods import days_text
from .profiles import (
    AntennaClusters,
    GeneralizationProfile,
    Grid,
    Hexagons,
    Regions,
    Space,
    window_text,
)

SpaceNoise = Literal["planar_laplace", "gaussian"]
TimeNoise = Literal["laplace", "gaussian"]
What = Literal["positions", "times"]


@dataclass(frozen=True)
class Generalize:
    """Coarser places and times: :func:`fpanon_core.generalize`."""

    profile: GeneralizationProfile

    def __post_init__(self) -> None:
        if not isinstance(self.profile, GeneralizationProfile):
            raise ConfigError("Generalize takes a GeneralizationProfile, such as 1 km · 1 h.")

    def __str__(self) -> str:
        return str(self.profile)


@dataclass(frozen=True)
class SampleUsers:
    """A ``share`` of the users, in (0, 1]: :func:`fpanon_core.sample_users`."""

    share: float

    def __post_init__(self) -> None:
        kept = share("share", self.share, above_0=True, such_as="0.1 for 10 %")
        object.__setattr__(self, "share", kept)

    def __str__(self) -> str:
        return f"{self.share * 100:g} % of the users"


@dataclass(frozen=True)
class AddNoise:
    """Noise of these scales, metres and minutes: :func:`fpanon_core.add_noise`."""

    space_m: float = 0.0
    time_min: float = 0.0
    space: SpaceNoise = "planar_laplace"
    time: TimeNoise = "laplace"

    def __post_init__(self) -> None:
        for name in ("space_m", "time_min"):
            object.__setattr__(self, name, number(name, getattr(self, name), least=0.0))
        for name, known in (("space", get_args(SpaceNoise)), ("time", get_args(TimeNoise))):
            one_of(f"Noise in {name}", getattr(self, name), known)

    def __str__(self) -> str:
        parts = []
        if self.space_m:
            parts.append(f"{_metres(self.space_m)} ({_PLAIN[self.space]})")
        if self.time_min:
            parts.append(f"{window_text(self.time_min)} ({_PLAIN[self.time]})")
        return f"noise of {' and '.join(parts)}" if parts else "no noise"


@dataclass(frozen=True)
class Permute:
    """Positions exchanged in windows, or times in regions: :func:`fpanon_core.permute`."""

    what: What = "positions"
    window_min: float = 60.0
    region_m: float = 5_000.0

    def __post_init__(self) -> None:
        one_of("What is exchanged", self.what, get_args(What))
        for name in ("window_min", "region_m"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))

    def __str__(self) -> str:
        size = window_text(self.window_min) if self.what == "positions" else _metres(self.region_m)
        return f"{self.what} exchanged within {size}"


@dataclass(frozen=True)
class SuppressRare:
    """Bins of fewer than ``min_users`` users left out: :func:`fpanon_core.suppress_rare`."""

    min_users: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "min_users", whole("min_users", self.min_users, 1))

    def __str__(self) -> str:
        return f"bins of fewer than {self.min_users} users left out"


@dataclass(frozen=True)
class Glove:
    """Everyone in a crowd of ``k``: :func:`fpanon_core.glove`, limits in metres and minutes.

    Up to the share ``leave_out`` of the people, those hardest to hide, may be left out.
    """

    WORD: ClassVar[str] = "GLOVE"
    k: int
    suppress_space_m: float | None = None
    suppress_time_min: float | None = None
    leave_out: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k, 2))
        share = number("leave_out", self.leave_out, least=0.0, most=MOST_LEFT_OUT)
        object.__setattr__(self, "leave_out", share)
        for name in ("suppress_space_m", "suppress_time_min"):
            if getattr(self, name) is None:
                continue
            value = positive(name, getattr(self, name), otherwise="None for no limit")
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        limits = []
        if self.suppress_space_m is not None:
            limits.append(_metres(self.suppress_space_m))
        if self.suppress_time_min is not None:
            limits.append(window_text(self.suppress_time_min))
        within = f", within {' and '.join(limits)}" if limits else ""
        without = f", up to {self.leave_out * 100:g} % left out" if self.leave_out else ""
        return f"{self.WORD}, k = {self.k}{within}{without}"


@dataclass(frozen=True)
class Aligned(Glove):
    """Everyone in a crowd of ``k``: :func:`fpanon_core.aligned`, limits as of :class:`Glove`."""

    WORD: ClassVar[str] = "aligned"


MOST_LEFT_OUT = 0.1
"""Largest share of the people that may be left out because it costs most to hide them."""


@dataclass(frozen=True)
class Periods:
    """Cut into periods of ``days``, with pseudonyms of their own: :func:`fpanon_core.into_periods`.

    After it only what keeps the periods apart: coarser places and times, whose windows fit the
    periods; rare bins left out; and at last everyone in a crowd, in each period for itself.
    """

    days: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "days", whole("days", self.days, 1))

    def __str__(self) -> str:
        return f"periods of {days_text(self.days)}"


Step: TypeAlias = Generalize | SampleUsers | AddNoise | Permute | SuppressRare | Periods | Glove

_PLAIN = {"planar_laplace": "planar Laplace", "laplace": "Laplace", "gaussian": "Gaussian"}
KINDS: dict[str, type[Any]] = {
    "generalize": Generalize,
    "sample_users": SampleUsers,
    "add_noise": AddNoise,
    "permute": Permute,
    "suppress_rare": SuppressRare,
    "periods": Periods,
    "glove": Glove,
    "aligned": Aligned,
}
_SPACES: dict[str, type[Any]] = {
    "grid": Grid,
    "hexagons": Hexagons,
    "antennas": AntennaClusters,
    "regions": Regions,
}


def check_chain(steps: Sequence[Step]) -> None:
    """Whether the steps before and after periods keep these apart.

    A window that reached over the edge of a period would hide people of two periods together, or
    show in both pieces of a person that they are one person's.

    Raises
    ------
    ConfigError
        They do not.
    """
    at = [position for position, step in enumerate(steps) if isinstance(step, Periods)]
    if not at:
        return
    periods = steps[at[0]]
    assert isinstance(periods, Periods)
    if len(at) > 1:
        raise ConfigError("Periods stand twice in this option; keep one of the two.")
    for position, step in enumerate(steps):
        if isinstance(step, Generalize) and periods.days * 1_440 % step.profile.minutes:
            raise ConfigError(
                f"Windows of {window_text(step.profile.minutes)} reach over the edges of periods "
                f"of {days_text(periods.days)}; choose windows of which a period holds a whole "
                "number."
            )
        if position < at[0] and isinstance(step, Glove):
            raise ConfigError(f"{step.WORD} stands before periods; put it after them.")
        if position > at[0] and not isinstance(step, Generalize | SuppressRare | Glove):
            raise ConfigError(
                f"After periods a record is a part of a person's, and {step} is of whole people; "
                "put it before the periods."
            )


def step_to_dict(step: Step) -> dict[str, Any]:
    """A technique as plain values that JSON keeps."""
    technique = next(name for name, kind in KINDS.items() if type(step) is kind)
    if isinstance(step, Generalize):
        space = step.profile.space
        kind = next(name for name, of in _SPACES.items() if type(space) is of)
        known = {name: value for name, value in asdict(space).items() if value is not None}
        place = {"kind": kind, **known}  # without the origin of a grid whose origin is chosen
        return {"technique": technique, "space": place, "minutes": float(step.profile.minutes)}
    plain = asdict(step)
    if not plain.get("leave_out", True):
        del plain["leave_out"]
    return {"technique": technique, **plain}


def step_from_dict(plain: Any) -> Step:
    """Back from :func:`step_to_dict`; ConfigError if it is none."""
    fields = dict(plain) if isinstance(plain, Mapping) else {}
    technique = fields.pop("technique", None)
    if not isinstance(technique, str) or technique not in KINDS:
        raise ConfigError(
            f"A step names no known technique; give one of {', '.join(KINDS)} under 'technique'."
        )
    try:
        if technique == "generalize":
            place = dict(fields.pop("space"))
            space: Space = _SPACES[place.pop("kind")](**place)
            return Generalize(GeneralizationProfile(space, **fields))
        step: Step = KINDS[technique](**fields)
    except ConfigError:
        raise
    except (TypeError, KeyError, ValueError):
        raise ConfigError(
            f"A step of the technique {technique!r} lacks a parameter or has an unknown one; write "
            "steps as ReleaseOption.to_dict gives them."
        ) from None
    return step


def _metres(value: float) -> str:
    return f"{value / 1000:g} km" if value >= 1000 else f"{value:g} m"
