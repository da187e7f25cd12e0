"""Forms for the options to weigh, the attacker's knowledge, and the criteria."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fpanon_core.io.questionnaire import DOMAINS, questionnaire_template
from fpanon_core.model.configs import KnowledgeConfig, Strategy
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.model.limits import OPTION_POINTS, SEED, WEIGHT
from fpanon_core.model.options import ReleaseOption
from fpanon_core.model.utility import WEIGHTINGS
from fpanon_core.studies import questionnaires
from fpanon_core.studies.option_result import Asked, utility_choice
from fpanon_core.studies.presets import PRESETS
from fpanon_core.studies.recipe import Recipe
from fpanon_core.studies.report_words import COMPONENTS
from fpanon_core.studies.search import KNOWLEDGE
from fpanon_core.tables.writing import table_bytes
from pages.charts import words
from pages.options import own_option
from pages.options.story import MEASURES, Criteria, title
from pages.shell import address, aims, definitions, downloads, layout, limits, questions, workspace
from pages.shell.questions import Kind, Question
from pages.shell.widgets import number, segments, selectbox

QUESTIONNAIRE = Kind("questionnaire", questionnaires.study, page="options", kept=2)
_STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
_ANSWERS = "fp_questionnaire"
_FOUND, _SEEN = "Tried on Overview", "fp_tried_seen"
_TITLES = {
    "trade": "Places × windows, 3 × 4",
    "fine": "Finer grid",
    "hexagons": "Hexagons",
    "glove": "GLOVE, k = 2, 5, 10",
    "hide": "Aligned, k = 2, 5, 10, by periods",
    "tables": "Tables and synthetic people",
    "asis": "As it is",
}
_NAMES = {name: key for key, name in _TITLES.items()}
_OWN = "your own"
_COMPUTED, _ASKED = "computed from the data", "asked of experts"


# --- the options, and the attacker ---


def options(fs: FingerprintSet, own_place: DeltaGenerator) -> tuple[ReleaseOption, ...]:
    """Draw the choice of options; return the chosen options, each once, the officer's own last.

    Options with the same steps count as one, under the name of the first. The form for the
    officer's own options is drawn in ``own_place``.
    """
    presets = {title: PRESETS[name](fs) for title, name in _NAMES.items()}
    put: list[str] | None = None
    if (found_there := workspace.of(fs.digest).tried) is not None:
        presets = {_FOUND: list(found_there.options)} | presets
        if st.session_state.get(_SEEN) != found_there.began:  # what was just found is shown first
            st.session_state[_SEEN] = found_there.began
            put = [_FOUND]
    elif _FOUND in (st.session_state.get("options_presets") or []):  # found for other data
        put = list(_NAMES)[:1]
    if put is not None:
        st.session_state["options_presets"] = put
    chosen = st.pills(
        "Sets of options",
        list(presets),
        selection_mode="multi",
        # Streamlit takes a value from one place only.
        default=None if put else address.asked("sets", _titles_of, list(_NAMES)[:1]),
        key="options_presets",
        persist_state="session",
        help="“Places × windows” follows the grid of Noriega Campero 2015: up to three kinds of "
        "places, each with four time windows. “Finer grid” has up to six sizes of squares, each "
        "with up to six windows. “Hexagons” are H3 hexagons of resolutions 9 to 5, each with up to "
        "three windows; they need data with latitudes and longitudes. “Aligned” hides whole "
        "records, the records of single weeks, and those of single days.",
    )
    found = [option for name in presets if name in chosen for option in presets[name]]
    with own_place, st.expander("Add an option of your own", key="options_own"):
        own_option.form(fs, [option for made in presets.values() for option in made])
    own = own_option.added(fs)
    if own:
        names = [option.name for option in own]
        kept = st.multiselect(
            "Your own options",
            names,
            default=names,
            key=f"options_kept_{len(own)}",
            persist_state="session",
        )
        found += [option for option in own if option.name in kept]
    # Options with the same steps count as one; a preset comes first, so its name is kept.
    return tuple({option.steps: option for option in reversed(found)}.values())[::-1]


def knowledge() -> KnowledgeConfig:
    """Draw the fields for the attacker's knowledge and the seed of all draws; return both."""
    p = number(
        "Points an attacker knows (p)",
        OPTION_POINTS,
        address.asked("p", OPTION_POINTS.read, KNOWLEDGE.p),
        key="options_p",
        width=240,
        help=definitions.UNICITY,
    )
    strategy = selectbox(
        "Which points",
        _STRATEGIES,
        index=address.asked("points", _STRATEGIES.index, _STRATEGIES.index(KNOWLEDGE.strategy)),
        key="options_strategy",
        width=180,
        help=definitions.STRATEGY,
    )
    seed = number(
        "Seed of the draws",
        SEED,
        address.asked("seed", SEED.read, KNOWLEDGE.seed),
        key="options_seed",
        width=180,
        help="In these studies, the same seed draws the same people, the same points and the "
        "same noise. A release that you produce has no seed: its random numbers come from the "
        "operating system, so nobody can reproduce its noise and remove it.",
    )
    return KnowledgeConfig(p, strategy, seed=seed)


