"""Which Python runs the hooks: one that starts bare and will still be at its path after an upgrade (cold).

Install asks `choose`; doctor and status ask `probe` about the path an earlier install wrote down. A path inside a
virtual environment, a versioned folder with a stable twin, or a version manager's shim is followed to what is behind.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping

from pal.base import process
from pal.base.errors import PalError

FLOOR = (3, 9)
FLAGS = ("-I", "-S", "-X", "utf8")  # how hooks start it: no site, no user settings, nothing read from the folder
PROBE = (
    "import sys; sys.stdout.write('\\n'.join(('%d.%d.%d' % sys.version_info[:3],"
    " sys.implementation.cache_tag or '', sys.executable, sys.implementation.name)))"
)
PATIENCE = 30.0  # seconds; a first start from a cold disk under a virus scanner takes several
# Folders the system's package manager keeps: `python3` there outlives `python3.11`, and names the same file today.
SYSTEM_FOLDERS = ("/usr/bin", "/usr/local/bin", "/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin")
# Profile folders that point at the current build of a store with a hash in every path.
PROFILES = (".nix-profile/bin", "/run/current-system/sw/bin", "/nix/var/nix/profiles/default/bin")


class Interpreter:
    """A Python that was started and answered."""

    __slots__ = ("path", "tag", "version")

    def __init__(self, path: str, version: str, tag: str) -> None:
        self.path = path
        self.version = version
        self.tag = tag

    @property
    def running(self) -> bool:
        """Whether bytecode made by this process serves it too."""
        return self.tag == sys.implementation.cache_tag


def choose(env: Mapping[str, str], running: str | None = None) -> Interpreter:
    """The interpreter for the hook commands: PAL_PYTHON, else the one running now, else the first good on PATH."""
    named = env.get("PAL_PYTHON", "")
    if named:
        path = os.path.abspath(named) if os.path.dirname(named) else process.find_program(named, env)
        found = probe(path, env) if path else None
        if found is None:
            raise PalError(f"PAL_PYTHON names {named}, which does not start as Python 3.9 or newer; name another")
        return found
    for path in candidates(running if running is not None else sys.executable, env):
        found = probe(path, env)
        if found is not None:
            return found
    raise PalError("no Python 3.9 or newer was found that starts with -I -S; name one in PAL_PYTHON")


def probe(path: str, env: Mapping[str, str]) -> Interpreter | None:
    """Start it as a hook would; None when it is gone, too old, or does not answer.

    A shim (pyenv, asdf) answers with the real program behind it, which starts several times faster.
    """
    try:
        done = subprocess.run(
            [path, *FLAGS, "-c", PROBE],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={key: value for key, value in env.items() if not key.startswith("PYTHON")},
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    parts = done.stdout.decode("utf-8", "replace").splitlines()
    if done.returncode or len(parts) != 4:
        return None
    version, tag, executable, _ = parts
    if tuple(int(number) for number in version.split(".")[:2]) < FLOOR:
        return None
    if is_shim(path) and os.path.isfile(executable) and not is_shim(executable):
        path = executable
    return Interpreter(path, version, tag)


def candidates(running: str, env: Mapping[str, str]) -> Iterator[str]:
    """Paths worth probing, best first, none twice."""
    seen: set[str] = set()
    for path in _in_order(running, env):
        if path not in seen and usable(path):
            seen.add(path)
            yield path


def _in_order(running: str, env: Mapping[str, str]) -> Iterator[str]:
    for path in (getattr(sys, "_base_executable", None) if running == sys.executable else None, running):
        if path:
            real = outside_environment(path)
            yield from stable_names(real, env)
            yield real
    names = ["python3", *(f"python3.{minor}" for minor in range(19, 8, -1)), "python", "py"]
    for name in names:
        found = process.find_program(name, env)
        if found:
            yield outside_environment(found)


def usable(path: str) -> bool:
    return os.path.isfile(path) and not _environment_of(path) and not is_store_stub(path)


def outside_environment(path: str) -> str:
    """The interpreter a virtual environment was made from; the path itself when it is not in one."""
    for _ in range(5):  # an environment made from an environment
        folder = _environment_of(path)
        if not folder:
            break
        settings = _read_environment(os.path.join(folder, "pyvenv.cfg"))
        named = settings.get("base-executable") or settings.get("executable") or ""
        if not os.path.isfile(named):
            named = _python_in(settings.get("home", ""), settings.get("version") or settings.get("version_info", ""))
        if not named or named == path:
            break
        path = named
    return path


def _environment_of(path: str) -> str:
    """The virtual environment around an interpreter, found as Python finds it: by its pyvenv.cfg; else empty."""
    here = os.path.dirname(os.path.abspath(path))
    for folder in (here, os.path.dirname(here)):
        if os.path.isfile(os.path.join(folder, "pyvenv.cfg")):
            return folder
    return ""


def _read_environment(path: str) -> dict[str, str]:
    settings = {}
    with open(path, encoding="utf-8", errors="replace") as stream:
        for row in stream:
            key, _, value = row.partition("=")
            settings[key.strip().lower()] = value.strip()
    return settings


def _python_in(folder: str, version: str) -> str:
    names = ["python" + ".".join(version.split(".")[:2]), "python3", "python", "python.exe"]
    for name in names:
        path = os.path.join(folder, name)
        if folder and os.path.isfile(path):
            return path
    return ""


def stable_names(path: str, env: Mapping[str, str]) -> Iterator[str]:
    """Other names of the same file that an upgrade keeps, best first."""
    real = os.path.realpath(path)
    for twin in _twins(path, env):
        if twin != path and os.path.exists(twin) and os.path.realpath(twin) == real:
            yield twin


def _twins(path: str, env: Mapping[str, str]) -> Iterator[str]:
    name = os.path.basename(path)
    folder = os.path.dirname(path)
    before, cellar, after = os.path.realpath(path).partition("/Cellar/")
    if cellar:
        formula = after.split("/", 1)[0]
        for python in (name, "python" + formula.partition("@")[2], "python3"):
            yield f"{before}/opt/{formula}/bin/{python}"
            yield f"{before}/bin/{python}"
    if "/nix/store/" in os.path.realpath(path):
        for profile in PROFILES:
            yield os.path.join(env.get("HOME", ""), profile, name)
    if folder in SYSTEM_FOLDERS:
        yield os.path.join(folder, "python3")
    # .../3.12.1/bin/python and .../cpython-3.12.1-linux/bin/python may stand beside a folder that names 3.12 only.
    parts = path.split("/")
    for number, part in enumerate(parts[:-1]):
        shorter = _without_patch(part)
        if shorter != part:
            yield "/".join([*parts[:number], shorter, *parts[number + 1 :]])
    # `python` may be pointed at another version tomorrow; the name with the version is the program itself.
    versioned = os.path.join(folder, os.path.basename(os.path.realpath(path)))
    if folder not in SYSTEM_FOLDERS:
        yield versioned


def _without_patch(part: str) -> str:
    """`3.12` for `3.12.1`, `cpython-3.12-linux` for `cpython-3.12.1-linux`; unchanged otherwise."""
    pieces = part.split("-")
    for number, piece in enumerate(pieces):
        digits = piece.split(".")
        if len(digits) == 3 and digits[0] == "3" and all(digit.isdigit() for digit in digits):
            return "-".join([*pieces[:number], ".".join(digits[:2]), *pieces[number + 1 :]])
    return part


def is_shim(path: str) -> bool:
    """Whether it is a version manager's stand-in, a script that looks the real program up at every start."""
    return "shims" in os.path.normpath(path).split(os.sep)


def is_store_stub(path: str) -> bool:
    r"""Whether it is Windows' `WindowsApps\python.exe`, which opens the shop when no Python is behind it.

    A Python from the shop has its own folder below, and that path is stable.
    """
    folder, _ = os.path.split(os.path.normpath(path))
    return os.path.basename(folder).lower() == "windowsapps"
