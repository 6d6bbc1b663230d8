"""The optional gate at the end of a turn: a reply that claims results no command of the turn shows is sent back once.

Off unless `qualityGate.claims` is on. It errs on the side of silence: questions, conditions, plans, quotations and code
are no claims, and where nobody can tell which commands ran, nothing is sent back."""

from __future__ import annotations

from pal.base import text
from pal.hooks.turn import HookReply
from pal.memory.spoken import vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput

_READ = 8000  # characters at the end of a reply
_QUOTED = 160  # UTF-16 units of the sentence that is sent back

_CHECKS = vocabulary("test tests suite suites ci build builds lint linter checks pipeline typecheck mypy")
_GOOD = vocabulary("pass passes passed passing green succeed succeeds succeeded clean")
_VERIFIED = (
    "i verified", "i have verified", "ive verified", "verified that", "i confirmed", "i tested it", "ive tested it",
    "it works now", "works now", "now works", "is working now", "works as expected",
)  # fmt: skip
_STATES = vocabulary("deployed live released shipped installed")
_VERSIONED = vocabulary("committed pushed merged tagged")
_DID = vocabulary("i ive we weve have has is are was were been now and all everything changes change fix it")
# A sentence with one of these says what may be, will be, should be or is not.
_HEDGES = vocabulary(
    "should would could might may will shall can cannot cant if once when whenever until unless after before please "
    "not no never isnt arent wasnt werent dont didnt havent hasnt wont need needs must expect expected probably likely "
    "perhaps maybe hopefully let lets next assuming unverified untested to want try would id ill youll you your"
)
_VERSION_CONTROL = ("git", "gh", "hg", "jj", "svn", "glab")


def send_back(turn: HookInput, frame: Frame, reply: str) -> HookReply | None:
    """The answer that makes the agent go on, or None when the turn may end."""
    if turn.continued or not reply or not frame.settings.flag("qualityGate.claims", False):
        return None
    claim, kind = first_claim(reply)
    if not claim:
        return None
    commands = turn.read_commands(turn.transcript_path)
    if commands is None or is_backed(kind, commands) or _was_sent(turn, frame):
        return None
    answer = HookReply()
    answer.permission = "continue"
    answer.reason = (
        f"You wrote: “{text.clip(claim, _QUOTED)}” No command of this turn shows it. Run what shows it and report what "
        "it says, or say plainly that it was not checked."
    )
    return answer


def first_claim(reply: str) -> tuple[str, str]:
    """(the sentence, "result", "state" or "version") of the first claim in a reply; empty when it makes none."""
    for sentence in _sentences(reply[-_READ:]):
        words = text.words(sentence.replace("'", "").replace("’", ""))
        kind = _kind(words)
        if kind and _HEDGES.isdisjoint(words) and not sentence.endswith("?"):
            return sentence, kind
    return "", ""


def is_backed(kind: str, commands: Sequence[str]) -> bool:
    """Whether what ran in the turn can have shown it."""
    if kind != "version":
        return bool(commands)
    return any(not set(_VERSION_CONTROL).isdisjoint(text.words(command)) for command in commands)


def _kind(words: list[str]) -> str:
    said = " ".join(words)
    if not _CHECKS.isdisjoint(words) and not _GOOD.isdisjoint(words):
        return "result"
    if any(phrase in said for phrase in _VERIFIED):
        return "result"
    for at, word in enumerate(words):
        if word in _VERSIONED or word in _STATES:
            before = words[max(0, at - 3) : at]
            if not before or not _DID.isdisjoint(before):
                return "version" if word in _VERSIONED else "state"
    return ""


def _sentences(reply: str) -> list[str]:
    """The sentences of the prose: without code, quotations, tables and headings."""
    found = []
    fenced = False
    for line in reply.splitlines():
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and bare and bare[0] not in "#>|":
            bare = " ".join(bare.split("`")[::2]) if "`" in bare else bare
            if '"' in bare or "“" in bare:
                continue
            begin = 0
            for at, letter in enumerate(bare):
                if letter in ".!?" and bare[at + 1 : at + 2] in ("", " "):
                    found.append(bare[begin : at + 1].strip(" -*•"))
                    begin = at + 1
            found.append(bare[begin:].strip(" -*•"))
    return [sentence for sentence in found if sentence]


def _was_sent(turn: HookInput, frame: Frame) -> bool:
    """True if this turn was sent back before; from now on it was. Not every agent says so itself."""
    from pal.memory import sessions

    row = sessions.get(frame.home, turn.session) or {}
    mark = f"{row.get('prompts')} {turn.event_id}".strip()
    if row.get("sent_back") == mark:
        return True
    return not sessions.amend(frame.home, turn.session, {"sent_back": mark})
