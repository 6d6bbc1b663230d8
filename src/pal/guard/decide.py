"""The one question hook, `guard explain` and `guard test` ask: what of this call, and in which words to say so."""

from __future__ import annotations

from pal.guard import judge, skills, tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pal.guard.model import Verdict
    from pal.guard.settings import Guard

LONGEST = 400  # characters of a reason; an agent reads it again with every turn
_SHOWN = 80  # characters of the part of the text that matched


def decide(tool: str, tool_input: Mapping[str, Any], cwd: str, home: str, guard: Guard) -> Verdict:
    """The verdict on a call made in `cwd` by the user whose home folder is `home`."""
    if tools.kind_of(tool) == tools.SKILL:
        return skills.judge(tool_input, guard.skills)
    return judge.judge(tool, tool_input, cwd, home, guard.policy)


def subject(tool: str, tool_input: Mapping[str, Any]) -> str:
    """What the call is about, in one text: its command, else the file or skill it names."""
    kind = tools.kind_of(tool)
    if kind == tools.SKILL:
        return str(tool_input.get("skill", ""))
    if kind in (tools.SHELL, tools.POWERSHELL, tools.OTHER):
        command = tools.command_of(tool, tool_input)
        if command:
            return command
    named = tools.files_of(kind, tool_input)
    return named[0][1] if named else ""


def reason(verdict: Verdict, text: str, code: str) -> str:
    """What matched, why, what to do instead, which rule, and how to hear more or lift it; never a secret."""
    from pal.base import redaction  # most calls need no reason

    start, end = verdict.span
    matched = " ".join(redaction.scrub(text[start:end] if start < end else text).split())
    if len(matched) > _SHOWN:
        matched = matched[: _SHOWN - 1] + "…"
    # What names the rule always stays whole; what explains it gives way.
    last = (
        f" [PAL rule {verdict.rule}; `pal guard explain {code}` says more; a person can `pal guard allow-once {code}`]"
    )
    why = f"`{matched}`: {_sentence(verdict.reason)}" if matched else _sentence(verdict.reason)
    instead = f" Instead: {_sentence(verdict.instead)}" if verdict.instead else ""
    room = LONGEST - len(last)
    said = redaction.scrub(why + instead)
    return (said if len(said) <= room else said[: room - 1] + "…") + last


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", "`")) else text + "."
