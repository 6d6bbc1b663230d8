"""Times as PAL writes and reads them."""

from __future__ import annotations

import calendar
import os
import shutil
import sys
import time
from datetime import date, datetime, timezone

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pal.base import clock

MOMENTS = st.integers(0, int(datetime(2200, 1, 1, tzinfo=timezone.utc).timestamp()))
MONDAY = 1772439300.0  # 2026-03-02 08:15:00 UTC


@given(MOMENTS)
def test_a_moment_comes_back_from_its_text_and_the_text_is_what_datetime_writes(moment):
    text = clock.iso(moment)
    assert clock.parse(text) == moment
    assert text == datetime.fromtimestamp(moment, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


@given(MOMENTS, st.integers(0, 999))
def test_milliseconds_come_back_and_texts_sort_as_moments_do(moment, thousandths):
    exact = moment + thousandths / 1000
    text = clock.iso_ms(exact)
    assert len(text) == 24
    assert abs(clock.parse(text) - exact) <= 0.0011
    assert clock.iso_ms(exact - 5) < text < clock.iso_ms(exact + 5)


@given(st.floats(0, 7e9, allow_nan=False))
def test_a_moment_with_any_fraction_has_a_text_that_reads_back_to_the_same_second(moment):
    assert int(clock.parse(clock.iso_ms(moment))) == int(moment) == clock.parse(clock.iso(moment))


@given(st.dates(date(1970, 1, 1), date(2200, 1, 1)))
def test_every_day_is_read_as_the_calendar_has_it(day):
    assert clock.parse(day.isoformat() + "T00:00:00Z") == calendar.timegm(day.timetuple())


@pytest.mark.parametrize(
    "text",
    [
        "", "Z", "now", "2026", "2026-03-02", "2026-03-02T08:15Z", "2026-03-02 08:15:00Z", "2026-03-02T08:15:00",
        "2026-03-02T08:15:00+00:00", "2026-03-02T08:15:00+02:00Z", "2026-03-02T08:15:00ZZ", "2026-03-02T08:15:00junkZ",
        "2026-13-02T08:15:00Z", "2026-00-02T08:15:00Z", "2026-03-32T08:15:00Z", "2026-03-00T08:15:00Z",
        "2026-02-30T08:15:00Z", "2025-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-03-02T24:15:00Z",
        "2026-03-02T08:60:00Z", "2026-03-02T08:15:61Z", "2026-03-02T08:15:-1Z", "2026-03-02T-1:15:00Z",
        "2026- 3-02T08:15:00Z", "2026-03-02T08:15:00.Z", "2026-03-02T08:15:00.1e5Z", "2026-03-02T08:15:00.-5Z",
        "2026-03-02T08:15:00.nanZ", "20_6-03-02T08:15:00Z", "٢٠٢٦-03-02T08:15:00Z", " 2026-03-02T08:15:00Z",
        "2026-03-02T08:15:00Z\n", "2026/03/02T08:15:00Z", "2026-03-02t08:15:00z",
    ],
    ids=repr,
)  # fmt: skip
def test_anything_else_is_no_time(text):
    with pytest.raises(ValueError):
        clock.parse(text)


@given(st.text(alphabet="0123456789-T:.Z +e_ ", max_size=30) | st.text(max_size=30))
def test_any_text_is_a_time_or_a_value_error(text):
    try:
        moment = clock.parse(text)
    except ValueError:
        return
    assume(text >= "1970")
    assert clock.iso(moment)[:19] == text[:19]


@pytest.mark.parametrize(("value", "age"), [("2026-03-02T08:14:00Z", 60.0), (None, float("inf")), (12, float("inf"))])
def test_the_age_of_what_holds_no_time_is_infinite(value, age):
    assert clock.age(value, MONDAY) == age


@pytest.mark.parametrize(
    ("zone", "wall"),
    [
        ("UTC", "Mon 2026-03-02 08:15 UTC"),
        ("Europe/Budapest", "Mon 2026-03-02 09:15 Europe/Budapest"),
        ("America/Los_Angeles", "Mon 2026-03-02 00:15 America/Los_Angeles"),
        ("Pacific/Kiritimati", "Mon 2026-03-02 22:15 Pacific/Kiritimati"),
        ("Asia/Kathmandu", "Mon 2026-03-02 14:00 Asia/Kathmandu"),
        ("No/Where", "Mon 2026-03-02 08:15 UTC"),
        ("../../etc/passwd", "Mon 2026-03-02 08:15 UTC"),
        ("/etc/localtime", "Mon 2026-03-02 08:15 UTC"),
        ("Europe", "Mon 2026-03-02 08:15 UTC"),
        ("a\0b", "Mon 2026-03-02 08:15 UTC"),
    ],
)
def test_the_wall_clock_stands_in_the_users_zone_and_in_utc_for_one_that_is_unknown(zone, wall):
    assert clock.wall(MONDAY, zone) == wall
    assert clock.day(MONDAY, zone) == wall[4:14]


def test_the_day_turns_at_the_users_midnight():
    late = clock.parse("2026-03-02T23:30:00Z")
    assert [clock.day(late, zone) for zone in ("UTC", "Europe/Budapest", "America/New_York")] == [
        "2026-03-02",
        "2026-03-03",
        "2026-03-02",
    ]
    assert clock.month("2026-03-02") == "2026-03"


@pytest.mark.parametrize("before", [None, "Asia/Tokyo"])
def test_asking_for_a_zone_leaves_the_process_in_its_own(before, monkeypatch):
    if before is None:
        monkeypatch.delenv("TZ", raising=False)
    else:
        monkeypatch.setenv("TZ", before)
    if hasattr(time, "tzset"):
        time.tzset()
    own = time.localtime(MONDAY)
    clock.wall(MONDAY, "America/New_York")
    assert os.environ.get("TZ") == before
    assert time.localtime(MONDAY) == own
    assert clock.local(MONDAY, "") == own
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()


@pytest.fixture
def on_windows(monkeypatch, tmp_path):
    """A C library that knows no zones, and a Python whose tzdata package, for this user or for all, knows one."""
    monkeypatch.delattr(time, "tzset", raising=False)
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path / "Python"))
    monkeypatch.setattr(sys, "winver", "3.13", raising=False)
    monkeypatch.setenv("APPDATA", str(tmp_path / "Roaming"))
    return tmp_path


