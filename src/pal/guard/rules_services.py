"""Rules a user may want to be asked about: git, clusters and clouds, containers, databases, package registries."""

from __future__ import annotations

from pal.guard import rows
from pal.guard.model import UNKNOWN, Command, Row
from pal.guard.paths import names
from pal.guard.rules_files import Place
from pal.guard.rules_git import git
from pal.guard.sql import destroys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

DRY = ("--dry-run", "--dryrun", "--what-if", "--no-execute")
# Program -> the first words (options left out) that destroy something; the row is the cloud's.
CLOUD: dict[str, tuple[str, ...]] = {
    "terraform": ("destroy", "state rm", "workspace delete"),
    "tofu": ("destroy", "state rm", "workspace delete"),
    "terragrunt": ("destroy", "run-all destroy"),
    "pulumi": ("destroy", "stack rm", "state delete", "down"),
    "cdk": ("destroy",),
    "cdktf": ("destroy",),
    "sls": ("remove",),
    "serverless": ("remove",),
    "sam": ("delete",),
    "eksctl": ("delete",),
    "kind": ("delete cluster",),
    "minikube": ("delete",),
    "k3d": ("cluster delete",),
    "vagrant": ("destroy",),
    "virsh": ("undefine", "destroy", "vol-delete", "pool-delete"),
    "multipass": ("delete", "purge"),
    "heroku": ("apps:destroy", "pg:reset", "addons:destroy"),
    "fly": ("apps destroy", "destroy", "volumes destroy"),
    "flyctl": ("apps destroy", "destroy", "volumes destroy"),
    "netlify": ("sites:delete",),
    "vercel": ("remove", "rm", "project rm"),
    "railway": ("down", "delete"),
    "firebase": ("firestore:delete", "projects:delete", "hosting:disable", "database:remove"),
    "wrangler": ("delete", "d1 delete", "r2 bucket delete", "kv:namespace delete"),
    "doctl": (),
    "gh": ("repo delete", "release delete", "secret delete", "workflow disable"),
    "argocd": ("app delete",),
    "nomad": ("job stop -purge", "system gc"),
    "packer": (),
    "gsutil": ("rb", "rm -r", "-m rm"),
    "s3cmd": ("rb", "del --recursive"),
    "ansible-galaxy": (),
}
PUBLISHING: dict[str, tuple[str, ...]] = {
    "npm": ("publish", "unpublish", "deprecate"),
    "pnpm": ("publish", "unpublish", "-r publish"),
    "yarn": ("publish", "npm publish"),
    "bun": ("publish",),
    "cargo": ("publish", "yank"),
    "twine": ("upload",),
    "poetry": ("publish",),
    "uv": ("publish",),
    "pdm": ("publish",),
    "hatch": ("publish",),
    "flit": ("publish",),
    "gem": ("push", "yank"),
    "vsce": ("publish", "unpublish"),
    "ovsx": ("publish",),
    "dotnet": ("nuget push", "nuget delete"),
    "nuget": ("push", "delete"),
    "mvn": ("deploy",),
    "pod": ("trunk push", "trunk delete"),
    "lerna": ("publish",),
    "changeset": ("publish",),
    "goreleaser": ("release",),
    "semantic-release": ("",),
    "mix": ("hex.publish", "hex.retire"),
    "jsr": ("publish",),
    "conan": ("upload",),
}
DROPS: dict[str, tuple[str, ...]] = {
    "dropdb": ("",),
    "dropuser": ("",),
    "mysqladmin": ("drop",),
    "rails": ("db:drop", "db:reset", "db:purge", "db:truncate_all", "db:schema:load", "db:setup"),
    "rake": ("db:drop", "db:reset", "db:purge"),
    "prisma": ("migrate reset", "db push --force-reset", "db push --accept-data-loss"),
    "sequelize": ("db:drop", "db:migrate:undo:all"),
    "sequelize-cli": ("db:drop", "db:migrate:undo:all"),
    "typeorm": ("schema:drop",),
    "knex": ("migrate:rollback --all",),
    "supabase": ("db reset",),
    "artisan": ("migrate:fresh", "migrate:reset", "db:wipe"),
    "doctrine": ("schema:drop",),
    "alembic": ("downgrade base",),
    "flyway": ("clean",),
    "liquibase": ("dropAll", "drop-all"),
    "drizzle-kit": ("drop",),
    "etcdctl": ("del --prefix", "del --from-key"),
}
SQL = names(
    "psql mysql mariadb sqlite3 sqlite sqlcmd cockroach clickhouse-client clickhouse duckdb usql pgcli"
    " mycli cqlsh trino bq snowsql"
)


