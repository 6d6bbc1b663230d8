"""The rules for Windows: the rows, and what native programs (`format`, `reg`, `icacls`, …) do, from whatever shell.

`native` reads the words of one command; PowerShell's own commands are judged in `powershell.py`."""

from __future__ import annotations

from pal.guard.delete_targets import delete_target
from pal.guard.model import Finding, Policy, Row
from pal.guard.paths import names

_TELL = "Tell the user what you would run and why."
DELETE = Row(
    "windows-delete",
    "windows",
    "This deletes a drive, a system folder or a home.",
    "Delete the one folder by its path.",
)
DELETE_OUTSIDE = Row(
    "windows-delete-outside",
    "outside-delete",
    "This deletes outside the project, all of it, or what nobody can know.",
    "Delete the one folder by its path.",
)
MOVE = Row("windows-move", "windows", "This moves a drive, a system folder or a home away.", _TELL)
FORMAT = Row("windows-format", "windows", "This formats or clears a disk.", _TELL)
RECOVERY = Row("windows-recovery", "windows", "This removes what Windows recovers from.", _TELL)
BOOT = Row("windows-boot", "windows", "This changes how Windows starts.", "Look with `bcdedit /enum`.")
REGISTRY = Row(
    "windows-registry", "windows", "This deletes a main branch of the registry.", "Delete the one key you made."
)
ACCESS = Row(
    "windows-access",
    "windows",
    "This opens, takes or breaks the access rights of a drive or system folder.",
    "Look with `icacls .`, and change the one folder that needs it.",
)
EVERYBODY = Row("windows-everybody", "permissions", "This lets everybody change the files.", "Grant the one account.")
ACCOUNTS = Row("windows-accounts", "system", "This changes who may log in or rule this machine.", _TELL)
DEFENCES = Row("windows-defences", "system", "This switches the machine's protection off.", _TELL)
PROCESSES = Row("windows-kill-all", "system", "This ends every process.", "End the one process by its id.")
SECRET = Row(
    "windows-secret-read",
    "secrets.read",
    "This shows or copies a file that holds secrets.",
    "Read the template (`Get-Content .env.example`) or ask the user for the one value.",
)
CREDENTIALS = Row("windows-credentials", "secrets.read", "This takes stored passwords out of Windows.", _TELL)
WRITE = Row("windows-protected-write", "paths.write", "This changes a protected file.", _TELL)
DECODED = Row(
    "windows-run-decoded", "obfuscation", "This runs text that is decoded first.", "Give the command as plain text."
)
FETCHED_PLAIN = Row(
    "windows-run-fetched-plain",
    "injection",
    "This runs what it loads over plain http or from a bare address.",
    "Load it over https, read it, then run it.",
)
FETCHED = Row(
    "windows-run-fetched", "pipe-installer", "This runs a script from the network.", "Load it, read it, then run it."
)
REVERSE = Row("windows-reverse-shell", "reverse-shell", "This gives a shell to another machine.", "Use ssh.")
SENT = Row("windows-secret-sent", "secrets.send", "This sends a file that holds secrets.", _TELL)
WSL = Row("wsl-unregister", "infra", "This deletes a whole Linux system.", "Save it with `wsl --export` first.")
UNCLEAR = Row("windows-unclear", "unclear", "What this changes depends on the machine.", "Nothing; it is logged.")

DENIED_TARGETS = frozenset(("root", "drive", "system", "home", "other-home", "user-folder", "state"))
ASKED_TARGETS = frozenset(("project", "git", "outside", "unknown"))
_UNCLEAR_NAMES = names("shutdown schtasks sc net1 cipher fsutil mountvol manage-bde wevtutil sfc dism attrib subst")
_BRANCHES = names("hklm hkey_local_machine hkcr hkey_classes_root hku hkey_users hkcc hkey_current_config")
_USER_BRANCHES = names("hkcu hkey_current_user")
_VITAL_KEYS = names("system sam security hardware bcd00000000")
_EVERYONE = ("everyone:", "*s-1-1-0:", '"everyone":', "jeder:", "users:", '"users":', "authenticated users:")
_SCRIPTING_HOSTS = names("mshta regsvr32 rundll32 wscript cscript msiexec")


def program(word: str) -> str:
    """The bare lower-case name of a program: no folder, no `.exe`."""
    name = word.replace("\\", "/").rpartition("/")[2].lower()
    for ending in (".exe", ".com", ".cmd", ".bat"):
        if name.endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


def native(argv: list[str], cwd: str, home: str, policy: Policy, stdin: str | None = None) -> list[Finding]:
    """What the rules find in one command for a Windows program; [] for a program they do not know."""
    name = program(argv[0]) if argv else ""
    check = PROGRAMS.get(name)
    if check is None:
        return [Finding(UNCLEAR)] if name in _UNCLEAR_NAMES else []
    low = [word.lower() for word in argv[1:]]
    if "/?" in low or "-?" in low or "--help" in low:
        return []
    row = check(argv[1:], low, (cwd, home, policy.pal_home, stdin))
    return [Finding(row, (0, 0), argv[0])] if row else []


def protected(path: str, where: tuple[str, str, str, str | None]) -> bool:
    """Whether `path` is a drive, a system folder or a home."""
    target = delete_target(path.strip('"'), where[0], where[1], pal=where[2], windows=True, tilde=True)
    return target in DENIED_TARGETS


