"""Measures every human turn as features, never text: pace, length, reaction, one line in `signals/interaction/`.

`begin_turn` is also the door that lets one event through once. What a turn is compared with (the last 12 turns of the
20 latest sessions) is kept in `state/interaction-sessions.json`; words stand there only as short hashes, enough to see
that a prompt repeats the one before or leaves its topic, too little to read it back."""

from __future__ import annotations

import os

from pal.base import clock, locks, records, state
from pal.base.text import fingerprint, keywords, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.base.home import Home
    from pal.base.settings import Settings

SESSIONS_KEPT = 20
TURNS_KEPT = 12
BREAK = 20 * 60  # seconds without a prompt; after that a new sitting begins
LONG_REPLY = 150  # words; shorter ones cannot be skimmed
READING = 10.0  # words a second; faster than that nobody has read the reply
_COMPARED = 4000  # characters of a text that are looked at for its topic
_KEYS = 60

# How a prompt begins, in words, that corrects the reply before it; and what only sounds like it.
_CORRECTIONS = (
    "no ", "nope ", "wrong ", "that s wrong ", "thats wrong ", "that is wrong ", "that s not ", "thats not ",
    "that is not ", "not what i ", "i said ", "i told you ", "you forgot ", "you missed ", "still broken ",
    "still failing ", "still wrong ",
)  # fmt: skip
_NOT_CORRECTIONS = ("no problem ", "no worries ", "no need ", "no rush ", "no objection ", "no further ")
_APPROVALS = (
    "ok ", "okay ", "yes ", "yep ", "yeah ", "sure ", "agreed ", "lgtm ", "go ahead ", "go for it ", "go on ",
    "do it ", "please do ", "proceed ", "continue ", "ship it ", "sounds good ", "looks good ", "good ", "great ",
    "perfect ", "nice ", "excellent ", "awesome ", "cool ", "thanks ", "thank you ", "well done ",
)  # fmt: skip
_HEDGES = frozenset(("but", "however", "though", "except", "instead"))
_APPROVAL_WORDS = 6


def begin_turn(
    home: Home,
    who: dict[str, Any],
    event_id: str,
    prompt: str,
    cwd: str,
    now: float,
    settings: Settings,
    hear: Callable[[str], object] | None = None,
    proven: bool = False,
) -> bool:
    """Append this turn's features; False, and nothing appended, when the session's last event was this same one.

    Without an `event_id` every call is a new turn. When the tracks stay locked the turn counts as new and is measured
    without its past. `hour` and `weekday` (0 is Monday) are the user's; `gapSec` counts from the reply, or from the
    prompt before when that had none; `cwd` is no feature and is kept nowhere. OSError when nothing can be written.

    `hear` is called with a hint when the sitting's mood has changed; it is logged as sent (`hinted`) only where it is
    `proven` that the agent's model hears what this hook says."""
    session = str(who.get("session") or "")
    keys = _keys(prompt)
    turn: dict[str, Any] = {}
    told: list[str] = []
    seen_before = False

    def change(tracks: dict[str, Any]) -> None:
        nonlocal seen_before
        track = tracks.pop(session, None)  # and back at the end: the order of the sessions is their age
        track = track if isinstance(track, dict) else {}
        tracks[session] = track
        if event_id and track.get("event") == event_id:
            seen_before = True
            return
        turn.update(_measured(track, prompt, keys, now))
        recent = track.get("turns")
        short = {name: turn[name] for name in ("words", "gapSec", "skimmed", "reaction", "afterBreak")}
        turns = [*(recent if isinstance(recent, list) else []), short][-TURNS_KEPT:]
        kept = {"event": event_id, "at": round(now, 3), "keys": keys, "reply": None, "turns": turns}
        tracks[session] = {**kept, "mood": _mood(home, turns, track.get("mood"), told if hear else None)}
        for old in list(tracks)[:-SESSIONS_KEPT]:
            del tracks[old]

    if session:
        try:
            state.update(home, home.interaction_tracks, change, now)
        except locks.Busy:
            turn.update(_measured({}, prompt, keys, now))
    else:
        turn.update(_measured({}, prompt, keys, now))
    if seen_before:
        return False
    if told and hear:
        hear(told[0])
        turn = {**turn, "hinted": True} if proven else turn
    here = clock.local(now, settings.zone)
    record = {
        "ts": clock.iso_ms(now),
        **who,
        "type": "turn",
        "channel": who.get("agent"),
        "hour": here.tm_hour,
        "weekday": here.tm_wday,
        **turn,
    }
    records.append(home, os.path.join(home.interaction, clock.iso(now)[:7] + ".jsonl"), record, now)
    return True


def _mood(home: Home, turns: list[Any], before: object, told: list[str] | None) -> object:
    """The sitting's mood; a hint goes to `told` when it changed. Where nobody hears, it stays what was said last."""
    if told is None:
        return before if isinstance(before, str) else ""
    from pal.memory import mood

    moods = mood.of(home, [turn for turn in turns if isinstance(turn, dict)])
    said = mood.hint(moods, before)
    if said:
        told.append(said)
    return mood.key(moods)


