"""What deleting a path would destroy, from its text alone: the root, a home, a cache, something in the project, …

The rules for recursive deletes ask `delete_target`; so do those for changing modes and owners of whole trees."""

from __future__ import annotations

from pal.guard.paths import below, drive_of, folded, has_glob, names, normalise, one_of, owner

_EVERYTHING = frozenset("*?.[]!^{},")  # a name of these only, with a star, stands for all there is in the folder

# Folders of a POSIX root: deleting one breaks the machine. Below those of the second row nothing may go either.
_ROOTS = names(
    "applications bin boot cores dev etc home lib lib32 lib64 libx32 library media mnt nix opt private proc root run"
    " sbin snap srv sys system usr users var volumes"
)
_WHOLE = names("bin boot dev lib lib32 lib64 libx32 proc sbin sys system")
# Second and third levels that are part of the system; what programs put beside them is merely outside the project.
_VITAL = frozenset(
    "/usr/bin /usr/sbin /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/include /usr/share /usr/local /usr/src"
    " /usr/local/bin /usr/local/sbin /usr/local/lib /usr/local/share /usr/local/etc /usr/local/include /usr/local/opt"
    " /usr/local/cellar /opt/homebrew /opt/local /nix/store /nix/var"
    " /var/lib /var/log /var/db /var/spool /var/mail /var/www /var/opt /var/backups /var/local /var/root"
    " /var/lib/dpkg /var/lib/rpm /var/lib/apt /var/lib/pacman /var/lib/docker /var/lib/containerd /var/lib/mysql"
    " /var/lib/postgresql /var/lib/mongodb /var/lib/redis /var/lib/etcd /var/lib/kubelet /var/lib/systemd"
    " /etc/apt /etc/default /etc/init.d /etc/kubernetes /etc/letsencrypt /etc/network /etc/netplan /etc/pam.d"
    " /etc/profile.d /etc/security /etc/selinux /etc/skel /etc/ssh /etc/ssl /etc/pki /etc/sudoers.d /etc/systemd"
    " /etc/networkmanager /etc/rc.d /etc/cron.d /etc/yum.repos.d /etc/ld.so.conf.d /etc/udev"
    " /library/application support /library/preferences /library/launchdaemons /library/launchagents"
    " /library/keychains /library/frameworks /library/extensions".replace(" /", "\n/").split("\n")
)
_DRIVE_VITAL = frozenset(
    ("boot", "documents and settings", "efi", "perflogs", "program files", "program files (x86)", "programdata")
    + ("recovery", "system volume information", "users", "windows")
)
_DRIVE_DEEP = frozenset(
    ("program files/common files", "program files (x86)/common files", "program files/windowsapps")
    + ("programdata/microsoft", "programdata/microsoft/windows")
)

# Folders of a home whose loss is felt: the user's own, and where programs keep everything they know.
_USER_FOLDERS = frozenset(
    ("3d objects", "appdata", "applications", "contacts", "desktop", "documents", "downloads", "dropbox", "favorites")
    + ("google drive", "icloud drive", "library", "links", "mail", "movies", "music", "my documents", "onedrive")
    + ("pictures", "public", "saved games", "searches", "templates", "videos")
    + (".aws", ".azure", ".config", ".docker", ".gnupg", ".kube", ".local", ".mozilla", ".password-store", ".ssh")
    + (".thunderbird",)
)
_USER_DEEP = frozenset(
    (".config/gcloud", ".local/bin", ".local/share", ".local/state", "appdata/local", "appdata/locallow")
    + ("appdata/roaming", "library/application support", "library/containers", "library/keychains", "library/mail")
    + ("library/messages", "library/mobile documents", "library/preferences", ".local/share/keyrings")
)

# What a program makes again by itself, by place below a home …
_HOME_CACHES = (
    ".cache", ".ccache", ".bun/install/cache", ".cargo/git", ".cargo/registry", ".composer/cache", ".deno",
    ".gradle/caches", ".gradle/daemon", ".gradle/wrapper", ".ivy2/cache", ".local/share/pnpm/store",
    ".local/share/trash", ".m2/repository", ".node-gyp", ".npm/_cacache", ".npm/_logs", ".npm/_npx", ".nuget/packages",
    ".nv", ".pnpm-store", ".pub-cache", ".sass-cache", ".thumbnails", ".yarn/berry", ".yarn/cache", "go/pkg/mod",
    ".trash", "library/caches", "library/developer/xcode/deriveddata", "library/logs", "library/pnpm/store",
    "appdata/local/cache", "appdata/local/npm-cache", "appdata/local/nuget", "appdata/local/pip/cache",
    "appdata/local/pnpm", "appdata/local/yarn", "appdata/roaming/npm-cache", "appdata/local/uv/cache",
)  # fmt: skip
# … and by name, wherever it is.
_CACHE_NAMES = names(
    ".angular .cache .eggs .gradle .hypothesis .mypy_cache .next .nox .nuxt .nyc_output .parcel-cache .pytest_cache"
    " .ruff_cache .svelte-kit .tox .turbo .venv __pycache__ deriveddata node_modules"
)
_TEMPORARY = ("/tmp", "/var/tmp", "/var/folders", "/dev/shm", "/run/shm")
_TEMPORARY_BELOW = ("appdata/local/temp", "local settings/temp", ".tmp", "tmp")  # of a home


