"""Rules about files that hold secrets and files the machine stands on: who prints, copies, sends or overwrites them.

What a command does with its operands is decided by its name: PRINTS, COPIES, SENDS, CONSUMES below. A name in none of
them is refused only for keys and stored logins, since most programs use a dotenv file without showing it.
"""

from __future__ import annotations

from pal.guard import paths, rows
from pal.guard.model import UNKNOWN, Argument, Command, Row
from pal.guard.paths import names
from pal.guard.rules_files import Place
from pal.guard.secrets import FOLDERS, SECRETS, UNCLEAR, read_class
from pal.guard.streams import operands

PRINTS = names(
    "cat less more head tail bat batcat nl tac grep egrep fgrep rg ag ack sed awk gawk mawk sort uniq cut"
    " xxd hexdump hd od strings diff cmp comm paste fold base64 gbase64 base32 basenc jq yq column rev"
    " look zcat dd pr fmt expand most view split csplit iconv pbcopy xclip xsel wl-copy highlight"
    " pygmentize glow tee vimdiff sdiff colordiff delta join tr lolcat hexyl shuf ccat mcat type"
    " openssl-enc uuencode dog gcat ghead gtail gsed ggrep zgrep zless cat-file Get-Content gc"
)
COPIES = names(
    "cp gcp mv ln install tar gtar bsdtar zip 7z 7za gzip bzip2 xz zstd cpio pax ditto rar ar scp sftp rsync croc"
)
ARCHIVES = names("tar gtar bsdtar zip 7z 7za gzip bzip2 xz zstd cpio pax rar ar")
SENDS = names(
    "curl wget scp sftp ftp nc ncat netcat socat telnet http https xh mail mailx mutt sendmail croc wormhole rclone"
)
CONSUMES = names(
    "ls ll stat file test [ [[ chmod chown chgrp touch rm unlink shred mkdir rmdir find fd wc du md5sum"
    " sha1sum sha256sum shasum b2sum cksum echo printf ssh ssh-add ssh-copy-id ssh-keygen ssh-keyscan mosh"
    " autossh git source . export unset basename dirname realpath readlink cd pushd kubectl oc helm k9s"
    " docker podman docker-compose nerdctl ansible ansible-playbook ansible-vault terraform tofu aws"
    " gcloud az gh gpg gpg2 openssl certutil keytool mkcert nginx caddy which whereis dotenv dotenvx"
    " direnv op sops age vault trash code open xdg-open chattr lsattr setfacl getfacl restorecon"
    " tree eza exa lsd sleep true false read kinit docker-machine psql pg_dump mysql mysqldump vagrant"
    " pass alias history man help pal inotifywait entr watch rga locate mdfind tmux screen cmp-not sudo"
    " doas env time nohup puttygen secret-tool kubectx kubens stern flux argocd eksctl doctl fly heroku"
    " netlify vercel firebase wrangler set local declare typeset readonly xargs if for while let eval exec"
    " trap return exit node python python3 ruby perl php bash sh zsh deno bun npm npx yarn pnpm make uv"
    " cargo go pytest rails bundle docker-credential-helper mount umount useradd adduser logger"
    " notify-send pre-commit detect-secrets gitleaks trufflehog ggshield tsc eslint prettier"
)
UPLOADS: dict[str, list[str]] = {
    "aws": ["s3"],
    "gh": ["gist", "create"],
    "gcloud": ["storage"],
    "gsutil": [],
    "s3cmd": [],
    "azcopy": [],
}
EDITORS = names("vim vi nvim nano emacs pico micro hx code subl atom gedit kate ex ed")
FIRST_IS_PATTERN = names("grep egrep fgrep rg ag ack sed awk gawk mawk jq yq ggrep gsed zgrep")
VALUED = {
    "grep": "efABCmdD", "egrep": "efABCmdD", "fgrep": "efABCmdD", "ggrep": "efABCmdD", "zgrep": "efABCmdD",
    "rg": "efABCmgtTjrM", "ag": "ABCmgG", "sed": "efl", "awk": "Fvf", "gawk": "Fvf", "mawk": "Fvf", "head": "nc",
    "tail": "nc", "cut": "dfcb", "sort": "kto", "xxd": "lsc", "jq": "fL", "zip": "x", "bat": "lrH",
    "perl": "eEI", "ruby": "erI", "split": "lbnC", "fold": "w", "openssl": "",
}  # fmt: skip
GIVES_NO_TEXT = names(
    "-q --quiet --silent -l --files-with-matches -c --count -L -qE -qs -lr -rl -qF -qi -iq -cE --files"
)
# Programs that print what a store keeps, with the words that make them.
STORES = {
    "gpg": ("--export-secret-keys", "--export-secret-subkeys", "--export-secret-key"),
    "gpg2": ("--export-secret-keys", "--export-secret-subkeys", "--export-secret-key"),
    "security": ("dump-keychain", "-w", "-g", "export"),
    "secret-tool": ("lookup", "search"),
    "pass": ("show",),
    "keyctl": ("print", "read", "pipe"),
}
ROW_OF_SECRET = {
    "env": rows.SECRET_PRINT,
    "store": rows.KEY_READ,
    "key": rows.KEY_READ,
    "key-folder": rows.KEY_READ,
    "login": rows.LOGIN_READ,
    "login-folder": rows.LOGIN_READ,
    "account": rows.ACCOUNT_READ,
}
GIT_SHOWS = names("show diff log blame cat-file annotate")


