"""Programs that run another command, as a table: which of their words are their own, and where the command begins.

unwrap.py asks `payload` for the words behind a wrapper; what needs more than that (shells, find, ssh, containers) has a
function of its own there.
"""

from __future__ import annotations

from pal.guard.model import Argument


class Wrapper:
    """`short` and `long` are options that take the next word; `skip` own operands before the command; `assigns` lets
    NAME=value stand before it; `verbs` must be the first operand (`uv run …`), `quiet` options mean nothing is run."""

    __slots__ = ("assigns", "long", "quiet", "short", "skip", "verbs")

    def __init__(
        self, short: str = "", long: str = "", skip: int = 0, assigns: bool = False, verbs: str = "", quiet: str = ""
    ) -> None:
        self.short = short
        self.long = frozenset(long.split())
        self.skip = skip
        self.assigns = assigns
        self.verbs = frozenset(verbs.split())
        self.quiet = frozenset(quiet.split())


_PLAIN = Wrapper()
_ONE = Wrapper(skip=1)
_SUDO = Wrapper(
    "ugpCcrtThDRU",
    "--user --group --prompt --chdir --role --type --host --close-from --command-timeout --chroot --other-user",
    assigns=True,
    quiet="-l -v -V -K -k --list --validate --version --help",
)
_RUN = Wrapper(verbs="run exec dlx x")

