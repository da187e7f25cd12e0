"""The controls of what options are judged by: risk, and utility computed or asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from fpanon_core.io.questionnaire import DOMAINS, questionnaire_template
from fpanon_core.model.limits import WEIGHT
from fpanon_core.model.utility import WEIGHTINGS
from fpanon_core.studies import questionnaires
from fpanon_core.studies.option_result import Asked, UtilityChoice, utility_choice
from fpanon_core.tables.writing import table_bytes
from pages.charts import words
from pages.options.criteria import (
    AXES,
    COMPONENTS,
    MEASURES,
    RISKS,
    Criteria,
)
from pages.shell import address, definitions, downloads, layout, limits, questions
from pages.shell.questions import Kind, Question

QUESTIONNAIRE = Kind("questionnaire", questionnaires.study, page="options", kept=2)
_ANSWERS = "fp_questionnaire"
_OWN = "your own"
_USUAL = next(iter(RISKS))
_COMPUTED, _ASKED = "computed from the data", "asked of experts"


def form(p: int, names: Sequence[str]) -> Criteria | None:
    """The controls, in a row; None while something is missing that they ask for.

    Parameters
    ----------
    p : int
        Points known, for the titles.
    names : sequence of str
        Of the options, for the questionnaire.
    """
    risk = _risk()
    with st.popover("Utility", icon=":material/tune:", key="options_utility_form"):
        way = st.segmented_control(
            "Utility",
            (_COMPUTED, _ASKED),
            default=_COMPUTED,
            required=True,
            key="options_utility",
            persist_state="session",
            help=definitions.UTILITY,
        )
        found = _computed() if way != _ASKED else _asked(names)
    if found is None:
        return None
    utility, title, told = found
    of = utility_choice(utility)
    return Criteria(risk, limits.in_force().of, of, AXES[risk].format(p=p), title, told)


def take(risk: str, utility: UtilityChoice) -> None:
    """Settings from elsewhere, before their widgets are drawn."""
    st.session_state["options_risk"] = risk
    if utility.weights is None:
        return
    st.session_state["options_utility"] = _COMPUTED
    named = WEIGHTINGS.get(utility.label)
    st.session_state["options_weights"] = utility.label if named == utility.weights else _OWN
    for name, weight in utility.weights.items():
        st.session_state[f"options_weight_{name}"] = weight


def in_address() -> dict[str, str]:
    """The measure of risk and the named weighting; a questionnaire stays out of it."""
    named = {}
    if (risk := st.session_state.get("options_risk", _USUAL)) != _USUAL:
        named["risk"] = risk
    if (weights := st.session_state.get("options_weights")) in [*WEIGHTINGS][1:]:
        named["weights"] = weights
    return named


def _risk() -> str:
    """The measure on the axis; its limit is set once, for every page."""
    risk: str = st.selectbox(
        "Risk",
        list(RISKS),
        format_func=RISKS.__getitem__,
        index=address.asked("risk", list(RISKS).index, 0),
        key="options_risk",
        persist_state="session",
        width=205,
        help="  \n".join(MEASURES),
    )
    return risk


def _computed() -> tuple[Any, str, str] | None:
    named = st.selectbox(
        "Weights for",
        (*WEIGHTINGS, _OWN),
        index=address.asked("weights", [*WEIGHTINGS].index, 0),
        key="options_weights",
        persist_state="session",
        width=240,
    )
    weights = dict(WEIGHTINGS.get(named, WEIGHTINGS["transport"]))
    if named == _OWN:
        with st.container(horizontal=True, key="options_own_weights"):
            for name, title in COMPONENTS.items():
                weights[name] = st.number_input(
                    title.capitalize(),
                    WEIGHT.low,
                    WEIGHT.high,
                    float(weights[name]),
                    step=0.5,
                    width=170,
                    key=f"options_weight_{name}",
                    persist_state="session",
                )
    total = sum(weights.values())
    if not total:
        st.error("All weights are 0; give at least one component some weight.")
        return None
    parts = ", ".join(
        f"{COMPONENTS[n]} {words.percent(w / total)}" for n, w in weights.items() if w
    )
    st.caption(f"Weights: {parts}.")
    told = "utility by your own weights" if named == _OWN else f"utility for {named}"
    return weights if named == _OWN else named, f"{told[0].upper()}{told[1:]} (0 to 1)", told


def _asked(names: Sequence[str]) -> tuple[Any, str, str] | None:
    """Utility by a questionnaire: a file of theirs, or the synthetic example."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        downloads.offer(
            "Template",
            lambda: table_bytes([questionnaire_template(names, DOMAINS)], "template.csv"),
            "questionnaire.csv",
            key="options_template",
            icon=":material/download:",
            help="A row for each expert, domain and option, its score (0–10) left to fill in.",
        )
        example = st.toggle(
            "Use the synthetic example",
            key="options_example",
            persist_state="session",
            help="Scores of invented experts, to see how it works. They prove nothing.",
        )
    file = st.file_uploader(
        "Questionnaire (CSV or XLSX: expert, domain, option, score)",
        key="options_file",
        type=["csv", "tsv", "xlsx", "gz", "zip"],
    )
    if example or file is not None:
        found = questions.settle(_question(None if example else file, names), alone=True)
        if found is None:
            return None
        if found.refused:
            if example:
                st.info(
                    "The synthetic example scores the 3 × 4 options of the synthetic sample; none "
                    "of yours is among them."
                )
            else:
                layout.say(found.refused)
            return None
        st.session_state[_ANSWERS] = (example, found)
    kept_example, answers = st.session_state.get(_ANSWERS, (example, None))
    if answers is None or kept_example != example:
        st.caption("The options are drawn as soon as there is a questionnaire.")
        return None
    if example:
        st.badge("Synthetic answers, no real experts", icon=":material/science:", color="orange")
    _told_rejected(answers.rejected)
    domain = st.selectbox(
        "Domain", sorted(answers.used["domain"].unique()), key="options_domain", width=240
    )
    experts, scores, missing = questionnaires.scored(answers, domain, names)
    st.caption(
        f"{words.count(experts, 'expert')}, {words.count(scores, 'score')}."
        + (f" {words.count(missing, 'option')} nobody scored." if missing else "")
    )
    # Said where the figure is, too: the badge above is out of sight once the popover is closed.
    who = "invented expert" if example else "expert"
    told = f"utility for {domain}, as asked" + (" of invented experts" if example else "")
    mean = f"mean of {words.count(experts, who)}"
    return Asked(answers.used, domain), f"Utility for {domain}, {mean} (0–1)", told


def _question(file: Any, names: Sequence[str]) -> Question:
    """Of a file that was uploaded, or of the example; the child reads it, not the server."""
    config = questionnaires.Config("" if file is None else file.file_id, tuple(names))
    content = () if file is None else (file.getvalue(),)
    return Question(QUESTIONNAIRE, None, config, "Reading the questionnaire", content)


def _told_rejected(rejected: pd.DataFrame) -> None:
    if not len(rejected):
        return
    st.warning(f"{words.count(len(rejected), 'row')} of the questionnaire could not be used.")
    with st.expander("Which rows, and why"):
        st.dataframe(rejected, hide_index=True, key="options_rejected")
