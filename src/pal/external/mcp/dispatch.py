"""MCP without any input or output: a message and its connection in, the answer or nothing out.

One table of methods serves both eras; what a modern request needs stands in the request itself."""

from __future__ import annotations

from pal import __version__
from pal.external import tools
from pal.external.mcp import wire
from pal.external.mcp.catalog import page_of
from pal.external.mcp.connection import KINDS, LEVELS, Listener
from pal.external.mcp.wire import BAD_PARAMS, UNKNOWN_METHOD, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from pal.base.home import Home
    from pal.external.mcp.catalog import Catalog
    from pal.external.mcp.connection import Connection
    from pal.external.mcp.wire import Message

    Method = Callable[["Asked"], "Message | None"]

NAME, TITLE = "pal", "PAL"
TOOL_LIST_TTL = 10_000  # milliseconds for which a client may keep a list
_LEGACY_ONLY = ("initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe")
_MODERN_ONLY = ("server/discover", "subscriptions/listen")
_CACHED = {
    "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"
}  # fmt: skip


class Asked:
    """One request on its way through the table."""

    __slots__ = ("connection", "identity", "meta", "modern", "params", "send", "token")

    def __init__(self, message: Message, connection: Connection, send: Callable[[Message], object], token: str) -> None:
        self.identity = message.get("id")
        self.params = dict(wire.params_of(message))
        self.meta = wire.meta_of(self.params)
        self.modern = wire.VERSION_KEY in self.meta
        self.connection = connection
        self.send = send  # the way for what belongs to this request
        self.token = _token(self.params, self.meta) or token

    @property
    def client(self) -> str:
        """What the client calls itself."""
        told = self.meta.get(wire.CLIENT_KEY) if self.modern else None
        return _name(told) or self.connection.client


