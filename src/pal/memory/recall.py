"""What is put before an agent at a prompt: a few memories that bear on it, or nothing, which is the usual answer.

Search ranks; this asks whether the best is good enough. A memory passes when the prompt holds one of its names whole,
or when it covers enough of what the prompt says. The prompt hook calls `recall`; SQLite is loaded only after the gate
has said that something may pass."""

from __future__ import annotations

import os

from pal.base import clock, files, log, records
from pal.memory import telling, terms
from pal.memory.index import gate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pal.base.home import Home
    from pal.memory.index.documents import Document
    from pal.memory.index.reader import Reader
    from pal.memory.ranking import Found, Question

MOST = 5
A_SESSION = 2  # memories of one session
_READ = 4000  # characters of a prompt
_TERMS = 60
_WAIT = 0.25  # seconds for a writer of the index
_OWN = 1  # stems of the prompt that a memory's own text must hold, beside its context
_ELSEWHERE = 0.5  # the share that a lesson from another project must cover
_REPEATED = 0.6  # the share of stems from which two memories say the same
_TAKEN_UP = 0.5  # similarity from which a crystal says what a failure taught
_RECENT, _WEIGHTY, _USED = 0.04, 0.04, 0.02  # what age, importance and use add at most: they never outdo a better match
_SHARED_NAME = 20  # memories that may go by one name; what more are called says nothing
_LOOKED_AT = 800  # that cover enough, whose project is asked for
_COMMON = 3000  # documents that hold a stem, from which it is not looked up when it decides nothing
_CANDIDATES = 50  # that are read, those that cover most first
_AGAIN = 3600.0  # seconds
_LARGEST = 256 * 1024  # bytes of the log
_ROWS = 100  # of the log that are looked through
_SHOWN = 12  # stems of a prompt in the log
_MONTH = 30 * 86_400.0
_FADING = ("learning", "failure")  # what was learned once loses its weight, like a memory of medium importance


class Prompt:
    """What a prompt is matched by: its stems, and those of its words as they stand, for names."""

    __slots__ = ("stems", "whole")

    def __init__(self, text: str) -> None:
        text = text[:_READ]
        self.stems = list(dict.fromkeys(terms.stems(text)))[:_TERMS]
        self.whole = frozenset(terms.stems(text.lower())).intersection(self.stems)


class Recalled:
    """One memory that passed: why (`names` of it in the prompt, or the share `covered`), and which stems it shares."""

    __slots__ = ("covered", "document", "names", "shared", "value")

    def __init__(self, document: Document, covered: float, names: list[str], shared: list[str], value: float) -> None:
        self.document = document
        self.covered = covered
        self.names = names
        self.shared = shared
        self.value = value


def recall(home: Home, prompt: str, cwd: str, now: float, session: str = "", most: int = MOST) -> list[Recalled]:
    """The memories for a prompt typed in `cwd`, the best first; empty for an ordinary chore.

    What this session was told within the last hour, for another prompt, it is not told again."""
    said = Prompt(prompt)
    if not said.stems or not os.path.isfile(home.index):
        return []
    from pal.memory import synonyms

    like = synonyms.groups(home)
    if not gate.may_match(home.memory_gate, said.stems, like):
        return []
    from pal.memory import projects
    from pal.memory.index import reader, schema

    try:
        with reader.open_index(home.index, _WAIT) as asked:
            root = projects.root_of(cwd) or cwd
            told = _told(home, session, said, now) if session else frozenset()
            return select(asked, said, like, [root] if root else [], now, most, told)
    except ImportError:
        return []  # a Python without SQLite has no index; a prompt does not wait for a scan of all files
    except schema.errors()[1] as problem:
        log.debug(home, "memory", f"the index was not asked: {problem}")
    except schema.errors()[0] as problem:
        log.error(home, "memory", f"the index is damaged and will be built anew: {problem}")
        files.remove(home.memory_gate)
    return []


