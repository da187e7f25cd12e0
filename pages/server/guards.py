"""What stands between the network and every page: in force from the first request on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from streamlit import config
from streamlit.starlette import App

from . import allowances, entrance, faults, media, place, readiness, silence
from .crowd import Crowd, raise_limit_of_files
from .door import Door
from .headers import Headers
from .lives import REGISTRY
from .owners import Owners
from .reaper import Reaper
from .uploads import Uploads

# The outermost first: what the door refuses is answered with the headers, too; whom the entrance
# keeps out has come under the dashboard's own name, and owns nothing.
MIDDLEWARE: list[Middleware] = [
    Middleware(Headers),
    Middleware(Door),
    Middleware(entrance.Guard),
    Middleware(Crowd),
    Middleware(Owners, registry=REGISTRY),
    Middleware(media.Media, registry=REGISTRY),
    Middleware(Uploads, registry=REGISTRY, allowances=allowances.IN_FORCE),
]

# The web server would spool uploads of more than a megabyte to a temporary file; what people upload
# here stays in memory.
MultiPartParser.spool_max_size = 2**40
silence.keep()
readiness.keep()
media.keep_apart()

# Streamlit must not forget a session before the reaper ends it: reconnecting would find the work,
# and nothing on the page.
config.set_option("server.disconnectedSessionTTL", int(allowances.IN_FORCE.grace_s) + 3600)

faults.keep_out_of_logs()


@asynccontextmanager
async def lifespan(_app: App) -> AsyncGenerator[dict[str, Any]]:
    """From the start of the server to its end."""
    raise_limit_of_files()
    await asyncio.to_thread(readiness.load)
    if (public := place.public()) is not None:
        # Streamlit looks at a WebSocket's host once more.
        names = {*config.get_option("server.allowedHosts"), public.name}
        config.set_option("server.allowedHosts", sorted(names))
    reaper = asyncio.create_task(Reaper(REGISTRY).run())
    try:
        yield {}
    finally:
        reaper.cancel()
        REGISTRY.close()