def full(command: Command, place: Place, text: str) -> str:
    if UNKNOWN in text:
        text = text.replace(UNKNOWN, "x")
    home = "/root" if command.mounts is not None else place.home
    return paths.normalise(text, command.cwd, home, place.windows)


def secret(command: Command, place: Place, text: str) -> str:
    if not text or len(text) > 4096 or text[:1] == "-":
        return ""
    return read_class(full(command, place, text), place.home)


def reading(command: Command, place: Place) -> list[tuple[Row, str]]:
    """Secret files among the operands and on standard input."""
    name = command.name
    found: list[tuple[Row, str]] = []
    marks = STORES.get(name)
    words = [word.text for word in command.argv[1:]]
    if marks and any(word.partition("=")[0] in marks or word in ("-ga", "-wa", "-wga", "-gwa") for word in words):
        found.append((rows.KEYCHAIN, ""))
    if name in SENDS:
        found += sending(command, place, words)
    elif name in UPLOADS:
        found += uploading(command, place, words)
    sends = name in SENDS or (name == "openssl" and "s_client" in words)
    for fd, operator, target in command.redirects:
        if operator in ("<", "<>") and fd in ("", "0"):
            kind = secret(command, place, target.text)
            if kind in SECRETS and (sends or name in PRINTS or name in ("", "read", "mapfile", "readarray", "while")):
                found.append((rows.SECRET_SEND if sends else ROW_OF_SECRET[kind], target.text))
    loops = name in ("perl", "ruby") and any(word[:1] == "-" and ("n" in word or "p" in word) for word in words)
    if name in PRINTS or name in COPIES or loops:
        found += showing(command, place)
    elif name in EDITORS:
        found += [(rows.SECRET_COPY, word) for word in words if secret(command, place, word) in SECRETS]
    elif name == "git":
        found += showing_git(command, place, words)
    elif name and name not in CONSUMES and name not in SENDS and command.via[-1:] != ("?",):
        previous = ""
        for word in words:
            kind = secret(command, place, word)
            if (
                kind in ("key", "login", "account")
                and not (previous.startswith("-") and "=" not in previous)
                and "=" not in word
            ):
                found.append((ROW_OF_SECRET[kind], word))
            previous = word
    return found


def showing(command: Command, place: Place) -> list[tuple[Row, str]]:
    name = command.name
    argv = command.argv
    words = operands(argv, VALUED.get(name, ""))
    options = [word.text for word in argv[1:] if word.text.startswith("-")]
    if name in FIRST_IS_PATTERN and not any(
        option in ("-e", "-f", "--regexp", "--file", "--files") or option.startswith(("-e", "--regexp="))
        for option in options
    ):
        words = words[1:]
    quiet = name in ("grep", "egrep", "fgrep", "rg", "ggrep") and any(option in GIVES_NO_TEXT for option in options)
    names_only = (
        name == "cut"
        and any(word.text in ("-f1", "--fields=1") for word in argv)
        or (name == "cut" and any(argv[i].text == "-f" and argv[i + 1].text == "1" for i in range(len(argv) - 1)))
    )
    in_place = name in ("sed", "gsed", "perl") and any(option.startswith(("-i", "--in-place")) for option in options)
    recursive = name in COPIES or any("r" in option.lower() for option in options if option[:2] != "--")
    found: list[tuple[Row, str]] = []
    copies = name in COPIES
    for i, word in enumerate(words):
        text = word.text[3:] if name == "dd" and word.text.startswith("if=") else word.text
        kind = secret(command, place, text)
        if kind == UNCLEAR:
            found.append((rows.UNCLEAR_READ, text))
        if kind not in SECRETS and not (kind in FOLDERS and recursive):
            continue
        if name == "dd" and word.text.startswith("of="):
            continue
        if copies:
            found += copying(command, place, words, i, kind)
        elif quiet or names_only or in_place or (kind == "env" and command.kept):
            found.append((rows.SECRET_COPY, text))
        elif name == "tee":
            continue
        else:
            found.append((ROW_OF_SECRET[kind], text))
    return found


