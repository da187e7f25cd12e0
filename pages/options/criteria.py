"""What options are judged by: a measure of risk, its limit, and a utility."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fpanon_core.model.risk import ALONE
from fpanon_core.studies.option_result import OptionResult, UtilityChoice
from pages.shell import definitions

MEASURES = (
    definitions.UNICITY,
    definitions.K_DISCLOSURE,
    definitions.EM_DISCLOSURE,
    definitions.KL_DISCLOSURE,
)
RISKS = {
    "unicity": "Unicity",
    "k": "k-disclosure",
    "em": "EM-disclosure",
    "kl": "KL-disclosure",
}
SPOKEN = RISKS | {"unicity": "unicity", ALONE: "people with a record of their own"}
AXES = {
    "unicity": "Users found with {p} points (unicity)",
    "k": "Chance of naming the person (k-disclosure, {p} points)",
    "em": "Change of what is believed of a person, in all (EM, bins, {p} points)",
    "kl": "Information gained of a person, in all (KL, nats, {p} points)",
}
UNITS = {"unicity": "%", "k": "chance", "em": "bins", "kl": "nats"}
COMPONENTS = {
    "density": "density",
    "flows": "flows",
    "mobility": "mobility",
    "visits": "visits",
    "space": "spatial resolution",
    "time": "temporal resolution",
}


@dataclass(frozen=True)
class Criteria:
    """What the options are judged by.

    Attributes
    ----------
    risk : str
        Key of :data:`RISKS`.
    limits : mapping of str to float or None
        Of each measure, the risk above which an option is unsafe.
    utility : UtilityChoice
    risk_title, utility_title : str
        Of the figure's axes.
    utility_told : str
        For a sentence: "utility for transport".
    """

    risk: str
    limits: Mapping[str, float | None]
    utility: UtilityChoice
    risk_title: str
    utility_title: str
    utility_told: str

    @property
    def limit(self) -> float | None:
        """Of the measure that is chosen."""
        return self.limits.get(self.risk)

    @property
    def percent(self) -> bool:
        """Whether the risk is a share of users."""
        return self.risk == "unicity"

    def limit_of(self, risk: str) -> float | None:
        """Of any measure, and of the share of people alone with their whole record."""
        return self.limits.get("unicity" if risk == ALONE else risk)

    @property
    def limited(self) -> list[str]:
        """Whatever has a limit, the measure that is chosen first."""
        every = [self.risk, *(risk for risk in RISKS if risk != self.risk), ALONE]
        return [risk for risk in every if self.limit_of(risk) is not None]


def interval(result: OptionResult, risk: str) -> tuple[float, float, float]:
    """An option's risk and its 95 % interval; of people alone with their record, counted, none."""
    if risk == ALONE:
        share = 0.0 if result.crowd_least > 1 else result.alone_share
        return share, share, share
    return result.risks[risk]
