"""Stops skill calls that are mistakes: a skill an agent picks because its description seems to fit everything."""

from __future__ import annotations

from pal.guard.model import DENY, NOTHING, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RULE = "skills.block"


def judge(tool_input: Mapping[str, object], blocked: Sequence[str]) -> Verdict:
    """Denies the skills of the list, by the name in `skill`; every other call passes."""
    name = tool_input.get("skill")
    if isinstance(name, str) and name.strip().lstrip("/").lower() in [each.lower() for each in blocked]:
        reason = f"the skill {name.strip()} is blocked: it is called by mistake more often than not"
        return Verdict(DENY, RULE, "skills", (0, 0), reason, "answer without it, or pick the skill that fits")
    return NOTHING
