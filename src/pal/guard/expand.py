"""Folds the words of a command to the text a shell would make of them, as far as the text of the call alone can tell.

`expand` is called with the shell whose variables, folder and home apply; what only the running shell could know becomes
UNKNOWN. Quoting decides what is split, what is a wildcard and what a tilde means.
"""

from __future__ import annotations

from pal.guard import paths
from pal.guard.model import UNKNOWN, Argument, Part, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.guard.unwrap import Shell

MAX_BRACES = 64  # alternatives of one word
MAX_FIELDS = 512  # fields one expansion may split into
MAX_VALUE = 16_384  # characters of one folded word; longer ones are unknown


def expand(word: Word, shell: Shell) -> list[Argument]:
    """The fields this word becomes; an unquoted empty expansion becomes none."""
    parts = word.parts
    if len(parts) == 1 and parts[0].kind == "literal" and "{" not in parts[0].text:
        return [Argument(parts[0].text)]
    fields: list[Argument] = []
    for alternative in braces(parts):
        expand_parts(alternative, shell, fields)
        if len(fields) > MAX_FIELDS:
            break
    return fields


def joined(word: Word, shell: Shell) -> str:
    """The word as one text, as in an assignment or a redirect: never split."""
    return flatten(word.parts, shell)


def flatten(parts: list[Part], shell: Shell) -> str:
    text = ""
    for part in parts:
        if part.kind in ("literal", "quoted", "glob"):
            text += part.text
        elif part.kind == "tilde":
            text += tilde(part.text, shell)
        elif part.kind == "array" and isinstance(part.body, list):
            text += " ".join(argument.text for item in part.body for argument in expand(item, shell))
        else:
            text += value(part, shell)
        if len(text) > MAX_VALUE:
            return UNKNOWN
    return text


def expand_parts(parts: list[Part], shell: Shell, fields: list[Argument]) -> None:
    text, glob, present = "", False, False
    for part in parts:
        kind = part.kind
        if kind == "literal" or kind == "quoted":
            text += part.text
            present = True
        elif kind == "glob":
            text += part.text
            glob = present = True
        elif kind == "tilde":
            text += tilde(part.text, shell)
            present = True
        else:
            if kind == "variable" and part.text in ("@", "*") and not part.operator:
                several: list[str] | None = shell.positional
            elif kind == "variable" and part.text.endswith(("[@]", "[*]")) and not part.operator:
                several = shell.array(part.text[:-3])
            else:
                several = None
            if several is not None and (part.quoted or not any(" " in item for item in several)):
                for item in several[:-1]:
                    fields.append(Argument(text + item, glob))
                    text, glob = "", False
                if several:
                    text += several[-1]
                    present = True
                continue
            found = value(part, shell)
            if part.quoted or kind in ("arithmetic", "process"):
                text += found
                present = True
                continue
            pieces = found.split(None, MAX_FIELDS)
            if not pieces:
                if found and (text or present):
                    fields.append(Argument(text, glob))
                    text, glob, present = "", False, False
                continue
            if found[0].isspace() and present:
                fields.append(Argument(text, glob))
                text, glob = "", False
            for piece in pieces[:-1]:
                text += piece
                fields.append(Argument(text, glob or paths.has_glob(piece)))
                text, glob = "", False
            text += pieces[-1]
            glob = glob or paths.has_glob(pieces[-1])
            present = True
            if found[-1].isspace():
                fields.append(Argument(text, glob))
                text, glob, present = "", False, False
    if present:
        fields.append(Argument(text if len(text) <= MAX_VALUE else UNKNOWN, glob))


def tilde(name: str, shell: Shell) -> str:
    if not name or name == shell.home.replace("\\", "/").rpartition("/")[2]:
        return shell.home
    if name == "+":
        return shell.cwd or UNKNOWN
    if name == "-":
        return UNKNOWN
    return "/root" if name == "root" else "/home/" + name


def value(part: Part, shell: Shell) -> str:
    """The text of one expanding part."""
    if part.kind == "substitution":
        return shell.substitute(part)
    if part.kind == "process":
        return shell.process(part)
    if part.kind == "arithmetic":
        if part.operand:
            flatten(part.operand, shell)
        return part.text.strip() if part.text.strip().isdigit() else UNKNOWN
    if part.kind != "variable":
        return part.text
    if not part.operator:
        known = shell.lookup(part.text)
        return UNKNOWN if known is None else known
    return parameter(part, shell)


