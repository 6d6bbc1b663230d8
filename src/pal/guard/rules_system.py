"""Rules about disks, processes, accounts and shells for strangers."""

from __future__ import annotations

from pal.guard import rows
from pal.guard.launch import SHELLS
from pal.guard.model import UNKNOWN, Command, Row
from pal.guard.paths import names
from pal.guard.rules_files import Place, device, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    Check = Callable[[Command, Place], list[tuple[Row, str]]]

# Disk tools: the words that make them destroy ("" for always when a device is named).
DISK_TOOLS: dict[str, frozenset[str]] = {
    "wipefs": names("-a --all -o --offset -af -fa"),
    "blkdiscard": frozenset({""}),
    "sgdisk": names("-Z -z -o -d -n --zap-all --zap --clear --delete --new -g --mbrtogpt -R --load-backup -l"),
    "gdisk": frozenset(),
    "parted": names("mklabel mktable mkpart rm resizepart rescue mkpartfs"),
    "cryptsetup": names("luksFormat luksErase erase reencrypt luksKillSlot plainOpen"),
    "nvme": frozenset(["format", "sanitize", "write-zeroes"]),
    "hdparm": names(
        "--security-erase --security-erase-enhanced --security-set-pass --trim-sector-ranges"
        " --make-bad-sector --write-sector --dco-restore --repair-sector"
    ),
    "badblocks": names("-w -n -wsv -wv -sw -svw -ws"),
    "mdadm": frozenset(["--zero-superblock"]),
    "sfdisk": frozenset(["--delete", "--wipe", "--wipe-partitions"]),
    "diskutil": names(
        "erasedisk erasevolume partitiondisk secureerase reformat zerodisk randomdisk eraseoptical"
        " deletecontainer deletevolume resizevolume"
    ),
    "asr": frozenset(["--erase", "-erase"]),
    "scrub": frozenset({""}),
    "nwipe": frozenset({""}),
    "sg_format": frozenset({""}),
    "flashrom": frozenset(["-w", "--write", "-E", "--erase"]),
    "dc3dd": frozenset({""}),
}
VOLUMES: dict[str, frozenset[str]] = {
    "zpool": frozenset(["destroy", "labelclear"]),
    "zfs": frozenset(["destroy", "rollback"]),
    "lvremove": frozenset({""}),
    "vgremove": frozenset({""}),
    "pvremove": frozenset({""}),
    "btrfs": frozenset({"subvolume delete"}),
    "lvm": frozenset(["lvremove", "vgremove", "pvremove"]),
}
MAKES_FILESYSTEM = (
    "mkfs",
    "mke2fs",
    "mkswap",
    "newfs",
    "mkntfs",
    "mkdosfs",
    "mkreiserfs",
    "mkudffs",
    "zpool-create",
    "pvcreate",
)
NEEDS_NO_DEVICE = frozenset({"diskutil", "asr", "nwipe", "flashrom", "dc3dd", "scrub"})


def makes_filesystem(command: Command, place: Place) -> list[tuple[Row, str]]:
    return [(rows.DISK_FORMAT, word.text) for word in command.argv[1:] if device(command, place, word)]


def disk_tool(command: Command, place: Place) -> list[tuple[Row, str]]:
    marks = DISK_TOOLS[command.name]
    words = [word.text for word in command.argv[1:]]
    named = command.name in NEEDS_NO_DEVICE or any(device(command, place, word) for word in command.argv[1:])
    fed = command.stdin is not None and command.name in ("sfdisk", "fdisk", "gdisk")
    destroys = "" in marks or fed or any(word.partition("=")[0] in marks or word.lower() in marks for word in words)
    if command.name == "parted" and any(" " in word for word in words):
        destroys = destroys or any(piece in marks for word in words for piece in word.split())
    if "--help" in words or "--dry-run" in words or (command.name == "sfdisk" and ("-d" in words or "--dump" in words)):
        return []
    return [(rows.DISK_TOOL, command.name)] if named and destroys else []