@pytest.mark.parametrize("place", ["Python/Lib", "Roaming/Python/Python313"])
def test_windows_tells_the_time_in_the_zones_of_its_tzdata_package(on_windows, place):
    zones = on_windows / place / "site-packages" / "tzdata" / "zoneinfo"
    (zones / "Europe").mkdir(parents=True)
    shutil.copy("/usr/share/zoneinfo/Europe/Budapest", zones / "Europe")
    (zones / "Europe" / "Broken").write_bytes(b"no rules")
    assert clock.knows_zones() is True
    assert clock.wall(MONDAY, "Europe/Budapest") == "Mon 2026-03-02 09:15 Europe/Budapest"
    assert clock.wall(MONDAY + 182 * 86400, "Europe/Budapest")[15:20] == "10:15"
    assert clock.wall(MONDAY, "UTC") == "Mon 2026-03-02 08:15 UTC"
    for unknown in ("Asia/Tokyo", "Europe", "__init__.py", r"C:\x", "../zoneinfo/Europe/Budapest"):
        assert clock.valid_zone(unknown) is False
        assert clock.wall(MONDAY, unknown) == "Mon 2026-03-02 08:15 UTC"
    assert clock.local(MONDAY, "Europe/Broken")[:6] == time.gmtime(MONDAY)[:6]


def test_windows_without_the_package_knows_utc_alone(on_windows, monkeypatch):
    monkeypatch.delenv("APPDATA")
    assert clock.knows_zones() is False
    assert [clock.valid_zone(zone) for zone in ("UTC", "GMT", "Europe/Budapest")] == [True, True, False]
    assert clock.wall(MONDAY, "Europe/Budapest") == "Mon 2026-03-02 08:15 UTC"


@pytest.mark.parametrize(
    ("name", "offset", "shown"),
    [
        ("CET", "+0100", "CET"),
        ("Central Europe Standard Time", "+0100", "UTC+0100"),
        ("Közép-európai téli idő", "+0100", "UTC+0100"),
        ("Greenwich Standard Time", "-0000", "UTC"),
        ("", "+0545", "UTC+0545"),
    ],
)
def test_a_zone_without_a_short_name_is_told_by_its_offset(monkeypatch, name, offset, shown):
    told = time.strftime
    fixed = {"%Z": name, "%z": offset}
    monkeypatch.setattr(time, "strftime", lambda form, at: fixed[form] if form in fixed else told(form, at))
    assert clock.wall(MONDAY, "").endswith(" " + shown)
