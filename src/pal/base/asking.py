"""What it means to ask a model: the question's form, the answer, and what stands in where no model is at hand.

Whatever wants a model takes an `Ask` and is handed one; it never knows which program or service answers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Ask(Protocol):
        """Never raises; may take as long as `timeout` (seconds), so only detached work and typed commands call it.

        `tier` is "small" or "medium". With a JSON `schema` the answer's `data` is a value that fits it. `caller` and
        `session` say in the log on whose behalf the model was asked."""

        def __call__(
            self,
            system: str,
            prompt: str,
            tier: str = "small",
            schema: dict[str, Any] | None = None,
            timeout: float = 60.0,
            caller: str = "",
            session: str = "",
        ) -> Answer: ...


class Answer:
    """What came back: the text when `ok`, else one sentence in `reason` (and in `text` whatever was said)."""

    __slots__ = ("data", "ms", "ok", "reason", "route", "text")

    def __init__(
        self, ok: bool, text: str = "", data: Any = None, reason: str = "", route: str = "none", ms: int = 0
    ) -> None:
        self.ok = ok
        self.text = text
        self.data = data  # the parsed value when a schema was given and the answer fits it
        self.reason = reason
        self.route = route
        self.ms = ms

    def facts(self) -> dict[str, Any]:
        """For `--json`."""
        return {name: getattr(self, name) for name in ("ok", "text", "data", "reason", "route", "ms")}


def nobody(
    system: str,
    prompt: str,
    tier: str = "small",
    schema: dict[str, Any] | None = None,
    timeout: float = 60.0,
    caller: str = "",
    session: str = "",
) -> Answer:
    """The `Ask` of a machine without any model."""
    return Answer(False, reason="no model is at hand")
