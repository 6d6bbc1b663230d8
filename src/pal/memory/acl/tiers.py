"""The tier of a caller. Only a token grants trust: a name can lower rights but not raise them, an origin is nothing."""

from __future__ import annotations

import os

from pal.base import bare, files, redaction
from pal.base import home as homes
from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pal.base.settings import Settings

READONLY, TRUSTED, EXTERNAL = "readonly", "trusted", "external"
UNKNOWN = "unknown"
_LONGEST = 64
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")
_PROVENANCE = ("source_tier:", "source_agent:")


def tier(settings: Settings, env: Mapping[str, str], names: Iterable[str], token: str) -> str:
    """The tier of a caller by every name it goes by and the token it shows. Who is listed as read-only under one of
    them stays so with a token."""
    listed = settings.get("memory_acl.agents")
    rows = listed.items() if isinstance(listed, dict) else ()
    readonly = {clean(str(name)) for name, kind in rows if kind == READONLY}
    if readonly.intersection([clean(name) for name in names if name]):
        return READONLY
    expected = secret(env) if token else ""
    return TRUSTED if expected and _same(expected, token) else EXTERNAL


def clean(agent: str) -> str:
    """A caller's name as it is kept: small letters, digits, dot, underscore, hyphen; 64 at most."""
    kept = "".join([char if char in _LETTERS else "-" for char in agent.strip().lower()]).strip("-")[:_LONGEST]
    return kept or UNKNOWN


def secret(env: Mapping[str, str]) -> str:
    """The token that grants trust, read anew each time; empty when there is none, or when others could read it too."""
    path = homes.acl_token(env)
    try:
        if exposed(path):
            return ""
        return (files.read_text(path) or "").strip()
    except OSError:
        return ""


def exposed(path: str) -> bool:
    """Whether others on this machine may read the file (never told on Windows)."""
    try:
        return not bare.WINDOWS and bool(os.stat(path).st_mode & 0o077)
    except OSError:
        return False


def create(env: Mapping[str, str]) -> str:
    """Make a token where there is none, for this user only, and give the file's path."""
    import secrets

    path = homes.acl_token(env)
    if (files.read_text(path) or "").strip():
        raise PalError(f"there is a token in {path} already; remove the file first if you want another")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    files.write(path, secrets.token_urlsafe(32) + "\n", durable=True, mode=0o600)
    return path


def neutral(text: str) -> str:
    """The text with lines that claim a provenance quoted, so that only ours count; scrubbed."""
    lines = redaction.scrub(text).splitlines()
    return "\n".join([f"> {line}" if line.strip().lower().startswith(_PROVENANCE) else line for line in lines]).strip()


def marked(text: str, agent: str, kind: str) -> str:
    """What is kept of a caller's text: where it came from, then the text."""
    return f"source_agent: {agent}\nsource_tier: {kind}\n{text}"


def provenance(text: str) -> tuple[str, str]:
    """(the caller that `marked` names, the text itself)."""
    lines = text.split("\n", 2)
    if len(lines) == 3 and lines[0].startswith("source_agent: ") and lines[1].startswith("source_tier: "):
        return lines[0][14:].strip(), lines[2]
    return "", text


def _same(expected: str, token: str) -> bool:
    import hmac

    return hmac.compare_digest(expected.encode("utf-8", "replace"), token.strip().encode("utf-8", "replace"))