def words_of(command: Command) -> list[str]:
    return [word.text for word in command.argv[1:]]


def met(table: dict[str, tuple[str, ...]], command: Command) -> str:
    """The entry of the table that the command's words begin with (options before and between left out), or ""."""
    entries = table.get(command.name, ())
    if not entries:
        return ""
    words = words_of(command)
    plain = [word for word in words if not word.startswith("-")]
    everything = " ".join(words) + " "
    for entry in entries:
        if not entry:
            return command.name
        need = entry.split()
        verbs = [word for word in need if not word.startswith("-")]
        flags = [word for word in need if word.startswith("-")]
        if plain[: len(verbs)] == verbs and all(f"{flag} " in everything or f"{flag}=" in everything for flag in flags):
            return entry
    return ""


def dry(words: list[str]) -> bool:
    return any(word.partition("=")[0] in DRY and not word.endswith(("=false", "=none")) for word in words)


def cloud(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = words_of(command)
    if dry(words):
        return []
    name = command.name
    entry = met(CLOUD, command)
    if name in ("terraform", "tofu") and "apply" in words and any(word in ("-destroy", "--destroy") for word in words):
        entry = "apply -destroy"
    if name in ("aws", "gcloud", "az", "doctl", "oci", "linode-cli", "hcloud", "ibmcloud") and not entry:
        entry = cloud_verb(name, words)
    if name == "gh" and words[:1] == ["api"] and "DELETE" in words:
        entry = "api DELETE"
    if name in ("terraform", "tofu") and words[:1] == ["plan"]:
        return []
    return [(rows.CLOUD_DESTROY, entry)] if entry else []


def cloud_verb(name: str, words: list[str]) -> str:
    plain = [word for word in words if not word.startswith("-")][:6]
    if name == "aws":
        if plain[:1] == ["s3"]:
            if plain[1:2] == ["rb"] or (plain[1:2] == ["rm"] and "--recursive" in words):
                return "s3 " + plain[1]
            return ""
        verb = plain[1] if len(plain) > 1 else ""
        gone = (
            "delete-",
            "terminate-",
            "destroy-",
            "purge-",
            "remove-permission",
            "deregister-",
            "schedule-key-deletion",
        )
        return verb if verb.startswith(gone) and verb not in ("delete-message",) else ""
    return next((word for word in plain if word in ("delete", "destroy", "purge")), "")


def cluster(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = words_of(command)
    if dry(words) or "--client" in words:
        return []
    valued = ("-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "-l", "-f", "--kube-context")
    plain = [
        word for i, word in enumerate(words) if not word.startswith("-") and (i == 0 or words[i - 1] not in valued)
    ]
    verb = plain[0] if plain else ""
    if command.name == "helm":
        return [(rows.CLUSTER_DELETE, verb)] if verb in ("uninstall", "delete", "del", "un") else []
    if verb in ("delete", "drain") or (verb == "replace" and "--force" in words):
        return [(rows.CLUSTER_DELETE, verb)]
    return []


def container(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = words_of(command)
    plain = [word for word in words if not word.startswith("-")]
    flags = [word for word in words if word.startswith("-")]
    if command.name.endswith("-compose"):
        plain = ["compose", *plain]
    head = plain[:2]
    if "compose" in plain[:1]:
        volumes = any(flag == "--volumes" or (flag[1:2] != "-" and "v" in flag) for flag in flags)
        if ("down" in plain and volumes) or ("rm" in plain and volumes):
            return [(rows.CONTAINER_DELETE, "compose down -v")]
        return []
    if head == ["system", "prune"]:
        broad = any(flag in ("--volumes", "--all") or (flag[1:2] != "-" and "a" in flag) for flag in flags)
        return [(rows.CONTAINER_DELETE, "system prune")] if broad else []
    if head[:1] == ["volume"] and head[1:] in (["rm"], ["prune"], ["remove"]):
        return [(rows.CONTAINER_DELETE, " ".join(head))]
    if head[:1] in (["rm"], ["kill"]) or head == ["container", "rm"] or head[:1] == ["rmi"]:
        several = any(UNKNOWN in word for word in words)
        forced = any(flag[1:2] != "-" and "f" in flag or flag == "--force" for flag in flags)
        with_data = any(flag[1:2] != "-" and "v" in flag or flag == "--volumes" for flag in flags) and head[0] != "rmi"
        if (several and forced and head[0] != "rmi") or with_data:
            return [(rows.CONTAINER_DELETE, "rm")]
    if head == ["swarm", "leave"] and "--force" in flags or head == ["stack", "rm"]:
        return [(rows.CONTAINER_DELETE, " ".join(head))]
    return []


def database(command: Command, place: Place) -> list[tuple[Row, str]]:
    """SQL in the words or on standard input of a client."""
    words = words_of(command)
    texts = [word for word in words if " " in word or ";" in word]
    for i, word in enumerate(words):
        if word.startswith(("--command=", "--execute=", "--query=", "-c", "-e")) and len(word) > 2:
            texts.append(word.partition("=")[2] or word[2:])
        elif word in ("-c", "-e", "-Q", "-q", "--command", "--execute", "--query") and i + 1 < len(words):
            texts.append(words[i + 1])
    if command.stdin is not None and command.stdin.text:
        texts.append(command.stdin.text)
    for text in texts[:32]:
        found = destroys(text)
        if found:
            return [(rows.DATABASE_DROP, found)]
    return []


def document_store(command: Command, place: Place) -> list[tuple[Row, str]]:
    text = " ".join(words_of(command)) + (command.stdin.text or "" if command.stdin is not None else "")
    for mark in ("dropDatabase(", ".drop(", "deleteMany({})", "remove({})", "dropCollection(", ".dropIndexes("):
        if mark in text.replace(" ", ""):
            return [(rows.DATABASE_DROP, mark)]
    return []


def key_store(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = [word.upper() for word in words_of(command)]
    if command.stdin is not None and command.stdin.text:
        words += command.stdin.text.upper().split()
    for word in words:
        if word in ("FLUSHALL", "FLUSHDB"):
            return [(rows.DATABASE_DROP, word)]
    return []


def drops(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = words_of(command)
    if "--help" in words or "--version" in words or dry(words):
        return []
    entry = met(DROPS, command)
    return [(rows.DATABASE_DROP, entry)] if entry else []


def django(command: Command, place: Place) -> list[tuple[Row, str]]:
    """`python manage.py flush` and `php artisan migrate:fresh`."""
    words = words_of(command)
    for i, word in enumerate(words[:4]):
        name = word.rpartition("/")[2]
        following = words[i + 1] if i + 1 < len(words) else ""
        if name == "manage.py" and following in ("flush", "reset_db", "sqlflush") and following != "sqlflush":
            return [(rows.DATABASE_DROP, following)]
        if name == "artisan" and following in DROPS["artisan"]:
            return [(rows.DATABASE_DROP, following)]
        if name in ("twine", "build_and_upload") and following == "upload":
            return [(rows.PUBLISH, following)]
    return []


def publishing(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = words_of(command)
    if dry(words) or "--help" in words or "--snapshot" in words:
        return []
    entry = met(PUBLISHING, command)
    return [(rows.PUBLISH, entry)] if entry else []


CHECKS: dict[str, Callable[[Command, Place], list[tuple[Row, str]]]] = {
    "git": git,
    **dict.fromkeys((*CLOUD, "aws", "gcloud", "az", "oci", "linode-cli", "hcloud", "ibmcloud"), cloud),
    **dict.fromkeys(PUBLISHING, publishing),
    **dict.fromkeys(DROPS, drops),
    **dict.fromkeys(("kubectl", "oc", "helm"), cluster),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "podman-compose"), container),
    **dict.fromkeys(SQL, database),
    **dict.fromkeys(("mongosh", "mongo"), document_store),
    **dict.fromkeys(("redis-cli", "valkey-cli", "keydb-cli", "memcached-tool"), key_store),
    **dict.fromkeys(("python", "python3", "php", "python2", "manage.py"), django),
}
