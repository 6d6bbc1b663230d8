"""The entry point: decides whether this run is a hook, a detached job or a command, and wires the floors together.

The hook's way is decided before anything else is imported; each floor is loaded by the branch that needs it."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from pal.base.home import Home
    from pal.hooks.turn import HookInput, HookReply

    Handler = Callable[[HookInput, "Frame"], HookReply]
    from pal.hooks.frame import Frame

_AGENT_FLAG = "--agent="


def main(argv: list[str]) -> int:
    """`pal.pyz …` and `pal.py …`: the exit status."""
    if argv[:1] == ["cli"]:
        argv = argv[1:]
    if argv[:1] == ["hook"] and not {"-h", "--help"} & set(argv):
        hook(argv[1:], "")
        return 0
    import os

    from pal.cli.main import run

    return run(argv, os.environ)


def from_launcher(argv: list[str], home: str, tuned: bool) -> None:
    """What the installed launcher calls: a hook, `job ID` in a child that a hook left behind, or the status line."""
    if ";" in argv:
        argv = argv[: argv.index(";")]  # cmd.exe handed on the end of the registered command
    if argv[:1] == ["job"]:
        job(argv[1:], home)
    elif argv[:1] == ["statusline"]:
        import os

        from pal.cli.main import run

        run(argv, {**os.environ, "PAL_HOME": home})
        sys.stdout.flush()  # the launcher leaves without the interpreter's farewell
    else:
        hook(argv, home, tuned)


def hook(argv: list[str], root: str, tuned: bool = True) -> None:
    """Answer one event: `EVENT --agent=NAME`, the payload on stdin. Never raises, whatever comes."""
    raw = _read_all()
    guarded = argv[:1] == ["pre-tool"]
    if guarded and tuned:
        from pal.guard import prefilter

        if prefilter.harmless(raw, root):
            return
    from pal.base import bare
    from pal.base import home as homes

    # Everything up to here, and the guard's whole way for a call that may run, does without `os`.
    env = bare.environment()
    home = homes.of_launcher(root) if root else homes.resolve(env)
    if not bare.exists(home.root) or (not guarded and _ours(env)):
        return  # PAL is not there (any more), or this is our own model call, whose tools are guarded all the same
    from pal.hooks.isolate import attempt

    name = " ".join(["hook", *argv])[:60]
    nothing: tuple[str, Callable[[], object] | None] = ("", None)
    answer, afterwards = attempt(home, name, lambda: _answer(argv, raw, home, env, tuned), nothing)
    if answer:
        _write_all(answer.encode("utf-8", "replace"))
    if afterwards:
        attempt(home, name, afterwards, None)


def _ours(env: Mapping[str, str]) -> bool:
    from pal.base import process

    return process.spawned(env)


def _answer(
    argv: list[str], raw: bytes, home: Home, env: Mapping[str, str], tuned: bool
) -> tuple[str, Callable[[], object] | None]:
    """(what goes to stdout, what is left to do then)."""
    import time

    from pal import targets
    from pal.base import jsontext, settings
    from pal.hooks.frame import Frame
    from pal.hooks.turn import EVENTS

    event = argv[0] if argv else ""
    agent = next((word[len(_AGENT_FLAG) :] for word in argv if word.startswith(_AGENT_FLAG)), "")
    if event not in EVENTS or agent not in targets.NAMES:
        from pal.base import log

        log.error(home, "hook", f"unknown event {event!r} or agent {agent!r}; known: {', '.join(EVENTS)}")
        return "", None
    try:
        payload = jsontext.loads(raw)
        if not isinstance(payload, dict):
            raise ValueError("not a JSON object")
    except ValueError as problem:
        from pal.base import log

        log.error(home, "hook", f"{event} of {agent}: the payload of {len(raw)} bytes is unusable: {problem}")
        return "", None
    moment = time.time()  # `clock` takes `os`
    started: set[str] = set()

    def later(name: str, payload: dict[str, Any] | None = None) -> None:
        if payload is None:
            if name in started:
                return
            started.add(name)
        from pal.jobs import queue

        unique = payload is None
        queue.submit(home, name, payload or {}, moment, lambda job_id: _spawn(home, job_id, env), unique)

    def revive() -> None:
        import os

        if not os.path.isdir(home.jobs) or not any(name[0] != "." for name in os.listdir(home.jobs)):
            return
        from pal.jobs import queue

        for job_id in queue.orphans(home, moment):
            _spawn(home, job_id, env)

    if not tuned:
        later("retune")
    turn_of = targets.turn(agent)
    turn = turn_of.parse(event, payload, env)
    reply = _handler(event)(turn, Frame(home, settings.load(home), moment, env, later, revive))
    return turn_of.render(event, reply), reply.afterwards


def _handler(event: str) -> Handler:
    # Spelled out, so that each event loads its own modules only and the types are checked.
    if event == "session-start":
        from pal.hooks import session_start

        return session_start.run
    if event == "user-prompt":
        from pal.hooks import user_prompt

        return user_prompt.run
    if event == "pre-tool":
        from pal.hooks import pre_tool

        return pre_tool.run
    if event == "post-tool":
        from pal.hooks import post_tool

        return post_tool.run
    if event == "stop":
        from pal.hooks import stop

        return stop.run
    if event == "subagent-stop":
        from pal.hooks import subagent_stop

        return subagent_stop.run
    if event == "pre-compact":
        from pal.hooks import pre_compact

        return pre_compact.run
    from pal.hooks import session_end

    return session_end.run


def _read_all() -> bytes:
    """Standard input to its end; through the stream Python opened anyway, since `os` is dear to import."""
    try:
        return sys.stdin.buffer.read()
    except (AttributeError, OSError, ValueError):
        return b""  # closed or never opened: as good as empty


def _write_all(data: bytes) -> None:
    import os

    view = memoryview(data)
    try:
        while view:
            view = view[os.write(1, view) :]
    except OSError:
        pass  # the agent stopped listening


def _spawn(home: Home, job_id: str, env: Mapping[str, str]) -> int:
    from pal.base import process
    from pal.install.launcher import arguments

    return process.detached([*arguments(sys.executable, home), "job", job_id], env, home.root)


def job(argv: list[str], root: str) -> None:
    """Run one detached job by its id."""
    import gc
    import os

    from pal.base import clock
    from pal.base import home as homes
    from pal.jobs import run

    gc.enable()  # the launcher turns it off for hooks; a job may run for minutes
    home = homes.of_launcher(root) if root else homes.resolve(os.environ)
    if argv and os.path.isdir(home.root):
        run.run(home, argv[0], _job_handlers(home), clock.now())


def _job_handlers(home: Home) -> dict[str, Callable[[dict[str, Any]], object]]:
    """What each job name means; every handler decides for itself whether there is anything to do."""
    from pal.base import clock

    def index(_: dict[str, Any]) -> None:
        from pal.memory import lessons

        lessons.refresh(home, clock.now())

    def daily(_: dict[str, Any]) -> None:
        from pal.memory import backup, counts, lessons

        backup.run(home, clock.now())
        counts.recount(home, clock.now())
        lessons.refresh(home, clock.now())

    def skills(_: dict[str, Any]) -> None:
        from pal.skills import index as skill_index

        skill_index.refresh(home)

    def retune(_: dict[str, Any]) -> None:
        import os

        from pal.install import home_setup

        home_setup.retune(home, clock.now(), os.environ)

    return {"index": index, "daily": daily, "skills": skills, "retune": retune}
