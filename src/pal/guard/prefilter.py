"""Knows from the raw bytes of a payload that a tool call is an everyday one, before anything is parsed or imported.

It tells the harmless, never the dangerous: a known program with plain words, a plain path to a source file. Whatever is
quoted, expanded, escaped, hidden or unknown is looked at. `app.hook` asks first; a test holds it against `judge`."""

from __future__ import annotations

from pal.base import bare
from pal.base.home import PROJECT_RULES, Home

LONGEST = 32 * 1024  # bytes of a payload; more is read by the one that counts its work
_PROJECT_VARIABLE = "_PROJECT_DIR"  # agents name the folder of the session so
_DEEPEST = 24  # folders above one another in which a project's rules are looked for

_OTHER_SPELLINGS = (b'"toolName"', b'"toolInput"')
# Tools with the fields they may bring along; a field that is not here may mean anything.
_SHELLS = {b"Bash": (b"command", b"description", b"timeout", b"run_in_background", b"dangerouslyDisableSandbox")}
_FILE_TOOLS = {
    b"Read": (b"file_path", b"offset", b"limit", b"pages"),
    b"Write": (b"file_path", b"content"),
    b"Edit": (b"file_path", b"old_string", b"new_string", b"replace_all"),
}

_PLAIN = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./:=,+@%&|;>"
_PATH = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./:+@"
_JOINTS = (b"&&", b"||", b"|", b";")
_SILENCE = (b"2>&1", b">/dev/null", b"2>/dev/null")

# Pieces of names under which secrets, systems and their settings are kept. One that means nothing costs a closer look.
_TELLING = tuple(
    b"""
    .env id_ ssh .rsa ed25519 ecdsa secret credential passw passphrase shadow sudoers token key .pem .p12 .p8 .pfx
    .jks .kdb .ppk .asc .gpg .der .age sops netrc npmrc pypirc pgpass my.cnf mylogin htpasswd kube gcloud
    docker/config hosts.yml vault wallet cookies login _history auth.json boto rclone s3cfg tfstate tfvars wp-config
    database.yml private service-acc service_acc serviceacc ntds mkfs sysrq remove- format- clear- invoke
    security.json security.xml creds identity ovpn pip.conf gradle.prop chrome library/ microsoft/ doctl stripe/ ngrok
    k3s glab- config.fish profile.ps1
    """.split()
)
# Words that mean something wherever they stand, also behind a program that runs what follows it.
_DANGEROUS = frozenset(
    b"""
    rm rmdir unlink shred srm dd mv chmod chown chgrp chattr setfacl ln install truncate tee wipefs blkdiscard fdisk
    sfdisk gdisk sgdisk parted format diskpart diskutil del rd ri erase deltree cipher reg icacls takeown attrib
    vssadmin wbadmin bcdedit iex iwr irm powershell pwsh cmd sh bash zsh dash ksh fish csh tcsh busybox eval exec
    source xargs parallel env printenv sudo su doas kill killall pkill shutdown reboot halt poweroff init nc ncat
    netcat socat telnet curl wget fetch openssl base64 xxd useradd userdel usermod passwd visudo crontab iptables
    nft ufw systemctl launchctl insmod rmmod mount umount swapoff delete destroy drop prune purge publish unpublish
    deprecate yank terminate flush flushall flushdb reset clean gc reflog restore rsync scp sftp tar zip dropdb psql
    mysql mongo redis-cli terraform pulumi aws az helm set export alias function trap coproc while until for if then
    do done case
    """.split()
)

# Programs that read what they are given and write to the screen.
_READERS = frozenset(
    b"""
    ls cat head tail wc grep rg egrep fgrep file stat du df pwd cd echo which whoami uname basename dirname nl sort
    uniq cut diff tree true sleep find column date
    """.split()
)
# Programs that build and test what is in the project.
_BUILDERS = frozenset(
    b"""
    pytest mypy eslint prettier tsc jest vitest black isort flake8 pylint make ninja tox nox phpunit rspec rubocop
    shellcheck biome vite
    """.split()
)
# Programs whose first word says what they do: only these words are everyday ones.
_VERBS = {
    b"git": b"status log diff show blame rev-parse ls-files ls-tree describe shortlog add commit",
    b"npm": b"test t run start ci list ls outdated view",
    b"pnpm": b"test run start list ls outdated",
    b"yarn": b"test run start list outdated",
    b"bun": b"test run",
    b"cargo": b"build test check clippy fmt run doc tree bench",
    b"go": b"build test vet fmt run list version",
    b"docker": b"ps images logs version info",
    b"ruff": b"check format",
    b"dotnet": b"build test",
    b"mvn": b"test compile package verify",
    b"gradle": b"test build check",
    b"uv": b"sync lock",
    b"pip": b"list show check",
    b"poetry": b"check show lock",
    b"node": b"--version -v",
    b"python": b"--version -V",
    b"python3": b"--version -V",
}  # fmt: skip
_MODULES = (b"pytest", b"unittest", b"mypy", b"ruff", b"black", b"build", b"compileall")
# Options that run, write or reach elsewhere, by how they begin; short ones mean so only to the programs named here.
_REACHING = tuple(
    b"""
    -exec -ok -delete -fprint -fls -files0 --pre --out --exec --ext --compress --to-file --from-file --files
    --upload --receive --command --config --set --shell --eval --file --script --use- --search --textconv --no-index
    --open --pager --context --host --global --prefix
    """.split()
)
_REACHING_SHORT = {b"sort": b"-o", b"tree": b"-o", b"date": b"-s", b"git": b"-c", b"docker": b"-H"}
_SYSTEM = frozenset(
    b"""
    bin boot dev efi etc lib lib32 lib64 library opt private proc run sbin sys system usr var windows recovery
    """.split()
) | {b""}
_ROOTS = (b"/home/", b"/Users/", b"/tmp/")


