"""What paths mean: one spelling, what deleting them takes, which hold secrets, which must not be written."""

from __future__ import annotations

import pytest
from pace import least

from pal.base.home import Home
from pal.guard.delete_targets import delete_target
from pal.guard.paths import device, matches, normalise
from pal.guard.secrets import read_class, write_class

HOME = "/home/user"
PROJECT = "/home/user/project"
PAL = "/home/user/.pal"


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("/", PROJECT, "/"),
        ("//etc///x/", PROJECT, "/etc/x"),
        ("../../../..", PROJECT, "/"),
        ("./a/../b/.", PROJECT, PROJECT + "/b"),
        ("a", "", "a"),
        ("../a/../b", "", "../b"),
        (".", "", "."),
        ("/private/tmp/x", PROJECT, "/tmp/x"),
        ("/private/var/folders/a", PROJECT, "/var/folders/a"),
        ("/privates/tmp", PROJECT, "/privates/tmp"),
        ("/System/Volumes/Data/Users/a", PROJECT, "/Users/a"),
        ("/proc/self/root/etc", PROJECT, "/etc"),
        ("/proc/1/root", PROJECT, "/"),
        ("/proc/self/cwd/.env", PROJECT, PROJECT + "/.env"),
        ("/mnt/c/Users/dev", PROJECT, "C:/Users/dev"),
        ("/mnt/cdrom/x", PROJECT, "/mnt/cdrom/x"),
        ("/c/Windows", PROJECT, "C:/Windows"),
        ("/cygdrive/d/x", PROJECT, "D:/x"),
        ("c:\\a\\..\\b", PROJECT, "C:/b"),
        ("C:", PROJECT, "C:/"),
        ("C:relative", PROJECT, PROJECT + "/C:relative"),
        ("\\\\?\\C:\\x", PROJECT, "C:/x"),
        ("\\\\server\\share\\x", "C:\\p", "//server/share/x"),
        ("\\\\.\\PhysicalDrive0", "C:\\p", "/dev/PhysicalDrive0"),
        ("a\\b", PROJECT, PROJECT + "/a\\b"),
        ("a\\b", "C:\\p", "C:/p/a/b"),
        ("\\x", "D:\\p", "D:/x"),
        ("/x/y", PROJECT, "/x/y"),
        (".env. ", "C:\\p", "C:/p/.env"),
        (".env::$DATA", "C:\\p", "C:/p/.env"),
        ("file:///home/user/.env", PROJECT, "/home/user/.env"),
        ("file:///C:/x", PROJECT, "C:/x"),
        ("~/x", PROJECT, PROJECT + "/~/x"),
        ("", PROJECT, PROJECT),
    ],
)
def test_every_spelling_of_a_path_becomes_one(path: str, cwd: str, expected: str) -> None:
    assert normalise(path, cwd, HOME) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [("~", HOME), ("~/x", HOME + "/x"), ("~user/x", HOME + "/x"), ("~ops", "/home" + "/ops"), ("~root", "/root")],
)
def test_a_tilde_is_expanded_when_the_caller_says_so(path: str, expected: str) -> None:
    assert normalise(path, PROJECT, HOME, tilde=True) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "root"), ("/*", "root"), ("/.", "root"), ("/{*,.*}", "root"), ("/**/*", "root"), ("../../..", "root"),
        ("/etc", "system"), ("/etc/", "system"), ("/e*", "system"), ("/usr/*", "system"), ("/usr/lib", "system"),
        ("/bin/x", "system"), ("/boot/grub", "system"), ("/var/lib/docker", "system"), ("/etc/ssh", "system"),
        ("/System/Library", "system"), ("/Library/Keychains", "system"), ("/home", "system"), ("/home/*", "system"),
        ("/dev/shm", "system"), ("C:/Windows/Fonts", "system"), ("C:/Program Files", "system"), ("C:/Users", "system"),
        ("~", "home"), ("~/*", "home"), ("~/.*", "home"), ("/home/user/./", "home"), ("..", "home"), ("../*", "home"),
        ("/root", "other-home"), ("/Users/ops", "other-home"), ("/Users/ann", "other-home"),
        ("C:/Users/ann", "other-home"),
        ("~/Documents", "user-folder"), ("~/documents/*", "user-folder"), ("~/.ssh", "user-folder"),
        ("~/.config", "user-folder"), ("~/.local/share", "user-folder"), ("/Users/ops/Desktop", "user-folder"),
        ("~/Library/Application Support", "user-folder"), ("~/Pict*", "user-folder"),
        ("C:/", "drive"), ("D:\\", "drive"), ("/c", "drive"), ("/mnt/d/*", "drive"), ("/Volumes/Backup", "drive"),
        ("~/.pal", "state"), ("/home/user/.pal/*", "state"),
        ("/tmp/x", "temporary"), ("/tmp/*", "temporary"), ("/var/folders/ab/T/x", "temporary"),
        ("/dev/shm/x", "temporary"),
        ("C:/Users/dev/AppData/Local/Temp/x", "temporary"), ("C:\\Windows\\Temp\\x", "temporary"),
        ("~/.cache", "cache"), ("~/.cache/pip", "cache"), ("~/.npm/_cacache", "cache"), ("~/go/pkg/mod", "cache"),
        ("node_modules", "cache"), ("../other/node_modules", "cache"), ("/var/cache/apt/*", "cache"),
        ("/var/lib/apt/lists/*", "cache"), ("~/Library/Caches/x", "cache"), ("~/.m2/repository", "cache"),
        (".", "project"), ("*", "project"), ("./*", "project"), (PROJECT, "project"), (".*", "project"),
        (".git", "git"), (".git/hooks", "git"), ("sub/.git", "git"),
        ("build", "inside"), ("./etc", "inside"), ("usr/local", "inside"), ("C:\\x y", "outside"), ("*.log", "inside"),
        ("dist/*", "inside"), (".gitignore", "inside"), (".git/index.lock", "inside"), ("src/../build", "inside"),
        ("home/user", "inside"), ("~x", "other-home"),
        ("../other", "outside"), ("/opt/app", "outside"), ("/etc/myapp", "outside"), ("/tmp", "outside"),
        ("~/Downloads/old", "outside"), ("/var/log/app", "outside"), ("~/.config/app", "outside"),
        ("/usr/local/lib/node_modules/x", "outside"), ("/repo", "outside"), ("C:/Program Files/App", "outside"),
    ],
)  # fmt: skip
def test_what_a_recursive_delete_would_take(path: str, expected: str) -> None:
    assert delete_target(path, PROJECT, HOME, pal=PAL, tilde=True) == expected


