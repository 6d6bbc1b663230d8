"""One learning a session, renewed as the session grows, and never over a person's own words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pal.base import frontmatter, jsontext
from pal.base.home import Home
from pal.memory import work

NOW = 1_772_439_300.0
WHO = {"session": "s1", "agent": "claude"}
LONG = "a" * 200
TALK = [
    ("user", "fix the login page", "t"),
    ("assistant", LONG, "t"),
    ("user", "and test it", "t"),
    ("assistant", LONG, "t"),
]


def _files(home: Home) -> list[str]:
    return sorted(name for _, _, names in os.walk(home.session_learning) for name in names)


def _capture(home: Home, talk: list[tuple[str, str, str]], who: dict[str, str] = WHO, now: float = NOW) -> str | None:
    return work.capture(home, who, "/w/app", talk, "Fix Login Page", now, zone="UTC")


def test_a_conversation_of_some_length_is_filed(home: Home) -> None:
    work.note_activity(home, WHO, work.EDITED, "Edit", "/w/app/login.py", NOW)
    work.note_activity(home, WHO, work.EDITED, "Write", "/w/app/login.py", NOW)
    work.note_activity(home, WHO, work.EDITED, "Write", "/w/app/test_login.py", NOW)
    work.note_activity(home, WHO, work.SUBAGENT, "explore", "", NOW)
    path = _capture(home, TALK)
    assert path is not None
    assert home.relative(path) == "memory/session-learning/2026-03/2026-03-02_fix-login-page.md"
    fields, body = frontmatter.parse(Path(path).read_text("utf-8"))
    assert fields == {
        "title": "Fix Login Page",
        "date": "2026-03-02",
        "ts": "2026-03-02T08:15:00Z",
        "session": "s1",
        "agent": "claude",
        "cwd": "/w/app",
        "messages": 4,
        "status": "in-progress",
    }
    assert body == (
        f"## What Was Done\n\n**Request:** and test it\n\n**Result:** {LONG}\n\n"
        "## Files\n\n- /w/app/login.py\n- /w/app/test_login.py\n\n## Subagents\n\n- explore\n"
    )


@pytest.mark.parametrize(
    ("talk", "edited", "filed"),
    [
        (TALK, False, True),
        (TALK[:3], False, False),
        ([("user", "hi", "t"), ("assistant", "hello", "t")] * 4, False, False),
        ([("user", "fix it", "t"), ("assistant", "done", "t")], True, True),
        ([], True, True),
        ([], False, False),
    ],
)
def test_short_talk_is_filed_only_when_a_file_was_changed(
    home: Home, talk: list[tuple[str, str, str]], edited: bool, filed: bool
) -> None:
    if edited:
        work.note_activity(home, WHO, work.EDITED, "Edit", "/w/app/x.py", NOW)
    assert (_capture(home, talk) is not None) is filed
    assert len(_files(home)) == filed


def test_the_file_is_renewed_as_the_session_grows(home: Home) -> None:
    first = _capture(home, TALK)
    grown = [*TALK, ("user", "now document it", "t"), ("assistant", "Documented.", "t")]
    assert _capture(home, grown, now=NOW + 86400) == first
    assert len(_files(home)) == 1
    fields, body = frontmatter.parse(Path(str(first)).read_text("utf-8"))
    assert (fields["messages"], fields["date"], fields["ts"]) == (6, "2026-03-02", "2026-03-03T08:15:00Z")
    assert "now document it" in body


def test_the_same_stop_twice_writes_once(home: Home) -> None:
    assert _capture(home, TALK) is not None
    before = os.stat(home.learnings_map).st_mtime_ns
    assert _capture(home, TALK, now=NOW + 60) is None
    assert os.stat(home.learnings_map).st_mtime_ns == before


def test_a_conversation_read_from_its_end_is_renewed_though_as_long_as_before(home: Home) -> None:
    path = _capture(home, TALK)
    assert _capture(home, [*TALK[2:], ("user", "now document it", "t"), ("assistant", LONG, "t")]) == path
    assert "now document it" in Path(str(path)).read_text("utf-8")


def test_a_session_that_is_renamed_keeps_its_file(home: Home) -> None:
    first = _capture(home, TALK)
    grown = [*TALK, ("user", "more", "t"), ("assistant", "done", "t")]
    assert work.capture(home, WHO, "/w/app", grown, "Another Name", NOW, zone="UTC") == first
    assert len(_files(home)) == 1


def test_what_a_person_has_edited_is_left_alone(home: Home) -> None:
    path = Path(str(_capture(home, TALK)))
    mine = path.read_text("utf-8") + "\nMy own thought.\n"
    path.write_text(mine, "utf-8")
    grown = [*TALK, ("user", "more", "t"), ("assistant", "done", "t")]
    assert _capture(home, grown) is None
    assert path.read_text("utf-8") == mine
    assert len(_files(home)) == 1


def test_what_a_person_has_removed_stays_removed(home: Home) -> None:
    os.unlink(str(_capture(home, TALK)))
    assert _capture(home, [*TALK, ("user", "more", "t")]) is None
    assert _files(home) == []


def test_two_sessions_of_one_name_have_two_files(home: Home) -> None:
    _capture(home, TALK)
    _capture(home, TALK, who={"session": "s2", "agent": "claude"})
    assert _files(home) == ["2026-03-02_fix-login-page-2.md", "2026-03-02_fix-login-page.md"]


def test_a_file_written_before_a_crash_is_found_again(home: Home) -> None:
    first = _capture(home, TALK)
    os.unlink(home.learnings_map)
    assert _capture(home, TALK) == first
    assert len(_files(home)) == 1


def test_a_session_without_a_name_is_titled_by_what_was_asked(home: Home) -> None:
    path = work.capture(home, WHO, "/w", TALK, "", NOW, zone="UTC")
    assert path is not None
    assert path.endswith("_fix-login-page.md")
    talk = [("user", "hi", "t"), ("assistant", LONG * 3, "t")] * 2
    path = work.capture(home, {"session": "s2", "agent": "claude"}, "/w", talk, "", NOW, zone="UTC")
    assert path is not None
    assert path.endswith("_work-session.md")


def test_a_closed_session_that_resumes_still_lists_its_earlier_files(home: Home) -> None:
    work.note_activity(home, WHO, work.EDITED, "Edit", "/w/app/a.py", NOW)
    path = work.capture(home, WHO, "/w", TALK, "Fix Login Page", NOW, status="completed")
    work.forget_activity(home, WHO, NOW)
    work.note_activity(home, WHO, work.EDITED, "Edit", "/w/app/b.py", NOW)
    assert _capture(home, [*TALK, ("user", "more", "t")]) == path
    _, body = frontmatter.parse(Path(str(path)).read_text("utf-8"))
    assert "- /w/app/a.py\n- /w/app/b.py" in body


def test_a_long_list_of_files_says_how_many_are_left_out(home: Home) -> None:
    for number in range(60):
        work.note_activity(home, WHO, work.EDITED, "Edit", f"/w/{number}.py", NOW)
    path = _capture(home, TALK)
    text = Path(str(path)).read_text("utf-8")
    assert text.count("\n- /w/") == 40
    assert "- (and 20 before)" in text


def test_notes_go_when_the_session_is_closed_and_others_when_abandoned(home: Home) -> None:
    for session in ("s1", "s2", "old"):
        work.note_activity(home, {"session": session, "agent": "claude"}, work.EDITED, "Edit", "/w/a", NOW)
    os.utime(os.path.join(home.activity, "s2.jsonl"), (NOW, NOW))
    os.utime(os.path.join(home.activity, "old.jsonl"), (NOW - 15 * 86400, NOW - 15 * 86400))
    work.forget_activity(home, WHO, NOW)
    assert sorted(os.listdir(home.activity)) == [".s2.jsonl.lock", "s2.jsonl"]
    work.forget_activity(home, {"session": "", "agent": "claude"}, NOW)


@pytest.mark.parametrize("session", ["../../escape", "/etc/x", "nul\0", "\ud800"])
def test_a_foreign_session_id_cannot_leave_the_folder(home: Home, session: str) -> None:
    who = {"session": session, "agent": "claude"}
    work.note_activity(home, who, work.EDITED, "Edit", "/w/a", NOW)
    assert [name for name in os.listdir(home.activity) if name.endswith(".jsonl")]
    assert _capture(home, TALK, who=who) is not None
    work.forget_activity(home, who, NOW)
    assert os.listdir(home.activity) == []


def test_a_session_without_an_id_is_not_kept(home: Home) -> None:
    work.note_activity(home, {"session": "", "agent": "claude"}, work.EDITED, "Edit", "/w/a", NOW)
    assert _capture(home, TALK, who={"agent": "claude"}) is None
    assert not os.path.exists(home.activity)


def test_a_map_that_points_elsewhere_is_not_followed(home: Home) -> None:
    outside = Path(home.root).parent / "outside.md"
    outside.write_text("mine", "utf-8")
    Path(home.learnings_map).write_text(jsontext.dumps({"s1": {"path": "../outside.md", "hash": "x"}}), "utf-8")
    assert _capture(home, TALK) is None
    assert outside.read_text("utf-8") == "mine"


def test_secrets_are_not_filed(home: Home) -> None:
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    talk = [*TALK, ("user", f"use {key}", "t"), ("assistant", "<private>diary</private> done", "t")]
    work.note_activity(home, WHO, work.SUBAGENT, f"run {key}", "", NOW)
    text = Path(str(_capture(home, talk))).read_text("utf-8")
    assert "sk-ant" not in text
    assert "diary" not in text


@pytest.mark.parametrize(
    "said", ["\ud800", "nul \0", "x" * 3_000_000, "é😀", "---\nsession: s9\n---", "- a\n## Files\n- b", "漢" * 500]
)
def test_any_text_can_be_filed(home: Home, said: str) -> None:
    work.note_activity(home, WHO, work.EDITED, said, said or "x", NOW)
    talk = [("user", said, "t"), ("assistant", said, "t")] * 3
    path = work.capture(home, WHO, said[:99], talk, said[:99], NOW)
    fields, _ = frontmatter.parse(Path(str(path)).read_text("utf-8"))
    assert fields["session"] == "s1"
