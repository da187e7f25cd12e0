"""The server asks nobody: Streamlit's look-ups of this machine's own address are put out."""

from __future__ import annotations

from streamlit import net_util


def keep() -> None:
    """Put them out, for this process.

    Streamlit asks an outside service for this machine's public address, and a socket for its
    address within the network, to print them and to accept them as origins. Nobody needs either:
    which names are accepted is said by the configuration alone.
    """
    net_util.get_external_ip = _nothing
    net_util.get_internal_ip = _nothing


def _nothing() -> None:
    return None
