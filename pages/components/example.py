"""TRADE's table 4.1 as an explainer; every number is computed, none is typed in."""

from __future__ import annotations

import streamlit as st

from fpanon_core.measures.table_4_1 import KNOWN, N_BINS, PRESENCE
from pages.charts import words

from . import learning

_SECOND, _THIRD_BIN = 1, 2  # the user and the bin that TRADE works by hand


def explainer() -> None:
    """The expander; while the numbers are computed it says so."""
    with st.expander("How the measures work: four users and five bins", key="disclosure_example"):
        worked = learning.worked()
        if worked is None:
            st.caption("The numbers appear here in a moment.")
            return
        whole, second = worked.result, worked.second
        head = ["User", *(f"Bin {b}" for b in range(1, N_BINS + 1)), "Known", "Who fits, E",
                "1 / size of E", "EM", "KL (nats)"]  # fmt: skip
        rows = [
            [
                f"User {u + 1}",
                *("●" if b in own else "" for b in range(1, N_BINS + 1)),
                " and ".join(f"bin {b}" for b in KNOWN[u]),
                ", ".join(map(str, _who_fits(u))),
                f"1/{whole.sizes[u]}",
                f"{whole.em_user[u]:.3f}",
                f"{whole.kl_user[u]:.3f}",
            ]
            for u, own in enumerate(PRESENCE)
        ]
        # A plain table: a grid is not drawn while the expander around it is closed.
        lines = [head, [":---", *[":---:"] * (len(head) - 1)], *rows]
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
        own, fits = KNOWN[_SECOND][0], _who_fits(_SECOND)
        prior = float(whole.bin_users[_THIRD_BIN] / whole.n_users)
        st.markdown(
            f"A dot is a presence. An outsider knows that user 2 was in bin {own}. Users "
            f"{' and '.join(map(str, fits))} fit, so that the right record is named with "
            f"probability 1/{int(second.sizes[0])}. But both were in bin 3, as "
            f"{words.percent(prior)} of all users were: the outsider is now certain of it, "
            f"{second.em_bin[_THIRD_BIN]:.2f} more than before. Over the {N_BINS} bins that is "
            f"**EM = {second.em_user[0]:.2f}** for user 2 – learnt without finding them.\n\n"
            f"Over all four users: **unicity {whole.unicity:.2f}**, **k-disclosure "
            f"{whole.k_disclosure:.4f}**, **EM {whole.em:.3f}**, **KL {whole.kl:.3f} nats**. "
            "(TRADE, table 4.1)"
        )


def _who_fits(user: int) -> list[int]:
    """Users, from 1, who were in all bins known of one."""
    return [u for u, own in enumerate(PRESENCE, 1) if set(KNOWN[user]) <= set(own)]
