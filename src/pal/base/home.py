"""PAL's own paths, each named once. Everything that reads or writes below PAL's home asks a `Home` for the place.

The guard asks before `os` is loaded, which is dear: what needs it here imports it where it stands."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = ".pal"  # in the user's home folder, unless PAL_HOME names another place
PROJECT_RULES = ".pal-security.json"  # in a project's folder: rules that its own files bring along
_SEPARATOR = "\\" if sys.platform == "win32" else "/"


class Home:
    """The folder PAL keeps everything in; every attribute is an absolute path."""

    __slots__ = (
        "activity", "agents", "archive", "archive_rows", "backups", "bin", "cache", "changes",
        "counts", "debug_flag", "digest_routes", "digests", "docs", "engine", "exchanges",
        "failures", "guard_log", "guard_once", "handoffs", "index", "install", "interaction",
        "interaction_tracks", "jobs", "last_responses", "launcher", "learnings_map", "lesson_gate",
        "log", "memory",
        "opinions", "pending_failure", "projects", "ratings", "reflections", "relationship", "root",
        "self_model", "session_learning", "sessions", "settings", "settings_good", "signal_cache",
        "signals", "skill_index", "skills", "spill", "state", "synthesis", "telos", "tier1_stamp",
        "wisdom",
    )  # fmt: skip

    def __init__(self, root: str) -> None:
        self.root = root
        self.settings = self._at("pal-settings.json")
        self.telos = self._at("telos")
        self.skills = self._at("skills")
        self.agents = self._at("agents")
        self.docs = self._at("docs")
        self.bin = self._at("bin")
        self.engine = self._at("engine")
        self.launcher = self._at("hook.py")
        self.archive = self._at("pal.pyz")
        self.install = self._at("install")
        self.changes = self._at("install", "changes.json")
        self.digest_routes = self._at("install", "digests.json")
        self.backups = self._at("backups")

        self.memory = self._at("memory")
        self.cache = self._at("memory", "cache")
        self.digests = self._at("memory", "cache", "digests")
        self.index = self._at("memory", "cache", "index.sqlite")
        self.lesson_gate = self._at("memory", "cache", "lessons.gate")
        self.settings_good = self._at("memory", "cache", "settings-last-good.json")
        self.tier1_stamp = self._at("memory", "cache", "tier1.json")

        self.state = self._at("memory", "state")
        self.sessions = self._at("memory", "state", "sessions.json")
        self.projects = self._at("memory", "state", "projects.json")
        self.counts = self._at("memory", "state", "counts.json")
        self.last_responses = self._at("memory", "state", "last-responses.json")
        self.pending_failure = self._at("memory", "state", "pending-failure.json")
        self.handoffs = self._at("memory", "state", "last-handoff.json")
        self.exchanges = self._at("memory", "state", "last-exchange")
        self.interaction_tracks = self._at("memory", "state", "interaction-sessions.json")
        self.activity = self._at("memory", "state", "activity")
        self.learnings_map = self._at("memory", "state", "captured-learnings.json")
        self.signal_cache = self._at("memory", "state", "signal-cache.json")
        self.skill_index = self._at("memory", "state", "skill-index.json")
        self.archive_rows = self._at("memory", "state", "archive")
        self.jobs = self._at("memory", "state", "jobs")
        self.guard_log = self._at("memory", "state", "guard.jsonl")
        self.guard_once = self._at("memory", "state", "guard-allow-once.json")
        self.spill = self._at("memory", "state", "spill")
        self.log = self._at("memory", "state", "debug.log")
        self.debug_flag = self._at("memory", "state", "debug-enabled")

        self.signals = self._at("memory", "signals")
        self.ratings = self._at("memory", "signals", "ratings.jsonl")
        self.interaction = self._at("memory", "signals", "interaction")
        self.relationship = self._at("memory", "relationship")
        self.opinions = self._at("memory", "relationship", "opinions.json")
        self.reflections = self._at("memory", "relationship", "reflections")
        self.session_learning = self._at("memory", "session-learning")
        self.failures = self._at("memory", "failures")
        self.wisdom = self._at("memory", "wisdom", "frames")
        self.synthesis = self._at("memory", "synthesis")
        self.self_model = self._at("memory", "self-model", "current.md")

    def _at(self, *names: str) -> str:
        return _SEPARATOR.join((self.root, *names))

    def relative(self, path: str) -> str:
        """The path below the home, with forward slashes: the same on every system."""
        import os

        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def below(self, relative: str) -> str:
        """The absolute path of what `relative` named; refuses to leave the home (ValueError)."""
        import os

        names = relative.split("/")
        if not relative or ".." in names or os.path.isabs(relative) or ":" in names[0] or {"\\", "\0"} & set(relative):
            raise ValueError("not a path below PAL's home: " + repr(relative))
        return self._at(*names)


def of_launcher(root: str) -> Home:
    """The home around a launcher that was started by this path. On Windows a registered command has forward slashes and
    may have short (8.3) names; the home is called as everywhere else, or each would rewrite what the other wrote."""
    if sys.platform == "win32":
        import os

        root = os.path.normpath(root)
        if "~" in root:
            whole = os.path.realpath(root)
            root = whole if whole[:2] == root[:2] else root  # not where a mapped drive became a server's name
    return Home(root)


def resolve(env: Mapping[str, str]) -> Home:
    """The home this environment names: PAL_HOME, else `.pal` in the user's home folder."""
    import os

    named = env.get("PAL_HOME")
    if named:
        return Home(os.path.abspath(os.path.expanduser(named)))
    return Home(os.path.join(user_folder(env), FOLDER))


def user_folder(env: Mapping[str, str]) -> str:
    """The user's home folder: HOME on POSIX, USERPROFILE on Windows, else what the system says."""
    import os

    named = env.get("USERPROFILE") if os.name == "nt" else env.get("HOME")
    return os.path.abspath(named or os.path.expanduser("~"))