@pytest.mark.parametrize(
    ("path", "cwd", "keywords", "expected"),
    [
        ("~", PROJECT, {}, "inside"),
        ("*", PROJECT, {"globs": False}, "inside"),
        ("build", "", {}, "unknown"),
        ("../x", "", {}, "unknown"),
        ("/etc", "", {}, "system"),
        ("*", "/etc", {"project": PROJECT}, "system"),
        ("nginx", "/etc", {}, "outside"),
        ("x", "/tmp/work", {"project": PROJECT}, "temporary"),
        (".", "/home/user", {}, "home"),
        ("old", "/home/user", {}, "inside"),
        (".config/app", "/home/user", {}, "outside"),
        ("dist", "/repo", {}, "inside"),
        ("..", "/repo/app", {}, "outside"),
        ("..", "/srv/app", {}, "system"),
        ("x", "/", {}, "outside"),
        ("bin", "C:\\Users\\dev\\p", {"windows": True}, "inside"),
        ("..", "C:\\Users\\dev\\p", {"windows": True}, "other-home"),
        ("build", "/mnt/c/Users/dev/p", {}, "inside"),
    ],
)
def test_a_delete_is_read_from_where_it_runs(path: str, cwd: str, keywords: dict, expected: str) -> None:
    assert delete_target(path, cwd, HOME, **keywords) == expected