def reply_seen(home: Home, who: dict[str, Any], reply: str, now: float) -> None:
    """Remember the shape of the final reply, which the next turn is measured against. locks.Busy when it cannot be."""
    session = str(who.get("session") or "")
    if not session:
        return

    def change(tracks: dict[str, Any]) -> None:
        track = tracks.get(session)
        if isinstance(track, dict):
            track["reply"] = {**shape(reply), "at": round(now, 3), "keys": _keys(reply)}

    state.update(home, home.interaction_tracks, change, now)


def since_prompt(home: Home, session: str, now: float) -> float:
    """Seconds since the session's last prompt; 0 when none was seen."""
    track = state.read(home, home.interaction_tracks).get(session)
    at = track.get("at") if isinstance(track, dict) else None
    return now - at if isinstance(at, (int, float)) else 0.0


def shape(reply: str) -> dict[str, Any]:
    """{words, listItems, headings, asked} of a reply; lines inside code fences are neither items nor headings."""
    items = headings = 0
    last, fenced = "", False
    for line in reply.splitlines():
        line = line.strip()
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        elif line and not fenced:
            last = line
            if line[:2] in ("- ", "* ", "+ ", "• ") or _numbered(line):
                items += 1
            elif line.lstrip("#")[:1] == " " and line[0] == "#":
                headings += 1
    asked = last.rstrip("*_)\"' ").endswith(("?", "？"))
    return {"words": len(reply.split()), "listItems": items, "headings": headings, "asked": asked}


def _numbered(line: str) -> bool:
    number, _, rest = line.partition(" ")
    return bool(rest) and number[-1:] in (".", ")") and number[:-1].isdecimal() and len(number) < 5


def _measured(track: dict[str, Any], prompt: str, keys: list[int], now: float) -> dict[str, Any]:
    """The features of a prompt that depend on what came before it in its session."""
    prompted, reply = track.get("at"), track.get("reply")
    reply = reply if isinstance(reply, dict) else None
    first = not isinstance(prompted, (int, float))
    since = reply.get("at") if reply else prompted
    gap = max(0, round(now - since)) if isinstance(since, (int, float)) else None
    length = reply.get("words") if reply else 0
    length = length if isinstance(length, int) else 0
    last_keys, reply_keys = _kept_keys(track), _kept_keys(reply or {})
    corrected = not first and _corrects(prompt)
    repeated = len(keys) >= 5 and _dice(keys, last_keys) >= 0.6
    if corrected:
        reaction = "corrected"
    elif repeated:
        reaction = "repeated"
    elif not first and _approves(prompt):
        reaction = "approved"
    elif first or _leaves(keys, last_keys + reply_keys):
        reaction = "new-topic"
    else:
        reaction = "follow-up"
    return {
        "words": len(prompt.split()),
        "gapSec": gap,
        "afterBreak": gap is not None and gap > BREAK,
        "skimmed": gap is not None and length >= LONG_REPLY and length > gap * READING,
        "interrupted": not first and reply is None,
        "repeated": repeated,
        "corrected": corrected,
        "reply": {name: reply.get(name) for name in ("words", "listItems", "headings", "asked")} if reply else None,
        "reaction": reaction,
    }


def _keys(text: str) -> list[int]:
    return [fingerprint(word) >> 40 for word in keywords(text[:_COMPARED])[:_KEYS]]


def _kept_keys(row: dict[str, Any]) -> list[int]:
    kept = row.get("keys")
    return [key for key in kept if isinstance(key, int)] if isinstance(kept, list) else []


def _dice(one: list[int], other: list[int]) -> float:
    return 2 * len(set(one) & set(other)) / (len(one) + len(other)) if one and other else 0.0


def _leaves(keys: list[int], exchange: list[int]) -> bool:
    """True when a prompt of some substance shares hardly anything with the exchange before it."""
    return len(keys) >= 4 and len(set(keys).intersection(exchange)) <= 0.15 * len(keys)


def _spoken(text: str) -> str:
    return " ".join(words(text)) + " "


def _corrects(prompt: str) -> bool:
    spoken = _spoken(prompt[:80])
    return spoken.startswith(_CORRECTIONS) and not spoken.startswith(_NOT_CORRECTIONS)


def _approves(prompt: str) -> bool:
    """Praise or a go-ahead of a few words, not taken back in its first sentence."""
    if len(prompt) > 120 or "?" in prompt:
        return False
    from pal.memory import praise  # word tables that a stop has no use for

    if praise.verdict(prompt) == praise.PRAISED:
        return True
    spoken = _spoken(prompt)
    if spoken.count(" ") > _APPROVAL_WORDS or not spoken.startswith(_APPROVALS):
        return False
    sentence = prompt
    for end in ".!\n":
        sentence = sentence.partition(end)[0]
    return not _HEDGES.intersection(words(sentence))
