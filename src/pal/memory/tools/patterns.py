"""What recurs in failures and insights: groups of like statements, and which of them could become a principle.

A log of frustration is no principle. Only what came up in three sessions, can be acted on and is phrased as advice is
`ready` to graduate by itself; the rest is shown to the user. Reading changes nothing."""

from __future__ import annotations

from pal.base import clock, files, frontmatter, text
from pal.memory.spoken import vocabulary
from pal.memory.tools import figures, likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pal.base.home import Home

DAYS = 90
ENOUGH = 3  # sessions in which something must have come up
PROMOTED = 85  # per cent; from here on every session is told
_MOST_STATEMENTS = 400  # the newest ones; each is compared with each
_SHORTEST, _LONGEST = 20, 300  # characters of a statement
_PRINCIPLE = 120  # UTF-16 units
_KEYWORDS = 3  # fewer say too little to act on
_DAY = 86_400.0
_INSIGHTS = "insights"

_DOMAINS = {
    "development": "code test bug function type refactor file commit branch error compile build debug class lint",
    "workflow": "plan ask step task review approve scope order before finish verify check priority request",
    "communication": "answer explain reply tone brief short summary report wording language question verbose detail",
    "infrastructure": "deploy server docker database migration cloud pipeline network disk backup config environment",
    "integration": "api endpoint webhook token client schema payload library dependency version package",
}
_ADVICE = vocabulary(
    "add always ask avoid back begin check commit compare confirm consider copy define do document dont explain find "
    "first fix follow give handle install keep leave let limit list look make match measure mention name never note "
    "only open prefer propose prove put quote read remove repeat report reproduce run save say search separate show "
    "start state stay stop summarise summarize take tell test treat try update use validate verify wait when watch "
    "work write before after instead unless"
)


class Statement:
    """Something that was learned: its text, whether it was put as a principle, and where it stands."""

    __slots__ = ("is_principle", "path", "session", "text")

    def __init__(self, text: str, session: str, path: str, is_principle: bool) -> None:
        self.text = text
        self.session = session
        self.path = path
        self.is_principle = is_principle


class Pattern:
    """A group of like statements from two sessions or more, the sentence that stands for it, and how sure that is."""

    __slots__ = ("actionable", "confidence", "domain", "occurrences", "phrased", "principle", "sources")

    def __init__(self, principle: str, domain: str, sessions: int, sources: list[str]) -> None:
        self.principle = principle
        self.domain = domain
        self.occurrences = sessions
        self.confidence = min(95, 60 + 10 * (sessions - ENOUGH)) if sessions >= ENOUGH else 0
        self.actionable = is_actionable(principle)
        self.phrased = is_advice(principle)
        self.sources = sources

    @property
    def is_candidate(self) -> bool:
        """Seen often enough; two sessions only make it emerging."""
        return self.occurrences >= ENOUGH

    @property
    def ready(self) -> bool:
        """May become a crystal without anybody being asked."""
        return self.is_candidate and self.actionable and self.phrased

    def facts(self) -> dict[str, Any]:
        return {
            "principle": self.principle,
            "domain": self.domain,
            "occurrences": self.occurrences,
            "confidence": self.confidence,
            "kind": "candidate" if self.is_candidate else "emerging",
            "actionable": self.actionable,
            "phrased": self.phrased,
            "ready": self.ready,
            "sources": self.sources,
        }


def find(home: Home, now: float, zone: str = "", days: int = DAYS) -> list[Pattern]:
    """The patterns of the last days, the most frequent first."""
    said = list(statements(home, clock.day(now - (days - 1) * _DAY, zone), clock.day(now, zone)))[-_MOST_STATEMENTS:]
    found = []
    for group in likeness.groups([statement.text for statement in said]):
        members = [said[place] for place in group]
        sessions = len({statement.session or statement.path for statement in members})
        if sessions > 1:
            principle = _principle(members)
            paths = sorted({home.relative(statement.path) for statement in members})
            found.append(Pattern(principle, domain_of(" ".join(m.text for m in members)), sessions, paths))
    found.sort(key=lambda pattern: (-pattern.occurrences, pattern.principle))
    return found


def statements(home: Home, first_day: str, last_day: str) -> Iterator[Statement]:
    """What failures say (their principle, else what the user said) and each insight of the learnings, oldest first."""
    for fields in figures.headers(home.failures, first_day, last_day):
        principle = str(fields.get("principle") or "")
        said = _plain(principle or str(fields.get("context") or ""))
        if len(said) >= _SHORTEST:
            yield Statement(said, str(fields.get("session") or ""), fields["path"], bool(principle))
    for fields in figures.headers(home.session_learning, first_day, last_day):
        for insight in _insights(fields["path"]):
            if len(insight) >= _SHORTEST:
                yield Statement(insight, str(fields.get("session") or ""), fields["path"], False)


def is_actionable(said: str) -> bool:
    """No question, and enough in it to act on."""
    return not said.rstrip().endswith("?") and len(text.keywords(said)) >= _KEYWORDS


def is_advice(said: str) -> bool:
    """Phrased as a principle: it begins by saying what to do, and complains of nobody."""
    words = text.words(said.replace("'", "").replace("’", ""))
    return bool(words) and words[0] in _ADVICE and "!" not in said and not {"i", "you", "your", "me"} & set(words)


def domain_of(said: str) -> str:
    """The domain most of the words belong to; `general` without one."""
    stems = set(text.keywords(said))
    best, most = "general", 0
    for domain, words in _DOMAINS.items():
        found = sum(text.stem(word) in stems for word in words.split())
        if found > most:
            best, most = domain, found
    return best


def _principle(members: list[Statement]) -> str:
    """The sentence that stands for a group: one put as a principle, else one phrased as advice, else the shortest."""
    ranked = sorted(
        members,
        key=lambda statement: (not is_advice(statement.text), not statement.is_principle, len(statement.text)),
    )
    said = text.clip(_first_sentence(ranked[0].text), _PRINCIPLE)
    return said[:1].upper() + said[1:]


def _first_sentence(said: str) -> str:
    for at, letter in enumerate(said):
        if letter in ".!?" and at >= _SHORTEST and said[at + 1 : at + 2] in ("", " "):
            return said[: at + 1].rstrip(".")
    return said


def _insights(path: str) -> list[str]:
    """The bullets or paragraphs below the heading of a learning's insights."""
    try:
        body = frontmatter.parse(files.read_text(path) or "")[1]
    except OSError:
        return []
    found = []
    inside = False
    for line in body.splitlines():
        if line.startswith("#"):
            inside = line.strip("# ").lower() == _INSIGHTS
        elif inside and line.strip():
            found.append(_plain(line.strip().lstrip("-*• ")))
    return found


def _plain(said: str) -> str:
    return " ".join(said.split())[:_LONGEST]
