"""Takes secrets and `<private>` passages out of a text before it is stored, logged or sent to a model.

`scrub` is called for everything PAL writes, so it is quick where nothing is suspicious, linear whatever the text
holds, never raises, and gives the same text back when it is applied again."""

from __future__ import annotations

from pal.base.markers import RECALLED, without_element
from pal.base.secret_values import (
    ALNUM,
    BASE64,
    MARK,
    NAME,
    OUTSIDE,
    QUOTES,
    SPACE,
    STAND_INS,
    hexadecimal,
    made,
    past,
    run,
    stands_in,
    wordy,
)
from pal.base.secret_words import WORDS, assigned, neighbours, past_separator

_TOLD = "</" + RECALLED
_PASSES = 4  # a replaced secret may bring a word and a value together; in practice the second pass changes nothing
_CAPITAL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

# (how it begins, what it goes on with, fewest, most, may stand inside a word, kind). Lengths as the issuers give them.
_PREFIXED = (
    ("AKIA", _CAPITAL, 16, 16, False, "aws-key"),
    ("ASIA", _CAPITAL, 16, 16, False, "aws-key"),
    ("ghp_", ALNUM, 30, 255, True, "github-token"),
    ("gho_", ALNUM, 30, 255, True, "github-token"),
    ("ghs_", ALNUM, 30, 255, True, "github-token"),
    ("ghu_", ALNUM, 30, 255, True, "github-token"),
    ("ghr_", ALNUM, 30, 255, True, "github-token"),
    ("github_pat_", NAME, 30, 255, True, "github-token"),
    ("glpat-", NAME, 20, 255, True, "gitlab-token"),
    ("xoxa-", NAME, 10, 255, True, "slack-token"),
    ("xoxb-", NAME, 10, 255, True, "slack-token"),
    ("xoxe-", NAME, 10, 255, True, "slack-token"),
    ("xoxo-", NAME, 10, 255, True, "slack-token"),
    ("xoxp-", NAME, 10, 255, True, "slack-token"),
    ("xoxr-", NAME, 10, 255, True, "slack-token"),
    ("xoxs-", NAME, 10, 255, True, "slack-token"),
    ("xapp-", NAME, 20, 255, True, "slack-token"),
    ("sk-ant-", NAME, 20, 255, False, "anthropic-key"),
    ("sk-", NAME, 20, 255, False, "openai-key"),
    ("AIza", NAME, 35, 35, True, "google-key"),
    ("sk_live_", ALNUM, 16, 255, True, "stripe-key"),
    ("rk_live_", ALNUM, 16, 255, True, "stripe-key"),
    ("sk_test_", ALNUM, 16, 255, True, "stripe-key"),
    ("npm_", ALNUM, 36, 36, True, "npm-token"),
    ("pypi-", NAME, 40, 1000, False, "pypi-token"),
    ("hf_", ALNUM, 30, 64, False, "huggingface-token"),
    ("mem0_", ALNUM, 24, 255, False, "mem0-key"),
    ("m0-", ALNUM, 24, 255, False, "mem0-key"),
)
_LETTERS_DO = "AKIA"  # one id in thirty has no digit, and no word begins so
_SCHEMES = frozenset(("bearer", "basic", "token", "digest", "apikey", "negotiate", "bot", "key"))


def scrub(text: str) -> str:
    """The text with `[redacted:<kind>]` for every secret, and without what stands in `<private>` and what PAL itself
    had put before an agent."""
    if _TOLD in text:
        text = without_element(text, RECALLED)
    for _ in range(_PASSES):
        lowered = _lower(text)
        if "<private" in lowered:
            text = _without_private(text, lowered)
            lowered = _lower(text)
        spans = _spans(text, lowered)
        if not spans:
            break
        text = _replaced(text, spans)
    return text