def fdisk(command: Command, place: Place) -> list[tuple[Row, str]]:
    if "-l" in [word.text for word in command.argv] or command.stdin is None:
        return []
    return [(rows.DISK_TOOL, "fdisk")] if any(device(command, place, word) for word in command.argv[1:]) else []


def volumes(command: Command, place: Place) -> list[tuple[Row, str]]:
    marks = VOLUMES[command.name]
    words = [word.text for word in command.argv[1:] if not word.text.startswith("-")]
    if short(command.argv, "n", "--dry-run", "--test") and command.name == "zfs":
        return []
    if "" in marks or any(word in marks for word in words[:1]) or " ".join(words[:2]) in marks:
        return [(rows.VOLUME_DESTROY, " ".join(words[:2]))] if words else []
    return []


def dd(command: Command, place: Place) -> list[tuple[Row, str]]:
    from pal.guard.model import Argument

    for word in command.argv[1:]:
        if word.text.startswith("of=") and device(command, place, Argument(word.text[3:])):
            return [(rows.DISK_WRITE, word.text)]
    return []


def kill(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = [word.text for word in command.argv[1:]]
    plain = words[words.index("--") + 1 :] if "--" in words else words[1:]
    if any(word in ("-l", "-L", "-0") for word in words[:1]):
        return []
    return [(rows.KILL_ALL, "-1")] if "-1" in plain else []


def kill_by_name(command: Command, place: Place) -> list[tuple[Row, str]]:
    if command.name == "killall5":
        return [(rows.KILL_ALL, "killall5")]
    words = [word.text for word in command.argv[1:]]
    if command.name == "pkill" and words and words[-1] in (".", ".*", "") and "-f" in words:
        return [(rows.KILL_ALL, words[-1])]
    return [(rows.KILL_BY_NAME, command.name)] if command.name == "killall" else []


def accounts(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = [word.text for word in command.argv[1:]]
    if not words or "--help" in words or "-h" in words[:1]:
        return []
    if command.name == "useradd":
        twin = "-o" in words or "--non-unique" in words or "-ou" in words
        return [(rows.ACCOUNTS, "useradd")] if twin and "0" in words else []
    if command.name == "passwd":
        return [(rows.ACCOUNTS, "passwd")] if any(word in ("-d", "--delete", "-l", "--lock") for word in words) else []
    if command.name == "usermod":
        return (
            [(rows.ACCOUNTS, "usermod")] if any(word in ("-L", "--lock") for word in words) and "root" in words else []
        )
    return [(rows.ACCOUNTS, command.name)]


def change_passwords(command: Command, place: Place) -> list[tuple[Row, str]]:
    text = command.stdin.text if command.stdin is not None else None
    return [(rows.ACCOUNTS, "chpasswd")] if (text or "").startswith("root:") else []


def firewall(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = [word.text for word in command.argv[1:]]
    if command.name in ("iptables", "ip6tables"):
        taken = any(word in ("-F", "--flush", "-X", "--delete-chain") for word in words)
    elif command.name == "nft":
        taken = words[:2] == ["flush", "ruleset"]
    else:
        taken = any(word in ("disable", "reset") for word in words[:2])
    return [(rows.FIREWALL, command.name)] if taken else []


def schedule(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = [word.text for word in command.argv[1:]]
    if any(word[:1] == "-" and "r" in word and "-" not in word[1:] for word in words):
        return [(rows.SCHEDULE, "crontab -r")]
    return [(rows.SCHEDULE, "/dev/null")] if "/dev/null" in words else []


def power(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = [word.text for word in command.argv[1:]]
    if command.name in ("init", "telinit"):
        return [(rows.POWER, command.name)] if words[:1] and words[0] in ("0", "6") else []
    if command.name == "systemctl":
        verb = next((word for word in words if not word.startswith("-")), "")
        return [(rows.POWER, verb)] if verb in ("poweroff", "reboot", "halt", "suspend", "hibernate", "kexec") else []
    return [(rows.POWER, command.name)]


def environment(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = [word.text for word in command.argv[1:]]
    quiet = command.name == "printenv" and bool(words) or command.name == "set" and bool(words)
    return [] if quiet or any("=" in word for word in words) else [(rows.ENVIRONMENT, command.name)]


# Shells for strangers


def socket(command: Command, place: Place) -> list[tuple[Row, str]]:
    """netcat and its relatives with a program on this side, or fed by a shell."""
    words = [word.text for word in command.argv[1:]]
    for i, word in enumerate(words):
        following = words[i + 1] if i + 1 < len(words) else ""
        if word in ("-e", "-c", "--exec", "--sh-exec", "--lua-exec") and following:
            return [(rows.REMOTE_SHELL, word)]
        if word.startswith(("--exec=", "--sh-exec=")):
            return [(rows.REMOTE_SHELL, word)]
        if word[:1] == "-" and word[1:2] != "-" and word.endswith("e") and names_shell(following):
            return [(rows.REMOTE_SHELL, word)]
    if fed_by_shell(command):
        return [(rows.REMOTE_SHELL, command.name)]
    return []


def fed_by_shell(command: Command) -> bool:
    return command.stdin is not None and "shell" in command.stdin.tags


def names_shell(text: str) -> bool:
    return text.partition(" ")[0].rpartition("/")[2] in SHELLS or text.partition(" ")[0] in (
        "cmd",
        "cmd.exe",
        "powershell",
    )


def socat(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = [word.text for word in command.argv[1:]]
    low = [word.lower() for word in words]
    runs = any(word.startswith(("exec:", "system:", "shell:")) for word in low)
    network = any(word.startswith(("tcp", "udp", "openssl", "ssl", "sctp", "socks", "proxy")) for word in low)
    return [(rows.REMOTE_SHELL, "socat")] if (runs and network) or fed_by_shell(command) else []


def redirected_shell(command: Command, place: Place) -> list[tuple[Row, str]]:
    """A shell (or any command) whose input and output are a connection: /dev/tcp."""
    for _, operator, target in command.redirects:
        if target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            host = target.text.split("/")[3:4]
            both = operator in (">&", "&>", "<>", "<&")
            local = host[:1] in (["localhost"], ["127.0.0.1"], ["::1"])
            if command.name in SHELLS and (both or operator == "<" or not local):
                return [(rows.REMOTE_SHELL, target.text)]
            if operator == "<>" and command.name == "exec" and not local and UNKNOWN not in target.text:
                number = (host[0] if host else "").replace(".", "")
                if number.isdigit():
                    return [(rows.REMOTE_SHELL, target.text)]
    return []


def openssl(command: Command, place: Place) -> list[tuple[Row, str]]:
    return (
        [(rows.REMOTE_SHELL, "openssl")]
        if fed_by_shell(command) and "s_client" in [w.text for w in command.argv]
        else []
    )


CHECKS: dict[str, Check] = {
    **dict.fromkeys(DISK_TOOLS, disk_tool),
    **dict.fromkeys(VOLUMES, volumes),
    "fdisk": fdisk,
    **dict.fromkeys(("dd", "dcfldd", "gdd", "ddrescue"), dd),
    "kill": kill,
    **dict.fromkeys(("killall", "killall5", "pkill"), kill_by_name),
    **dict.fromkeys(("userdel", "deluser", "passwd", "usermod", "groupdel", "useradd"), accounts),
    **dict.fromkeys(("iptables", "ip6tables", "nft", "ufw"), firewall),
    "chpasswd": change_passwords,
    "crontab": schedule,
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff", "init", "telinit", "systemctl"), power),
    **dict.fromkeys(("env", "printenv", "set", "export", "compgen"), environment),
    **dict.fromkeys(("nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "telnet", "busybox-nc"), socket),
    "socat": socat,
    "openssl": openssl,
}


def checks(name: str) -> Check | None:
    """The rule for a command name; programs that make filesystems come in too many spellings to list."""
    found = CHECKS.get(name)
    return makes_filesystem if found is None and name.startswith(MAKES_FILESYSTEM) else found
