"""PAL's own paths, each named once. Everything that reads or writes below PAL's home asks a `Home` for the place.

The guard asks before `os` is loaded, which is dear: what needs it here imports it where it stands."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = ".pal"  # in the user's home folder, unless PAL_HOME names another place
PROJECT_RULES = ".pal-security.json"  # in a project's folder: rules that its own files bring along
PROJECT_BOARD = ".switchboard"  # in a project's folder: its plans, board and messages, made only when asked for
_SEPARATOR = "\\" if sys.platform == "win32" else "/"


class Home:
    """The folder PAL keeps everything in; every attribute is an absolute path."""

    __slots__ = (
        "a2a_tasks", "activity", "agents", "algorithm", "archive", "archive_rows", "asking", "backups", "bin",
        "bindings",
        "cache", "changes", "counts", "debug_flag", "digest_routes", "digests", "docs", "engine",
        "entity_candidates", "entries", "entries_archive", "events", "exchanges", "export_place", "failures",
        "graduated", "guard_log", "guard_once", "handoffs", "hosts", "import_log", "index", "install", "interaction",
        "interaction_baseline", "interaction_tracks", "jobs", "knowledge", "last_responses", "launcher", "learning",
        "learnings_map", "log", "memory", "memory_gate", "opinions", "parked", "pending", "pending_failure",
        "project_files", "projects", "ratings", "recalls", "reflections", "relationship", "root", "self_model",
        "servers",
        "session_learning", "sessions", "settings", "settings_good", "signal_cache", "signals", "skill_index",
        "skills", "skills_used", "spend", "spill", "state", "switchboard", "switchboard_active", "switchboard_key",
        "switchboard_registry", "switchboard_runs", "switchboard_workflows", "sync_cache", "synonyms", "synthesis",
        "telos", "threads",
        "tier1_stamp", "wisdom",
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
        self.switchboard = self._at("switchboard")
        self.switchboard_registry = self._at("switchboard", "workspaces.json")
        self.switchboard_active = self._at("switchboard", "active-runs.json")
        self.switchboard_key = self._at("switchboard", "sender.key")
        self.switchboard_runs = self._at("switchboard", "runs")
        self.switchboard_workflows = self._at("switchboard", "workflows")

        self.memory = self._at("memory")
        self.cache = self._at("memory", "cache")
        self.digests = self._at("memory", "cache", "digests")
        self.asking = self._at("memory", "cache", "asking")
        self.index = self._at("memory", "cache", "index.sqlite")
        self.memory_gate = self._at("memory", "cache", "memory.gate")
        self.settings_good = self._at("memory", "cache", "settings-last-good.json")
        self.sync_cache = self._at("memory", "cache", "sync.json")
        self.tier1_stamp = self._at("memory", "cache", "tier1.json")

        self.entries = self._at("memory", "icm", "entries")
        self.synonyms = self._at("memory", "synonyms.txt")
        self.entries_archive = self._at("memory", "icm", "archive")

        self.state = self._at("memory", "state")
        self.recalls = self._at("memory", "state", "recalls.jsonl")
        self.hosts = self._at("memory", "state", "hosts.json")
        self.import_log = self._at("memory", "state", "import-log.jsonl")
        self.sessions = self._at("memory", "state", "sessions.json")
        self.projects = self._at("memory", "state", "projects.json")
        self.bindings = self._at("memory", "state", "bindings.json")
        self.threads = self._at("memory", "state", "threads.jsonl")
        self.counts = self._at("memory", "state", "counts.json")
        self.last_responses = self._at("memory", "state", "last-responses.json")
        self.parked = self._at("memory", "state", "parked-prompt-context.json")
        self.pending_failure = self._at("memory", "state", "pending-failure.json")
        self.handoffs = self._at("memory", "state", "last-handoff.json")
        self.exchanges = self._at("memory", "state", "last-exchange")
        self.interaction_tracks = self._at("memory", "state", "interaction-sessions.json")
        self.activity = self._at("memory", "state", "activity")
        self.learnings_map = self._at("memory", "state", "captured-learnings.json")
        self.signal_cache = self._at("memory", "state", "signal-cache.json")
        self.skill_index = self._at("memory", "state", "skill-index.json")
        self.skills_used = self._at("memory", "state", "skills-used.json")
        self.archive_rows = self._at("memory", "state", "archive")
        self.jobs = self._at("memory", "state", "jobs")
        self.learning = self._at("memory", "state", "learning.json")
        self.entity_candidates = self._at("memory", "state", "entity-candidates.jsonl")
        self.interaction_baseline = self._at("memory", "state", "interaction-baseline.json")
        self.spend = self._at("memory", "state", "model-spend.json")
        self.guard_log = self._at("memory", "state", "guard.jsonl")
        self.guard_once = self._at("memory", "state", "guard-allow-once.json")
        self.spill = self._at("memory", "state", "spill")
        self.a2a_tasks = self._at("memory", "state", "a2a-tasks.jsonl")
        self.pending = self._at("memory", "state", "pending-memories.jsonl")
        self.export_place = self._at("memory", "state", "events-exported.json")
        self.servers = self._at("memory", "state", "servers")
        self.events = self._at("memory", "state", "hook-events.jsonl")
        self.log = self._at("memory", "state", "debug.log")
        self.debug_flag = self._at("memory", "state", "debug-enabled")

        self.signals = self._at("memory", "signals")
        self.ratings = self._at("memory", "signals", "ratings.jsonl")
        self.algorithm = self._at("memory", "signals", "algorithm-reflections.jsonl")
        self.interaction = self._at("memory", "signals", "interaction")
        self.relationship = self._at("memory", "relationship")
        self.opinions = self._at("memory", "relationship", "opinions.json")
        self.reflections = self._at("memory", "relationship", "reflections")
        self.session_learning = self._at("memory", "session-learning")
        self.failures = self._at("memory", "failures")
        self.wisdom = self._at("memory", "wisdom", "frames")
        self.graduated = self._at("memory", "wisdom", "state", "graduated.json")
        self.project_files = self._at("memory", "projects")
        self.knowledge = self._at("memory", "knowledge")
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
    return Home(system_path(root))


def system_path(path: str) -> str:
    """A path out of a registered command as the system itself writes it."""
    if sys.platform == "win32":
        import os

        path = os.path.normpath(path)
        if "~" in path:
            whole = os.path.realpath(path)
            path = whole if whole[:2] == path[:2] else path  # not where a mapped drive became a server's name
    return path


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


def acl_token(env: Mapping[str, str]) -> str:
    """The file whose content lets a caller write to memory at once (the seed fixes its place)."""
    import os

    named = env.get("PAL_MEMORY_ACL_TOKEN_FILE")
    folder = os.path.join(user_folder(env), ".config", "PAI", "pki", "credentials")
    return os.path.abspath(os.path.expanduser(named)) if named else os.path.join(folder, "memory-acl.token")


def settings_folder(env: Mapping[str, str]) -> str:
    """Where this system's programs with windows keep a user's settings."""
    import os

    if sys.platform == "win32":
        return env.get("APPDATA") or os.path.join(user_folder(env), "AppData", "Roaming")
    if sys.platform == "darwin":
        return os.path.join(user_folder(env), "Library", "Application Support")
    return env.get("XDG_CONFIG_HOME") or os.path.join(user_folder(env), ".config")
