"""Which files hold secrets, which the system or PAL stands on, and which only look so: classes of a path's last names.

The rules for commands and the file tools ask `read_class` and `write_class` with a normalised path (`paths.normalise`);
names are compared segment by segment, never as substrings, and what is public by its final extension is let through."""

from __future__ import annotations

from pal.base.home import Home
from pal.guard.paths import below, device, drive_of, folded, has_glob, matches, names, normalise, owner

# Read classes. The first four are secrets: for key, login and account any program that might show the file is refused;
# for env and store only those that print, copy or send it. The folder classes matter to what walks a tree.
KEY, LOGIN, ACCOUNT, ENV, STORE = "key", "login", "account", "env", "store"
KEY_FOLDER, LOGIN_FOLDER = "key-folder", "login-folder"
PUBLIC, UNCLEAR = "public", "unclear"
SECRETS = frozenset((KEY, LOGIN, ACCOUNT, ENV, STORE))
FOLDERS = frozenset((KEY_FOLDER, LOGIN_FOLDER))

_TEMPLATES = names(
    "example sample template tmpl tpl dist schema default defaults md rst pub crt cer csr gpg enc asc vault"
)
_PUBLIC_NAMES = names(
    "known_hosts known_hosts.old config authorized_keys allowed_signers ca.pem cert.pem chain.pem fullchain.pem"
    " ca-cert.pem cacert.pem ca-bundle.pem ca-certificates.pem public.pem pubkey.pem public-key.pem public_key.pem"
)
_CODE = names(
    "bash c cc cpp cs css ex fish go h hs html java js jsx kt lua mjs php pl ps1 py rb rs scala sh sql svelte swift ts"
    " tsx vue zsh adoc cjs"
)
_KEY_STEMS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss")
_KEY_ENDINGS = names("bak backup old orig pem key ppk priv private save 1 2")
_KEY_NAMES = names(
    "identity privkey.pem private.pem key.pem privatekey.pem private_key.pem private-key.pem private.key server.key"
    " tls.key ssl.key privkey.key client.key ca.key apiserver.key master.key signing.key ssh_host_rsa_key"
    " ssh_host_dsa_key ssh_host_ecdsa_key ssh_host_ed25519_key secring.gpg oci_api_key.pem .vault_pass .vault-pass"
    " .vault_password vault_pass.txt wallet.dat"
    " serviceaccountkey.json service-account-key.json service_account_key.json"
)
_STORE_ENDINGS = (".p12", ".pfx", ".p8", ".jks", ".keystore", ".kdbx", ".ppk")
_BACKUPS = (".bak", ".old", ".orig", ".backup", ".save", "~")
_LOGIN_NAMES = names(
    ".netrc _netrc .git-credentials .pypirc .pgpass pgpass.conf .mylogin.cnf .my.cnf .vault-token .credentials.json"
    " oauth_creds.json .s3cfg .boto .databrickscfg .htpasswd credentials.json application_default_credentials.json"
    " accesstokens.json msal_token_cache.json msal_token_cache.bin credentials.tfrc.json .npm-token .dockercfg"
    " google-credentials.json gcp-credentials.json .terraform-credentials logins.json key4.db .pgpass.conf"
)
# Stored logins by their last names; a row that ends in "/" stands for everything below.
_LOGIN_TAILS = (
    ".aws/credentials", ".aws/sso/cache/", ".aws/cli/cache/", "gcloud/application_default_credentials.json",
    "gcloud/credentials.db", "gcloud/access_tokens.db", "gcloud/legacy_credentials/", ".azure/accesstokens.json",
    ".azure/service_principal_entries.json", ".kube/config", "/etc/kubernetes/admin.conf",
    "/etc/kubernetes/super-admin.conf", "/etc/kubernetes/controller-manager.conf", "/etc/kubernetes/scheduler.conf",
    "/etc/kubernetes/kubelet.conf", "k3s/k3s.yaml", ".docker/config.json", "gh/hosts.yml", ".config/hub",
    "glab-cli/config.yml", ".config/git/credentials", ".cargo/credentials", ".cargo/credentials.toml",
    ".gem/credentials", "rclone/rclone.conf", "doctl/config.yaml", ".fly/config.yml", ".netlify/config.json",
    ".kaggle/kaggle.json", ".huggingface/token", "huggingface/token", ".oci/config", "stripe/config.toml",
    "ngrok/ngrok.yml", ".ngrok2/ngrok.yml", ".snowflake/config.toml", ".snowsql/config", ".config/op/config",
    "sops/age/keys.txt", ".streamlit/secrets.toml", "library/keychains/", ".local/share/keyrings/", ".subversion/auth/",
    "microsoft/credentials/", "microsoft/protect/", "microsoft/usersecrets/", "com.vercel.cli/auth.json",
    "google/chrome/default/login data", "google/chrome/default/cookies", ".jenkins/secrets/", ".config/gcloud/adc.json",
)  # fmt: skip
_KEY_TAILS = (
    "private-keys-v1.d/", "/etc/ssl/private/", "/etc/pki/tls/private/", "/etc/wireguard/", "/etc/kubernetes/pki/sa.key",
    ".gnupg/secring.gpg", ".config/sops/age/keys.txt", ".age/key.txt", "config/credentials/production.key",
    "/run/secrets/", "/var/run/secrets/",
)  # fmt: skip
_HOME_LOGINS = names(".npmrc .yarnrc.yml")  # in a home they hold a login; in a project most only name a registry
_ACCOUNTS = names(
    "/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/master.passwd /etc/security/opasswd /etc/spwd.db"
)
_KEY_FOLDERS = names(".ssh .gnupg private-keys-v1.d")
_LOGIN_FOLDERS = (".aws", ".azure", ".kube", ".config/gcloud", ".password-store", ".config/gh", ".local/share/keyrings")
_UNCLEAR_NAMES = names(
    ".envrc .npmrc .yarnrc.yml .bash_history .zsh_history .python_history .psql_history .mysql_history database.yml"
    " secrets.yml secrets.yaml secrets.json secrets.toml .secrets kubeconfig settings-security.xml"
    " service-account.json service_account.json serviceaccount.json wp-config.php pip.conf gradle.properties"
)
_UNCLEAR_ENDINGS = (".pem", ".key", ".env", ".tfvars", ".tfstate", ".ovpn")
# What a pattern such as `id_*` or `.env*` may stand for.
_SAMPLES = (
    ".env", ".env.local", ".env.production", ".env.development", ".env.staging", "id_rsa", "id_ed25519", "id_ecdsa",
    "credentials", ".netrc", ".git-credentials", ".pgpass", "privkey.pem", "shadow", "gshadow",
)  # fmt: skip
_PATTERN_LETTERS = 3  # a pattern with fewer letters of its own is about files in general

