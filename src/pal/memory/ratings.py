"""Ratings a person gives in a prompt, as a number or in words, kept in `signals/ratings.jsonl`; and their trend.

The prompt hook asks `parse` of every prompt a person typed and records what it finds with the reply it is about. A
number that may mean something else is no rating: a missed one costs little, a false low one files a failure."""

from __future__ import annotations

import os

from pal.base import clock, files, jsontext, records, redaction, state, text
from pal.memory import counts, praise
from pal.memory.spoken import is_system, spoken, vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pal.base.home import Home

_CONTEXT = 200  # characters of the prompt that stand for a missing comment
_COMMENT = 2000  # UTF-16 units that are kept
_COMMENT_READ = 4000  # characters; a secret must not be cut in two before it is recognised
_PREVIEW = 500  # UTF-16 units of the rated reply
_TELLING_WORDS = 6  # a comment without a separator says what it thinks within these
_PICKS = 5  # options and short lists are numbered up to here, so an order after such a number is no comment
_MONTH = 30 * 86400  # seconds
_WEEK = 7 * 86400
_DAY = 25 * 3600  # the longest one, when summer time ends
_TREND_ROWS = 200
_NOTABLE = 0.5  # how far the halves of a month must differ to be a trend
_HALF = 3  # ratings each half needs

_SEPARATORS = " \t\r\n-–—:,!"
_NO_COMMENT = frozenset("=+*/%&#<>@$|^~`[]{}\\?\0")  # a sum, code, a question

# What makes the number a place, a share, a time or a part of a list.
_CONNECTIVES = vocabulary(
    "th st nd rd of in at to the a an and or vs on by until till after before since per plus minus out from times"
)
# What is counted, in the singular.
_COUNTED = vocabulary(
    "item thing step file line bug issue error time minute hour day second percent test check commit user "
    "person people row column function method class module page word char character byte kb mb gb tb ms min "
    "sec hr am pm week month year point option choice question answer example warning failure problem task "
    "ticket pr branch version change request reply try attempt x k m px em rem pt vote star thread process "
    "worker core node record entry field value key table button link image section chapter paragraph sentence "
    "part piece note place way reason clock space tab level"
)
# What may stand before it.
_QUALIFIERS = vocabulary(
    "more less new old last first next previous other another small big quick extra additional different separate "
    "single done complete completed passed passing failed failing remaining left ago"
)
_ARTICLES = frozenset(("the", "a", "an"))
_OPTIONS = frozenset(("one", "option", "choice", "second", "third", "version", "way"))
# After one of these the number is what the sentence is about, or an answer to a question.
_SUBJECT_VERBS = vocabulary(
    "is isnt was looks sounds works seems has please would will should can then only also instead it"
)
_ORDERS = vocabulary(
    "add do make use fix create write implement update remove delete go run yes no ok okay please option let "
    "lets both then change set move rename test check keep start stop build install open show explain "
    "refactor put give take read find look send replace convert merge deploy commit push"
)
_TELLING = vocabulary(
    "good great excellent amazing awesome perfect nice superb brilliant fantastic wonderful incredible "
    "outstanding solid fine okay ok decent lovely beautiful clean clear helpful useful fast impressive "
    "impressed elegant thorough neat cool best better well love loved like liked thanks thank happy satisfied "
    "spot exactly correct accurate right smart clever bad terrible awful horrible poor wrong broken useless "
    "meh mediocre average weak slow slower faster sloppy messy ugly confusing confused unclear verbose long "
    "wordy short incomplete missing missed misses lacks lacking incorrect buggy disappointing disappointed "
    "worse worst boring shallow vague ignored ignores forgot failed broke lost hate hated needs need could "
    "should improve almost nearly mostly close enough not too but still unhappy frustrating annoying "
    "overengineered overkill job"
)
_ENDING_IN_S = vocabulary("this thanks needs was misses lacks less yes its is has does always perhaps ignores")


