"""The questions that this page asks: the attack, and one person followed through it."""

from __future__ import annotations

from dataclasses import asdict

from fpanon_core.model.composition import RelinkConfig
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies import attack, attack_estimate, followed, relinking
from pages.attack.form import Asked
from pages.shell import questions
from pages.shell.dataset import Dataset
from pages.shell.questions import Kind, Question

ATTACK = Kind("attack", attack.study, page="attack", kept=24)
ESTIMATE = Kind("estimate_attack", attack_estimate.study, page=None, kept=4)
RELINKED = Kind("relinked", relinking.study, page="attack", kept=12)
FOLLOWED = Kind("followed", followed.follow, page="attack", kept=12)


def of(data: Dataset, asked: Asked) -> Question:
    """What an outsider finds in the release, and in the data as they are."""
    release, config = asked.release, _config(asked)
    what, made = f"Attacking “{release.name}”", (release.made,)
    return Question(ATTACK, data.fs, config, what, made, apart=release.settings)


def followed_one(
    data: Dataset, asked: Asked, attacker: str, user: int, period: int | None
) -> Question:
    """How the attacker closes in on one person: by row number, and the record's period if any."""
    release, config = asked.release, _config(asked)
    what, given = f"Following {data.fs.pseudonyms[user]}", (user, release.made, period, attacker)
    apart = (user, period, attacker, release.settings)
    return Question(FOLLOWED, data.fs, config, what, given, apart=apart)


def relinked(data: Dataset, asked: Asked) -> Question:
    """Whether records of several periods are brought together again, from the release alone."""
    release = asked.release
    config = relinking.Config(
        ReleaseOption(steps=release.option.steps), RelinkConfig(seed=asked.outsider.seed)
    )
    what, made = f"Linking the periods of “{release.name}”", (release.made,)
    return Question(RELINKED, data.fs, config, what, made, apart=release.settings)


def expected_s(data: Dataset, asked: Asked) -> float | None:
    """Seconds that an attack which waits to be asked for is likely to take; None while unknown."""
    about = of(data, asked)
    if questions.answer(about) is not None or questions.under_way(about):
        return None
    config = attack_estimate.Config(_config(asked), made=asked.release.made is not None)
    question = Question(ESTIMATE, data.fs, config, "Estimating")
    questions.ask(question)
    found: attack_estimate.Result | None = questions.answer(question)
    return None if found is None else found.seconds


def _config(asked: Asked) -> attack.Config:
    """By the steps alone: under another name they are the same question."""
    option = ReleaseOption(steps=asked.release.option.steps)
    return attack.Config(option, **asdict(asked.outsider))
