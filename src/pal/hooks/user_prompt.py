"""A prompt: what it reminds PAL of goes to the agent; what it says about the last reply is kept."""

from __future__ import annotations

from pal.context import prompt as prompt_context
from pal.hooks.isolate import all_of, attempt
from pal.hooks.turn import HookReply
from pal.memory import interaction, ratings, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """The prompt's context. A prompt that no person wrote is told the time and counted nowhere."""
    home, now = frame.home, frame.now
    asked = turn.prompt if turn.human else ""
    context = attempt(
        home, "context", lambda: prompt_context.render(home, frame.settings, asked, turn.cwd, turn.session, now), ""
    )
    if not turn.human or turn.subagent:
        return HookReply(context)
    # The door for events that an agent delivers twice; when it cannot tell, the turn counts.
    fresh = attempt(
        home,
        "interaction",
        lambda: interaction.begin_turn(home, turn.who, turn.event_id, turn.prompt, turn.cwd, now, frame.settings),
        True,
    )
    if fresh:
        all_of(home, [("ratings", lambda: _rate(turn, frame)), ("sessions", lambda: _name(turn, frame))])
    return HookReply(context)


def _rate(turn: HookInput, frame: Frame) -> None:
    rating = ratings.parse(turn.prompt)
    if rating is None:
        return
    from pal.memory import exchange, failures  # few prompts are ratings

    home, now = frame.home, frame.now
    reply = exchange.last_reply(home, turn.session)
    if ratings.record(home, rating, turn.who, reply, turn.cwd, now, turn.event_id):
        failures.park(
            home, rating, turn.who, reply or "", turn.prompt, turn.cwd, turn.transcript_path, now, turn.event_id
        )


def _name(turn: HookInput, frame: Frame) -> None:
    sessions.prompt_seen(frame.home, turn.who, turn.cwd, turn.prompt, frame.now, turn.event_id)
    if turn.attended:
        from pal.hooks import notify

        notify.name_tab(notify.name_of(frame.home, turn.session), turn, frame.env)