READS = [
    (".env", "env"), ("a/b/.env", "env"), (".env.local", "env"), (".env.production.local", "env"), (".env.bak", "env"),
    (".env.test", "env"), (".ENV", "env"), (".env*", "env"), (".env.*", "env"),
    ("~/.ssh/id_rsa", "key"), ("id_ed25519", "key"), ("keys/id_rsa.bak", "key"), ("id_rsa_work", "key"),
    ("~/.ssh/github", "key"), ("~/.ssh/deploy.pem", "key"), ("~/.ssh/id_*", "key"), ("~/.ssh/*", "key"),
    ("/Users/ops/.ssh/id_ecdsa", "key"), ("/Users/ops/.ssh/id_dsa", "key"), ("certs/privkey.pem", "key"),
    ("server-key.pem", "key"), ("private.key", "key"), ("/etc/ssl/private/a.key", "key"),
    ("/etc/ssh/ssh_host_rsa_key", "key"), ("config/master.key", "key"), ("~/.gnupg/private-keys-v1.d/A.key", "key"),
    ("/run/secrets/db", "key"), ("/etc/wireguard/wg0.conf", "key"), ("~/.config/sops/age/keys.txt", "key"),
    ("firebase-adminsdk-abc.json", "key"),
    ("~/.aws/credentials", "login"), ("sub/.aws/credentials", "login"), ("~/.kube/config", "login"),
    ("~/.docker/config.json", "login"), ("~/.netrc", "login"), ("~/.npmrc", "login"), ("~/.pypirc", "login"),
    ("~/.git-credentials", "login"), ("~/.config/gh/hosts.yml", "login"), ("~/.pgpass", "login"),
    ("~/.config/gcloud/application_default_credentials.json", "login"), ("~/.azure/msal_token_cache.json", "login"),
    ("~/.codex/auth.json", "login"), ("~/.local/share/opencode/auth.json", "login"), ("credentials.json", "login"),
    ("~/.cargo/credentials.toml", "login"), ("~/Library/Keychains/login.keychain-db", "login"),
    ("~/.terraform.d/credentials.tfrc.json", "login"), ("~/.config/rclone/rclone.conf", "login"),
    ("/etc/kubernetes/admin.conf", "login"), ("~/.aws/cred*", "login"),
    ("/etc/shadow", "account"), ("/etc/shadow-", "account"), ("/etc/sha*", "account"),
    ("C:/Windows/System32/config/SAM", "account"),
    ("cert.p12", "store"), ("release.keystore", "store"), ("vault.kdbx", "store"), ("putty.ppk", "store"),
    ("~/.ssh", "key-folder"), ("~/.gnupg", "key-folder"), ("~/.aws", "login-folder"),
    ("~/.config/gcloud", "login-folder"),
    ("~/.ssh/id_rsa.pub", "public"), ("~/.ssh/known_hosts", "public"), ("~/.ssh/config", "public"),
    ("~/.ssh/authorized_keys", "public"), (".env.example", "public"), (".env.local.sample", "public"),
    (".env.md", "public"), (".env.ts", "public"), ("~/.aws/config", "public"), (".npmrc.example", "public"),
    ("fullchain.pem", "public"), ("ca.pem", "public"), ("server.crt", "public"), ("docs/id_rsa.md", "public"),
    ("~/.ssh/*.pub", "public"), (".env.vault", "public"), ("secrets.yml.enc", "public"),
    (".envrc", "unclear"), (".npmrc", "unclear"), ("server.pem", "unclear"), ("tests/fixtures/test.key", "unclear"),
    ("tests/data/key.pem", "unclear"), ("x.tfvars", "unclear"), ("~/.bash_history", "unclear"),
    ("config/database.yml", "unclear"), ("k8s/secrets.yaml", "unclear"), ("debug.keystore", "unclear"),
    ("example.env", ""), ("src/env.ts", ""), ("environment/.environment", ""), ("src/credentials.py", ""),
    ("src/secrets/index.ts", ""), ("tests/id_rsa_test.go", ""), ("aws/credentials", ""), ("locales/en.keys.json", ""),
    ("tokenizer.json", ""), ("keyboard.key.test.ts", ""), ("dotenv.txt", ""), (".env/bin/activate", ""), ("env", ""),
    ("/etc/passwd", ""), ("/etc/hosts", ""), ("*.ts", "public"), ("*", ""), (".environment-notes", ""), ("shadow", ""),
    ("src/shadow.css", ""), ("netrc.go", ""), (".venv/x", ""), ("auth.json", ""), ("~/.ssh/notes.txt", ""), ("/", ""),
    (".env.d/readme", "public"), ("identity", "key"),
    ("~/.aws/credentials.bak", "login"), ("~/.netrc~", "login"), ("/etc/shadow.bak", "account"),
    ("AuthKey_A.p8", "store"),
    ("~/.ssh/keys/prod", "key"), ("~/.ssh/config.d/work", ""), ("~/.ssh/known_hosts2", "public"),
    ("rsa_private.pem", "key"), ("prod.env", "unclear"), ("template.env", ""), ("a.bak", ""), ("~", ""), (".bak", ""),
    ("src/identity.ts", ""), ("~/.kube/cache/x", ""), ("pgpass", ""),
]  # fmt: skip


