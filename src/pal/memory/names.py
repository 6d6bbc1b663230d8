"""A session's name, made of the words of a prompt: the same prompt gives the same name, in well under a millisecond.

Pasted code, logs, paths, addresses and numbers say nothing about what the person wants, so they are left out."""

from __future__ import annotations

from pal.base.text import STOP_WORDS
from pal.memory.spoken import is_system, spoken, vocabulary

MOST_WORDS = 4
LONGEST = 60  # characters
_FEWEST_WORDS = 2
_READ = 4000  # characters of a prompt that may hold its topic
_LONGEST_WORD = 24
_LONGEST_UNSPACED = 16  # characters of a name in a script that is written without spaces

# Words of talk: greetings, requests and answers; with the stop words they carry no topic.
_TALK = vocabulary(
    "hi hello hey there thanks thank ok okay yeah yep sure help want need look looking see let lets continue "
    "go going ahead start try trying think know tell say said hello good morning great nice sorry maybe "
    "really much many lot something thing things anything everything someone way right now today still even "
    "every each both few able possible dont im ive id youre its thats whats cant doesnt didnt isnt wont well "
    "kindly however first second next work working does don isn doesn didn won ve ll re"
)
_ACRONYMS = vocabulary(
    "ai api aws cd ci cli cpu css csv db dns gpu gui html http https id io ip js json jwt llm mcp orm os pdf "
    "pr rest rpc sdk sql ssh ssl svg tcp tls ts ui uri url ux vm xml yaml"
)
_CODE_SIGNS = frozenset("{}=;<>|$\\[]()#")
_WRAPPING = "\"'“”‘’„«»()[]{}<>*_~.,;:!?…-–—"


def name_for(prompt: str) -> str:
    """A name of at most four words in Title Case; empty while the prompt says too little."""
    said = spoken(prompt)
    if not said or is_system(said):
        return ""
    found: list[str] = []
    known: set[str] = set()
    shouted = said.isupper()
    for line in _plain_lines(said[:_READ]):
        for token in line.split():
            word = _topic_word(token)
            bare = word.lower().replace("'", "")
            if word and bare not in known:
                known.add(bare)
                found.append(_titled(word, shouted))
                if len(found) == MOST_WORDS:
                    return " ".join(found)[:LONGEST].rstrip()
    if len(found) >= _FEWEST_WORDS:
        return " ".join(found)[:LONGEST].rstrip()
    return found[0] if found and _unspaced(found[0]) else ""


def _plain_lines(said: str) -> list[str]:
    """The lines a person wrote: without code blocks, quoted code, logs and traces."""
    lines = []
    fenced = traced = False
    for line in said.split("\n"):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if traced:
            traced = line[:1] in (" ", "\t")  # the line of the exception ends it
            continue
        if bare.startswith("Traceback "):
            traced = True
            continue
        if fenced or bare.startswith(("at ", ">", "+++", "---", "@@", "$ ")):
            continue
        if _is_log(bare) or sum(letter in _CODE_SIGNS for letter in bare) * 8 > len(bare):
            continue
        if "`" in bare:
            bare = " ".join(bare.split("`")[::2])
        lines.append(bare)
    return lines


def _is_log(line: str) -> bool:
    """True for a line that begins with a date or a time: 2026-03-02T08:15:00, [08:15:00]."""
    begin = line.lstrip("[")[:10]
    return begin[:4].isdigit() and begin[4:5] in ("-", "/") or (begin[2:3] == ":" and begin[:2].isdigit())


def _topic_word(token: str) -> str:
    """The token as a word of a name, or nothing when it is noise or talk."""
    if _unspaced(token):
        run = 0
        while run < min(len(token), _LONGEST_UNSPACED) and token[run].isalnum():
            run += 1
        return token[:run]
    if len(token) > 3 * _LONGEST_WORD:
        return ""
    word = token.strip(_WRAPPING)
    if token[0] == "/" and "/" in word and word[0] == "/":
        word = word[1:]  # a typed command: /review
    if any(sign in word for sign in "/\\@=") or "://" in token:
        return ""
    stem, dot, ending = word.partition(".")
    if dot:  # a file's name tells its topic, a host's or a number's does not
        if not ending.isalnum() or len(ending) > 5:
            return ""
        word = stem
    word = word.replace("’", "'").replace("‘", "'")
    if word.endswith("'s") and word[:-2].lower() in STOP_WORDS:
        return ""
    letters = "".join([letter for letter in word if letter.isalpha()])
    if len(letters) < 2 or len(word) > _LONGEST_WORD or not word.replace("'", "").replace("-", "").isalnum():
        return ""
    if sum(letter.isdigit() for letter in word) * 2 > len(word):
        return ""
    bare = word.lower().replace("'", "")
    return "" if bare in STOP_WORDS or bare in _TALK else word


def _titled(word: str, shouted: bool) -> str:
    lower = word.lower()
    if lower in _ACRONYMS:
        return word.upper()
    return word if word != lower and not shouted else word[0].upper() + lower[1:]


def _unspaced(word: str) -> bool:
    """True for a word of a script without spaces, which may be a whole sentence."""
    return len(word) >= 4 and "\u2e80" <= word[0] <= "\ud7ff"
