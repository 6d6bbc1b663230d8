"""The entry point: decides whether this run is a hook, a detached job or a command, and wires the floors together.

The hook's way is decided before anything else is imported; each floor is loaded by the branch that needs it."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


def from_launcher(argv: list[str], home: str, tuned: bool) -> int:
    """What the installed launcher calls: a hook, `job ID` in a child that a hook left behind, the status line, or
    `cli …`, a command that a person typed; only of that the exit status can be other than 0."""
    if argv[:1] == ["cli"]:
        return _person(argv[1:], home)
    if ";" in argv:
        argv = argv[: argv.index(";")]  # cmd.exe handed on the end of the registered command
    if argv[:1] == ["job"]:
        job(argv[1:], home)
    elif argv[:1] == ["statusline"]:
        _status_line(home)
    else:
        hook(argv, home, tuned)
    return 0


def _status_line(root: str) -> None:
    """One line for the agent's status bar, several times a turn."""
    import time

    from pal.base import home as homes
    from pal.context import status_line
    from pal.hooks.isolate import attempt

    home = homes.of_launcher(root)
    text = attempt(home, "statusline", lambda: status_line.answer(home, _read_all(), time.time()), "")
    if text:
        _write_all((text + "\n").encode("utf-8", "replace"))


def _person(argv: list[str], home: str) -> int:
    import gc
    import os

    from pal.cli.main import run

    gc.enable()
    try:
        code = run(argv, {"PAL_HOME": home, **os.environ})
        sys.stdout.flush()
    except Exception:
        import traceback

        traceback.print_exc()  # nothing is run twice: what failed half-way says where
        return 1
    return code


def hook(argv: list[str], root: str, tuned: bool = True) -> None:
    """Answer one event: `EVENT --agent=NAME`, the payload on stdin. Never raises, whatever comes."""
    raw = _read_all()
    guarded = argv[:1] == ["pre-tool"]
    if guarded and tuned:
        from pal.guard import prefilter

        if prefilter.harmless(raw, root):
            from pal import targets
            from pal.hooks import tool_calls

            tool_calls.passed(raw, root, _agent_of(argv), targets.sides, targets.call_of)
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


def _agent_of(argv: list[str]) -> str:
    return next((word[len(_AGENT_FLAG) :] for word in argv if word.startswith(_AGENT_FLAG)), "")


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
    from pal.jobs.handover import Handover

    event = argv[0] if argv else ""
    agent = _agent_of(argv)
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
    handover = Handover(home, moment)

    def start() -> None:
        handover.start(lambda job_id: _spawn(home, job_id, env, whose or agent))

    if not tuned:
        handover.later("retune")
    whose, form = targets.sides(agent, payload, env)
    turn = targets.turn(whose).parse(event, payload, env) if whose else None
    if turn is None:
        return "", start  # another registration answers this event, or it is none of PAL's
    turn.call, turn.took = targets.call_of(payload), targets.took(payload)
    turn.hears_prompt = bool(targets.facts(whose).ABILITIES["prompt_context"])
    frame = Frame(home, settings.load(home), moment, env, handover.later, handover.revive)
    try:
        reply = _handler(event)(turn, frame)
    except Exception:
        start()  # what was kept so far is somebody's work
        raise
    return str(targets.turn(form).render(event, reply)), lambda: _finish(reply, start)


def _handler(event: str) -> Handler:
    # Spelled out, so that each event loads its own modules only and the types are checked.
    if event == "session-start":
        from pal.hooks import session_start

        return session_start.run
    if event == "user-prompt":
        from pal.hooks import user_prompt

        return user_prompt.run
    if event == "prompt-transformed":
        from pal.hooks import prompt_transformed

        return prompt_transformed.run
    if event == "pre-tool":
        from pal.hooks import pre_tool

        return pre_tool.run
    if event in ("post-tool", "post-tool-failure"):
        from pal.hooks import post_tool

        return post_tool.run
    if event == "stop":
        from pal.hooks import stop

        return stop.run
    if event == "agent-response":
        from pal.hooks import agent_response

        return agent_response.run
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


def _finish(reply: HookReply, start: Callable[[], None]) -> None:
    """What waits until the answer is out; the child comes last, as it takes time from this process."""
    try:
        if reply.afterwards:
            reply.afterwards()
    finally:
        start()


def _spawn(home: Home, job_id: str, env: Mapping[str, str], agent: str = "") -> int:
    from pal.jobs import start
    from pal.targets import asking

    # A job has no flag of its own to say whose subscription it may ask.
    return start.child(home, sys.executable, job_id, {**env, "PAL_AGENT": asking.active(env, agent)})


def job(argv: list[str], root: str) -> None:
    """Run one detached job by its id."""
    import gc
    import os

    from pal.base import clock
    from pal.base import home as homes
    from pal.cli import background
    from pal.jobs import run

    gc.enable()  # the launcher turns it off for hooks; a job may run for minutes
    home = homes.of_launcher(root) if root else homes.resolve(os.environ)
    if argv and os.path.isdir(home.root):
        handlers = background.handlers(home, lambda job_id: _spawn(home, job_id, os.environ))
        run.run(home, argv[0], handlers, clock.now())
