"""Facts that a release states to its recipients: counts, thresholds, accuracy and the verdict.

The facts determine the README and the description to the last byte, so that a verifier can make
both again (:mod:`.release_page`). They are numbers, days, words from fixed sets, and the projection
as a PROJ string. The projection is the only free text.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any
from zoneinfo import ZoneInfo

from .errors import ConfigError
from .options import AddNoise, Generalize, Glove, Periods, Permute, ReleaseOption, step_from_dict
from .profiles import Regions

AGAINST = ("original", "given")
"""What a group of k was verified against: the original, or the input of the last step."""

ACCURACY_OF = ("rows", "original samples", "samples as the steps before GLOVE left them")
REGION = "name"
"""Name of the column of regions in a release, whatever its name in the operator's table."""

_MOST_STEPS, _MOST_DAYS = 8, 3_660
_MOST_COUNT, _MOST_VALUE, _MOST_CRS = 1 << 48, 1e9, 2_000


@dataclass(frozen=True)
class Verdict:
    """Result of reading back the written bytes of a release and checking them.

    Attributes
    ----------
    passed : bool
    k : int or None
        Group size that was checked; None where none is promised.
    text : str
        The result in a sentence that names nobody.
    """

    passed: bool
    k: int | None
    text: str


@dataclass(frozen=True)
class Accuracy:
    """Resolution of the published data, to four significant digits.

    Attributes
    ----------
    of : str
        Rows or samples over which the figures are taken, one of :data:`ACCURACY_OF`. Only samples
        that are published count.
    median_side_m, mean_side_m : float
        Median and mean side of the cells, (dx + dy)/2, metres.
    median_span_min, mean_span_min : float
        Median and mean length of the cells, minutes.
    """

    of: str
    median_side_m: float
    mean_side_m: float
    median_span_min: float
    mean_span_min: float


