"""The neutral turn: what an agent told a hook, and what the hook answers. Targets translate to and from these two."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Message = tuple[str, str, str]  # role ("user" or "assistant"), text, ISO time or ""


# What an agent may report, in PAL's words.
EVENTS = (
    "session-start",
    "user-prompt",
    "prompt-transformed",
    "pre-tool",
    "post-tool",
    "post-tool-failure",
    "stop",
    "agent-response",
    "subagent-stop",
    "pre-compact",
    "session-end",
)


def _unreadable(path: str) -> list[Message]:
    return []


def _unknown(path: str) -> list[str] | None:
    return None


class HookInput:
    """One event of one agent's session. Everything an agent did not send is empty, never missing."""

    __slots__ = (
        "agent",
        "agent_type",
        "call",
        "attended",
        "can_ask",
        "changed_file",
        "custom",
        "cwd",
        "continued",
        "event",
        "event_id",
        "folder",
        "hears_prompt",
        "human",
        "late",
        "opens",
        "parks",
        "process",
        "prompt",
        "reply",
        "session",
        "read_commands",
        "read_transcript",
        "repeats",
        "room",
        "source",
        "spoken",
        "subagent",
        "tool",
        "tool_input",
        "took",
        "transcript_path",
        "untold",
    )

    def __init__(self, event: str, agent: str, session: str = "", cwd: str = "") -> None:
        self.event = event
        self.agent = agent
        self.session = session
        self.cwd = cwd  # the project the session was started in
        self.folder = ""  # where a tool is about to run, which a session may have changed
        self.event_id = ""  # the same for every delivery of one event
        self.prompt = ""
        self.human = True  # False: the prompt was written by a program
        self.reply = ""  # the turn's final reply, where the agent hands it over
        self.tool = ""
        self.call = ""  # the agent's id of this tool call
        self.took: float | None = None  # milliseconds that the call took, where the agent tells
        self.repeats = False  # this call was reported by another event before
        self.changed_file = ""  # the file a tool wrote
        self.tool_input: dict[str, Any] = {}
        self.source = ""  # why a session starts or ends, what triggered a compaction
        self.custom = ""  # words the user gave with a compaction
        self.subagent = False
        self.agent_type = ""
        self.attended = False  # a person sits at the terminal
        self.hears_prompt = False  # what a prompt's hook says is known to reach the model
        self.continued = False  # this turn was sent on by a stop hook before
        self.can_ask = False  # the agent puts a hook's question to that person
        self.process = 0  # the agent's own process id, where it tells
        self.transcript_path = ""
        self.spoken = False  # the reply came before, by an event of its own
        self.parks = False  # what a prompt's first event says may not reach the model: a later one says it again
        self.late = False  # the transcript may get the reply only after the stop
        self.opens = False  # no start of a session is reported: its first prompt is one
        self.untold: tuple[str, ...] = ()  # what the agent loads from no file: "standing" text, "digests"
        self.room = 0  # units the agent takes at a session's start; 0: what every agent takes
        self.read_transcript: Callable[[str], list[Message]] = _unreadable  # the last messages, oldest first
        self.read_commands: Callable[[str], list[str] | None] = _unknown  # the turn's commands; None: nobody can tell

    def transcript(self) -> list[Message]:
        """The session's last messages as the agent wrote them down, oldest first."""
        return self.read_transcript(self.transcript_path)

    @property
    def who(self) -> dict[str, str]:
        """What every record of this turn carries beside its time."""
        return {"session": self.session, "agent": self.agent}


class HookReply:
    """What a hook has to say. Empty means nothing is printed."""

    __slots__ = ("afterwards", "context", "permission", "reason")

    def __init__(self, context: str = "", afterwards: Callable[[], object] | None = None) -> None:
        self.context = context
        self.permission = ""  # "deny" or "ask", at a stop "continue"; with the reason the agent is told
        self.reason = ""
        self.afterwards = afterwards  # what can wait until the answer is out
