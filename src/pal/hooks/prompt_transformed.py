"""A prompt as the model is about to get it: what its first event had to say is added where it did not get through."""

from __future__ import annotations

from pal.context import parked
from pal.hooks.isolate import attempt
from pal.hooks.turn import HookReply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """The whole prompt with the context below it; silence for a prompt that holds it, or has none waiting."""
    if not turn.parks or turn.subagent or not turn.prompt:
        return HookReply()
    waiting = attempt(frame.home, "parked", lambda: parked.take(frame.home, turn.session, frame.now), "")
    if not waiting or waiting in turn.prompt:
        return HookReply()
    return HookReply(f"{turn.prompt}\n\n{waiting}")
