"""Under which name the dashboard is reached: this machine's own, or a public one behind a proxy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from fpanon_core.model.errors import ConfigError

PUBLIC_VARIABLE = "FPANON_PUBLIC_URL"
"""Environment: the address people type when a reverse proxy stands before the server."""
_USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Place:
    """Scheme and authority, as a browser writes them.

    Parameters
    ----------
    scheme : str
        ``http`` or ``https``.
    host : str
        Name, and port where it is not the scheme's usual one; in lower case.
    """

    scheme: str
    host: str

    @property
    def origin(self) -> str:
        """As a browser names it in the header ``Origin``."""
        return f"{self.scheme}://{self.host}"

    @property
    def name(self) -> str:
        """The host without its port."""
        return urlsplit(self.origin).hostname or ""

    @classmethod
    def of(cls, scheme: str, name: str, port: int) -> Place:
        """A name and a port; browsers leave out a scheme's usual port."""
        usual = _USUAL_PORTS.get(scheme) == port
        return cls(scheme, name.lower() if usual else f"{name.lower()}:{port}")


def public(environment: Mapping[str, str] = os.environ) -> Place | None:
    """Where people reach the dashboard through a proxy, as :data:`PUBLIC_VARIABLE` says.

    Returns
    -------
    Place or None
        None when it is not set: the dashboard is then for this machine alone.

    Raises
    ------
    ConfigError
        When it is anything but ``http(s)://name`` or ``http(s)://name:port``.
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
