"""Tier 1: the standing text, when it is renewed, and that nothing around its block is touched."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from pal.base import assets
from pal.base.home import Home
from pal.base.settings import Settings
from pal.base.text import units
from pal.context import semi_static, tier1

NONE = Settings({})
COMMAND = "/srv/anna/.pal/bin/pal"


def named(ai: str = "Ada", person: str = "Anna", phrase: str = "") -> Settings:
    return Settings({"identity": {"ai": {"name": ai, "catchphrase": phrase}, "principal": {"name": person}}})


def route(home: Home, *blocks: dict, command: str = COMMAND) -> None:
    Path(home.digest_routes).write_text(json.dumps({"command": command, "blocks": list(blocks)}), "utf-8")


def instructions(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "INSTRUCTIONS.md"
    path.write_bytes(text.encode("utf-8"))
    return path


def block(inside: str = "old") -> str:
    return f"{tier1.BEGIN}\n{inside}\n{tier1.END}"


def test_it_says_who_is_who_where_pal_is_and_where_to_look(home: Home, clean_env) -> None:
    text = tier1.render(home, named(), COMMAND, env=clean_env)
    assert "You are **Ada**, working with **Anna**." in text
    assert text.count(COMMAND) == 1
    assert f"`pal VERB` in any text of PAL means `{COMMAND} VERB`" in text
    root = home.root.replace("\\", "/")
    for place in ("telos/", "docs/MEMORY_SYSTEM.md", "docs/CONTEXT_ROUTING.md", "memory/failures/"):
        assert f"`{root}/{place}`" in text
    assert "I don't know" in text
    assert "{{" not in text
    assert text.isprintable() or "\n" in text


def test_without_names_it_speaks_of_the_user(home: Home, clean_env) -> None:
    text = tier1.render(home, NONE, COMMAND, env=clean_env)
    assert "You are **Assistant**, working with **the user**." in text


def test_a_catchphrase_names_the_assistant(home: Home, clean_env) -> None:
    text = tier1.render(home, named(phrase="{name} here."), COMMAND, env=clean_env)
    assert "Your line: Ada here." in text


def test_agents_that_import_get_one_line_for_each_digest(home: Home, clean_env, tmp_path) -> None:
    lines = tier1.render(home, NONE, COMMAND, env=clean_env).split("\n")
    imports = [f"@~/.pal/memory/cache/digests/{source.slug}.md" for source in semi_static.SOURCES]
    assert lines[-len(imports) :] == imports
    assert "\n@" not in tier1.render(home, NONE, COMMAND, imports=False, env=clean_env)

    elsewhere = Home(str(tmp_path / "a b" / "pal"))
    last = tier1.render(elsewhere, NONE, COMMAND, env=clean_env).split("\n")[-1]
    assert last == "@" + str(tmp_path).replace("\\", "/") + "/a\\ b/pal/memory/cache/digests/steering-rules.md"


def test_a_command_with_a_space_in_its_path_is_quoted(home: Home, clean_env) -> None:
    assert '`"/srv/anna b/pal" VERB`' in tier1.render(home, NONE, "/srv/anna b/pal", env=clean_env)


def test_it_names_the_answered_topics_of_the_telos(home: Home, clean_env) -> None:
    assert "nothing yet; when there is time" in tier1.render(home, NONE, COMMAND, env=clean_env)
    Path(home.telos, "GOALS.md").write_text("# Goals\n- ship\n", "utf-8")
    Path(home.telos, "MISSION.md").write_text("# Mission\nHelp.\n", "utf-8")
    Path(home.telos, "IDEAS.md").write_text("# Ideas\n", "utf-8")
    assert "telos/`: MISSION, GOALS |" in tier1.render(home, NONE, COMMAND, env=clean_env)


def test_it_stays_under_six_kilobytes_whatever_the_names(home: Home, clean_env) -> None:
    for name in ("MISSION", "GOALS", "BELIEFS"):
        Path(home.telos, name + ".md").write_text("Said.\n", "utf-8")
    settings = named("A" * 500, "P" * 500, "C" * 500)
    far = Home(os.path.join(os.path.abspath(os.sep), *["deep folder"] * 6, ".pal"))
    for each in (home, far):
        assert units(tier1.render(each, settings, COMMAND, env=clean_env)) <= 6 * 1024


@pytest.mark.parametrize("name", [tier1.END, "a\nb", "`x`", "<system-reminder>"])
def test_a_name_cannot_break_out_of_the_block(home: Home, clean_env, name: str) -> None:
    text = tier1.render(home, named(person=name), COMMAND, env=clean_env)
    assert tier1.END not in text
    assert "<system" not in text
    assert "a\nb" not in text


def test_a_block_is_renewed_and_everything_around_it_stays(home: Home, tmp_path) -> None:
    path = instructions(tmp_path, f"# Mine\n\n{block()}\n\nBelow.")
    route(home, {"path": str(path), "owner": "a"})
    assert str(path) in tier1.refresh(home, named())
    text = path.read_text("utf-8")
    assert text.startswith(f"# Mine\n\n{tier1.BEGIN}\n# PAL\n")
    assert text.endswith(f".md\n{tier1.END}\n\nBelow.")
    assert "Anna" in text
    assert COMMAND in text


def test_line_ends_byte_order_mark_and_mode_of_the_users_file_are_kept(home: Home, tmp_path) -> None:
    path = instructions(tmp_path, "\ufeff# Mine\r\n" + block().replace("\n", "\r\n") + "\r\nBelow.\r\n")
    path.chmod(0o644)
    route(home, {"path": str(path)})
    tier1.refresh(home, NONE)
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# Mine\r\n<!-- pal:begin")
    assert data.count(b"\n") == data.count(b"\r\n") > 10
    assert data.endswith(b"\r\nBelow.\r\n")
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize(
    "text",
    [
        "# Mine\n",
        "",
        f"{tier1.BEGIN}\nhalf\n",
        f"half\n{tier1.END}\n",
        f"{tier1.END}\n{tier1.BEGIN}\n",
        f"{block()}\n{block()}\n",
    ],
)
def test_a_block_that_the_user_deleted_or_broke_is_left_alone(home: Home, tmp_path, text: str) -> None:
    path = instructions(tmp_path, text)
    route(home, {"path": str(path)})
    assert str(path) not in tier1.refresh(home, NONE)
    assert path.read_bytes() == text.encode()


def test_a_file_that_is_gone_is_not_made(home: Home, tmp_path) -> None:
    route(home, {"path": str(tmp_path / "gone.md")})
    tier1.refresh(home, NONE)
    assert not (tmp_path / "gone.md").exists()


def test_an_unreadable_file_is_logged_and_the_others_are_renewed(home: Home, tmp_path) -> None:
    (tmp_path / "folder.md").mkdir()
    path = instructions(tmp_path, block())
    route(home, {"path": str(tmp_path / "folder.md")}, {"path": str(path)})
    assert str(path) in tier1.refresh(home, NONE)
    assert "folder.md" in Path(home.log).read_text("utf-8")


def test_an_agent_that_does_not_import_gets_the_text_alone(home: Home, tmp_path) -> None:
    path = instructions(tmp_path, block())
    route(home, {"path": str(path), "imports": False})
    tier1.refresh(home, NONE)
    assert "\n@" not in path.read_text("utf-8")


def test_the_standing_text_is_also_a_document_of_pals(home: Home) -> None:
    path = os.path.join(home.docs, "AGENTS.md")
    assert tier1.refresh(home, named()) == [path]
    text = Path(path).read_text("utf-8")
    assert text.startswith("# PAL\n")
    assert text.endswith("|\n")


def test_nothing_is_done_while_nothing_changed(home: Home, tmp_path, monkeypatch) -> None:
    path = instructions(tmp_path, block())
    route(home, {"path": str(path)})
    assert tier1.stale(home, NONE)
    tier1.refresh(home, NONE)
    tier1.refresh(home, NONE)
    assert not tier1.stale(home, NONE)
    monkeypatch.setattr(tier1, "render", lambda *_: pytest.fail("it was rendered again"))
    assert tier1.refresh(home, NONE) == []


def change_settings(home: Home, tmp_path: Path) -> None:
    Path(home.settings).write_text('{"identity": {}}', "utf-8")


def change_telos(home: Home, tmp_path: Path) -> None:
    Path(home.telos, "MISSION.md").write_text("# Mission\nHelp others.\n", "utf-8")


def remove_telos(home: Home, tmp_path: Path) -> None:
    Path(home.telos, "MISSION.md").unlink()


def change_routes(home: Home, tmp_path: Path) -> None:
    route(home, {"path": str(tmp_path / "INSTRUCTIONS.md")}, command="/srv/b/.pal/bin/pal")


def remove_document(home: Home, tmp_path: Path) -> None:
    Path(home.docs, "AGENTS.md").unlink()


def lose_stamp(home: Home, tmp_path: Path) -> None:
    Path(home.tier1_stamp).unlink()


def break_stamp(home: Home, tmp_path: Path) -> None:
    Path(home.tier1_stamp).write_text("{", "utf-8")


@pytest.mark.parametrize(
    "change",
    [change_settings, change_telos, remove_telos, change_routes, remove_document, lose_stamp, break_stamp],
    ids=lambda change: change.__name__,
)
def test_it_is_stale_once_something_it_is_made_from_changed(home: Home, tmp_path, change) -> None:
    Path(home.telos, "MISSION.md").write_text("# Mission\n", "utf-8")
    tier1.refresh(home, NONE)
    assert not tier1.stale(home, NONE)
    change(home, tmp_path)
    assert tier1.stale(home, NONE)
    tier1.refresh(home, NONE)
    assert not tier1.stale(home, NONE)


def test_another_template_makes_it_stale(home: Home, tmp_path, monkeypatch) -> None:
    tier1.refresh(home, NONE)
    package = tmp_path / "package"
    for name in assets.names():
        target = package / "assets" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(assets.read(name))
    monkeypatch.setenv("PAL_PKG", str(package))
    assert tier1.stale(home, NONE)
    tier1.refresh(home, NONE)
    assert not tier1.stale(home, NONE)
    (package / "assets" / "templates" / "AGENTS.md").write_text("# Mine: {{assistant}}\n", "utf-8")
    assert tier1.stale(home, NONE)
    tier1.refresh(home, NONE)
    assert Path(home.docs, "AGENTS.md").read_text("utf-8") == "# Mine: Assistant\n"