class Rating:
    """A value from 1 to 10, what the person said with it, and whether it was a number or words."""

    __slots__ = ("comment", "source", "value")

    def __init__(self, value: int, comment: str, source: str) -> None:
        self.value = value
        self.comment = comment
        self.source = source


def parse(prompt: str) -> Rating | None:
    """The rating in a prompt: a number (explicit), praise or clear displeasure (implicit); usually None."""
    said = spoken(prompt)
    if not said or is_system(said):
        return None
    if said[0] not in "123456789":
        value = praise.verdict(said)
        return Rating(value, said[:_CONTEXT], "implicit") if value else None
    value, comment = _scaled(said)
    if not value:
        value, comment = _bare(said)
    if not value:
        return None
    return Rating(value, comment[:_COMMENT_READ].strip() or said[:_CONTEXT], "explicit")


def _number(said: str) -> tuple[int, str]:
    """The number from 1 to 10 the text begins with, and what follows it; 0 for other numbers."""
    digits = "10" if said.startswith("10") else said[0]
    after = said[len(digits) :]
    return (0, "") if after[:1].isalnum() else (int(digits), after)


def _scaled(said: str) -> tuple[int, str]:
    """`9/10` and `9 out of 10`, alone or with a comment."""
    value, after = _number(said)
    scale = after[:40].lstrip(" ")
    if scale.startswith("/"):
        scale = scale[1:].lstrip(" ")
    elif scale.lower().startswith("out of "):
        scale = scale[7:].lstrip(" ")
    else:
        return 0, ""
    if not value or not scale.startswith("10"):
        return 0, ""
    rest = after[after.index("10") + 2 :]
    if rest and (rest[0] not in _SEPARATORS + ".;)" or rest[1:2].isdigit() or (rest[0] == "." and rest[1:2].isalpha())):
        return 0, ""
    comment = rest.lstrip(_SEPARATORS + ".;)")
    if comment[:1] == "?" or (rest[:1] == " " and _counts(text.words(comment[:200]))):
        return 0, ""  # a question, or a share: 9/10 tests pass
    return value, comment


def _bare(said: str) -> tuple[int, str]:
    """A number from 1 to 10, alone or with a comment that cannot be anything else."""
    value, after = _number(said)
    if not value or (after and after[0] not in _SEPARATORS) or _is_list(said):
        return 0, ""
    comment = after.lstrip(_SEPARATORS)
    first_line = comment.split("\n", 1)[0].rstrip()
    words = text.words(first_line[:300].replace("'", "").replace("’", ""))
    if not words:
        return (0, "") if comment[:1] in _NO_COMMENT else (value, after if comment else "")
    lead = after[: len(after) - len(comment)]
    compound = lead in ("-", "–", "—")  # 3-way
    if comment[0] in _NO_COMMENT or words[0] in _SUBJECT_VERBS:
        return 0, ""
    if lead.strip() and "\n" not in lead and not compound:
        return (0, "") if _picks(value, words) else (value, comment)
    if words[0] in _CONNECTIVES or _counts(words):
        return 0, ""
    if first_line.endswith("?") or not _tells(words, 1 if compound else _TELLING_WORDS):
        return 0, ""
    return value, comment


def _picks(value: int, words: list[str]) -> bool:
    """True when what follows a number and a separator counts something, picks an option or gives an order."""
    first = words[0]
    if first in _ARTICLES:
        second = words[1] if len(words) > 1 else ""
        return value <= _PICKS and (second in _QUALIFIERS or second in _OPTIONS)
    if first in _QUALIFIERS:
        return value <= _PICKS and not _tells(words, _TELLING_WORDS)
    return first in _CONNECTIVES or _counts(words) or (value <= _PICKS and first in _ORDERS)


def _is_list(said: str) -> bool:
    """True when a later line is one more list item, so that the number was the first item's."""
    return "\n" in said and any(line.lstrip()[:1].isdigit() for line in said[:_COMMENT_READ].split("\n")[1:])


