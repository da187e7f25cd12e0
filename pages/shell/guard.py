"""Report faults plainly: the screen and the log get their kind and place, never their data.

Streamlit calls three things: the page's script, the callbacks of its widgets, and its fragments.
Each goes through here: :func:`guarded`, :func:`act` and :func:`fragment`.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, ParamSpec

import streamlit as st

from pages.server import faults

P = ParamSpec("P")
_TOLD_NEXT = "fp_faults_of_callbacks"


class Ended(Exception):
    """Exception that ends a view with nothing more to show; see :func:`end_view`."""


def end_view() -> NoReturn:
    """End the view; unlike ``st.stop``, let the frame finish its own work."""
    raise Ended


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Catch faults raised while a view, or a part of it, is drawn.

    A fault's message may quote the data; Streamlit would print it to the server's log.
    """
    for said in st.session_state.pop(_TOLD_NEXT, ()):
        st.error(said)
    try:
        yield
    except Ended:
        raise
    except Exception as fault:  # Streamlit's own control flow is no Exception.
        faults.log.error("%s", faults.kind_and_place(fault))
        st.error(faults.sentence(fault))


def act(callback: Callable[P, object]) -> Callable[P, None]:
    """Wrap a widget's callback; a fault in it is reported when the page is next drawn."""

    @functools.wraps(callback)
    def guarded_callback(*arguments: P.args, **named: P.kwargs) -> None:
        try:
            callback(*arguments, **named)
        except Exception as fault:
            faults.log.error("%s", faults.kind_and_place(fault))
            st.session_state.setdefault(_TOLD_NEXT, []).append(faults.sentence(fault))

    return guarded_callback


def button(label: str, callback: Callable[..., object], *arguments: Any, **how: Any) -> None:
    """Draw a button; when it is pressed, ``callback`` is called with these arguments.

    ``how`` holds further arguments of :func:`st.button`, such as its key.
    """
    st.button(label, on_click=act(callback), args=arguments, **how)


def fragment(run_every: float | None = None) -> Callable[[Callable[P, object]], Callable[P, Any]]:
    """Return a decorator that redraws a part of a page separately, and shows its faults there.

    Parameters
    ----------
    run_every : float or None
        Seconds from one drawing to the next; None for no timer.
    """

    def of(draw: Callable[P, object]) -> Callable[P, Any]:
        @functools.wraps(draw)
        def guarded_drawing(*arguments: P.args, **named: P.kwargs) -> None:
            with contextlib.suppress(Ended), guarded():
                draw(*arguments, **named)

        drawn: Callable[P, Any] = st.fragment(guarded_drawing, run_every=run_every)
        return drawn

    return of
