"""Edits JSON text that other programs and people own: puts values in and takes them out, and touches nothing else.

Pure functions from text to text; nothing is ever re-serialised. Text put in follows the file's own style (indentation,
line ends, one-line objects, trailing commas). A value is taken out with one comma and the white space before it, which
is exactly what was put in, and still leaves sound JSON when somebody edited around it. What cannot be known from the
text later (which containers were made, what stood in an empty one) comes back as traces, plain values for `tidy`."""

from __future__ import annotations

import json
from typing import Any

from pal.base.errors import PalError
from pal.install.jsonscan import BOM, SPACE, Document, Item, Node, before, items_of, scan
from pal.install.jsonstyle import BLANKS, Style, has_break, indent_at, newline_of, render, word

Keys = tuple[str, ...]
# {"made": keys}: a container we created. {"filled": keys, "was": inside}: one that was empty.
# {"begun": text}: a file that held no value.
Trace = dict[str, Any]


def value(text: str) -> Any:
    """What a reader sees in this text; None when it holds nothing but white space and comments."""
    root = scan(text).root
    return None if root is None else root.value


def add_member(text: str, keys: Keys, member: Any) -> tuple[str, list[Trace]]:
    """Put in the member at this path, with the objects above it that are missing. It must not be there yet."""
    text, traces = _begun(text)
    document = scan(text)
    node, depth = _deepest(document, keys[:-1], keys)
    if depth == len(keys) - 1 and any(item.key == keys[-1] for item in node.items or ()):
        raise PalError(f"{_path(keys)} is there already; it is not overwritten")
    return _put_below(document, node, depth, keys, member, traces)


def append(text: str, keys: Keys, element: Any) -> tuple[str, list[Trace]]:
    """Put an element at the end of the array at this path; the array and the objects above it are made when missing."""
    text, traces = _begun(text)
    document = scan(text)
    node, depth = _deepest(document, keys, keys)
    if depth == len(keys):
        if not node.is_array:
            raise PalError(f"{_path(keys)} is not a list; make it one or remove it")
        filled = _filled(document, node, keys)
        return _put(document, node, None, element), traces + filled
    traces = [*traces, {"made": list(keys)}]
    return _put_below(document, node, depth, keys, [element], traces)


def remove(text: str, start: int) -> str:
    """Take out the member or element whose value starts at this place."""
    document = scan(text)
    node, index = _holder(document, start)
    return _cut(document, node, index)


def replace(text: str, start: int, new: Any) -> str:
    """Write another value where the one starts at this place."""
    document = scan(text)
    node, index = _holder(document, start)
    items = node.items or []
    roomy = has_break(text, before(node, index), items[index].start)
    return swap(text, start, render(new, indent_at(text, items[index].start), Style(document), not roomy))


def swap(text: str, start: int, raw: str) -> str:
    """Write this JSON text where the value starts at this place."""
    document = scan(text)
    node, index = _holder(document, start)
    item = (node.items or [])[index]
    edited = text[:start] + raw + text[item.end :]
    item.node = Node(0, 0, value(raw))
    return _checked(document, edited)


def tidy(text: str, traces: list[Trace]) -> tuple[str, list[Trace]]:
    """Take out the containers we made that are empty again and give the others back the inside they had.

    The traces that come back are those still needed, because something is left in their container."""
    kept: list[Trace] = []
    for trace in sorted(traces, key=_depth, reverse=True):
        if "made" in trace:
            text, done = _unmade(text, tuple(trace["made"]))
        elif "filled" in trace:
            text, done = _emptied(text, tuple(trace["filled"]), trace["was"])
        else:
            text, done = _unbegun(text, trace["begun"])
        if not done:
            kept.append(trace)
    return text, [trace for trace in traces if trace in kept]