class Server:
    """A catalog that answers. `token` is what the process itself was given for its client."""

    def __init__(self, home: Home, catalog: Catalog, token: str = "") -> None:
        self.home = home
        self.catalog = catalog
        self.token = token
        self.methods: Mapping[str, Method] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": lambda asked: {},
            "tools/list": lambda asked: self._list(asked, "tools", self._tools()),
            "tools/call": self._call,
            "subscriptions/listen": self._listen,
            **self._optional(),
        }

    def _optional(self) -> dict[str, Method]:
        catalog = self.catalog
        found: dict[str, Method] = {}
        if catalog.resources:
            resources = catalog.resources
            found["resources/list"] = lambda asked: self._list(asked, "resources", resources())
            found["resources/templates/list"] = lambda asked: self._list(
                asked, "resourceTemplates", catalog.templates()
            )
            found["resources/read"] = self._read
            found["resources/subscribe"] = lambda asked: self._watch(asked, True)
            found["resources/unsubscribe"] = lambda asked: self._watch(asked, False)
        if catalog.prompts:
            prompts = catalog.prompts
            found["prompts/list"] = lambda asked: self._list(asked, "prompts", prompts())
            found["prompts/get"] = self._prompt
        if catalog.complete:
            found["completion/complete"] = self._complete
        if catalog.logs:
            found["logging/setLevel"] = self._level
        return found

    def answer(
        self, message: Any, connection: Connection, send: Callable[[Message], object] | None = None, token: str = ""
    ) -> Message | None:
        """The response to one message; None for a notification, a response, and a request that stays open."""
        try:
            form = wire.form_of(message)
            if form != "request":
                self._notified(message, connection)
                return None
            return self._answer(message, connection, send or connection.send, token or self.token)
        except Cancelled:
            return None
        except Fault as fault:
            return wire.error(wire.identity_of(message), fault)
        except Exception as fault:
            from pal.base import log

            log.error(self.home, "mcp", f"{type(fault).__name__} while answering: {fault}")
            return wire.error(wire.identity_of(message), Fault(wire.INTERNAL, "internal error"))

    def _answer(
        self, message: Message, connection: Connection, send: Callable[[Message], object], token: str
    ) -> Message | None:
        asked = Asked(message, connection, send, token)
        method = message["method"]
        if asked.modern:
            _check_modern(asked.meta)
        elif method not in ("initialize", "ping", *_MODERN_ONLY) and not connection.version:
            raise Fault(wire.NOT_A_REQUEST, f"{method} needs an initialize before it, or a version in its _meta")
        known = method not in (_LEGACY_ONLY if asked.modern else _MODERN_ONLY) and self.methods.get(method)
        if not known:
            raise Fault(UNKNOWN_METHOD, f"there is no method {method[:100]}")
        value = known(asked)
        if value is None:
            return None
        if asked.modern:
            value = {"resultType": "complete", **value}
            value["_meta"] = {**value.get("_meta", {}), wire.SERVER_KEY: {"name": NAME, "version": __version__}}
            if method in _CACHED:
                value.setdefault("ttlMs", TOOL_LIST_TTL if method != "resources/read" else 0)
                value["cacheScope"] = "private"
        return wire.result(asked.identity, value)

    def _notified(self, message: Message, connection: Connection) -> None:
        if message.get("method") == "notifications/cancelled":
            try:
                connection.cancel(wire.params_of(message).get("requestId"))
            except Fault:
                pass  # a notification is never answered, not even when it is wrong

    def _initialize(self, asked: Asked) -> Message:
        wanted = asked.params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise Fault(BAD_PARAMS, "protocolVersion is missing")
        asked.connection.version = wanted if wanted in wire.LEGACY else wire.LEGACY[0]
        asked.connection.client = _name(asked.params.get("clientInfo"))
        return self._hello({"protocolVersion": asked.connection.version}, False)

    def _discover(self, asked: Asked) -> Message:
        return self._hello({"supportedVersions": list(wire.SPOKEN)}, True)

    def _hello(self, value: Message, modern: bool) -> Message:
        value["capabilities"] = self.catalog.capabilities(modern)
        if not modern:
            value["serverInfo"] = {"name": NAME, "title": TITLE, "version": __version__}
        if self.catalog.instructions:
            value["instructions"] = self.catalog.instructions
        return value

    def _tools(self) -> list[Message]:
        return [self.catalog.described(tool) for tool in self.catalog.tools()]

    def _list(self, asked: Asked, key: str, entries: Sequence[Any]) -> Message:
        page, after = page_of(entries, asked.params.get("cursor"), self.catalog.page)
        return {key: page, "nextCursor": after} if after else {key: page}

    def _call(self, asked: Asked) -> Message:
        name, arguments = asked.params.get("name"), asked.params.get("arguments")
        if not isinstance(name, str) or not (arguments is None or isinstance(arguments, dict)):
            raise Fault(BAD_PARAMS, "tools/call takes a name and an object of arguments")
        tool = self.catalog.find(name)
        if tool is None:
            raise Fault(BAD_PARAMS, f"there is no tool {name[:100]!r}")
        call = tools.Call(
            "mcp",
            agent=asked.client,
            token=asked.token,
            session=asked.connection.session,
            trace=_trace(asked.meta.get("traceparent")),
            progress=_progress(asked),
            capabilities=asked.meta.get(wire.CAPABILITIES_KEY) if asked.modern else {},
            log=_log(asked),
        )
        asked.connection.begun(asked.identity, call)
        try:
            outcome = tools.run(self.home, tool, arguments or {}, call)
        except tools.Missing as lacking:
            needed = {"requiredCapabilities": lacking.capabilities}
            raise Fault(wire.MISSING_CAPABILITY, f"{name[:100]} needs a client with {lacking}", needed) from None
        finally:
            asked.connection.ended(asked.identity)
        if call.cancelled:
            raise Cancelled
        value: Message = {"content": outcome.content}
        if outcome.structured is not None:
            value["structuredContent"] = outcome.structured
        if outcome.error:
            value["isError"] = True
        return value

    def _listen(self, asked: Asked) -> Message | None:
        wanted = asked.params.get("notifications")
        if not isinstance(wanted, dict):
            raise Fault(BAD_PARAMS, "subscriptions/listen says which notifications it wants")
        listener = Listener(asked.identity, wanted, asked.send)
        offered = self.catalog.capabilities(True)
        listener.kinds &= set(offered)
        listener.uris &= listener.uris if "resources" in offered else set()
        granted: Message = {key: True for key in wanted if KINDS.get(key) in listener.kinds}
        if listener.uris:
            granted["resourceSubscriptions"] = sorted(listener.uris)
        listener.tell("notifications/subscriptions/acknowledged", {"notifications": granted})
        asked.connection.listen(listener)
        return None

    def _read(self, asked: Asked) -> Message:
        uri = asked.params.get("uri")
        contents = self.catalog.read(uri) if isinstance(uri, str) else None
        if contents is None:
            code = BAD_PARAMS if asked.modern or not isinstance(uri, str) else wire.NO_RESOURCE
            raise Fault(code, "there is no such resource", {"uri": uri} if isinstance(uri, str) else None)
        return {"contents": list(contents)}

    def _watch(self, asked: Asked, on: bool) -> Message:
        uri = asked.params.get("uri")
        if not isinstance(uri, str):
            raise Fault(BAD_PARAMS, "uri is missing")
        (asked.connection.watched.add if on else asked.connection.watched.discard)(uri)
        return {}

    def _prompt(self, asked: Asked) -> Message:
        name, arguments = asked.params.get("name"), asked.params.get("arguments") or {}
        found = self.catalog.prompt(name, arguments) if isinstance(name, str) and isinstance(arguments, dict) else None
        if found is None:
            raise Fault(BAD_PARAMS, f"there is no prompt {str(name)[:100]!r}")
        return dict(found)

    def _complete(self, asked: Asked) -> Message:
        assert self.catalog.complete
        values = list(self.catalog.complete(asked.params))
        return {"completion": {"values": values[:100], "total": len(values), "hasMore": len(values) > 100}}

    def _level(self, asked: Asked) -> Message:
        level = asked.params.get("level")
        if level not in LEVELS:
            raise Fault(BAD_PARAMS, f"level is one of {', '.join(LEVELS)}")
        asked.connection.level = str(level)
        return {}


