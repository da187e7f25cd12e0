"""How long is a session kept without its browser, and how much may be uploaded?

Set by the server's operator in environment variables, read once when the server starts.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from fpanon_core.model.budgets import number

MEGABYTE = 1024 * 1024
"""As Streamlit counts them in ``server.maxUploadSize``."""

GRACE_VARIABLE = "FPANON_GRACE_MIN"
SESSION_VARIABLE = "FPANON_UPLOAD_MB_SESSION"
SERVER_VARIABLE = "FPANON_UPLOAD_MB"


@dataclass(frozen=True)
class Allowances:
    """What the server's operator allows.

    Attributes
    ----------
    grace_min : float
        Minutes for which a session is kept once its browser is gone; more than 0, a day at most.
    session_mb : float
        Megabytes of uploaded files that one session may have in memory.
    server_mb : float
        The same of all sessions together.
    """

    grace_min: float = 15.0
    session_mb: float = 600.0  # the largest file, and the antennas it names
    server_mb: float = 2000.0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Allowances:
        """As the environment says; the defaults where it says nothing.

        Raises
        ------
        ConfigError
            Where a variable is no number, or none that can be meant.
        """
        return cls(
            grace_min=number(GRACE_VARIABLE, environment, most=24 * 60) or cls.grace_min,
            session_mb=number(SESSION_VARIABLE, environment, most=1e6) or cls.session_mb,
            server_mb=number(SERVER_VARIABLE, environment, most=1e6) or cls.server_mb,
        )

    @property
    def grace_s(self) -> float:
        """The grace in seconds."""
        return self.grace_min * 60


IN_FORCE = Allowances.of(os.environ)
