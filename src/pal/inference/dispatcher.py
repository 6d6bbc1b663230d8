"""One way to ask a model, whatever the machine offers: the program of the agent at work, else a service with a key.

Every question is scrubbed, counted, bounded in time and logged. `ask` never raises and answers a reason instead."""

from __future__ import annotations

import json
import random
import time

from pal.base import clock, log, process
from pal.base.asking import Answer
from pal.base.redaction import scrub
from pal.inference import programs, schema, services, spend
from pal.inference.question import Outcome, Question, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from pal.base.home import Home
    from pal.base.settings import Settings
    from pal.inference.question import OneShot

DISABLED = "PAL_INFERENCE_DISABLED"
NONE, OFF = "none", "disabled"
SPAWN, API = "-spawn", "-api"  # end the names of routes: an agent's program, a service
TIERS = ("small", "medium")
RETRY_AFTER = (0.5, 1.5)  # seconds; several programs of one kind that start at once may end without a word
_CHARACTERS_A_TOKEN = 4  # where nobody says how many tokens it was


class Preview:
    """Which way a question would take, and why."""

    __slots__ = ("agent", "reason", "route")

    def __init__(self, agent: str, route: str, reason: str) -> None:
        self.agent = agent
        self.route = route
        self.reason = reason

    def facts(self) -> dict[str, str]:
        return {"agent": self.agent, "route": self.route, "reason": self.reason}


