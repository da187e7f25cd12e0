"""A study: questions about a data set, their answers and a decision, kept for later work."""

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
    """An answer with its kind of question, digest of the data, settings and computing time.

    Attributes
    ----------
    kind : str
        Kind of question; one of :data:`~.study_codec.KINDS`.
    digest : str
        Digest of the data; empty for a question without data.
    settings : hashable
        Settings that identify the question.
    result : object
        Result that the study returned.
    seconds : float
        Computing time, seconds.
    """

    kind: str
    digest: str
    settings: Hashable
    result: Any = field(repr=False)
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class AtHand:
    """A release that one page offers to another.

    Attributes
    ----------
    page, name : str
        The page's address, and its name for the release.
    option : ReleaseOption
        Option that makes the release again; unused where the release has already been made.
    knowledge : KnowledgeConfig or None
        The attacker's knowledge assumed in the comparison of options.
    made : GloveResult or None
        Result of hiding everyone, if that was done.
    settings : hashable
        Settings that made this result.
    """

    page: str
    name: str
    option: ReleaseOption = field(default_factory=ReleaseOption)
    knowledge: KnowledgeConfig | None = None
    made: GloveResult | None = field(default=None, repr=False)
    settings: Hashable = None

    @property
    def steps(self) -> tuple[Step, ...] | None:
        """Steps of the option that makes the release; None where no option does."""
        return self.option.steps if self.made is None else getattr(self.settings, "steps", None)


@dataclass(frozen=True, eq=False)
class Weighing:
    """The options that were compared, with the choice and its reason.

    Attributes
    ----------
    table : OptionsTable
        All options, including those that failed.
    limits : Limits
    chosen : str or None
        Name of the chosen option; None if no option is chosen, empty if it was decided to release
        nothing.
    why : str
    waiting : int
        Number of options not yet measured.
    """

    table: OptionsTable
    limits: Limits
    chosen: str | None = None
    why: str = ""
    waiting: int = 0

    def is_chosen(self, result: OptionResult) -> bool:
        """Return whether an option is the chosen one and could be made."""
        return result.option.name == self.chosen and not result.fault

    @property
    def option(self) -> ReleaseOption | None:
        """The chosen option; None if it is not among those compared, or could not be made."""
        return next((r.option for r in self.table.results if self.is_chosen(r)), None)

    @property
    def stands(self) -> bool:
        """Whether the chosen option is among those compared, and could be made."""
        return self.option is not None

    @property
    def refused(self) -> bool:
        """Whether it was decided to release nothing."""
        return self.chosen == NOTHING_LEAVES


@dataclass(frozen=True, eq=False)
class Study:
    """All that a session has found about a data set.

    Attributes
    ----------
    digest : str
        Digest of the data.
    people, samples : int
        Numbers of people and samples in the data, by which to recognize the data.
    label : str
        Name of the data on screen.
    sample : str
        Key of the shipped sample data set; empty for a file.
    reading : Reading
        Settings with which the data were read.
    answers : tuple of Kept
    releases : tuple of AtHand
    weighing : Weighing or None
    settings : mapping of str
        Settings of the pages, by name.
    address : mapping of str to str
        Parameters in the pages' addresses.
    source : Source or None
        The files of the data, if the study is to hold them.
    version : str
    figures : int
        Version of the figures (:data:`~.option_result.FIGURES`) of the program.
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
        """Source from which to read the data again: the study's files or a sample; otherwise None.

        Raises
        ------
        ConfigError
            This program has no sample data set with that key.
        """
        if self.source is not None or not self.sample:
            return self.source
        return Source.of_sample(self.sample)
