"""One client of an MCP server: what it negotiated, what runs for it, what it wants to be told, and the way to it."""

from __future__ import annotations

import threading

from pal.external.mcp import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.external.tools import Call

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
KINDS = {"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources"}


class Listener:
    """One `subscriptions/listen`, which stays open: the kinds of changes and the resources it is about."""

    __slots__ = ("identity", "kinds", "send", "uris")

    def __init__(self, identity: Any, wanted: wire.Message, send: Callable[[wire.Message], object]) -> None:
        self.identity = identity
        self.kinds = {part for key, part in KINDS.items() if wanted.get(key) is True}
        uris = wanted.get("resourceSubscriptions")
        self.uris = {uri for uri in uris if isinstance(uri, str)} if isinstance(uris, list) else set()
        self.send = send

    def tell(self, method: str, params: wire.Message) -> None:
        meta = {wire.SUBSCRIPTION_KEY: self.identity}
        self.send(wire.notification(method, {**params, "_meta": meta}))


class Connection:
    """Everything that is kept between two messages of one client; requests of the modern era need none of it."""

    def __init__(self, send: Callable[[wire.Message], object]) -> None:
        self.send = send
        self.version = ""  # the legacy revision `initialize` settled on
        self.client = ""  # what a legacy client calls itself
        self.level = "info"  # of the log lines it wants
        self.session = ""
        self.watched: set[str] = set()  # resources a legacy client subscribed to
        self._running: dict[Any, Call] = {}
        self._listeners: dict[Any, Listener] = {}
        self._lock = threading.Lock()

    def begun(self, identity: Any, call: Call) -> None:
        with self._lock:
            self._running[identity] = call

    def ended(self, identity: Any) -> None:
        with self._lock:
            self._running.pop(identity, None)

    def cancel(self, identity: Any) -> None:
        """What the client gave up: a call that runs, or a listener. Unknown ids are ignored."""
        with self._lock:
            call = self._running.get(identity) if wire.is_id(identity) else None
            if wire.is_id(identity):
                self._listeners.pop(identity, None)
        if call:
            call.cancel()

    def listen(self, listener: Listener) -> None:
        with self._lock:
            self._listeners[listener.identity] = listener

    def changed(self, part: str) -> None:
        """The list of tools, prompts or resources is another one now."""
        method = f"notifications/{part}/list_changed"
        for listener in self._listening():
            if part in listener.kinds:
                listener.tell(method, {})
        if self.version:
            self.send(wire.notification(method, {}))

    def updated(self, uri: str) -> None:
        """A resource that is subscribed to says something else now."""
        for listener in self._listening():
            if uri in listener.uris:
                listener.tell("notifications/resources/updated", {"uri": uri})
        if uri in self.watched:
            self.send(wire.notification("notifications/resources/updated", {"uri": uri}))

    def close(self) -> None:
        """The server leaves: listeners are told, and what still runs is ended."""
        with self._lock:
            listeners, calls = list(self._listeners.values()), list(self._running.values())
            self._listeners.clear()
        for listener in listeners:
            meta = {wire.SUBSCRIPTION_KEY: listener.identity}
            listener.send(wire.result(listener.identity, {"resultType": "complete", "_meta": meta}))
        for call in calls:
            call.cancel()

    def _listening(self) -> list[Listener]:
        with self._lock:
            return list(self._listeners.values())
