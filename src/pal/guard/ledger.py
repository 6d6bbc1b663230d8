"""What the guard stopped, asked about or noted: one line each in an append-only log that a person can read.

Written after the answer is out; secrets are taken out first. A code names a denial for `pal guard allow-once`."""

from __future__ import annotations

import os

from pal.base import clock, files, locks, records, redaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home
    from pal.guard.model import Verdict

FAULTS = "guardFaults"  # among the counts: how often the guard failed and let a call through
LIFTED = "allow-once"  # the outcome of a denial that a person lifted
PROBE = "pal-doctor"  # the session in whose name `pal doctor` tries the guard; it leaves no line
LONGEST = 500  # characters of a command in the log
ROTATE_AT = 1_000_000  # bytes
OLD_FILES = 3
_CODE = 8  # hexadecimal digits of the digest; what is allowed once is held by the whole of it


def digest(rule: str, command: str, cwd: str) -> str:
    """What a denial is bound to: the rule, the whole command, the folder."""
    from hashlib import sha256  # dear, and few calls meet a rule

    return sha256("\0".join((rule, command, cwd)).encode("utf-8", "surrogatepass")).hexdigest()


def code_of(whole: str) -> str:
    """The short name of a denial."""
    return whole[:_CODE]


def note(
    home: Home,
    who: dict[str, str],
    tool: str,
    command: str,
    cwd: str,
    verdict: Verdict,
    outcome: str,
    now: float,
    took: float,
) -> None:
    """Add one line; `outcome` is what the agent was told: deny, ask, allow or allow-once; `took` is in milliseconds."""
    whole = digest(verdict.rule, command, cwd)
    record: dict[str, Any] = {"ts": clock.iso(now), **who, "tool": tool, "rule": verdict.rule, "verdict": outcome}
    shown = redaction.scrub(command)
    record["command"] = shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
    record.update(cwd=cwd, code=code_of(whole), digest=whole, ms=round(took, 1))
    _rotate(home)
    records.append(home, home.guard_log, record, now)


def recent(home: Home, count: int) -> list[dict[str, Any]]:
    """The newest lines, oldest first."""
    found = records.tail(home.guard_log, count, limit=ROTATE_AT)
    if len(found) < count:
        found = records.tail(home.guard_log + ".1", count - len(found), limit=ROTATE_AT) + found
    return found


def by_code(home: Home, code: str) -> dict[str, Any] | None:
    """The newest denial of this code."""
    for row in reversed(recent(home, 10_000)):
        if row.get("code") == code.lower() and row.get("verdict") in ("deny", "ask"):
            return row
    return None


def _rotate(home: Home) -> None:
    try:
        if os.stat(home.guard_log).st_size < ROTATE_AT:
            return
    except OSError:
        return
    with locks.Lock(home.guard_log, wait=0) as held:
        if not held or os.stat(home.guard_log).st_size < ROTATE_AT:
            return
        for number in range(OLD_FILES - 1, 0, -1):
            older = f"{home.guard_log}.{number}"
            if os.path.exists(older):
                files.replace(older, f"{home.guard_log}.{number + 1}")
        files.replace(home.guard_log, home.guard_log + ".1")
