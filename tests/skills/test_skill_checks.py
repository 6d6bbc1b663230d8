"""What the skill doctor finds: each rule by a skill that breaks just this one, and nothing in a good one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pal.skills import checks

HEADER = {
    "name": "name: read-logs",
    "description": 'description: "Reads long logs. Use when a log is too long to read whole."',
    "metadata": 'metadata:\n  triggers: "read logs, long log, log file"',
}
BODY = "# Read logs\n\n1. Look at the end first.\n2. Say what is odd.\n"


def written(folder: Path, body: str = BODY, **changed: str) -> list[tuple[str, str]]:
    skill = folder / "read-logs"
    skill.mkdir(exist_ok=True)
    lines = [line for line in {**HEADER, **changed}.values() if line]
    (skill / "SKILL.md").write_text("---\n" + "\n".join(lines) + "\n---\n\n" + body, "utf-8")
    return checks.findings(str(skill))


def test_a_good_skill_has_no_findings(tmp_path: Path) -> None:
    assert written(tmp_path) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": ""}, "no name"),
        ({"name": "name: other"}, "called other"),
        ({"name": "name: Read-Logs"}, "lower-case"),
        ({"name": "name: read--logs"}, "one hyphen"),
        ({"name": f"name: {'a' * 65}"}, "64 letters"),
        ({"name": "name: claude-logs"}, "holds claude"),
        ({"name": "name: anthropic-logs"}, "holds anthropic"),
        ({"description": ""}, "no description"),
        ({"description": f'description: "Use when {"x" * 1024}."'}, "more than 1024"),
        ({"more": "version: 3"}, "version"),
        ({"more": f'compatibility: "{"x" * 501}"'}, "compatibility"),
        ({"metadata": "metadata: triggers"}, "metadata"),
    ],
)
def test_a_header_against_the_format_is_an_error(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    found = written(tmp_path, **changed)
    assert any(level == checks.ERROR and said in text for level, text in found), found


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"description": "description: Reads logs. Use when they are long."}, "double quotes"),
        ({"description": 'description: "Reads <logs>. Use when long."'}, "angle brackets"),
        ({"description": 'description: "Reads logs that are long."'}, "when to use"),
        ({"description": 'description: "I read logs. Use when long."'}, "first or second person"),
        ({"description": 'description: "Reads your logs. Use when long."'}, "first or second person"),
        ({"metadata": 'metadata:\n  triggers: "read logs, long log"'}, "2 triggers"),
        ({"metadata": ""}, "0 triggers"),
        ({"metadata": 'metadata:\n  triggers: "long log, log file, read logs"'}, "begin with its name"),
        ({"metadata": 'metadata:\n  triggers: ["read logs", "long log", "log file"]'}, "one quoted text"),
        ({"body": "# T\n\n" + "line\n" * 501}, "503 lines"),
        ({"body": "# T\n\nThen I look at the end.\n"}, "first person"),
        ({"body": "# T\n\nLook into references\\logs.md first.\n"}, "backslashes"),
        ({"body": "# T\n\nLook into /Users/x/logs first.\n"}, "one machine"),
        ({"body": "# T\n\nLook into C:\\Users\\x\\logs first.\n"}, "one machine"),
    ],
)
def test_what_makes_a_skill_worse_is_a_warning(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    found = written(tmp_path, **changed)
    assert [level for level, _ in found] == [checks.WARNING], found
    assert said in found[0][1]


@pytest.mark.parametrize(
    "body",
    [
        "# T\n\n```\nI did it, we said\n```\n",
        '# T\n\nWhen the user says "give me my notes", give them.\n',
        "# T\n\nWrite `my_name`, not `I`.\n",
    ],
)
def test_code_and_quotations_may_say_i(tmp_path: Path, body: str) -> None:
    assert written(tmp_path, body) == []


def test_files_that_the_text_names_are_there_and_lead_no_further(tmp_path: Path) -> None:
    body = "# T\n\nRead references/more.md, then run `tools/count.py`.\n"
    assert [text for _, text in written(tmp_path, body)] == [
        "it names references/more.md, which is not there",
        "it names tools/count.py, which is not there",
    ]
    for name, text in {"references/more.md": "See [deeper](deeper.md).\n", "tools/count.py": "import os\n"}.items():
        path = tmp_path / "read-logs" / name
        path.parent.mkdir()
        path.write_text(text, "utf-8")
    assert [level for level, _ in written(tmp_path, body)] == [checks.WARNING]
    (tmp_path / "read-logs" / "references" / "more.md").write_text("All of it.\n", "utf-8")
    assert written(tmp_path, body) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [("def broken(:\n", "no Python"), ("import os, requests\nfrom yaml import x\n", "requests, yaml")],
)
def test_a_tool_is_python_and_needs_nothing_else(tmp_path: Path, source: str, said: str) -> None:
    written(tmp_path)
    tool = tmp_path / "read-logs" / "tools" / "count.py"
    tool.parent.mkdir()
    tool.write_text(source, "utf-8")
    found = checks.findings(str(tmp_path / "read-logs"))
    if not hasattr(checks.sys, "stdlib_module_names") and "requests" in said:
        assert found == []
        return
    assert [(level, said in text) for level, text in found] == [(checks.ERROR, True)]


def test_a_tool_for_programs_has_a_schema_that_can_be_used(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "read-logs" / "skill.schema.json").write_text('{"mcp_exposed": true}', "utf-8")
    assert [level for level, _ in checks.findings(str(tmp_path / "read-logs"))] == [checks.ERROR]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("notes.md", b"", "no SKILL.md"),
        ("skill.md", b"---\nname: x\n---\n", "called skill.md"),
        ("SKILL.md", b"# no header\n", "no header"),
        ("SKILL.md", b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_folder_without_a_readable_main_file_is_an_error(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(data)
    ((level, text),) = checks.findings(str(tmp_path))
    assert level == checks.ERROR
    assert said in text


def test_only_a_shipped_skill_has_to_name_its_license(tmp_path: Path) -> None:
    written(tmp_path)
    assert [text for _, text in checks.findings(str(tmp_path / "read-logs"), shipped=True)] == [
        "it is shipped and names no license"
    ]
