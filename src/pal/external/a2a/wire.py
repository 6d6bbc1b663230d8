"""A2A's errors, and the form of what callers send (specification 1.0, a2a-protocol.org).

Unknown fields are dropped, not kept: what goes back to a caller is checked against a closed schema there."""

from __future__ import annotations

from typing import Any

VERSION = "1.0"
NOT_JSON, NOT_A_REQUEST, UNKNOWN_METHOD, BAD_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NO_TASK, NOT_CANCELABLE, NO_PUSH, UNSUPPORTED = -32001, -32002, -32003, -32004
CONTENT_TYPE, NO_EXTENDED_CARD, WRONG_VERSION = -32005, -32007, -32009
_REASONS = {
    NO_TASK: "TASK_NOT_FOUND",
    NOT_CANCELABLE: "TASK_NOT_CANCELABLE",
    NO_PUSH: "PUSH_NOTIFICATION_NOT_SUPPORTED",
    UNSUPPORTED: "UNSUPPORTED_OPERATION",
    CONTENT_TYPE: "CONTENT_TYPE_NOT_SUPPORTED",
    NO_EXTENDED_CARD: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    WRONG_VERSION: "VERSION_NOT_SUPPORTED",
}
TAKEN = ("text/plain", "application/json")  # what a part may be
_PART = ("text", "raw", "url", "data")
_OPAQUE = ("metadata", "data", "params", "header")  # a caller's own keys stand inside; they keep their spelling
_DEEP = 60

Json = dict[str, Any]


class Fault(Exception):
    """A request that gets an error: its code, one sentence, what it is about, and which fields are wrong."""

    def __init__(
        self, code: int, message: str, about: Json | None = None, fields: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.about = about or {}
        self.fields = fields or {}


def error(identity: Any, fault: Fault) -> Json:
    body: Json = {"code": fault.code, "message": fault.message}
    details: list[Json] = []
    if fault.code in _REASONS:
        about = {name: str(value) for name, value in fault.about.items()}
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        details.append({"@type": kind, "reason": _REASONS[fault.code], "domain": "a2a-protocol.org", "metadata": about})
    if fault.fields:
        wrong = [{"field": name, "description": text} for name, text in fault.fields.items()]
        details.append({"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": wrong})
    if details:
        body["data"] = details
    return {"jsonrpc": "2.0", "id": identity, "error": body}


def result(identity: Any, value: Json) -> Json:
    return {"jsonrpc": "2.0", "id": identity, "result": value}


def request(message: Any) -> tuple[Any, str, Json]:
    """(id, method, params in camelCase) of a request; Fault for anything else."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        raise Fault(NOT_A_REQUEST, "a request is a JSON object with jsonrpc 2.0 and a method")
    identity = message.get("id")
    if not (isinstance(identity, (str, int)) and not isinstance(identity, bool)):
        raise Fault(NOT_A_REQUEST, "id is a string or a whole number")
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise Fault(BAD_PARAMS, "params is an object")
    return identity, message["method"], camel(params)


def identity_of(message: Any) -> Any:
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, (str, int)) and not isinstance(found, bool) else None


def camel(value: Any, deep: int = 0) -> Any:
    """The same with `snake_case` keys in camelCase; both spellings are allowed to callers."""
    if deep > _DEEP:
        raise Fault(BAD_PARAMS, "that is nested too deeply")
    if isinstance(value, list):
        return [camel(each, deep + 1) for each in value]
    if not isinstance(value, dict):
        return value
    made = {}
    for key, each in value.items():
        head, *rest = str(key).split("_")
        name = head + "".join([word[:1].upper() + word[1:] for word in rest]) if head else str(key)
        made[name] = each if name in _OPAQUE else camel(each, deep + 1)
    return made


def message_of(params: Json) -> Json:
    """The message of a request, with the fields of the specification and no others."""
    given = params.get("message")
    if not isinstance(given, dict):
        raise Fault(BAD_PARAMS, "message is missing", fields={"message": "required"})
    wrong = {}
    if not isinstance(given.get("messageId"), str) or not given["messageId"]:
        wrong["message.messageId"] = "a text is required"
    if given.get("role") not in ("ROLE_USER", "ROLE_AGENT"):
        wrong["message.role"] = "ROLE_USER or ROLE_AGENT is required"
    parts = given.get("parts")
    if not isinstance(parts, list) or not parts:
        wrong["message.parts"] = "at least one part is required"
    for name in ("contextId", "taskId"):
        if given.get(name) is not None and not isinstance(given[name], str):
            wrong[f"message.{name}"] = "must be a text"
    if wrong:
        raise Fault(BAD_PARAMS, "the message is not one", fields=wrong)
    assert isinstance(parts, list)
    made: Json = {"messageId": given["messageId"], "role": given["role"], "parts": [part_of(part) for part in parts]}
    for name in ("contextId", "taskId"):
        if given.get(name):
            made[name] = given[name]
    if isinstance(given.get("metadata"), dict):
        made["metadata"] = given["metadata"]
    for name in ("extensions", "referenceTaskIds"):
        if isinstance(given.get(name), list) and all(isinstance(each, str) for each in given[name]):
            made[name] = given[name]
    return made


def part_of(given: Any) -> Json:
    """One part: exactly one kind of content, and what describes it."""
    kinds = [kind for kind in _PART if isinstance(given, dict) and given.get(kind) is not None]
    if len(kinds) != 1:
        raise Fault(BAD_PARAMS, "a part has one of text, raw, url, data", fields={"message.parts": "one content each"})
    (kind,) = kinds
    value = given[kind]
    if kind != "data" and not isinstance(value, str):
        raise Fault(BAD_PARAMS, f"{kind} is a text", fields={f"message.parts.{kind}": "must be a text"})
    media = given.get("mediaType")
    if kind in ("raw", "url") or (isinstance(media, str) and media.partition(";")[0].strip().lower() not in TAKEN):
        raise Fault(CONTENT_TYPE, f"PAL takes {' and '.join(TAKEN)} only", {"mediaType": str(media or kind)})
    made: Json = {kind: value}
    for name in ("mediaType", "filename"):
        if isinstance(given.get(name), str):
            made[name] = given[name]
    if isinstance(given.get("metadata"), dict):
        made["metadata"] = given["metadata"]
    return made


def whole(params: Json, name: str, low: int, high: int, default: int | None) -> int | None:
    """A whole number between two bounds; the default when it is not there."""
    value = params.get(name)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise Fault(BAD_PARAMS, f"{name} is a number from {low} to {high}", fields={name: "out of range"})
    return int(value)