@pytest.mark.parametrize(("path", "expected"), READS)
def test_which_files_hold_secrets_and_which_only_look_so(path: str, expected: str) -> None:
    assert read_class(normalise(path, PROJECT, HOME, tilde=True), HOME) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("~/.ssh/authorized_keys", "key"), ("~/.ssh/id_rsa", "key"), ("/Users/ops/.ssh/authorized_keys", "key"),
        ("~/.ssh/rc", "key"), ("~/.aws/credentials", "login"), ("~/.netrc", "login"), ("/etc/shadow", "account"),
        ("/etc/passwd", "account"), ("/etc/sudoers", "account"), ("/etc/sudoers.d/x", "account"),
        ("/etc/group", "account"),
        ("/boot/grub/grub.cfg", "system"), ("/usr/bin/ls", "system"), ("/etc/cron.d/x", "system"),
        ("/etc/ld.so.preload", "system"), ("/etc/pam.d/sshd", "system"), ("/proc/sysrq-trigger", "system"),
        ("/System/Library/x", "system"), ("C:/Windows/System32/x.dll", "system"), ("/etc/fstab", "system"),
        ("/sys/power/state", "system"), ("/dev/sda", "device"), ("/dev/nvme0n1p2", "device"), ("/dev/mem", "device"),
        ("/dev/disk/by-id/x", "device"), ("/dev/mapper/vg-root", "device"),
        (".env", "unclear"), ("~/.bashrc", "unclear"), ("/etc/hosts", "unclear"), (".git/config", "unclear"),
        (".git/hooks/pre-commit", "unclear"), ("~/.npmrc", "unclear"), ("~/.ssh/config", "unclear"),
        ("/usr/local/bin/x", "unclear"), ("~/.config/app/settings.json", "unclear"), ("/opt/app/x", "unclear"),
        ("src/a.py", ""), (".gitignore", ""), (".env.example", ""), ("etc/passwd.sample", ""), ("/tmp/x", ""),
        ("/dev/null", ""), ("/dev/stdout", ""), ("/dev/tty", ""), ("/dev/shm/x", ""), ("~/notes/a.md", ""),
        ("/home/user/other/src/a.py", ""), ("usr/bin/tool", ""), ("boot/main.c", ""), (".bashrc", ""),
        ("/proc/self/oom_score_adj", ""), ("certs/server.pem", ""),
    ],
)  # fmt: skip
def test_which_files_must_not_be_written(path: str, expected: str) -> None:
    full = normalise(path, PROJECT, HOME, tilde=True)
    assert write_class(full, HOME, PAL, PROJECT) == expected


@pytest.mark.parametrize("name", [name for name in Home.__slots__ if name not in ("root", "memory")])
def test_what_pal_keeps_itself_is_written_by_pal_only(name: str) -> None:
    path = getattr(Home(PAL), name)
    editable = name in ("telos", "skills", "agents", "docs")
    assert (write_class(normalise(path, PROJECT, HOME), HOME, PAL, PROJECT) == "state") is not editable


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/dev/sda", "block"), ("/dev/sdb1", "block"), ("/dev/vda", "block"), ("/dev/xvda", "block"),
        ("/dev/disk2", "block"),
        ("/dev/rdisk2s1", "block"), ("/dev/mmcblk0", "block"), ("/dev/dm-0", "block"), ("/dev/sd*", "block"),
        ("/dev/null", "plain"), ("/dev/zero", "plain"), ("/dev/pts/1", "plain"), ("/dev/loop0", "plain"),
        ("/dev/hidraw0", "plain"),
        ("/dev/kmem", "memory"), ("dev/sda", ""), ("/home/user/sda", ""),
    ],
)  # fmt: skip
def test_which_devices_are_disks(path: str, expected: str) -> None:
    assert device(path) == expected


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [("*", "x", True), ("a*c", "abc", True), ("a?c", "abc", True), ("[ab]c", "bc", True), ("a*", "b", False),
     ("*a*b", "xaxxb", True), ("", "", True), ("?", "", False), ("[", "[", True), ("**", "", True)],
)  # fmt: skip
def test_a_glob_stands_for_names(pattern: str, name: str, expected: bool) -> None:
    assert matches(pattern, name) is expected


@pytest.mark.parametrize("piece", ["../", "a/", "*", "~", "\\", "C:", "/proc/self/root", "[", "?*", "\0", "é/"])
def test_hostile_paths_are_judged_at_once(piece: str) -> None:
    path = piece * (128 * 1024 // len(piece))

    def judged() -> None:
        delete_target(path, PROJECT, HOME, pal=PAL, tilde=True)
        full = normalise(path, PROJECT, HOME, tilde=True)
        read_class(full, HOME)
        write_class(full, HOME, PAL, PROJECT)

    assert least(judged, 0.5) < 0.5
