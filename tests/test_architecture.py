"""The rules of the house, read from the sources: who imports whom, what is named where, how a file looks."""

from __future__ import annotations

import ast
import fnmatch
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pal.base.home import Home

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in (SOURCE / "pal").rglob("*.py"))
MAX_LINES = 320
FUTURE = "from __future__ import annotations"

# Lowest first. A module imports from its own package and from lower rows; neighbours in a row do not know each other.
FLOORS = [
    ("bundled",),
    ("base",),
    ("events", "jobs"),
    ("memory", "guard", "inference"),
    ("skills", "switchboard"),
    ("context", "install"),
    ("hooks", "external"),
    ("targets",),
    ("cli",),
    ("app",),  # the entry point hands over to the command line
]

# What an agent waits for. These import little at their top; what else they need, they import where they need it.
HOT = [
    "pal/**__init__.py",
    "pal/app.py",
    "pal/base/*",
    "pal/memory/*",
    "pal/context/*",
    "pal/guard/*",
    "pal/events/*",
    "pal/jobs/queue.py",
    "pal/install/launcher.py",
    "pal/skills/triggers.py",
    "pal/skills/used.py",
    "pal/switchboard/active.py",
    "pal/switchboard/detect.py",
    "pal/switchboard/errors.py",
    "pal/switchboard/preflight.py",
    "pal/switchboard/questions.py",
    "pal/switchboard/workspace.py",
    "pal/hooks/*",
    "pal/targets/contract.py",
    "pal/targets/payload.py",
    "pal/targets/lines.py",
    "pal/targets/event_lines.py",
    "pal/targets/shadow.py",
    "pal/targets/*/facts.py",
    "pal/targets/*/turn.py",
    "pal/targets/*/transcript.py",
]
HOT_IMPORTS = {
    "__future__",
    "sys",
    "time",
    "os",
    "pal",
    "_json",
    "fcntl",
    "msvcrt",
    "posix",
    "nt",
}  # from _json on: C, pull in nothing
COLD: dict[str, str] = {  # modules inside the globs above that no hook imports, each with the reason
    "pal/events/export.py": "a job and the servers send spans",
    "pal/events/follow.py": "servers and commands follow the log",
    "pal/events/otlp.py": "only an export asks for the endpoint",
    "pal/events/spans.py": "only an export makes spans",
    "pal/base/supervise.py": "waits for the programs that detached work and commands start",
}

AGENTS = ("claude", "opencode", "cursor", "copilot", "vscode", "codex", "antigravity", "gemini")
AGENT_NAME = re.compile(rf"(?<![a-z])({'|'.join(AGENTS)})(?![a-z])", re.IGNORECASE)
AGENT_NAMES_ELSEWHERE: dict[tuple[str, str], str] = {  # (module, name): the reason
    ("pal/external/mcp/catalog.py", "cursor"): "what MCP calls a place in a list",
    ("pal/external/mcp/dispatch.py", "cursor"): "what MCP calls a place in a list",
    ("pal/install/engine.py", "copilot"): "the name of a module that two targets share",
    ("pal/skills/exposed.py", "claude"): "the word that says who answers for a skill, and a program skills may start",
    ("pal/inference/services.py", "claude"): "begins the names of a service's models",
    ("pal/skills/checks.py", "claude"): "the public format of skills reserves the word",
    ("pal/memory/importing/forms.py", "claude"): "claude-mem is another memory program",
}

PLATFORM_TESTS = {("sys", "platform"), ("os", "name")}
# Folders of the machine somebody works on. Nobody's: /home/user of the payloads, and where Homebrew lives on Linux.
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:root|work|home/(?!user\b|linuxbrew\b))[/\w]\w*")
MACHINE_PATHS_ALLOWED: dict[str, str] = {}  # file: the reason

# Asset folders that a home does not have; a name below them is the asset's.
ASSETS_ONLY = ("schema/", "targets/", "templates/", "web/", "workflows/")

every_module = pytest.mark.parametrize("module", MODULES)


@cache
def text_of(module: str) -> str:
    return (SOURCE / module).read_text("utf-8")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(text_of(module), module)


@cache
def committed() -> list[str]:
    """The files git knows or would take, relative to the root; every file where there is no git."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        hidden = {".git", ".venv", ".cache", "dist", "__pycache__"}
        files = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        listed = [path.as_posix() for path in files if not hidden.intersection(path.parts)]
    return sorted(name for name in listed if name and (ROOT / name).is_file())


def text_files() -> Iterator[tuple[str, bytes]]:
    for name in committed():
        data = (ROOT / name).read_bytes()
        if b"\0" not in data:
            yield name, data


def package_of(module: str) -> str:
    """`base` for pal/base/files.py, `app` for pal/app.py, "" for pal/__init__.py."""
    parts = module[: -len(".py")].split("/")[1:]
    return "" if parts == ["__init__"] else parts[0]


def imports(module: str, everywhere: bool = True) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of each import; with everywhere=False only of those that run when the module is imported."""
    pending: list[ast.AST] = list(tree_of(module).body)
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}:{node.lineno}: write the import in full, as `from pal.… import …`"
            for alias in node.names:
                yield node.lineno, dotted(node.module or "", alias.name)
        elif not everywhere and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        elif not everywhere and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
        else:
            pending += ast.iter_child_nodes(node)


