"""One sync: save what changed here, fetch what changed elsewhere, unite both, write it down, send it.

Files are written before the branch moves on, and a union done twice is the union: whatever is interrupted, the next
sync finishes. Nothing is forced and nothing waits for a person."""

from __future__ import annotations

import os
import time

from pal.base import files, locks, log
from pal.base.errors import PalError
from pal.memory import cleaning
from pal.memory.sync import merging, objects, places, snapshot
from pal.memory.sync.repository import Failed, Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from pal.base.home import Home
    from pal.memory.sync.repository import Tree

    Progress = Callable[[str], None]

_TRIES = 12  # when other machines send at the same moment
_WAIT = 60.0  # seconds for another sync of this machine


class Outcome:
    """What a sync did; `problem` is the sentence to show when others could not be reached."""

    __slots__ = ("commit", "problem", "received", "restored", "saved", "sent")

    def __init__(self) -> None:
        self.saved = 0  # files that had changed here
        self.received: list[str] = []  # files that were changed by what came from elsewhere
        self.restored = 0  # logs, or most of the folder, that had gone missing here
        self.sent = False
        self.commit = ""
        self.problem = ""

    def shown(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("saved", "received", "restored", "sent", "commit", "problem")}


def start(home: Home, env: Mapping[str, str], driver: str, remote: str) -> str:
    """Make the memory folder a repository and tell it where the others meet; what it syncs with, or "".

    A folder that does not exist yet becomes the meeting place. Doing it again changes only the remote."""
    repository = Repository(home, env)
    files.make_folder(home.cache)
    with locks.Lock(home.sync_cache, _WAIT) as held:
        _need(held, home)
        repository.create(driver)
        for name, text in ((places.ATTRIBUTES, places.ATTRIBUTES_TEXT), (places.IGNORED, places.ignored_text(home))):
            path = os.path.join(home.memory, name)
            if not os.path.lexists(path):
                files.write(path, text)
        if remote:
            repository.set_remote(_meeting_place(repository, remote))
        return repository.setting("remote.origin.url")


def _meeting_place(repository: Repository, remote: str) -> str:
    """The address as git takes it: a folder by its absolute path, made when there is none."""
    local = remote.startswith((".", "/", "~", "\\\\")) or os.path.isdir(remote) or remote[1:3] in (":\\", ":/")
    if not local:
        return remote
    path = os.path.abspath(os.path.expanduser(remote))
    if not os.path.isdir(path) or not os.listdir(path):
        repository.create_bare(path)
    elif not any(os.path.exists(os.path.join(path, *names, "HEAD")) for names in ((), (".git",))):
        raise PalError(f"{path} holds other files and is no git repository; name an empty or a new folder.")
    return path


def run(home: Home, env: Mapping[str, str], now: float, progress: Progress) -> Outcome:
    """Sync once. PalError when the folder is no repository or git fails; an outcome tells of an unreachable remote."""
    repository = opened(home, env)
    with locks.Lock(home.sync_cache, _WAIT) as held:
        _need(held, home)
        outcome = _exchange(repository, now, progress)
        repository.tidy(outcome.commit)
        return outcome


def status(home: Home, env: Mapping[str, str], now: float) -> dict[str, Any]:
    """How things stand, without asking the network: remote, changed, ahead, behind, last (seconds or None)."""
    repository = Repository(home, env)
    if not repository.exists:
        return {"initialised": False, "remote": "", "changed": 0, "ahead": 0, "behind": 0, "last": None}
    ours, theirs = repository.heads()
    changed = len(snapshot.take(home, repository.tree(ours), now).changes)
    ahead, behind = repository.apart(ours, theirs)
    return {
        "initialised": True,
        "remote": repository.setting("remote.origin.url"),
        "changed": changed,
        "ahead": ahead,
        "behind": behind,
        "last": repository.moment(ours),
    }


def opened(home: Home, env: Mapping[str, str]) -> Repository:
    """The repository of the memory; PalError where none was made or a person is in the middle of something there."""
    repository = Repository(home, env)
    if not repository.exists:
        raise PalError(f"{home.memory} is not synced yet; `pal memory sync init REMOTE` begins it.")
    for name in ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD"):
        if os.path.exists(os.path.join(repository.folder, name)):
            raise PalError(f"A git command in {home.memory} waits to be finished by hand ({name}); do that first.")
    return repository


def _need(held: bool, home: Home) -> None:
    if not held:
        raise PalError(f"Another sync of {home.memory} is running; try again when it is done.")


def _exchange(repository: Repository, now: float, progress: Progress) -> Outcome:
    outcome = Outcome()
    remote = repository.setting("remote.origin.url")
    for attempt in range(_TRIES):
        progress("Reading what changed here ...")
        ours, tree = _save(repository, outcome, now)
        outcome.commit = ours
        if not remote:
            return outcome
        try:
            progress(f"Asking {remote} ...")
            repository.fetch()
        except Failed as fault:
            outcome.problem = f"{remote} could not be reached ({fault.said}); what is new here waits for the next sync."
            return outcome
        theirs = repository.heads()[1]
        if theirs and theirs != ours:
            ours = outcome.commit = _unite(repository, outcome, ours, tree, theirs, now)
        if theirs == ours:
            outcome.sent = True
            return outcome
        progress("Sending what is new here ...")
        try:
            outcome.sent = repository.push(ours)
        except Failed as fault:
            outcome.problem = f"{remote} took nothing ({fault.said}); what is new here waits for the next sync."
            return outcome
        if outcome.sent:
            return outcome
        time.sleep(0.05 * (attempt + 1) * (1 + os.urandom(1)[0] / 256))  # another machine was quicker
    outcome.problem = f"Other machines kept sending to {remote}; what is new here waits for the next sync."
    return outcome