def harmless(raw: bytes, root: str) -> bool:
    """True if no rule can concern this payload; `root` is PAL's home, in whose settings the user's own rules stand."""
    if len(raw) > LONGEST or raw[:1] != b"{" or b"\\u" in raw:
        return False  # only with \u could a key be spelled in another way
    if _OTHER_SPELLINGS[0] in raw or _OTHER_SPELLINGS[1] in raw:
        return False
    tool = _text(raw, b'"tool_name"')
    home = bare.variable("HOME").rstrip("/").encode("utf-8", "surrogateescape")
    roots = (*_ROOTS, home + b"/") if home else _ROOTS
    here = _text(raw.replace(b"\\\\", b"/"), b'"cwd"')
    if tool in _SHELLS:
        ordinary = _everyday(_fields(raw, _SHELLS[tool]).get(b"command", b""), roots) and _among_projects(here)
    elif tool in _FILE_TOOLS:
        path = _fields(raw, _FILE_TOOLS[tool]).get(b"file_path", b"").replace(b"\\\\", b"/")
        inside = tool == b"Read" or (bool(here) and path.startswith(here + b"/"))
        ordinary = inside and _ordinary(path, roots)
    else:
        return False
    return ordinary and _nothing_of_pal(raw, root) and not _rules_of_the_user(root) and not _rules_of_a_project(here)


def _fields(raw: bytes, allowed: tuple[bytes, ...]) -> dict[bytes, bytes]:
    """The texts of the only `tool_input` by their names, as they stand in the payload. Empty if it holds anything but
    texts, numbers and switches, a name twice, or one that is not allowed."""
    key = b'"tool_input"'
    at = raw.find(key)
    if at < 1 or raw.find(key, at + 1) >= 0 or raw[at - 1 : at] == b"\\":
        return {}
    at = _past(raw, at + len(key), b":")
    at = _past(raw, at, b"{")
    fields: dict[bytes, bytes] = {}
    while at > 0:
        end = _end_of_text(raw, at)
        name = raw[at + 1 : end - 1]
        if end < 0 or name in fields or name not in allowed:
            return {}
        at = _past(raw, end, b":")
        if raw[at : at + 1] == b'"':
            end = _end_of_text(raw, at)
            fields[name] = raw[at + 1 : end - 1]
        else:
            end = at
            while raw[end : end + 1].isalnum():
                end += 1
            fields[name] = b""
            if end == at:
                return {}
        if at < 0 or end < 0:
            return {}
        at = _past(raw, end, b",")
        if at < 0:
            return fields if _past(raw, end, b"}") > 0 else {}
    return {}


def _past(raw: bytes, at: int, sign: bytes) -> int:
    """Behind the sign that stands at `at`, and the blanks around it; -1 when it does not."""
    while at >= 0 and raw[at : at + 1] in (b" ", b"\n", b"\r", b"\t"):
        at += 1
    if at < 0 or raw[at : at + 1] != sign:
        return -1
    at += 1
    while raw[at : at + 1] in (b" ", b"\n", b"\r", b"\t"):
        at += 1
    return at


def _end_of_text(raw: bytes, at: int) -> int:
    """Behind the string that begins at `at`; -1 when none does or it never ends."""
    if at < 0 or raw[at : at + 1] != b'"':
        return -1
    end = raw.find(b'"', at + 1)
    while end > 0:
        slashes = end
        while raw[slashes - 1 : slashes] == b"\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end + 1
        end = raw.find(b'"', end + 1)
    return -1