def take(fs: FingerprintSet, recipe: Recipe) -> None:
    """Put a recipe's settings in force before their widgets are drawn; select all its options."""
    known, utility = recipe.knowledge, recipe.utility
    state: dict[str, object] = {
        "options_presets": [],
        f"options_kept_{len(recipe.options)}": [option.name for option in recipe.options],
        "options_p": known.p,
        "options_strategy": known.strategy,
        "options_seed": known.seed,
        "options_risk": recipe.risk,
        **aims.settings(recipe.recipient, recipe.areas, utility.label, fs),
    }
    if utility.weights is not None:
        named = WEIGHTINGS.get(utility.label) == utility.weights
        state["options_utility"] = _COMPUTED
        state["options_weights"] = utility.label if named else _OWN
        state |= {f"options_weight_{name}": share for name, share in utility.weights.items()}
    st.session_state.update(state)


def in_address(known: KnowledgeConfig) -> dict[str, str]:
    """Return the settings for the address: the sets, knowledge, measure of risk and weighting.

    Usual values, the officer's own options and a questionnaire stay out of the address.
    """
    chosen = st.session_state.get("options_presets") or []
    named = {
        "sets": ",".join(name for name, told in _TITLES.items() if told in chosen),
        "risk": st.session_state.get("options_risk", next(iter(MEASURES))),
        "weights": st.session_state.get("options_weights"),
    }
    usual = {"sets": next(iter(_TITLES)), "risk": next(iter(MEASURES))}
    if named["weights"] not in [*WEIGHTINGS][1:]:
        del named["weights"]
    of = address.named(known, {"p": "p", "strategy": "points", "seed": "seed"}, KNOWLEDGE)
    return {name: text for name, text in named.items() if text != usual.get(name)} | of


def _titles_of(text: str) -> list[str]:
    return [_TITLES[name] for name in text.split(",") if name]


# --- the criteria ---


def criteria(names: Sequence[str]) -> Criteria | None:
    """Draw the choice of risk and utility; return the criteria, or None if an input is missing.

    The thresholds are set once, for every page. ``names`` holds the options' names, for a
    questionnaire.
    """
    risk = selectbox(
        "Risk",
        list(MEASURES),
        format_func=title,
        index=address.asked("risk", list(MEASURES).index, 0),
        key="options_risk",
        width=205,
        help="  \n".join(MEASURES.values()),
    )
    with st.popover("Utility", icon=":material/tune:", key="options_utility_form"):
        ways = {name: name for name in (_COMPUTED, _ASKED)}
        way = segments("Utility", ways, key="options_utility", help=definitions.UTILITY)
        found = _computed() if way != _ASKED else _asked(names)
    if found is None:
        return None
    utility, axis, told = found
    return Criteria(risk, limits.in_force(), utility_choice(utility), axis, told)