_WRITE_ACCOUNTS = names("/etc/passwd /etc/group /etc/sudoers /etc/passwd- /etc/group- /etc/doas.conf")
# A file tool has no business here; whoever administers the machine does it in a terminal.
_SYSTEM_TREES = (
    "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64",
    "/usr/libexec", "/system", "/proc", "/sys", "/etc/sudoers.d", "/etc/pam.d", "/etc/cron.d", "/etc/cron.daily",
    "/etc/cron.hourly", "/etc/cron.weekly", "/etc/cron.monthly", "/etc/init.d", "/etc/ld.so.conf.d", "/etc/ssh",
    "/etc/security", "/etc/polkit-1", "/etc/selinux", "/etc/apparmor.d", "/etc/modprobe.d", "/etc/udev",
    "/var/spool/cron", "/library/launchdaemons", "/library/extensions", "/var/db/dslocal", "/efi",
)  # fmt: skip
_SYSTEM_FILES = names(
    "/etc/ld.so.preload /etc/ld.so.conf /etc/crontab /etc/fstab /etc/inittab /etc/rc.local /etc/crypttab"
    " /etc/nsswitch.conf /etc/login.defs /etc/securetty /etc/shells /etc/sysctl.conf /etc/default/grub /etc/rc.conf"
)
_UNCLEAR_TREES = ("/etc", "/usr", "/opt", "/var/lib", "/library", "/srv")
_START_FILES = names(
    ".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zprofile .zshenv .zlogin .inputrc .gitconfig"
    " .tmux.conf .vimrc .npmrc .xinitrc .xprofile config.fish microsoft.powershell_profile.ps1 profile.ps1"
)
_PROCESS_WRITABLE = ("/proc/self/", "/sys/class/backlight")  # what ordinary programs write there
_DRIVE_SYSTEM = ("windows", "boot", "efi", "recovery", "system volume information")