def _text(raw: bytes, key: bytes) -> bytes:
    """The string behind the only such key; empty when there is none, more than one, or an escape in it."""
    at = raw.find(key)
    if at < 1 or raw.find(key, at + 1) >= 0 or raw[at - 1 : at] == b"\\":
        return b""
    at += len(key)
    if raw[at : at + 3] == b': "':
        at += 3
    elif raw[at : at + 2] == b':"':
        at += 2
    else:
        return b""
    value = raw[at : raw.find(b'"', at)]
    return b"" if b"\\" in value else value


def _everyday(command: bytes, roots: tuple[bytes, ...]) -> bool:
    """Known programs with plain words, joined or piped; an empty command is none."""
    if not command or command.translate(None, _PLAIN) or _tells(command):
        return False
    segment: list[bytes] = []
    for word in command.replace(b"; ", b" ; ").split(b" "):
        if word in _JOINTS:
            if not _known(segment):
                return False
            segment = []
        elif word in _SILENCE or not word:
            continue
        elif b"&" in word or b"|" in word or b";" in word or b">" in word or not _simple(word, roots):
            return False
        else:
            segment.append(word)
    return _known(segment)


def _known(segment: list[bytes]) -> bool:
    if not segment:
        return False
    program, words = segment[0], segment[1:]
    reaching = (*_REACHING, _REACHING_SHORT.get(program, b"--exec"))
    if any(word.startswith(reaching) for word in words):
        return False
    if program in _READERS:
        return True
    if program in _BUILDERS:
        return b"=" not in b"".join(words)
    if program in (b"python", b"python3") and words[:1] == [b"-m"]:
        return len(words) > 1 and words[1] in _MODULES
    verbs = _VERBS.get(program)
    return verbs is not None and bool(words) and words[0] in verbs.split(b" ")


def _simple(word: bytes, roots: tuple[bytes, ...]) -> bool:
    """A word that stays where it is: no way up, no hidden folder, nothing outside the user's and temporary folders."""
    if word == b"./...":  # every package, in Go
        return True
    if word in _DANGEROUS or word.rpartition(b"/")[2] in _DANGEROUS or b"//" in word:
        return False
    if word[:1] == b"/" and not word.startswith(roots):
        return False
    for before in (b"/", b"=", b":", b"@", b",", b"+", b"%"):
        if before + b"." in word or (before != b"/" and before + b"/" in word):
            return False
    return word[:1] != b"." or word == b"." or word[:2] == b"./"


def _among_projects(folder: bytes) -> bool:
    """A folder from which plain words reach nothing but plain files."""
    lowered = folder.lower()
    if lowered[1:3] == b":/":
        lowered = lowered[2:]
    top = lowered[1:].partition(b"/")[0]
    return lowered[:1] == b"/" and top not in _SYSTEM and b"/." not in lowered and not _tells(lowered)


def _ordinary(path: bytes, roots: tuple[bytes, ...]) -> bool:
    """An absolute path in a folder where people work, with nothing hidden and nothing telling in it."""
    if path[1:3] == b":/":
        path = path[2:]  # of every drive
    if b":" in path or not path.startswith(roots) or path.translate(None, _PATH) or _tells(path):
        return False
    return b"/." not in path and b"//" not in path and path.count(b"/") > 2


def _tells(text: bytes) -> bool:
    lowered = text.lower()
    return any(piece in lowered for piece in _TELLING)


def _nothing_of_pal(raw: bytes, root: str) -> bool:
    """No folder of PAL's is where the call is made or what it names."""
    place = root.replace("\\", "/").lower().encode("utf-8", "surrogateescape")
    return bool(place) and place not in raw.lower().replace(b"\\\\", b"/")


def _rules_of_the_user(root: str) -> bool:
    """Whether the settings may hold a rule of the user's own: each has one of these keys."""
    try:
        with open(Home(root).settings, "rb") as stream:
            data = stream.read()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    broken = data.count(b"{") != data.count(b"}")  # then the last good ones hold
    return broken or b'"argv"' in data or b'"path"' in data or b"\\u" in data


def _rules_of_a_project(here: bytes) -> bool:
    """Whether rules of a project lie in a folder above the call or above the session's folder."""
    if not here:
        return True  # nobody can tell
    folders = (here.decode("utf-8", "surrogateescape"), *bare.variables(_PROJECT_VARIABLE))
    return any(bare.exists(path) for path in places_of_rules(*folders))


def places_of_rules(*folders: str) -> list[str]:
    """Where rules of a project may lie for a call made in these folders: in each of them and in those above."""
    places: dict[str, None] = {}
    for folder in folders:
        folder = folder.replace("\\", "/").rstrip("/")
        for _ in range(_DEEPEST):
            place = folder + "/" + PROJECT_RULES
            if "/" not in folder or place in places:
                break
            places[place] = None
            folder = folder.rpartition("/")[0]
    return list(places)
