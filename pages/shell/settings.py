"""The settings in a session's state, which are restored after a reload and from a study.

A setting is a choice: a widget's value, or a value that a page made from several. Each is named
here. Other state is not kept: buttons, uploads, and results derived from the settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from . import address, session

_OF_PAGES = {
    "*": (
        "aims_controls aims_motive aims_purpose aims_recipient aims_sensitivity "
        "fp_address_every fp_address_written fp_limits fp_stretch overview_seconds"
    ),
    "data": "data_way",
    "anonymizability": (
        "anon_k anon_look_at anon_profile anon_whole fp_asked fp_neighbour fp_person fp_settings "
        "fp_settings_before"
    ),
    "unicity": ("unicity_along unicity_heat unicity_p unicity_seed unicity_v"),
    "disclosure": (
        "disclosure_agreement disclosure_by disclosure_profile disclosure_what fp_disclosure_config"
    ),
    "aggregates": "fp_recovery_plan",
    "glove": (
        "fp_glove_data fp_group glove_k glove_leave_out glove_leftover glove_method glove_period "
        "glove_shards glove_space glove_time produce_hidden_format"
    ),
    "options": (
        "fp_choice_wanted fp_own_options fp_questionnaire options_choice_name options_domain "
        "options_example options_own_weights options_p options_pinned "
        "options_presets options_risk options_seed options_strategy options_utility "
        "options_weights produce_option_format"
    ),
    "attack": (
        "attack_blur_m attack_blur_min attack_p attack_release attack_seed attack_strategy "
        "fp_attack_data fp_attack_step fp_attack_target"
    ),
    "report": "report_question report_signer",
    "method": "fp_method_section",
}
"""Settings by the address of their page; ``*``: settings of several pages."""

_NAMES = {page: frozenset(names.split()) for page, names in _OF_PAGES.items()}
_BEGINNINGS = (
    "aims_areas_",
    "options_choice_why_",
    "options_kept_",
    "options_limit_",
    "options_weight_",
    "present_person_wanted_",
    "report_data_",
    "report_until_",
)
"""Prefixes of the names that end in a variable part, such as a measure."""

_ALL = frozenset().union(*_NAMES.values())


def is_setting(name: str) -> bool:
    """Return whether an entry of the session's state is a setting."""
    return name in _ALL or name.startswith(_BEGINNINGS)


def arrive(page: str) -> None:
    """Give the session the settings of the page that was left, once; call before any widget.

    A link that asks for settings of its own takes precedence. The settings of its page, and those
    that several pages share, are then not restored.

    Parameters
    ----------
    page : str
        Address of the page that is opened.
    """
    if not st.session_state.pop(session.FIRST, False):
        return
    kept = session.work().settings
    asked = st.query_params.to_dict()
    other = bool(asked) and asked != kept.get("fp_address_written")
    left = _NAMES.get(page, frozenset()) | _NAMES["*"] if other else set()
    for name, value in kept.items():
        if name not in st.session_state and name not in left:
            st.session_state[name] = value


def note() -> None:
    """Keep the settings as they are now."""
    kept = session.work().settings
    kept.update({name: st.session_state[name] for name in _now()})


def _now() -> list[str]:
    return [str(name) for name in st.session_state if is_setting(str(name))]


def current() -> dict[str, Any]:
    """Return all settings, by name."""
    note()
    return dict(session.work().settings)


def put(given: Mapping[str, Any], named: Mapping[str, str]) -> None:
    """Replace all settings; entries that are not settings are ignored.

    Parameters
    ----------
    given : mapping
        Settings by name.
    named : mapping
        Settings as named in an address, for pages that find their settings only by these names.
    """
    session.work().settings.clear()
    for name in _now():
        del st.session_state[name]
    for name, value in given.items():
        if is_setting(name):
            st.session_state[name] = value
    address.ask(named)
    note()