def read_class(path: str, home: str) -> str:
    """What reading the normalised `path` would show: one of the classes above, or "" for an ordinary file."""
    low = folded(path)
    if low.endswith("/"):
        low = low.rstrip("/")
    folder, _, name = low.rpartition("/")
    if not name:
        return ""
    if has_glob(name):
        return _pattern_class(low, folder, name, home)
    parent = folder.rpartition("/")[2]
    last = name.rpartition(".")[2] if "." in name[1:] else ""
    if low in _ACCOUNTS or (parent == "config" and name in ("sam", "security") and "/system32/" in low):
        return ACCOUNT
    if _tail(low, _KEY_TAILS):
        return PUBLIC if last in ("pub", "crt", "md") else KEY
    if _tail(low, _LOGIN_TAILS) or (parent == ".kube" and name.startswith("config")):
        return LOGIN
    if (
        last in _TEMPLATES
        or (name in _PUBLIC_NAMES and parent not in (".kube", ".oci"))
        or name.startswith(("readme", "known_hosts"))
    ):
        return PUBLIC
    if name == ".env" or name.startswith(".env."):
        return PUBLIC if last in _CODE else ENV
    if parent == ".ssh":
        return "" if last in _CODE or last in ("txt", "log", "conf", "sock") or name in _KEY_FOLDERS else KEY
    if name in _KEY_FOLDERS:
        return KEY_FOLDER
    if "/.ssh/" in low and last in ("", "key", "pem") and "config" not in low:
        return KEY
    for ending in _BACKUPS:
        before = name[: -len(ending)]
        if name.endswith(ending) and before and not before.endswith(_BACKUPS):
            found = read_class(path[: -len(ending)], home)
            if found in SECRETS:
                return found
    return _by_name(low, name, parent, last, home)


def _by_name(low: str, name: str, parent: str, last: str, home: str) -> str:
    for stem in _KEY_STEMS:
        if name.startswith(stem):
            rest = name[len(stem) :]
            if rest == "" or last in _KEY_ENDINGS or (rest[0] in "_-" and not last):
                return KEY
    if name in _KEY_NAMES or (name.startswith("privkey") and last == "pem"):
        return UNCLEAR if _fixture(low) else KEY
    if last == "pem" and name.endswith(
        ("-key.pem", "_key.pem", ".key.pem", "privatekey.pem", "-private.pem", "_private.pem")
    ):
        return UNCLEAR if _fixture(low) else KEY
    if name in _LOGIN_NAMES or (name == "auth.json" and _hidden(low)):
        return LOGIN
    if name.startswith("firebase-adminsdk") and last == "json":
        return KEY
    if name.endswith(_STORE_ENDINGS):
        return UNCLEAR if name == "debug.keystore" or _fixture(low) else STORE
    whose = owner(low, home)
    if name in _HOME_LOGINS and whose and whose[1] == name:
        return LOGIN
    for folder in _LOGIN_FOLDERS:
        if low == folder or low.endswith("/" + folder):
            return LOGIN_FOLDER
    if name.rpartition(".")[0] in _TEMPLATES:
        return ""
    if name in _UNCLEAR_NAMES or name.endswith(_UNCLEAR_ENDINGS):
        return UNCLEAR
    return ""