def merge(known: list[Trace], new: list[Trace]) -> list[Trace]:
    """The traces of a file after an edit; a container that was empty once more is known by its latest inside."""
    places = [(sorted(trace), trace.get("made", trace.get("filled"))) for trace in new]
    old = [trace for trace in known if (sorted(trace), trace.get("made", trace.get("filled"))) not in places]
    return old + new


# What is put in


def _begun(text: str) -> tuple[str, list[Trace]]:
    """A text without any value becomes one with an empty object after what it holds."""
    if scan(text).root is not None:
        return text, []
    newline = newline_of(text)
    body = text if text.strip(SPACE + BOM) else text[: text.startswith(BOM)]
    if body not in ("", BOM) and not body.endswith(("\n", "\r")):
        body += newline
    return body + "{}" + newline, [{"begun": text}]


def _deepest(document: Document, wanted: Keys, keys: Keys) -> tuple[Node, int]:
    """The deepest container on the wanted path that exists, and how many keys lead to it."""
    node = document.root
    assert node is not None
    depth = 0
    while True:
        if depth < len(keys) and not node.is_object:
            where = f"{_path(keys[:depth])} is" if depth else "the whole file is"
            raise PalError(f"{where} not an object {{…}}; make it one or remove it")
        below = [item.node for item in node.items or () if depth < len(wanted) and item.key == wanted[depth]]
        if not below:
            return node, depth
        node, depth = below[-1], depth + 1


def _put_below(
    document: Document, node: Node, depth: int, keys: Keys, member: Any, traces: list[Trace]
) -> tuple[str, list[Trace]]:
    for place in range(len(keys) - 1, depth, -1):
        traces = [*traces, {"made": list(keys[:place])}]
        member = {keys[place]: member}
    filled = _filled(document, node, keys[:depth])
    return _put(document, node, keys[depth], member), traces + filled


def _filled(document: Document, node: Node, keys: Keys) -> list[Trace]:
    if node.items:
        return []
    return [{"filled": list(keys), "was": document.text[node.start + 1 : node.end - 1]}]


def _put(document: Document, node: Node, key: str | None, new: Any) -> str:
    """The text with one more item at the end of this container."""
    style = Style(document)
    text = document.text
    name = "" if key is None else word(key) + style.colon
    if node.items:
        edited = _put_after(document, node, name, new, style)
    else:
        opening, closing = node.start + 1, node.end - 1
        inside = text[opening:closing]
        base = indent_at(text, node.start)
        child = base + style.unit
        roomy = _roomy(document, node)
        body = name + render(new, child if roomy else base, style, not roomy)
        comments = [end for start, end, _ in document.comments if opening <= start and end <= closing]
        if not comments:
            body = style.newline + child + body + style.newline + base if roomy else inside + body + inside
            edited = text[:opening] + body + text[closing:]
        else:
            place = comments[-1]
            body = style.newline + child + body if roomy else " " + body
            if roomy and not has_break(text, place, closing):
                body += style.newline + base
            edited = text[:place] + body + text[place:]
    items_of(node).append(Item(0, key, Node(0, 0, new)))
    return _checked(document, edited)


def _put_after(document: Document, node: Node, name: str, new: Any, style: Style) -> str:
    """After the last item, and after a comment that stands behind it on its line."""
    text, items = document.text, items_of(node)
    last = items[-1]
    behind = last.end if last.comma < 0 else last.comma + 1
    place, to_line_end = behind, False
    for start, end, line in document.comments:
        if start >= place and not to_line_end and not text[place:start].strip(BLANKS):
            place, to_line_end = end, line or has_break(text, start, end)
    room = before(node, len(items) - 1)
    roomy = has_break(text, room, last.start) or (to_line_end and text[place : place + 1] in ("\r", "\n"))
    indent = indent_at(text, last.start)
    if roomy:
        if not has_break(text, room, last.start):
            indent += style.unit
        gap, flat = style.newline + indent, False
    else:
        between = text[room : last.start] if len(items) > 1 else ""
        gap = between if len(items) > 1 and not between.strip(BLANKS) else style.gap
        flat = not has_break(text, last.start, last.end)
    body = gap + name + render(new, indent, style, flat)
    if last.comma >= 0:
        return text[:place] + body + "," + text[place:]
    return text[: last.end] + "," + text[last.end : place] + body + text[place:]


