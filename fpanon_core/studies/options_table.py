"""A table of release options: risk, utility, the front, and which option dominates which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..measures.pareto import dominating, level
from ..model.arrays import FloatArray, IntArray
from ..model.configs import KnowledgeConfig
from ..model.disclosure import RISKS
from ..model.errors import ConfigError, SchemaError
from ..model.files import keyed
from ..model.options import ReleaseOption, Step
from ..model.utility import COMPONENTS
from ..model.version import __version__
from .option_result import FIGURES, OptionResult, UtilityChoice, utility_choice
from .tabled import Tabled


@dataclass(frozen=True, eq=False)
class OptionsTable(Tabled):
    """Risk and utility of each option, and the Pareto front; arrays follow the order of results.

    Attributes
    ----------
    results : tuple of OptionResult
    risk_name : str
        The measure of risk that defines the front.
    choice : UtilityChoice
    config : KnowledgeConfig
        The attacker's knowledge, and the seed.
    digest : str
        Digest of the original data; keyed (:mod:`fpanon_core.model.files`) in a table that was read
        back.
    version : str
        Version of the program that made the results.
    figures : int
        Version of the figures (:data:`~.option_result.FIGURES`) of that program.
    """

    results: tuple[OptionResult, ...]
    risk_name: str
    choice: UtilityChoice
    config: KnowledgeConfig
    digest: str
    version: str = __version__
    figures: int = FIGURES

    @property
    def options(self) -> tuple[ReleaseOption, ...]:
        """The options, in the order of ``results``."""
        return tuple(result.option for result in self.results)

    @cached_property
    def numbers(self) -> list[int]:
        """Number of each option, from 1, in tables and figures; failed options are not counted."""
        return [int(n) for n in np.cumsum([result.fault is None for result in self.results])]

    @cached_property
    def _risks(self) -> FloatArray:
        rows = [
            # Nobody can be picked out without records: tables have a risk of 0 in such a measure.
            (0.0, 0.0, 0.0)
            if result.option.recordless is not None and self.risk_name in result.unasked
            else result.risk(self.risk_name)
            for result in self.results
        ]
        return np.array(rows, np.float64).reshape(-1, 3)

    @property
    def risk(self) -> FloatArray:
        """The chosen risk of each option, (n_options,); NaN where it is not known."""
        return self._risks[:, 0]

    @property
    def risk_low(self) -> FloatArray:
        """Lower end of the 95% interval of each risk, (n_options,); NaN without an interval."""
        return self._risks[:, 1]

    @property
    def risk_high(self) -> FloatArray:
        """Upper end of the 95% interval of each risk, (n_options,); NaN without an interval."""
        return self._risks[:, 2]

    @cached_property
    def utility(self) -> FloatArray:
        """The chosen utility of each option, (n_options,); NaN where it is not known."""
        return np.array([self.choice.of(result) for result in self.results], np.float64)

    @cached_property
    def utility_ends(self) -> FloatArray:
        """Least and greatest utility over origins and draws, (n_options, 2); NaN if unknown."""
        rows = [self.choice.ends(result) for result in self.results]
        return np.array(rows, np.float64).reshape(-1, 2)

    @cached_property
    def front(self) -> npt.NDArray[np.bool_]:
        """Whether each option is on the Pareto front.

        An option is on the front if its risk and utility are known, and no other option dominates
        it by the intervals of risk.
        """
        return self._known & [len(by) == 0 for by in self.dominated_by]

    @property
    def _known(self) -> npt.NDArray[np.bool_]:
        return ~(np.isnan(self.risk) | np.isnan(self.utility))

    @cached_property
    def estimated_front(self) -> npt.NDArray[np.bool_]:
        """Whether each option would be on the front if the estimates were exact."""
        return self._known & [len(by) == 0 for by in self._dominating()]

    @cached_property
    def dominated_by(self) -> list[IntArray]:
        """For each option, the rows of the options that dominate it by the intervals of risk."""
        return self._dominating(low=self.risk_low, high=self.risk_high)

    def _dominating(self, **ends: FloatArray) -> list[IntArray]:
        """Return the rows that dominate each option, by estimates or by intervals.

        Among options without records, an option never dominates one with a smaller ε. Neither has a
        record to re-identify, and the smaller ε reveals less.
        """
        by = dominating(self.risk, self.utility, **ends)
        noise = np.array([math.inf if o.epsilon is None else o.epsilon for o in self.options])
        without = np.array([option.recordless is not None for option in self.options], bool)
        return [
            rows[~(without[i] & without[rows] & (noise[rows] > noise[i]))]
            for i, rows in enumerate(by)
        ]

    @cached_property
    def level_with(self) -> list[IntArray]:
        """Row numbers of the options with which each option is level.

        Of two level options, one would dominate the other by the estimates, but not by the
        intervals.
        """
        return level(self.risk, self.utility, self.risk_low, self.risk_high)

    def unsafe(self, limit: float) -> npt.NDArray[np.bool_]:
        """Return whether the upper end of each option's interval is above a threshold.

        A risk without an interval is itself compared with the threshold; an unknown risk counts as
        above. For homes found, the threshold applies to the excess over guessing. An option that
        failed counts as not above, as it has no risk to judge.
        """
        most = np.where(np.isnan(self.risk_high), self.risk, self.risk_high)
        made = np.array([result.fault is None for result in self.results], bool)
        return np.asarray(made & ~(most <= self.allowed(limit)))

    def allowed(self, limit: float) -> FloatArray:
        """Return the largest risk that a threshold accepts, by option; NaN where it is not known.

        For homes found, the threshold applies to the excess over guessing
        (:meth:`OptionResult.allowed`).
        """
        return np.array([result.allowed(self.risk_name, limit) for result in self.results])

    def with_choice(self, risk: str | None = None, utility: Any = None) -> OptionsTable:
        """Return the same options judged by another measure or utility, without new computations.

        Raises
        ------
        ConfigError
            The measure or utility is unknown.
        """
        name = self.risk_name if risk is None else risk
        if name not in RISKS:
            raise ConfigError(f"Unknown measure of risk {name!r}; give one of {', '.join(RISKS)}.")
        choice = self.choice if utility is None else utility_choice(utility)
        return replace(self, risk_name=name, choice=choice)

    def reusable(
        self, digest: str, config: KnowledgeConfig
    ) -> dict[tuple[Step, ...], OptionResult]:
        """Return this table's results by their steps; {} for other data, knowledge or versions.

        Failed results are left out.
        """
        mine = (keyed(self.digest), self.config, self.version, self.figures)
        if (keyed(digest), config, __version__, FIGURES) != mine:
            return {}
        return {r.option.steps: r for r in self.results if r.fault is None}

    MAY_LEAVE = frozenset({"options"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return ``options``, a table of one row per option.

        Columns: ``option``, ``steps`` (in words), ``risk``, ``risk_low``, ``risk_high``,
        ``utility``, ``utility_low``, ``utility_high`` (over origins of the grid and draws),
        ``areas``, ``front``, ``dominated_by``, ``level_with`` (names), each measure of risk with
        ``_low`` and ``_high``, ``linkage_guessing``, ``home_guessing``, and
        ``density_guessing``, ``flows_guessing`` (of even shares), ``not_asked`` (measures
        that do not apply, and why), ``crowd_least``, ``alone_share``, ``naming_most`` (see
        :class:`OptionResult`), the components of the computed utility, ``users``, ``users_share``,
        ``samples``, ``suppressed_share``, ``targets``, ``too_few`` (targets with fewer than p
        bins), ``seconds``, ``fault`` (empty if none), ``origin_x_m`` and ``origin_y_m`` (a corner
        of the last square grid, NaN without one). ``attrs`` hold ``risk``, ``utility``, ``config``
        and ``digest`` as plain values.
        """
        rows: list[dict[str, Any]] = []
        for i, result in enumerate(self.results):
            figures = *self._risks[i], self.utility[i], *self.utility_ends[i]
            x_m, y_m = result.origin or (math.nan, math.nan)
            rows.append(
                {
                    "option": result.option.name,
                    "steps": result.option.text,
                    **dict(zip((*_ends("risk"), *_ends("utility")), figures, strict=True)),
                    "areas": result.areas,
                    "front": bool(self.front[i]),
                    "dominated_by": "; ".join(self.options[j].name for j in self.dominated_by[i]),
                    "level_with": "; ".join(self.options[j].name for j in self.level_with[i]),
                    **{
                        column: value
                        for name in RISKS
                        for column, value in zip(_ends(name), result.risk(name), strict=True)
                    },
                    **{
                        f"{name}_guessing": result.guessing.get(name, math.nan)
                        for name in ("linkage", "home", "density", "flows")
                    },
                    "not_asked": "; ".join(f"{n}: {why}" for n, why in result.unasked.items()),
                    "crowd_least": result.crowd_least,
                    "alone_share": result.alone_share,
                    "naming_most": result.naming_most,
                    **{name: result.components.get(name, math.nan) for name in COMPONENTS},
                    "users": result.n_users,
                    "users_share": result.users_share,
                    "samples": result.n_samples,
                    "suppressed_share": result.suppressed_share,
                    "targets": result.n_targets,
                    "too_few": result.too_few,
                    "seconds": result.seconds,
                    "fault": result.fault or "",
                    "origin_x_m": x_m,
                    "origin_y_m": y_m,
                }
            )
        frame = pd.DataFrame(rows)
        frame.attrs = {
            "risk": self.risk_name,
            "utility": self.choice.label,
            "config": asdict(self.config),
            "digest": keyed(self.digest),
        }
        return {"options": frame}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can store; :meth:`from_dict` reads them back."""
        return {
            "results": [result.to_dict() for result in self.results],
            "risk": self.risk_name,
            "utility": asdict(self.choice),
            "config": asdict(self.config),
            "digest": keyed(self.digest),
            "version": self.version,
            "figures": self.figures,
        }

    @classmethod
    def from_dict(cls, plain: Any) -> OptionsTable:
        """Read the result of :meth:`to_dict`.

        Raises
        ------
        SchemaError
            The values are damaged, or are not a table of options.
        """
        try:
            results = tuple(OptionResult.from_dict(each) for each in plain["results"])
            choice = UtilityChoice(**plain["utility"])
            config = KnowledgeConfig(**plain["config"])
            version = str(plain.get("version", ""))  # an old program did not save it
            figures = int(plain.get("figures", 0))
            digest = str(plain["digest"])
            return cls(results, str(plain["risk"]), choice, config, digest, version, figures)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, ConfigError):
            raise SchemaError(
                "The saved options are damaged, or are not a table of options; explore the options "
                "again."
            ) from None


def _ends(name: str) -> tuple[str, str, str]:
    """Return the columns of a value and the ends of its interval."""
    return name, f"{name}_low", f"{name}_high"


def merged(new: Sequence[OptionResult], before: Sequence[OptionResult]) -> tuple[OptionResult, ...]:
    """Return the new results, then the earlier ones with other steps and other names."""
    steps, names = {r.option.steps for r in new}, {r.option.name for r in new}
    more = (r for r in before if r.option.steps not in steps and r.option.name not in names)
    return (*new, *more)
