"""Recipe: everything, except the data, that others need to arrive at the same numbers.

A recipe holds neither results nor the signer's name. Of the data, it holds only their stated name
and their keyed digest (:mod:`fpanon_core.model.files`), which only this machine can match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..model.configs import KnowledgeConfig
from ..model.disclosure import NAMING, RISKS
from ..model.errors import ConfigError, FpanonError, SchemaError
from ..model.files import keyed
from ..model.options import ReleaseOption, name_key
from ..model.profiles import StatedAreas, checked_areas
from ..model.purpose import Recipient
from ..model.version import __version__
from .exploration import Exploration, check_utility
from .judgement import Limits
from .option_result import FIGURES, UtilityChoice
from .options import Config
from .options_table import OptionsTable

_FORMAT = 1


NOTHING_LEAVES = ""
"""Value of :attr:`Decision.chosen` if the decision is to release nothing."""


@dataclass(frozen=True)
class Decision:
    """The privacy officer's decision, with its reason and signer.

    Attributes
    ----------
    question : str
        The question to be decided; the usual question where empty.
    chosen : str or None
        Name of the chosen option; None where none is chosen, :data:`NOTHING_LEAVES` where it was
        decided to release nothing.
    why : str
        The reason.
    signer : str
        Name of the signer; not kept in a recipe.
    data_name : str
        Name of the data; never taken from a file's name.
    until : str
        End of the decision's validity, such as "31 December 2027"; not kept in a recipe.
    """

    question: str = ""
    chosen: str | None = None
    why: str = ""
    signer: str = ""
    data_name: str = ""
    until: str = ""

    @property
    def refused(self) -> bool:
        """Whether it was decided to release nothing."""
        return self.chosen == NOTHING_LEAVES


@dataclass(frozen=True, eq=False)
class Recipe:
    """The options, the attacker's knowledge, and the criteria of judgement.

    Attributes
    ----------
    options : tuple of ReleaseOption
    knowledge : KnowledgeConfig
        The attacker's knowledge, with the seed of techniques and draws.
    risk : str
        The measure of risk that defines the front.
    utility : UtilityChoice
    limits : Limits
    recipient : Recipient or None
        Recipient of the release; None where not stated.
    areas : float, str or None
        Areas in which density and flows were compared: the side of squares in metres, or the
        column that names regions; None for the usual squares.
    decision : Decision
        The decision; a saved recipe omits its signer and end of validity.
    digest : str
        Digest of the data; keyed in a recipe that was read back.
    version : str
        Version of the program that measured the options.
    figures : int
        Version of the figures (:data:`~.option_result.FIGURES`) of the program that measured.
    """

    options: tuple[ReleaseOption, ...]
    knowledge: KnowledgeConfig = field(default_factory=KnowledgeConfig)
    risk: str = NAMING[0]
    utility: UtilityChoice = field(default_factory=lambda: UtilityChoice("transport"))
    limits: Limits = field(default_factory=Limits)
    recipient: Recipient | None = None
    areas: StatedAreas = None
    decision: Decision = field(default_factory=Decision)
    digest: str = ""
    version: str = __version__
    figures: int = FIGURES

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain values for JSON; :meth:`from_dict` reads them back."""
        decided = asdict(self.decision)
        del decided["signer"], decided["until"]
        return {
            "recipe": _FORMAT,
            "options": [option.to_dict() for option in self.options],
            "knowledge": asdict(self.knowledge),
            "risk": self.risk,
            "utility": asdict(self.utility),
            "limits": dict(self.limits.of),
            "recipient": None if self.recipient is None else asdict(self.recipient),
            "areas": self.areas,
            "decision": decided,
            "data": keyed(self.digest),
            "version": self.version,
            "figures": self.figures,
        }

    @classmethod
    def from_dict(cls, plain: Any) -> Recipe:
        """Return the recipe that :meth:`to_dict` turned into plain values.

        Raises
        ------
        SchemaError
            The values are not a recipe, are damaged, or are in another format.
        """
        if not isinstance(plain, Mapping) or "recipe" not in plain:
            raise SchemaError("The file is not a recipe; use the one that comes with a report.")
        if plain["recipe"] != _FORMAT:
            raise SchemaError(
                f"The recipe has format {str(plain['recipe'])[:20]}, but this program reads format "
                f"{_FORMAT}; use the version of the program that wrote it."
            )
        try:
            decided = Decision(**plain["decision"])
            given = [decided.question, decided.why, decided.data_name, decided.chosen or ""]
            if not all(isinstance(text, str) for text in given):
                raise TypeError
            every = tuple(ReleaseOption.from_dict(each) for each in plain["options"])
            asked = Config(every, KnowledgeConfig(**plain["knowledge"]))
            utility = UtilityChoice(**plain["utility"])
            check_utility(utility)
            if plain["risk"] not in RISKS:
                raise ConfigError("The measure of risk is unknown.")
            who = plain.get("recipient")
            to = Limits(plain["limits"]), None if who is None else Recipient(**who)
            judged = plain["risk"], utility, *to, checked_areas(plain.get("areas"))
            program = str(plain["data"]), str(plain["version"]), int(plain["figures"])
            return cls(asked.options, asked.knowledge, *judged, decided, *program)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, FpanonError):
            raise SchemaError(
                "The recipe is damaged; use the one that comes with the report."
            ) from None


def recipe_of(found: Exploration, decision: Decision) -> Recipe:
    """Return the recipe that reproduces the options of an exploration and a report on them.

    Raises
    ------
    ConfigError
        There are no options, or two of them have the same name.
    """
    table = found.table
    measured = Config(table.options, table.config)  # refuses two of the same name
    judged = table.risk_name, table.choice, found.limits, found.recipient, found.areas
    program = table.digest, table.version, table.figures
    return Recipe(measured.options, measured.knowledge, *judged, decision, *program)


def named(table: OptionsTable, name: str) -> int:
    """Return the row of the option with this name, or with this description of its steps.

    Raises
    ------
    ConfigError
        There is no such option, or it could not be made.
    """
    for i, result in enumerate(table.results):
        if name_key(name) in (name_key(result.option.name), name_key(result.option.text)):
            if result.fault is not None:
                raise ConfigError(
                    f"The option {result.option.name!r} could not be made, so it cannot be chosen: "
                    f"{result.fault}"
                )
            return i
    some = ", ".join(repr(option.name) for option in table.options[:3])
    more = f" and {len(table.options) - 3} more" if len(table.options) > 3 else ""
    raise ConfigError(
        f"There is no option {name!r} among those weighed; choose one of {some}{more}."
    )
