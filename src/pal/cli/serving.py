"""What the servers that a command starts have in common: the tools of this home, and the model behind some of them."""

from __future__ import annotations

import os

from pal.base import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.asking import Answer, Ask
    from pal.cli.context import Context
    from pal.external.board_room import Room
    from pal.external.mcp.own import Offer
    from pal.hooks.turn import Message


def offer(context: Context, board: str = "") -> Offer:
    """Every tool of this home, and of the board of this folder or of the project `board`; what keeps a skill from being
    one is said on the error stream and in the log."""
    from pal.external.mcp import own

    def note(text: str) -> None:
        log.warning(context.home, "skills", text)
        context.output.error(text)

    return own.Offer(context.home, context.env, _asker(context), note, _room(context, board))


def _room(context: Context, board: str) -> Room:
    from pal.external.board_room import Room

    cwd = os.getcwd()

    def caller() -> tuple[str, str, tuple[str, ...]]:
        from pal.cli import switchboard

        author = context.author
        return author["session"], author["agent"], switchboard.private(context)

    def transcript(session: str, agent: str) -> list[Message]:
        from pal.cli import transcripts

        return transcripts.reader(context, cwd)(session, agent)

    return Room(context.home, context.env, cwd, board, caller, transcript)


def _asker(context: Context) -> Ask:
    """The model for skills that need one, which is loaded when the first of them runs."""

    def ask(system: str, prompt: str, **more: Any) -> Answer:
        from pal.cli import asking
        from pal.inference.dispatcher import SPAWN
        from pal.skills.exposed import JUDGE

        return asking.typed(context, JUDGE + SPAWN).ask(system, prompt, **more)

    return ask  # type: ignore[return-value]
