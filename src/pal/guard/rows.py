"""The rules for POSIX commands as data: what each protects, why it matters, and what to do instead.

The rules_*.py modules decide which row a command meets; judge.py turns the worst row met into the verdict. A command
that stands between backquotes in `instead` is itself allowed, which a test holds.
"""

from __future__ import annotations

from pal.guard.model import Row

# filesystem
DELETE_PROTECTED = Row(
    "delete-protected",
    "filesystem",
    "this deletes the root, a system folder, a home or a whole user folder",
    "Delete the exact folder inside the project, such as `rm -rf ./build`, or ask the user to do it.",
)
FIND_DELETE = Row(
    "find-delete-protected",
    "filesystem",
    "this deletes everything find meets below a protected folder",
    "Start from a folder of the project: `find . -name '*.log' -delete`.",
)
MOVE_PROTECTED = Row(
    "move-protected",
    "filesystem",
    "this moves a protected folder away, which breaks what depends on it",
    "Copy what you need instead: `cp -r docs /tmp/docs`.",
)
MIRROR_PROTECTED = Row(
    "mirror-protected",
    "filesystem",
    "this deletes whatever the source does not have from a protected folder",
    "Look first: `rsync -an --delete src/ dst/`.",
)
# disk
DISK_FORMAT = Row(
    "disk-format",
    "disk",
    "this makes a new filesystem on a device and loses what is on it",
    "Work on an image file: `mkfs.ext4 ./disk.img`.",
)
DISK_WRITE = Row(
    "disk-write",
    "disk",
    "this writes over a block device",
    "Write to a file: `dd if=/dev/zero of=./disk.img bs=1M count=10`.",
)
DISK_TOOL = Row("disk-wipe", "disk", "this erases a device or its partition table", "Look only: `lsblk -f`.")
VOLUME_DESTROY = Row(
    "volume-destroy", "disk", "this destroys a storage pool, a volume or a snapshot", "List them: `zfs list` or `lvs`."
)
# permissions
WORLD_WRITABLE = Row(
    "world-writable",
    "permissions",
    "mode 777 lets every user and program change it",
    "Give what is needed: `chmod 755 bin/run` or `chmod u+x script.sh`.",
)
TREE_MODE = Row(
    "tree-mode",
    "permissions",
    "this changes modes of a whole system tree or locks its owner out",
    "Change only the files meant: `chmod -R u+rwX ./build`.",
)
TREE_OWNER = Row(
    "tree-owner",
    "permissions",
    "this gives a system tree or a home to another owner",
    "Change only the folder meant: `chown -R dev:dev ./data`.",
)
# system
KERNEL_TRIGGER = Row(
    "kernel-trigger", "system", "this reboots or crashes the machine at once", "Tell the user what you wanted to reset."
)
KILL_ALL = Row(
    "kill-all", "system", "this kills every process of the user or the machine", "Kill one process: `kill 12345`."
)
ACCOUNTS = Row("account-change", "system", "this removes an account or its password", "Look only: `getent passwd`.")
FIREWALL = Row("firewall-flush", "system", "this takes the firewall down", "Look only: `iptables -L -n`.")
SCHEDULE = Row("schedule-wipe", "system", "this deletes every scheduled job", "Look and save first: `crontab -l`.")
# fork bombs, text run as programs
FORK_BOMB = Row(
    "fork-bomb",
    "forkbomb",
    "a function that starts itself again and again stops the machine",
    "Use a loop with an end: `for i in 1 2 3; do echo $i; done`.",
)
HTTP_RUN = Row(
    "run-plain-http",
    "injection",
    "this runs text from an unencrypted or bare address, which anybody may have changed",
    "Download over https and read it first: `curl -fsSL https://example.com/install.sh -o install.sh`.",
)
DECODED_RUN = Row(
    "run-decoded",
    "obfuscation",
    "this runs decoded text that nobody has read",
    "Decode it to a file and read it: `base64 -d payload.b64 > out.txt`.",
)
REMOTE_SHELL = Row(
    "remote-shell",
    "reverse-shell",
    "this gives a shell on this machine to another one",
    "Use ssh, or test a port with `nc -z localhost 5432`.",
)
# secrets
SECRET_PRINT = Row(
    "secret-print",
    "secrets.read",
    "this shows the secrets of a dotenv file",
    "Read the template, `cat .env.example`, or list the names only: `cut -d= -f1 .env`.",
)
KEY_READ = Row(
    "key-read",
    "secrets.read",
    "this shows or copies a private key",
    "Use the public half: `cat ~/.ssh/id_ed25519.pub`.",
)
LOGIN_READ = Row(
    "login-read",
    "secrets.read",
    "this shows or copies a stored login",
    "Ask the program that owns it: `gh auth status` or `aws sts get-caller-identity`.",
)
ACCOUNT_READ = Row(
    "password-hashes", "secrets.read", "this shows the password hashes of the machine", "Names only: `cat /etc/passwd`."
)
KEYCHAIN = Row(
    "keychain-export",
    "secrets.read",
    "this prints keys or passwords out of their store",
    "List only: `gpg --list-keys`.",
)
SECRET_SEND = Row(
    "secret-send",
    "secrets.send",
    "this sends a secret file to another machine",
    "Send a template instead: `curl -F file=@.env.example https://example.com/check`.",
)
# paths
ACCOUNT_WRITE = Row(
    "account-file-write",
    "paths.write",
    "this changes who may log in or become root",
    "Tell the user what to add there.",
)
SECRET_WRITE = Row(
    "secret-file-write", "paths.write", "this overwrites a key, a login or who may log in", "Ask the user to do it."
)
SYSTEM_WRITE = Row(
    "system-file-write",
    "paths.write",
    "this overwrites a file the system stands on",
    "Write it into the project and tell the user where it belongs.",
)
STATE_WRITE = Row(
    "pal-state-write",
    "paths.write",
    "PAL keeps this file itself; edits by hand break it",
    "Use PAL's own verbs: `pal --help`.",
)
# ask: version control
GIT_DISCARD = Row(
    "git-discard", "git", "this throws away every uncommitted change", "Keep them first: `git stash push -m wip`."
)
GIT_CLEAN = Row("git-clean", "git", "this deletes untracked files for good", "Look first: `git clean -nd`.")
GIT_FORCE_PUSH = Row(
    "git-force-push", "git", "this replaces the history others have pulled", "Use `git push --force-with-lease`."
)
GIT_REF_DELETE = Row(
    "git-ref-delete",
    "git",
    "this deletes a branch, a tag or the way back to commits",
    "Merged branches only: `git branch -d x`.",
)
GIT_HISTORY = Row(
    "git-history",
    "git",
    "this rewrites or removes the history of the repository",
    "Keep a copy first: `git clone . ../copy`.",
)
# ask: infrastructure, databases, publishing
CLUSTER_DELETE = Row(
    "cluster-delete",
    "infra",
    "this deletes or empties parts of a cluster",
    "Look first: `kubectl delete -f app.yaml --dry-run=client`.",
)
CONTAINER_DELETE = Row(
    "container-delete", "infra", "this deletes containers or volumes with their data", "Look first: `docker ps -a`."
)
CONTAINER_WIPE = Row(
    "container-wipe",
    "infra",
    "this wipes the inside of a container",
    "Delete one folder in it: `docker exec web rm -rf /tmp/cache`.",
)
CLOUD_DESTROY = Row(
    "cloud-destroy",
    "infra",
    "this destroys resources that cost time and data to make again",
    "Look first: `terraform plan -destroy`.",
)
DATABASE_DROP = Row(
    "database-drop",
    "db",
    "this drops or empties a database, a table or a keyspace",
    "Save it first: `pg_dump app > app.sql`.",
)
PUBLISH = Row(
    "publish",
    "publish",
    "this publishes a package or takes one back, which others see at once",
    "Look first: `npm publish --dry-run`.",
)
# ask: deletes
DELETE_OUTSIDE = Row(
    "delete-outside", "outside-delete", "this deletes a folder outside the project", "Look first: `ls -la ..`."
)
DELETE_PROJECT = Row(
    "delete-project", "outside-delete", "this empties the project", "Delete the folder meant: `rm -rf ./build`."
)
DELETE_UNKNOWN = Row(
    "delete-unknown",
    "outside-delete",
    "this deletes a folder whose name only the shell will know",
    "Write the folder out: `rm -rf ./build`.",
)
DELETE_HISTORY = Row(
    "delete-git-folder", "git", "this removes the repository's history or hooks", "Look first: `git status`."
)
HTTPS_RUN = Row(
    "run-download",
    "pipe-installer",
    "this runs a script from the network that nobody has read",
    "Download and read it first: `curl -fsSL https://example.com/install.sh -o install.sh`.",
)
# allow and log
UNKNOWN_RUN = Row("run-unknown", "unclear", "this runs text only the shell will know", "")
GIT_DISCARD_FILE = Row("git-discard-file", "unclear", "this throws away changes of single files", "")
GIT_UNCLEAR = Row("git-unclear", "unclear", "this drops something git could have kept", "")
WEAK_MODE = Row("weak-mode", "unclear", "this mode is weaker than most files need", "")
POWER = Row("power", "unclear", "this stops or restarts a machine", "")
KILL_BY_NAME = Row("kill-by-name", "unclear", "this kills every process of a name", "")
ENVIRONMENT = Row("environment-print", "unclear", "this may show secrets of the environment", "")
SECRET_COPY = Row("secret-copy", "unclear", "this copies, edits or opens a file of secrets in its place", "")
UNCLEAR_READ = Row("file-read-unclear", "unclear", "this file may hold a secret", "")
UNCLEAR_WRITE = Row("file-write-unclear", "unclear", "some protect this file", "")
# a text too large or too deep to be read to its end
LAST_LOOK = Row(
    "last-look",
    "filesystem",
    "this text is too large or too deep to be read, and destroys data somewhere in it",
    "Split it into short commands and leave out what deletes.",
)

ROWS = tuple(value for value in list(globals().values()) if isinstance(value, Row))