# What is taken out


def _cut(document: Document, node: Node, index: int) -> str:
    """The text without this item, one comma and the white space before it. Comments stay."""
    text, items = document.text, items_of(node)
    item, room = items[index], before(node, index)
    following = items[index + 1] if index + 1 < len(items) else None
    lead = item.start
    while lead > room and text[lead - 1] in SPACE:
        lead -= 1
    start, stop = lead, item.end
    cuts: list[tuple[int, int]] = []
    if item.comma >= 0:
        if text[stop : item.comma].strip(SPACE):  # a comment between the value and its comma
            cuts.append((item.comma, item.comma + 1))
        else:
            stop = item.comma + 1
    elif index:
        cuts.append((items[index - 1].comma, items[index - 1].comma + 1))
    if following and not index and stop > item.end and not text[stop : following.start].strip(SPACE):
        start, stop = item.start, following.start  # the next one moves into the place of the first
    elif any(line and end == lead for _, end, line in document.comments):
        rest = text[stop:].lstrip(BLANKS)
        if not rest.startswith(("\n", "\r")):
            start = item.start  # or what follows would become part of the comment before
    cuts.append((start, stop))
    edited = text
    for a, b in sorted(cuts, reverse=True):
        edited = edited[:a] + edited[b:]
    del items[index]
    return _checked(document, edited)


def _unmade(text: str, keys: Keys) -> tuple[str, bool]:
    document = scan(text)
    node = document.seen(keys)
    if node is None or node.items is None:
        return text, True
    if node.items or document.comments_in(node.start, node.end):
        return text, False
    return remove(text, node.start), True


def _emptied(text: str, keys: Keys, was: str) -> tuple[str, bool]:
    document = scan(text)
    node = document.seen(keys)
    if node is None or node.items is None:
        return text, True
    if node.items or document.comments_in(node.start, node.end) != scan(was).comments_in(0, len(was)):
        return text, False
    return _checked(document, text[: node.start + 1] + was + text[node.end - 1 :]), True


def _unbegun(text: str, was: str) -> tuple[str, bool]:
    document = scan(text)
    root = document.root
    comments = scan(was).comments_in(0, len(was))
    if root is None:
        return text, True
    if root.items or not root.is_object or document.comments_in(0, len(text)) != comments:
        return text, False
    return was, True


def _depth(trace: Trace) -> int:
    keys = trace.get("made", trace.get("filled"))
    return -1 if keys is None else len(keys)


# Finding


def _roomy(document: Document, node: Node) -> bool:
    """Whether an empty container is to be filled on lines of its own, as its neighbours are."""
    if node is document.root or has_break(document.text, node.start, node.end):
        return True
    holder, index = _holder(document, node.start)
    return has_break(document.text, before(holder, index), items_of(holder)[index].start)


def _holder(document: Document, start: int) -> tuple[Node, int]:
    """The container of the value that starts at this place, and its position there."""
    node = document.root
    while node is not None:
        below = None
        for index, item in enumerate(node.items or ()):
            if item.node.start == start:
                return node, index
            if item.node.start < start < item.end:
                below = item.node
        node = below
    raise ValueError(f"no member or element starts at {start}")


def _path(keys: Keys) -> str:
    return json.dumps(".".join(keys), ensure_ascii=False)


def _checked(document: Document, edited: str) -> str:
    """The edited text, once it is shown to mean what the edited tree means: a slip here must not reach a file."""
    expected = document.root.value if document.root is not None else None
    if value(edited) != expected:
        raise PalError("this file is written in a way that PAL cannot edit safely; make the change by hand")
    return edited
