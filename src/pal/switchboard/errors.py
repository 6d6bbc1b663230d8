"""What Switchboard refuses, each with a code that a program can tell apart and the exit code of a command."""

from __future__ import annotations

from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The exit codes of `pal switchboard`: 1 refused, 3 not a workspace, 4 somebody was quicker, 5 busy, so try again.
EXIT = {
    "E_NOT_WORKSPACE": 3,
    "E_NOT_FOUND": 1,
    "E_AMBIGUOUS": 1,
    "E_TARGET": 1,
    "E_STATUS": 1,
    "E_STALE": 4,
    "E_DEPS": 1,
    "E_BUSY": 5,
    "E_STEP": 1,
    "E_EVIDENCE": 1,
    "E_VIOLATION": 1,
    "E_ACTION": 1,
    "E_NO_RECIPIENT": 1,
    "E_RATE": 5,
    "E_LEAK": 1,
    "E_READONLY": 1,
    "E_SQL": 1,
    "E_SIZE": 1,
    "E_CONFLICT": 4,
    "E_LOCKED": 5,
    "E_DAMAGED": 1,  # the database cannot be read; `doctor --fix` builds it again
}


class Refused(PalError):
    """One refusal: a sentence for people, a code for programs, what to do next, and the facts behind it."""

    def __init__(self, code: str, sentence: str, hint: str, data: dict[str, Any]) -> None:
        super().__init__(f"{sentence}; {hint}" if hint else sentence)
        self.code = code
        self.sentence = sentence
        self.hint = hint
        self.data = data
        self.exit = EXIT[code]

    def shown(self) -> dict[str, Any]:
        """For a program: `{code, message, hint, data}`."""
        return {"code": self.code, "message": self.sentence, "hint": self.hint, "data": self.data}


def refused(code: str, sentence: str, hint: str = "", **data: Any) -> Refused:
    """The refusal to raise."""
    return Refused(code, sentence, hint, data)
