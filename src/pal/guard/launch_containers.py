"""What runs inside containers and other roots, with the folders of the host they are given."""

from __future__ import annotations

from pal.guard.model import UNKNOWN, Argument, Command, Stream
from pal.guard.paths import names
from pal.guard.wrappers import WRAPPERS, payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from pal.guard.unwrap import Shell

CONTAINER_VALUED = names(
    "-v --volume --mount -p --publish -e --env --env-file --name -w --workdir -u --user --network --net"
    " --entrypoint --platform -h --hostname --label -l -m --memory --cpus --gpus --shm-size --restart"
    " --add-host --cap-add --cap-drop --device --tmpfs --pull --ulimit --log-driver --log-opt"
    " --security-opt --pid --ipc --link --dns --volumes-from --cidfile --group-add --expose --userns --uts"
    " --cgroupns --runtime --stop-signal --detach-keys --index -c"
)


def container(shell: Shell, command: Command) -> Stream:
    """docker and its relatives: run and exec are followed, with the folders of the host they are given."""
    argv = command.argv
    i = 1
    while i < len(argv) and (argv[i].text.startswith("-") or argv[i].text in ("compose", "container")):
        i += (
            2
            if argv[i].text in ("-H", "--host", "--context", "-f", "--file", "-p", "--project-name", "--profile")
            else 1
        )
    verb = argv[i].text if i < len(argv) else ""
    if verb not in ("run", "exec", "create"):
        return Stream(None, command.name, argv)
    i += 1
    mounts: list[tuple[str, str]] = []
    entry = ""
    while i < len(argv) and argv[i].text.startswith("-"):
        word = argv[i].text
        name, equals, value = word.partition("=")
        if not equals and word in CONTAINER_VALUED:
            value = argv[i + 1].text if i + 1 < len(argv) else ""
            i += 1
        elif not equals and word[:2] == "-v" and len(word) > 2:
            name, value = "-v", word[2:]
        if name in ("-v", "--volume"):
            mount(shell, mounts, value)
        elif name == "--mount":
            fields = dict([item.partition("=")[::2] for item in value.split(",")])
            origin = fields.get("source") or fields.get("src") or ""
            target = fields.get("target") or fields.get("destination") or fields.get("dst") or ""
            mount(shell, mounts, f"{origin}:{target}")
        elif name == "--entrypoint":
            entry = value
        i += 1
    i += 1  # the image or the container
    inner = argv[i:]
    if entry:
        inner = [Argument(entry), *inner]
    return inside(shell, command, inner, mounts)


def mount(shell: Shell, mounts: list[tuple[str, str]], value: str) -> None:
    origin, colon, target = value.partition(":")
    if colon and origin and (origin[0] in "/.~" or UNKNOWN in origin):
        target = target.partition(":")[0]
        host = shell.home + origin[1:] if origin[0] == "~" else origin
        if UNKNOWN not in host and target:
            mounts.append((target.rstrip("/") or "/", shell.path(host)))


def inside(shell: Shell, command: Command, inner: list[Argument], mounts: list[tuple[str, str]]) -> Stream:
    if not inner:
        return Stream(None, command.name, command.argv)
    before, cwd = shell.mounts, shell.cwd
    shell.mounts, shell.cwd = mounts, ""
    out = shell.call(inner, command.stdin, [], command.span, (*command.via, command.name))
    shell.mounts, shell.cwd = before, cwd
    return Stream(None, command.name, out.argv, out.tags)


def cluster(shell: Shell, command: Command) -> Stream:
    words = [word.text for word in command.argv]
    if "exec" in words[1:8] and "--" in words:
        return inside(shell, command, command.argv[words.index("--") + 1 :], [])
    return Stream(None, command.name, command.argv)


def change_root(shell: Shell, command: Command) -> Stream:
    rest, _ = payload(WRAPPERS["env"], command.argv)
    if len(rest) < 2:
        return Stream(None)
    root = rest[0].text.rstrip("/") or "/"
    before = shell.mounts
    if before is not None:
        host = next((origin for target, origin in before if target == root), None)
        shell.mounts = [("/", host)] if host is not None and host != "/" else None if host else before
    out = shell.call(rest[1:], command.stdin, [], command.span, (*command.via, "chroot"))
    shell.mounts = before
    return out


def other_namespaces(shell: Shell, command: Command) -> Stream:
    """nsenter into the first process leaves the container for the host."""
    words = [word.text for word in command.argv]
    rest, _ = payload(WRAPPERS["nsenter"], command.argv)
    before = shell.mounts
    if any(word in ("-t1", "--target=1") for word in words) or ("-t" in words and "1" in words):
        shell.mounts = None
    out = shell.call(rest, command.stdin, [], command.span, (*command.via, "nsenter")) if rest else Stream(None)
    shell.mounts = before
    return out


HANDLERS: dict[str, Callable[[Shell, Command], Stream]] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "podman-compose", "finch"), container),
    **dict.fromkeys(("kubectl", "oc", "k3s"), cluster),
    "chroot": change_root,
    "nsenter": other_namespaces,
}
