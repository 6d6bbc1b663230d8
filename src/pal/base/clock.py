"""Times as PAL writes them: UTC ISO 8601 with `Z` in records, the user's zone for names of days and for people.

Every function takes the moment as `now`, seconds since the epoch, so that a caller's clock is an argument. What a
guarded tool call needs does without `os`, which is dear to import."""

from __future__ import annotations

import sys
import time

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ZONE_FOLDERS = ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo")
# Windows has no such folder; these are inside a site-packages folder, where pip puts the `tzdata` package.
_TZDATA = ("site-packages", "tzdata", "zoneinfo")


def now() -> float:
    """The present moment."""
    return time.time()


def iso(moment: float) -> str:
    """`2026-03-02T08:15:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def iso_ms(moment: float) -> str:
    """`2026-03-02T08:15:00.250Z`: for records whose order within a second matters."""
    whole = int(moment)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{int((moment - whole) * 1000):03d}Z"


def parse(text: str) -> float:
    """The moment a time written by `iso` or `iso_ms` names; ValueError for anything else."""
    try:
        digits, fraction = text[0:4] + text[5:7] + text[8:10] + text[11:13] + text[14:16] + text[17:19], text[19:-1]
        marks = text[4] + text[7] + text[10] + text[13] + text[16] + text[-1]
        shaped = marks == "--T::Z" and len(digits) == 14 and (not fraction or (fraction[0] == "." and fraction > "."))
        if shaped and (digits + fraction[1:]).isdigit() and text.isascii():
            year, month, day = int(digits[0:4]), int(digits[4:6]), int(digits[6:8])
            hour, minute, second = int(digits[8:10]), int(digits[10:12]), int(digits[12:14])
            leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
            if 1 <= month <= 12 and 1 <= day <= _MONTHS[month] + leap and hour < 24 and minute < 60 and second < 60:
                seconds = _days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
                return seconds + float("0" + fraction)
    except (IndexError, TypeError):
        pass
    raise ValueError("not a time like 2026-03-02T08:15:00Z: " + repr(text))


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 of a Gregorian date (the standard civil-date sum; `calendar` would cost an import)."""
    year -= month <= 2
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def age(text: object, moment: float) -> float:
    """Seconds from a recorded time to `moment`; infinite when the record holds no time."""
    try:
        return moment - parse(str(text))
    except ValueError:
        return float("inf")


def local(moment: float, zone: str) -> time.struct_time:
    """The wall clock in `zone` (an IANA name); the system's own zone when it is empty, UTC when it is unknown."""
    if not zone:
        return time.localtime(moment)
    rules = _rules(zone)
    if not rules:
        return time.gmtime(moment)
    if not hasattr(time, "tzset"):  # Windows: the C library knows no IANA names
        return _through_zoneinfo(moment, rules)
    import os

    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        return time.localtime(moment)
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


def _through_zoneinfo(moment: float, rules: str) -> time.struct_time:
    """By the file itself: hooks start without `site`, so the package that holds it cannot be imported."""
    from datetime import datetime
    from zoneinfo import ZoneInfo

    try:
        with open(rules, "rb") as stream:
            return datetime.fromtimestamp(moment, ZoneInfo.from_file(stream)).timetuple()
    except (OSError, ValueError):  # somebody else's file of that name
        return time.gmtime(moment)


def valid_zone(zone: str) -> bool:
    """True if this machine can tell the time in the named zone."""
    return zone in ("UTC", "GMT") or bool(_rules(zone))


def knows_zones() -> bool:
    """Whether there is any time zone data that hooks can read; every system but Windows brings it along."""
    import os

    return any(os.path.isdir(folder) for folder in _zone_folders())


def _rules(zone: str) -> str:
    """The file that tells the named zone's time; empty when there is none. (No zone's name has a dot or a colon.)"""
    if not zone or zone[0] == "/" or {".", ":", "\\", "\0"}.intersection(zone):
        return ""
    import os

    for folder in _zone_folders():
        path = os.path.join(folder, zone)
        if os.path.isfile(path):
            return path
    return ""


def _zone_folders() -> tuple[str, ...]:
    if hasattr(time, "tzset"):
        return _ZONE_FOLDERS
    import os

    folders = [os.path.join(sys.base_prefix, "Lib", *_TZDATA)]
    if os.environ.get("APPDATA"):  # where `pip install --user` puts it
        version = getattr(sys, "winver", "").replace(".", "")
        folders.append(os.path.join(os.environ["APPDATA"], "Python", "Python" + version, *_TZDATA))
    return tuple(folders)


def day(moment: float, zone: str) -> str:
    """`2026-03-02`: the user's day."""
    return time.strftime("%Y-%m-%d", local(moment, zone))


def month(day_name: str) -> str:
    """`2026-03` of `2026-03-02`."""
    return day_name[:7]


def wall(moment: float, zone: str) -> str:
    """`Mon 2026-03-02 08:15 Europe/Budapest`; the offset stands for a zone without a name."""
    here = local(moment, zone)
    name = zone if zone and valid_zone(zone) else "UTC" if zone else _short_name(here)
    return _WEEKDAYS[here.tm_wday] + time.strftime(" %Y-%m-%d %H:%M ", here) + name


def _short_name(here: time.struct_time) -> str:
    """`CET`; the offset, `UTC+0100`, on Windows, whose names are sentences in the language of the system."""
    name = time.strftime("%Z", here)
    if name and name.isascii() and " " not in name:
        return name
    offset = time.strftime("%z", here)
    return "UTC" + (offset if offset.strip("+-0") else "")
