"""Environment variables that the server's operator sets, read once when the server starts.

They give the name under which the dashboard is reached: this machine's own, or a public one behind
a proxy. They also set how long a session is kept without its browser, and how much may be uploaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from fpanon_core.model.budgets import number
from fpanon_core.model.errors import ConfigError

PUBLIC_VARIABLE = "FPANON_PUBLIC_URL"
"""Environment variable: the address people type if a reverse proxy is in front of the server."""
_USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Place:
    """Scheme and authority, as a browser writes them.

    Parameters
    ----------
    scheme : str
        ``http`` or ``https``.
    host : str
        Name in lower case, with the port if that is not the scheme's usual one.
    """

    scheme: str
    host: str

    @property
    def origin(self) -> str:
        """Return the place as a browser names it in the header ``Origin``."""
        return f"{self.scheme}://{self.host}"

    @property
    def name(self) -> str:
        """Return the host without its port."""
        return urlsplit(self.origin).hostname or ""

    @classmethod
    def of(cls, scheme: str, name: str, port: int) -> Place:
        """Return the place of a name and a port; the port is left out if it is the usual one."""
        usual = _USUAL_PORTS.get(scheme) == port
        return cls(scheme, name.lower() if usual else f"{name.lower()}:{port}")


def public(environment: Mapping[str, str] = os.environ) -> Place | None:
    """Return the address under which people reach the dashboard through a proxy.

    It is read from :data:`PUBLIC_VARIABLE`.

    Returns
    -------
    Place or None
        None if the variable is not set: the dashboard is then for this machine only.

    Raises
    ------
    ConfigError
        The variable is set to anything but ``http(s)://name`` or ``http(s)://name:port``.
    """
    told = environment.get(PUBLIC_VARIABLE, "").strip()
    if not told:
        return None
    wrong = ConfigError(
        f"{PUBLIC_VARIABLE} is not an address the dashboard can be reached under; expected "
        "https://name or https://name:port, without a path, user or query. Correct it, or unset "
        "it to serve this machine alone."
    )
    try:
        parts = urlsplit(told)
        port = parts.port
    except ValueError:
        raise wrong from None
    plain = f"{parts.scheme}://{parts.netloc}".lower() == told.removesuffix("/").lower()
    if not (plain and parts.scheme in _USUAL_PORTS and parts.hostname and told.isascii()):
        raise wrong
    if "@" in parts.netloc or set(parts.netloc) & set(" *\\,;'\"<>%\t\r\n"):
        raise wrong
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return Place.of(parts.scheme, name, _USUAL_PORTS[parts.scheme] if port is None else port)


MEGABYTE = 1024 * 1024
"""Bytes in a megabyte, as Streamlit counts them in ``server.maxUploadSize``."""

GRACE_VARIABLE = "FPANON_GRACE_MIN"
SESSION_VARIABLE = "FPANON_UPLOAD_MB_SESSION"
SERVER_VARIABLE = "FPANON_UPLOAD_MB"


@dataclass(frozen=True)
class Allowances:
    """Limits that the server's operator sets.

    Attributes
    ----------
    grace_min : float
        Minutes for which a session is kept once its browser is gone; more than 0, a day at most.
    session_mb : float
        Megabytes of uploaded files that one session may have in memory.
    server_mb : float
        Megabytes of uploaded files that all sessions together may have in memory.
    """

    grace_min: float = 15.0
    session_mb: float = 600.0  # the largest file, and the antennas it names
    server_mb: float = 2000.0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Allowances:
        """Return the limits that the environment sets, with defaults for the others.

        Raises
        ------
        ConfigError
            A variable is not a number, or is out of the allowed range.
        """
        return cls(
            grace_min=number(GRACE_VARIABLE, environment, most=24 * 60) or cls.grace_min,
            session_mb=number(SESSION_VARIABLE, environment, most=1e6) or cls.session_mb,
            server_mb=number(SERVER_VARIABLE, environment, most=1e6) or cls.server_mb,
        )

    @property
    def grace_s(self) -> float:
        """Return the seconds for which a session is kept once its browser is gone."""
        return self.grace_min * 60


IN_FORCE = Allowances.of(os.environ)
