"""Present: one figure and one sentence at a time, for who decides and does not measure."""

from __future__ import annotations

import streamlit as st

from pages.charts import style
from pages.present import person, stage, story
from pages.shell import dataset, layout, workspace

of = style.theme(st.context.theme.type)

stage.dress()
heading, corner = stage.line()
data = dataset.current()
if data is None:
    heading.title("Present", anchor=False)
data = layout.data("present", without=story.NOTHING, then="The slides follow with the data.")
choice = workspace.of(data.digest).choice
asked = person.settings(data, corner, choice)
others = [each for each in stage.offered(data.digest) if stage.of_chosen(choice, each.steps)]
attacked = any(each.key == "attack" and each.steps for each in others)
slides = stage.chosen(
    [
        *stage.opening(data),
        *person.people_slides(data),
        *others,
        *stage.of_choice(data, attacked=attacked),
        *person.slides(data, asked),
        *stage.closing(data),
    ],
    corner,
)
if not slides:
    heading.title("Present", anchor=False)
    st.info(story.NO_SLIDE)
else:
    slide = stage.turn(slides, corner)
    heading.title(slide.question, anchor=False)
    heading.caption(stage.about(data, slide))
    with st.container(key="main_figure"):
        slide.show(of)
    stage.sentence(slide.sentence, slide.more)
stage.missing(data)
