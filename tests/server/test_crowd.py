"""For how many windows there is room, and what is said to the next."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pages.server import guards
from pages.server.entrance import PERSON
from pages.server.owners import Crowd, Room

from .asgi import Behind, ask, cookie, never, scope_of

SMALL = Room(in_all=6, of_one=3, without_cookie=2)
HTML = "text/html,*/*"


class Stream:
    """In Streamlit's place: accepts, and stays until it is told to go."""

    def __init__(self) -> None:
        self.open = 0
        self.over = asyncio.Event()

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            return
        self.open += 1
        try:
            await self.over.wait()
        finally:
            self.open -= 1


class Visitors:
    """Windows that are opened one after the other."""

    def __init__(self, room: Room = SMALL) -> None:
        self.stream = Stream()
        self.crowd = Crowd(self.stream, room)
        self.tasks: list[asyncio.Task[None]] = []

    async def ask(self, who: str, method: str = "WS", **more: Any) -> dict[str, Any]:
        """The first answer; {} where the connection stands."""
        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        path = "/_stcore/stream" if method == "WS" else "/"
        scope = scope_of(path, method, accept=HTML, cookie=cookie(who * 43) if who else None)
        task = asyncio.create_task(self.crowd(scope | more, never, send))
        self.tasks.append(task)
        for _ in range(5):
            await asyncio.sleep(0)
        return sent[0] if sent else {}

    async def leave(self) -> None:
        self.stream.over.set()
        await asyncio.gather(*self.tasks)


@pytest.mark.parametrize(
    ("who", "most", "more"),
    [
        (["a"] * 4, SMALL.of_one, {}),
        ([""] * 3, SMALL.without_cookie, {}),
        (["a", "b", "c", "d"], SMALL.of_one, {PERSON: "officer"}),  # one, however many cookies
    ],
)
def test_of_one_browser_and_of_those_without_cookie_so_many(
    who: list[str], most: int, more: dict[str, str]
) -> None:
    async def run() -> None:
        visitors = Visitors()
        assert [await visitors.ask(each, **more) for each in who[:most]] == [{}] * most
        refused = await visitors.ask(who[most], **more)
        assert refused == {"type": "websocket.close", "code": 1013, "reason": ""}
        assert await visitors.ask("e") == {}  # there is room for others
        await visitors.leave()
        visitors.stream.over.clear()
        assert await visitors.ask(who[0], **more) == {}  # and again for this one
        await visitors.leave()

    asyncio.run(run())


def test_of_all_together_so_many() -> None:
    async def run() -> None:
        visitors = Visitors()
        for who in "abcdef":
            assert await visitors.ask(who) == {}
        assert (await visitors.ask("g"))["code"] == 1013
        assert visitors.stream.open == 6
        await visitors.leave()
        assert visitors.crowd._open.total() == 0

    asyncio.run(run())


@pytest.mark.parametrize("who", ["a", ""])
def test_the_page_says_so(who: str) -> None:
    """A browser without a cookie is given one, and counts then: for it there is room."""

    async def run() -> None:
        visitors = Visitors()
        for _ in range(SMALL.of_one if who else SMALL.without_cookie):
            await visitors.ask(who)
        told = await visitors.ask(who, "GET")
        assert told["status"] == (503 if who else 200)
        for other in "bcd":
            await visitors.ask(other)
        await visitors.ask("e")
        assert (await visitors.ask(who, "GET"))["status"] == 503
        await visitors.leave()

    asyncio.run(run())


def test_how_it_says_so() -> None:
    answer = ask(Crowd(Behind(), Room(in_all=0)), accept=HTML)
    assert answer[0]["status"] == 503
    assert b"Close those that are not needed" in answer[1]["body"]
    assert (b"retry-after", b"10") in answer[0]["headers"]
    # What a page that is open consists of is answered all the same.
    assert ask(Crowd(Behind(), Room(in_all=0)), "/media/x", accept="*/*")[0]["status"] == 200


@pytest.mark.parametrize(
    ("soft", "hard", "set_to"),
    [(1024, 8192, (8192, 8192)), (1024, -1, (65_536, -1)), (8192, 8192, None), (-1, -1, None)],
)
def test_the_limit_of_files_is_raised(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, set_to: tuple[int, int] | None
) -> None:
    resource = pytest.importorskip("resource")
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _what, limits: asked.append(limits))
    guards.raise_limit_of_files()
    assert asked == ([] if set_to is None else [set_to])
