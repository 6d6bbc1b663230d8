"""Which agents can answer a question of PAL's, and which of them is at work around this process."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.inference.question import OneShot

# In the order in which they are tried where nothing says which agent is at work.
ONE_SHOT = {
    "claude": "pal.targets.claude.inference",
    "codex": "pal.targets.codex.inference",
    "opencode": "pal.targets.opencode.inference",
    "copilot": "pal.targets.copilot.inference",
    "cursor": "pal.targets.cursor.inference",
    "antigravity": "pal.targets.antigravity.inference",
    "gemini": "pal.targets.gemini.inference",
}
STANDS_FOR = {"vscode": "copilot"}  # an editor without a one-shot form of its own, and the same subscription's program
KNOWN = (*ONE_SHOT, *STANDS_FOR)

# Two agents' flags say little: their registrations are read by other agents as well, and run there.
_SHARED = ("claude", "vscode")
# Variables an agent sets for what it starts, the most telling first: cursor-agent imitates another one and sets that
# one's variables too, and the last ones leak into whatever is started below.
_MARKS = (
    ("cursor", ("CURSOR_AGENT", "CURSOR_VERSION")),
    ("codex", ("CODEX_CLI_VERSION", "OPENAI_CODEX")),
    ("claude", ("CLAUDE_CODE_ENTRYPOINT",)),
    ("antigravity", ("ANTIGRAVITY_CONVERSATION_ID",)),
    ("copilot", ("COPILOT_CLI",)),
    ("gemini", ("GEMINI_CLI",)),
)


def active(env: Mapping[str, str], flag: str = "") -> str:
    """The agent at work: PAL_AGENT, else what a hook's `--agent=` says, else what the environment shows.

    Where nothing says so, the first whose program is here; where none is, the first of all."""
    named = env.get("PAL_AGENT", "")
    if named in KNOWN:
        return named
    if flag in KNOWN and flag not in _SHARED:
        return flag
    if env.get("CURSOR_INVOKED_AS") == "cursor-agent":
        return "cursor"
    for name, variables in _MARKS:
        if any(env.get(variable) for variable in variables):
            return name
    if flag in _SHARED:
        return flag
    return next((name for name, shot in shots().items() if shot.program(env)), next(iter(ONE_SHOT)))


def shots() -> dict[str, OneShot]:
    """The one-shot form of every agent that has one or can be stood in for."""
    found: dict[str, OneShot] = {name: __import__(path, fromlist=("NAME",)) for name, path in ONE_SHOT.items()}
    found.update({name: found[other] for name, other in STANDS_FOR.items()})
    return found
