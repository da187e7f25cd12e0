"""Settings of the page on attacks: the release that is attacked, and the attacker.

The module also makes the questions of that page: the attack, one person followed through it, and
the re-linking of periods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

import streamlit as st

from fpanon_core.model import limits
from fpanon_core.model.composition import RelinkConfig
from fpanon_core.model.configs import Strategy
from fpanon_core.model.errors import FpanonError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.linkage import LinkConfig
from fpanon_core.model.options import Generalize, ReleaseOption
from fpanon_core.studies import attack, followed, relinking
from fpanon_core.studies.judgement import best_option, nearest, options_tried
from fpanon_core.studies.presets import PRESETS
from fpanon_core.studies.study import AtHand
from pages.attack import story
from pages.shell import (
    address,
    definitions,
    exploration,
    layout,
    questions,
    session,
    widgets,
    workspace,
)
from pages.shell.dataset import Dataset
from pages.shell.kinds import ATTACK
from pages.shell.questions import Kind, Question
from pages.shell.workspace import Workspace

# Every row is equally likely, as where options are weighed: a person's lesser places, which tell
# people apart, may be known, too.
USUAL = LinkConfig(strategy="uniform")
_STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
_RELEASE, _FOR = "attack_release", "fp_attack_data"
_PROPOSED = "fp_attack_proposed"
_OUTSIDER, _KEPT = "fp_attack_outsider", "fp_attack_kept"
_RAW = ReleaseOption()
_NAMES = {"p": "p", "strategy": "points", "blur_m": "off_m", "blur_min": "off_min", "seed": "seed"}


@dataclass(frozen=True, eq=False)
class Asked:
    """The release to attack, and the attacker.

    Attributes
    ----------
    release : AtHand
    outsider : LinkConfig
        What the attacker knows about a person, and how exactly.
    pressed : bool
        Whether this attack has just been requested on another page.
    """

    release: AtHand
    outsider: LinkConfig
    pressed: bool


def form(data: Dataset) -> Asked | None:
    """Draw the settings in one row; return None while no release, or an invalid one, is chosen."""
    fs = data.fs
    kept = _kept(fs)
    mine = workspace.of(fs.digest)
    at_hand = [release for release in mine.releases if release.option.recordless is None]
    ready = {release.name: release for release in [*kept, *at_hand]}
    usual = {option.name: AtHand("attack", option.name, option) for option in [_RAW, *_usual(fs)]}
    offered = usual | ready
    first = list(dict.fromkeys([*(each.name for each in kept), _RAW.name]))
    wanted = workspace.attacked()
    choice = kept[0].name if kept else None
    made = (each.name for each in ready.values() if each.made is not None)
    proposed = _proposed(mine)
    _begin(fs, offered, choice or next(made, None) or proposed, wanted, choice)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        name = st.selectbox(
            "Release to attack",
            list(dict.fromkeys([*first, *ready, *usual])),
            index=None,
            key=_RELEASE,
            placeholder="choose, or type one such as 3 km · 45 min",
            accept_new_options=True,
            persist_state="session",
            width=360,
            help="The list begins with your choice, if it releases records. Next come the data as "
            "they are, the releases made on “Hide everyone”, the options explored on “Release "
            "options”, and the usual sets of options. To combine techniques, add an option on "
            "“Release options”; coarser places and times can be typed here. " + widgets.TYPED,
        )
        outsider = _outsider()
    best_has_none = exploration.recommended(data) is not None
    nearest_one = best_has_none and name is not None and name == proposed
    if mine.recordless is not None:
        st.markdown(story.no_record("chosen", nearest=nearest_one))
    elif mine.choice is None and best_has_none:
        st.markdown(story.no_record("recommended", nearest=nearest_one))
    elif len(at_hand) < len(mine.releases):
        st.caption(story.NOT_LISTED)
    session.keep(_OUTSIDER, outsider)  # it is still there when a button leads back
    named = address.named(outsider, _NAMES, USUAL)
    address.write(named | {"release": name} if name in usual else named)  # no option of one's own
    if name is None:
        return None
    try:
        release = offered[name] if name in offered else typed(name)
    except FpanonError as error:
        layout.say(error)
        return None
    return Asked(release, outsider, wanted is not None)


def _outsider() -> LinkConfig:
    """Draw and return what the attacker knows about a person, and how exactly."""
    told: dict[str, Any]
    low, high = limits.OPTION_POINTS.low, limits.OPTION_POINTS.high
    told = {"width": 180, "help": definitions.LINKAGE}
    p = st.number_input("True points known (p)", low, high, **told, **_field("p"))
    told = {"width": 160, "help": definitions.STRATEGY}
    strategy = st.selectbox("Which points", _STRATEGIES, **told, **_field("strategy"))
    with st.popover("How exactly", key="attack_exactly"):
        blur_m = st.number_input(
            "Error in place (m)",
            0.0,
            limits.NOISE_M.high,
            step=50.0,
            help="The attacker's error in place is normally distributed, with this standard "
            "deviation along x and along y. The attacker knows how large the error is. At 0, "
            "places are known as they were recorded.",
            **_field("blur_m"),
        )
        most, told = limits.NOISE_MIN.high, {"step": 5.0}
        told["help"] = (
            "The attacker's error in time is normally distributed, with this standard deviation. "
            "The attacker knows how large the error is. At 0, times are known as they were "
            "recorded."
        )
        blur_min = st.number_input("Error in time (min)", 0.0, most, **told, **_field("blur_min"))
        seed = st.number_input(
            "Seed of the draws",
            limits.SEED.low,
            limits.SEED.high,
            help="The same seed draws the same people, points and errors, and the same noise for "
            "an option. A release made on “Hide everyone” is attacked as it is.",
            **_field("seed"),
        )
    return replace(
        USUAL, p=int(p), strategy=strategy, blur_m=blur_m, blur_min=blur_min, seed=int(seed)
    )


def _field(name: str) -> dict[str, Any]:
    """Return a field's key, and arguments that keep its value for the session."""
    return {"key": f"attack_{name}", "persist_state": "session"}


