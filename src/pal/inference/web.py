"""One HTTP request to a model service: bounded in time and size, through the user's proxy, following nobody elsewhere.

The key travels in a header alone. What goes wrong is a sentence that holds neither key nor body."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_LARGEST = 4_000_000  # bytes of an answer
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Failed(Exception):
    """The service gave no answer; the text says why."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to wherever it points."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def post(url: str, headers: Mapping[str, str], body: dict[str, Any], env: Mapping[str, str], timeout: float) -> Any:
    """The JSON value that comes back; Failed for everything else, within `timeout` seconds whatever the other side."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise Failed(f"{parts.scheme}://{parts.hostname} is not https, so no key is sent there")
    request = urllib.request.Request(url, json.dumps(body).encode(), {**headers, "content-type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies(parts, env)), _Stay)
    box: list[Any] = []

    def work() -> None:
        try:
            with opener.open(request, timeout=timeout) as response:
                box.append(response.read(_LARGEST + 1))
        except Exception as fault:  # whatever it is, it is told to who waits
            box.append(fault)

    # A socket's time-out begins anew with each byte; only a thread can be left behind at the end of the time.
    thread = threading.Thread(target=work, daemon=True)
    began = time.monotonic()
    thread.start()
    thread.join(timeout)
    found = box[0] if box else TimeoutError()
    if isinstance(found, Exception):
        raise Failed(_told(found, parts.hostname or "", time.monotonic() - began))
    if len(found) > _LARGEST:
        raise Failed(f"{parts.hostname} sent more than {_LARGEST:,} bytes")
    try:
        return json.loads(found)
    except (ValueError, RecursionError):
        raise Failed(f"{parts.hostname} sent no JSON") from None


def _told(fault: Exception, host: str, seconds: float) -> str:
    if isinstance(fault, urllib.error.HTTPError):
        with fault:
            try:
                message = json.loads(fault.read(20_000))["error"]["message"]
            except Exception:  # a body in any shape, or none
                message = ""
        return f"{host} answered {fault.code} {fault.reason}" + (f": {str(message)[:200]}" if message else "")
    reason = getattr(fault, "reason", fault)
    if isinstance(reason, TimeoutError):
        return f"{host} gave no answer within {seconds:.0f} s"
    return f"{host} cannot be reached: {getattr(reason, 'strerror', None) or reason or type(fault).__name__}"


def proxies(parts: urllib.parse.SplitResult, env: Mapping[str, str]) -> dict[str, str]:
    """The proxy for this address, as urllib wants it: from the environment, else from the system's own settings."""
    named = _variable(env, f"{parts.scheme}_proxy") or _variable(env, "all_proxy")
    if _spared(parts.hostname or "", _variable(env, "no_proxy")):
        return {}
    if not named:
        return urllib.request.getproxies()
    return {parts.scheme: named if "://" in named else f"http://{named}"}


def _variable(env: Mapping[str, str], name: str) -> str:
    return env.get(name) or env.get(name.upper()) or ""


def _spared(host: str, listed: str) -> bool:
    """Whether the comma-separated names of `no_proxy` hold the host, or a domain that it is in."""
    for name in listed.lower().split(","):
        name = name.strip().partition(":")[0].lstrip("*").lstrip(".")
        if listed.strip() == "*" or (name and (host.lower() == name or host.lower().endswith("." + name))):
            return True
    return False