def select(
    asked: Reader,
    said: Prompt,
    like: dict[str, tuple[str, ...]],
    projects: Collection[str],
    now: float,
    most: int = MOST,
    told: Collection[str] = (),
) -> list[Recalled]:
    """The memories that pass for a prompt in these projects, without those `told`; `like` are stems that mean the
    same as a stem."""
    from pal.memory.index.documents import name_of

    passed = passing(asked, said, like, projects, now)
    return distinct([one for one in passed if name_of(one.document) not in told], asked, most)


def passing(
    asked: Reader,
    said: Prompt,
    like: dict[str, tuple[str, ...]],
    projects: Collection[str],
    now: float,
    floor: float = telling.COVERAGE,
) -> list[Recalled]:
    """All that pass, the best first. `floor` is the share of the prompt that one without a name in it must cover."""
    from pal.memory import ranking

    question = ranking.Question(asked, said.stems, like, names_only=True)
    heads = asked.named([*said.whole, *question.mistyped], _SHARED_NAME)
    ids = list(dict.fromkeys([*sum(heads.values(), []), *_covering(asked, question, like, floor)]))
    near = _from_here(asked.places(ids[:_LOOKED_AT]), projects)[:_CANDIDATES]
    passed = []
    for found in ranking.scored(asked, question, asked.by_id(near)):
        one = _passed(found, question, said, heads, projects, now, floor)
        if one is not None:
            passed.append(one)
    passed.sort(key=lambda one: (-one.value, one.document.ref, one.document.seq))
    return passed


def _from_here(places: list[tuple[int, str, str, str]], projects: Collection[str]) -> list[int]:
    """The ids of what may be told in these projects: nothing that was superseded, no memory of another project."""
    from pal.memory.index.documents import MEMORY
    from pal.memory.index.reader import same_project

    here: dict[str, bool] = {"": True}
    found = []
    for number, source, project, status in places:
        if project not in here:
            here[project] = any(same_project(project, other) for other in projects)
        if status != "superseded" and (source != MEMORY or here[project]):
            found.append(number)
    return found


def _covering(asked: Reader, question: Question, like: dict[str, tuple[str, ...]], floor: float) -> list[int]:
    """The ids of the documents that may cover so much of the question, those that surely do more first.

    Stems that tell most are looked up first. Once the rest cannot reach the floor, no new document can pass, and what
    very many documents hold is not looked up any more: each may have it."""
    least = floor * question.itself
    left = question.itself
    unknown = 0.0
    contextual = asked.totals[2] > 0  # otherwise every document's stems are its own
    share: dict[int, float] = {}
    own: dict[int, float] = {}
    for term in sorted(question.terms, key=lambda term: (-question.telling[term], term)):
        stems = [stem for stem in (term, *like.get(term, ())) if stem in question.known]
        tells = question.telling[term]
        complete = left < least
        left -= tells
        if complete and sum([question.known[stem] for stem in stems]) > _COMMON:
            unknown += tells
            continue
        for number in {number for stem in stems for number in asked.holders(stem)}:
            if number in share:
                share[number] += tells
            elif not complete:
                share[number] = tells
        if contextual:
            for number in {number for stem in stems for number in asked.holders(stem, own=True)}.intersection(share):
                own[number] = own.get(number, 0.0) + tells
    enough = least - unknown - 1e-9
    found = [(-held - own.get(number, 0.0), number) for number, held in share.items() if held >= enough]
    return [number for _, number in sorted(found)]


def _passed(
    found: Found,
    question: Question,
    said: Prompt,
    heads: Collection[str],
    projects: Collection[str],
    now: float,
    floor: float,
) -> Recalled | None:
    from pal.memory.index.reader import same_project

    one = found.document
    if faded(one, now):
        return None
    text, key, near = (stream.split() for stream in one.streams[:3])
    own = question.held([*text, *key])
    held = own | question.held(near)
    covered = telling.coverage(question.terms, question.telling, held)
    called = [name for name in one.names.split("\n") if any(stem in heads for stem in name.split())]
    names = [name for name in called if _named(name, said, question)]
    if not names:
        if len(held) < telling.FEWEST or covered < floor or len(own) < _OWN:
            return None
        here = not one.project or any(same_project(one.project, project) for project in projects)
        if one.source in _FADING and not here and covered < _ELSEWHERE:
            return None
    value = found.value * (1 + prior(one, now))
    return Recalled(one, covered, names, sorted(held), value)


