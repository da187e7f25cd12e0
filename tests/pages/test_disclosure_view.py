"""The Disclosure view: empty, measured, other knowledge, one profile, the address."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fpanon_core as fp
from fpanon_core.model.profiles import parse_profile
from fpanon_core.studies.disclosure import Config, Result, suited_profiles
from pages.charts import maps, style, words
from pages.disclosure.story import MEANS_TOLD
from tests.support.views import HEADER, go, has, new_app, opened, rows, said, until, upload


def measured(at: AppTest) -> AppTest:
    return until(at, lambda at: has(at, "disclosure_get_lorenz"))


def found(at: AppTest) -> Result:
    """The last answer that the session keeps."""
    result: Result = list(at.session_state["fp_answers"]["disclosure"].values())[-1].result
    return result


def test_what_is_learnt_from_the_taxis(app: AppTest) -> None:
    opened(app, page="disclosure")
    measured(app)
    assert not app.error
    fs = app.session_state["fp_dataset"].fs
    profiles = suited_profiles(fs)
    assert [str(p) for p in profiles] == [
        f"{side} · {hours} h" for side in ("1 km", "5 km") for hours in (1, 6, 12, 24)
    ]
    text = said(app)
    seen = fp.generalize(fs, profiles[0])
    alone = fp.disclosure(seen, fp.draw_knowledge(seen, 4))
    assert f"over {alone.n_bins:,} bins" in text
    # Means do not tell profiles apart, and it is said; in all, a person's sums are.
    assert MEANS_TOLD in text
    total = words.supported(alone.em_sum, *alone.interval("em_sum"))
    assert f"Over all bins, the changes add up to {total}" in text
    assert f"4 known points single out {words.percent(alone.unicity)}" in text
    leak = found(app).leaks[str(profiles[0])]
    assert leak.measures["em"] == (alone.em, *alone.interval("em"))
    assert np.array_equal(leak.people["kl"], alone.kl_user)
    assert leak.people["pseudonym"].str.fullmatch(r"u\d+").all()
    # Another profile is looked at without measuring again.
    jobs = len(app.session_state["fp_jobs"])
    app.selectbox(key="disclosure_profile").set_value("5 km · 24 h").run()
    assert "mean EM-disclosure, at 5 km · 24 h" in said(app)
    assert len(app.session_state["fp_jobs"]) == jobs


def test_other_knowledge_is_measured_and_kept_in_the_address(app: AppTest) -> None:
    upload(app, rows(users=7, samples=4), page="disclosure")
    measured(app)
    app.number_input(key="disclosure_p").set_value(2)
    app.number_input(key="disclosure_users").set_value(10)
    app.selectbox(key="disclosure_strategy").set_value("uniform")
    app.number_input(key="disclosure_seed").set_value(9)
    app.multiselect(key="disclosure_profiles").set_value(["1 km · 30 min", "2 km · 1 h"])
    app.button(key="disclosure_measure").click().run()
    until(app, lambda at: len(found(at).grid) == 2 and has(at, "disclosure_get_lorenz"))
    assert app.query_params == {"known": "2,uniform,10,9", "over": "1000x30,2000x60"}
    assert "2 known points single out" in said(app)
    # A new session that opens the address asks the same.
    again = go(new_app(known="2,uniform,10,9", over="1000x30,2000x60"), "disclosure")
    config = again.session_state["fp_disclosure_config"]
    assert config.knowledge == fp.KnowledgeConfig(2, "uniform", 10, 9)
    assert [str(p) for p in config.profiles] == ["1 km · 30 min", "2 km · 1 h"]
    # Of one profile there is nothing to agree on; of none, or of nonsense, nothing is asked.
    app.multiselect(key="disclosure_profiles").set_value(["1 km · 30 min"])
    app.button(key="disclosure_measure").click().run()
    until(app, lambda at: len(found(at).grid) == 1 and has(at, "disclosure_get_lorenz"))
    assert "no order to compare" in said(app)
    assert MEANS_TOLD not in said(app)
    for wrong, told in (([], "0 profiles are chosen"), (["somewhere"], "could not be read")):
        app.multiselect(key="disclosure_profiles").set_value(wrong)
        app.button(key="disclosure_measure").click().run()
        assert told in app.error[0].value


def test_every_kind_of_places_is_chosen_and_grids_say_where_they_begin(app: AppTest) -> None:
    upload(app, rows(users=7, samples=4), page="disclosure")
    measured(app)
    wanted = [
        "2 km · 1 h",
        "2 km from 0 m east, 0.5 km south · 1 h",
        "about 2 antennas · 1 h",
        "hexagons of H3 resolution 7 · 1 h",
    ]
    picker = app.multiselect(key="disclosure_profiles")
    assert wanted[3] in picker.options
    assert not any(option.startswith("regions by") for option in picker.options)  # no table
    picker.set_value(wanted)
    app.button(key="disclosure_measure").click().run()
    until(app, lambda at: len(found(at).grid) == 4 and has(at, "disclosure_get_lorenz"))
    assert app.query_params["over"] == "2000x60,2000e0s500x60,a2x60,h7x60"
    chosen = fp.resolve(fs := app.session_state["fp_dataset"].fs, parse_profile(wanted[0]))
    told = said(app)
    assert "Corners of the grids, from the projection’s centre: 2 km: " in told
    assert f"2 km: {chosen.space.where}" in told
    assert "2 km: 0 m east, 500 m south" in told
    table = fp.disclosure_grid(fs, [chosen], p=4, unicity_p=[4]).drop(columns="profile")
    mine = found(app).grid.set_index("profile").loc[[wanted[0]], table.columns]
    pd.testing.assert_frame_equal(mine.reset_index(drop=True), table)


def test_an_address_that_makes_no_sense_is_left_out() -> None:
    known = ("4", "0,random,10,0", "2,best,10,0", "x,random,10,0", "99,random,10,0", "2,random,0,0")
    for nonsense in known:
        app = go(new_app(known=nonsense, over="1000x,5"), "disclosure")
        assert app.session_state["fp_disclosure_config"] == Config(), nonsense


def test_people_who_are_all_alike_disclose_nothing(app: AppTest) -> None:
    lines = [f"u{i},2024-03-04 08:00:00,14.7,-17.4\n" for i in range(5)]
    measured(upload(app, (HEADER + "".join(lines)).encode(), page="disclosure"))
    assert found(app).grid["em"].tolist() == [0.0] * len(found(app).grid)
    assert "no interval, as everyone was tested and nothing was drawn" in said(app)
    assert not app.error


def test_profiles_that_suit_the_data() -> None:
    def suited(extent: float, granularity_m: float = 100.0) -> list[tuple[float, float]]:
        who, x = np.arange(200), np.linspace(0, extent, 200)
        fs = fp.FingerprintSet.from_samples(who, x, 0 * who, who, granularity_m=granularity_m)
        return [(p.grid_m, p.minutes) for p in suited_profiles(fs)]

    windows = (60, 360, 720, 1440)
    assert suited(100_000) == [(s, w) for s in (2_500, 20_000) for w in windows]
    assert suited(0) == [(100, w) for w in windows]
    # Nothing finer than the data.
    assert suited(100_000, 10_000) == [(s, w) for s in (10_000, 20_000) for w in windows]


BOTH = pytest.mark.parametrize("of", [style.LIGHT, style.DARK], ids=["light", "dark"])


@BOTH
@pytest.mark.parametrize("values", [[0.001, 0.5, 0.02], [0.0, 0.2, 0.1], [0.0, 0.0], [0.3]])
def test_the_colours_of_a_map_have_a_scale(of: style.Theme, values: list[float]) -> None:
    by = maps.shades(np.array(values), of)
    assert all(len(c) == 7 and c[0] == "#" for c in by.colours)
    bar = maps.scale_bar(by, "EM", of)
    assert len(bar.data[0].x) == 64
    assert by.high == max(values)
