"""Present: one figure and one sentence at a time, for who decides and does not measure."""

from __future__ import annotations

import streamlit as st

from pages.charts import style
from pages.present import order, people, person, stage, story
from pages.shell import dataset, needed

of = style.theme(st.context.theme.type)

stage.dress()
heading, corner = stage.line()
data = dataset.current()
if data is None:
    heading.title("Present", anchor=False)
data = needed.data("present", without=story.NOTHING, then="The slides follow with the data.")
asked = person.settings(data, corner)
slides = order.chosen(
    [*people.slides(data), *stage.offered(data.digest), *person.slides(data, asked)], corner
)
if not slides:
    heading.title("Present", anchor=False)
    st.info(story.NO_SLIDE)
else:
    slide = stage.turn(slides, corner)
    heading.title(slide.question, anchor=False)
    with st.container(key="main_figure"):
        slide.show(of)
    stage.sentence(slide.sentence)
stage.missing(data)
