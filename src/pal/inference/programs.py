"""Asks an agent's own program: an empty folder to run in, bounds for time and output, and nothing left behind.

What it starts knows by three marks that it is a model call of PAL: the program's own switches, a sentinel variable
and a depth."""

from __future__ import annotations

import os
import shutil
import tempfile
import time

from pal.base import files, process, supervise
from pal.inference.question import Outcome, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.inference.question import OneShot, Question

OUTPUT_CAP = 4_000_000  # bytes
NESTED = ("CLAUDECODE",)  # by these a program believes it runs inside another session of itself
PREFIX = "pal-ask-"
_FORGET_WITHIN = 60.0  # seconds
_ABANDONED = 86_400.0  # seconds after which a folder's owner must be dead


def environment(env: Mapping[str, str], additions: Mapping[str, str], folder: str) -> dict[str, str]:
    """What the program is started with in this folder; the caller's own environment is left alone."""
    ours = [name for name in env if name.startswith("PAL_") and name.endswith("_API_KEY")]  # no business of a program
    child = {name: value for name, value in env.items() if name not in NESTED and name not in ours}
    child.update(additions)
    child["PWD"] = folder  # which some believe before they ask the system
    child[process.SPAWNED] = "1"
    child[process.DEPTHS[0]] = str(process.depth(env) + 1)
    return child


def ask(shot: OneShot, program: str, question: Question, env: Mapping[str, str], lasting: str) -> Outcome:
    """Start the program once, in a folder of its own; `lasting` is the one for programs that remember where they ran.

    Raises nothing of its own; every failure is in the outcome."""
    try:
        _sweep()
        folder = tempfile.mkdtemp(prefix=PREFIX)
    except OSError as fault:
        return _refused(f"no temporary folder can be made ({fault.strerror or fault})")
    try:
        return _ask_in(folder, shot, program, question, env, lasting)
    except OSError as fault:
        return _refused(f"its files cannot be written ({fault.strerror or fault})")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ask_in(
    folder: str, shot: OneShot, program: str, question: Question, env: Mapping[str, str], lasting: str
) -> Outcome:
    call = shot.call(question, folder, env)
    _lay(folder, call.files)
    if call.lasting:
        _lay(lasting, call.lasting)
    place = lasting if call.lasting else folder
    child = environment(env, call.env, place)
    stdin = call.stdin.encode("utf-8", "replace")
    done = supervise.run([program, *call.arguments], stdin, child, place, question.timeout, OUTPUT_CAP)
    out = done.out.decode("utf-8", "replace")
    reply = shot.reply(out)
    paths, arguments = shot.left(question, out, child)
    for path in paths:
        _remove(path)
    if arguments:
        supervise.run([program, *arguments], b"", child, place, _FORGET_WITHIN, OUTPUT_CAP)
    if done.problem:
        reply.problem = done.detail
    elif done.status and not reply.problem:
        said = done.err.decode("utf-8", "replace").strip() or reply.text
        reply.problem = f"it ended with exit {done.status}" + (f": {' '.join(said.split())[:300]}" if said else "")
    failed = bool(done.problem) or done.status != 0
    silent = not done.problem and not done.out.strip() and not done.err.strip()
    return Outcome(reply, len(done.out), failed, done.problem == "missing", silent)


def _lay(folder: str, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        path = os.path.join(folder, *name.split("/"))
        files.make_folder(os.path.dirname(path))
        files.write(path, text)


def _refused(problem: str) -> Outcome:
    return Outcome(Reply("", problem=problem), failed=True)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
        return
    try:
        os.remove(path)
    except OSError:
        return  # this version of the program keeps no such file


def _sweep() -> None:
    """Folders of calls that died before they could take them away."""
    place = tempfile.gettempdir()
    for name in os.listdir(place):
        path = os.path.join(place, name)
        if name.startswith(PREFIX) and time.time() - files.modified(path) > _ABANDONED:
            shutil.rmtree(path, ignore_errors=True)
