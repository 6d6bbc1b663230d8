"""A2A's methods: what a message asks for is run as a tool, and the task tells how it went.

A message names its tool in `metadata.skill`, or in a data part `{"skill", "arguments"}`; a plain text is a search."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pal.base import clock
from pal.base.home import Home
from pal.external import tools
from pal.external.a2a import tasks, wire
from pal.external.a2a.wire import BAD_PARAMS, Fault, Json

PATIENCE = 330.0  # seconds a caller waits for a task; the longest skill takes 300
HEARTBEAT = 15.0
_SEARCH = "pai_icm_search"
_PUSH = ("CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs",
         "DeleteTaskPushNotificationConfig")  # fmt: skip
STREAMED = ("SendStreamingMessage", "SubscribeToTask")


class Caller:
    """Who asks: the token it shows and what it calls itself."""

    __slots__ = ("name", "token")

    def __init__(self, token: str, name: str) -> None:
        self.token = token
        self.name = name

    @property
    def owner(self) -> str:
        """The same for all calls with the same token; it tells nobody the token."""
        return hashlib.sha256(self.token.encode()).hexdigest()[:24] if self.token else "anybody"


class Agent:
    """PAL as others see it over A2A."""

    def __init__(
        self, home: Home, offer: Callable[[], Sequence[tools.Tool]], now: Callable[[], float] = clock.now
    ) -> None:
        self.home = home
        self.offer = offer
        self.now = now
        self.store = tasks.Store(home, now())
        self._methods: dict[str, Callable[[Json, Caller], Json]] = {
            "SendMessage": self._send,
            "GetTask": self._get,
            "ListTasks": self._list,
            "CancelTask": self._cancel,
        }

    def answer(self, message: Any, caller: Caller) -> Json | Iterator[Json]:
        """The response to a request, or the responses of one that is streamed."""
        identity = wire.identity_of(message)
        try:
            identity, method, params = wire.request(message)
            if method in _PUSH:
                raise Fault(wire.NO_PUSH, "PAL sends no push notifications")
            if method == "GetExtendedAgentCard":
                raise Fault(wire.NO_EXTENDED_CARD, "there is no other card than the public one")
            if method in STREAMED:
                task = (
                    self._begin(params, caller)[0]
                    if method == "SendStreamingMessage"
                    else self._subscribed(params, caller)
                )
                return self._stream(identity, task)
            if method not in self._methods:
                raise Fault(wire.UNKNOWN_METHOD, f"there is no method {method[:100]}")
            return wire.result(identity, self._methods[method](params, caller))
        except Fault as fault:
            return wire.error(identity, fault)
        except Exception as fault:
            from pal.base import log

            log.error(self.home, "a2a", f"{type(fault).__name__} while answering: {fault}")
            return wire.error(identity, Fault(wire.INTERNAL, "internal error"))

    def _send(self, params: Json, caller: Caller) -> Json:
        task, options = self._begin(params, caller)
        if options.get("returnImmediately") is not True:
            self.store.wait(task, PATIENCE)
        length = wire.whole(options, "historyLength", 0, 10_000, None)
        with self.store.lock:
            return {"task": task.shown(length)}

    def _begin(self, params: Json, caller: Caller) -> tuple[tasks.Task, Json]:
        """A new task for the message, whose work has begun."""
        message = wire.message_of(params)
        options = params.get("configuration") or {}
        if not isinstance(options, dict):
            raise Fault(BAD_PARAMS, "configuration is an object")
        wire.whole(options, "historyLength", 0, 10_000, None)
        if options.get("taskPushNotificationConfig"):
            raise Fault(wire.NO_PUSH, "PAL sends no push notifications")
        modes = options.get("acceptedOutputModes")
        if isinstance(modes, list) and modes and not {"*/*", "text/*", *wire.TAKEN} & {str(mode) for mode in modes}:
            raise Fault(wire.CONTENT_TYPE, f"PAL answers in {' and '.join(wire.TAKEN)}", {"mediaType": str(modes[0])})
        if message.get("taskId"):
            self._continued(message, caller)
        task = self.store.new(str(message.get("contextId") or ""), caller.owner, self.now())
        task.history.append({**message, "taskId": task.id, "contextId": task.context})
        self.store.save()
        threading.Thread(target=self._work, args=(task, message, caller), daemon=True).start()
        return task, options

    def _continued(self, message: Json, caller: Caller) -> None:
        """A message to a task that is there already: none of PAL's tasks waits for one."""
        task = self._mine(message["taskId"], caller)
        if message.get("contextId") and message["contextId"] != task.context:
            raise Fault(BAD_PARAMS, "contextId is not that of the task", fields={"message.contextId": "differs"})
        raise Fault(wire.UNSUPPORTED, f"the task {task.id} takes no further message", {"taskId": task.id})

    def _work(self, task: tasks.Task, message: Json, caller: Caller) -> None:
        call = tools.Call("a2a", agent=caller.name, token=caller.token, session=task.context)
        task.cancel = call.cancel
        self.store.move(task, tasks.WORKING, "", self.now())
        try:
            name, arguments = wanted(message)
            tool = next((each for each in self.offer() if name in (each.name, each.safe_name)), None)
            if tool is None:
                self.store.move(
                    task, tasks.REJECTED, f"there is no skill {name[:100]!r}; the card lists them", self.now()
                )
                return
            outcome = tools.run(self.home, tool, arguments, call)
        except Exception as fault:
            self.store.move(task, tasks.FAILED, str(fault)[:500], self.now())
            return
        self._finish(task, outcome, call)

    def _finish(self, task: tasks.Task, outcome: tools.Outcome, call: tools.Call) -> None:
        text = "\n".join([str(item["text"]) for item in outcome.content if item.get("type") == "text"])
        if call.cancelled:
            self.store.move(task, tasks.CANCELED, "", self.now())
        elif outcome.error:
            state = tasks.REJECTED if outcome.error_type == "denied" else tasks.FAILED
            self.store.move(task, state, text[:4000], self.now())
        else:
            self.store.add(task, _artifact(task, "text", {"text": text, "mediaType": "text/plain"}), self.now())
            if outcome.structured is not None:
                data = {"data": outcome.structured, "mediaType": "application/json"}
                self.store.add(task, _artifact(task, "data", data), self.now())
            self.store.move(task, tasks.COMPLETED, "", self.now())

    def _get(self, params: Json, caller: Caller) -> Json:
        task = self._mine(params.get("id"), caller)
        length = wire.whole(params, "historyLength", 0, 10_000, None)
        with self.store.lock:
            return task.shown(length)

    def _list(self, params: Json, caller: Caller) -> Json:
        size = wire.whole(params, "pageSize", 1, 100, 50) or 50
        length = wire.whole(params, "historyLength", 0, 10_000, 0)
        status, context, after = params.get("status"), params.get("contextId"), params.get("statusTimestampAfter")
        if status and status not in tasks.STATES:
            raise Fault(BAD_PARAMS, "status is no state of a task", fields={"status": "unknown"})
        since = _moment(after) if after else 0.0
        found = [
            task
            for task in self.store.listed(caller.owner)
            if (not status or task.state == status) and (not context or task.context == context) and task.stamp > since
        ]
        begin = 0
        token = params.get("pageToken")
        if token:
            begin = next((number for number, task in enumerate(found, 1) if task.id == token), -1)
            if begin < 0:
                raise Fault(BAD_PARAMS, "that page token is not one of this list", fields={"pageToken": "unknown"})
        page = found[begin : begin + size]
        more = begin + size < len(found)
        with self.store.lock:
            shown = [task.shown(length, params.get("includeArtifacts") is True) for task in page]
        return {"tasks": shown, "nextPageToken": page[-1].id if more else "", "pageSize": size, "totalSize": len(found)}

    def _cancel(self, params: Json, caller: Caller) -> Json:
        task = self._mine(params.get("id"), caller)
        if not self.store.move(task, tasks.CANCELED, "", self.now()):
            raise Fault(wire.NOT_CANCELABLE, f"the task {task.id} is over", {"taskId": task.id})
        if task.cancel:
            task.cancel()
        with self.store.lock:
            return task.shown()

    def _subscribed(self, params: Json, caller: Caller) -> tasks.Task:
        task = self._mine(params.get("id"), caller)
        if task.over:
            raise Fault(wire.UNSUPPORTED, f"the task {task.id} is over", {"taskId": task.id})
        return task

    def _mine(self, identity: Any, caller: Caller) -> tasks.Task:
        if not isinstance(identity, str) or not identity:
            raise Fault(BAD_PARAMS, "id is missing", fields={"id": "required"})
        task = self.store.get(identity, caller.owner)
        if task is None:
            raise Fault(wire.NO_TASK, "there is no such task", {"taskId": identity[:200]})
        return task

    def _stream(self, identity: Any, task: tasks.Task) -> Iterator[Json]:
        import queue

        follower = self.store.follow(task)
        try:
            while True:
                try:
                    update = follower.get(timeout=HEARTBEAT)
                except queue.Empty:
                    yield {}  # a sign of life
                    continue
                if update is None:
                    return
                yield wire.result(identity, update)
        finally:
            self.store.leave(task, follower)


def wanted(message: Json) -> tuple[str, dict[str, Any]]:
    """(the tool a message asks for, its arguments)."""
    metadata: Json = message.get("metadata") or {}
    found = [part["data"] for part in message["parts"] if isinstance(part.get("data"), dict)]
    data: Json = found[0] if found else {}
    text = "\n".join([part["text"] for part in message["parts"] if "text" in part])
    name = metadata.get("skill") or data.get("skill")
    if not isinstance(name, str) or not name:
        return _SEARCH, {"query": text[:2000]}
    for arguments in (data.get("arguments"), metadata.get("arguments"), None if "skill" in data else data):
        if isinstance(arguments, dict) and arguments:
            return name, arguments
    if not text:
        return name, {}
    return name, {"query" if name == _SEARCH else "text": text}


def _artifact(task: tasks.Task, name: str, part: Json) -> Json:
    return {"artifactId": f"{task.id}-{name}", "name": name, "parts": [part]}


def _moment(text: Any) -> float:
    try:
        return clock.parse(text)
    except ValueError:
        raise Fault(BAD_PARAMS, "statusTimestampAfter is no time", fields={"statusTimestampAfter": "no time"}) from None
