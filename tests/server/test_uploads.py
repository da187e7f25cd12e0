"""Uploads that are refused, counted and dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.server import uploads
from pages.server.environment import MEGABYTE, Allowances
from pages.server.lives import Registry
from pages.server.uploads import LEAST, STALLED_S, UNCLAIMED_S, Sweep, Uploads, in_memory

from .asgi import OTHER, TOKEN, cookie, never, scope_of

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """Streamlit's store of uploaded files."""
    manager = MemoryUploadedFileManager("/_stcore/upload_file")
    server = SimpleNamespace(uploaded_file_mgr=manager)
    monkeypatch.setattr(uploads.runtime, "exists", lambda: True)
    monkeypatch.setattr(uploads.runtime, "get_instance", lambda: server)
    return manager


def asking(token: str, session: str = "s", file: str = "f", method: str = "PUT") -> Scope:
    path = f"/_stcore/upload_file/{session}/{file}"
    found: Scope = scope_of(path, method, cookie=cookie(token))
    return found


class Streamlit:
    """In its place: reads the whole body, and notes how much there was."""

    read = 0
    reached = False

    async def __call__(self, _scope: Scope, receive: Receive, _send: Send) -> None:
        self.reached = True
        while True:
            message = await receive()
            self.read += len(message["body"])
            if not message["more_body"]:
                return


def put(guard: Uploads, scope: Scope, megabytes: int) -> list[Message]:
    """Upload so much, a megabyte at a time; what is answered by the guard itself."""
    sent: list[Message] = []
    parts: Iterator[int] = iter(range(megabytes, 0, -1))

    async def receive() -> Message:
        rest = next(parts)
        return {"type": "http.request", "body": bytes(MEGABYTE), "more_body": rest > 1}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    return sent


def guard(app: Any, registry: Registry, session_mb: float = 10, server_mb: float = 15) -> Uploads:
    return Uploads(app, registry, Allowances(session_mb=session_mb, server_mb=server_mb))


def stored(files: MemoryUploadedFileManager, session: str, name: str, megabytes: int) -> None:
    record = UploadedFileRec(name, f"{name}.csv", "text/csv", bytes(megabytes * MEGABYTE))
    files.add_file(session, record)


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize(
    ("token", "session"), [(OTHER, "s"), ("", "s"), (TOKEN, "t"), (TOKEN, "unknown")]
)
def test_only_a_sessions_own_browser_uploads_to_it(
    registry: Registry, token: str, session: str, method: str
) -> None:
    app = Streamlit()
    start, _ = put(guard(app, registry), asking(token, session, method=method), 1)
    assert start["status"] == 403
    assert not app.reached


def test_exactly_what_is_allowed_arrives(registry: Registry) -> None:
    app = Streamlit()
    assert put(guard(app, registry), asking(TOKEN), 10) == []
    assert app.read == 10 * MEGABYTE


def test_too_much_is_refused_while_it_arrives(registry: Registry) -> None:
    """Whatever the request says of its length: here it says nothing."""
    app = Streamlit()
    with pytest.raises(HTTPException) as refused:
        put(guard(app, registry), asking(TOKEN), 1000)
    assert refused.value.status_code == 413
    assert "10 MB for one session" in refused.value.detail
    assert app.read == 10 * MEGABYTE


def test_files_of_other_ids_and_the_file_that_is_open_count_too(
    files: MemoryUploadedFileManager, registry: Registry
) -> None:
    for number in range(8):
        stored(files, "s", f"file-{number}", 1)
    registry.claim("s").source_bytes = MEGABYTE
    app = Streamlit()
    with pytest.raises(HTTPException):
        put(guard(app, registry), asking(TOKEN), 2)
    assert app.read == 1 * MEGABYTE
    registry.claim("s").source_bytes = 0
    put(guard(Streamlit(), registry), asking(TOKEN), 2)


def test_all_sessions_together_have_a_limit(
    files: MemoryUploadedFileManager, registry: Registry
) -> None:
    stored(files, "t", "theirs", 9)
    with pytest.raises(HTTPException) as refused:
        put(guard(Streamlit(), registry), asking(TOKEN), 7)
    assert "15 MB for all sessions" in refused.value.detail
    put(guard(Streamlit(), registry), asking(TOKEN), 6)


