"""`pal skill` and `pal subagent`: lists, tools, new ones, switching off, and what an install leaves alone."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from pal.base import assets
from pal.cli import main
from pal.cli.output import Output
from pal.install import home_setup, scaffold
from pal.skills import catalog, index, used

SHIPPED = "think"


@pytest.fixture
def env(fresh_home):
    return {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": os.environ.get("PATH", "")}


@pytest.fixture
def typed(home, env, now):
    """typed("skill", "list") → (exit code, stdout, stderr), in a home with the shipped skills and subagents."""
    scaffold.lay_out(home)
    for tree in home_setup.shared(home):
        for name, data in tree.files.items():
            path = Path(tree.path, *name.split("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def run(*argv: str):
        out, err = io.StringIO(), io.StringIO()
        code = main.run(argv, env, now, Output(env, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


@pytest.fixture
def facts(typed):
    def read(*argv: str):
        code, out, err = typed(*argv, "--json")
        assert (code, err) == (0, ""), (out, err)
        return json.loads(out)

    return read


def own(home, name: str, triggers: str = "", tool: str = "") -> Path:
    folder = Path(home.skills, name)
    (folder / "tools").mkdir(parents=True)
    listed = f'\nmetadata:\n  triggers: "{triggers}"' if triggers else ""
    (folder / "SKILL.md").write_text(
        f'---\nname: {name}\ndescription: "Does it. Use when asked."{listed}\n---\n\n# It\n', "utf-8"
    )
    if tool:
        (folder / "tools" / "say.py").write_text(tool, "utf-8")
    return folder


def test_a_list_says_whose_a_skill_is(facts, home, typed):
    own(home, "mine")
    with open(os.path.join(home.skills, SHIPPED, "SKILL.md"), "a", encoding="utf-8") as stream:
        stream.write("\nOne rule more.\n")
    whose = {row["name"]: row["origin"] for row in facts("skill", "list")}
    assert whose["mine"] == catalog.OWN
    assert whose.pop(SHIPPED) == catalog.EDITED
    assert set(whose.values()) == {catalog.OWN, catalog.SHIPPED}
    assert f"no install overwrites it: {SHIPPED}." in typed("skill", "list")[1]


def test_every_shipped_skill_stands_in_the_home(facts):
    assert {row["name"] for row in facts("skill", "list")} == {
        name.split("/")[1] for name in assets.names("skills/") if name.count("/") > 1
    }


def test_uses_are_counted_by_name(facts, home, typed, now):
    own(home, "mine")
    typed("skill", "show", "mine")
    used.note(home, "/mine", now + 60)
    used.note(home, "no name at all", now)
    (row,) = [row for row in facts("skill", "list") if row["name"] == "mine"]
    assert (row["uses"], row["last_used"]) == (2, "2026-03-02T08:16:00Z")


def test_an_unknown_skill_is_refused_with_the_nearest_name(typed):
    code, _, err = typed("skill", "show", "thinkk")
    assert code == 1
    assert "did you mean think?" in err


@pytest.mark.parametrize("name", ["../think", "a/b", "", ".", "..", "a\0b"])
def test_a_path_is_no_name(typed, name):
    assert typed("skill", "run", name)[0] == 1


SAYS = """
import os, sys
print(sys.argv[1:], os.path.basename(os.environ["PAL_SKILL"]), "pal" in sys.modules)
sys.exit(7)
"""


@pytest.mark.parametrize("words", [("say", "--json", "x y"), ("say.py", "--json", "x y"), ("--json", "x y")])
def test_a_tool_gets_its_words_untouched_and_gives_its_status(typed, home, capfd, words):
    own(home, "mine", tool=SAYS)
    assert typed("skill", "run", "mine", *words)[0] == 7
    assert capfd.readouterr().out.strip() == "['--json', 'x y'] mine False"


def test_a_skill_without_tools_or_with_several_says_so(typed, home):
    own(home, "mine")
    assert "has no tools" in typed("skill", "run", "mine")[2]
    for name in ("one", "two"):
        Path(home.skills, "mine", "tools", f"{name}.py").write_text("", "utf-8")
    assert "one, two; not 'three'" in typed("skill", "run", "mine", "three")[2]


def test_matching_shows_what_the_hook_would_offer(typed, facts, home):
    own(home, "press-coffee", "press coffee, coffee please, espresso")
    assert facts("skill", "match", "An espresso and my coffee, please") == [
        {"name": "press-coffee", "score": 4, "triggers": ["coffee please", "espresso"]}
    ]
    assert typed("skill", "match", "coffee, please!")[1].startswith("/press-coffee: Does it.")
    assert facts("skill", "match", "nothing of the kind") == []


def test_a_name_of_one_word_is_matched_only_as_a_call(facts, home):
    own(home, "brew", "brew, make coffee, coffee please")
    assert facts("skill", "match", "what do you brew") == []
    assert facts("skill", "match", "use the brew skill")[0]["triggers"] == ["brew skill"]


def test_a_new_skill_passes_its_own_check_and_is_never_laid_over_another(typed, home, capfd):
    assert typed("skill", "new", "read-logs", "--triggers", "long log, log file", "--tool", "count")[0] == 0
    code, out, _ = typed("skill", "doctor", "read-logs")
    assert (code, out.split()[0]) == (0, "ok"), out
    assert typed("skill", "run", "read-logs", "hello")[0] == 0
    assert capfd.readouterr().out == "hello\n"
    assert typed("skill", "new", "read-logs")[0] == 1
    assert typed("skill", "new", "Read Logs")[0] == 1
    assert typed("skill", "new", SHIPPED)[0] == 1


def test_a_skill_that_is_switched_off_is_not_offered(facts, typed, home):
    own(home, "mine", "mine, brew coffee, espresso")
    assert facts("skill", "match", "espresso")
    assert typed("skill", "disable", "mine")[0] == 0
    assert facts("skill", "match", "espresso") == []
    assert [row["enabled"] for row in facts("skill", "list") if row["name"] == "mine"] == [False]
    assert "off already" in typed("skill", "disable", "mine")[1]
    assert typed("skill", "enable", "mine")[0] == 0
    assert facts("skill", "match", "espresso")
    assert json.loads(Path(home.settings).read_text("utf-8"))["skills"]["disabled"] == []


def test_the_doctor_names_every_skill_and_fails_on_an_error(typed, home):
    folder = own(home, "mine")
    (folder / "SKILL.md").write_text("---\nname: other\n---\n\n# It\n", "utf-8")
    code, out, _ = typed("skill", "doctor", "--all")
    assert code == 1
    marks = {line.split()[1].rstrip(":"): line.split()[0] for line in out.splitlines()[:-1]}
    assert marks["mine"] == "error"
    assert set(marks) == set(os.listdir(home.skills))
    assert "1 with errors" in out
    assert typed("skill", "doctor")[0] == 1


def test_subagents_are_listed_checked_and_begun(typed, facts, home):
    shipped = {row["name"] for row in facts("subagent", "list")}
    assert shipped == {"critic", "researcher", "reviewer", "skill-author", "subagent-author"}
    assert typed("subagent", "doctor", "--all")[0] == 0
    assert typed("subagent", "new", "log-reader", "--description", "Reads logs. Use when long.")[0] == 0
    assert {row["name"]: row["origin"] for row in facts("subagent", "list")}["log-reader"] == catalog.OWN
    assert typed("subagent", "doctor", "log-reader")[1].split()[0] == "ok"
    for name in ("log-reader", "critic", "No Name"):
        assert typed("subagent", "new", name)[0] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no header\n", "no header"),
        ("---\nname: other\ndescription: x when y\n---\nbody\n", "called other"),
        ("---\nname: one\n---\nbody\n", "no description"),
        ("---\nname: one\ndescription: when\n---\n", "nothing below"),
        ("---\nname: one\ndescription: when\nemacs:\n  a: b\n---\nbody\n", "names emacs"),
    ],
)
def test_a_subagent_with_a_fault_is_told_of_it(typed, home, text, said):
    Path(home.agents, "one.md").write_text(text, "utf-8")
    assert said in typed("subagent", "doctor", "one")[1]


@pytest.fixture
def installing(home, env, now, monkeypatch):
    """installing("install", "--claude"): a command line that installs for real, but for archive and engine, which are
    dear to make."""
    monkeypatch.setattr(home_setup, "packed", lambda: b"")
    monkeypatch.setattr(home_setup, "engine_for", lambda *_: b"")
    monkeypatch.setattr(home_setup, "own_files", lambda *_: [])

    def run(*argv: str) -> str:
        out, err = io.StringIO(), io.StringIO()
        code = main.run(argv, {**env, "PAL_PYTHON": sys.executable}, now, Output(env, out, err))
        assert code == 0, err.getvalue()
        return out.getvalue()

    return run


def test_personal_skills_win_and_an_edited_one_survives_an_update(installing, home, fresh_home, monkeypatch):
    """A skill of the user's own under a shipped name, one edited, one renewed by a newer PAL, one switched off."""
    mine = Path(home.skills, "council")
    mine.mkdir(parents=True)
    (mine / "SKILL.md").write_text("---\nname: council\ndescription: mine\n---\n\nMine.\n", "utf-8")
    installing("install", "--claude")
    agents = fresh_home / ".claude" / "skills"
    assert "Mine." in (agents / "council" / "SKILL.md").read_text("utf-8")
    assert sorted(path.name for path in (agents / "council").iterdir()) == ["SKILL.md"]

    edited = Path(home.skills, SHIPPED, "SKILL.md")
    edited.write_text(edited.read_text("utf-8") + "\nOne rule more.\n", "utf-8")
    told = json.loads(installing("skill", "link", SHIPPED, "--json"))
    assert "One rule more." in (agents / SHIPPED / "SKILL.md").read_text("utf-8")
    assert any("edited" in note for note in told["notes"])

    read = assets.read
    newer = {f"skills/{name}/SKILL.md": b"---\nname: x\n---\nNewer.\n" for name in (SHIPPED, "why", "council")}
    monkeypatch.setattr(assets, "read", lambda name: newer.get(name) or read(name))
    installing("install", "--claude")
    for folder in (Path(home.skills), agents):
        assert "Newer." in (folder / "why" / "SKILL.md").read_text("utf-8")
        assert "One rule more." in (folder / SHIPPED / "SKILL.md").read_text("utf-8")
        assert "Mine." in (folder / "council" / "SKILL.md").read_text("utf-8")
    assert "nothing to change" in installing("install", "--claude")

    installing("skill", "disable", SHIPPED)
    assert not (agents / SHIPPED).exists()
    assert edited.exists()
    installing("skill", "enable", SHIPPED)
    assert "One rule more." in (agents / SHIPPED / "SKILL.md").read_text("utf-8")


def test_the_index_is_renewed_when_the_settings_change(home, now):
    own(home, "mine", "mine, a, b")
    index.build(home)
    Path(home.settings).write_text('{"skills": {"disabled": ["mine"]}}', "utf-8")
    os.utime(home.settings, (now * 2, now * 2))
    assert index.refresh(home)
    assert json.loads(Path(home.skill_index).read_text("utf-8"))["skills"] == {}


def test_the_interpreter_of_a_tool_is_the_one_that_runs_pal(home):
    from pal.skills import started

    own(home, "mine", tool="")
    Path(home.skills, "mine", "tools", "say.py").write_text("", "utf-8")
    assert started.command(catalog.find(home, "mine"), ["x"])[:4] == [sys.executable, "-I", "-X", "utf8"]
