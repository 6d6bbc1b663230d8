"""What the user configured about judging: `pal-settings.json → security`, and the rules a project brings along.

Gives the `Policy` that `judge` is handed, the skills to block, and a sentence for everything that is skipped."""

from __future__ import annotations

from pal.base import bare, jsontext
from pal.guard import prefilter, user_rules
from pal.guard.model import GROUPS, STRENGTH, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from pal.base.settings import Settings

SECTION = "security"
# Skills that agents call by mistake: the first of every list, and what its words match is nearly everything.
BLOCKED_SKILLS = ("keybindings-help",)


class Guard:
    """One reading of what is configured."""

    __slots__ = ("policy", "problems", "skills")

    def __init__(self, policy: Policy, skills: tuple[str, ...], problems: list[str]) -> None:
        self.policy = policy
        self.skills = skills
        self.problems = problems


def load(settings: Settings, pal_home: str, folders: Sequence[str], windows: bool, case_insensitive: bool) -> Guard:
    """The configuration for a call made in these folders. A bad entry is skipped and told; the rest holds."""
    problems: list[str] = []
    section = settings.get(SECTION, {})
    if not isinstance(section, dict):
        problems.append(f"{SECTION} is no object")
        section = {}
    groups = section.get("groups", {})
    chosen: dict[str, str] = {}
    for name, answer in groups.items() if isinstance(groups, dict) else ():
        if name not in GROUPS:
            problems.append(f"{SECTION}.groups: there is no group {name!r}; `pal guard rules` lists them")
        elif answer not in STRENGTH:
            problems.append(f"{SECTION}.groups.{name} is {answer!r}, which is none of allow, ask, deny")
        else:
            chosen[name] = answer
    if not isinstance(groups, dict):
        problems.append(f"{SECTION}.groups is no object")
    rules, wrong = user_rules.read(section.get("rules"), SECTION + ".rules", case_insensitive)
    problems += wrong
    lifted = _texts(section.get("allow", []), SECTION + ".allow", problems)
    skills = section.get("skills", {})
    blocked = skills.get("block", list(BLOCKED_SKILLS)) if isinstance(skills, dict) else None
    names = BLOCKED_SKILLS if blocked is None else _texts(blocked, SECTION + ".skills.block", problems)
    if blocked is None:
        problems.append(f"{SECTION}.skills is no object")
    for place in prefilter.places_of_rules(*folders):
        more, wrong = _of_project(place, case_insensitive)
        rules += more
        problems += wrong
    policy = Policy(chosen, tuple(rules), windows, pal_home, case_insensitive, frozenset(lifted))
    return Guard(policy, tuple(names), problems)


def _of_project(place: str, case_insensitive: bool) -> tuple[list[user_rules.Rule], list[str]]:
    """A project's file holds `rules` and nothing else: whoever wrote a repository can stop more here, never less."""
    try:
        data = bare.read_bytes(place)
        value = {} if data is None else jsontext.loads(data)
    except (OSError, ValueError) as problem:
        return [], [f"{place} cannot be read ({problem}); its rules do not hold"]
    if not isinstance(value, dict):
        return [], [f"{place} holds no JSON object; its rules do not hold"]
    rules, problems = user_rules.read(value.get("rules"), place, case_insensitive)
    return rules, problems + [f"{place}: {key!r} is skipped; only rules count" for key in value if key != "rules"]


def _texts(value: object, where: str, problems: list[str]) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        problems.append(f"{where} is no list of texts")
        return ()
    return tuple(value)
