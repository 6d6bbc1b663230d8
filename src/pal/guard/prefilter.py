"""Knows from the raw bytes of a payload that a tool call is an everyday one, before anything is parsed or imported.

It tells the harmless, never the dangerous: a known program with plain words, a plain path to a source file. Whatever is
quoted, expanded, escaped, hidden or unknown is looked at. `app.hook` asks first; a test holds it against `judge`."""

from __future__ import annotations

from pal.base import bare
from pal.base.home import PROJECT_RULES, Home
from pal.guard import rawjson

LONGEST = 32 * 1024  # bytes of a payload; more is read by the one that counts its work
_PROJECT_VARIABLE = "_PROJECT_DIR"  # agents name the folder of the session so
_DEEPEST = 24  # folders above one another in which a project's rules are looked for

# (a tool's name, what it is given, and keys that mean the same and may not be there too)
_SPELLINGS = ((b'"tool_name"', b'"tool_input"', b'"tool_args"', b'"toolInput"'), (b'"toolName"', b'"toolArgs"'))
# Tools with the fields they may bring along; a field that is not here may mean anything.
_SHELLS = {
    b"Bash": (b"command", b"description", b"timeout", b"run_in_background", b"dangerouslyDisableSandbox"),
    b"bash": (b"command", b"description", b"timeout", b"initial_wait", b"mode"),
    b"run_shell_command": (b"command", b"description"),
    b"run_in_terminal": (b"command", b"explanation", b"goal", b"isBackground"),
    b"Shell": (b"command", b"working_directory"),
}
_READING = {
    b"Read": (b"file_path", b"offset", b"limit", b"pages"),
    b"read": (b"filePath", b"offset", b"limit"),
    b"view": (b"path",),
    b"read_file": (
        b"file_path",
        b"offset",
        b"limit",
        b"start_line",
        b"end_line",
        b"filePath",
        b"startLine",
        b"endLine",
    ),
}
_FILE_TOOLS = {
    **_READING,
    b"Write": (b"file_path", b"content"),
    b"Edit": (b"file_path", b"old_string", b"new_string", b"replace_all"),
    b"write": (b"filePath", b"content"),
    b"edit": (b"filePath", b"oldString", b"newString", b"replaceAll", b"path", b"old_str", b"new_str"),
    b"create": (b"path", b"file_text"),
    b"write_file": (b"file_path", b"content"),
    b"create_file": (b"filePath", b"content"),
    b"replace_string_in_file": (b"filePath", b"oldString", b"newString", b"explanation"),
    b"replace": (b"file_path", b"old_string", b"new_string", b"instruction", b"allow_multiple"),
}
_PATH_KEYS = (b"file_path", b"filePath", b"path")

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
    found = [spelling for spelling in _SPELLINGS if any(key in raw for key in spelling)]
    if len(found) != 1 or any(key in raw for key in found[0][2:]):
        return False
    name, given = found[0][:2]
    tool = rawjson.text(raw, name)
    home = bare.variable("HOME").rstrip("/").encode("utf-8", "surrogateescape")
    roots = (*_ROOTS, home + b"/") if home else _ROOTS
    here = rawjson.text(raw.replace(b"\\\\", b"/"), b'"cwd"')
    if tool in _SHELLS:
        named = rawjson.fields(raw, given, _SHELLS[tool])
        folder = named.get(b"working_directory", b"").replace(b"\\\\", b"/")
        ordinary = folder in (b"", here) and _everyday(named.get(b"command", b""), roots) and _among_projects(here)
    elif tool in _FILE_TOOLS:
        named = rawjson.fields(raw, given, _FILE_TOOLS[tool])
        paths = [named[key] for key in _PATH_KEYS if key in named]
        path = paths[0].replace(b"\\\\", b"/") if len(paths) == 1 else b""
        inside = tool in _READING or (bool(here) and path.startswith(here + b"/"))
        ordinary = inside and _ordinary(path, roots)
    else:
        return False
    ordinary = ordinary and _nothing_of_pal(raw, root) and not _rules_of_the_user(root)
    return ordinary and not _rules_of_a_project(here) and not _in_a_run(raw, root)


def _in_a_run(raw: bytes, root: str) -> bool:
    """Whether the call may be of a session that follows a workflow, which says what may be written."""
    try:
        rows = bare.read_bytes(Home(root).switchboard_active)
    except OSError:
        return True
    # One row a line, which begins with the session in quotes; one too short could stand in any payload.
    sessions = [line[1:].partition(b'": ')[0] for line in (rows or b"").split(b"\n") if line[:1] == b'"']
    return any(len(session) < 6 or session in raw for session in sessions)


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
