"""MCP's revisions, error codes and the form of its messages (modelcontextprotocol.io/specification).

A *modern* request (2026-07-28) says in its own `_meta` which revision it speaks and what its client can do; a *legacy*
one (2024-11-05 to 2025-11-25) relies on an `initialize` before it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
SPOKEN = (MODERN, *LEGACY)
BATCHES = "2025-03-26"  # the one revision in which a message may be an array of messages

PREFIX = "io.modelcontextprotocol/"
VERSION_KEY = PREFIX + "protocolVersion"
CAPABILITIES_KEY = PREFIX + "clientCapabilities"
CLIENT_KEY = PREFIX + "clientInfo"
SERVER_KEY = PREFIX + "serverInfo"
SUBSCRIPTION_KEY = PREFIX + "subscriptionId"
LEVEL_KEY = PREFIX + "logLevel"

NOT_JSON = -32700
NOT_A_REQUEST = -32600
UNKNOWN_METHOD = -32601
BAD_PARAMS = -32602
INTERNAL = -32603
NO_RESOURCE = -32002  # legacy only
BAD_HEADER = -32020
MISSING_CAPABILITY = -32021
UNKNOWN_VERSION = -32022


class Fault(Exception):
    """A request that gets an error: its code, one sentence, and data where the code has any."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def result(identity: Any, value: Message) -> Message:
    return {"jsonrpc": "2.0", "id": identity, "result": value}


def error(identity: Any, fault: Fault) -> Message:
    body: Message = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        body["data"] = fault.data
    return {"jsonrpc": "2.0", "id": identity, "error": body}


def notification(method: str, params: Message) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def is_id(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def form_of(message: Any) -> str:
    """ "request", "notification" or "response"; Fault for anything else."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Fault(NOT_A_REQUEST, "a message is a JSON object with jsonrpc 2.0")
    if "method" not in message:
        if "id" in message and ("result" in message or "error" in message):
            return "response"
        raise Fault(NOT_A_REQUEST, "a message has a method, or is the answer to one")
    if not isinstance(message["method"], str):
        raise Fault(NOT_A_REQUEST, "method is a string")
    if "id" not in message:
        return "notification"
    if not is_id(message["id"]):
        raise Fault(NOT_A_REQUEST, "id is a string or a whole number")
    return "request"


def identity_of(message: Any) -> Any:
    """The id an error to this message carries; None when it has none that could be one."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if is_id(found) else None


def params_of(message: Message) -> Message:
    params = message.get("params", {})
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise Fault(BAD_PARAMS, "params is an object")
    return params


def meta_of(params: Message) -> Message:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def is_modern(message: Any) -> bool:
    params = message.get("params") if isinstance(message, dict) else None
    return isinstance(params, dict) and VERSION_KEY in meta_of(params)
