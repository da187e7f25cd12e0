"""Limits: set once, in force on every page, kept, and told with their source."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from fpanon_core.studies.judgement import Limits
from pages.shell import limits
from tests.support.views import go, rows, said, upload

LINE = "named ≤ 5 % · home ≤ 5 points over guessing · alone ≤ 5 %"


def test_the_line_tells_what_holds() -> None:
    assert limits.told(Limits()) == LINE
    assert limits.told(Limits({"home": None})) == "named ≤ 5 % · home: no limit · alone ≤ 5 %"
    # What is not usual is told, whatever it is of.
    assert limits.told(Limits({"em": 4.0})) == f"{LINE} · EM ≤ 4 bins"
    # .07 * 100 is 7.000000000000001.
    assert limits.told(Limits({"outsider": 0.07})).startswith("named ≤ 7 % · ")


def test_the_bar_counts_what_a_verdict_counts() -> None:
    """Found alone by points and alone with the whole record are two, with one number."""
    assert limits.line(Limits()) == "6 limits: named ≤ 5 % · home ≤ 5 points · alone ≤ 5 %"
    assert limits.counted(Limits()).startswith("In force, 6: ")
    assert limits.counted(Limits()).count(";") == 5
    # Naming, home, EM and KL are left.
    four = Limits({"unicity": None, "em": 4.0})
    assert limits.line(four).startswith("4 limits: ")
    assert limits.line(four).endswith("alone: no limit · EM ≤ 4 bins")
    none = Limits(dict.fromkeys(("outsider", "home", "unicity", "em", "kl")))
    assert (limits.line(none), limits.counted(none)) == ("No limit is set", "None is in force.")


def test_where_a_limit_is_from_is_said() -> None:
    usual = Limits()
    assert "El Emam et al. 2011" in limits.source_told(usual, "outsider")
    assert "our default, not a norm" in limits.source_told(usual, "home")
    own = Limits({"outsider": 0.2, "home": 0.01, "em": None})
    assert "looser" in limits.source_told(own, "outsider")
    assert "stricter" in limits.source_told(own, "home")
    assert "nothing is refused by it" in limits.source_told(own, "em")


def test_a_limit_holds_on_every_page_and_the_usual_ones_come_back(app: AppTest) -> None:
    upload(app, rows(users=9, samples=6))
    assert app.number_input(key="limit_outsider").value == 5.0
    assert "our default, not a norm" in said(app)
    app.number_input(key="limit_outsider").set_value(9.0).run()
    assert app.session_state["fp_limits"].limit("linkage") == 0.09
    app.number_input(key="limit_home").set_value(None).run()
    for page in ("unicity", "options"):
        go(app, page)
        assert app.number_input(key="limit_outsider").value == 9.0
        assert app.number_input(key="limit_home").value is None
        assert app.session_state["fp_limits"] == Limits({"outsider": 0.09, "home": None})
    app.button(key="limits_usual").click().run()
    assert app.number_input(key="limit_outsider").value == 5.0
    assert app.number_input(key="limit_home").value == 5.0
    assert app.session_state["fp_limits"] == Limits()
    assert not app.exception