def _begin(
    fs: FingerprintSet,
    offered: Mapping[str, AtHand],
    latest: str | None,
    wanted: str | None,
    kept: str | None,
) -> None:
    """Set the controls' initial values from another page's request, a new choice or the address."""
    state = st.session_state
    if wanted is None and kept is not None and state.get(_KEPT) != (fs.digest, kept):
        # An option chosen since is the one to attack; one named in the address comes first.
        named = address.asked("release", str, "") if state.get(_FOR) != fs.digest else ""
        wanted = None if named in offered else kept
    state[_KEPT] = (fs.digest, kept)
    outsider = state.get(_OUTSIDER) or address.settings_asked(_NAMES, USUAL)
    known = None if wanted is None or wanted not in offered else offered[wanted].knowledge
    if known is not None:
        outsider = replace(outsider, p=known.p, strategy=known.strategy, seed=known.seed)
    for field in _NAMES:
        if known is not None or f"attack_{field}" not in state:
            state[f"attack_{field}"] = getattr(outsider, field)
    if wanted is not None:
        state[_RELEASE] = wanted
    elif state.get(_FOR) != fs.digest or (
        state.get(_RELEASE) is None and state.get(_PROPOSED) != latest
    ):  # other data, or a new proposal; a list that was cleared stays so
        named = address.asked("release", str, "")
        state[_RELEASE] = named if named in offered else latest
    state[_FOR], state[_PROPOSED] = fs.digest, latest


def _kept(fs: FingerprintSet) -> list[AtHand]:
    """Return the option chosen for these data, if any, and what its attacker knew."""
    mine = workspace.of(fs.digest)
    if mine.choice is None or mine.recordless is not None:
        return []
    option, found = mine.choice.result.option, mine.weighed
    return [AtHand("attack", option.name, option, found.table.config if found else None)]


def _proposed(mine: Workspace) -> str | None:
    """Return the name of the best option, if it has records; else of the nearest one that has any.

    The nearest exceeds the thresholds least.
    """
    if (found := mine.weighed) is None:
        return None
    options, best = found.table.options, best_option(found.table, found.limits)
    rows = [i for i in options_tried(found.table) if options[i].recordless is None]
    row = best if best in rows else nearest(found.table, rows, found.limits)
    return None if row is None else options[row].name


def _usual(fs: FingerprintSet) -> list[ReleaseOption]:
    """Return the preset options that publish records, each once; first those that hide everyone."""
    names = sorted(PRESETS, key=lambda name: name not in ("hide", "glove"))
    every = [o for name in names for o in PRESETS[name](fs) if o.recordless is None]
    return list({option.steps: option for option in every[::-1]}.values())[::-1]


def typed(text: str) -> AtHand:
    """Return the release of coarser places and times that a typed text describes.

    Raises
    ------
    ConfigError
        The text does not describe a release.
    """
    (profile,) = widgets.profiles_of([text])
    option = ReleaseOption(steps=(Generalize(profile),))
    return AtHand("attack", option.name, option)


RELINKED = Kind("relinked", relinking.study, page="attack", kept=12)
FOLLOWED = Kind("followed", followed.follow, page="attack", kept=12)


def attacked(data: Dataset, asked: Asked) -> Question:
    """Return the question of what an attacker finds in the release, and in the original data."""
    release, config = asked.release, _config(asked)
    what, made = f"Attacking “{release.name}”", (release.made,)
    return Question(ATTACK, data.fs, config, what, made, apart=release.settings)


def followed_one(
    data: Dataset, asked: Asked, attacker: str, user: int, period: int | None
) -> Question:
    """Return the question of how the attacker closes in on one person.

    The person is given by row number, and by the record's period if there is one.
    """
    release, config = asked.release, _config(asked)
    what, given = f"Following {data.fs.pseudonyms[user]}", (user, release.made, period, attacker)
    apart = (user, period, attacker, release.settings)
    return Question(FOLLOWED, data.fs, config, what, given, apart=apart)


def relinked_periods(data: Dataset, asked: Asked) -> Question:
    """Return the question of whether the release alone links a person's records across periods."""
    release = asked.release
    config = relinking.Config(
        ReleaseOption(steps=release.option.steps), RelinkConfig(seed=asked.outsider.seed)
    )
    what, made = f"Linking the periods of “{release.name}”", (release.made,)
    return Question(RELINKED, data.fs, config, what, made, apart=release.settings)


def expected_s(data: Dataset, asked: Asked) -> float | None:
    """Return the estimated seconds of an attack not yet requested; None if unknown."""
    about = attacked(data, asked)
    if questions.answer(about) is not None or questions.under_way(about):
        return None
    made = asked.release.made is not None
    return questions.expected_s(attack.study, data.fs, _config(asked), made=made)[0]


def _config(asked: Asked) -> attack.Config:
    """Return the attack's settings with the option's steps only: its name makes no difference."""
    option = ReleaseOption(steps=asked.release.option.steps)
    return attack.Config(option, **asdict(asked.outsider))
