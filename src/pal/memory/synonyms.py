"""Words of programmers that mean the same, so that `k8s` finds `kubernetes`; a file of the user's may add lines.

A line of `memory/synonyms.txt` is a group of words, separated by white space; `#` begins a comment."""

from __future__ import annotations

from pal.base import files
from pal.memory.terms import stem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home

# Stems, since a hook has no time to make them.
_GROUPS = (
    "k8s kubernet kube", "db databas", "auth authent", "authz author", "config configur", "repo repositori",
    "env environ", "dep depend", "dev develop", "prod product", "js javascript", "ts typescript", "py python",
    "postgr postgresql psql pg", "mongo mongodb", "ci pipelin", "doc document", "perf perform", "i18n internation",
    "a11y access", "dir directori folder", "param paramet argument", "msg messag", "err error", "fn function",
    "impl implement", "infra infrastructur", "cred credenti", "tz timezon", "regex regexp",
)  # fmt: skip


def groups(home: Home | None) -> dict[str, tuple[str, ...]]:
    """The stems that mean the same as a stem, by stem."""
    known: dict[str, tuple[str, ...]] = {}
    for group in _GROUPS:
        _add(known, group.split())
    try:
        added = files.read_text(home.synonyms) if home is not None else None
    except OSError:
        added = None  # a folder in its place, or a file that may not be read: the built-in ones serve
    for line in (added or "").splitlines():
        stems = [stem_of(word) for word in line.partition("#")[0].lower().split()]
        _add(known, list(dict.fromkeys(stem for stem in stems if stem)))
    return known


def _add(known: dict[str, tuple[str, ...]], group: list[str]) -> None:
    for stem in group:
        known[stem] = tuple(dict.fromkeys((*known.get(stem, ()), *(other for other in group if other != stem))))
