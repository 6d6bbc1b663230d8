"""The git repository of the memory folder, driven by git's plumbing: it keeps versions and carries them, nothing more.

Git never touches a file of the memory itself: it is handed texts and gives texts back, so that a hook may write at any
moment. No hook, signature, prompt or setting of the user's comes in the way."""

from __future__ import annotations

import os
import time

from pal.base import files, process
from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pal.base.home import Home

    Tree = dict[str, str]  # name → the id of its content

FOLDER = ".git"
BRANCH = "refs/heads/main"
REMOTE = "refs/remotes/origin/main"
_MADE = "refs/pal/made"  # keeps a new commit until the branch has it
_QUICK, _SLOW = 60.0, 900.0  # seconds for work on this disk, and over a network
_FAR_BACK = 50  # commits that are looked at for a version of a file that can be read
_LOCKS = 5  # of killed gits that one command may meet
_MOST = 1 << 30  # bytes that git may print
_KEPT_VARIABLES = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_EXEC_PATH")
_SETTINGS = (
    f"core.hooksPath={os.devnull}", "core.autocrlf=false", "core.fsmonitor=false", "core.quotePath=false",
    "gc.auto=0", "maintenance.auto=false", "commit.gpgSign=false", "push.gpgSign=false",
    "fetch.recurseSubmodules=false", "push.recurseSubmodules=no", "init.templateDir=", "protocol.ext.allow=never",
)  # fmt: skip
_QUICKER = ("[rejected]", "cannot lock ref", "failed to update ref", "reference already exists")
_REGULAR = ("100644", "100755")


class Failed(PalError):
    """Git said no; `said` is its last line."""

    def __init__(self, sentence: str, said: str, everything: str) -> None:
        super().__init__(sentence)
        self.said = said
        self.everything = everything