def _computed() -> tuple[Any, str, str] | None:
    named = selectbox(
        "Weights for",
        (*WEIGHTINGS, _OWN),
        index=address.asked("weights", [*WEIGHTINGS].index, 0),
        key="options_weights",
        width=240,
    )
    weights = dict(WEIGHTINGS.get(named, WEIGHTINGS["transport"]))
    if named == _OWN:
        with st.container(horizontal=True, key="options_own_weights"):
            for name, (head, _) in COMPONENTS.items():
                key, value = f"options_weight_{name}", float(weights[name])
                weights[name] = number(head, WEIGHT, value, step=0.5, width=170, key=key)
    total = sum(weights.values())
    if not total:
        st.error("All weights are 0; give at least one component some weight.")
        return None
    parts = (
        f"{COMPONENTS[n][0].lower()} {words.percent(share / total)}"
        for n, share in weights.items()
        if share
    )
    st.caption(f"Weights: {', '.join(parts)}.")
    told = "by your own weights" if named == _OWN else f"for {named}"
    return weights if named == _OWN else named, f"Utility {told} (0 to 1)", f"utility {told}"


def _asked(names: Sequence[str]) -> tuple[Any, str, str] | None:
    """Draw the fields for a questionnaire, which is a file or the invented example.

    Return the utility by the scores, the title of the axis, and the utility's name; None while
    there is no questionnaire.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        downloads.offer(
            "Template",
            lambda: table_bytes([questionnaire_template(names, DOMAINS)], "template.csv"),
            "questionnaire.csv",
            key="options_template",
            help="Fill in a score (0–10) for each expert, domain and option.",
        )
        example = st.toggle(
            "Use the invented example",
            key="options_example",
            persist_state="session",
            help="Scores of invented experts, to show how the page works. They prove nothing.",
        )
    file = st.file_uploader(
        "Questionnaire (CSV or XLSX: expert, domain, option, score)",
        key="options_file",
        type=["csv", "tsv", "xlsx", "gz", "zip"],
    )
    if example or file is not None:
        found = _read(None if example else file, names)
        if found is None:
            return None
        st.session_state[_ANSWERS] = (example, found)
    kept_example, answers = st.session_state.get(_ANSWERS, (example, None))
    if answers is None or kept_example != example:
        st.caption("The options appear in the figure as soon as there is a questionnaire.")
        return None
    if example:
        st.badge("Synthetic answers, no real experts", icon=":material/science:", color="orange")
    if rejected := len(answers.rejected):
        st.warning(f"{words.count(rejected, 'row')} of the questionnaire could not be used.")
        with st.expander("Which rows, and why"):
            st.dataframe(answers.rejected, hide_index=True, key="options_rejected")
    domains = sorted(answers.used["domain"].unique())
    domain = st.selectbox("Domain", domains, key="options_domain", width=240)
    experts, scores, missing = questionnaires.scored(answers, domain, names)
    st.caption(
        f"{words.count(experts, 'expert')}, {words.count(scores, 'score')}."
        + (
            f" {words.count(missing, 'option')} {words.were(missing)} not scored."
            if missing
            else ""
        )
    )
    # Repeated beside the figure: the badge above is out of sight once the popover is closed.
    who = "invented expert" if example else "expert"
    told = f"utility for {domain}, as scored by" + (" invented experts" if example else " experts")
    axis = f"Utility for {domain}, mean of {words.count(experts, who)} (0–1)"
    return Asked(answers.used, domain), axis, told


def _read(used: Any, names: Sequence[str]) -> Any:
    """Return the answers of a file or, if ``used`` is None, of the invented example.

    Return None until they are read. If they cannot be used, say why and return None.
    """
    config = questionnaires.Config("" if used is None else used.file_id, tuple(names))
    content = () if used is None else (used.getvalue(),)
    what = "Reading the questionnaire"
    found = questions.settle(Question(QUESTIONNAIRE, None, config, what, content), alone=True)
    if found is None or not found.refused:
        return found
    if used is None:
        st.info(
            "The invented example scores the 3 × 4 options of the invented sample; none of your "
            "options is among them."
        )
    else:
        layout.say(found.refused)
    return None