def _lower(text: str) -> str:
    """Lower case of the same length, so that places in one are places in the other."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text.replace("\u0130", "I").lower()  # İ alone becomes two


def _without_private(text: str, lowered: str) -> str:
    """Nested passages go with the outermost; one that is never closed goes to the end."""
    parts: list[str] = []
    depth, kept = 0, 0
    begin, end = _opening(lowered, 0), lowered.find("</private")
    while begin >= 0 or (end >= 0 and depth):
        if begin >= 0 and (not depth or end < 0 or begin < end):
            if not depth:
                parts.append(text[kept : _whole(lowered, kept, begin)])
                end = lowered.find("</private", begin) if 0 <= end < begin else end  # one that closes nothing stays
            depth += 1
            begin = _opening(lowered, begin + 8)
        else:
            kept = past(lowered, end + 9, " \t\r\n")
            kept = kept + 1 if lowered[kept : kept + 1] == ">" else end + 9
            depth -= 1
            end = lowered.find("</private", kept)
    if not depth:
        parts.append(text[kept:])
    return "".join(parts)


def _opening(lowered: str, at: int) -> int:
    """Where the next `<private` stands that is the whole name of a tag; -1 if none does."""
    at = lowered.find("<private", at)
    while at >= 0 and lowered[at + 8 : at + 9] not in ("", ">", "/", " ", "\t", "\r", "\n"):
        at = lowered.find("<private", at + 8)
    return at


def _whole(lowered: str, kept: int, end: int) -> int:
    """`end`, moved before any beginnings of a tag: with what follows the passage they could make a new one."""
    while True:
        at = lowered.rfind("<", max(kept, end - 8), end)
        if at < 0 or not "<private".startswith(lowered[at:end]):
            return end
        end = at


def _replaced(text: str, spans: list[tuple[int, int, str]]) -> str:
    spans.sort(key=lambda span: span[0])  # stable: of two with one start the more telling kind was found first
    parts: list[str] = []
    at = 0
    for begin, end, kind in spans:
        if begin >= at:
            parts += (text[at:begin], MARK, kind, "]")
        at = max(at, end)
    parts.append(text[at:])
    return "".join(parts)


def _spans(text: str, lowered: str) -> list[tuple[int, int, str]]:
    """(begin, end, kind) of every secret, the most telling kinds first."""
    spans: list[tuple[int, int, str]] = []
    _private_keys(text, spans)
    _prefixed(text, spans)
    _web_tokens(text, spans)
    _url_passwords(text, spans)
    _authorizations(text, lowered, spans)
    present = [word for word in WORDS if word in lowered]
    for word in present:
        assigned(text, lowered, word, spans)
    if present:
        neighbours(text, lowered, present, spans)
    return spans


def _private_keys(text: str, spans: list[tuple[int, int, str]]) -> None:
    begin = text.find("-----BEGIN ")
    while begin >= 0:
        following = text.find("-----BEGIN ", begin + 11)
        limit = following if following >= 0 else len(text)
        head = text.find("-----", begin + 11, begin + 80)
        if head >= 0 and "PRIVATE KEY" in text[begin:head]:
            body = _key_lines(text, head + 5, limit)
            if body > head + 5:  # code that only names the header has no key after it
                foot = text.find("-----END ", body, limit)
                close = text.find("-----", foot + 9, foot + 80) if foot >= 0 else -1
                spans.append((begin, close + 5 if close >= 0 else body, "private-key"))
        begin = following


def _key_lines(text: str, at: int, limit: int) -> int:
    """The end of the lines of base64 from `at` on, the real ones or those of a string with `\\n` in it."""
    begin, end, heads = at, at, 0
    while at < limit:
        if text[at] in " \t\r\n\"'+,":
            at += 1
        elif text[at] == "\\" and text[at + 1 : at + 2] in ("n", "r", "t", "\\", "\n", "\r", '"'):
            at += 2 if text[at + 1 : at + 2] != "\\" else 1
        else:
            stop = run(text, at, BASE64, limit)
            if stop - at >= 16:
                at = end = stop
            elif heads < 5 and ": " in text[at : at + 24]:  # Proc-Type, DEK-Info, Version, Comment
                heads += 1
                breaks = [place for place in (text.find("\n", at, limit), text.find("\\n", at, limit)) if place >= 0]
                at = min(breaks, default=limit)
            else:
                last = (
                    end > begin
                    and at - end <= 2
                    and at < stop
                    and text[stop : stop + 1] in ("", "\n", "\r", "\\", '"', "'")
                )
                return stop if last else end
    return end


def _prefixed(text: str, spans: list[tuple[int, int, str]]) -> None:
    searched = 0
    for prefix, allowed, fewest, most, inside, kind in _PREFIXED:
        at = text.find(prefix)
        while at >= 0:
            end = body = at + len(prefix)
            if inside or _begins(text, at):
                end = run(text, body, allowed, len(text))
                if fewest <= end - body <= most and (prefix == _LETTERS_DO or made(text[body:end])):
                    spans.append((at, end, kind))
                    if kind == "aws-key":
                        searched = _aws_secret(text, max(searched, at - 200), at, spans)
                        searched = _aws_secret(text, max(searched, end), end + 200, spans)
            at = text.find(prefix, max(end, body))


def _begins(text: str, at: int) -> bool:
    """True if no word runs into `at`; the letter of `\\n` and the digits of `%3D` or `\\u003d` are none."""
    if at == 0 or text[at - 1] not in ALNUM:
        return True
    return (
        (text[at - 1] in "nrtbf" and text[at - 2 : at - 1] == "\\")
        or text[at - 3 : at - 2] == "%"
        or text[at - 6 : at - 4] == "\\u"
    )


def _aws_secret(text: str, at: int, limit: int, spans: list[tuple[int, int, str]]) -> int:
    """A run of forty near an access key's id is its secret. Gives how far the text is now searched."""
    limit = min(limit, len(text))
    at = max(at, 0)
    while at < limit:
        end = run(text, at, BASE64, min(at + 64, len(text)))
        if end - at == 40 and made(text[at:end]) and not hexadecimal(text[at:end]):
            spans.append((at, end, "aws-secret"))
        at = end + 1
    return at