def _format(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    return FORMAT if any(len(word) in (2, 3) and word[1:2] == ":" and word[0].isalpha() for word in low) else None


def _diskpart(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    script = where[3]
    if script is not None and not low:
        verbs = [line.split()[0].lower() for line in script.splitlines() if line.split()]
        if all(verb in ("list", "lis", "detail", "select", "sel", "exit", "rem", "rescan") for verb in verbs):
            return None
    return FORMAT


def _shadows(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    return RECOVERY if low[:1] in (["delete"], ["resize"]) else None


def _wmic(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    if "delete" in low and ("shadowcopy" in low or "shadowstorage" in low):
        return RECOVERY
    return UNCLEAR if "delete" in low or "call" in low else None


def _reagentc(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    return RECOVERY if "/disable" in low else None


def _bcdedit(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    return BOOT if low and low[0] not in ("/enum", "/v", "/export", "/store") else None


def _reg(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    if len(low) < 2:
        return None
    if low[0] in ("save", "export") and low[1].rstrip("\\") in ("hklm\\sam", "hklm\\system", "hklm\\security"):
        return CREDENTIALS
    if low[0] != "delete":
        return UNCLEAR if low[0] in ("import", "restore", "load") else None
    if "/v" in low:
        return UNCLEAR
    return registry_row(low[1])


def registry_row(key: str) -> Row | None:
    """The rule that deleting the registry key `key` (any spelling of its root) meets."""
    low = key.lower().replace("/", "\\").strip('"')
    if low.startswith("registry::"):
        low = low[10:]
    parts = [part for part in low.replace(":", "").split("\\") if part and part != "*"]
    if not parts or parts[0] not in _BRANCHES | _USER_BRANCHES:
        return None
    deep = len(parts)
    if parts[0] in _USER_BRANCHES:
        if deep <= 2 or (parts[1] == "software" and deep == 3 and parts[2] == "microsoft"):
            return REGISTRY
        return None
    if deep <= 2 or parts[1] in _VITAL_KEYS:
        return REGISTRY
    if parts[1] == "software" and parts[2] in ("microsoft", "classes", "policies", "wow6432node") and deep <= 5:
        return REGISTRY
    return UNCLEAR


def _icacls(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    changes = [word for word in low if word.partition(":")[0] in ("/grant", "/deny", "/remove", "/reset", "/setowner")]
    if not changes and not any(word.startswith(("/inheritance", "/g", "/p")) for word in low):
        return None
    if argv and protected(argv[0], where):
        return ACCESS
    for word in low:
        if word.startswith(_EVERYONE[:4]) or (word.startswith(("/grant", "/g")) and "everyone:" in word):
            rights = word.rpartition(":")[2].rpartition(")")[2] or word.rpartition("(")[2].rstrip(")")
            if "f" in rights.split(",") or rights in ("f", "m") or word.endswith(("(f)", "(m)")):
                return EVERYBODY
    return None


def _takeown(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    for spot, word in enumerate(low[:-1]):
        if word == "/f" and protected(argv[spot + 1], where):
            return ACCESS
    return None


def _net(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    if low[:1] == ["user"] and ("/add" in low or "/delete" in low or len([w for w in low if w[:1] != "/"]) > 2):
        return ACCOUNTS
    if low[:1] == ["localgroup"] and "/add" in low:
        return ACCOUNTS
    return UNCLEAR if low[:1] in (["stop"], ["share"]) and len(low) > 1 else None


def _netsh(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    if "advfirewall" in low and "state" in low and "off" in low:
        return DEFENCES
    if "wlan" in low and "key=clear" in low:
        return CREDENTIALS
    return DEFENCES if low[:3] == ["firewall", "set", "opmode"] and "disable" in low else None


def _robocopy(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    if "/l" in low or not ("/mir" in low or "/purge" in low):
        return None
    return DELETE if len(argv) > 1 and protected(argv[1], where) else None


def _certutil(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    plain = any(word.startswith("http://") for word in low)
    return FETCHED_PLAIN if plain and any(word[1:] == "urlcache" for word in low) else None


def _host(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    text = " ".join(low)
    if "comsvcs" in text and "minidump" in text:
        return CREDENTIALS
    return FETCHED_PLAIN if "http:" in text or "https:" in text or "javascript:" in text else None


def _dumps(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    text = " ".join(low)
    return CREDENTIALS if "lsass" in text or "ifm" in text or "sekurlsa" in text or "lsadump" in text else None


def _wsl(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    return WSL if low[:1] in (["--unregister"], ["/unregister"]) else None


def _deltree(argv: list[str], low: list[str], where: tuple[str, str, str, str | None]) -> Row | None:
    return DELETE if any(word[:1] != "/" and protected(word, where) for word in argv) else None


PROGRAMS = {
    "format": _format, "diskpart": _diskpart, "vssadmin": _shadows, "wbadmin": _shadows, "diskshadow": _shadows,
    "wmic": _wmic, "reagentc": _reagentc, "bcdedit": _bcdedit, "reg": _reg, "icacls": _icacls, "cacls": _icacls,
    "takeown": _takeown, "net": _net, "netsh": _netsh, "robocopy": _robocopy, "certutil": _certutil,
    "procdump": _dumps, "procdump64": _dumps, "ntdsutil": _dumps, "mimikatz": _dumps, "wsl": _wsl, "deltree": _deltree,
    **dict.fromkeys(_SCRIPTING_HOSTS, _host),
}  # fmt: skip
