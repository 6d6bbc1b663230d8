"""Unites two versions of a list of lines, sections or keys: what either side added stays, what one side removed goes.

Either order of the two sides gives the same list, and uniting the result with one of them again changes nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Numbered = tuple[str, int]


def united(base: Iterable[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """One list of both; `base` is what both come from, empty when that is not known (then nothing was removed).

    An item that both changed, each in its own way, is there twice. New items stand behind what they stood behind."""
    first, second = sorted((_numbered(ours), _numbered(theirs)))
    wanted = _wanted(_counted(base), _counted(ours), _counted(theirs))
    for side in (first, second):
        if set(side) == wanted:
            return [item for item, _ in side]
    kept = [item for item in first if item in wanted]
    known = set(kept)
    followers: dict[Numbered | None, list[Numbered]] = {}
    before: Numbered | None = None
    for item in second:
        if item in known:
            before = item
        elif item in wanted:
            followers.setdefault(before, []).append(item)
    order = [*followers.get(None, ()), *(each for item in kept for each in (item, *followers.get(item, ())))]
    return [item for item, _ in order]


def _wanted(base: dict[str, int], ours: dict[str, int], theirs: dict[str, int]) -> set[Numbered]:
    """Each item as often as the side has it that changed its number; as often as the greater, when both did."""
    wanted: set[Numbered] = set()
    for item in {*ours, *theirs}:
        before, one, other = (side.get(item, 0) for side in (base, ours, theirs))
        count = other if one == before else one if other == before else max(one, other)
        wanted.update((item, number) for number in range(count))
    return wanted


def _counted(items: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return counts


def _numbered(items: Iterable[str]) -> list[Numbered]:
    """Each item with how many like it stand before it, so that repeated ones (blank lines) can be told apart."""
    seen: dict[str, int] = {}
    found = []
    for item in items:
        count = seen.get(item, 0)
        seen[item] = count + 1
        found.append((item, count))
    return found
