"""Thresholds: set once, in force on every page, kept, and told with their source."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from fpanon_core.studies.judgement import Limits
from tests.support.views import go, rows, said, upload


def test_the_bar_names_purpose_recipient_and_threshold(app: AppTest) -> None:
    upload(app, rows(users=4, samples=3), page="overview")
    assert _bar(app) == "Transport planning · Anyone · ≤ 5% re-identified"
    app.segmented_control(key="aims_purpose").set_value("travel").run()
    app.segmented_control(key="aims_recipient").set_value("contract").run()
    go(app, "unicity")
    assert _bar(app) == ("Travel between areas · Recipients under contract · ≤ 8.33% re-identified")
    _field(app, "home").set_value(None).run()
    assert _bar(app).endswith("your own thresholds")


def _bar(app: AppTest) -> str:
    (found,) = (p.proto for p in app.get("popover") if p.proto.id.endswith("limits"))
    return str(found.popover.label)


def _field(app: AppTest, name: str) -> Any:
    """The field of a threshold; it has a new key once thresholds came from elsewhere."""
    (found,) = (each for each in app.number_input if str(each.key).startswith(f"limit_{name}"))
    return found


def test_a_limit_holds_on_every_page_and_the_usual_ones_come_back(app: AppTest) -> None:
    upload(app, rows(users=9, samples=6))
    assert _field(app, "outsider").value == 5.0
    assert "our default, not a norm" in said(app)
    _field(app, "outsider").set_value(9.0).run()
    assert app.session_state["fp_limits"].limit("linkage") == 0.09
    _field(app, "home").set_value(None).run()
    for page in ("unicity", "options"):
        go(app, page)
        assert _field(app, "outsider").value == 9.0
        assert _field(app, "home").value is None
        assert app.session_state["fp_limits"] == Limits({"outsider": 0.09, "home": None})
    app.button(key="limits_usual").click().run()
    assert _field(app, "outsider").value == 5.0
    assert _field(app, "home").value == 5.0
    assert app.session_state["fp_limits"] == Limits()


def test_a_field_drawn_with_another_value_changes_no_threshold(app: AppTest) -> None:
    """What the fields hold is not read: only their change is."""
    upload(app, rows(users=9, samples=6))
    own = Limits({"outsider": 0.07, "home": None, "em": 3.5})
    app.session_state["fp_limits"] = own  # as of a study that is opened
    for page in ("unicity", "data", "options"):
        go(app, page)
        assert app.session_state["fp_limits"] == own
        assert _field(app, "outsider").value == 7.0
        assert _field(app, "home").value is None
        assert _field(app, "em").value == 3.5
        assert _field(app, "kl").value is None
    # A change of one field leaves the others as they are.
    _field(app, "kl").set_value(2.0).run()
    assert app.session_state["fp_limits"] == Limits({**own.of, "kl": 2.0})
