"""What a person typed in a prompt, apart from what agents put around it, and how tables of words are written.

The rating rules and the session's name are read from this text only."""

from __future__ import annotations

from pal.base.markers import RECALLED, without_element

# Elements that editors and agents wrap around a prompt; their content is nobody's opinion.
_INJECTED = ("ide_opened_file", "ide_selection", "system-reminder", "task-notification", RECALLED)

# How prompts begin that no person wrote. An injected element that is never closed counts too.
_SYSTEM_OPENINGS = (
    "<task-notification",
    "<system-reminder",
    "This session is being continued from a previous conversation",
    "Please continue the conversation",
)


def spoken(prompt: str) -> str:
    """The prompt without its injected elements, trimmed."""
    if "<" in prompt:
        for name in _INJECTED:
            prompt = without_element(prompt, name)
    return prompt.strip(" \t\r\n\ufeff")


def is_system(text: str) -> bool:
    """True for text that an agent wrote in the user's name; expects what `spoken` gave."""
    if text.startswith(_SYSTEM_OPENINGS):
        return True
    return text.startswith("Note: ") and " was read before" in text[:2000]


def vocabulary(words: str) -> frozenset[str]:
    """A set of words, written with spaces between them."""
    return frozenset(words.split())


def phrases(said: str) -> frozenset[str]:
    """A set of phrases, written with commas between them."""
    return frozenset(said.split(", "))