def _counts(words: list[str]) -> bool:
    """True when what follows the number is what it counts."""
    if not words:
        return False
    first = words[0]
    singular = first[:-1] if first.endswith("s") else first
    return first.isdigit() or first in _QUALIFIERS or first in _COUNTED or singular in _COUNTED


def _tells(words: list[str], within: int) -> bool:
    """True when a comment without a separator is an opinion, not the thing that was counted or chosen."""
    if _is_plural(words[0]):
        return False
    if len(words) > 1:
        if words[0] in _TELLING and words[0] not in ("need", "needs") and _is_plural(words[1]):
            return False
        if words[1] in ("is", "are", "was", "were", "has") and words[0] not in ("this", "that", "everything"):
            return False
    return any(word in _TELLING for word in words[:within])


def _is_plural(word: str) -> bool:
    return word.endswith("s") and word not in _TELLING and word not in _ENDING_IN_S


def record(
    home: Home, rating: Rating, who: dict[str, Any], reply_preview: str | None, cwd: str, now: float, event: str = ""
) -> bool:
    """Keep a rating with the reply it is about (None when that is not known); False when this event's is there already.

    Without an event id every call is a rating of its own."""
    row: dict[str, Any] = {
        "ts": clock.iso(now),
        **who,
        "type": "rating",
        "rating": rating.value,
        "source": rating.source,
        "context": context(rating),
    }
    if reply_preview:
        row["response_preview"] = text.clip(redaction.scrub(reply_preview[: _PREVIEW * 4]), _PREVIEW)
    row["cwd"] = cwd
    if event:
        row["event"] = event
    once = ("session", "event", "type") if event and "session" in row else ()
    kept = records.append(home, home.ratings, row, now, durable=True, once=once)
    if kept:
        counts.bump(home, "ratings", now)
    return kept


def context(rating: Rating) -> str:
    """What the person said with the rating, as it may be kept."""
    return text.clip(redaction.scrub(rating.comment), _COMMENT)


def recent(home: Home, count: int) -> list[dict[str, Any]]:
    """The last ratings, newest last."""
    return [row for row in records.tail(home.ratings, count) if _value(row)]


def trend(home: Home, now: float, zone: str = "") -> dict[str, Any]:
    """Averages of today, seven and thirty days (None without ratings), `trend` up, down or stable, and the `count`.

    Read from the end of the log and kept in the signal cache until a rating or a day is added."""
    try:
        size = os.stat(home.ratings).st_size
    except OSError:
        size = 0
    today = clock.day(now, zone)
    cached = state.read(home, home.signal_cache)
    if cached.get("bytes") == size and cached.get("day") == today:
        return {name: cached.get(name) for name in ("today", "week", "month", "trend", "count")}
    month: list[tuple[float, int]] = []
    for row in records.tail(home.ratings, _TREND_ROWS):
        age = clock.age(row.get("ts"), now)
        if _value(row) and age <= _MONTH:
            month.append((age, _value(row)))
    values = [value for _, value in month]
    half = len(values) // 2
    drift = _average(values[half:]) - _average(values[:half]) if half >= _HALF else 0.0
    found: dict[str, Any] = {
        "today": _rounded([value for age, value in month if age <= _DAY and clock.day(now - age, zone) == today]),
        "week": _rounded([value for age, value in month if age <= _WEEK]),
        "month": _rounded(values),
        "trend": "up" if drift > _NOTABLE else "down" if drift < -_NOTABLE else "stable",
        "count": len(values),
    }
    kept = {"computed_at": clock.iso(now), "day": today, "bytes": size, **found}
    if size:
        try:
            files.write(home.signal_cache, jsontext.dumps_rows(kept))
        except OSError:
            pass  # a home that cannot be written still has a trend
    return found


def _value(row: dict[str, Any]) -> int:
    value = row.get("rating")
    return value if isinstance(value, int) and 1 <= value <= 10 else 0


def _average(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0


def _rounded(values: list[int]) -> float | None:
    return round(_average(values), 1) if values else None
