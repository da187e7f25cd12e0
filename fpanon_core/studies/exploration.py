"""A saved exploration: results for the options and the data as they are, and facts about the data.

The command ``options --out`` saves it in a file beside its table. A report needs only this file.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from typing import Any, Unpack

from ..io.report import IngestReport
from ..model import checks
from ..model.disclosure import RISKS
from ..model.errors import ConfigError, SchemaError
from ..model.files import keyed
from ..model.fingerprints import FingerprintSet
from ..model.options import ReleaseOption
from ..model.profiles import StatedAreas, checked_areas
from ..model.purpose import Recipient
from ..model.utility import COMPONENTS
from . import options
from .judgement import Limits
from .option_result import OptionResult, UtilityChoice
from .options_table import OptionsTable
from .release_facts import Size
from .tabled import Work

RAW = ReleaseOption()
_LONGEST_TEXT = 2_000
_NO_MEASURE = "The saved options are damaged (the measure of risk); explore the options again."
_CLOSE = 1e-9  # excess of a share over its range that rounding may cause


@dataclass(frozen=True)
class Facts:
    """Facts about the data that a report may state: nothing about one person, and no file name.

    Attributes
    ----------
    people, samples : int
    days : int
        Days from the first sample to the last, both counted; 0 where not known.
    first, last : str
        Local date of the earliest and the latest sample; empty where not known.
    timezone : str
    rows_read, rows_set_aside : int
        Rows of the file; 0 where not known.
    granularity_m, granularity_min : float
        Size of a sample as read, metres and minutes.
    screened_out : int
        People left out by a rule of screening.
    label, note : str
        Name and note of a shipped data set; empty for a file.
    synthetic : bool
        Whether all people in the data are invented.
    """

    people: int
    samples: int
    days: int = 0
    first: str = ""
    last: str = ""
    timezone: str = ""
    rows_read: int = 0
    rows_set_aside: int = 0
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    screened_out: int = 0
    label: str = ""
    note: str = ""
    synthetic: bool = False

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not _fits(value, str(each.type)):
                raise SchemaError(
                    f"The saved options are damaged (facts about the data: {each.name}); explore "
                    "them again."
                )


@dataclass(frozen=True, eq=False)
class Exploration:
    """Release options as they were compared, and what is needed to judge them.

    Attributes
    ----------
    table : OptionsTable
    raw : OptionResult or None
        Result for the data as they are, measured like the options; None where an older program did
        not measure them.
    facts : Facts or None
        Facts about the data; None where an older program did not keep them.
    limits : Limits
    recipient : Recipient or None
        Recipient of the release; None where not stated.
    areas : float, str or None
        Areas in which density and flows were compared: the side of squares in metres, or the
        column that names regions; None for the usual squares.
    untried : int
        Number of options that a search had no time to try.
    """

    table: OptionsTable
    raw: OptionResult | None = None
    facts: Facts | None = None
    limits: Limits = field(default_factory=Limits)
    recipient: Recipient | None = None
    areas: StatedAreas = None
    untried: int = 0

    @property
    def as_it_is(self) -> OptionResult | None:
        """Result for the data as they are: that of the option without steps, or else ``raw``."""
        among = (r for r in self.table.results if not r.option.steps and r.fault is None)
        return next(among, self.raw)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can store; :meth:`from_dict` reads them back."""
        return {
            **self.table.to_dict(),
            "as_it_is": None if self.raw is None else self.raw.to_dict(),
            "data": None if self.facts is None else asdict(self.facts),
            "limits": dict(self.limits.of),
            "recipient": None if self.recipient is None else asdict(self.recipient),
            "areas": self.areas,
            "untried": self.untried,
        }

    @classmethod
    def from_dict(cls, plain: Any) -> Exploration:
        """Read the result of :meth:`to_dict` or, as far as possible, what an older program saved.

        Raises
        ------
        SchemaError
            The values come from another kind of file, or a damaged one.
        """
        table = OptionsTable.from_dict(plain)
        try:
            kept, known = plain.get("as_it_is"), plain.get("data")
            raw = None if kept is None else OptionResult.from_dict(kept)
            facts = None if known is None else Facts(**known)
            limits = Limits(plain.get("limits") or {})
            areas = checked_areas(plain.get("areas"))
            recipient = None if (who := plain.get("recipient")) is None else Recipient(**who)
            untried = checks.whole("untried", plain.get("untried", 0), 0)
        except (TypeError, AttributeError, OverflowError, ConfigError):
            raise SchemaError(
                "What was saved with the options, such as the thresholds, is damaged; explore the "
                "options again."
            ) from None
        if not isinstance(plain["risk"], str):
            raise SchemaError(_NO_MEASURE)
        check(table)
        if raw is not None:
            _check(raw)
        return cls(table, raw, facts, limits, recipient, areas, untried)


