"""Release options: named chains of privacy-preserving techniques, as plain data.

An option can be written as plain values (:meth:`ReleaseOption.to_dict`), in a recipe or for another
process. The option restored from the plain values equals the original. Each technique is a small
frozen description, checked when it is made; :mod:`fpanon_core.anonymize` applies it.

:class:`PrivacyGuarantee` is what :func:`fpanon_core.privacy_guarantee` returns: the promise of
differential privacy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, get_args

from . import checks
from .counts_frame import FrameConfig
from .errors import ConfigError
from .limits import EPSILON, SUPPRESSED_BELOW
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


@dataclass(frozen=True, init=False)
class ReleaseOption:
    """A named chain of techniques; an empty chain leaves the data unchanged.

    Attributes
    ----------
    name : str
        Name; a description of the steps if none is given.
    steps : tuple of Generalize, SampleUsers, AddNoise, Permute, SuppressRare, Periods, Glove
        Techniques, applied in this order. :class:`Aligned` counts as a Glove. A single
        :class:`Tables`, :class:`Presence`, :class:`Flows` or :class:`Synthesize` is also possible.

    Raises
    ------
    ConfigError
        A step is not one of these, or the steps are not a list or tuple. Or a step that publishes
        no records is not the only one, or the steps do not keep periods apart. Or a given name is
        not a text.

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
            raise ConfigError("The steps of a release option must be a list of techniques.")
        for step in steps:
            if not isinstance(step, tuple(KINDS.values())):
                raise ConfigError(
                    f"{type(step).__name__} is not a technique; give one of "
                    f"{', '.join(kind.__name__ for kind in KINDS.values())}."
                )
        check_chain(steps)
        if name is not None and not isinstance(name, str):
            raise ConfigError("The name of a release option must be text.")
        object.__setattr__(self, "steps", tuple(steps))
        given = (name or "").strip()
        object.__setattr__(self, "name", given or self.text)

    @property
    def text(self) -> str:
        """Description of the steps in words."""
        return ", then ".join(map(str, self.steps)) or "as it is"

    @property
    def told(self) -> str:
        """Name, with the steps if the name does not state them, and with the size of hexagons.

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
    def tables(self) -> Tables | None:
        """Tables that are published in place of records; None where records are published."""
        step = self.recordless
        return step if isinstance(step, Tables) else None

    @property
    def recordless(self) -> Recordless | None:
        """Step that publishes no record of anybody; None where records are published."""
        step = self.steps[0] if self.steps else None
        return step if isinstance(step, Recordless) else None

    @property
    def epsilon(self) -> float | None:
        """The ε of an option without records; None for other options, and where there is no ε."""
        return None if self.recordless is None else self.recordless.epsilon

    @property
    def moved(self) -> bool:
        """Whether noise or exchange moves points, so that published points may be false."""
        return any(isinstance(step, (AddNoise, Permute)) for step in self.steps)

    def holds(self, granularity_m: float, granularity_min: float) -> bool:
        """Return whether each sample given to the last step covers its raw samples entirely.

        Each earlier step must leave samples or people out, divide the data into periods, or put
        samples into grid cells and windows. The side of each grid and each window must be a whole
        multiple of the one before. Each grid must begin at a corner of a cell of the one before.

        Parameters
        ----------
        granularity_m, granularity_min : float
            Granularity of the raw samples.

        Examples
        --------
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
        """Return plain values that JSON can store."""
        return {"name": self.name, "steps": [step_to_dict(step) for step in self.steps]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ReleaseOption:
        """Restore an option from the values that :meth:`to_dict` returns.

        Raises
        ------
        ConfigError
            The values do not describe a release option.
        """
        if not isinstance(plain, Mapping) or set(plain) - {"name", "steps"}:
            raise ConfigError('A release option is written as {"name": …, "steps": […]}.')
        steps = plain.get("steps", [])
        if not isinstance(steps, (list, tuple)):
            raise ConfigError("The steps of a release option must be a list of techniques.")
        return cls(plain.get("name"), [step_from_dict(step) for step in steps])


def as_option(thing: Any) -> ReleaseOption:
    """Convert an object that describes a release option into a :class:`ReleaseOption`.

    Parameters
    ----------
    thing : ReleaseOption, GeneralizationProfile, technique, mapping, sequence of these, or pair
        A mapping is the result of :meth:`ReleaseOption.to_dict`. A pair is a name with any of the
        others.

    Raises
    ------
    ConfigError
        The object does not describe a release option.

    Examples
    --------
    >>> from fpanon_core import SampleUsers
    >>> as_option(("half", [SampleUsers(0.5)])).name, as_option(SampleUsers(0.5)).name
    ('half', '50% of the people')
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
    """Return the name of an option or domain in a form that ignores case and extra spaces."""
    return " ".join(str(text).split()).casefold()


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
class SampleUsers(checks.Checked):
    """Sampling of a ``share``, in (0, 1], of the users: :func:`fpanon_core.sample_users`."""

    share: Annotated[float, partial(checks.share, above_0=True, such_as="0.1 for 10%")]

    def __str__(self) -> str:
        return f"{self.share * 100:g}% of the people"


@dataclass(frozen=True)
class AddNoise(checks.Checked):
    """Noise added to places and times: :func:`fpanon_core.add_noise`.

    ``space_m`` (metres) is the scale in space, and ``time_min`` (minutes) the scale in time; a
    scale of 0 adds no noise. ``space`` and ``time`` are the distributions.
    """

    space_m: Annotated[float, checks.NOT_BELOW_0] = 0.0
    time_min: Annotated[float, checks.NOT_BELOW_0] = 0.0
    space: SpaceNoise = "planar_laplace"
    time: TimeNoise = "laplace"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, known in (("space", get_args(SpaceNoise)), ("time", get_args(TimeNoise))):
            checks.one_of(f"Noise in {name}", getattr(self, name), known)

    def __str__(self) -> str:
        parts = []
        if self.space_m:
            parts.append(f"{_metres(self.space_m)} ({_PLAIN[self.space]})")
        if self.time_min:
            parts.append(f"{window_text(self.time_min)} ({_PLAIN[self.time]})")
        return f"noise of {' and '.join(parts)}" if parts else "no noise"


@dataclass(frozen=True)
class Permute(checks.Checked):
    """Exchange of positions in windows, or of times in regions: :func:`fpanon_core.permute`.

    ``what`` says what is exchanged. For positions, ``window_min`` is the length of a window in
    minutes. For times, ``region_m`` is the side of a square region in metres.
    """

    what: What = "positions"
    window_min: Annotated[float, checks.positive] = 60.0
    region_m: Annotated[float, checks.positive] = 5_000.0

    def __post_init__(self) -> None:
        checks.one_of("What is exchanged", self.what, get_args(What))
        super().__post_init__()

    def __str__(self) -> str:
        size = window_text(self.window_min) if self.what == "positions" else _metres(self.region_m)
        return f"{self.what} exchanged within {size}"


@dataclass(frozen=True)
class SuppressRare(checks.Checked):
    """Suppression of bins of fewer than ``min_users`` users: :func:`fpanon_core.suppress_rare`."""

    min_users: Annotated[int, checks.AT_LEAST_1]

    def __str__(self) -> str:
        return f"bins of fewer than {self.min_users} people left out"


MOST_LEFT_OUT = 0.1
"""Largest share of the people that may be left out because they are costliest to hide."""

GroupSize = Annotated[int, partial(checks.whole, least=2)]
"""k, the least number of people in a group."""
Cap = Annotated[float | None, partial(checks.positive, otherwise="None for no limit")]
"""Limit on the side or the length of a published sample; None for no limit."""
LeftOutShare = Annotated[float, partial(checks.number, least=0.0, most=MOST_LEFT_OUT)]
"""Largest share of the people that may be left out."""

Effort = Literal["quick", "default", "thorough"]
"""How long to search for groups: a longer search finds groups with a smaller loss."""


@dataclass(frozen=True)
class Glove(checks.Checked):
    """Hiding of people in groups of at least ``k``: :func:`fpanon_core.glove`.

    ``suppress_space_m`` (metres) and ``suppress_time_min`` (minutes) limit the side and the time
    span of published cells; None sets no limit. The people costliest to hide may be left out, up to
    the share ``leave_out`` of all people.
    """

    WORD: ClassVar[str] = "GLOVE"
    k: GroupSize
    suppress_space_m: Cap = None
    suppress_time_min: Cap = None
    leave_out: LeftOutShare = 0.0

    def __str__(self) -> str:
        limits = []
        if self.suppress_space_m is not None:
            limits.append(_metres(self.suppress_space_m))
        if self.suppress_time_min is not None:
            limits.append(window_text(self.suppress_time_min))
        within = f", within {' and '.join(limits)}" if limits else ""
        without = f", up to {self.leave_out * 100:g}% left out" if self.leave_out else ""
        return f"{self.WORD}, k = {self.k}{within}{without}"


@dataclass(frozen=True)
class Aligned(Glove):
    """Hiding of people in aligned groups: :func:`fpanon_core.aligned`; attributes as in Glove.

    ``effort`` says how long the search for groups takes: "quick", "default" or "thorough".
    """

    WORD: ClassVar[str] = "aligned"
    effort: Effort = "default"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.one_of("effort", self.effort, get_args(Effort))

    def __str__(self) -> str:
        search = "" if self.effort == "default" else f", {self.effort} search"
        return super().__str__() + search


@dataclass(frozen=True)
class Tables(checks.Checked):
    """Tables of presence and flows over a stated frame, in place of records.

    Attributes
    ----------
    frame : FrameConfig
        Stated, public areas and days.
    bands : int
        Number of equal time bands in a day; it must divide 24.
    threshold : int or None
        Threshold below which counts are blank.
    epsilon : float or None
        ε of the differential privacy of the tables, for everything about one person. Several tables
        get equal parts of ε. Without ``threshold`` and ``epsilon`` the tables are exact.
    trips_per_day : int
        Largest number of trips counted for one person if ``epsilon`` is given, as a mean over the
        days of the period.

    Raises
    ------
    ConfigError
        A value is not valid, or both ``threshold`` and ``epsilon`` are given.
    """

    CONTENTS: ClassVar[tuple[str, ...]] = ("presence", "flows")
    frame: FrameConfig
    bands: Annotated[int, partial(checks.whole, least=1, most=24)] = 24
    threshold: Annotated[int | None, SUPPRESSED_BELOW.check] = None
    epsilon: Annotated[float | None, EPSILON.check] = None
    trips_per_day: Annotated[int, partial(checks.whole, least=1, most=100)] = 2

    def __post_init__(self) -> None:
        if not isinstance(self.frame, FrameConfig):
            raise ConfigError("Tables need a FrameConfig that states their areas and days.")
        super().__post_init__()
        if 24 % self.bands:
            raise ConfigError(f"bands = {self.bands} does not divide a day (24 h); try 8 or 12.")
        if self.threshold is not None and self.epsilon is not None:
            raise ConfigError("Give a threshold or epsilon, not both.")

    @property
    def epsilon_each(self) -> float | None:
        """ε of each table; None without ``epsilon``."""
        return None if self.epsilon is None else self.epsilon / len(self.CONTENTS)

    def __str__(self) -> str:
        one, many = _areas_text(self.frame)
        hours = 24 // self.bands
        when = {24: "", 1: ", hourly"}.get(hours, f", every {hours} hours")
        what = {
            ("presence",): f"people by {one}{when}",
            ("flows",): f"trips between {many}",
            ("presence", "flows"): f"people by {one}{when}, and daily trips",
        }[self.CONTENTS]
        kind = "exact"
        if self.threshold is not None:
            kind = f"counts below {self.threshold} blank"
        if self.epsilon is not None:
            kind = f"noise (ε = {self.epsilon:g})"
        return f"{what}, {kind}"


@dataclass(frozen=True)
class Presence(Tables):
    """Table of people by area and band of hours, over a frame: :func:`fpanon_core.presence`."""

    CONTENTS: ClassVar[tuple[str, ...]] = ("presence",)


@dataclass(frozen=True)
class Flows(Tables):
    """Table of trips between the areas of a frame: :func:`fpanon_core.flows`."""

    CONTENTS: ClassVar[tuple[str, ...]] = ("flows",)


MOST_SYNTHETIC = 10_000_000
"""Largest number of synthetic people that can be made."""


@dataclass(frozen=True)
class Synthesize(checks.Checked):
    """Synthetic people in place of records: :func:`fpanon_core.synthesize`.

    Attributes
    ----------
    frame : FrameConfig
        Stated, public places and days.
    epsilon : float
        ε of the differential privacy of the statistics used, for everything about one person.
    people : int or None
        Number of people to invent; the noisy number of real people if None.

    Raises
    ------
    ConfigError
        A value is not valid, or places are combined into areas.
    """

    frame: FrameConfig
    epsilon: Annotated[float, EPSILON.check]
    people: Annotated[int | None, partial(checks.whole, least=1, most=MOST_SYNTHETIC)] = None

    def __post_init__(self) -> None:
        if not isinstance(self.frame, FrameConfig):
            raise ConfigError("Synthetic people need a FrameConfig that states places and days.")
        if self.frame.antennas_an_area > 1 or self.frame.column is not None:
            raise ConfigError("Synthetic people need single places, not areas of several antennas.")
        super().__post_init__()

    def __str__(self) -> str:
        many = "" if self.people is None else f"{self.people:,} "
        return f"{many}synthetic people by {_areas_text(self.frame)[0]}, ε = {self.epsilon:g}"


@dataclass(frozen=True)
class Periods(checks.Checked):
    """Division into periods of ``days``, with new pseudonyms: :func:`fpanon_core.into_periods`.

    Each period has pseudonyms of its own. Only steps that keep the periods apart may follow:
    generalization whose time windows fit the periods, and suppression of rare bins. The last step
    may hide people in groups, in each period separately.
    """

    days: Annotated[int, checks.AT_LEAST_1]

    def __str__(self) -> str:
        return f"periods of {days_text(self.days)}"


Changes: TypeAlias = Generalize | SampleUsers | AddNoise | Permute | SuppressRare | Periods | Glove
"""Techniques after which records are published."""
Recordless: TypeAlias = Tables | Synthesize
"""Techniques after which no record of anybody is published."""
Step: TypeAlias = Changes | Recordless

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
    "tables": Tables,
    "presence": Presence,
    "flows": Flows,
    "synthesize": Synthesize,
}
_SPACES: dict[str, type[Any]] = {
    "grid": Grid,
    "hexagons": Hexagons,
    "antennas": AntennaClusters,
    "regions": Regions,
}


def check_chain(steps: Sequence[Step]) -> None:
    """Refuse steps that do not keep periods apart, and steps beside one that publishes no records.

    A window across the edge of a period could hide people of two periods together. It could also
    appear in two pieces of one person, and reveal that the pieces belong together.

    Raises
    ------
    ConfigError
        The steps do not keep the periods apart, or a step that publishes no records is not the
        only one.
    """
    if len(steps) > 1 and any(isinstance(step, Recordless) for step in steps):
        raise ConfigError(
            "Tables and synthetic people are made from the data as they are; give no other step."
        )
    at = [position for position, step in enumerate(steps) if isinstance(step, Periods)]
    if not at:
        return
    periods = steps[at[0]]
    assert isinstance(periods, Periods)
    if len(at) > 1:
        raise ConfigError("Periods appears more than once in this option; keep one.")
    for position, step in enumerate(steps):
        if isinstance(step, Generalize) and periods.days * 1_440 % step.profile.minutes:
            raise ConfigError(
                f"Windows of {window_text(step.profile.minutes)} do not divide periods of "
                f"{days_text(periods.days)} evenly; choose windows that do."
            )
        if position < at[0] and isinstance(step, Glove):
            raise ConfigError(f"“{step}” comes before periods; put it after them.")
        if position > at[0] and not isinstance(step, Generalize | SuppressRare | Glove):
            raise ConfigError(
                f"A record of a period covers only a part of a person's trajectory, but “{step}” "
                "needs whole trajectories; put it before the periods."
            )


def technique(step: Step) -> str:
    """Return the name that recipes use for a technique."""
    return next(name for name, kind in KINDS.items() if type(step) is kind)


def step_to_dict(step: Step) -> dict[str, Any]:
    """Return a technique as plain values that JSON can store."""
    if isinstance(step, Generalize):
        space = step.profile.space
        kind = next(name for name, of in _SPACES.items() if type(space) is of)
        known = {name: value for name, value in asdict(space).items() if value is not None}
        place = {"kind": kind, **known}  # no origin if the grid states none
        minutes = float(step.profile.minutes)
        return {"technique": technique(step), "space": place, "minutes": minutes}
    if isinstance(step, Recordless):
        plain = {each.name: getattr(step, each.name) for each in fields(step)}
        return {"technique": technique(step), **plain, "frame": step.frame.to_dict()}
    plain = asdict(step)
    if not plain.get("leave_out", True):
        del plain["leave_out"]
    if plain.get("effort") == "default":
        del plain["effort"]
    return {"technique": technique(step), **plain}


def step_from_dict(plain: Any) -> Step:
    """Restore a technique from what :func:`step_to_dict` returns; raise ConfigError if invalid."""
    values = dict(plain) if isinstance(plain, Mapping) else {}
    called = values.pop("technique", None)
    if not isinstance(called, str) or called not in KINDS:
        raise ConfigError(
            f"A step names no known technique; give one of {', '.join(KINDS)} under 'technique'."
        )
    try:
        if called == "generalize":
            place = dict(values.pop("space"))
            space: Space = _SPACES[place.pop("kind")](**place)
            return Generalize(GeneralizationProfile(space, **values))
        if "frame" in values:
            values["frame"] = FrameConfig.from_dict(values["frame"])
        step: Step = KINDS[called](**values)
    except ConfigError:
        raise
    except (TypeError, KeyError, ValueError):
        raise ConfigError(
            f"A step of the technique {called!r} lacks a parameter or has an unknown one; write "
            "steps as ReleaseOption.to_dict gives them."
        ) from None
    return step


def _areas_text(frame: FrameConfig) -> tuple[str, str]:
    """Return the words for one area of a table over a frame, and for all areas of the table."""
    if frame.column is not None:
        return frame.column, f"areas ({frame.column})"
    if frame.antennas_an_area > 1:
        areas = f"areas of about {frame.antennas_an_area} antennas"
        return areas, areas
    side, resolution = f"of {_metres(frame.side_m)}", f"of resolution {frame.resolution}"
    return {
        "antennas": ("antenna", "antennas"),
        "grid": (f"square {side}", f"squares {side}"),
        "hexagons": (f"H3 hexagon {resolution}", f"H3 hexagons {resolution}"),
    }[frame.places]


def _metres(value: float) -> str:
    return f"{value / 1000:g} km" if value >= 1000 else f"{value:g} m"


Unit = Literal["user-slot", "user"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True)
class PrivacyGuarantee:
    """Promise of differential privacy for counts over a stated frame.

    The ε values of several publications about the same people add up, separately for
    :attr:`epsilon_slot` and :attr:`epsilon_all`.

    Attributes
    ----------
    epsilon : float
        ε for one unit.
    unit : {"user-slot", "user"}
        Unit of protection: one person's records within one slot, or all of one person's records.
    sensitivity : int
        Largest change of all counts together when one unit changes (L1).
    scale : float
        Scale of the discrete Laplace noise on each count; the noise's standard deviation is about
        √2 times its scale.
    n_slots : int
        Number of published slots.
    """

    epsilon: float
    unit: Unit
    sensitivity: int
    scale: float
    n_slots: int

    @property
    def epsilon_all(self) -> float:
        """ε for all of a person's records in the period together."""
        return self.epsilon * (1 if self.unit == "user" else self.n_slots)

    @property
    def epsilon_slot(self) -> float:
        """ε for a person's counted place in one slot.

        Where gaps are filled in, one record affects many slots. Then only the sum over all slots,
        :attr:`epsilon_all`, bounds what one record gives away.
        """
        return self.epsilon / (self.n_slots if self.unit == "user" else 1)