def dotted(module: str, name: str) -> str:
    """`pal.base.files` for `from pal.base import files`, `pal.base.files` for `from pal.base.files import write`."""
    path = f"{module}.{name}".replace(".", "/")
    is_module = (SOURCE / f"{path}.py").is_file() or (SOURCE / path).is_dir()
    return f"{module}.{name}" if is_module else module


def file_of(name: str) -> str:
    path = name.replace(".", "/")
    return f"{path}/__init__.py" if (SOURCE / path).is_dir() else f"{path}.py"


def is_hot(module: str) -> bool:
    return module not in COLD and any(fnmatch.fnmatchcase(module, pattern) for pattern in HOT)


def strings(module: str) -> Iterator[tuple[int, str]]:
    """(line, value) of each string that is no docstring; the pieces of an f-string one by one."""
    tree = tree_of(module)
    prose = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value


def identifiers(module: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree_of(module)):
        for field in ("id", "attr", "arg", "name", "module", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield getattr(node, "lineno", 0), value


def report(rule: str, faults: list[str]) -> None:
    assert not faults, rule + "\n  " + "\n  ".join(faults)


@every_module
def test_a_module_imports_only_its_own_package_and_lower_floors(module: str) -> None:
    floor = {package: number for number, row in enumerate(FLOORS) for package in row}
    own = package_of(module)
    assert own in floor or own == "", f"{module}: the package {own} has no floor; add it to FLOORS"
    faults = []
    for line, name in imports(module):
        if name.split(".")[0] != "pal" or name == "pal":
            continue
        other = name.split(".")[1]
        if other not in floor:
            faults.append(f"{module}:{line} imports {name}, which has no floor")
        elif other != own and (floor[other] >= floor[own] if own else other != "bundled"):
            faults.append(f"{module}:{line} imports {name}, which is not below it")
    report("Imports go down only; move what both need to a lower floor, or hand it in:", faults)


@every_module
def test_one_agents_package_imports_no_other_agents(module: str) -> None:
    if not re.match(r"pal/targets/\w+/", module):
        return
    own = ".".join(module.split("/")[:3])
    others = [
        f"{module}:{line} imports {name}"
        for line, name in imports(module)
        if name.startswith("pal.targets.") and (SOURCE / Path(*name.split(".")[:3])).is_dir()
        if name != own and not name.startswith(own + ".")
    ]
    report("What two agents share belongs below targets/:", others)


@pytest.mark.skipif(sys.version_info < (3, 10), reason="sys.stdlib_module_names came with Python 3.10")
@pytest.mark.parametrize("module", [*MODULES, "../pal.py", "../build_zipapp.py"])
def test_only_the_standard_library_is_imported(module: str) -> None:
    known = sys.stdlib_module_names | {"pal"}
    report(
        "PAL runs from one file on machines without a network:",
        [f"{module}:{line} imports {name}" for line, name in imports(module) if name.split(".")[0] not in known],
    )


@pytest.mark.parametrize("module", [module for module in MODULES if is_hot(module)])
def test_a_hot_module_imports_little_at_its_top(module: str) -> None:
    faults = []
    for line, name in imports(module, everywhere=False):
        if name.split(".")[0] not in HOT_IMPORTS:
            faults.append(f"{module}:{line} imports {name} at its top; import it inside the function that needs it")
        elif name.startswith("pal.") and not is_hot(file_of(name)):
            faults.append(f"{module}:{line} imports the cold {name} at its top")
    report("A hook pays for every import, many times a turn:", faults)


def test_the_cold_exceptions_exist() -> None:
    assert not [module for module in COLD if module not in MODULES]


@every_module
def test_agents_are_named_only_in_targets(module: str) -> None:
    if module.startswith("pal/targets/"):
        return
    faults = [
        f"{module}:{line} has {match.group()!r} in {text[:60]!r}"
        for line, text in [*strings(module), *identifiers(module)]
        for match in AGENT_NAME.finditer(text)
        if (module, match.group().lower()) not in AGENT_NAMES_ELSEWHERE
    ]
    report("What is particular to an agent stands in targets/<agent>/ and is handed down:", faults)


def test_each_exception_for_an_agents_name_is_still_needed() -> None:
    used = {
        (module, match.group().lower())
        for module in MODULES
        for _, text in [*strings(module), *identifiers(module)]
        for match in AGENT_NAME.finditer(text)
    }
    assert set(AGENT_NAMES_ELSEWHERE) <= used


def own_paths() -> tuple[set[str], set[str]]:
    """What only base/home.py may spell: names that can be nothing else, and folders together with their slash."""
    home = Home("/H/.pal")
    relative = [home.relative(getattr(home, name)) for name in Home.__slots__ if name != "root"]
    names = {path.rpartition("/")[2] for path in relative}
    shipped = {path.name for path in (ROOT / "assets").glob("*")}
    folders = {path.partition("/")[0] for path in relative if "/" in path} - shipped
    return {name for name in names if re.search(r"[.-]", name)} | {".pal"}, {f"{folder}/" for folder in folders}


@every_module
def test_pals_own_paths_are_named_once(module: str) -> None:
    if module == "pal/base/home.py":
        return
    names, folders = own_paths()
    faults = []
    for line, text in strings(module):
        if re.search(r"\s", text) or text.startswith(ASSETS_ONLY):
            continue  # prose for people, or a file PAL ships
        if names.intersection(re.split(r"[/\\]", text)) or text.startswith(tuple(folders)):
            faults.append(f"{module}:{line} spells {text!r}")
    for node in ast.walk(tree_of(module)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join"):
            continue
        if node.args and re.search(r"\bhome\b.*'root'", ast.dump(node.args[0])):
            faults.append(f"{module}:{node.lineno} joins a name to home.root")
    report("Give base/home.py an attribute and use that:", faults)


@every_module
def test_a_module_says_what_it_is_and_fits_one_sitting(module: str) -> None:
    tree = tree_of(module)
    faults = []
    if not (ast.get_docstring(tree) or "").strip():
        faults.append(f"{module} has no docstring")
    if len(tree.body) > 1 and not text_of(module).split('"""', 2)[2].lstrip().startswith(FUTURE):
        faults.append(f"{module}: `{FUTURE}` must follow the docstring")
    lines = text_of(module).count("\n")
    if lines > MAX_LINES:
        faults.append(f"{module} has {lines} lines (at most {MAX_LINES}): it holds two ideas, make two files")
    report("How a module begins and ends:", faults)


@every_module
def test_platforms_differ_only_in_base(module: str) -> None:
    if module.startswith("pal/base/"):
        return
    faults = [
        f"{module}:{node.lineno} asks {node.value.id}.{node.attr}"
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if (node.value.id, node.attr) in PLATFORM_TESTS
    ]
    report("One file with two halves and one public function, in base/:", faults)


@every_module
def test_only_the_output_module_prints(module: str) -> None:
    if module == "pal/cli/output.py":
        return
    report(
        "A hook's answer and a command's words each have one way out:",
        [
            f"{module}:{node.lineno} prints"
            for node in ast.walk(tree_of(module))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        ],
    )


def test_test_modules_have_names_of_their_own() -> None:
    seen: dict[str, str] = {}
    faults = []
    for name in committed():
        if name.startswith("tests/") and name.endswith(".py"):
            base = name.rpartition("/")[2]
            if base == "conftest.py":
                continue  # pytest tells these apart by their folder
            if base in seen or base == "__init__.py":
                faults.append(f"{name} and {seen.get(base, 'no package here')}")
            seen[base] = name
    report("pytest imports tests by their file name alone:", faults)


def test_committed_text_is_utf8_with_plain_line_ends() -> None:
    faults = []
    for name, data in text_files():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as fault:
            faults.append(f"{name} is not UTF-8 ({fault.reason} at byte {fault.start})")
        if b"\r" in data and not name.endswith(".cmd"):
            faults.append(f"{name} has carriage returns")
        if data.startswith(b"\xef\xbb\xbf"):
            faults.append(f"{name} starts with a byte order mark")
        if data and not data.endswith(b"\n"):
            faults.append(f"{name} does not end with a line end")
    report("Text is the same bytes everywhere:", faults)


def test_committed_text_names_no_folder_of_one_machine() -> None:
    faults = [
        f"{name}:{number} has {match.group()!r}"
        for name, data in text_files()
        if name not in MACHINE_PATHS_ALLOWED
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1)
        for match in MACHINE_PATH.finditer(line)
    ]
    report("Use ~ or a temporary folder, and /home/user or /srv in examples:", faults)


def test_nothing_is_left_for_later() -> None:
    mark = re.compile(r"\b(TODO|FIXME|XXX)\b")
    here = Path(__file__).relative_to(ROOT).as_posix()
    faults = [
        f"{name}:{number} {line.strip()[:80]}"
        for name, data in text_files()
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1)
        if name.endswith((".py", ".sh", ".toml", "Makefile", ".ci/run")) and name != here and mark.search(line)
    ]
    report("Do it, or open an issue:", faults)
