"""A prompt: what it reminds PAL of goes to the agent; what it says about the last reply is kept."""

from __future__ import annotations

from pal.context import prompt as prompt_context
from pal.hooks import switchboard
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
    counts = turn.human and not turn.subagent
    told: list[str] = []
    # The door for events that an agent delivers twice; when it cannot tell, the turn counts.
    fresh = counts and attempt(home, "interaction", lambda: _measure(turn, frame, told), True)
    hint = told[0] if told else ""
    context = attempt(
        home,
        "context",
        lambda: prompt_context.render(home, frame.settings, asked, turn.cwd, turn.session, now, hint),
        "",
    )
    context = switchboard.told(turn, frame, context)
    if turn.opens and not turn.subagent and sessions.get(home, turn.session) is None:
        from pal.hooks import session_start

        context = "\n\n".join(filter(None, (session_start.run(turn, frame).context, context)))
    if turn.parks and not turn.subagent:
        from pal.context import parked

        attempt(home, "parked", lambda: parked.keep(home, turn.session, context, now), None)
    if fresh:
        all_of(home, [("ratings", lambda: _rate(turn, frame)), ("sessions", lambda: _name(turn, frame))])
        if prompt_context.is_command(turn.prompt):
            attempt(home, "skills", lambda: _count_skill(turn, frame), None)
    return HookReply(context)


def _measure(turn: HookInput, frame: Frame, told: list[str]) -> bool:
    """False for an event that came before; a hint for the agent goes to `told`."""
    hears = frame.settings.on("interactionAwareness") and prompt_context.speaks(turn.prompt)
    return interaction.begin_turn(
        frame.home,
        turn.who,
        turn.event_id,
        turn.prompt,
        turn.cwd,
        frame.now,
        frame.settings,
        told.append if hears else None,
        turn.hears_prompt,
    )


def _count_skill(turn: HookInput, frame: Frame) -> None:
    """A typed `/name` starts a skill without a tool call, if it is one."""
    import os

    from pal.skills import used

    name = turn.prompt.split(None, 1)[0][1:].lower()
    if os.path.isdir(os.path.join(frame.home.skills, name)):
        used.note(frame.home, name, frame.now)


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
    path = turn.transcript_path
    sessions.prompt_seen(frame.home, turn.who, turn.cwd, turn.prompt, frame.now, turn.event_id, path)
    if turn.attended:
        from pal.hooks import notify

        notify.name_tab(notify.name_of(frame.home, turn.session), turn, frame.env)
