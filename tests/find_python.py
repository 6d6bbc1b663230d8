"""Finds the Pythons on this machine: on PATH, in pyenv's folder and beside the running one.

`python find_python.py newest` and `python find_python.py 3.9` print a path for the Makefile (nothing and exit 1 when
there is none); tests call `found`.
"""

from __future__ import annotations

import functools
import glob
import os
import subprocess
import sys

ASK = "import sys; print('%d %d %d' % sys.version_info[:3] + ' ' + sys.version_info[3])"
OLDEST = (3, 9)


def candidates() -> list[str]:
    """Files that look like a Python, one for each real file."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    pyenv = os.environ.get("PYENV_ROOT") or os.path.join(os.path.expanduser("~"), ".pyenv")
    names = ["python2.7", "python3", *(f"python3.{minor}" for minor in range(6, 20))]
    paths = sorted(glob.glob(os.path.join(pyenv, "versions", "*", "bin", "python")))
    # pyenv's shims answer for a version only where one is chosen; the real files stand in its versions folder.
    paths += [os.path.join(folder, name) for folder in folders if "shims" not in folder for name in names]
    seen: dict[str, str] = {}
    for path in paths:
        if os.access(path, os.X_OK) and not in_venv(path):
            seen.setdefault(os.path.realpath(path), path)
    return list(seen.values())


def in_venv(path: str) -> bool:
    """A virtual environment's Python, which must not become the base of another."""
    return os.path.exists(os.path.join(os.path.dirname(os.path.dirname(path)), "pyvenv.cfg"))


@functools.cache
def found() -> list[tuple[tuple[int, int, int], str]]:
    """Each released (major, minor, patch) here with the path of one interpreter, oldest first."""
    versions: dict[tuple[int, int, int], str] = {}
    for path in candidates():
        try:
            answer = subprocess.run(
                [path, "-c", ASK], capture_output=True, text=True, timeout=30, check=True
            ).stdout.split()
        except (OSError, subprocess.SubprocessError):
            continue
        if len(answer) == 4 and answer[3] == "final":
            versions.setdefault((int(answer[0]), int(answer[1]), int(answer[2])), path)
    newest = {version[:2]: version for version in sorted(versions)}
    return [(version, versions[version]) for version in newest.values()]


def main(wanted: str) -> int:
    """Print the path of the Python that is wanted: `newest`, or a version such as `3.9`."""
    usable = [(version, path) for version, path in found() if version >= OLDEST]
    if wanted != "newest":
        usable = [(version, path) for version, path in usable if f"{version[0]}.{version[1]}" == wanted]
    if usable:
        print(usable[-1][1])
    return 0 if usable else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2] or ["newest"]))