def _save(repository: Repository, outcome: Outcome, now: float) -> tuple[str, Tree]:
    """Commit what changed here; (the commit, its files)."""
    head = repository.heads()[0]
    committed = repository.tree(head)
    _mend(repository, head, committed)
    found = snapshot.take(repository.home, committed, now)
    if found.restored:
        _restore(repository, found.tree)
        outcome.restored += found.restored
    if found.changes or not head:
        count = len(found.changes)
        outcome.saved += count
        message = f"{count} file{'' if count == 1 else 's'} changed"
        commit = repository.commit([head] if head else [], found.changes, message, now)
        repository.advance(commit, head)
        head = commit
    return head, found.tree


def _sound(repository: Repository, commit: str, name: str, data: bytes) -> bytes:
    """The file as the commit has it. Where git's plain union of lines broke an object, its last whole versions united:
    a person merged by hand, on a machine without the driver."""
    if merging.kind(name) != merging.OBJECT or objects.sound(data):
        return data
    versions = repository.versions(commit, name, objects.sound)
    whole = versions[0] if versions else data
    for version in versions[1:]:
        whole, _ = merging.merged(name, None, whole, version)
    return whole


def _mend(repository: Repository, head: str, committed: Tree) -> None:
    """Make whole what such a union broke here. What a person is just writing differs from the commit and is left."""
    for name, entry in places.listing(repository.home):
        if merging.kind(name) == merging.OBJECT and name in committed:
            data = files.read_bytes(entry.path) or b""
            if not objects.sound(data) and snapshot.blob_id(data, len(head)) == committed[name]:
                _write(repository.home, name, data, _sound(repository, head, name, data))


def _restore(repository: Repository, tree: Tree) -> None:
    missing = {}
    for name, content in tree.items():
        path = places.path(repository.home, name)
        if path is not None and not os.path.lexists(path):
            missing[name] = content
    data = repository.contents(missing.values())
    for name, content in missing.items():
        _write(repository.home, name, None, data[content])


def _unite(repository: Repository, outcome: Outcome, ours: str, tree: Tree, theirs: str, now: float) -> str:
    """The commit that holds both; the memory folder has its files when this returns."""
    home = repository.home
    base = repository.merge_base(ours, theirs)
    if base == theirs:
        return ours
    incoming, before = repository.tree(theirs), repository.tree(base)
    names = sorted(name for name in {*tree, *incoming} if tree.get(name) != incoming.get(name))
    ids = [side[name] for side in (tree, incoming, before) for name in names if name in side]
    data = repository.contents(ids)
    result: dict[str, bytes | None] = {}
    for name in names:
        old, mine, yours = (data[side[name]] if name in side else None for side in (before, tree, incoming))
        if yours is not None:
            travels = places.travels(home, name)
            yours = _sound(repository, theirs, name, cleaning.cleaned(name, yours)) if travels else None
        made, lost = _united(name, old, mine, yours)
        result[name] = made
        if lost is not None:
            result[merging.aside(name, lost)] = lost
    width = len(ours)
    ids_now = {name: snapshot.blob_id(made, width) if made is not None else "" for name, made in result.items()}
    changes = {name: made for name, made in result.items() if ids_now[name] != tree.get(name, "")}
    for name, made in changes.items():
        mine = data[tree[name]] if name in tree else None
        if _write(home, name, mine, made):
            outcome.received.append(name)
    if base == ours and all(ids_now[name] == incoming.get(name, "") for name in ids_now):
        commit = theirs
    else:
        commit = repository.commit([ours, theirs], changes, "Memories of two machines united", now)
    repository.advance(commit, ours)
    return commit


def _united(
    name: str, old: bytes | None, ours: bytes | None, theirs: bytes | None
) -> tuple[bytes | None, bytes | None]:
    """As `merging.merged`, for files that a side may not have: what one removed goes when the other left it alone."""
    if ours is not None and theirs is not None:
        return merging.merged(name, old, ours, theirs)
    there = theirs if ours is None else ours
    removed = old is not None and there == old and merging.kind(name) != merging.LOG
    return (None if removed else there), None


def _write(home: Home, name: str, expected: bytes | None, made: bytes | None) -> bool:
    """Put a file's new content in place of `expected`; what was written there meanwhile is united with it."""
    path = places.path(home, name)
    if path is None:
        log.error(home, "sync", f"{name} is not written: a folder of that path is a link")
        return False
    files.make_folder(os.path.dirname(path))
    with locks.Lock(path) as held:
        if not held:
            raise locks.Busy(f"another process keeps {path} locked")
        if os.path.islink(path) or os.path.isdir(path):
            log.error(home, "sync", f"{name} is not written: a link or a folder stands in its place")
            return False
        here = files.read_bytes(path)
        clean = here if here is None else cleaning.cleaned(name, here)
        if clean != expected:
            made, _ = _united(name, expected, clean, made)
        if made is None:
            return here is not None and files.remove(path)
        return files.write(path, made, durable=True)