class Repository:
    """One memory folder's repository; every method runs git once or twice."""

    __slots__ = ("_env", "_git", "folder", "home")

    def __init__(self, home: Home, env: Mapping[str, str]) -> None:
        found = process.find_program("git", env)
        if found is None:
            raise PalError(
                "Syncing needs git, and there is none on PATH; install it, or copy the memory folder yourself."
            )
        self._git = found
        self.home = home
        self.folder = os.path.join(home.memory, FOLDER)
        self._env = _clean(env)

    @property
    def exists(self) -> bool:
        return os.path.exists(os.path.join(self.folder, "HEAD"))

    def run(self, *words: str, stdin: bytes = b"", timeout: float = _QUICK, bare: bool = False) -> bytes:
        """What git prints; Failed when it fails, once a lock that nobody holds any more has been taken away."""
        from pal.base import supervise

        argv = [self._git, *(word for setting in _SETTINGS for word in ("-c", setting))]
        argv += [] if bare else ["--git-dir", self.folder, "--work-tree", self.home.memory]
        for _ in range(_LOCKS):
            done = supervise.run([*argv, *words], stdin, self._env, self.home.memory, timeout, _MOST)
            if not done.problem and done.status == 0:
                return done.out
            told = done.err.decode("utf-8", "replace")
            if done.problem or not self._unlocked(told):
                break
        said = done.detail or _last_line(told) or f"it ended with status {done.status}"
        raise Failed(f"git {words[0]} failed in {self.home.memory}: {said}", said, told)

    def _unlocked(self, told: str) -> bool:
        """True when git met a lock file that is gone now, or that a killed git left behind."""
        begin, end = told.find("Unable to create '"), told.find(".lock': File exists")
        if begin < 0 or end < begin:
            return False
        path = told[begin + 18 : end] + ".lock"
        own = os.path.realpath(path).startswith(os.path.realpath(self.folder) + os.sep)
        before = files.modified(path)
        # Git holds such a lock for milliseconds; in this repository only one sync at a time does.
        until = time.monotonic() + (0.5 if own else 10.0)
        while before and time.monotonic() < until:
            time.sleep(0.05)
            if files.modified(path) != before:
                return True
        return not before or files.remove(path)

    def create(self, driver: str) -> None:
        """Make the repository, or bring its settings up to date. `driver` is the command that unites two versions."""
        if not self.exists:
            files.make_folder(self.home.memory)
            self.run("init", "-q", self.home.memory, bare=True)
            self.run("symbolic-ref", "HEAD", BRANCH)
        self.run("config", "merge.union.driver", driver)

    def set_remote(self, address: str) -> None:
        self.run("config", "remote.origin.url", address)
        self.run("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")

    def create_bare(self, path: str) -> None:
        """A repository without files for others to meet at."""
        files.make_folder(path)
        self.run("init", "-q", "--bare", path, bare=True)
        self.run("--git-dir", path, "symbolic-ref", "HEAD", BRANCH, bare=True)

    def setting(self, name: str) -> str:
        """A setting's value, empty without one."""
        try:
            return self.run("config", "--get", name).decode("utf-8", "replace").strip()
        except Failed:
            return ""

    def heads(self) -> tuple[str, str]:
        """(commit of this machine's branch, of the remote's as last seen); empty where there is none yet."""
        lines = self.run("for-each-ref", "--format=%(refname) %(objectname)", BRANCH, REMOTE).decode().splitlines()
        found = dict(line.split(" ", 1) for line in lines)
        return found.get(BRANCH, ""), found.get(REMOTE, "")

    def tree(self, commit: str) -> Tree:
        """The files of a commit, links and other rarities left out; empty for no commit."""
        if not commit:
            return {}
        found = {}
        for row in self.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
            about, _, name = row.partition(b"\t")
            mode, _, rest = about.decode().partition(" ")
            if mode in _REGULAR:
                found[name.decode("utf-8", "surrogateescape")] = rest.split(" ")[1]
        return found

    def contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        """The bytes behind each id."""
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        data = self.run("cat-file", "--batch", stdin="".join(f"{name}\n" for name in wanted).encode(), timeout=_SLOW)
        found, at = {}, 0
        while at < len(data):
            end = data.index(b"\n", at)
            name, _, size = data[at:end].decode().split(" ")
            found[name] = data[end + 1 : end + 1 + int(size)]
            at = end + 2 + int(size)
        return found

    def commit(self, parents: Sequence[str], changes: Mapping[str, bytes | None], message: str, now: float) -> str:
        """A new commit: the first parent's files with these changes (None removes one); no branch moves."""
        who = self._identity()
        text = message.encode("utf-8")
        parts = [b"reset %s\n" % _MADE.encode()]
        parts.append(b"commit %s\nmark :1\ncommitter %s %d +0000\n" % (_MADE.encode(), who.encode(), max(0, int(now))))
        parts.append(b"data %d\n%s\n" % (len(text), text))
        for word, parent in zip(("from", "merge"), parents):
            parts.append(f"{word} {parent}\n".encode())
        for name, data in sorted(changes.items()):
            quoted = b'"' + name.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
            if data is None:
                parts.append(b"D " + quoted + b"\n")
            else:
                parts += (b"M 100644 inline " + quoted + b"\n", b"data %d\n" % len(data), data, b"\n")
        parts.append(b"\nget-mark :1\ndone\n")
        told = self.run("fast-import", "--quiet", "--force", "--done", stdin=b"".join(parts), timeout=_SLOW)
        return told.decode().split()[-1]

    def _identity(self) -> str:
        name, address = self.setting("user.name"), self.setting("user.email")
        name = "".join(char for char in name if char not in "<>\n") or "PAL"
        return f"{name} <{''.join(char for char in address if char not in '<> ') or 'pal@localhost'}>"

    def advance(self, commit: str, before: str) -> None:
        """Move this machine's branch on, unless somebody else did."""
        self.run("update-ref", "-m", "pal memory sync", BRANCH, commit, before or "0" * len(commit))

    def fetch(self) -> None:
        self.run("fetch", "-q", "--no-tags", *self._other_side("upload-pack"), "origin", timeout=_SLOW)

    def push(self, commit: str) -> bool:
        """Send the commit; False when another machine was quicker."""
        try:
            self.run("push", "-q", *self._other_side("receive-pack"), "origin", f"{commit}:{BRANCH}", timeout=_SLOW)
        except Failed as fault:
            if any(word in fault.everything for word in _QUICKER):
                return False
            raise
        return True

    def _other_side(self, program: str) -> list[str]:
        """How git is to start its other half on this machine, for a remote that is a folder: the user's settings reach
        that one too, and a share often belongs to somebody else."""
        address = self.setting("remote.origin.url")
        if not os.path.isdir(address):
            return []
        from shlex import quote

        inner = os.path.join(address, FOLDER)
        hooks = os.path.join(inner if os.path.isdir(inner) else address, "hooks")
        words = [self._git, "-c", f"core.hooksPath={hooks}", "-c", "safe.directory=*", program]
        return [f"--{program}=" + " ".join(quote(word.replace("\\", "/")) for word in words)]

    def merge_base(self, one: str, other: str) -> str:
        """The newest commit both come from; empty when they began apart."""
        try:
            return self.run("merge-base", one, other).decode().split("\n", 1)[0]
        except Failed as fault:
            if fault.everything.strip():
                raise
            return ""

    def apart(self, ours: str, theirs: str) -> tuple[int, int]:
        """How many commits each of the two has that the other has not."""
        if not ours or not theirs:
            one = ours or theirs
            count = int(self.run("rev-list", "--count", one)) if one else 0
            return (count, 0) if ours else (0, count)
        ahead, behind = self.run("rev-list", "--count", "--left-right", f"{ours}...{theirs}").split()
        return int(ahead), int(behind)

    def versions(self, commit: str, name: str, good: Callable[[bytes], bool]) -> list[bytes]:
        """What a file was before a commit, on each of the ways that lead there: the newest version that is good."""
        rim, seen, found = [commit], {commit}, []
        while rim and len(seen) < _FAR_BACK:
            for parent in self.run("rev-list", "--parents", "-n", "1", rim.pop()).decode().split()[1:]:
                content = self.tree(parent).get(name)
                data = self.contents([content])[content] if content else b""
                if content and good(data):
                    found.append(data)
                elif parent not in seen:
                    rim.append(parent)
                seen.add(parent)
        return found

    def moment(self, commit: str) -> float | None:
        """When a commit was made; None for no commit."""
        return float(self.run("log", "-1", "--format=%ct", commit)) if commit else None

    def tidy(self, commit: str) -> None:
        """Make a person's `git status` in the folder tell the truth, and pack what has piled up; neither matters."""
        for words in (("read-tree", commit), ("gc", "--auto", "-q")):
            try:
                self.run(*words, timeout=_SLOW)
            except Failed:
                continue


def _clean(env: Mapping[str, str]) -> dict[str, str]:
    clean = {
        name: value for name, value in env.items() if not name.upper().startswith("GIT_") or name in _KEPT_VARIABLES
    }
    clean.update(GIT_TERMINAL_PROMPT="0", GCM_INTERACTIVE="never", SSH_ASKPASS_REQUIRE="never", LC_ALL="C")
    clean.setdefault("GIT_SSH_COMMAND", clean.get("GIT_SSH", "ssh -o BatchMode=yes"))
    return clean


def _last_line(told: str) -> str:
    """What is most telling of what git said: what was refused, the last error, the last line."""
    lines = [line.strip() for line in told.splitlines() if line.strip() and not line.startswith("hint:")]
    refused = [line for line in lines if line.startswith("! [")]
    telling = [line for line in lines if line.startswith(("fatal: ", "error: ", "remote: error: "))]
    return (refused or telling or lines or [""])[-1]