def delete_target(
    path: str,
    cwd: str | None,
    home: str,
    project: str | None = None,
    pal: str = "",
    windows: bool = False,
    tilde: bool = False,
    globs: bool = True,
) -> str:
    """What a recursive delete of `path` would take, worst first: root, drive, system, home, other-home, user-folder,
    state (PAL's own home), temporary, cache, project (all of it), git (its history), inside, outside, unknown.

    `project` is the folder the agent works in (default `cwd`); `globs` is off where the pattern was quoted."""
    full = normalise(path, cwd, home, windows, tilde)
    if not full.startswith("/") and full[1:3] != ":/":
        return "unknown"
    low = folded(full)
    star = False
    while globs:
        head, slash, last = low.rpartition("/")
        if not slash or "*" not in last or not set(last) <= _EVERYTHING:
            break
        low, star = head + ("/" if head == "" or (len(head) == 2 and head[1] == ":") else ""), True
    work = folded(normalise(project or cwd or "/", "/", home, windows))
    found = _protected(low, home, globs)
    if found:
        return found
    if pal and below(low, folded(normalise(pal, "/", home))) == "":
        return "state"
    if _temporary(low, home, star):
        return "temporary"
    if _cache(low, home):
        return "cache"
    rest = below(low, work)
    if rest == "":
        return "project"
    if rest is None or _protected(work, home, False) in ("root", "drive", "system", "other-home"):
        return "outside"
    if ".git" in rest.split("/"):
        return "inside" if rest.endswith(".lock") else "git"
    if rest.startswith(".") and owner(low, home) == ("home", rest):
        return "outside"  # the agent works in the home itself: a hidden folder there is some program's memory
    return "inside"


def _protected(low: str, home: str, globs: bool) -> str:
    if low == "/":
        return "root"
    parts = low.split("/")
    if parts[0]:
        if parts[1] == "" or low == "//":
            return "drive"
    elif parts[1] == "":
        return "drive" if len(parts) <= 4 else ""  # a share, whole
    whose = owner(low, home)
    if whose:
        whom, rest = whose
        if rest == "":
            return "home" if whom == "home" else "other-home"
        if rest in _USER_DEEP or rest.startswith("onedrive - ") and "/" not in rest:
            return "user-folder"
        if "/" not in rest and (one_of(rest, _USER_FOLDERS) if globs else rest in _USER_FOLDERS):
            return "user-folder"
        return ""
    if parts[0]:
        rest = "/".join(parts[1:])
        if parts[1] == "windows":
            return "" if rest.startswith("windows/temp/") else "system"
        if rest in _DRIVE_DEEP or (len(parts) == 2 and one_of(parts[1], _DRIVE_VITAL)):
            return "system"
        return ""
    if len(parts) == 2:
        return "system" if one_of(parts[1], _ROOTS) else ""
    if parts[1] == "volumes" and len(parts) == 3:
        return "drive"
    if parts[1] in _WHOLE and not low.startswith("/dev/shm/"):
        return "system"
    return "system" if low in _VITAL or (has_glob(low) and len(low) < 64 and one_of(low, _VITAL)) else ""


def _temporary(low: str, home: str, star: bool) -> bool:
    for folder in _TEMPORARY:
        rest = below(low, folder)
        if rest or (star and rest == ""):
            return True
    if drive_of(low):
        rest = low[3:]
        for lead in ("temp/", "tmp/", "windows/temp/"):
            if rest.startswith(lead) or (star and rest + "/" == lead):
                return True
    whose = owner(low, home)
    if not whose:
        return False
    return any(whose[1].startswith(lead + "/") or (star and whose[1] == lead) for lead in _TEMPORARY_BELOW)


def _cache(low: str, home: str) -> bool:
    if below(low, "/var/cache") is not None or below(low, "/var/lib/apt/lists") is not None:
        return True
    whose = owner(low, home)
    if whose and any(below(whose[1], lead) is not None for lead in _HOME_CACHES):
        return True
    name = low.rpartition("/")[2]
    return name in _CACHE_NAMES and not (whose and whose[1] == name)
