"""Rules about overwriting: accounts, keys, files of the system, devices and PAL's own state."""

from __future__ import annotations

from pal.guard import paths, rows
from pal.guard.model import UNKNOWN, Command, Row
from pal.guard.paths import names
from pal.guard.rules_files import Place
from pal.guard.rules_paths import VALUED, full
from pal.guard.secrets import write_class
from pal.guard.streams import operands

ROW_OF_WRITE = {
    "account": rows.ACCOUNT_WRITE,
    "key": rows.SECRET_WRITE,
    "login": rows.SECRET_WRITE,
    "store": rows.SECRET_WRITE,
    "system": rows.SYSTEM_WRITE,
    "device": rows.DISK_WRITE,
    "state": rows.STATE_WRITE,
    "unclear": rows.UNCLEAR_WRITE,
}
# Of the system's files only these are refused to a command: what is left, an administrator edits in a terminal.
CORE_FILES = (
    "/boot", "/bin/", "/sbin/", "/lib", "/usr/bin/", "/usr/sbin/", "/usr/lib", "/etc/ld.so.preload", "/etc/pam.d",
    "/etc/fstab", "/etc/crontab", "/etc/cron.d", "/system/", "/efi", "/etc/inittab", "/var/spool/cron",
)  # fmt: skip
WRITES_LAST = names("cp gcp mv gmv install ln rsync ditto")
WRITES_ALL = names("tee truncate sponge touch unlink")


def writing(command: Command, place: Place) -> list[tuple[Row, str]]:
    """What redirects and the last words of copying programs overwrite."""
    found: list[tuple[Row, str]] = []
    for _, operator, target in command.redirects:
        if ">" in operator and not target.text.isdigit() and target.text != "-":
            found += overwritten(command, place, target.text, True)
    name = command.name
    if name in WRITES_ALL or name in WRITES_LAST:
        words = operands(command.argv, "tSgmo" if name in WRITES_LAST else "s")
        folder = ""
        for i, word in enumerate(command.argv[:-1]):
            if word.text in ("-t", "--target-directory"):
                folder = command.argv[i + 1].text
        if name in WRITES_ALL:
            for word in words:
                found += overwritten(command, place, word.text, True)
        elif folder or len(words) > 1:
            found += overwritten(command, place, folder or words[-1].text, False)
    elif name in ("sed", "gsed", "perl") and any(
        word.text.startswith(("-i", "--in-place", "-pi")) for word in command.argv
    ):
        for word in operands(command.argv, VALUED.get(name, "e"))[1:]:
            found += overwritten(command, place, word.text, False)
    elif name in ("rm", "grm") and len(command.argv) > 1:
        for word in operands(command.argv):
            kind = write_class(full(command, place, word.text), place.home, place.pal, place.project)
            if kind in ("account", "state"):
                found.append((ROW_OF_WRITE[kind], word.text))
    elif name in ("pv", "dd", "curl", "wget", "openssl", "ssh-keygen", "gcc", "sort", "patch"):
        words = command.argv
        for i, word in enumerate(words):
            text = word.text[3:] if word.text.startswith("of=") else ""
            if word.text in ("-o", "--output", "-O", "--output-document") and i + 1 < len(words):
                text = words[i + 1].text
            if text and text != "-" and name in ("dd", "curl", "wget", "sort"):
                found += overwritten(command, place, text, True)
    return found


def overwritten(command: Command, place: Place, text: str, whole: bool) -> list[tuple[Row, str]]:
    if UNKNOWN in text or len(text) > 4096:
        return []
    path = full(command, place, text)
    if command.mounts is not None:
        return []
    low = paths.folded(path)
    if low.startswith("/proc/sysrq-trigger") or low == "/proc/sysrq-trigger":
        return [(rows.KERNEL_TRIGGER, text)]
    kind = write_class(path, place.home, place.pal, place.project)
    if kind == "system":
        if whole and low.startswith(CORE_FILES) or low.startswith(("/etc/ld.so.preload", "/etc/pam.d", "/etc/cron")):
            return [(rows.SYSTEM_WRITE, text)]
        return [(rows.UNCLEAR_WRITE, text)]
    if kind == "state" and path.endswith((".log", ".txt")):
        return [(rows.UNCLEAR_WRITE, text)]
    row = ROW_OF_WRITE.get(kind)
    return [(row, text)] if row is not None else []