def _named(name: str, said: Prompt, question: Question) -> bool:
    """Whether all stems of a name are in the prompt, one that is mistyped there included."""
    return all(stem in said.whole or stem in question.mistyped for stem in name.split(" "))


def prior(one: Document, now: float) -> float:
    """What age, importance and use add to a match, a tenth at most."""
    from pal.memory.icm.entry import IMPORTANCE

    recent = 2 ** (-max(0.0, now - one.ts) / _MONTH) if one.ts else 0.5
    return _RECENT * recent + _WEIGHTY * IMPORTANCE.get(one.importance, 0.5) + _USED * min(one.uses, 5) / 5


def faded(one: Document, now: float) -> bool:
    """Whether a memory is out of its time or has lost its weight; what people wrote for good never does."""
    from pal.memory.icm import entry

    if (one.valid_to and now > one.valid_to) or (one.valid_from and now < one.valid_from):
        return True
    if one.pinned:
        return False
    importance = one.importance or ("medium" if one.source in _FADING and one.ts else "")
    return bool(importance) and entry.weighed(importance, max(one.ts, one.used), one.uses, now) < entry.FADED


def distinct(passed: list[Recalled], asked: Reader, most: int) -> list[Recalled]:
    """The first that do not say the same again, few of one session; a failure is left out when a crystal took it up."""
    kept: list[Recalled] = []
    sessions: dict[str, int] = {}
    crystals: list[Document] | None = None
    for found in passed:
        one = found.document
        stems = set(one.streams[0].split())
        if any(_alike(stems, set(other.document.streams[0].split())) for other in kept):
            continue
        place = (one.session or one.ref) if one.source != "transcript" else ""
        if place and sessions.get(place, 0) >= A_SESSION:
            continue
        if one.source == "failure":
            crystals = asked.of_source("wisdom") if crystals is None else crystals
            if any(_taught(one, crystal) for crystal in crystals):
                continue
        sessions[place] = sessions.get(place, 0) + 1
        kept.append(found)
        if len(kept) == most:
            break
    return kept


def _alike(one: set[str], other: set[str]) -> bool:
    return 2 * len(one & other) >= _REPEATED * (len(one) + len(other)) > 0


def _taught(failure: Document, crystal: Document) -> bool:
    from pal.memory.similarity import similarity

    return similarity(failure.title, crystal.said) >= _TAKEN_UP


def age_days(one: Document, now: float) -> int:
    """Whole days since a memory was made."""
    return int(max(0.0, now - one.ts) / 86_400) if one.ts else 0


def _told(home: Home, session: str, said: Prompt, now: float) -> set[str]:
    """What the session was told of late for other prompts than this one."""
    found: set[str] = set()
    for row in records.tail(home.recalls, _ROWS):
        if row.get("session") == session and clock.age(row.get("ts"), now) < _AGAIN:
            told = row.get("told")
            if row.get("said") != said.stems[:_SHOWN] and isinstance(told, list):
                found.update(str(one.get("id")) for one in told if isinstance(one, dict))
    return found


def note(home: Home, session: str, prompt: str, told: Sequence[Recalled], now: float) -> None:
    """Keep why these were put before an agent, for `pal memory why`; the log starts anew before it grows large."""
    from pal.memory.index.documents import name_of

    if os.path.exists(home.recalls) and os.path.getsize(home.recalls) > _LARGEST:
        files.replace(home.recalls, home.recalls + ".old")
    rows = [
        {"id": name_of(one.document), "covered": round(one.covered, 3), "names": one.names, "shared": one.shared}
        for one in told
    ]
    row = {"ts": clock.iso(now), "session": session, "said": Prompt(prompt).stems[:_SHOWN]}
    records.append(home, home.recalls, {**row, "told": rows}, now)