def _web_tokens(text: str, spans: list[tuple[int, int, str]]) -> None:
    at = text.find("eyJ")
    while at >= 0:
        end = run(text, at, NAME, len(text))
        parts = 1
        while end - at > 12 and text[end : end + 1] == ".":
            stop = run(text, end + 1, NAME, len(text))
            if stop == end + 1 and parts != 2:
                break
            end = stop
            parts += 1
        if parts > 2:
            spans.append((at, end, "jwt"))
        at = text.find("eyJ", end)


def _url_passwords(text: str, spans: list[tuple[int, int, str]]) -> None:
    at = text.find("://")
    while at >= 0:
        begin = end = at + 3
        while end < len(text) and text[end] not in OUTSIDE and text[end] not in "/?#":
            end += 1
        sign = text.rfind("@", begin, end)
        colon = text.find(":", begin, sign) if sign >= 0 else -1
        if colon >= 0 and at and text[at - 1] in ALNUM:
            value = text[colon + 1 : sign]
            if value and value.lower() not in STAND_INS and not stands_in(value):
                spans.append((colon + 1, sign, "password"))
        at = text.find("://", end)


def _authorizations(text: str, lowered: str, spans: list[tuple[int, int, str]]) -> None:
    at = lowered.find("authorization")
    while at >= 0:
        end = at + 13
        begin = past_separator(text, end) if text[at - len(MARK) : at] != MARK else -1
        if begin >= 0:
            begin, stop = _word(text, past(text, begin, SPACE + QUOTES + "\\"))
            scheme = lowered[begin:stop] in _SCHEMES
            if scheme:
                begin, stop = _word(text, past(text, stop, SPACE))
            value = text[begin:stop]
            odd = any(char in _CAPITAL for char in value[1:]) or value.endswith("=")
            if len(value) >= (8 if scheme else 12) and odd and not wordy(value) and not stands_in(value):
                spans.append((begin, stop, "authorization"))
        at = lowered.find("authorization", end)
    at = lowered.find("bearer ")
    while at >= 0:
        begin, stop = _word(text, past(text, at + 7, SPACE))
        if stop - begin >= 16 and made(text[begin:stop]) and not stands_in(text[begin:stop]):
            spans.append((begin, stop, "authorization"))
        at = lowered.find("bearer ", max(stop, at + 7))


def _word(text: str, at: int) -> tuple[int, int]:
    end = at
    while end < len(text) and text[end] not in OUTSIDE and text[end] not in ",;)]}":
        end += 1
    return at, end
