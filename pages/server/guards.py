"""What stands between the network and every page: in force from the first request on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from streamlit import config
from streamlit.starlette import App

from . import place, silence
from .door import Door
from .headers import Headers

# The outermost first: what the door refuses is answered with the headers, too.
MIDDLEWARE: list[Middleware] = [Middleware(Headers), Middleware(Door)]

# The web server would spool uploads of more than a megabyte to a temporary file; what people upload
# here stays in memory.
MultiPartParser.spool_max_size = 2**40
silence.keep()


@asynccontextmanager
async def lifespan(_app: App) -> AsyncGenerator[dict[str, Any]]:
    """From the start of the server to its end."""
    if (public := place.public()) is not None:
        # Streamlit looks at a WebSocket's host once more.
        names = {*config.get_option("server.allowedHosts"), public.name}
        config.set_option("server.allowedHosts", sorted(names))
    yield {}
