"""Files that a page offers: how they are named, and to whom they are answered."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime import media_file_manager, memory_media_file_storage
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.web.server.starlette import starlette_app, starlette_routes

from pages.server import media
from pages.server.lives import Registry
from pages.server.media import KEPT_S, Media, sweep

from .asgi import OTHER, TOKEN, Behind, ask, cookie


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MediaFileManager:
    """Streamlit's, with our names in force; ``running`` is the session whose script runs."""
    monkeypatch.setattr(memory_media_file_storage, "_calculate_file_id", _calculated)
    monkeypatch.setattr(MediaFileManager, "execute_deferred", media._EXECUTE)
    monkeypatch.setattr(MediaFileManager, "_get_inactive_file_ids", media._INACTIVE)
    media.keep_apart()
    found = MediaFileManager(MemoryMediaFileStorage("/media"))
    found.running = "s"  # type: ignore[attr-defined]
    monkeypatch.setattr(
        media_file_manager,
        "_get_session_id",
        lambda: found.running,  # type: ignore[attr-defined]
    )
    monkeypatch.setattr(media.runtime, "exists", lambda: True)
    monkeypatch.setattr(
        media.runtime, "get_instance", lambda: SimpleNamespace(media_file_mgr=found)
    )
    monkeypatch.setattr(media, "_MADE", {})
    return found


_calculated = memory_media_file_storage._calculate_file_id


def made(manager: MediaFileManager, session: str = "s", content: bytes = b"a,b\n") -> str:
    """The address of a file that is made at the press of a button."""
    manager.running = session  # type: ignore[attr-defined]
    asked = manager.add_deferred(lambda: content, "text/csv", f"at-{session}", "own.csv")
    return manager.execute_deferred(asked)


def on_page(manager: MediaFileManager, session: str = "s", content: bytes = b"a,b\n") -> str:
    """The address of a file that stands on a page."""
    manager.running = session  # type: ignore[attr-defined]
    return manager.add(content, "text/csv", f"at-{session}", "own.csv", is_for_static_download=True)


def status(registry: Registry, path: str, token: str = TOKEN, method: str = "GET") -> int:
    sent = ask(Media(Behind(), registry), path, method, cookie=cookie(token) if token else None)
    found: int = sent[0]["status"]
    return found


@pytest.mark.parametrize("how", [made, on_page])
def test_no_file_has_the_name_of_another(manager: MediaFileManager, how: Any) -> None:
    """Nor the same one twice: nothing can be learnt from a name, by whoever has the content."""
    addresses = {how(manager, session) for session in ("s", "s", "t")}
    assert len(addresses) == 3
    assert all(len(media._id(each.rpartition("/")[2])) == 64 for each in addresses)
    # Large files that differ only where Streamlit takes no sample of them.
    one, two = (bytes(500_000) + mark + bytes(2_000_000) for mark in (b"1", b"2"))
    names = [how(manager, "s", content).rpartition("/")[2] for content in (one, two)]
    assert [manager._storage.get_file(each).content for each in names] == [one, two]  # type: ignore[attr-defined]


@pytest.mark.parametrize("how", [made, on_page])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_file_is_answered_to_the_browser_of_its_session_alone(
    manager: MediaFileManager, registry: Registry, how: Any, method: str
) -> None:
    address = how(manager)
    assert status(registry, address, TOKEN, method) == 200
    for token in (OTHER, "", "c" * 43):
        assert status(registry, address, token, method) == 404
    assert status(registry, "/media/unknown.csv", TOKEN, method) == 404


def test_nor_when_its_session_has_ended(manager: MediaFileManager, registry: Registry) -> None:
    address = made(manager)
    registry.closed(registry.claim("s").connection, left=True)
    registry.now[0] = 900.0  # type: ignore[attr-defined]
    registry.take_due()
    assert status(registry, address) == 404


def test_other_addresses_and_the_dashboards_fonts_are_not_its_business(registry: Registry) -> None:
    assert status(registry, "/data", "") == 200
    assert status(registry, "/static/media/MaterialSymbols-Rounded.nEdyypZU.woff2") == 200


def test_what_was_made_goes_after_a_while_and_with_its_session(
    manager: MediaFileManager, registry: Registry
) -> None:
    storage: Any = manager._storage
    for session in ("s", "s", "t"):
        made(manager, session)
    assert sweep(registry) == 0
    registry.closed(registry.claim("t").connection, left=True)
    registry.take_due()
    assert sweep(registry) == 1
    registry.now[0] = KEPT_S - 1  # type: ignore[attr-defined]
    assert sweep(registry) == 0
    assert len(storage._files_by_id) == 2
    registry.now[0] = KEPT_S  # type: ignore[attr-defined]
    assert sweep(registry) == 2
    assert storage._files_by_id == {}
    assert manager._file_metadata == {}


def test_streamlit_makes_names_where_ours_are_put() -> None:
    """An upgrade that moves the place is to fail here, and not to bring guessable names back."""
    assert memory_media_file_storage._calculate_file_id is media._random_id
    assert MediaFileManager.execute_deferred is media._execute_deferred
    assert "_calculate_file_id(file_data" in inspect.getsource(
        MemoryMediaFileStorage.load_and_get_id
    )
    assert "MemoryMediaFileStorage(" in inspect.getsource(starlette_app)
    assert "media_storage.get_file(file_id)" in inspect.getsource(
        starlette_routes.create_media_routes
    )


def test_without_that_place_the_server_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(memory_media_file_storage, "_calculate_file_id")
    with pytest.raises(AttributeError):
        media.keep_apart()


def test_the_runs_of_others_do_not_drop_what_was_just_made(manager: MediaFileManager) -> None:
    address = made(manager)
    stays = on_page(manager, "t")
    for _ in range(3):  # as after a run of any session's script
        manager.remove_orphaned_files()
    name = address.rpartition("/")[2]
    assert manager._storage.get_file(name).content == b"a,b\n"  # type: ignore[attr-defined]
    manager.clear_session_refs("t")
    for _ in range(3):
        manager.remove_orphaned_files()
    assert media._id(stays.rpartition("/")[2]) not in manager._file_metadata