def copying(command: Command, place: Place, words: list[Argument], i: int, kind: str) -> list[tuple[Row, str]]:
    """cp, mv, tar and their relatives: whether the secret leaves its place."""
    name, text = command.name, words[i].text
    last = words[-1].text
    remote = ":" in last and "/" not in last.partition(":")[0] and (len(last.partition(":")[0]) > 1 or last[-1] == ":")
    if name in ("scp", "rsync", "sftp", "croc") and remote and i < len(words) - 1:
        return [(rows.SECRET_SEND, text)]
    if name in ARCHIVES:
        extracts = any(
            word.text[:1] == "-" and "x" in word.text or word.text in ("x", "xf", "t", "tf")
            for word in command.argv[1:3]
        )
        if i == 0 and len(words) > 1 and name == "zip":
            return []
        return [] if extracts else [(rows.SECRET_COPY if kind == "env" else ROW_OF_SECRET[kind], text)]
    if i == len(words) - 1 and len(words) > 1:
        return []  # the destination, which writing() judges
    if name in ("mv", "ln"):
        return [(rows.SECRET_COPY, text)]
    if kind == "env" or kind == "store":
        destination = full(command, place, last)
        outside = (
            paths.below(paths.folded(destination), paths.folded(paths.normalise(place.project or "/", "/", place.home)))
            is None
        )
        return [(rows.SECRET_PRINT if outside and kind == "env" and command.cwd else rows.SECRET_COPY, text)]
    return [(ROW_OF_SECRET[kind], text)]


def sending(command: Command, place: Place, words: list[str]) -> list[tuple[Row, str]]:
    """Files that curl and its relatives upload."""
    found: list[tuple[Row, str]] = []
    if command.name in ("scp", "sftp"):
        return found
    previous = ""
    for word in words:
        name, equals, value = word.partition("=")
        sent = ""
        if word.startswith("@"):
            sent = word[1:]
        elif "=@" in word:
            sent = word.partition("=@")[2].partition(";")[0]
        elif "=<" in word:
            sent = word.partition("=<")[2].partition(";")[0]
        elif equals and value.startswith("@"):
            sent = value[1:]
        elif previous in ("-T", "--upload-file", "--post-file", "--body-file", "--data-binary", "-a", "-A", "--attach"):
            sent = word.lstrip("@")
        elif name in ("--post-file", "--body-file", "--upload-file", "--attach") and equals:
            sent = value
        elif word[:2] in ("-d", "-F", "-T") and len(word) > 2:
            sent = word[2:].rpartition("@")[2] if word[:2] != "-T" else word[2:]
        elif (
            "@" in word
            and previous in ("--data-urlencode", "-F", "--form", "-d")
            or command.name in ("rclone", "wormhole", "croc", "http", "https", "xh", "mutt")
        ):
            sent = word.rpartition("@")[2]
        elif word.startswith("file://"):
            kind = secret(command, place, word)
            if kind in SECRETS:
                found.append((ROW_OF_SECRET[kind], word))
        if sent and secret(command, place, sent) in SECRETS:
            found.append((rows.SECRET_SEND, sent))
        previous = word
    return found


def showing_git(command: Command, place: Place, words: list[str]) -> list[tuple[Row, str]]:
    verb = next((word for word in words if not word.startswith("-")), "")
    if verb not in GIT_SHOWS or any(word in ("--stat", "--name-only", "--oneline", "--name-status") for word in words):
        return []
    if verb == "log" and not any(word in ("-p", "--patch", "-u") for word in words):
        return []
    found = []
    for word in words:
        text = word.rpartition(":")[2] if ":" in word and verb in ("show", "cat-file") else word
        kind = secret(command, place, text)
        if kind in ("env", "key", "login"):
            found.append((ROW_OF_SECRET[kind], text))
    return found


def uploading(command: Command, place: Place, words: list[str]) -> list[tuple[Row, str]]:
    """aws s3 cp, gsutil cp, gh gist create: copying a file of secrets to somebody else's machine."""
    needed = UPLOADS[command.name]
    if needed and words[: len(needed)] != needed:
        return []
    return [(rows.SECRET_SEND, word) for word in words if secret(command, place, word) in SECRETS]
