"""What a path means, read as text: one spelling for every way to write it.

The rule tables, the delete rules and the file tools ask here. Nothing looks at the disk: the same words give the same
answer everywhere."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

GLOBS = frozenset("*?[")
_MOUNTED = frozenset("cdefgh")  # drives that Git Bash and MSYS show as folders of the root
_LONGEST = 8192  # characters; systems refuse longer paths

_BLOCK = ("disk", "dm-", "drbd", "hd", "md", "mmcblk", "nbd", "nvme", "physicaldrive", "harddisk", "rdisk", "sd", "vd")
_BLOCK_FOLDERS = frozenset(("disk", "mapper", "md", "zvol"))
_MEMORY = frozenset(("kmem", "mem", "port"))


def names(text: str) -> frozenset[str]:
    """The words of a table, as a set."""
    return frozenset(text.split())


def drive_of(path: str) -> str:
    """The drive letter `path` begins with (upper case), or ""."""
    if len(path) >= 2 and path[1] == ":" and path[0].isalpha() and path[0].isascii():
        return path[0].upper()
    return ""


def normalise(path: str, cwd: str | None, home: str, windows: bool = False, tilde: bool = False) -> str:
    """One spelling of `path`: absolute, forward slashes, no `.`/`..`, no second names (`/private/tmp`, `/mnt/c`).

    `tilde` expands a leading `~` (the caller knows whether it was quoted). With `cwd` unknown ("" or None) a relative
    path stays so. Drives read `C:/…`, shares `//server/share/…`. Glob characters are kept."""
    text = path[:_LONGEST]
    windows = windows or bool(cwd and drive_of(cwd))
    if windows or (drive_of(text) and text[2:3] in ("", "\\", "/")) or text.startswith("\\\\"):
        text = text.replace("\\", "/")
    if text[:7].lower() == "file://":
        text = text[7:]
        if text[:10].lower() == "localhost/":
            text = text[9:]
        if drive_of(text[1:]):
            text = text[1:]
    if windows and "::" in text[:64]:
        provider, _, rest = text.partition("::")
        if provider.lower().endswith("filesystem"):
            text = rest
    if text.startswith(("//?/", "//./")):
        text = text[4:]
        if text[:4].lower() == "unc/":
            text = "//" + text[4:]
        elif text[:8].lower() in ("physical", "harddisk"):
            return "/dev/" + text
    if tilde and text.startswith("~"):
        text = _user(text, home)
    if drive_of(text) and (windows or text[2:3] in ("", "/")):
        return _joined(drive_of(text) + ":/", text[2:])
    if text.startswith("//") and windows:
        return _joined("//", text)
    if text.startswith("/"):
        if windows and cwd and drive_of(cwd):
            known = _second_name(_clean(text), cwd, home)
            rooted = path.startswith("\\") or not drive_of(known)  # `\x` is a folder of this drive, `/c/x` is a drive
            return _joined(drive_of(cwd) + ":/", text) if rooted else known
        return _second_name(_clean(text), cwd, home)
    if not cwd:
        return "/".join(_clean(text, True)) or "."
    base = normalise(cwd, "/", home, windows)
    return normalise(base.rstrip("/") + "/" + text, "/", home, windows)


def _user(text: str, home: str) -> str:
    """`~`, `~/x`, `~name/x` as the shell reads them."""
    name, slash, rest = text.partition("/")
    here = home.replace("\\", "/").rstrip("/") if drive_of(home) else home.rstrip("/")
    parent, _, own = here.rpartition("/")
    if name in ("~", "~" + own):
        return here + slash + rest
    if name == "~root":
        return "/root" + slash + rest
    if name in ("~+", "~-"):
        return "." + slash + rest
    return parent + "/" + name[1:] + slash + rest


def _clean(text: str, relative: bool = False) -> list[str]:
    parts: list[str] = []
    for name in text.split("/"):
        if name in ("", "."):
            continue
        if name != "..":
            parts.append(name)
        elif parts and parts[-1] != "..":
            parts.pop()
        elif relative:
            parts.append(name)
    return parts


def _joined(root: str, text: str) -> str:
    """A Windows path: trailing dots and blanks of a name and `:stream` mean nothing to its file systems."""
    parts = []
    for name in text.split("/"):
        name = name.partition(":")[0]
        if name.strip(". ") or name.strip() == "..":
            name = name.strip() if name.strip() == ".." else name.rstrip(". ")
            parts.append(name)
    return root + "/".join(_clean("/".join(parts)))


def _second_name(parts: list[str], cwd: str | None, home: str) -> str:
    low = [name.lower() for name in parts[:4]]
    if low[:1] == ["private"] and low[1:2] in (["tmp"], ["var"], ["etc"]):
        parts = parts[1:]
    elif low[:3] == ["system", "volumes", "data"] and len(low) > 3:
        parts = parts[3:]
    elif low[:1] == ["proc"] and len(low) > 2 and (low[1] in ("self", "thread-self") or low[1].isdigit()):
        if low[2] == "root":
            parts = parts[3:]
        elif low[2] == "cwd" and cwd:
            return normalise("/".join(parts[3:]) or ".", cwd, home)
    elif low[:1] in (["mnt"], ["cygdrive"]) and len(low) > 1 and drive_of(low[1] + ":") and len(low[1]) == 1:
        return _joined(low[1].upper() + ":/", "/".join(parts[2:]))
    elif low and low[0] in _MOUNTED:
        return _joined(low[0].upper() + ":/", "/".join(parts[1:]))
    elif low[:2] == ["var", "run"]:
        parts = parts[1:]
    return "/" + "/".join(parts)


def folded(path: str) -> str:
    """A normalised path for comparing with the tables: lower case, since half of all systems do not tell case apart."""
    return path.lower()


def below(path: str, folder: str) -> str | None:
    """What of `path` lies below `folder` (both normalised and folded): "" for itself, None when it is elsewhere."""
    if path == folder or path + "/" == folder:
        return ""
    lead = folder if folder.endswith("/") else folder + "/"
    return path[len(lead) :] if path.startswith(lead) else None


def has_glob(text: str) -> bool:
    """Whether a shell would read `text` as a pattern."""
    return any(letter in GLOBS for letter in text)


def matches(pattern: str, name: str) -> bool:
    """Whether the glob `pattern` can stand for `name`: a bracket counts as any one character. Never recursive."""
    at = spot = 0
    star, resume = -1, 0
    length = len(pattern)
    while spot < len(name):
        letter = pattern[at] if at < length else ""
        if letter == "*":
            star, resume = at, spot
            at += 1
            continue
        if letter == "[":
            end = pattern.find("]", at + 2)
            if end > 0:
                at, spot = end + 1, spot + 1
                continue
        if letter and (letter == "?" or letter == name[spot]):
            at, spot = at + 1, spot + 1
        elif star >= 0:
            resume += 1
            at, spot = star + 1, resume
        else:
            return False
    return pattern[at:].strip("*") == ""


def one_of(name: str, table: Iterable[str]) -> bool:
    """Whether `name`, which may be a pattern, is or can stand for a name of the table."""
    if not has_glob(name):
        return name in table
    if len(name) > 255:
        return False
    return any(matches(name, known) for known in table)


def owner(path: str, home: str) -> tuple[str, str] | None:
    """("home" or "other", what lies below it) when the normalised, folded `path` is in somebody's home, else None."""
    rest = below(path, folded(normalise(home, "/", home))) if home else None
    if rest is not None:
        return "home", rest
    parts = path.split("/")
    if parts[0] == "" and parts[1] == "root":
        return "other", "/".join(parts[2:])
    if len(parts) > 2 and parts[1] in ("home", "users") and parts[2] and (parts[0] == "" or len(parts[0]) == 2):
        return None if parts[2] == "shared" else ("other", "/".join(parts[3:]))
    return None


def device(path: str) -> str:
    """For a normalised path: "block" (a disk), "memory", "plain" (null, a terminal, …), "" for what is no device."""
    low = folded(path)
    if not low.startswith("/dev/"):
        return ""
    name, _, rest = low[5:].partition("/")
    if name in _MEMORY:
        return "memory"
    if (rest and name in _BLOCK_FOLDERS) or name.startswith("xvd"):
        return "block"
    for lead in _BLOCK:
        if name.startswith(lead) and (lead not in ("hd", "sd", "vd") or name[2:3].isalpha() or has_glob(name)):
            return "block" if rest == "" else ""
    return "plain"
