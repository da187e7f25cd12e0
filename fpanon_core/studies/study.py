"""A study: what was asked of a data set and found, weighed and chosen, to go on with later."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..model.configs import KnowledgeConfig
from ..model.glove import GloveResult
from ..model.options import ReleaseOption, Step
from ..model.version import __version__
from .judgement import Limits
from .option_result import FIGURES, OptionResult
from .options_table import OptionsTable
from .reading import Reading, Source
from .recipe import NOTHING_LEAVES


@dataclass(frozen=True, eq=False)
class Kept:
    """An answer: of which study, about which data, by which settings, and how long it took.

    Attributes
    ----------
    kind : str
        Of question; one of :data:`~.study_kinds.KINDS`.
    digest : str
        Of the data; empty where it is about none.
    settings : hashable
        Those that tell the question apart.
    result : object
        What the study returned.
    seconds : float
    """

    kind: str
    digest: str
    settings: Hashable
    result: Any = field(repr=False)
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class AtHand:
    """A release that one page has for another to look at.

    Attributes
    ----------
    page, name : str
        The page's address, and what it calls the release.
    option : ReleaseOption
        By which it is made anew; of no meaning where it is made already.
    knowledge : KnowledgeConfig or None
        What an attacker was taken to know where it was weighed.
    made : GloveResult or None
        Where everyone was hidden: what came of it.
    settings : hashable
        By which that was made.
    """

    page: str
    name: str
    option: ReleaseOption = field(default_factory=ReleaseOption)
    knowledge: KnowledgeConfig | None = None
    made: GloveResult | None = field(default=None, repr=False)
    settings: Hashable = None

    @property
    def steps(self) -> tuple[Step, ...] | None:
        """The steps of the option that makes it; None where no option does."""
        return self.option.steps if self.made is None else getattr(self.settings, "steps", None)


@dataclass(frozen=True, eq=False)
class Weighing:
    """The options that were weighed, and what was chosen among them, and why.

    Attributes
    ----------
    table : OptionsTable
        Also those that failed.
    limits : Limits
    chosen : str or None
        Name of the option; empty where it was decided that nothing leaves.
    why : str
    waiting : int
        Options that were not done yet.
    """

    table: OptionsTable
    limits: Limits
    chosen: str | None = None
    why: str = ""
    waiting: int = 0

    def is_chosen(self, result: OptionResult) -> bool:
        """Whether an option that could be made is the one chosen."""
        return result.option.name == self.chosen and not result.fault

    @property
    def option(self) -> ReleaseOption | None:
        """The option that was chosen, if it is among those weighed and could be made."""
        return next((r.option for r in self.table.results if self.is_chosen(r)), None)

    @property
    def stands(self) -> bool:
        """Whether the option that was chosen is among those weighed."""
        return self.option is not None

    @property
    def refused(self) -> bool:
        """Whether it was decided that nothing leaves."""
        return self.chosen == NOTHING_LEAVES


@dataclass(frozen=True, eq=False)
class Study:
    """All that a session has found about a data set.

    Attributes
    ----------
    digest : str
        Of the data.
    people, samples : int
        Of the data, so that one can find them.
    label : str
        What the data were called on screen.
    sample : str
        Key of the shipped sample that they are; empty of a file.
    reading : Reading
        How they were read.
    answers : tuple of Kept
    releases : tuple of AtHand
    weighing : Weighing or None
    settings : mapping of str
        Of the pages, by name.
    address : mapping of str to str
        What the pages had in their addresses.
    source : Source or None
        The files themselves, where they were asked for.
    version : str
    figures : int
        Of the program: :data:`~.option_result.FIGURES`.
    """

    digest: str
    people: int
    samples: int
    label: str
    sample: str = ""
    reading: Reading = field(default_factory=Reading)
    answers: tuple[Kept, ...] = field(default=(), repr=False)
    releases: tuple[AtHand, ...] = field(default=(), repr=False)
    weighing: Weighing | None = field(default=None, repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    address: Mapping[str, str] = field(default_factory=dict, repr=False)
    source: Source | None = field(default=None, repr=False)
    version: str = __version__
    figures: int = FIGURES

    @property
    def opens_data(self) -> Source | None:
        """What its data can be read from again: the files in it, or a sample; None elsewhere.

        Raises
        ------
        ConfigError
            This program has no such sample.
        """
        if self.source is not None or not self.sample:
            return self.source
        return Source.of_sample(self.sample)
