"""Where else events go, as the environment says: asked at every stop and session, so nothing is loaded for a no."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Either names an OpenTelemetry collector; what they mean in full, `otlp` knows.
COLLECTOR = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
# Either, set to 1, asks for a server of events.
SERVER = ("PAI_OBSERVABILITY_SSE", "PAL_OBSERVABILITY_SSE")


def collector(env: Mapping[str, str]) -> bool:
    """Whether this environment names a collector to send events to."""
    return any(env.get(name) for name in COLLECTOR)


def served(env: Mapping[str, str]) -> bool:
    """Whether this environment asks for a server of events."""
    return any(env.get(name) == "1" for name in SERVER)