class Cancelled(Exception):
    """The client gave the request up: nothing is answered."""


def _check_modern(meta: Message) -> None:
    version = meta[wire.VERSION_KEY]
    if not isinstance(version, str) or not isinstance(meta.get(wire.CAPABILITIES_KEY), dict):
        raise Fault(BAD_PARAMS, f"_meta needs {wire.VERSION_KEY} and {wire.CAPABILITIES_KEY}")
    if version != wire.MODERN:
        data = {"supported": list(wire.SPOKEN), "requested": version[:100]}
        raise Fault(wire.UNKNOWN_VERSION, "that version is not spoken here", data)


def _token(params: Message, meta: Message) -> str:
    """What the request shows for a higher tier; it is taken out, so that nothing behind this can log it."""
    for place, key in ((params, "_auth"), (meta, "pal/auth")):
        found = place.pop(key, None)
        if isinstance(found, str) and found:
            return found[7:].strip() if found[:7].lower() == "bearer " else found
    return ""


def _name(told: Any) -> str:
    name = told.get("name") if isinstance(told, dict) else None
    return name[:200] if isinstance(name, str) else ""


def _trace(parent: Any) -> tuple[str, str]:
    """Trace and span of a W3C traceparent; empty for one that is not (w3.org/TR/trace-context)."""
    parts = parent.split("-") if isinstance(parent, str) else []
    shaped = [len(part) for part in parts[:4]] == [2, 32, 16, 2] and set("".join(parts)) <= set("0123456789abcdef")
    sound = shaped and parts[0] != "ff" and parts[1].strip("0") and parts[2].strip("0")
    return (parts[1], parts[2]) if sound else ("", "")


def _progress(asked: Asked) -> Callable[[float, float | None, str], object]:
    token = asked.meta.get("progressToken")
    if not wire.is_id(token):
        return lambda done, total, text: None
    last = [float("-inf")]

    def tell(done: float, total: float | None, text: str) -> None:
        if done > last[0]:  # it only ever grows
            last[0] = done
            params = {"progressToken": token, "progress": done, "total": total, "message": text}
            kept = {name: value for name, value in params.items() if value not in (None, "")}
            asked.send(wire.notification("notifications/progress", kept))

    return tell


def _log(asked: Asked) -> Callable[[str, Any], object]:
    """The way for a log line of a tool: only where the client asked for lines of that level."""
    wanted = asked.meta.get(wire.LEVEL_KEY) if asked.modern else asked.connection.level
    if wanted not in LEVELS:
        return lambda level, data: None

    def tell(level: str, data: Any) -> None:
        if LEVELS.index(level) >= LEVELS.index(wanted):
            asked.send(wire.notification("notifications/message", {"level": level, "logger": NAME, "data": data}))

    return tell
