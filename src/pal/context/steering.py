"""Self-checks that a prompt's topic calls for: seven shipped topics and the user's own, matched without a model.

The shipped patterns are words and phrases, so no prompt pays for the regular-expression engine; it is loaded only
when the user wrote rules of their own."""

from __future__ import annotations

from pal.skills.triggers import padded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.settings import Settings

    Check = tuple[str, str]  # the topic's tag, the question to ask oneself

BUDGET = 1_000  # bytes of all questions together; the first that does not fit ends the list
_READ = 4_000  # characters of the prompt that a user's expression sees


class Topic:
    """A tag, the words and phrases that mean it, and the question to ask oneself.

    `said` separates them by `|`; `*` at the end stands for any ending; punctuation in a prompt counts as a space."""

    __slots__ = ("needles", "question", "tag")

    def __init__(self, tag: str, said: str, question: str) -> None:
        self.tag = tag
        self.needles = [f" {item[:-1]}" if item[-1] == "*" else f" {item} " for item in said.split("|")]
        self.question = question


TOPICS = (
    Topic(
        "debugging",
        "bug|bugs|buggy|broken|breaks|crash*|error|errors|exception|fail|fails|failed|failing|failure|failures|"
        "regress*|debug*|traceback|stack trace|not working|doesn t work|doesnt work|does not work|don t work|"
        "won t start|stopped working|why does it not|why is it not",
        "Have you seen the fault happen and found its cause? If not, reproduce it before changing code, and change "
        "one thing at a time.",
    ),
    Topic(
        "destructive",
        "delete|deletes|deleting|remove all|remove the|removing|drop table|drop the|drop database|rm rf|rm r|rmdir|"
        "force push|push force|push f|reset hard|clean fd|wipe|wiping|truncate|prune|purge|erase|overwrite",
        "Can this be undone? If not, name exactly what will go and ask before it goes.",
    ),
    Topic(
        "refactor",
        "refactor*|clean up|cleanup|simplif*|reorganiz*|reorganis*|restructur*|dead code|tech debt|technical debt|"
        "extract method|deduplicat*|rename*",
        "Will behaviour stay the same, and how will you know? If no test holds it, write one first; keep new "
        "behaviour out of this change.",
    ),
    Topic(
        "planning",
        "plan|plans|planning|roadmap|architecture|design doc|design document|proposal|propose|how should we|"
        "how would you|where do we start|break it down|break this down",
        "Was a plan asked for, or the work? If a plan: give it with criteria that can be checked, then stop and wait.",
    ),
    Topic(
        "testing",
        "test|tests|testing|unittest*|pytest|coverage|flaky|spec|specs",
        "Would each test fail if the code were wrong? If you have not seen it fail, break the code once and look.",
    ),
    Topic(
        "committing",
        "commit|commits|committing|committed|amend|rebase|squash|cherry pick|pull request|merge request|push it|"
        "git push|merge it|git merge|changelog|release notes",
        "Is everything in this commit one idea, tested, and free of stray files? If not, take out what is not.",
    ),
    Topic(
        "secrets",
        "secret|secrets|password|passwords|passphrase|api key|api keys|apikey|credential*|private key|access token|"
        "access tokens|auth token|bearer token|dotenv|env file",
        "Could a secret end up in output, a file or a commit? If so, name it by its variable and never show its value.",
    ),
)


def match(prompt: str, settings: Settings) -> list[Check]:
    """The checks this prompt calls for, the shipped ones first, within the budget."""
    text = padded(prompt)
    disabled = _disabled(settings)
    found = [
        (topic.tag, topic.question)
        for topic in TOPICS
        if topic.tag not in disabled and any(needle in text for needle in topic.needles)
    ]
    if _listed(settings):
        found += [(tag, snippet) for tag, asks, snippet in _rules(settings)[0] if asks(prompt) and tag not in disabled]
    kept, left = [], BUDGET
    for tag, question in found:
        left -= len(question.encode("utf-8", "replace")) + 3  # a bullet and a line end
        if left < 0:
            break
        kept.append((tag, question))
    return kept


def problems(settings: Settings) -> list[str]:
    """What is wrong with the user's steering rules, a sentence each; such rules are left out."""
    return _rules(settings)[1]


def _disabled(settings: Settings) -> set[str]:
    disabled = settings.get("steering.disable", [])
    return {tag for tag in disabled if isinstance(tag, str)} if isinstance(disabled, list) else set()


def _listed(settings: Settings) -> list[object]:
    rules = settings.get("steering.rules", [])
    return rules if isinstance(rules, list) else [rules]


class _Expression:
    """A user's pattern, ready to be asked about a prompt."""

    __slots__ = ("_search",)

    def __init__(self, pattern: str) -> None:
        import re

        self._search = re.compile(pattern, re.IGNORECASE).search

    def __call__(self, prompt: str) -> bool:
        return self._search(prompt[:_READ]) is not None


def _rules(settings: Settings) -> tuple[list[tuple[str, _Expression, str]], list[str]]:
    """(the user's rules that can be used, what is wrong with the others)."""
    rules, faults = [], []
    for number, rule in enumerate(_listed(settings), 1):
        where = f"steering.rules, rule {number}"
        if not isinstance(rule, dict):
            faults.append(f"{where} is not an object with tag, pattern and snippet.")
            continue
        tag, pattern, snippet = rule.get("tag"), rule.get("pattern"), rule.get("snippet")
        if not (isinstance(tag, str) and tag and isinstance(pattern, str) and pattern):
            faults.append(f"{where} needs a tag and a pattern.")
        elif not (isinstance(snippet, str) and snippet.strip()):
            faults.append(f"{where} ({tag}) needs a snippet: the sentence to say.")
        else:
            try:
                rules.append((tag, _Expression(pattern), " ".join(snippet.split())))
            except Exception as fault:  # re.error and, for absurd patterns, OverflowError or RecursionError
                faults.append(f"{where} ({tag}) has a pattern that cannot be read: {fault}.")
    return rules, faults