WRAPPERS: dict[str, Wrapper] = {
    # other rights
    "sudo": _SUDO,
    "doas": Wrapper("uC"),
    "gsudo": Wrapper("u", "--user"),
    "run0": Wrapper("u", "--user --group --unit --property --description --nice --chdir --setenv --slice"),
    "pkexec": Wrapper("", "--user"),
    "gosu": _ONE,
    "su-exec": _ONE,
    "setpriv": Wrapper("", "--reuid --regid --groups --bounding-set --inh-caps --ambient-caps --securebits"),
    "runuser": Wrapper("ugGs", "--user --group --shell"),
    "fakeroot": Wrapper("lsib"),
    "chroot": Wrapper("", "--userspec --groups", skip=1),
    "nsenter": Wrapper("tSG", "--target --setuid --setgid --root --wd"),
    "unshare": Wrapper("RwSG", "--root --wd --setuid --setgid --map-user --map-group --setgroups --propagation"),
    "bwrap": Wrapper("", "--chdir --setenv --unsetenv --uid --gid --hostname"),
    "firejail": _PLAIN,
    # the shell's own
    "command": Wrapper(quiet="-v -V"),
    "builtin": _PLAIN,
    "exec": Wrapper("a"),
    "nocorrect": _PLAIN,
    "noglob": _PLAIN,
    # time, order, place
    "time": Wrapper("fo", "--format --output"),
    "gtime": Wrapper("fo", "--format --output"),
    "nohup": _PLAIN,
    "nice": Wrapper("n", "--adjustment"),
    "ionice": Wrapper("cnpPu", "--class --classdata", quiet="-p -P -u"),
    "timeout": Wrapper("ks", "--kill-after --signal", skip=1),
    "gtimeout": Wrapper("ks", "--kill-after --signal", skip=1),
    "stdbuf": Wrapper("ioe", "--input --output --error"),
    "unbuffer": _PLAIN,
    "setsid": _PLAIN,
    "chrt": Wrapper("TPD", "--sched-runtime --sched-period --sched-deadline", skip=1, quiet="-p --pid"),
    "taskset": Wrapper("", skip=1, quiet="-p --pid"),
    "numactl": Wrapper("NmpiC"),
    "prlimit": Wrapper("p", quiet="-p --pid"),
    "cpulimit": Wrapper("lpe"),
    "cgexec": Wrapper("g"),
    "strace": Wrapper("eopsuEaIOSXPbU"),
    "ltrace": Wrapper("eopsunaAlFx"),
    "perf": Wrapper("eopF", verbs="stat record trace"),
    "valgrind": _PLAIN,
    "gdb": Wrapper("", "--args"),
    "caffeinate": Wrapper("tw"),
    "systemd-run": Wrapper(
        "puEtHMC", "--unit --property --description --uid --gid --nice --setenv --working-directory --slice --machine"
    ),
    "systemd-inhibit": Wrapper("", "--what --who --why --mode"),
    "dbus-run-session": _PLAIN,
    "xvfb-run": Wrapper("nsfep", "--server-num --server-args"),
    "rlwrap": Wrapper("acfHpsSDPC"),
    "chronic": _PLAIN,
    "eatmydata": _PLAIN,
    "faketime": _ONE,
    "flock": Wrapper("wE", "--wait --timeout --conflict-exit-code", skip=1),
    "torsocks": _PLAIN,
    "torify": _PLAIN,
    "proxychains": Wrapper("f"),
    "proxychains4": Wrapper("f"),
    "winpty": _PLAIN,
    "arch": Wrapper("de"),
    "env": Wrapper("uCP", "--unset --chdir --block-signal --default-signal --ignore-signal", assigns=True),
    "busybox": _PLAIN,
    "toybox": _PLAIN,
    "coreutils": _PLAIN,
    "rtk": _PLAIN,
    # project tools that start a program
    "uv": Wrapper("p", "--with --python --project --directory --extra --group --env-file --package", verbs="run"),
    "uvx": Wrapper("p", "--with --python --from"),
    "pipx": Wrapper("", "--spec --python", verbs="run"),
    "poetry": Wrapper("CP", "--directory --project", verbs="run"),
    "pdm": Wrapper("p", "--project", verbs="run"),
    "hatch": Wrapper("e", "--env", verbs="run"),
    "rye": _RUN,
    "pipenv": _RUN,
    "pixi": _RUN,
    "conda": Wrapper("np", "--name --prefix --cwd", verbs="run"),
    "mamba": Wrapper("np", "--name --prefix --cwd", verbs="run"),
    "npx": Wrapper("pw", "--package --workspace"),
    "bunx": _PLAIN,
    "pnpx": _PLAIN,
    "npm": Wrapper("pw", "--package --workspace --prefix", verbs="exec x"),
    "pnpm": Wrapper("CFw", "--dir --filter", verbs="exec dlx"),
    "yarn": Wrapper("", "--cwd", verbs="exec dlx"),
    "bun": Wrapper("", "--cwd", verbs="x"),
    "bundle": Wrapper(verbs="exec"),
    "direnv": Wrapper(verbs="exec", skip=1),
    "mise": Wrapper("C", verbs="exec x"),
    "asdf": Wrapper(verbs="exec"),
    "pyenv": Wrapper(verbs="exec"),
    "rbenv": Wrapper(verbs="exec"),
    "dotenv": Wrapper("ef", "--file"),
    "dotenvx": Wrapper("ef", "--env-file", verbs="run"),
    "op": Wrapper("", "--env-file --account", verbs="run"),
    "doppler": Wrapper("pc", "--project --config", verbs="run"),
    "infisical": Wrapper("", "--env --path", verbs="run"),
    "aws-vault": Wrapper("d", "--duration", verbs="exec", skip=1),
    "chamber": Wrapper(verbs="exec", skip=1),
    "nix": Wrapper("f", "--file", verbs="shell develop run"),
    "cross-env": Wrapper(assigns=True),
    "concurrently": _PLAIN,
    "nodemon": Wrapper("wex", "--watch --ext --exec"),
    "entr": _PLAIN,
    "hyperfine": Wrapper("wrmMpsScn", "--warmup --runs --prepare --setup --cleanup --export-json --export-markdown"),
    "wsl": Wrapper("dutse", "--distribution --user --cd"),
}


def payload(wrapper: Wrapper, argv: list[Argument]) -> tuple[list[Argument], list[str]]:
    """The command behind a wrapper's own words, and the NAME=value words before it; ([], []) when it runs none."""
    i, size = 1, len(argv)
    skip = wrapper.skip
    verbs = wrapper.verbs
    assigned: list[str] = []
    while i < size:
        text = argv[i].text
        if text == "--":
            if not verbs:
                i += 1
                while skip and i < size:
                    skip -= 1
                    i += 1
                break
            i += 1
            continue
        if text.startswith("-") and len(text) > 1:
            if text in wrapper.quiet:
                return [], []
            if text in wrapper.long or (text[1] != "-" and text[-1] in wrapper.short):
                i += 2
            else:
                i += 1
            continue
        if verbs:
            if text not in verbs:
                return [], []
            verbs = frozenset()
        elif wrapper.assigns and "=" in text and text.partition("=")[0].replace("_", "a").isalnum():
            assigned.append(text)
        elif skip:
            skip -= 1
        else:
            break
        i += 1
    return (argv[i:], assigned) if not verbs else ([], [])
