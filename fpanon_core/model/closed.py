"""Frozen dataclasses whose arrays nobody can write to, either."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


class Closed:
    """Base of frozen dataclasses: :meth:`_close` at the end of ``__post_init__`` closes arrays."""

    def _close(self) -> None:
        for f in fields(self):  # type: ignore[arg-type]
            value = self.__dict__.get(f.name)  # what is not there is made when asked for
            if isinstance(value, np.ndarray) and value.flags.writeable:
                value = value.view()  # who made the array may go on with it
                value.flags.writeable = False
                object.__setattr__(self, f.name, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays come out of a pickle writable; close them again."""
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)