@dataclass(frozen=True)
class ReleaseFacts:
    """Statements of a release about itself, without any id, path or digest of the original.

    Attributes
    ----------
    option : ReleaseOption
        Release option that was applied.
    leftover : str or None
        Treatment of left-over users by GLOVE or aligned groups; None where the last step is
        neither.
    against : str or None
        What a promised group of k is checked against, one of :data:`AGAINST`; None where no group
        is promised.
    crs, timezone : str or None
        Projection and display zone.
    epoch, first_day, last_day : str or None
        Local dates: of the data set's epoch, and of the first and the last day with a record of a
        published person. If places or times were moved or exchanged at random, ``first_day``
        and ``last_day`` are the days of the earliest and the latest published time. None without a
        clock; without rows, both days are None.
    granularity_m, granularity_min : float
        Extent of the cells, where they are all alike; with GLOVE, of its input samples.
    people, rows, samples_in, samples_left_out, people_left_out : int
        Numbers of published people and rows; of samples in the original; of samples and people of
        the original that are left out.
    groups : int or None
        Number of groups; None where nobody is grouped.
    people_alone : int
        Number of published people with a unique record.
    last_window_days : (int, int) or None
        Given if the last published window ends after ``last_day``: the number of its days up to
        that day, and of all its days.
    phantom_share : float or None
        Share of the rows that are false presences: the person was never recorded in the row's cell.
        None where nothing is published.
    accuracy : Accuracy or None
        None where nothing is published.
    periods, pseudonyms : int or None
        With periods: the number of periods with records, and the number of records. A person has
        one record in each period, under a new pseudonym. ``people`` still counts people, but
        ``people_alone`` counts pseudonyms.
    """

    option: ReleaseOption
    leftover: str | None
    against: str | None
    crs: str | None
    timezone: str | None
    epoch: str | None
    first_day: str | None
    last_day: str | None
    granularity_m: float
    granularity_min: float
    people: int
    groups: int | None
    rows: int
    samples_in: int
    samples_left_out: int
    people_left_out: int
    people_alone: int
    last_window_days: tuple[int, int] | None
    phantom_share: float | None
    accuracy: Accuracy | None
    periods: int | None = None
    pseudonyms: int | None = None

    @property
    def hiding(self) -> Glove | None:
        """The last step if it hides people in groups of k; else None."""
        last = self.option.steps[-1] if self.option.steps else None
        return last if isinstance(last, Glove) else None

    @property
    def k(self) -> int | None:
        """Promised group size; None where none is promised."""
        return None if self.hiding is None else self.hiding.k

    @property
    def suppress_space_m(self) -> float | None:
        """Limit on the side of a published sample, metres; None without a limit."""
        return None if self.hiding is None else self.hiding.suppress_space_m

    @property
    def suppress_time_min(self) -> float | None:
        """Limit on the length of a published sample, minutes; None without a limit."""
        return None if self.hiding is None else self.hiding.suppress_time_min

    @property
    def period_days(self) -> int | None:
        """Days in a period; None without periods."""
        return next((s.days for s in self.option.steps if isinstance(s, Periods)), None)

    @property
    def moved(self) -> bool:
        """Whether places or times were moved or exchanged at random."""
        return self.option.moved

    @property
    def times_moved(self) -> bool:
        """Whether times were moved or exchanged at random."""
        return any(
            (isinstance(step, AddNoise) and step.time_min > 0)
            or (isinstance(step, Permute) and step.what == "times")
            for step in self.option.steps
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; values that follow from the steps are repeated for readers."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "option"}
        window, accuracy = self.last_window_days, self.accuracy
        return {
            "steps": self.option.to_dict()["steps"],
            "option": self.option.text,
            "k": self.k,
            "suppress_space_m": self.suppress_space_m,
            "suppress_time_min": self.suppress_time_min,
            "period_days": self.period_days,
            **own,
            "last_window_days": None if window is None else list(window),
            "accuracy": None if accuracy is None else asdict(accuracy),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ReleaseFacts:
        """Restore facts from what :meth:`to_dict` returns; values that steps determine are ignored.

        Raises
        ------
        ConfigError
            A fact is missing or not valid, or contradicts another. The message names the fact and
            quotes nothing.
        """
        missing = [f.name for f in fields(cls) if f.name not in plain and f.name != "option"]
        if missing or "steps" not in plain:
            raise ConfigError(f"The facts lack: {', '.join(missing or ['steps'])}.")
        values = {f.name: plain[f.name] for f in fields(cls) if f.name != "option"}
        for name, sound in _SOUND.items():
            if not sound(values[name]):
                raise ConfigError(f"The value of {name} is not valid.")
        try:
            option = _option_from(plain["steps"])
        except ConfigError:
            raise ConfigError("The value of steps is not valid.") from None
        if values["last_window_days"] is not None:
            values["last_window_days"] = tuple(values["last_window_days"])
        if values["accuracy"] is not None:
            values["accuracy"] = Accuracy(**values["accuracy"])
        for name in ("granularity_m", "granularity_min"):
            values[name] = float(values[name])
        facts = cls(option=option, **values)
        _check_together(facts)
        return facts


def public_option(option: ReleaseOption) -> ReleaseOption:
    """Return the option as a release states it, without the operator's own words.

    Examples
    --------
    >>> from .profiles import GeneralizationProfile
    >>> option = ReleaseOption("x", [Generalize(GeneralizationProfile(Regions("sales area"), 60))])
    >>> public_option(option).name
    'regions by name · 1 h'
    """
    steps = [
        Generalize(type(step.profile)(Regions(REGION), step.profile.minutes))
        if isinstance(step, Generalize) and isinstance(step.profile.space, Regions)
        else step
        for step in option.steps
    ]
    return ReleaseOption(None, steps)


def four_digits(value: float) -> float:
    """Round a figure to four significant digits."""
    return float(f"{value:.4g}")


def _option_from(steps: Any) -> ReleaseOption:
    if not isinstance(steps, list) or len(steps) > _MOST_STEPS:
        raise ConfigError("The steps must be a list of techniques.")
    option = ReleaseOption(None, [step_from_dict(step) for step in steps])
    numbers = _numbers(option.to_dict()["steps"])
    if public_option(option) != option or any(abs(value) > _MOST_VALUE for value in numbers):
        raise ConfigError("The steps hold words or numbers that no release has.")
    return option


def _numbers(plain: Any) -> list[float]:
    if isinstance(plain, Mapping):
        return [number for value in plain.values() for number in _numbers(value)]
    if isinstance(plain, list | tuple):
        return [number for value in plain for number in _numbers(value)]
    return [plain] if isinstance(plain, int | float) else []


def _check_together(facts: ReleaseFacts) -> None:
    """Check that facts which depend on each other are consistent."""
    cut, hidden = facts.period_days is not None, facts.hiding is not None
    dated = facts.timezone is not None
    together = {
        "periods": (facts.periods is not None) == cut,
        "pseudonyms": (facts.pseudonyms is not None) == cut,
        "period_days": (facts.period_days or 1) <= _MOST_DAYS,
        "leftover": (facts.leftover is not None) == hidden,
        "against": (facts.against is not None) == hidden,
        "groups": (facts.groups is not None) == hidden,
        "epoch": (facts.epoch is not None) == dated,
        "first_day": (facts.first_day is not None) == (dated and facts.rows > 0),
        "last_day": (facts.last_day is not None) == (dated and facts.rows > 0),
        "last_window_days": facts.last_window_days is None or dated,
        "phantom_share": (facts.phantom_share is not None) == (facts.rows > 0),
        "accuracy": (facts.accuracy is not None) == (facts.rows > 0),
        "samples_left_out": facts.samples_left_out <= facts.samples_in or facts.moved,
        "people_left_out": facts.people + facts.people_left_out > 0,
    }
    if facts.first_day is not None and facts.last_day is not None:
        together["last_day"] &= facts.first_day <= facts.last_day
    if facts.phantom_share is not None:
        # The share is a whole number of rows over all rows, so no digit is free.
        rows = facts.rows
        exact = round(facts.phantom_share * rows) / rows if rows else 0.0
        together["phantom_share"] &= facts.phantom_share == exact
    for name, sound in together.items():
        if not sound:
            raise ConfigError(f"The value of {name} contradicts the other facts.")


# --- kinds of values -----------------------------------------------------------------------------


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST_COUNT


def _is_number(value: Any, most: float = _MOST_VALUE) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and 0 <= value <= most


def _is_day(value: Any) -> bool:
    try:
        return isinstance(value, str) and str(dt.date.fromisoformat(value)) == value
    except ValueError:
        return False


def _is_zone(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(ZoneInfo(value).key)
    except (ValueError, OSError, KeyError):
        return False


def _is_window(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_count, value))


def _is_accuracy(value: Any) -> bool:
    names = [f.name for f in fields(Accuracy)]
    if not isinstance(value, dict) or list(value) != names or value["of"] not in ACCURACY_OF:
        return False
    return all(
        type(value[name]) is float
        and _is_number(value[name])
        and value[name] == four_digits(value[name])
        for name in names[1:]
    )


def _or_none(sound: Any) -> Any:
    return lambda value: value is None or sound(value)


_SOUND: dict[str, Any] = {
    **dict.fromkeys(
        ("people", "rows", "samples_in", "samples_left_out", "people_left_out", "people_alone"),
        _is_count,
    ),
    **dict.fromkeys(("groups", "periods", "pseudonyms"), _or_none(_is_count)),
    **dict.fromkeys(("epoch", "first_day", "last_day"), _or_none(_is_day)),
    **dict.fromkeys(("granularity_m", "granularity_min"), lambda v: _is_number(v) and v > 0),
    "leftover": lambda value: value in (None, "merge", "suppress"),
    "against": lambda value: value is None or value in AGAINST,
    "crs": _or_none(lambda value: isinstance(value, str) and len(value) <= _MOST_CRS),
    "timezone": _or_none(_is_zone),
    "last_window_days": _or_none(_is_window),
    "phantom_share": _or_none(lambda v: type(v) is float and _is_number(v, 1.0)),
    "accuracy": _or_none(_is_accuracy),
}
