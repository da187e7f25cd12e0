"""What stands between the network and every page: in force from the first request on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from streamlit.starlette import App

from . import faults

MIDDLEWARE: list[Middleware] = []

# The web server would spool uploads of more than a megabyte to a temporary file; what people upload
# here stays in memory.
MultiPartParser.spool_max_size = 2**40

faults.keep_out_of_logs()


@asynccontextmanager
async def lifespan(_app: App) -> AsyncGenerator[dict[str, Any]]:
    """From the start of the server to its end."""
    yield {}
