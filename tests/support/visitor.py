"""A browser without a screen: speaks to a running dashboard as Streamlit's own page does.

For what happens between connections, where a Chromium would be too heavy or could not be made to
fail on purpose. It follows no fragment of a page: waiting, it runs the whole page again.
"""

from __future__ import annotations

import contextlib
import http.client
import http.cookies
import re
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

_XSRF = "_streamlit_xsrf"
_PATIENCE_S = 90.0
_TEXTS = ("markdown", "alert", "heading", "text", "progress", "html")


class Visitor:
    """One window of one browser.

    Parameters
    ----------
    address : str
        Such as ``http://localhost:8501``.
    cookies : dict or None
        Of the browser, shared with its other windows; None for a browser never seen before.
    """

    def __init__(self, address: str, cookies: dict[str, str] | None = None) -> None:
        self.address = address
        self.cookies = {} if cookies is None else cookies
        self.session = ""
        self.heard: list[bytes] = []  # every message's bytes, in order
        self._socket: ClientConnection | None = None
        self._listening = False
        self._change = threading.Condition()
        self._elements: dict[tuple[int, ...], Element] = {}
        self._next: dict[tuple[int, ...], Element] = {}
        self._labels: dict[tuple[int, ...], str] = {}  # of popovers
        self._next_labels: dict[tuple[int, ...], str] = {}
        self._finished = 0
        self._pages: dict[str, str] = {}
        self._page = ""
        self._answers: dict[str, Any] = {}
        self._cached: dict[str, ForwardMsg] = {}
        self._widgets: dict[str, WidgetState] = {}

    # --- connections ---

    def open(self, path: str = "/") -> Visitor:
        """Load the page, as after typing its address or pressing reload."""
        self.session = ""
        self._elements, self._labels, self._widgets, self._page = {}, {}, {}, ""
        self.fetch(path, accept="text/html")
        self.fetch("/_stcore/health")
        return self.connect()

    def connect(self, session: str | None = None) -> Visitor:
        """Connect, for the session the page has (or another one), and run the page."""
        asked = self.session if session is None else session
        protocols: list[Any] = ["streamlit", self.cookies[_XSRF], *([asked] if asked else [])]
        host = urlsplit(self.address).netloc
        opening = connect(
            f"ws://{host}/_stcore/stream",
            subprotocols=protocols,
            origin=self.address,  # type: ignore[arg-type]
            additional_headers={"Cookie": self._cookie_header()},
            max_size=None,
            compression=None,
            ping_interval=None,
            open_timeout=_PATIENCE_S,  # browsers wait longer
        )
        self._socket = opening.__enter__()  # left by `cut` or `leave`
        self._listening = True
        threading.Thread(target=self._listen, args=(self._socket,), daemon=True).start()
        return self.run()

    def cut(self) -> None:
        """Lose the connection, as when the network fails: no goodbye."""
        assert self._socket is not None
        self._socket.socket.shutdown(socket.SHUT_RDWR)
        self._socket = None

    def leave(self) -> None:
        """Close the window, or be about to load it anew: a browser says so."""
        assert self._socket is not None
        self._socket.close(1001)
        self._socket = None

    # --- pages ---

    def run(self) -> Visitor:
        """Run the page's script with the widgets as they are; until it is finished."""
        message = BackMsg()
        state = message.rerun_script
        state.page_script_hash = self._page
        state.widget_states.widgets.extend(self._widgets.values())
        state.cached_message_hashes.extend(self._cached)
        with self._change:
            before = self._finished
        self._say(message)
        self._await(lambda: self._finished > before, "the script's end")
        for held in list(self._widgets.values()):
            if held.WhichOneof("value") == "trigger_value":
                del self._widgets[held.id]
        return self

    def turn_to(self, page: str) -> Visitor:
        """Go to a page by the last part of its address."""
        self._page = self._pages[page]
        self._widgets.clear()
        return self.run()

    def click(self, key: str) -> Visitor:
        """Press a button."""
        button = self.widget(key).id
        self._widgets[button] = WidgetState(id=button, trigger_value=True)
        return self.run()

    def upload(self, key: str, name: str, content: bytes) -> Visitor:
        """Choose a file in an uploader."""
        request = BackMsg()
        request.file_urls_request.request_id = mark = uuid.uuid4().hex
        request.file_urls_request.file_names.append(name)
        request.file_urls_request.session_id = self.session
        self._say(request)
        self._await(lambda: mark in self._answers, "an address to upload to")
        urls = self._answers[mark].file_urls[0]
        status, told = self.send(urls.upload_url, name, content)
        assert status == 204, (status, told)
        state = WidgetState(id=self.widget(key).id)
        held = state.file_uploader_state_value.uploaded_file_info.add()
        held.file_id, held.name, held.size = urls.file_id, name, len(content)
        held.file_urls.CopyFrom(urls)
        self._widgets[state.id] = state
        return self.run()

    def send(self, path: str, name: str, content: bytes) -> tuple[int, bytes]:
        """Put a file to an address; status and body of the answer."""
        mark = uuid.uuid4().hex
        head = (
            f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: text/csv\r\n\r\n"
        )
        body = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
        headers = {
            "Content-Type": f"multipart/form-data; boundary={mark}",
            "X-Xsrftoken": self.cookies.get(_XSRF, ""),
        }
        return self._ask("PUT", path, headers, body)

    def download(self, key: str) -> bytes:
        """What a download button gives."""
        status, content = self.fetch(self.address_of(key))
        assert status == 200, status
        return content

    def address_of(self, key: str) -> str:
        """Where the file of a download button is, for now."""
        button = self.widget(key)
        url = button.url
        if button.deferred_file_id:
            request = BackMsg()
            request.backend_operation_request.request_id = mark = uuid.uuid4().hex
            request.backend_operation_request.session_id = self.session
            request.backend_operation_request.deferred_file.file_id = button.deferred_file_id
            self._say(request)
            self._await(lambda: mark in self._answers, "a file")
            url = self._answers[mark].deferred_file.url
        return str(url) if url.startswith("/") else f"/{url}"

    def until(self, done: Callable[[Visitor], Any], what: str = "it", every_s: float = 0.5) -> None:
        """Run the page again until something is so."""
        end = time.monotonic() + _PATIENCE_S
        while not done(self):
            assert time.monotonic() < end, f"waited in vain for {what}; the page says: {self.text}"
            time.sleep(every_s)
            self.run()

    # --- what it shows ---

    @property
    def idle(self) -> bool:
        """Whether the page shows no work under way."""
        kinds = {element.WhichOneof("type") for element in list(self._elements.values())}
        return "progress" not in kinds

    @property
    def text(self) -> str:
        """All that the page says."""
        return "\n".join(self._texts())

    def has(self, key: str) -> bool:
        """Whether a widget of that key is on the page."""
        return self._found(key) is not None

    def widget(self, key: str) -> Any:
        """The widget of that key, as the protocol has it."""
        found = self._found(key)
        assert found is not None, f"no {key}; the page says: {self.text}"
        return getattr(found, str(found.WhichOneof("type")))

    def fetch(self, path: str, accept: str = "*/*") -> tuple[int, bytes]:
        """Ask for an address with the browser's cookies; keeps those it is given."""
        return self._ask("GET", path, {"Accept": accept})

    # --- inside ---

    def _found(self, key: str) -> Element | None:
        for element in list(self._elements.values()):
            kind = element.WhichOneof("type")
            widget = getattr(element, kind) if kind else None
            if re.search(rf"-{re.escape(key)}$", str(getattr(widget, "id", ""))):
                return element
        return None

    def _texts(self) -> Iterable[str]:
        yield from list(self._labels.values())
        for element in list(self._elements.values()):
            kind = element.WhichOneof("type")
            if kind in _TEXTS:
                part = getattr(element, kind)
                yield str(getattr(part, "body", "") or getattr(part, "text", ""))

    def _say(self, message: BackMsg) -> None:
        assert self._socket is not None, "not connected"
        self._socket.send(message.SerializeToString())

    def _await(self, done: Callable[[], bool], what: str) -> None:
        with self._change:
            self._change.wait_for(lambda: done() or not self._listening, _PATIENCE_S)
            assert done(), f"waited in vain for {what}"

    def _listen(self, connection: ClientConnection) -> None:
        try:
            with contextlib.suppress(ConnectionClosed, OSError):
                for data in connection:
                    assert isinstance(data, bytes)
                    message = ForwardMsg()
                    message.ParseFromString(data)
                    with self._change:
                        self.heard.append(data)
                        self._take(message)
                        self._change.notify_all()
        finally:
            with self._change:
                if self._socket is connection:
                    self._listening = False  # nobody is to wait for more
                self._change.notify_all()

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            whole = ForwardMsg()
            whole.CopyFrom(self._cached[message.ref_hash])
            whole.metadata.CopyFrom(message.metadata)
            message, kind = whole, whole.WhichOneof("type")
        elif message.metadata.cacheable:
            self._cached[message.hash] = message
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id
            self._page = message.new_session.page_script_hash
            self._next, self._next_labels = {}, {}
        elif kind == "navigation":
            self._page = message.navigation.page_script_hash
            self._pages = {p.url_pathname: p.page_script_hash for p in message.navigation.app_pages}
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            path = tuple(message.metadata.delta_path)
            self._next[path] = self._elements[path] = message.delta.new_element
        elif kind == "delta" and message.delta.add_block.WhichOneof("type") == "popover":
            path = tuple(message.metadata.delta_path)
            label = message.delta.add_block.popover.label
            self._next_labels[path] = self._labels[path] = label
        elif kind == "script_finished":
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                self._elements, self._labels = self._next, self._next_labels
                self._finished += 1
        elif kind == "file_urls_response":
            answer = message.file_urls_response
            self._answers[answer.response_id] = answer
        elif kind == "backend_operation_response":
            answer = message.backend_operation_response
            self._answers[answer.request_id] = answer

    def _ask(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None = None
    ) -> tuple[int, bytes]:
        parts = urlsplit(self.address)
        own = {"Cookie": self._cookie_header(), "Origin": self.address}
        asking = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=_PATIENCE_S)
        try:
            asking.request(method, path, body, headers | own)
            answer = asking.getresponse()
            for line in answer.headers.get_all("Set-Cookie") or ():
                for name, morsel in http.cookies.SimpleCookie(line).items():
                    self.cookies[name] = morsel.value
            return answer.status, answer.read()
        finally:
            asking.close()

    def _cookie_header(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())