def test_two_uploads_at_once_count_together(registry: Registry) -> None:
    class Slow(Streamlit):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            if scope["path"].endswith("first"):
                await receive()  # and no more: it still arrives while the other one comes
                waits.set()
                await asyncio.sleep(0)
                await done.wait()
            else:
                await waits.wait()
                await super().__call__(scope, receive, send)

    async def receive() -> Message:
        return {"type": "http.request", "body": bytes(6 * MEGABYTE), "more_body": False}

    async def both() -> None:
        asked = guard(Slow(), registry)
        first = asyncio.create_task(asked(asking(TOKEN, file="first"), receive, never))
        try:
            with pytest.raises(HTTPException):
                await asked(asking(TOKEN, file="second"), receive, never)
        finally:
            done.set()
            await first
        await asked(asking(TOKEN, file="third"), receive, never)  # both are over

    waits, done = asyncio.Event(), asyncio.Event()
    asyncio.run(both())


class Arriving:
    """An upload that comes in parts, with a time between them, or never ends."""

    def __init__(self, registry: Registry, parts: list[tuple[float, int]]) -> None:
        self.registry = registry
        self.parts = parts

    async def receive(self) -> Message:
        if not self.parts:
            self.registry.now[0] += STALLED_S  # type: ignore[attr-defined]
            await asyncio.Event().wait()
        seconds, size = self.parts.pop(0)
        self.registry.now[0] += seconds  # type: ignore[attr-defined]
        return {"type": "http.request", "body": bytes(size), "more_body": size > 0}

    def put(self) -> None:
        asked = Uploads(Streamlit(), self.registry, Allowances(), look_s=0.01)
        try:
            asyncio.run(asyncio.wait_for(asked(asking(TOKEN), self.receive, never), 60))
        finally:
            self.held = dict(asked._arriving)


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [(0, 45 * MEGABYTE)],
        [(STALLED_S / 3, 1)] * 100,
        [(STALLED_S / 3, LEAST)] * 5 + [(STALLED_S / 3, LEAST // 4)] * 100,
    ],
    ids=["nothing", "much, and no more", "by single bytes", "slower and slower"],
)
def test_an_upload_that_never_ends_is_ended(
    registry: Registry, parts: list[tuple[float, int]]
) -> None:
    upload = Arriving(registry, list(parts))
    with pytest.raises(HTTPException) as refused:
        upload.put()
    assert refused.value.status_code == 408
    assert refused.value.headers == {"Connection": "close"}
    assert upload.held == {}  # it counts no more
    assert bool(upload.parts) == (len(parts) > 2)  # bytes that trickle in do not keep it alive
    slow = Arriving(registry, [*[(STALLED_S - 1, LEAST)] * 100, (STALLED_S - 1, 0)])
    slow.put()  # a slow one is not
    assert slow.held == {}


def test_an_upload_ends_with_its_session(registry: Registry) -> None:
    class Left(Arriving):
        async def receive(self) -> Message:
            if not self.parts:
                registry.closed(registry.claim("s").connection, left=True)
                registry.take_due()
                await asyncio.Event().wait()
            return await super().receive()

    upload = Left(registry, [(0, 45 * MEGABYTE)])
    with pytest.raises(HTTPException) as refused:
        upload.put()
    assert refused.value.status_code == 410
    assert upload.held == {}


def test_files_of_no_widget_are_dropped(
    files: MemoryUploadedFileManager, registry: Registry
) -> None:
    for number in range(12):
        stored(files, "s", f"file-{number}", 1)
    stored(files, "of nobody", "file", 1)
    registry.claim("s").claimed = frozenset({"file-3"})
    sweep = Sweep(registry)
    assert sweep() == 0
    registry.now[0] = UNCLAIMED_S - 1  # type: ignore[attr-defined]
    assert sweep() == 0
    registry.now[0] = UNCLAIMED_S  # type: ignore[attr-defined]
    assert sweep() == 12
    assert in_memory(registry) == {"s": MEGABYTE, "t": 0, "of nobody": 0}
    registry.claim("s").claimed = frozenset()  # its page was turned
    sweep()
    registry.now[0] = 2 * UNCLAIMED_S  # type: ignore[attr-defined]
    assert sweep() == 1
