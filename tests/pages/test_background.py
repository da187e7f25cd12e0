"""Lines of one's own under the maps: uploaded, told of, refused, taken away."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from tests.support.views import has, idle, opened, said, until

ROADS = {
    "type": "MultiLineString",
    "coordinates": [[[-122.5, 37.7], [-122.4, 37.8]], [[-122.5, 37.8], [-122.4, 37.7]]],
}


def given(at: AppTest, body: bytes) -> AppTest:
    at.file_uploader(key="data_background_file").upload("roads.geojson", body).run()
    at.button(key="data_background_read").click().run()
    return until(at, idle).run()


def test_lines_are_laid_under_the_maps_and_taken_away(app: AppTest) -> None:
    opened(app)
    assert "no figure depends on them" in said(app)
    given(app, json.dumps(ROADS).encode())
    assert "2 lines of 4 points lie under the maps." in said(app)
    assert app.session_state["fp_background"].n_lines == 2
    app.button(key="data_background_remove").click().run()
    assert "lie under the maps" not in said(app).replace("Lines of your own lie under", "")
    assert not has(app, "data_background_remove")


def test_a_bad_file_is_refused_and_what_there_was_stays(app: AppTest) -> None:
    opened(app)
    given(app, json.dumps(ROADS).encode())
    given(app, b'{"type": "LineString", "coordinates": [[430000, 4580000], [430100, 4580000]]}')
    assert "beyond the globe" in app.error[0].value
    assert "San Francisco" in said(app)
    assert app.session_state["fp_background"].n_lines == 2