def parameter(part: Part, shell: Shell) -> str:
    """`${name operator operand}`."""
    known = shell.lookup(part.text)
    operator = part.operator
    operand = flatten(part.operand, shell) if part.operand else ""
    if operator in (":-", "-", ":=", "="):
        if known:
            return known
        if "=" in operator:
            shell.assign(part.text, operand)
        return operand
    if operator in (":+", "+"):
        return operand if known != "" else ""
    if known is None:
        return UNKNOWN
    if operator == "#":
        if not part.operand:
            return str(len(known)) if UNKNOWN not in known else UNKNOWN
        return trimmed(known, operand, front=True, longest=False)
    if operator == "!":
        pointed = shell.lookup(known)
        return UNKNOWN if pointed is None else pointed
    if operator == ":":
        first, _, second = operand.partition(":")
        try:
            begin = int(first.strip() or "0")
            length = int(second.strip()) if second.strip() else None
        except ValueError:
            return UNKNOWN
        if UNKNOWN in known:
            return UNKNOWN
        rest = known[begin:]
        return rest if length is None else rest[:length]
    if operator in ("##", "%", "%%"):
        return trimmed(known, operand, front=operator[0] == "#", longest=len(operator) == 2)
    if operator in ("/", "//"):
        old, _, new = operand.partition("/")
        if UNKNOWN in known or paths.has_glob(old) or not old:
            return UNKNOWN
        return known.replace(old, new) if operator == "//" else known.replace(old, new, 1)
    if operator in ("^", "^^", ",", ",,"):
        changed = known.upper() if operator[0] == "^" else known.lower()
        return changed if len(operator) == 2 else changed[:1] + known[1:]
    return known if operator in (":?", "?", "@") else UNKNOWN


def trimmed(text: str, pattern: str, front: bool, longest: bool) -> str:
    """`text` without the prefix or suffix the pattern stands for."""
    if UNKNOWN in pattern or len(text) > 512 or len(pattern) > 64:
        return UNKNOWN
    lengths = range(len(text) + 1)
    for length in reversed(lengths) if longest else lengths:
        piece = text[:length] if front else text[len(text) - length :]
        if paths.matches(pattern, piece):
            return text[length:] if front else text[: len(text) - length]
    return text


def braces(parts: list[Part]) -> list[list[Part]]:
    """The alternatives of `a{b,c}d` and `{1..3}` in unquoted text; the word itself when it has none."""
    if not any(part.kind == "literal" and "{" in part.text for part in parts):
        return [parts]
    atoms: list[Part] = []
    for part in parts:
        if part.kind == "literal":
            if len(part.text) > 1000:
                return [parts]
            atoms += [Part("literal", letter) for letter in part.text]
        else:
            atoms.append(part)
    done: list[list[Part]] = []
    waiting = [atoms]
    while waiting and len(done) + len(waiting) <= MAX_BRACES:
        word = waiting.pop()
        split = alternatives(word)
        if split is None:
            done.append(word)
        else:
            waiting += reversed(split)
    return done + waiting


def alternatives(atoms: list[Part]) -> list[list[Part]] | None:
    """The words that the first brace group of these one-letter parts makes, or None."""
    for begin, atom in enumerate(atoms):
        if atom.kind != "literal" or atom.text != "{" or (begin and atoms[begin - 1].text == "$"):
            continue
        level, commas, end = 0, [begin], -1
        for i in range(begin, len(atoms)):
            letter = atoms[i].text if atoms[i].kind == "literal" else ""
            if letter == "{":
                level += 1
            elif letter == "}":
                level -= 1
                if level == 0:
                    end = i
                    break
            elif letter == "," and level == 1:
                commas.append(i)
        if end < 0:
            return None
        head, tail = atoms[:begin], atoms[end + 1 :]
        if len(commas) > 1:
            bounds = [*commas, end]
            return [head + atoms[bounds[k] + 1 : bounds[k + 1]] + tail for k in range(len(commas))]
        inner = "".join(part.text for part in atoms[begin + 1 : end])
        first, dots, last = inner.partition("..")
        if dots and first.isdigit() and last.isdigit() and len(first + last) < 12:
            low, high = sorted((int(first), int(last)))
            return [[*head, Part("literal", str(n)), *tail] for n in range(low, min(high, low + 8) + 1)]
        if dots and len(first) == len(last) == 1:
            low, high = sorted((ord(first), ord(last)))
            return [[*head, Part("literal", chr(n)), *tail] for n in range(low, min(high, low + 60) + 1)]
    return None
