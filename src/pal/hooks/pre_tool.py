"""Before a tool runs: the guard's verdict. What is stopped is answered with its reason first and noted afterwards."""

from __future__ import annotations

import time

from pal.base import bare
from pal.base import home as homes
from pal.guard import decide, tools
from pal.guard import settings as guard_settings
from pal.guard.model import ALLOW, ASK, DENY
from pal.hooks import switchboard, tool_calls
from pal.hooks.isolate import attempt
from pal.hooks.turn import HookReply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.guard.model import Verdict
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput


def run(turn: HookInput, frame: Frame) -> HookReply:
    """Silence for what may run. A guard that fails lets the call through, and is counted."""
    began = time.perf_counter()
    where = turn.folder or turn.cwd

    def judge() -> Verdict:
        guard = guard_settings.load(
            frame.settings, frame.home.root, (turn.cwd, where), bare.WINDOWS, bare.CASE_INSENSITIVE
        )
        return decide.decide(turn.tool, turn.tool_input, where, _user_folder(frame), guard)

    verdict = attempt(frame.home, "guard", judge, None)
    if verdict is None:
        return HookReply(afterwards=lambda: _count_fault(turn, frame))
    if verdict.rule:
        return switchboard.before_tool(turn, frame, _answer(turn, frame, verdict, where, began))
    reply = switchboard.before_tool(turn, frame, HookReply())
    reply.afterwards = lambda: (tool_calls.refused if reply.permission else _begun)(turn, frame)
    return reply


def _user_folder(frame: Frame) -> str:
    named = frame.env.get("USERPROFILE" if bare.WINDOWS else "HOME", "")
    if named[:1] == "/" or named[1:2] == ":":
        return named
    return homes.user_folder(frame.env)  # asks the system, which takes `os`


def _answer(turn: HookInput, frame: Frame, verdict: Verdict, where: str, began: float) -> HookReply:
    from pal.guard import ledger  # most calls meet no rule

    outcome = verdict.decision
    if outcome == ASK and not turn.can_ask:
        outcome = ALLOW  # nobody would answer, and a question without an answer is a refusal
    text = decide.subject(turn.tool, turn.tool_input)
    digest = ledger.digest(verdict.rule, text, where)
    if outcome == DENY and _lifted(frame, digest):
        outcome = ledger.LIFTED
    reply = HookReply()
    if outcome in (DENY, ASK):
        reply.permission = outcome
        reply.reason = decide.reason(verdict, text, ledger.code_of(digest))
    took = (time.perf_counter() - began) * 1000

    def note() -> None:
        (tool_calls.refused if reply.permission == DENY else tool_calls.started)(turn, frame)
        ledger.note(frame.home, turn.who, turn.tool, text, where, verdict, outcome, frame.now, took)

    if turn.session != ledger.PROBE:
        reply.afterwards = note
    return reply


def _begun(turn: HookInput, frame: Frame) -> None:
    """The call runs: an event, and one use of a skill."""
    tool_calls.started(turn, frame)
    if tools.kind_of(turn.tool) == tools.SKILL:
        from pal.skills import used

        name = turn.tool_input.get("skill") or turn.tool_input.get("name")
        if isinstance(name, str):
            used.note(frame.home, name, frame.now)


def _count_fault(turn: HookInput, frame: Frame) -> None:
    tool_calls.started(turn, frame)
    from pal.guard import ledger
    from pal.memory import counts

    counts.bump(frame.home, ledger.FAULTS, frame.now)


def _lifted(frame: Frame, digest: str) -> bool:
    if not bare.exists(frame.home.guard_once):
        return False
    from pal.guard import allow_once

    return attempt(frame.home, "allow-once", lambda: allow_once.take(frame.home, digest, frame.now), False)
