"""What options are judged by: a measure of risk, its limit, and a utility."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from fpanon_core.model.disclosure import ALONE, NAMING
from fpanon_core.studies.judgement import JUDGED, Limits, limit_key
from fpanon_core.studies.option_result import UtilityChoice
from pages.shell import definitions

MEASURES = (
    definitions.OUTSIDER,
    definitions.LINKAGE,
    definitions.K_DISCLOSURE,
    definitions.HOME_FOUND,
    definitions.UNICITY,
    definitions.EM_DISCLOSURE,
    definitions.KL_DISCLOSURE,
)
RISKS = {
    "outsider": "Re-identification risk",
    "linkage": "Linkage",
    "k": "k-disclosure",
    "home": "Home found",
    "unicity": "Unicity",
    "em": "EM-disclosure",
    "kl": "KL-disclosure",
}
SPOKEN = RISKS | {
    "outsider": "re-identification risk",
    "linkage": "linkage",
    "home": "the share of homes found",
    "unicity": "unicity",
    ALONE: "people with a record of their own",
}
AXES = {
    "outsider": "Re-identified by the strongest attacker ({p} known points)",
    "linkage": "Record picked out by {p} true points (linkage)",
    "k": "1 over the people who fit {p} points (k-disclosure)",
    "home": "Home found within 1 km by who has the record",
    "unicity": "Users found with {p} points (unicity)",
    "em": "Change of what is believed of a person, in all (EM, bins, {p} points)",
    "kl": "Information gained of a person, in all (KL, nats, {p} points)",
}
SHARES = frozenset({"outsider", "linkage", "k", "home", "unicity", ALONE})
"""Measures that are shares of people, told in per cent."""
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
        return self.risk in SHARES

    @cached_property
    def judged(self) -> Limits:
        """The limits in force, of all measures together."""
        return Limits({limit_key(risk): self.limits.get(limit_key(risk)) for risk in JUDGED})

    def limit_of(self, risk: str) -> float | None:
        """Of any measure, and of the share of people alone with their whole record."""
        return self.judged.limit(risk)

    @property
    def limited(self) -> list[str]:
        """Whatever has a limit, the measure that is chosen first; none says another once more."""
        parts = NAMING[1:] if self.risk == NAMING[0] else NAMING[:1]
        every = [self.risk, *(r for r in RISKS if r != self.risk and r not in parts), ALONE]
        return [risk for risk in every if self.limit_of(risk) is not None]
