"""Where spans are sent, read from the standard variables, and the request that carries them (OTLP/HTTP, JSON).

Nothing is sent unless an endpoint is named (opentelemetry.io/docs/specs/otel/protocol/exporter)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from pal import __version__
from pal.events.spans import Span, as_json, attribute

TIMEOUT = 10.0  # seconds for one batch, unless a variable says otherwise
_SERVICE = "pal"


class Endpoint:
    """One place that takes spans, and how it wants them. `warnings` are sentences about variables that were wrong."""

    __slots__ = ("attributes", "gzip", "headers", "timeout", "url", "warnings")

    def __init__(self, url: str) -> None:
        self.url = url
        self.headers: dict[str, str] = {}
        self.timeout = TIMEOUT
        self.gzip = False
        self.attributes: dict[str, str] = {"service.name": _SERVICE}
        self.warnings: list[str] = []


def endpoint(env: Mapping[str, str]) -> Endpoint | None:
    """What the environment names; None when nothing is to be sent."""
    if switched_off(env):
        return None
    traces, base = env.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ""), env.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")
    if not traces and not base:
        return None
    found = Endpoint(traces or base.rstrip("/") + "/v1/traces")
    try:
        parts = urlsplit(found.url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        sound = False
    if not sound:
        return None
    if traces and not parts.path:
        found.url += "/"
    for name in ("HEADERS", "TRACES_HEADERS"):
        found.headers.update(_pairs(env.get(f"OTEL_EXPORTER_OTLP_{name}", ""), name, found) or {})
    _read_choices(env, found)
    named = _pairs(env.get("OTEL_RESOURCE_ATTRIBUTES", ""), "OTEL_RESOURCE_ATTRIBUTES", found)
    found.attributes.update(named or {})
    if env.get("OTEL_SERVICE_NAME"):
        found.attributes["service.name"] = env["OTEL_SERVICE_NAME"]
    return found


def switched_off(env: Mapping[str, str]) -> bool:
    """Whether a variable forbids exporting, whatever others name."""
    return env.get("OTEL_SDK_DISABLED", "").strip().lower() == "true" or env.get("OTEL_TRACES_EXPORTER") == "none"


def _read_choices(env: Mapping[str, str], found: Endpoint) -> None:
    def chosen(name: str) -> str:
        return env.get(f"OTEL_EXPORTER_OTLP_TRACES_{name}") or env.get(f"OTEL_EXPORTER_OTLP_{name}") or ""

    timeout = chosen("TIMEOUT")
    if timeout.isascii() and timeout.isdigit() and 0 < int(timeout[:9]) <= 600_000:
        found.timeout = int(timeout) / 1000
    elif timeout:
        found.warnings.append(f"the OTLP time-out {timeout[:20]!r} is no number of milliseconds; it stays at 10000")
    found.gzip = chosen("COMPRESSION").lower() == "gzip"
    protocol = chosen("PROTOCOL")
    if protocol not in ("", "http/json"):
        found.warnings.append(f"PAL speaks OTLP as http/json, not {protocol[:40]}")


def _pairs(text: str, name: str, found: Endpoint) -> dict[str, str] | None:
    """`k=v,k2=v2`, percent-decoded; None, and a warning, when a part is anything else."""
    pairs = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, equals, value = part.partition("=")
        try:
            decoded = unquote(value.strip(), errors="strict")
        except UnicodeDecodeError:
            decoded = "\n"
        if not equals or not key.strip() or {"\r", "\n", "\0"} & set(key + decoded):
            found.warnings.append(f"{name} has a part that is not key=value; all of it is left out")
            return None
        pairs[key.strip()] = decoded
    return pairs


def request(spans: Sequence[Span], target: Endpoint) -> dict[str, Any]:
    """The body of one export."""
    scopes: dict[str, list[Span]] = {}
    for span in spans:
        scopes.setdefault(span.scope, []).append(span)
    resource = {"attributes": [attribute(name, value) for name, value in target.attributes.items()]}
    scope_spans = [
        {"scope": {"name": scope, "version": __version__}, "spans": [as_json(span) for span in group]}
        for scope, group in scopes.items()
    ]
    return {"resourceSpans": [{"resource": resource, "scopeSpans": scope_spans}]}