class _Way:
    """One route: its name, what it is called in the model settings, why it is taken, and how it is asked."""

    __slots__ = ("models", "name", "program", "reason", "route", "service", "shot")

    def __init__(
        self, name: str, ending: str, models: Mapping[str, str], reason: str,
        shot: OneShot | None = None, program: str = "", service: services.Service | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.route = name + ending
        self.models = models
        self.reason = reason
        self.shot = shot
        self.program = program
        self.service = service


class Dispatcher:
    """The routes of one agent in one environment. `shots` are the one-shot forms by agent; `only` keeps one route."""

    def __init__(
        self, home: Home, settings: Settings, env: Mapping[str, str], agent: str, shots: Mapping[str, OneShot],
        only: str = "", now: Callable[[], float] = clock.now, pause: Callable[[float], object] = time.sleep,
    ) -> None:  # fmt: skip
        self.home = home
        self.settings = settings
        self.env = env
        self.agent = agent
        self.only = only
        self._shots = shots
        self._now = now
        self._pause = pause

    def preview(self) -> Preview:
        """The route the next question would take. Starts nothing, sends nothing, writes nothing."""
        refusal = self._refusal()
        if refusal:
            return Preview(self.agent, *refusal)
        ways = self._ways()
        if not ways:
            return Preview(self.agent, NONE, self._nothing())
        return Preview(self.agent, ways[0].route, ways[0].reason)

    def can_infer(self) -> bool:
        """Whether a question would reach a model."""
        return self.preview().route not in (NONE, OFF)

    def ask(
        self, system: str, prompt: str, tier: str = "small", schema: dict[str, Any] | None = None,
        timeout: float = 60.0, caller: str = "", session: str = "",
    ) -> Answer:  # fmt: skip
        """`pal.base.asking.Ask`."""
        began = time.monotonic()
        whose = f"caller={caller} sessionId={session}"
        try:
            answer = self._ask(scrub(system), scrub(prompt), tier, schema, timeout, whose)
        except Exception as fault:  # whoever asks goes on without an answer, whatever happened
            import traceback

            log.error(self.home, "inference", f"{whose} {fault!r}", traceback.format_exc())
            answer = Answer(False, reason=f"the question failed: {fault!r}")
        answer.ms = int((time.monotonic() - began) * 1000)
        return answer

    def _ask(
        self, system: str, prompt: str, tier: str, form: dict[str, Any] | None, timeout: float, whose: str
    ) -> Answer:
        refusal = self._refusal()
        if refusal:
            return Answer(False, reason=refusal[1], route=refusal[0])
        answer = Answer(False, reason=self._nothing())
        for way in self._ways():
            question = Question(system, prompt, self._model(way, tier), form, timeout, tier)
            answer, missing = self._take(way, question, whose)
            if not missing:
                break
        return answer

    def _refusal(self) -> tuple[str, str] | None:
        """(route, why) when nothing may be asked at all."""
        if self.env.get(DISABLED, "") not in ("", "0"):
            return OFF, f"{DISABLED} is set"
        if process.spawned(self.env):
            return NONE, "this is a model call of PAL already, and none starts another"
        stop = spend.today(self.home, self.settings, self._now()).stop
        return (NONE, stop) if stop else None

    def _ways(self) -> list[_Way]:
        """Every route that is open, the best first."""
        ways, preferred = [], ""
        shot = self._shots.get(self.agent)
        if shot is not None:
            program = shot.program(self.env)
            if program:
                ways.append(_Way(shot.NAME, SPAWN, shot.MODELS, f"{program} is there", shot, program))
            else:
                preferred = shot.FALLBACK
        for service in sorted(services.SERVICES, key=lambda service: service.name != preferred):
            if service.key(self.env):
                reason = f"{service.variable} is set"
                ways.append(_Way(service.name, API, service.models, reason, service=service))
        return [way for way in ways if self.only in ("", way.route)]

    def _nothing(self) -> str:
        shot = self._shots.get(self.agent)
        program = f"{shot.PROGRAM} is not on PATH" if shot else f"{self.agent or 'no agent'} has no one-shot form"
        keys = [service.variable for service in services.SERVICES if self.only in ("", service.name + API)]
        if self.only.endswith(SPAWN):
            return program
        if self.only:
            return f"{keys[0]} is not set" if keys else f"there is no route {self.only}"
        return f"no model is at hand: {program}, and neither {' nor '.join(keys)} is set"

    def _model(self, way: _Way, tier: str) -> str:
        """`inference.models.<name>.<tier>` of the settings, else the route's own; empty for the program's choice."""
        named = self.settings.get(f"inference.models.{way.name}.{tier}")
        return named if isinstance(named, str) else way.models.get(tier, way.models.get(TIERS[0], ""))

    def _take(self, way: _Way, question: Question, whose: str) -> tuple[Answer, bool]:
        """(the answer on this way, whether the way turned out to lead nowhere)."""
        began = time.monotonic()
        outcome = self._once(way, question)
        answer = _judge(outcome, question, way.route)
        took = int((time.monotonic() - began) * 1000)
        asked = len((question.system + question.prompt).encode("utf-8", "replace"))
        end = f"failed: {answer.reason}" if not answer.ok else "ok after a failure" if outcome.failed else "ok"
        write = log.warning if outcome.failed or not answer.ok else log.info
        about = f"{whose} route={way.route} agent={self.agent} model={question.model or 'default'}"
        write(self.home, "inference", f"{about} asked={asked} bytes={outcome.size} ms={took} {end}")
        return answer, outcome.missing

    def _once(self, way: _Way, question: Question) -> Outcome:
        """Ask on this way, once more where a program ended without a word."""
        stop = spend.reserve(self.home, self.settings, way.route, self._now())
        if stop:
            return Outcome(Reply("", problem=stop), failed=True)
        outcome = self._ask_on(way, question)
        if outcome.silent and not spend.reserve(self.home, self.settings, way.route, self._now()):
            self._pause(random.uniform(*RETRY_AFTER))
            outcome = self._ask_on(way, question)
        said = len(question.system) + len(question.prompt) + len(outcome.reply.text)
        tokens = outcome.reply.tokens or said // _CHARACTERS_A_TOKEN
        spend.record(self.home, self.settings, way.route, tokens, self._now())
        return outcome

    def _ask_on(self, way: _Way, question: Question) -> Outcome:
        if way.shot is not None:
            return programs.ask(way.shot, way.program, question, self.env, self.home.asking)
        assert way.service is not None
        reply = way.service.ask(question, self.env)
        return Outcome(reply, len(reply.text.encode("utf-8", "replace")), failed=bool(reply.problem))


def _judge(outcome: Outcome, question: Question, route: str) -> Answer:
    """A form that fits is an answer whatever the exit status; a text only where it cannot be a complaint."""
    reply = outcome.reply
    if reply.text and question.schema is not None:
        found, data, why = schema.extract(reply.text, question.schema)
        if found:
            return Answer(True, json.dumps(data, ensure_ascii=False), data, route=route)
        return Answer(False, reply.text, reason=scrub(reply.problem) or why, route=route)
    if reply.text and (reply.sure or not outcome.failed):
        return Answer(True, reply.text, route=route)
    return Answer(False, reply.text, reason=scrub(reply.problem) or "the answer was empty", route=route)