def facts_of(
    report: IngestReport, *, label: str = "", note: str = "", synthetic: bool = False
) -> Facts:
    """Return the facts about the data, taken from the report on reading them.

    Parameters
    ----------
    report : IngestReport
    label, note : str
        Name and note of a shipped data set; empty for a file, whose name may identify a person.
    synthetic : bool
    """
    same = ("timezone", "rows_read", "rows_set_aside", "granularity_m", "granularity_min")
    return Facts(
        people=report.n_users,
        samples=report.n_samples,
        days=report.span_days,
        first=report.first[:10],
        last=report.last[:10],
        screened_out=report.users_screened_out,
        label=label,
        note=note,
        synthetic=synthetic,
        **{name: getattr(report, name) for name in same},
    )


def as_it_is(
    fs: FingerprintSet,
    table: OptionsTable,
    previous: Exploration | None = None,
    **work: Unpack[Work],
) -> OptionResult:
    """Measure the data as they are, in the same way as the options of a table.

    Parameters
    ----------
    fs : FingerprintSet
        The data of the table.
    table : OptionsTable
    previous : Exploration, optional
        An earlier exploration; its result is reused if data and settings are the same.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.
    """
    if (among := Exploration(table).as_it_is) is not None:
        return among
    if previous is not None and previous.as_it_is is not None:
        kept = replace(previous.table, results=(previous.as_it_is,))
        if RAW.steps in (known := kept.reusable(fs.digest, table.config)):
            return known[RAW.steps]
    config = options.Config((RAW,), table.config)
    return options.study(fs, config, **work).results[0]


def same_data(kept: str, digest: str) -> bool:
    """Return whether a digest kept in a file is from the same data as a given digest.

    The answer is false on another machine, and for another user of the same machine: each has its
    own key for digests.
    """
    return keyed(kept) == keyed(digest)


def check(table: OptionsTable) -> None:
    """Refuse options with values that no program version can have written.

    Otherwise a report would quote these values.

    Parameters
    ----------
    table : OptionsTable
        Table from a file.

    Raises
    ------
    SchemaError
        A figure, the measure of risk or the utility is impossible.
    """
    if table.risk_name not in RISKS:
        raise SchemaError(_NO_MEASURE)
    check_utility(table.choice)
    for result in table.results:
        _check(result)


_COUNTS = ("n_users", "n_samples", "crowd_least", "too_few", "n_targets", "homes_asked")
_SHARES = ("users_share", "suppressed_share", "alone_share", "naming_most")


def _check(result: OptionResult) -> None:
    """Refuse a result with values that this program cannot have written."""
    counts = [getattr(result, name) for name in _COUNTS]
    shares = [getattr(result, name) for name in _SHARES]
    shares += [*result.guessing.values(), *chain(*result.corners.values())]
    shares += result.least.values()
    shares += [kept for name, kept in result.components.items() if name in COMPONENTS]
    sound = (
        all(_fits(count, "int") and count >= 0 for count in counts)
        and all(_is_share(share) or (_fits(share, "float") and share != share) for share in shares)
        and all(_is_possible(name, each) for name, each in result.risks.items())
        and set(result.size) in (set(), {each.name for each in fields(Size)})
        and all(_fits(size, "float") and 0 <= size < math.inf for size in result.size.values())
        and {*result.corners, *result.least} <= set(COMPONENTS)
        and len({len(each) for each in result.corners.values()}) < 2
        and isinstance(result.fault, str | None)
        and _fits(result.areas, "str")
    )
    if not sound:
        raise SchemaError("A saved result of an option is damaged; explore the options again.")


def _is_possible(name: str, interval: tuple[float, ...]) -> bool:
    """Return whether a risk and its interval are possible, with the ends in order."""
    if name not in RISKS or len(interval) != 3:
        return False
    most = RISKS[name].most
    if not all(math.isnan(v) or (0 <= v <= most + _CLOSE and v < math.inf) for v in interval):
        return False
    _, low, high = interval
    return math.isnan(low) or math.isnan(high) or low <= high + _CLOSE


def check_utility(choice: UtilityChoice) -> None:
    """Refuse an invalid utility: the weights of components, and scores, must be shares."""
    kept = [each for each in (choice.weights, choice.asked) if each is not None]
    sound = (
        len(kept) == 1
        and _fits(choice.label, "str")
        and all(isinstance(of, dict) and all(map(_is_share, of.values())) for of in kept)
        and (choice.weights is None or set(choice.weights) == set(COMPONENTS))
    )
    if not sound:
        raise SchemaError("The saved options are damaged (the utility); explore the options again.")


def _is_share(value: Any) -> bool:
    return _fits(value, "float") and -_CLOSE <= value <= 1 + _CLOSE


def _fits(value: Any, kind: str) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "str":
        return isinstance(value, str) and len(value) <= _LONGEST_TEXT
    number = isinstance(value, int) if kind == "int" else isinstance(value, (int, float))
    return number and not isinstance(value, bool)