def _pattern_class(low: str, folder: str, name: str, home: str) -> str:
    """The class of a glob: what it stands for in a folder of keys, or that of a secret whose name it is made for."""
    ending = name.rpartition(".")[2]
    if ending in _TEMPLATES or ending in _CODE:
        return PUBLIC
    parent = folder.rpartition("/")[2]
    if parent in (".ssh", "private-keys-v1.d") and matches(name, "id_rsa") or _tail(folder + "/x", _KEY_TAILS):
        return KEY
    if parent == ".aws" and matches(name, "credentials"):
        return LOGIN
    own = 0
    for letter in name:
        own += letter.isalnum()
    if own >= _PATTERN_LETTERS and len(name) <= 255:
        for sample in _SAMPLES:
            if matches(name, sample):
                found = read_class(folder + "/" + sample if folder else sample, home)
                if found in SECRETS:
                    return found
    return ""


def _tail(low: str, rows: tuple[str, ...]) -> bool:
    for row in rows:
        if row.endswith("/"):
            lead = row if row.startswith("/") else "/" + row
            if low.startswith(row) or (lead in low if not row.startswith("/") else False):
                return True
        elif low == row or (not row.startswith("/") and low.endswith("/" + row)):
            return True
    return False


def _fixture(low: str) -> bool:
    """Whether the path is among test data, where keys are made up."""
    parts = low.split("/")
    return any(
        part in ("fixtures", "testdata", "test", "tests", "examples", "example", "__fixtures__") for part in parts
    )


def _hidden(low: str) -> bool:
    """Whether the file stands in a program's own folder of a home: `.x/auth.json`, `.local/share/x/auth.json`."""
    parts = low.split("/")[:-1]
    return any(part.startswith(".") and len(part) > 1 and part != ".." for part in parts[-3:])


def write_class(path: str, home: str, pal: str = "", project: str = "") -> str:
    """What writing the normalised `path` would touch: key, login, account, store, system, device or state (PAL's own)
    are refused; "unclear" is what some protect and many edit; "" is an ordinary file."""
    low = folded(path)
    if pal and below(low, folded(normalise(pal, "/", home))) is not None and is_state(low, pal, home):
        return "state"
    where = device(low)
    if where:
        return "" if where == "plain" else "device"
    if low in _ACCOUNTS or low in _WRITE_ACCOUNTS or below(low, "/etc/sudoers.d"):
        return ACCOUNT
    folder, _, name = low.rpartition("/")
    parent = folder.rpartition("/")[2]
    if parent == ".ssh" and name in ("authorized_keys", "authorized_keys2", "rc", "environment"):
        return KEY
    found = read_class(low, home)
    if name in _HOME_LOGINS:
        return UNCLEAR
    if found in (KEY, LOGIN, ACCOUNT, STORE):
        return found
    if found in FOLDERS or (found == UNCLEAR and not low.endswith(_UNCLEAR_ENDINGS)) or found == ENV:
        return UNCLEAR
    if low in _SYSTEM_FILES or _drive_system(low):
        return "system"
    for tree in _SYSTEM_TREES:
        if below(low, tree) is not None:
            return "" if low.startswith(_PROCESS_WRITABLE) else "system"
    if project and below(low, folded(normalise(project, "/", home))):
        return UNCLEAR if "/.git/hooks/" in low or low.endswith("/.git/config") else ""
    if name in _START_FILES or (parent == ".ssh" and name == "config") or "/.git/" in low:
        return UNCLEAR
    whose = owner(low, home)
    if whose and "/" in whose[1] and whose[1].startswith("."):
        return UNCLEAR
    return UNCLEAR if any(below(low, tree) is not None for tree in _UNCLEAR_TREES) else ""


def _drive_system(low: str) -> bool:
    if not drive_of(low):
        return False
    first = low[3:].partition("/")[0]
    return first in _DRIVE_SYSTEM and not low[3:].startswith("windows/temp/")


# What a person or an agent may edit below PAL's home; everything else that has a name there is PAL's to write.
_EDITABLE = ("root", "telos", "skills", "agents", "docs", "memory")


def is_state(low: str, pal: str, home: str) -> bool:
    """Whether the normalised, folded path is one of PAL's own files, or in one of its own folders."""
    kept = Home(pal)
    for attribute in Home.__slots__:
        if attribute not in _EDITABLE:
            named = folded(normalise(getattr(kept, attribute), "/", home, bool(drive_of(pal))))
            if below(low, named) is not None:
                return True
    return False
