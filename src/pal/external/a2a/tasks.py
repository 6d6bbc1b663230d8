"""The tasks others gave PAL: each with its owner, history and result; kept in a file, so that a restart loses none.

Several callers may follow one task; each gets the same updates in the same order."""

from __future__ import annotations

import os
import queue
import threading
from typing import Any

from pal.base import clock, files, ids, jsontext
from pal.base.home import Home
from pal.external.a2a.wire import Json

SUBMITTED, WORKING = "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"
COMPLETED, FAILED, CANCELED, REJECTED = (
    "TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"
)  # fmt: skip
TERMINAL = (COMPLETED, FAILED, CANCELED, REJECTED)
STATES = (SUBMITTED, WORKING, "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED", *TERMINAL)
KEPT = 500  # tasks
AGE = 7 * 86_400.0
_WAITING = 1000  # updates for one follower

Follower = queue.Queue  # of updates; None ends it


class Task:
    """One task. Its lock is the store's."""

    __slots__ = ("artifacts", "cancel", "context", "followers", "history", "id", "owner", "state", "stamp", "text")

    def __init__(self, identity: str, context: str, owner: str, stamp: float) -> None:
        self.id = identity
        self.context = context
        self.owner = owner  # who may see it
        self.state = SUBMITTED
        self.stamp = stamp  # of its last change
        self.text = ""  # what its status says
        self.history: list[Json] = []
        self.artifacts: list[Json] = []
        self.followers: list[queue.Queue[Any]] = []
        self.cancel: Any = None  # ends the work

    @property
    def over(self) -> bool:
        return self.state in TERMINAL

    def status(self) -> Json:
        made: Json = {"state": self.state, "timestamp": clock.iso_ms(self.stamp)}
        if self.text:
            made["message"] = {
                "messageId": f"{self.id}-{self.state.lower()}", "role": "ROLE_AGENT", "parts": [{"text": self.text}],
                "taskId": self.id, "contextId": self.context,
            }  # fmt: skip
        return made

    def shown(self, history: int | None = None, artifacts: bool = True) -> Json:
        """The task as callers see it: `history` of the last messages, all of them when None."""
        made: Json = {"id": self.id, "contextId": self.context, "status": self.status()}
        if artifacts and self.artifacts:
            made["artifacts"] = self.artifacts
        told = self.history if history is None else self.history[len(self.history) - history :] if history else []
        if told and history != 0:
            made["history"] = told
        return made


class Store:
    """All tasks of a home."""

    def __init__(self, home: Home, now: float) -> None:
        self._path = home.a2a_tasks
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self._tasks: dict[str, Task] = {}
        self._load(now)

    def get(self, identity: Any, owner: str) -> Task | None:
        """The caller's task of this id; somebody else's is as good as none."""
        task = self._tasks.get(identity) if isinstance(identity, str) else None
        return task if task and task.owner == owner else None

    def new(self, context: str, owner: str, now: float) -> Task:
        with self.lock:
            task = Task(ids.sortable(now).lower(), context or ids.sortable(now).lower(), owner, now)
            self._tasks[task.id] = task
            surplus = [old for old in self._tasks.values() if old.over][: max(0, len(self._tasks) - KEPT)]
            for old in surplus:
                del self._tasks[old.id]
            return task

    def listed(self, owner: str) -> list[Task]:
        """The caller's tasks, the one that changed last first."""
        with self.lock:
            mine = [task for task in self._tasks.values() if task.owner == owner]
        return sorted(mine, key=lambda task: (task.stamp, task.id), reverse=True)

    def move(self, task: Task, state: str, text: str, now: float) -> bool:
        """Give a task another state, unless it is over, and tell its followers."""
        with self.changed:
            if task.over:
                return False
            task.state, task.text, task.stamp = state, text, now
            self._tell(task, {"statusUpdate": {"taskId": task.id, "contextId": task.context, "status": task.status()}})
            if task.over:
                for follower in task.followers:
                    follower.put(None)
                task.followers.clear()
                self._save()
            self.changed.notify_all()
            return True

    def add(self, task: Task, artifact: Json, now: float) -> None:
        with self.lock:
            task.artifacts.append(artifact)
            task.stamp = now
            update = {
                "taskId": task.id,
                "contextId": task.context,
                "artifact": artifact,
                "append": False,
                "lastChunk": True,
            }
            self._tell(task, {"artifactUpdate": update})

    def follow(self, task: Task) -> queue.Queue[Any]:
        """A new follower: the task as it is now, then every update, then None."""
        with self.lock:
            follower: queue.Queue[Any] = queue.Queue(_WAITING)
            follower.put({"task": task.shown()})
            if task.over:
                follower.put(None)
            else:
                task.followers.append(follower)
            return follower

    def leave(self, task: Task, follower: queue.Queue[Any]) -> None:
        with self.lock:
            if follower in task.followers:
                task.followers.remove(follower)

    def wait(self, task: Task, seconds: float) -> None:
        """Until the task is over, so long at most."""
        with self.changed:
            self.changed.wait_for(lambda: task.over, seconds)

    def save(self) -> None:
        with self.lock:
            self._save()

    def _tell(self, task: Task, update: Json) -> None:
        for follower in list(task.followers):
            try:
                follower.put_nowait(update)
            except queue.Full:
                task.followers.remove(follower)  # too slow; it may ask again

    def _save(self) -> None:
        rows = [
            {
                "id": task.id, "context": task.context, "owner": task.owner, "state": task.state, "stamp": task.stamp,
                "text": task.text, "history": task.history, "artifacts": task.artifacts,
            }
            for task in self._tasks.values()
        ]  # fmt: skip
        files.make_folder(os.path.dirname(self._path))
        files.write(self._path, "".join([jsontext.dumps(row) + "\n" for row in rows]))

    def _load(self, now: float) -> None:
        for line in (files.read_text(self._path) or "").splitlines():
            try:
                row = jsontext.loads(line)
                task = Task(str(row["id"]), str(row["context"]), str(row["owner"]), float(row["stamp"]))
                task.state, task.text = str(row["state"]), str(row["text"])
                task.history, task.artifacts = list(row["history"]), list(row["artifacts"])
            except (ValueError, KeyError, TypeError):
                continue
            if now - task.stamp > AGE or task.state not in STATES:
                continue
            if not task.over:  # its work died with the server
                task.state, task.text, task.stamp = FAILED, "the server was stopped before this was done", now
            self._tasks[task.id] = task
