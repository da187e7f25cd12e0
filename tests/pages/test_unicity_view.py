"""The Unicity view: empty, measured, other seeds, short records, the sparsity calculator."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from fpanon_core import sparsity_model, unicity
from fpanon_core.studies.unicity import PRODUCT
from pages.shell.questions import Kind
from pages.unicity.form import OUTSIDER, REGIONS
from tests.support.views import answers, go, opened, rows, said, until, upload


def answer(at: AppTest, kind: Kind) -> Any:
    """The answer kept of that kind; None while there is none."""
    found = list(answers(at, kind).values())
    return found[-1].result if found else None


def measured(at: AppTest) -> AppTest:
    return until(at, lambda at: answer(at, OUTSIDER) is not None and len(at.dataframe) > 0)


def test_the_taxis_are_looked_at_as_an_outsider_would(app: AppTest) -> None:
    opened(app, page="unicity")
    measured(app)
    fs = app.session_state["fp_dataset"].fs
    four = unicity(fs, 4)
    result = answer(app, OUTSIDER)
    assert result.curves["random"][3].value == four.value
    assert {len(found) for found in result.curves.values()} == {8}
    text = said(app)
    assert "4 known points single out" in text
    assert f"We asked about {four.n_targets:,} people" in text
    table = app.dataframe[0].value
    assert table["p"].tolist() == [2, 4, 6, 8]
    # The product of side and window is no law here, and none is written or drawn as one.
    laws = result.laws_along(PRODUCT)
    assert [name == "no law" for name in table["Law"]] == [not law.holds for law in laws]
    assert "No law holds at p = 2 (R² " in text
    assert len(fs.pseudonyms) >= 30
    # Another seed asks about other points, and is another result.
    app.number_input(key="unicity_seed").set_value(1).run()
    until(app, lambda at: answer(at, OUTSIDER).config.seed == 1)


def test_short_records_are_told_and_do_no_harm(app: AppTest) -> None:
    upload(app, rows(users=7, samples=2), page="unicity")
    measured(app)
    result = answer(app, OUTSIDER)
    assert len(result.curves["random"]) == 2
    assert "2 known points single out" in said(app)
    assert "the median time between two samples is" in said(app)
    assert "people without a record at night" in said(app) or "Each dot is a square of" in said(app)


def test_data_of_one_bin_are_looked_at_too(app: AppTest) -> None:
    lines = [f"u{i},2024-03-04 08:00:00,14.7,-17.4" for i in range(5)]
    upload(app, "\n".join(["user,time,lat,lon", *lines]).encode(), page="unicity")
    until(app, lambda at: answer(at, OUTSIDER) is not None)
    app.run()
    result = answer(app, OUTSIDER)
    assert [found.value for found in result.curves["random"]] == [0.0]
    assert "is ever unique: for each" in said(app)
    assert "there is no law to fit" in said(app)
    until(app, lambda at: at.error)  # seven antennas asked for, one there is
    assert "larger than the network" in app.error[0].value


def test_antennas_are_merged_sparsity_calculated_too_large_regions_refused(
    app: AppTest,
) -> None:
    upload(app, rows(users=7, samples=4), page="unicity")
    measured(app)
    until(app, lambda at: answer(at, REGIONS) is not None)
    app.number_input(key="unicity_v").set_value(3).run()
    until(app, lambda at: "With 4 points" in said(at) and "become 3 regions" in said(at))
    # The file brings no antennas: what is merged are its places.
    assert "7 places become 3 regions" in said(app)
    assert "antennas become" not in said(app)
    assert app.number_input(key="unicity_v").label == "Places in a region, about (v)"
    assert "The figure needs at least" in said(app)
    found = answer(app, REGIONS)
    assert found.sizes.sum() == 7  # the users stand at seven places
    assert len(found.rings) >= 3
    # The calculator of sparsity, beside them.
    n = next(field for field in app.number_input if field.key.startswith("unicity_n_"))
    n.set_value(1_600_000)
    app.number_input(key="unicity_d").set_value(16).run()
    expected = sparsity_model(1_600_000, 16).p_unique
    assert f"any one person is unique with probability {expected:.3g}" in said(app)
    app.number_input(key="unicity_v").set_value(50).run()
    until(app, lambda at: at.error)
    assert "larger than the network" in app.error[0].value


def test_choices_are_kept_while_another_view_is_looked_at(app: AppTest) -> None:
    upload(app, rows(users=30, samples=9), page="unicity")
    measured(app)
    app.selectbox(key="unicity_p").set_value(6)
    app.number_input(key="unicity_d").set_value(77).run()
    go(app, "hiding")
    app.number_input(key="glove_k").set_value(25)
    app.number_input(key="glove_space").set_value(3.0)
    app.button(key="glove_run").click().run()
    go(app, "unicity")
    assert app.selectbox(key="unicity_p").value == 6
    assert app.number_input(key="unicity_d").value == 77
    go(app, "hiding")
    assert app.number_input(key="glove_k").value == 25
    assert app.number_input(key="glove_space").value == 3.0
    upload(app, rows(users=7, samples=4))  # nobody hides among 25 here
    go(app, "hiding")
    assert app.number_input(key="glove_k").value == 7
